//! Cleanup: removes only what is safe to forget (page 3.3, source `file-ledger.txt`).
//!
//! Names, rows and reports are validated first; one defect, and nothing is removed. What may go is
//! then removed in short exclusive slices, each thing looked at again under the lock. Leftovers and
//! dead reports go first, because they need no room on the disk; the high water is saved before the
//! first row goes, a marker stands before each batch, and the exact count is written after it.

use std::time::{Duration, Instant};

use super::capacity::{Capacity, Count};
use super::error::LedgerError;
use super::metadata::Limits;
use super::names;
use super::root::Root;
use super::survey::{Ended, Kept, Names};
use crate::clock::{Clock, UnixMillis};

/// How long one slice looks for work under the exclusive lock; what it found is then done.
const SLICE: Duration = Duration::from_millis(40);
/// The most rows that one slice removes.
const MAX_BATCH: usize = 2000;
/// How long row work gets between two slices.
const PAUSE: Duration = Duration::from_millis(20);

/// Whether a cleanup acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Remove.
    Act,
    /// Only count what would be removed.
    DryRun,
}

/// What a cleanup did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Ended rows.
    pub removed_records: u64,
    /// Dead reports.
    pub removed_reports: u64,
    /// Leftovers of interrupted replacements.
    pub removed_temporary: u64,
    /// What stays.
    pub kept: Kept,
    /// The root's high water afterwards.
    pub high_water: UnixMillis,
}

/// Work on a list, done within a slice; the rest stays in the list.
type Slice<'a, T> =
    &'a mut dyn FnMut(&mut std::vec::IntoIter<T>, Instant) -> Result<(), LedgerError>;

impl Root {
    /// Cleans a prepared root.
    ///
    /// # Errors
    /// `CLOCK`, `ROOT_CORRUPT` naming the file, `BUSY`, `ROOT_NOT_PREPARED`, or the system's.
    pub fn cleanup(&self, clock: &dyn Clock, mode: Mode) -> Result<Cleaned, LedgerError> {
        self.dir.remove_folders();
        let metadata = self.metadata()?;
        let now = self.decide(clock, &metadata, None)?;
        match mode {
            Mode::Act => self.clean(&metadata.limits(), now),
            Mode::DryRun => {
                let names = self.list_names()?;
                let survey = self.survey(now)?;
                Ok(Cleaned {
                    removed_records: length(&survey.ended),
                    removed_reports: length(&survey.dead_reports),
                    removed_temporary: length(&names.temporaries),
                    kept: survey.kept,
                    high_water: metadata.high_water,
                })
            }
        }
    }

    /// Validates, settles and removes, at a time that was decided.
    pub(super) fn clean(&self, limits: &Limits, now: UnixMillis) -> Result<Cleaned, LedgerError> {
        let names = self.settle_names(limits)?;
        let survey = self.survey(now)?;
        let mut done = Cleaned {
            kept: survey.kept,
            ..Cleaned::default()
        };
        self.in_slices(names.temporaries, &mut |list, until| {
            for name in list.by_ref() {
                if self.remove_temporary(&name)? {
                    done.removed_temporary = done.removed_temporary.saturating_add(1);
                }
                if Instant::now() >= until {
                    break;
                }
            }
            Ok(())
        })?;
        self.in_slices(survey.dead_reports, &mut |list, until| {
            for key in list.by_ref() {
                if self.is_dead_report(&key)? && self.dir.remove(names::report(&key))? {
                    done.removed_reports = done.removed_reports.saturating_add(1);
                }
                if Instant::now() >= until {
                    break;
                }
            }
            Ok(())
        })?;
        {
            let _share = self.share()?;
            self.save_high_water(now)?;
        }
        self.in_slices(survey.ended, &mut |list, until| {
            let removed = self.remove_batch(limits, list, until)?;
            done.removed_records = done.removed_records.saturating_add(removed);
            Ok(())
        })?;
        done.high_water = self.metadata()?.high_water;
        Ok(done)
    }

    /// Compares the names with the count. Row work goes on meanwhile; a filesystem may show a name
    /// twice or not at all while it is replaced, so a count that differs is taken again with
    /// everybody else kept out.
    fn settle_names(&self, limits: &Limits) -> Result<Names, LedgerError> {
        let counted = {
            let _share = self.share()?;
            let _admission = self.admission_lock()?;
            let names = self.list_names()?;
            self.settle(limits, names.rows).map(|()| names)
        };
        match counted {
            Err(LedgerError::Corrupt { .. }) => {
                let _exclusive = self.exclusive()?;
                let _admission = self.admission_lock()?;
                let names = self.list_names()?;
                self.settle(limits, names.rows)?;
                Ok(names)
            }
            other => other,
        }
    }

    fn in_slices<T>(&self, list: Vec<T>, work: Slice<'_, T>) -> Result<(), LedgerError> {
        let mut list = list.into_iter();
        while !list.as_slice().is_empty() {
            {
                let _exclusive = self.exclusive()?;
                let until = Instant::now()
                    .checked_add(SLICE)
                    .unwrap_or_else(Instant::now);
                work(&mut list, until)?;
            }
            if !list.as_slice().is_empty() {
                std::thread::sleep(PAUSE);
            }
        }
        Ok(())
    }

    /// Removes one batch of ended rows: a marker before, the exact count after, no sync per row.
    fn remove_batch(
        &self,
        limits: &Limits,
        list: &mut std::vec::IntoIter<Ended>,
        until: Instant,
    ) -> Result<u64, LedgerError> {
        let _admission = self.admission_lock()?;
        let records = self.settled_records(limits)?;
        let mut batch = Vec::new();
        for row in list.by_ref() {
            let name = names::row(&row.key);
            // Another cleanup may have removed it, and its delivery may even have come anew.
            if self.dir.stamp(&name)? == Some(row.stamp) {
                batch.push(name);
            }
            if batch.len() >= MAX_BATCH || Instant::now() >= until {
                break;
            }
        }
        if batch.is_empty() {
            return Ok(0);
        }
        let marker = Capacity::new(limits.max_records, Count::AtMost(records));
        self.save_frame(names::CAPACITY, &marker)?;
        for name in &batch {
            self.dir.remove(name)?;
        }
        // The rows must be gone for good before a lower count can be.
        self.dir.sync()?;
        let removed = length(&batch);
        let rest = Capacity::new(
            limits.max_records,
            Count::Settled(records.saturating_sub(removed)),
        );
        self.save_frame(names::CAPACITY, &rest)?;
        Ok(removed)
    }
}

fn length<T>(list: &[T]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}
