//! An opened root: its directory handle, what the caller expects of it, and its two small frames.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::capacity::Capacity;
use super::error::LedgerError;
use super::frame::{self, Framed};
use super::metadata::{Limits, Metadata, Schema};
use super::names;
use super::row::Row;
use crate::delivery::{DeliveryKey, ReplayWindow};
use crate::durable::{Dir, DiskError, LockWait, Stamp, Temporary, Trace};

/// How a caller uses a root.
#[derive(Clone)]
pub struct Options {
    /// How long each lock is waited for.
    pub lock_timeout: Duration,
    /// How far beyond the high water a clock may read, in milliseconds.
    pub max_clock_step_millis: i64,
    /// Limits that the root must have; `None` where the caller does not care.
    pub expect: Expected,
    /// Told once, 2 s into a wait, which lock is waited for.
    pub on_long_wait: Arc<dyn Fn(&Path) + Send + Sync>,
    /// Told now and then during a scan how many entries were looked at.
    pub on_progress: Arc<dyn Fn(u64) + Send + Sync>,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Options")
            .field("lock_timeout", &self.lock_timeout)
            .field("max_clock_step_millis", &self.max_clock_step_millis)
            .field("expect", &self.expect)
            .finish_non_exhaustive()
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            lock_timeout: Duration::from_secs(60),
            max_clock_step_millis: 30 * 24 * 60 * 60 * 1000,
            expect: Expected::default(),
            on_long_wait: Arc::new(|_| {}),
            on_progress: Arc::new(|_| {}),
        }
    }
}

/// Limits that a command was told to expect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// The lease.
    pub lease_millis: Option<i64>,
    /// The cap.
    pub max_records: Option<u64>,
    /// The signed age.
    pub max_signed_age_millis: Option<i64>,
    /// The queue age.
    pub max_queue_age_millis: Option<i64>,
}

impl Expected {
    /// These limits where given, the root's own elsewhere.
    fn over(&self, root: &Limits) -> Limits {
        Limits {
            lease_millis: self.lease_millis.unwrap_or(root.lease_millis),
            max_records: self.max_records.unwrap_or(root.max_records),
            max_signed_age_millis: self
                .max_signed_age_millis
                .unwrap_or(root.max_signed_age_millis),
            max_queue_age_millis: self
                .max_queue_age_millis
                .unwrap_or(root.max_queue_age_millis),
        }
    }
}

/// A root, held by its directory handle. Nothing in it is locked.
#[derive(Debug)]
pub struct Root {
    pub(super) dir: Dir,
    pub(super) options: Options,
}

impl Root {
    /// Opens the folder: it must be a real private local directory of the caller's (page 1.5).
    /// Reads nothing in it.
    ///
    /// # Errors
    /// `NOT_FOUND`, `ROOT_UNSAFE`, or the system's.
    pub fn open(path: &Path, options: Options) -> Result<Root, LedgerError> {
        let dir = Dir::open(path).map_err(|error| match error {
            DiskError::Missing { path } => LedgerError::NoRoot(path),
            error @ (DiskError::Link { .. } | DiskError::Kind { .. }) => {
                LedgerError::Unsafe(error.to_string())
            }
            other => other.into(),
        })?;
        dir.check_private()?;
        dir.check_local()?;
        Ok(Root { dir, options })
    }

    /// Writes every step on the disk down.
    #[must_use]
    pub fn traced(self, trace: Trace) -> Root {
        Root {
            dir: self.dir.traced(trace),
            options: self.options,
        }
    }

    /// For operations, of which a process may do many: keeps the folders of temporary files and the
    /// handles of locks until it is closed, and frees replaced files beside the next sync.
    pub(super) fn for_operations(self) -> Root {
        let dir = self.dir.keeping_folders().keeping_locks();
        Root {
            dir: dir.releasing_beside(),
            options: self.options,
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Where a row's report is.
    #[must_use]
    pub fn report_path(&self, key: &DeliveryKey) -> PathBuf {
        self.dir.path_of(names::report(key))
    }

    pub(super) fn wait(&self) -> LockWait<'_> {
        LockWait {
            limit: self.options.lock_timeout,
            on_long_wait: &*self.options.on_long_wait,
        }
    }

    pub(super) fn read_frame<T: Framed>(&self, name: &str) -> Result<Option<T>, LedgerError> {
        let Some(bytes) = self.dir.read(name, T::FORM.ceiling)? else {
            return Ok(None);
        };
        frame::decode(&bytes)
            .map(Some)
            .map_err(|error| self.corrupt(name, error))
    }

    /// A new frame on its way to its name, written and not yet synced.
    pub(super) fn write_frame<T: Framed>(
        &self,
        name: &str,
        value: &T,
    ) -> Result<Temporary<'_>, LedgerError> {
        let bytes = frame::encode(value).map_err(|error| LedgerError::Form {
            path: self.dir.path_of(name),
            reason: error.to_string(),
        })?;
        let mut temporary = self.dir.temporary()?;
        temporary.append(&bytes)?;
        Ok(temporary)
    }

    /// Replaces a frame durably.
    pub(super) fn save_frame<T: Framed>(&self, name: &str, value: &T) -> Result<(), LedgerError> {
        let mut temporary = self.write_frame(name, value)?;
        temporary.sync()?;
        temporary.publish(name)?;
        self.dir.sync_after(name)?;
        Ok(())
    }

    /// The metadata of a prepared root.
    pub(super) fn metadata(&self) -> Result<Metadata, LedgerError> {
        let not_prepared = |reason| LedgerError::NotPrepared {
            root: self.path().to_owned(),
            reason,
        };
        let metadata: Metadata = match self.read_frame(names::ROOT)? {
            Some(metadata) => metadata,
            None if self.count_rows().is_ok_and(|rows| rows > 0) => {
                return Err(LedgerError::FrameGone(self.path().to_owned()));
            }
            None => return Err(not_prepared("it has no .amiss-root.state")),
        };
        if metadata.schema == Schema::Legacy {
            return Err(not_prepared(
                "its metadata is that of v0.9, or of an interrupted init",
            ));
        }
        let limits = metadata.limits();
        self.compare(&limits, &self.expected(&limits))?;
        Ok(metadata)
    }

    /// What the caller expects of a root with these limits.
    pub(super) fn expected(&self, root: &Limits) -> Limits {
        self.options.expect.over(root)
    }

    /// The window that every delivery of this root must have: ingress reads it here, so that a
    /// route cannot drift from the record.
    ///
    /// # Errors
    /// `ROOT_NOT_PREPARED`, `ROOT_CORRUPT`, or the system's.
    pub fn replay_window(&self) -> Result<ReplayWindow, LedgerError> {
        let limits = self.metadata()?.limits();
        Ok(ReplayWindow {
            max_signed_age_millis: limits.max_signed_age_millis,
            max_queue_age_millis: limits.max_queue_age_millis,
        })
    }

    /// Refuses limits that are not the root's.
    pub(super) fn compare(&self, root: &Limits, given: &Limits) -> Result<(), LedgerError> {
        let differences = root.differences(given);
        if differences.is_empty() {
            return Ok(());
        }
        let list: Vec<String> = differences
            .into_iter()
            .map(|(name, root, given)| format!("{name} is {root} in the root and {given} here"))
            .collect();
        Err(LedgerError::Configuration {
            root: self.path().to_owned(),
            reason: list.join(", "),
            remedy: "give the root's own, or change them with `amiss ledger resize` or `retune`",
        })
    }

    /// The capacity frame of a prepared root.
    pub(super) fn capacity(&self, limits: &Limits) -> Result<Capacity, LedgerError> {
        let capacity: Capacity = self.read_frame(names::CAPACITY)?.ok_or_else(|| {
            self.corrupt(names::CAPACITY, "it is missing from a root that needs it")
        })?;
        if capacity.max_records != limits.max_records {
            return Err(self.corrupt(
                names::CAPACITY,
                format!(
                    "its cap is {}, the root's is {}",
                    capacity.max_records, limits.max_records
                ),
            ));
        }
        Ok(capacity)
    }

    /// A row, by its key; `None` when there is none.
    pub(super) fn row(&self, key: &DeliveryKey) -> Result<Option<Row>, LedgerError> {
        Ok(self.stamped_row(key)?.map(|(row, _)| row))
    }

    /// The same, with the stamp of the file that says so.
    pub(super) fn stamped_row(
        &self,
        key: &DeliveryKey,
    ) -> Result<Option<(Row, Stamp)>, LedgerError> {
        let name = names::row(key);
        let Some((bytes, stamp)) = self.dir.read_stamped(&name, Row::FORM.ceiling)? else {
            return Ok(None);
        };
        let row: Row = frame::decode(&bytes).map_err(|error| self.corrupt(&name, error))?;
        let own = row.key();
        if own != *key {
            return Err(self.corrupt(&name, format!("it holds the row {own}")));
        }
        Ok(Some((row, stamp)))
    }

    pub(super) fn corrupt(&self, name: &str, reason: impl std::fmt::Display) -> LedgerError {
        LedgerError::Corrupt {
            path: self.dir.path_of(name),
            reason: reason.to_string(),
        }
    }
}
