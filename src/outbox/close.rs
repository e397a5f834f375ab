//! `close`: a task ends. Its deliveries go on; only a discard takes their records away, and only
//! when nothing is lost by it.

use super::ended::EndedPin;
use super::error::OutboxError;
use super::intent::{Intent, IntentFile};
use super::inventory::Inventory;
use super::key::DeliveryKey;
use super::mirror::Mirror;
use super::names::Task;
use super::root::{HostRoot, IntentLock};
use super::status::StatusReport;
use crate::clock::Clock;
use crate::delivery::ObjectId;
use crate::process::Cancel;

/// What becomes of a closed task's deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// Pins and intents stay, and pending ones are pushed.
    Keep,
    /// Everything of the task is removed.
    Discard,
}

impl HostRoot {
    /// How a task's deliveries stand when it is closed; a discard removes them afterwards.
    ///
    /// # Errors
    /// As [`HostRoot::discard`].
    pub fn close(
        &self,
        task: &Task,
        closing: Closing,
        clock: &dyn Clock,
        cancel: &Cancel,
    ) -> Result<StatusReport, OutboxError> {
        let report = self.status(Some(task), false, clock)?;
        if closing == Closing::Discard {
            self.discard(task, cancel)?;
        }
        Ok(report)
    }

    /// Checks that a task may be discarded and, if so, removes its pins, due entries, intents and
    /// locks, in this order, so that a discard that was stopped is finished by the next one.
    ///
    /// # Errors
    /// `TASK_BUSY` while a delivery is pending, retrying or unreadable, or a pin has no intent;
    /// `BUSY`, Git's, or the system's.
    pub fn discard(&self, task: &Task, cancel: &Cancel) -> Result<(), OutboxError> {
        let all = self.inventory(Some(task))?;
        self.check_discard(task, &all, cancel)?;
        for intent in &all.intents {
            self.discard_intent(intent, cancel)?;
        }
        for ended in &all.ended {
            self.discard_ended(ended, cancel)?;
        }
        Ok(())
    }

    fn check_discard(
        &self,
        task: &Task,
        all: &Inventory,
        cancel: &Cancel,
    ) -> Result<(), OutboxError> {
        let busy = |turn: &str, why: &str| OutboxError::TaskBusy {
            task: task.clone(),
            why: format!("turn {turn} {why}"),
        };
        let unreadable = all.unreadable.iter().chain(&all.unreadable_ended).next();
        if let Some((key, _)) = unreadable {
            return Err(busy(
                key.turn.as_str(),
                "is unreadable (DELIVERY_UNREADABLE)",
            ));
        }
        if let Some(open) = all
            .intents
            .iter()
            .find(|intent| intent.state.retains_objects())
        {
            return Err(busy(
                open.turn_id.as_str(),
                &format!("is {}", open.state.name()),
            ));
        }
        for (path, mirror) in all.open_mirrors(self, cancel)? {
            let mirror = match mirror {
                Ok(mirror) => mirror,
                Err(OutboxError::NoMirror { .. }) => continue,
                Err(error) => return Err(error),
            };
            if let Some(orphan) = all.orphans(self, &mirror, Some(task))?.first() {
                let why = format!("has a pin in {} without an intent", path.display());
                return Err(busy(orphan.pin.turn.as_str(), &why));
            }
        }
        Ok(())
    }

    fn discard_intent(&self, seen: &Intent, cancel: &Cancel) -> Result<(), OutboxError> {
        let key = seen.key();
        let held = self.lock_intent(&key)?;
        match self.read_intent(&key)? {
            IntentFile::Absent => Ok(()),
            IntentFile::Good(intent) if intent == Box::new(seen.clone()) => {
                let mirror = Mirror::of_intent(self, &intent, cancel);
                unpin(mirror, &key, &intent.oid)?;
                self.forget(&held, &key)
            }
            IntentFile::Good(_) | IntentFile::Unreadable(_) => Err(OutboxError::TaskBusy {
                task: key.task,
                why: format!("turn {} changed meanwhile", key.turn),
            }),
        }
    }

    fn discard_ended(&self, ended: &EndedPin, cancel: &Cancel) -> Result<(), OutboxError> {
        let key = ended.key();
        let held = self.lock_intent(&key)?;
        if matches!(self.read_intent(&key)?, IntentFile::Absent) {
            unpin(
                Mirror::at(&self.mirror_of_ended(ended), cancel),
                &key,
                &ended.oid,
            )?;
            self.forget(&held, &key)?;
        }
        Ok(())
    }

    /// Removes everything of a delivery whose pin is gone: due entry, intent, note, and the lock
    /// file while it is held, so that whoever waits for it takes a new one.
    pub(super) fn forget(&self, held: &IntentLock, key: &DeliveryKey) -> Result<(), OutboxError> {
        self.due_registry()?.remove(held, key)?;
        self.remove_intent(held, key)?;
        self.remove_ended(held, key)?;
        self.remove_lock_file(held, key)
    }
}

/// Takes a pin away. A mirror that is gone took its pins with it.
pub(super) fn unpin(
    mirror: Result<Mirror, OutboxError>,
    key: &DeliveryKey,
    oid: &ObjectId,
) -> Result<(), OutboxError> {
    match mirror {
        Ok(mirror) => mirror.unpin(key, oid).map(drop),
        Err(OutboxError::NoMirror { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
