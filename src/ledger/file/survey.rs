//! What a whole root holds: names and kinds, the count against the capacity frame, and the content
//! of every row and report (page 3b.1, 3b.4, 3b.5).

use std::ffi::OsString;

use super::capacity::{Capacity, Count};
use super::error::LedgerError;
use super::metadata::Limits;
use super::names::{self, Name};
use super::root::Root;
use super::row::{Row, State};
use crate::clock::UnixMillis;
use crate::delivery::DeliveryKey;
use crate::durable::{Dir, DiskError, Entry, Kind, Stamp};

/// The one file that an interrupted replacement leaves.
const TEMPORARY_FILE: &str = "tmpfile.tmp";

/// The names of a root.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub rows: u64,
    pub temporaries: Vec<OsString>,
}

/// Rows that a cleanup keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Running.
    pub running: u64,
    /// Staged.
    pub saved: u64,
    /// Done, and never forgotten.
    pub done_permanent: u64,
    /// Done, and still protected.
    pub done_bounded: u64,
}

/// What validation found that may go.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub kept: Kept,
    pub ended: Vec<Ended>,
    pub dead_reports: Vec<DeliveryKey>,
}

/// A row that may go, and which file said so: as long as that file is in place it need not be read
/// again.
#[derive(Debug)]
pub(super) struct Ended {
    pub key: DeliveryKey,
    pub stamp: Stamp,
}

/// What one entry is to a cleanup.
enum Seen {
    Running,
    Saved,
    DonePermanent,
    DoneBounded,
    Ended(Ended),
    DeadReport(DeliveryKey),
}

impl Root {
    /// Goes through all names and refuses what a root does not hold, naming it.
    pub(super) fn list_names(&self) -> Result<Names, LedgerError> {
        let mut names = Names::default();
        self.dir.each_entry(|entry| {
            match self.known(&entry)? {
                Name::Row(_) => names.rows = names.rows.saturating_add(1),
                Name::Temporary if self.check_temporary(&entry.name)? => {
                    names.temporaries.push(entry.name);
                }
                _ => {}
            }
            Ok::<(), LedgerError>(())
        })?;
        Ok(names)
    }

    /// What an entry is, if it is one that a root holds, of the right kind.
    pub(super) fn known(&self, entry: &Entry) -> Result<Name, LedgerError> {
        let name = Name::of(&entry.name);
        let shown = entry.name.to_string_lossy();
        if name == Name::Unknown {
            return Err(self.corrupt(&shown, "a root holds no file of this name"));
        }
        if entry.kind != name.kind() {
            let expected = match name.kind() {
                Kind::Directory => "a directory",
                _ => "a regular file",
            };
            return Err(self.corrupt(&shown, format!("it is not {expected}")));
        }
        Ok(name)
    }

    /// Whether a leftover is still there; one of another shape is refused.
    pub(super) fn check_temporary(&self, name: &OsString) -> Result<bool, LedgerError> {
        let Some(inside) = self.open_temporary(name)? else {
            return Ok(false);
        };
        inside.each_entry(|entry| {
            if entry.name != TEMPORARY_FILE || entry.kind != Kind::File {
                let reason = format!(
                    "`{}` in it: no interrupted replacement leaves this behind",
                    entry.name.to_string_lossy()
                );
                return Err(self.corrupt(&name.to_string_lossy(), reason));
            }
            Ok(())
        })?;
        Ok(true)
    }

    /// Removes a leftover: the file first, so that an interrupted removal leaves a known shape.
    pub(super) fn remove_temporary(&self, name: &OsString) -> Result<bool, LedgerError> {
        if !self.check_temporary(name)? {
            return Ok(false);
        }
        if let Some(inside) = self.open_temporary(name)? {
            inside.remove(TEMPORARY_FILE)?;
        }
        Ok(self.dir.remove_dir(name)?)
    }

    fn open_temporary(&self, name: &OsString) -> Result<Option<Dir>, LedgerError> {
        match self.dir.open_dir(name) {
            Ok(inside) => Ok(Some(inside)),
            // A writer finished with it meanwhile.
            Err(DiskError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Compares the count with the rows, and settles what an interrupted addition or batch left.
    /// The admission lock is held.
    pub(super) fn settle(&self, limits: &Limits, rows: u64) -> Result<(), LedgerError> {
        let count = self.capacity(limits)?.count();
        let agrees = match &count {
            Count::Settled(records) => *records == rows,
            Count::Adding(records, key) => match self.row(key)? {
                Some(_) => *records == rows,
                None => records.checked_sub(1) == Some(rows),
            },
            Count::AtMost(records) => rows <= *records,
        };
        if !agrees {
            let said = match count {
                Count::Settled(records) | Count::Adding(records, _) | Count::AtMost(records) => {
                    records
                }
            };
            return Err(self.corrupt(
                names::CAPACITY,
                format!("it counts {said} rows, the folder holds {rows}"),
            ));
        }
        if !matches!(count, Count::Settled(_)) {
            let settled = Capacity::new(limits.max_records, Count::Settled(rows));
            self.save_frame(names::CAPACITY, &settled)?;
        }
        Ok(())
    }

    /// Validates every row and every saved report, and finds what may go at `now`. Nothing is
    /// locked: frames are replaced as a whole, and what looks wrong is looked at again.
    pub(super) fn survey(&self, now: UnixMillis) -> Result<Survey, LedgerError> {
        let mut survey = Survey::default();
        self.scan(
            &|entry| match Name::of(&entry.name) {
                Name::Row(key) => self.survey_row(key, now),
                Name::Report(key) if self.is_dead_report(&key)? => Ok(Some(Seen::DeadReport(key))),
                _ => Ok(None),
            },
            &mut |seen| {
                let kept = &mut survey.kept;
                let slot = match seen {
                    Seen::Running => &mut kept.running,
                    Seen::Saved => &mut kept.saved,
                    Seen::DonePermanent => &mut kept.done_permanent,
                    Seen::DoneBounded => &mut kept.done_bounded,
                    Seen::Ended(row) => {
                        survey.ended.push(row);
                        return Ok(());
                    }
                    Seen::DeadReport(key) => {
                        survey.dead_reports.push(key);
                        return Ok(());
                    }
                };
                *slot = slot.saturating_add(1);
                Ok(())
            },
        )?;
        Ok(survey)
    }

    fn survey_row(&self, key: DeliveryKey, now: UnixMillis) -> Result<Option<Seen>, LedgerError> {
        // The stamp is of the file that was read: a row that is replaced later has another.
        let Some((row, stamp)) = self.stamped_row(&key)? else {
            return Ok(None);
        };
        let row = match &row.state {
            State::Staged { .. } => match self.validate_row(&key)? {
                Some(row) => row,
                None => return Ok(None),
            },
            State::Done { .. } if row.is_ended(now) => {
                return Ok(Some(Seen::Ended(Ended { key, stamp })));
            }
            _ => row,
        };
        Ok(Some(match &row.state {
            State::Running { .. } => Seen::Running,
            State::Staged { .. } => Seen::Saved,
            State::Done { .. } if row.replay_keep.end().is_none() => Seen::DonePermanent,
            State::Done { .. } => Seen::DoneBounded,
        }))
    }

    /// A row with its report proved. Without locks, a report may be gone because its delivery was
    /// completed meanwhile: then the row says so when it is read again.
    pub(super) fn validate_row(&self, key: &DeliveryKey) -> Result<Option<Row>, LedgerError> {
        loop {
            let Some(row) = self.row(key)? else {
                return Ok(None);
            };
            let State::Staged { publication, .. } = &row.state else {
                return Ok(Some(row));
            };
            let Some(reference) = publication.report.reference() else {
                return Ok(Some(row));
            };
            match self.verify_report(key, reference) {
                Ok(_) => return Ok(Some(row)),
                Err(error) if self.row(key)?.as_ref() == Some(&row) => return Err(error),
                Err(_) => {}
            }
        }
    }

    /// Whether no saved row names the report under this key.
    pub(super) fn is_dead_report(&self, key: &DeliveryKey) -> Result<bool, LedgerError> {
        Ok(match self.row(key)? {
            Some(row) => !row.has_report(),
            None => true,
        })
    }
}

impl Row {
    /// Whether it names a report.
    pub(super) fn has_report(&self) -> bool {
        match &self.state {
            State::Staged { publication, .. } => publication.report.reference().is_some(),
            _ => false,
        }
    }

    /// Whether it may be forgotten at `now`: done, bounded, and past its inclusive end.
    pub(super) fn is_ended(&self, now: UnixMillis) -> bool {
        matches!(self.state, State::Done { .. })
            && self.replay_keep.end().is_some_and(|end| end < now)
    }
}
