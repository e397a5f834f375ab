//! A target (origin and branch) and its ledger: what was last delivered there. The ledger spares
//! a push; it never overrules the origin (page 5.2, point 2).

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::error::OutboxError;
use super::intent::Intent;
use super::names::{Branch, Task, Turn};
use super::origin::Origin;
use super::record::{Record, RecordError};
use super::root::{HostRoot, TargetLock};
use crate::clock::UnixMillis;
use crate::delivery::ObjectId;

/// A branch of an origin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The origin.
    pub origin: Origin,
    /// The branch, by its short name.
    pub branch: Branch,
}

impl Target {
    /// SHA-256(origin NUL branch) in hex: what its files are called after.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.origin.as_str());
        hash.update([0]);
        hash.update(self.branch.as_str());
        hash.finalize()
            .iter()
            .fold(String::with_capacity(64), |mut text, byte| {
                use std::fmt::Write;
                let _ = write!(text, "{byte:02x}");
                text
            })
    }

    /// The ledger's file, in `locks`.
    #[must_use]
    pub fn ledger_name(&self) -> String {
        format!("outbox-target-{}.json", self.digest())
    }

    /// The ledger's lock, in `locks`.
    #[must_use]
    pub fn lock_name(&self) -> String {
        format!("outbox-target-{}.lock", self.digest())
    }
}

/// What was last delivered to a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetLedger {
    /// The origin.
    pub origin: Origin,
    /// The branch, by its short name.
    pub branch: Branch,
    /// How often it changed, from 1.
    pub generation: u64,
    /// The commit delivered last.
    pub last_oid: ObjectId,
    /// Its task.
    pub last_task_id: Task,
    /// Its turn.
    pub last_turn_id: Turn,
    /// When; the same time as in the intent of that delivery.
    pub updated_at_millis: UnixMillis,
}

impl Record for TargetLedger {
    const WHAT: &'static str = "target ledger";
}

impl TargetLedger {
    /// The target that it is of.
    #[must_use]
    pub fn target(&self) -> Target {
        Target {
            origin: self.origin.clone(),
            branch: self.branch.clone(),
        }
    }

    /// The ledger that follows from a delivered intent, or `None` when the ledger already says it,
    /// is newer, or the result proves nothing about the target's tip (not delivered, or superseded).
    /// This is the whole of "recovery finishes the ledger from the result".
    #[must_use]
    pub fn after(ledger: Option<&TargetLedger>, result: &Intent) -> Option<TargetLedger> {
        if !result.proves_tip() {
            return None;
        }
        if let Some(old) = ledger {
            let said = old.last_oid == result.oid && old.last_turn_id == result.turn_id;
            if said || old.updated_at_millis >= result.updated_at_millis {
                return None;
            }
        }
        Some(TargetLedger {
            origin: result.origin.clone(),
            branch: result.branch.clone(),
            generation: ledger.map_or(1, |old| old.generation.saturating_add(1)),
            last_oid: result.oid.clone(),
            last_task_id: result.task_id.clone(),
            last_turn_id: result.turn_id.clone(),
            updated_at_millis: result.updated_at_millis,
        })
    }
}

impl HostRoot {
    /// The target's ledger as it stands. One that cannot be read, or is of another target, is as
    /// good as none for the rules (it only spares a push), but is told apart here.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn read_ledger(&self, target: &Target) -> Result<Option<TargetLedger>, OutboxError> {
        let Some(locks) = self.find_locks()? else {
            return Ok(None);
        };
        let name = target.ledger_name();
        let ledger = TargetLedger::read(&locks, &name)?;
        match ledger {
            Some(other) if other.target() != *target => Err(RecordError::Malformed {
                what: TargetLedger::WHAT,
                path: locks.path_of(name),
                reason: "it is of another origin or branch".into(),
            }
            .into()),
            ledger => Ok(ledger),
        }
    }

    /// Writes a target's ledger; the lock is the proof that nobody else does.
    ///
    /// # Errors
    /// The system's.
    pub fn write_ledger(
        &self,
        _held: &TargetLock,
        ledger: &TargetLedger,
    ) -> Result<(), OutboxError> {
        let locks = self.make_locks()?;
        Ok(ledger.write(&locks, &ledger.target().ledger_name())?)
    }

    /// Writes down in the target's ledger what a delivered intent says, unless it is there or newer:
    /// the second half of a delivery, and what recovery does after a crash between the two. Takes
    /// the target lock; the intent's may be held. A damaged ledger is replaced, since the result
    /// knows better. Whether something was written.
    ///
    /// # Errors
    /// A lock that is not had in time, or the system's.
    pub fn finish_ledger(&self, result: &Intent) -> Result<bool, OutboxError> {
        if !result.proves_tip() {
            return Ok(false);
        }
        let target = result.target();
        let held = self.lock_target(&target)?;
        let present = match self.read_ledger(&target) {
            Err(OutboxError::Record(RecordError::Malformed { .. })) => None,
            other => other?,
        };
        match TargetLedger::after(present.as_ref(), result) {
            Some(next) => self.write_ledger(&held, &next).map(|()| true),
            None => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbox::intent::State;
    use crate::outbox::intent::tests::intent;

    #[test]
    fn a_targets_files_are_named_after_origin_nul_branch() {
        // printf 'file:///srv/o.git\0main' | sha256sum
        assert_eq!(
            intent().target().digest(),
            "39bbd5f3d9d3999ad6348470b5bd603f463fb80989c799e49fa7ef8de25fd4f4"
        );
    }

    fn delivered(at: i64) -> Intent {
        let mut intent = intent();
        intent.state = State::Delivered;
        intent.updated_at_millis = UnixMillis::new(at).unwrap();
        intent
    }

    #[test]
    fn a_ledger_is_finished_from_the_result_once_and_never_rewound() {
        assert!(TargetLedger::after(None, &intent()).is_none());
        let first = TargetLedger::after(None, &delivered(10)).unwrap();
        assert_eq!(first.generation, 1);
        assert!(TargetLedger::after(Some(&first), &delivered(10)).is_none());
        let mut older = delivered(9);
        older.oid = ObjectId::new("b".repeat(40)).unwrap();
        older.turn_id = Turn::new("f".repeat(32)).unwrap();
        assert!(TargetLedger::after(Some(&first), &older).is_none());
        older.updated_at_millis = UnixMillis::new(11).unwrap();
        assert_eq!(
            TargetLedger::after(Some(&first), &older)
                .unwrap()
                .generation,
            2
        );
        older.superseded_by = Some(ObjectId::new("c".repeat(40)).unwrap());
        assert!(TargetLedger::after(Some(&first), &older).is_none());
    }
}
