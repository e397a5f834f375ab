//! `quarantine`: moves a damaged or unknown file out of a root, the count kept right (page 3.5,
//! point 1). Nothing else ever removes what it does not know.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::capacity::{Capacity, Count};
use super::error::LedgerError;
use super::metadata::Metadata;
use super::names::{self, Name};
use super::root::Root;
use super::row::State;
use crate::delivery::DeliveryKey;
use crate::durable::{Dir, DiskError, Kind};

/// What was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// The names that were moved: the one asked for, and a row's report with it.
    pub moved: Vec<OsString>,
    /// The rows that the root now counts.
    pub records: u64,
}

impl Root {
    /// Moves one entry out of the root.
    ///
    /// # Errors
    /// `NOT_FOUND`, `BUSY` for a file that is whole and in use, `ROOT_CORRUPT` when the metadata
    /// is damaged, `ROOT_UNSAFE` for a target inside the root, `INPUT_MALFORMED` for one that is no
    /// folder or has such an entry, or the system's.
    pub fn quarantine(&self, name: &OsStr, to: &Path) -> Result<Quarantined, LedgerError> {
        if Path::new(name).file_name() != Some(name) {
            return Err(LedgerError::NoName(name.to_string_lossy().into_owned()));
        }
        let target = self.quarantine_target(name, to)?;
        let metadata = self.metadata()?;
        let what = Name::of(name);
        let kind = match self.dir.kind(name)? {
            Some(kind) => kind,
            // A missing count is mended like a damaged one.
            None if what == Name::Capacity => Kind::File,
            None => return Err(LedgerError::NoFile(self.dir.path_of(name))),
        };
        if what == Name::Maintenance && kind != Kind::File {
            // Nobody can take this lock, so nobody works on the root.
            self.dir.move_to(name, &target)?;
            let records = self.count_rows()?;
            return self.moved(vec![name.to_owned()], &target, records);
        }
        let _exclusive = self.exclusive()?;
        // Nobody can take an admission lock that is no file, and the maintenance lock keeps all out.
        let broken = name == names::ADMISSION && kind != Kind::File;
        let _admission = if broken {
            None
        } else {
            Some(self.admission_lock()?)
        };
        self.refuse_whole(&what, kind, name)?;
        match what {
            // Whatever its kind: what lies under a row's name is counted as a row.
            Name::Row(key) => self.move_row(&metadata, &key, &target),
            Name::Capacity => self.move_capacity(&metadata, &target),
            _ => {
                self.dir.move_to(name, &target)?;
                let records = self.count_rows()?;
                self.moved(vec![name.to_owned()], &target, records)
            }
        }
    }

    /// The folder to move into: one that a later scan of the root does not meet again.
    fn quarantine_target(&self, name: &OsStr, to: &Path) -> Result<Dir, LedgerError> {
        let refused = |reason: &str| LedgerError::Target {
            path: to.to_owned(),
            reason: reason.to_owned(),
        };
        let target = Dir::open(to).map_err(|error| match error {
            DiskError::Missing { path } => LedgerError::NoFolder(path),
            DiskError::Kind { .. } => refused("it is not a folder"),
            DiskError::Link { .. } => refused("it is a symbolic link"),
            other => other.into(),
        })?;
        if target.is_inside(&self.dir)? {
            return Err(LedgerError::InRoot(to.to_owned()));
        }
        let report = match Name::of(name) {
            Name::Row(key) => Some(OsString::from(names::report(&key))),
            _ => None,
        };
        for name in [Some(name), report.as_deref()].into_iter().flatten() {
            // Given again after it was done, the name is there and no longer here: that is told below.
            if self.dir.kind(name)?.is_some() && target.kind(name)?.is_some() {
                return Err(refused(&format!("it has a {} already", name.display())));
            }
        }
        Ok(target)
    }

    /// A file that is what it must be stays: moving it would lose what it protects.
    fn refuse_whole(&self, what: &Name, kind: Kind, name: &OsStr) -> Result<(), LedgerError> {
        let refused = |reason: &str| {
            Err(LedgerError::Refused {
                reason: format!("{}: {reason}", self.dir.path_of(name).display()),
                retry_at: None,
            })
        };
        match what {
            Name::Root => {
                refused("nothing else holds the limits and the clock; restore it instead")
            }
            Name::Maintenance | Name::Lock | Name::RowLock if kind == Kind::File => {
                refused("a lock file is never moved")
            }
            Name::Row(key) if matches!(self.validate_row(key), Ok(Some(_))) => {
                refused("the row is whole; finish it, or end it with `amiss ledger abandon`")
            }
            Name::Report(key) if self.names_whole_report(key) => {
                refused("a saved result needs this report, and it is whole")
            }
            Name::Capacity if self.capacity_is_right()? => refused("the count is right"),
            _ => Ok(()),
        }
    }

    fn names_whole_report(&self, key: &DeliveryKey) -> bool {
        match self.row(key) {
            Ok(Some(row)) => match &row.state {
                State::Staged { publication, .. } => publication
                    .report
                    .reference()
                    .is_some_and(|reference| self.verify_report(key, reference).is_ok()),
                _ => false,
            },
            _ => false,
        }
    }

    fn capacity_is_right(&self) -> Result<bool, LedgerError> {
        let limits = self.metadata()?.limits();
        let rows = self.count_rows()?;
        Ok(self
            .capacity(&limits)
            .is_ok_and(|capacity| match capacity.count() {
                Count::Settled(records) => records == rows,
                Count::Adding(..) | Count::AtMost(_) => true,
            }))
    }

    /// A row goes with its report. The marker stands before it goes and the exact count after, so
    /// the count never understates.
    fn move_row(
        &self,
        metadata: &Metadata,
        key: &DeliveryKey,
        target: &Dir,
    ) -> Result<Quarantined, LedgerError> {
        let limits = metadata.limits();
        // A damaged count has to be mended first; this says so.
        self.capacity(&limits)?;
        let rows = self.count_rows()?.min(limits.max_records);
        let marker = Capacity::new(limits.max_records, Count::AtMost(rows));
        self.save_frame(names::CAPACITY, &marker)?;
        let mut moved = vec![OsString::from(names::row(key))];
        self.dir.move_to(names::row(key), target)?;
        let report = names::report(key);
        if self.dir.kind(&report)?.is_some() {
            self.dir.move_to(&report, target)?;
            moved.push(report.into());
        }
        target.sync()?;
        self.dir.sync()?;
        let records = self.count_rows()?;
        let settled = Capacity::new(limits.max_records, Count::Settled(records));
        self.save_frame(names::CAPACITY, &settled)?;
        Ok(Quarantined { moved, records })
    }

    /// A damaged count is moved out and the rows are counted anew. A stop in between leaves a root
    /// without a count, which this command mends when it is repeated.
    fn move_capacity(&self, metadata: &Metadata, target: &Dir) -> Result<Quarantined, LedgerError> {
        let limits = metadata.limits();
        let records = self.count_rows()?;
        if records > limits.max_records {
            return Err(LedgerError::Configuration {
                root: self.path().to_owned(),
                reason: format!(
                    "the folder holds {records} rows, over the cap of {}",
                    limits.max_records
                ),
                remedy: "raise the cap with `amiss ledger resize` first",
            });
        }
        let settled = Capacity::new(limits.max_records, Count::Settled(records));
        let mut fresh = self.write_frame(names::CAPACITY, &settled)?;
        fresh.sync()?;
        let mut moved = Vec::new();
        if self.dir.kind(names::CAPACITY)?.is_some() {
            self.dir.move_to(names::CAPACITY, target)?;
            moved.push(names::CAPACITY.into());
        }
        fresh.publish(names::CAPACITY)?;
        self.moved(moved, target, records)
    }

    fn moved(
        &self,
        moved: Vec<OsString>,
        target: &Dir,
        records: u64,
    ) -> Result<Quarantined, LedgerError> {
        target.sync()?;
        self.dir.sync()?;
        Ok(Quarantined { moved, records })
    }
}
