//! What is due now, for which origin, and when to look again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use super::backoff::BackoffClock;
use super::error::OutboxError;
use super::intent::{Intent, IntentFile};
use super::key::DeliveryKey;
use super::origin::Origin;
use super::pump::Job;
use super::root::HostRoot;
use crate::clock::UnixMillis;

/// After a delivery was skipped because its record or lock could not be used, it is left alone for
/// this long: a defect that stays must not become a loop.
const LEAVE_ALONE: Duration = Duration::from_secs(2);

/// The plan of one look at the due registry.
#[derive(Debug, Default)]
pub struct Plan {
    /// One job for each origin that is free and has something due.
    pub jobs: Vec<Job>,
    /// How long until something else becomes due; `None` when nothing waits.
    pub next: Option<Duration>,
    /// Deliveries that are pending or retrying, due or not.
    pub open: usize,
    /// When the oldest of them was enqueued.
    pub oldest: Option<UnixMillis>,
    /// Entries whose intent is missing or cannot be read.
    pub unusable: usize,
}

/// What a pump remembers between two looks.
#[derive(Debug, Default)]
pub struct Schedule {
    waits: BackoffClock,
    busy: HashSet<Origin>,
    left_alone: HashMap<DeliveryKey, Instant>,
}

impl Schedule {
    /// Nothing remembered.
    #[must_use]
    pub fn new() -> Schedule {
        Schedule::default()
    }

    /// Looks at the due registry and the intents that it names.
    ///
    /// # Errors
    /// A registry that cannot be listed.
    pub fn look(
        &mut self,
        root: &HostRoot,
        now: UnixMillis,
        at: Instant,
    ) -> Result<Plan, OutboxError> {
        self.left_alone.retain(|_, until| *until > at);
        let mut plan = Plan::default();
        let mut by_origin: BTreeMap<Origin, Vec<Intent>> = BTreeMap::new();
        let scan = root.due_registry()?.scan()?;
        plan.unusable = scan.unreadable.len();
        for entry in scan.entries {
            let key = entry.key();
            // What cannot be read is doctor's and gc's business; it blocks no other delivery.
            let Ok(IntentFile::Good(intent)) = root.read_intent(&key) else {
                plan.unusable = plan.unusable.saturating_add(1);
                continue;
            };
            if intent.state.retains_objects() {
                plan.count(&intent);
            }
            match self.wait_left(&key, &intent, now, at) {
                Some(wait) => plan.wait_at_most(wait),
                None if self.busy.contains(&intent.origin) => {}
                None => by_origin
                    .entry(intent.origin.clone())
                    .or_default()
                    .push(*intent),
            }
        }
        plan.jobs = by_origin.into_iter().map(in_order).collect();
        Ok(plan)
    }

    fn wait_left(
        &mut self,
        key: &DeliveryKey,
        intent: &Intent,
        now: UnixMillis,
        at: Instant,
    ) -> Option<Duration> {
        if let Some(until) = self.left_alone.get(key) {
            return Some(until.saturating_duration_since(at));
        }
        // An ended one whose entry is still there is finished at once.
        if !intent.state.retains_objects() {
            return None;
        }
        let wait = self.waits.wait_left(intent, now, at);
        (!wait.is_zero()).then_some(wait)
    }

    /// An origin is being worked for: its deliveries wait until [`Schedule::free`].
    pub fn occupy(&mut self, origin: &Origin) {
        self.busy.insert(origin.clone());
    }

    /// An origin's job is over.
    pub fn free(&mut self, origin: &Origin) {
        self.busy.remove(origin);
    }

    /// How many origins are being worked for.
    #[must_use]
    pub fn occupied(&self) -> usize {
        self.busy.len()
    }

    /// A delivery was skipped for a defect.
    pub fn leave_alone(&mut self, key: DeliveryKey, at: Instant) {
        if let Some(until) = at.checked_add(LEAVE_ALONE) {
            self.left_alone.insert(key, until);
        }
    }

    /// A delivery ended.
    pub fn forget(&mut self, key: &DeliveryKey) {
        self.waits.forget(key);
    }
}

impl Plan {
    fn count(&mut self, intent: &Intent) {
        self.open = self.open.saturating_add(1);
        let created = intent.created_at_millis;
        self.oldest = Some(self.oldest.map_or(created, |oldest| oldest.min(created)));
    }

    fn wait_at_most(&mut self, wait: Duration) {
        self.next = Some(self.next.map_or(wait, |next| next.min(wait)));
    }
}

/// The source's order within an origin.
fn in_order((origin, mut intents): (Origin, Vec<Intent>)) -> Job {
    intents.sort_by(|one, other| {
        let place = |intent: &Intent| {
            (
                intent.branch.clone(),
                intent.created_at_millis,
                intent.turn_id.clone(),
            )
        };
        place(one).cmp(&place(other))
    });
    Job { origin, intents }
}
