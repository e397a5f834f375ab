//! The pin: one immutable ref for each delivery, so that its commit stays whatever happens to
//! branches, reflogs and loose objects. Create, or the same commit again.

use std::time::Duration;

use super::error::OutboxError;
use super::key::{DeliveryKey, PIN_PREFIX};
use super::mirror::{Mirror, RefStorage};
use super::names::{Task, Turn};
use crate::delivery::{ObjectFormat, ObjectId};
use crate::durable::{Dir, DiskError};
use crate::process::End;

/// How often a ref is tried again that another Git holds locked.
const TRIES: u32 = 40;
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(25);
/// The ceiling of reftable's list of tables, in bytes.
const TABLES_BYTES: u64 = 64 * 1024;

/// A pin as it stands in a mirror.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pin {
    /// Its task.
    pub task: Task,
    /// Its turn.
    pub turn: Turn,
    /// The commit.
    pub oid: ObjectId,
}

impl Pin {
    /// Its ref.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{PIN_PREFIX}{}/{}", self.task, self.turn)
    }
}

/// What a removal of a pin found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unpinned {
    /// It was taken away.
    Removed,
    /// It was not there.
    Absent,
}

impl Mirror {
    /// Where the pin stands; `None` when there is none. Works with loose and packed refs and with
    /// reftable, and says what the ref holds even when its object is gone.
    ///
    /// # Errors
    /// Git's.
    pub fn pinned(&self, key: &DeliveryKey) -> Result<Option<ObjectId>, OutboxError> {
        // Asked twice before it is taken for missing: a ref that is being packed is in one of two
        // places, and a reader may look into each at the wrong moment.
        match self.ask_pin(key)? {
            Some(oid) => Ok(Some(oid)),
            None => self.ask_pin(key),
        }
    }

    fn ask_pin(&self, key: &DeliveryKey) -> Result<Option<ObjectId>, OutboxError> {
        let name = key.pin_ref();
        let arguments = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &name,
        ];
        let finished = self.git().finish(&arguments, b"")?;
        match finished.end {
            End::Exited(0) => ObjectId::new(finished.stdout.text().trim())
                .map(Some)
                .map_err(|_| self.unexpected("rev-parse")),
            End::Exited(1) => Ok(None),
            _ => Err(self.git().failure("rev-parse".into(), &finished).into()),
        }
    }

    /// Pins a commit: the ref is created, or names that commit already; then it is durable.
    ///
    /// # Errors
    /// `DELIVERY_REF_CONFLICT` when it names another commit, `NOT_FOUND` when the commit is gone,
    /// Git's, or the system's.
    pub fn pin(&self, key: &DeliveryKey, oid: &ObjectId) -> Result<(), OutboxError> {
        let name = key.pin_ref();
        let none = no_object(self.format());
        let mut tries = 0_u32;
        loop {
            let arguments = ["update-ref", "--no-deref", &name, oid.as_str(), none];
            let Err(error) = self.git().output(&arguments) else {
                break;
            };
            match self.pinned(key)? {
                Some(present) if present == *oid => break,
                Some(present) => {
                    return Err(OutboxError::PinConflict {
                        key: Box::new(key.clone()),
                        pinned: present,
                        asked: oid.clone(),
                    });
                }
                None => self.check_commit(oid)?,
            }
            tries = tries.saturating_add(1);
            if tries >= TRIES {
                return Err(error.into());
            }
            std::thread::sleep(PAUSE);
        }
        self.sync_pin(key)
    }

    /// Takes a pin away if it names `oid`, durably.
    ///
    /// # Errors
    /// `DELIVERY_REF_CONFLICT` when it names another commit, Git's, or the system's.
    pub fn unpin(&self, key: &DeliveryKey, oid: &ObjectId) -> Result<Unpinned, OutboxError> {
        let name = key.pin_ref();
        let mut tries = 0_u32;
        loop {
            match self.pinned(key)? {
                None => return Ok(Unpinned::Absent),
                Some(present) if present != *oid => {
                    return Err(OutboxError::PinConflict {
                        key: Box::new(key.clone()),
                        pinned: present,
                        asked: oid.clone(),
                    });
                }
                Some(_) => {}
            }
            match self
                .git()
                .output(&["update-ref", "--no-deref", "-d", &name, oid.as_str()])
            {
                Ok(_) => break,
                Err(error) => {
                    tries = tries.saturating_add(1);
                    if tries >= TRIES {
                        return Err(error.into());
                    }
                    std::thread::sleep(PAUSE);
                }
            }
        }
        self.sync_pin(key).map(|()| Unpinned::Removed)
    }

    /// All pins of the mirror, or of one task. A walk: for recovery, `gc` and `doctor` only.
    ///
    /// # Errors
    /// Git's.
    pub fn pins(&self, only: Option<&Task>) -> Result<Vec<Pin>, OutboxError> {
        let pattern = match only {
            Some(task) => format!("{PIN_PREFIX}{task}/"),
            None => PIN_PREFIX.to_owned(),
        };
        let output = self
            .git()
            .clone()
            .stdout_bytes(256 * 1024 * 1024)
            .output(&[
                "for-each-ref",
                "--format=%(objectname) %(refname)",
                &pattern,
            ])?;
        let text = String::from_utf8_lossy(&output);
        Ok(text.lines().filter_map(pin_of).collect())
    }

    /// Makes the ref's present place durable. Git syncs the file that it writes, not the
    /// directories that name it.
    fn sync_pin(&self, key: &DeliveryKey) -> Result<(), OutboxError> {
        match self.ref_storage() {
            RefStorage::Files => self.sync_files_pin(key),
            RefStorage::Reftable => self.sync_reftable(),
        }
    }

    fn sync_files_pin(&self, key: &DeliveryKey) -> Result<(), OutboxError> {
        let mut chain = Vec::with_capacity(4);
        let mut dir = self.dir().open_dir("refs")?;
        for name in ["mac-worker", "delivery", key.task.as_str()] {
            // A `pack-refs` may take a directory that it emptied.
            match dir.open_dir(name) {
                Ok(inner) => chain.push(std::mem::replace(&mut dir, inner)),
                Err(DiskError::Missing { .. }) => break,
                Err(error) => return Err(error.into()),
            }
        }
        chain.push(dir);
        if let Some(inner) = chain.last() {
            inner.sync_file(key.turn.as_str())?;
        }
        for dir in chain.iter().rev() {
            dir.sync()?;
        }
        self.dir().sync_file("packed-refs")?;
        Ok(self.dir().sync()?)
    }

    fn sync_reftable(&self) -> Result<(), OutboxError> {
        let dir = self.dir().open_dir("reftable")?;
        if let Some(list) = dir.read("tables.list", TABLES_BYTES)? {
            for table in String::from_utf8_lossy(&list).lines() {
                if !table.contains('/') {
                    dir.sync_file(table)?;
                }
            }
        }
        dir.sync_file("tables.list")?;
        Ok(sync_both(&dir, self.dir())?)
    }

    fn unexpected(&self, what: &'static str) -> OutboxError {
        OutboxError::Unexpected {
            path: self.path().to_owned(),
            what,
        }
    }
}

fn sync_both(inner: &Dir, outer: &Dir) -> Result<(), DiskError> {
    inner.sync()?;
    outer.sync()
}

fn pin_of(line: &str) -> Option<Pin> {
    let (oid, name) = line.split_once(' ')?;
    let (task, turn) = name.strip_prefix(PIN_PREFIX)?.split_once('/')?;
    Some(Pin {
        task: Task::new(task).ok()?,
        turn: Turn::new(turn).ok()?,
        oid: ObjectId::new(oid).ok()?,
    })
}

/// The id that stands for "no such ref yet".
const fn no_object(format: ObjectFormat) -> &'static str {
    match format {
        ObjectFormat::Sha1 => "0000000000000000000000000000000000000000",
        ObjectFormat::Sha256 => "0000000000000000000000000000000000000000000000000000000000000000",
    }
}
