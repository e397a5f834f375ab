//! `status`: what is pending, since when, why, and what happens next; how the origins do; who
//! watches. Reads only, without locks.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::backoff::wait_left_millis;
use super::error::OutboxError;
use super::intent::{Intent, LastError, MAX_ATTEMPTS, State};
use super::key::DeliveryKey;
use super::names::{Project, Task, Turn};
use super::origin_delivery::OriginDelivery;
use super::record::RecordError;
use super::root::HostRoot;
use super::worker::ProcessIdentity;
use crate::clock::{Clock, UnixMillis};
use crate::code::Code;

/// One of `deliveries`: the DTO, or the same members for an intent that cannot be read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Shown {
    /// A good intent.
    Good(OriginDelivery),
    /// One that cannot be read: what is not known is null.
    Unreadable {
        /// The turn.
        turn_id: Turn,
        /// `unreadable`.
        state: &'static str,
        /// Not known.
        oid: Option<()>,
        /// Not known.
        origin: Option<()>,
        /// Not known.
        target: Option<()>,
        /// Not known.
        attempt: Option<()>,
        /// Not known.
        next_attempt_at_millis: Option<()>,
        /// `DELIVERY_UNREADABLE`.
        last_error: LastError,
        /// Not known.
        superseded_by: Option<()>,
        /// Not known.
        created_at_millis: Option<()>,
        /// Not known.
        updated_at_millis: Option<()>,
    },
}

/// What a person wants to know of the delivery at the same place in `deliveries`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Detail {
    /// The project.
    pub project_id: Project,
    /// The task.
    pub task_id: Task,
    /// The turn.
    pub turn_id: Turn,
    /// How long it has been waiting, while it waits.
    pub age_millis: Option<i64>,
    /// What happens next, in words.
    pub next: String,
    /// The origin's last words, redacted; only when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
}

/// How an origin does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// The last thing known of it is a delivery.
    Ok,
    /// The last thing known of it is a failed push.
    Failing,
    /// Nothing was pushed to it yet.
    Unknown,
}

/// One origin with its deliveries counted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OriginHealth {
    /// The address without its user part.
    pub origin: String,
    /// How it does.
    pub health: Health,
    /// How many wait for their first push.
    pub pending: u64,
    /// How many are pushed again.
    pub retrying: u64,
    /// How many were given up.
    pub failed: u64,
    /// How many it has.
    pub delivered: u64,
    /// When it last took one.
    pub last_delivered_at_millis: Option<UnixMillis>,
    /// Why the last push failed, while it fails.
    pub last_error: Option<LastError>,
    /// The age of its oldest delivery that is not made.
    pub oldest_age_millis: Option<i64>,
}

/// Who watches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Watcher {
    /// A live one.
    Running {
        /// Its identity.
        identity: ProcessIdentity,
    },
    /// One that was published and is gone.
    Dead {
        /// Its identity.
        identity: ProcessIdentity,
    },
    /// None was published.
    None,
    /// The published identity cannot be read.
    Unreadable,
}

/// The whole answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StatusReport {
    /// The one enqueued last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Shown>,
    /// All, oldest first; those that cannot be read last.
    pub deliveries: Vec<Shown>,
    /// For each of `deliveries`, what a person wants to know.
    pub details: Vec<Detail>,
    /// The origins.
    pub origins: Vec<OriginHealth>,
    /// The age of the oldest delivery that is not made.
    pub oldest_age_millis: Option<i64>,
    /// Who watches.
    pub watcher: Watcher,
    /// Whether a watcher is wanted after a reboot.
    pub enabled: bool,
}

impl HostRoot {
    /// How everything, or one task, stands.
    ///
    /// # Errors
    /// `CLOCK`, or a root that cannot be read.
    pub fn status(
        &self,
        task: Option<&Task>,
        with_stderr: bool,
        clock: &dyn Clock,
    ) -> Result<StatusReport, OutboxError> {
        let now = clock.now()?;
        let all = self.inventory(task)?;
        let watcher = self.watcher();
        let note = |key: &DeliveryKey| with_stderr.then(|| self.read_note(key)).flatten();
        let mut deliveries = Vec::new();
        let mut details = Vec::new();
        for intent in &all.intents {
            deliveries.push(Shown::Good(intent.into()));
            let stderr = note(&intent.key());
            details.push(detail(intent, now, &watcher, stderr));
        }
        let latest = deliveries.last().cloned();
        for (key, error) in &all.unreadable {
            deliveries.push(unreadable(key));
            details.push(unreadable_detail(key, error, note(key)));
        }
        let open = all
            .intents
            .iter()
            .filter(|intent| intent.state.retains_objects());
        Ok(StatusReport {
            delivery: latest.or_else(|| deliveries.last().cloned()),
            deliveries,
            details,
            origins: origins(&all.intents, now),
            oldest_age_millis: open.map(|intent| age(intent, now)).max(),
            watcher,
            // A marker that cannot be read marks nothing; `doctor` is for that.
            enabled: self.is_enabled().unwrap_or(false),
        })
    }

    /// Who watches, by the published identity.
    #[must_use]
    pub fn watcher(&self) -> Watcher {
        match self.read_worker() {
            Ok(None) => Watcher::None,
            Ok(Some(worker)) if worker.watch && worker.identity.is_alive() => Watcher::Running {
                identity: worker.identity,
            },
            Ok(Some(worker)) => Watcher::Dead {
                identity: worker.identity,
            },
            Err(_) => Watcher::Unreadable,
        }
    }
}

fn age(intent: &Intent, now: UnixMillis) -> i64 {
    now.since(intent.created_at_millis).max(0)
}

fn detail(intent: &Intent, now: UnixMillis, watcher: &Watcher, stderr: Option<String>) -> Detail {
    let open = intent.state.retains_objects();
    Detail {
        project_id: intent.project_id.clone(),
        task_id: intent.task_id.clone(),
        turn_id: intent.turn_id.clone(),
        age_millis: open.then(|| age(intent, now)),
        next: next(intent, now, watcher),
        stderr,
    }
}

fn next(intent: &Intent, now: UnixMillis, watcher: &Watcher) -> String {
    match (intent.state, &intent.superseded_by) {
        (State::Delivered, None) => "nothing: it is delivered".into(),
        (State::Delivered, Some(by)) => format!("nothing: the origin has {by}, which contains it"),
        (State::Failed, _) => format!(
            "nothing until `amiss outbox retry --task {} --turn {}`",
            intent.task_id, intent.turn_id
        ),
        (State::Pending | State::Retrying, _) => {
            let number = intent.next_push();
            let when = match wait_left_millis(intent, now) {
                0 => "now".to_owned(),
                left => format!("in {}", span(left)),
            };
            let by = match watcher {
                Watcher::Running { .. } => "",
                _ => " once a pump runs; none does (`amiss outbox wake`)",
            };
            format!("push {number} of {MAX_ATTEMPTS} {when}{by}")
        }
    }
}

/// A time span as a person says it, in its two largest units.
#[must_use]
pub fn span(millis: i64) -> String {
    let seconds = millis.max(0).saturating_add(999) / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, _, _) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

fn unreadable(key: &DeliveryKey) -> Shown {
    Shown::Unreadable {
        turn_id: key.turn.clone(),
        state: "unreadable",
        oid: None,
        origin: None,
        target: None,
        attempt: None,
        next_attempt_at_millis: None,
        last_error: Code::DeliveryUnreadable.into(),
        superseded_by: None,
        created_at_millis: None,
        updated_at_millis: None,
    }
}

fn unreadable_detail(key: &DeliveryKey, error: &RecordError, stderr: Option<String>) -> Detail {
    Detail {
        project_id: key.project.clone(),
        task_id: key.task.clone(),
        turn_id: key.turn.clone(),
        age_millis: None,
        next: format!("nothing until its file is mended: {error}"),
        stderr,
    }
}

/// The origins with their counts, and what the newest result of each says.
fn origins(intents: &[Intent], now: UnixMillis) -> Vec<OriginHealth> {
    let mut by_origin: BTreeMap<&str, (OriginHealth, Option<UnixMillis>)> = BTreeMap::new();
    for intent in intents {
        let (health, newest) = by_origin.entry(intent.origin.as_str()).or_insert_with(|| {
            let empty = OriginHealth {
                origin: intent.origin.without_user(),
                health: Health::Unknown,
                pending: 0,
                retrying: 0,
                failed: 0,
                delivered: 0,
                last_delivered_at_millis: None,
                last_error: None,
                oldest_age_millis: None,
            };
            (empty, None)
        });
        count(health, intent, now);
        let told = intent.state == State::Delivered || intent.last_error.is_some();
        if told && newest.is_none_or(|newest| newest <= intent.updated_at_millis) {
            *newest = Some(intent.updated_at_millis);
            health.last_error.clone_from(&intent.last_error);
            health.health = match intent.state {
                State::Delivered => Health::Ok,
                _ => Health::Failing,
            };
        }
    }
    by_origin.into_values().map(|(health, _)| health).collect()
}

fn count(health: &mut OriginHealth, intent: &Intent, now: UnixMillis) {
    let slot = match intent.state {
        State::Pending => &mut health.pending,
        State::Retrying => &mut health.retrying,
        State::Failed => &mut health.failed,
        State::Delivered => &mut health.delivered,
    };
    *slot = slot.saturating_add(1);
    if intent.state == State::Delivered {
        health.last_delivered_at_millis = health
            .last_delivered_at_millis
            .max(Some(intent.updated_at_millis));
    }
    if intent.state.retains_objects() {
        health.oldest_age_millis = health.oldest_age_millis.max(Some(age(intent, now)));
    }
}
