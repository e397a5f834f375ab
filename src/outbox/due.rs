//! The due registry: one small file for each delivery that a pump has work for, so that a pump
//! never walks the tasks (page 5.3).

use std::ffi::{OsStr, OsString};

use serde::{Deserialize, Serialize};

use super::backoff::MAX_BACKOFF_MILLIS;
use super::error::OutboxError;
use super::intent::Intent;
use super::key::{DeliveryKey, split_task_turn};
use super::names::{Project, Task, Turn};
use super::record::{Record, RecordError};
use super::root::{HostRoot, IntentLock};
use crate::clock::UnixMillis;
use crate::durable::{Dir, Kind, TEMPORARY_FILE, TEMPORARY_PREFIX, Temporary};

/// One entry of the registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DueEntry {
    /// The project.
    pub project_id: Project,
    /// The task.
    pub task_id: Task,
    /// The turn.
    pub turn_id: Turn,
    /// As in the intent.
    pub next_attempt_at_millis: UnixMillis,
}

impl Record for DueEntry {
    const WHAT: &'static str = "due entry";
}

impl DueEntry {
    /// The entry of an intent.
    #[must_use]
    pub fn of(intent: &Intent) -> DueEntry {
        DueEntry {
            project_id: intent.project_id.clone(),
            task_id: intent.task_id.clone(),
            turn_id: intent.turn_id.clone(),
            next_attempt_at_millis: intent.next_attempt_at_millis,
        }
    }

    /// Which delivery it is of.
    #[must_use]
    pub fn key(&self) -> DeliveryKey {
        DeliveryKey {
            project: self.project_id.clone(),
            task: self.task_id.clone(),
            turn: self.turn_id.clone(),
        }
    }

    /// Whether the intent is worth reading now. A wait longer than the longest backoff means that
    /// the clock went back; the intent says more.
    #[must_use]
    pub fn may_be_due(&self, now: UnixMillis) -> bool {
        let left = self.next_attempt_at_millis.since(now);
        left <= 0 || left > MAX_BACKOFF_MILLIS
    }
}

/// What a look into the registry found.
#[derive(Debug, Default)]
pub struct DueScan {
    /// Good entries, in no order.
    pub entries: Vec<DueEntry>,
    /// Files that are none, each with what is wrong: they block no other delivery.
    pub unreadable: Vec<(OsString, RecordError)>,
}

/// The held registry directory, `locks/outbox-due`.
#[derive(Debug)]
pub struct DueRegistry {
    dir: Dir,
}

impl DueRegistry {
    pub(super) const fn of(dir: Dir) -> DueRegistry {
        DueRegistry { dir }
    }

    /// The directory, for a file-system notification.
    #[must_use]
    pub const fn dir(&self) -> &Dir {
        &self.dir
    }

    /// All entries. Temporary folders of replacements under way are no entries.
    ///
    /// # Errors
    /// A directory that cannot be listed.
    pub fn scan(&self) -> Result<DueScan, OutboxError> {
        let mut scan = DueScan::default();
        self.dir.each_entry::<OutboxError>(|entry| {
            if entry.kind == Kind::Directory {
                return Ok(());
            }
            match self.read_named(&entry.name) {
                Ok(Some(due)) => scan.entries.push(due),
                Ok(None) => {}
                Err(error) => scan.unreadable.push((entry.name, error)),
            }
            Ok(())
        })?;
        Ok(scan)
    }

    /// The names of all files in it.
    ///
    /// # Errors
    /// A directory that cannot be listed.
    pub(super) fn names(&self) -> Result<Vec<OsString>, OutboxError> {
        let mut names = Vec::new();
        self.dir.each_entry::<OutboxError>(|entry| {
            if entry.kind != Kind::Directory {
                names.push(entry.name);
            }
            Ok(())
        })?;
        Ok(names)
    }

    /// Entries that are written and have not got their names, each with the folder that holds it:
    /// on their way, or left by a call that was killed.
    ///
    /// # Errors
    /// A directory that cannot be listed.
    pub(super) fn unnamed(&self) -> Result<Vec<(OsString, DueEntry)>, OutboxError> {
        let mut folders = Vec::new();
        self.dir.each_entry::<OutboxError>(|entry| {
            let temporary = entry.name.to_string_lossy().starts_with(TEMPORARY_PREFIX);
            if entry.kind == Kind::Directory && temporary {
                folders.push(entry.name);
            }
            Ok(())
        })?;
        let entry_in = |folder: OsString| {
            // One that is gone, or of which not all was written, is nobody's delivery yet.
            let entry = self.unnamed_in(&folder)?;
            Some((folder, entry))
        };
        Ok(folders.into_iter().filter_map(entry_in).collect())
    }

    fn unnamed_in(&self, folder: &OsStr) -> Option<DueEntry> {
        let held = self.dir.open_dir(folder).ok()?;
        DueEntry::read(&held, TEMPORARY_FILE).ok().flatten()
    }

    /// Removes such an entry if it is still there; whether it was.
    pub(super) fn remove_unnamed(
        &self,
        held: &IntentLock,
        folder: &OsStr,
        entry: &DueEntry,
    ) -> Result<bool, OutboxError> {
        held.check(&entry.key())?;
        if self.unnamed_in(folder).as_ref() != Some(entry) {
            return Ok(false);
        }
        self.dir.open_dir(folder)?.remove(TEMPORARY_FILE)?;
        Ok(self.dir.remove_dir(folder)?)
    }

    pub(super) fn read_named(&self, name: &OsStr) -> Result<Option<DueEntry>, RecordError> {
        let malformed = |reason: &str| RecordError::Malformed {
            what: DueEntry::WHAT,
            path: self.dir.path_of(name),
            reason: reason.to_owned(),
        };
        let text = name
            .to_str()
            .ok_or_else(|| malformed("its name is not UTF-8"))?;
        let (task, turn) = split_task_turn(text, ".json")
            .ok_or_else(|| malformed("its name is not <task>-<turn>.json"))?;
        match DueEntry::read(&self.dir, text)? {
            Some(entry) if entry.task_id != task || entry.turn_id != turn => {
                Err(malformed("it is of another task or turn than its name"))
            }
            other => Ok(other),
        }
    }

    pub(super) fn is_damaged(&self, name: &str) -> Result<bool, OutboxError> {
        match self.read_named(OsStr::new(name)) {
            Ok(_) => Ok(false),
            Err(RecordError::Malformed { .. }) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// The entry of a delivery, if there is a good one.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn read(&self, key: &DeliveryKey) -> Result<Option<DueEntry>, OutboxError> {
        Ok(DueEntry::read(&self.dir, &key.due_name())?)
    }

    /// Writes the entry of an intent, durably, unless it stands there already. A damaged entry is
    /// replaced. An entry of another project's delivery under the same task and turn is refused:
    /// it would be lost.
    ///
    /// # Errors
    /// `DELIVERY_REF_CONFLICT`, or the system's.
    pub fn write(&self, held: &IntentLock, intent: &Intent) -> Result<(), OutboxError> {
        self.prepare(held, intent)?.publish()
    }

    /// Writes the entry of an intent down without its name, before the intent itself is written. A
    /// call that is killed between the two leaves it there, and `HostRoot::take_up_stopped` finds
    /// by it what would be found by nothing else; and both files' bytes reach the disk together.
    ///
    /// # Errors
    /// As [`DueRegistry::write`].
    pub fn prepare(
        &self,
        held: &IntentLock,
        intent: &Intent,
    ) -> Result<PreparedDue<'_>, OutboxError> {
        let key = intent.key();
        held.check(&key)?;
        let entry = DueEntry::of(intent);
        let mut prepared = PreparedDue {
            registry: self,
            name: key.due_name(),
            temporary: None,
        };
        match DueEntry::read(&self.dir, &prepared.name) {
            Ok(Some(present)) if present == entry => return Ok(prepared),
            Ok(Some(other)) if other.project_id != key.project => {
                return Err(OutboxError::OtherProject {
                    key: Box::new(key),
                    other: other.project_id,
                });
            }
            Ok(_) | Err(RecordError::Malformed { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let bytes = entry.encode().map_err(|reason| RecordError::Malformed {
            what: DueEntry::WHAT,
            path: self.dir.path_of(&prepared.name),
            reason,
        })?;
        let mut temporary = self.dir.temporary()?;
        temporary.append(&bytes)?;
        temporary.begin_writing();
        prepared.temporary = Some(temporary);
        Ok(prepared)
    }

    /// Takes a delivery's entry away, durably; one of another project stays. Whether it was there.
    ///
    /// # Errors
    /// The system's.
    pub fn remove(&self, held: &IntentLock, key: &DeliveryKey) -> Result<bool, OutboxError> {
        held.check(key)?;
        let name = key.due_name();
        if let Ok(Some(entry)) = DueEntry::read(&self.dir, &name)
            && entry.project_id != key.project
        {
            return Ok(false);
        }
        let was = self.dir.remove(&name)?;
        self.dir.sync()?;
        Ok(was)
    }
}

/// An entry that is written and has not got its name; dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct PreparedDue<'r> {
    registry: &'r DueRegistry,
    name: String,
    /// `None` when the entry stands there already.
    temporary: Option<Temporary<'r>>,
}

impl PreparedDue<'_> {
    /// Gives it its name, durably.
    ///
    /// # Errors
    /// The system's.
    pub fn publish(self) -> Result<(), OutboxError> {
        let Some(mut temporary) = self.temporary else {
            return Ok(self.registry.dir.sync()?);
        };
        temporary.sync()?;
        temporary.publish(&self.name)?;
        Ok(self.registry.dir.sync_after(&self.name)?)
    }
}

impl HostRoot {
    /// Brings the registry in line with an intent: an entry while it is pending or retrying, none
    /// afterwards.
    ///
    /// # Errors
    /// As [`DueRegistry::write`].
    pub fn settle_due(&self, held: &IntentLock, intent: &Intent) -> Result<(), OutboxError> {
        let registry = self.due_registry()?;
        if intent.state.retains_objects() {
            registry.write(held, intent)
        } else {
            registry.remove(held, &intent.key()).map(drop)
        }
    }
}
