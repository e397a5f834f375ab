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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::outbox::intent::State;
    use crate::outbox::intent::tests::intent;
    use crate::outbox::names::{Branch, Turn};

    struct Place {
        _folder: tempfile::TempDir,
        root: HostRoot,
    }

    fn place() -> Place {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o700)).unwrap();
        let path = folder.path().canonicalize().unwrap();
        let root = HostRoot::open(&path, Duration::from_secs(5)).unwrap();
        Place {
            _folder: folder,
            root,
        }
    }

    fn at(millis: i64) -> UnixMillis {
        UnixMillis::new(millis).unwrap()
    }

    /// Puts an intent and its due entry down; the branch is `b` and the turn is `number`.
    fn put(place: &Place, number: u64, origin: &str, change: impl FnOnce(&mut Intent)) -> Intent {
        let mut intent = intent();
        intent.turn_id = Turn::new(format!("{number:032x}")).unwrap();
        intent.origin = Origin::new(origin).unwrap();
        intent.branch = Branch::new("b").unwrap();
        change(&mut intent);
        let held = place.root.lock_intent(&intent.key()).unwrap();
        place.root.write_intent(&held, &intent).unwrap();
        place
            .root
            .due_registry()
            .unwrap()
            .write(&held, &intent)
            .unwrap();
        intent
    }

    fn turns(job: &Job) -> Vec<u64> {
        let number = |intent: &Intent| u64::from_str_radix(intent.turn_id.as_str(), 16).unwrap();
        job.intents.iter().map(number).collect()
    }

    #[test]
    fn what_is_due_is_grouped_by_origin_in_the_source_pages_order() {
        let place = place();
        put(&place, 1, "file:///srv/y.git", |intent| {
            intent.created_at_millis = at(9);
        });
        put(&place, 2, "file:///srv/y.git", |intent| {
            intent.created_at_millis = at(8);
        });
        put(&place, 3, "file:///srv/y.git", |intent| {
            intent.branch = Branch::new("a").unwrap();
            intent.created_at_millis = at(10);
        });
        put(&place, 5, "file:///srv/y.git", |intent| {
            intent.created_at_millis = at(8);
        });
        put(&place, 4, "file:///srv/x.git", |_| {});
        let plan = Schedule::new()
            .look(&place.root, at(100), Instant::now())
            .unwrap();
        let found: Vec<Vec<u64>> = plan.jobs.iter().map(turns).collect();
        assert_eq!(found, [vec![4], vec![3, 2, 5, 1]]);
        assert_eq!((plan.open, plan.oldest, plan.next), (5, Some(at(1)), None));
    }

    #[test]
    fn a_waiting_one_tells_when_and_an_occupied_origin_or_one_left_alone_has_no_job() {
        let place = place();
        let waiting = put(&place, 1, "file:///srv/x.git", |intent| {
            intent.state = State::Retrying;
            intent.attempt = 3;
            intent.updated_at_millis = at(1000);
            intent.next_attempt_at_millis = at(3000);
        });
        let now = Instant::now();
        let mut schedule = Schedule::new();
        let plan = schedule.look(&place.root, at(1500), now).unwrap();
        assert!(plan.jobs.is_empty());
        assert_eq!(plan.next, Some(Duration::from_millis(1500)));
        assert_eq!(
            schedule
                .look(&place.root, at(3000), now)
                .unwrap()
                .jobs
                .len(),
            1
        );

        schedule.occupy(&waiting.origin);
        assert_eq!(schedule.occupied(), 1);
        assert!(
            schedule
                .look(&place.root, at(3000), now)
                .unwrap()
                .jobs
                .is_empty()
        );
        schedule.free(&waiting.origin);

        schedule.leave_alone(waiting.key(), now);
        let plan = schedule.look(&place.root, at(3000), now).unwrap();
        assert!(plan.jobs.is_empty());
        assert_eq!(plan.next, Some(LEAVE_ALONE));
        let later = now + LEAVE_ALONE;
        assert_eq!(
            schedule
                .look(&place.root, at(3000), later)
                .unwrap()
                .jobs
                .len(),
            1
        );
    }

    #[test]
    fn an_ended_delivery_whose_entry_is_still_there_is_finished_and_not_counted_open() {
        let place = place();
        put(&place, 1, "file:///srv/x.git", |intent| {
            intent.state = State::Delivered;
        });
        let plan = Schedule::new()
            .look(&place.root, at(100), Instant::now())
            .unwrap();
        assert_eq!((plan.jobs.len(), plan.open), (1, 0));
    }

    #[test]
    fn entries_without_a_readable_intent_are_counted_and_block_nothing() {
        let place = place();
        let lost = put(&place, 1, "file:///srv/x.git", |_| {});
        put(&place, 2, "file:///srv/x.git", |_| {});
        let path = place
            .root
            .path()
            .join("tasks/p/t/delivery")
            .join(lost.key().intent_name());
        std::fs::remove_file(path).unwrap();
        std::fs::write(place.root.path().join("locks/outbox-due/junk"), "x").unwrap();
        let plan = Schedule::new()
            .look(&place.root, at(100), Instant::now())
            .unwrap();
        assert_eq!(plan.unusable, 2);
        assert_eq!(turns(&plan.jobs[0]), [2]);
    }
}
