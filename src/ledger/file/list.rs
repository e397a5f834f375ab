//! `list` and `stats`: what the rows are, without a lock and in constant memory (page 3.2).

use super::error::LedgerError;
use super::names::{self, Name};
use super::root::Root;
use super::row::State;
use super::view::{RowState, RowView};
use crate::clock::{Clock, UnixMillis};
use crate::delivery::DeliveryKey;
use crate::delivery::outcome::MAX_REPORT_BYTES;
use crate::words::counted;

/// What `list` found under a row's name.
#[derive(Debug)]
pub enum Listed {
    /// A row.
    Row(Box<RowView>),
    /// A file that holds none.
    Damaged {
        /// Its key.
        key: DeliveryKey,
        /// What is wrong with it.
        reason: String,
    },
}

/// Which rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All.
    All,
    /// Done, and past their end.
    Expired,
    /// Bounded rows past their end that never finished.
    Stuck,
}

/// The time that rows are judged at by a command that only looks.
fn looking(root: &Root, clock: &dyn Clock, wanted: Wanted) -> Result<UnixMillis, LedgerError> {
    let metadata = root.metadata()?;
    match wanted {
        Wanted::All => Ok(metadata.high_water),
        Wanted::Expired | Wanted::Stuck => root.decide(clock, &metadata, None),
    }
}

impl Root {
    /// Hands every wanted row to `sink`, in no order. Damaged rows are handed on too, whatever is
    /// wanted: they are never a reason not to see the others.
    ///
    /// # Errors
    /// `ROOT_NOT_PREPARED`, `CLOCK` where time decides, or the system's.
    pub fn list(
        &self,
        clock: &dyn Clock,
        state: Option<RowState>,
        wanted: Wanted,
        sink: &mut dyn FnMut(Listed) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let now = looking(self, clock, wanted)?;
        self.scan(
            &|entry| {
                let Name::Row(key) = Name::of(&entry.name) else {
                    return Ok(None);
                };
                match self.row(&key) {
                    Ok(None) => Ok(None),
                    Ok(Some(row)) => {
                        let view = self.view(&key, &row);
                        let fits = state.is_none_or(|state| state == view.state)
                            && match wanted {
                                Wanted::All => true,
                                Wanted::Expired => view.is_expired(now),
                                Wanted::Stuck => view.is_stuck(now),
                            };
                        Ok(fits.then(|| Listed::Row(Box::new(view))))
                    }
                    Err(error) => {
                        let reason = error.to_string();
                        Ok(Some(Listed::Damaged { key, reason }))
                    }
                }
            },
            sink,
        )
    }

    /// Counts what the root holds.
    ///
    /// # Errors
    /// `ROOT_NOT_PREPARED`, `ROOT_CORRUPT` for its metadata, or the system's.
    pub fn stats(&self) -> Result<Stats, LedgerError> {
        let metadata = self.metadata()?;
        let limits = metadata.limits();
        let mut stats = Stats {
            max_records: limits.max_records,
            lease_millis: limits.lease_millis,
            max_signed_age_millis: limits.max_signed_age_millis,
            max_queue_age_millis: limits.max_queue_age_millis,
            high_water: metadata.high_water,
            ..Stats::default()
        };
        self.scan(&|entry| Ok(self.counted(&entry.name)), &mut |counted| {
            stats.add(counted);
            Ok(())
        })?;
        Ok(stats)
    }

    fn counted(&self, name: &std::ffi::OsStr) -> Option<Counted> {
        match Name::of(name) {
            Name::RowLock => Some(Counted::RowLock),
            Name::Report(key) => self
                .dir
                .open_file(&names::report(&key), MAX_REPORT_BYTES)
                .map_or(Some(Counted::Report(0)), |file| {
                    file.map(|file| Counted::Report(file.bytes()))
                }),
            Name::Row(key) => match self.row(&key) {
                Ok(None) => None,
                Err(_) => Some(Counted::Damaged),
                Ok(Some(row)) => Some(match &row.state {
                    State::Running { .. } => Counted::Running(row.last_seen),
                    State::Staged { .. } => Counted::Staged,
                    State::Done { .. } if row.replay_keep.end().is_none() => Counted::DonePermanent,
                    State::Done { .. } => Counted::DoneBounded,
                }),
            },
            _ => None,
        }
    }
}

/// How far the high water may be ahead of the clock before it is told: more than the clocks of a
/// machine are set back in good order.
const AHEAD_MILLIS: i64 = 60_000;

/// What one entry is to `stats`.
#[derive(Clone, Copy)]
enum Counted {
    RowLock,
    Report(u64),
    Running(UnixMillis),
    Staged,
    DonePermanent,
    DoneBounded,
    Damaged,
}

/// The counts of a root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Row files.
    pub records: u64,
    /// The cap.
    pub max_records: u64,
    /// How long a lease runs, in milliseconds.
    pub lease_millis: i64,
    /// The largest signed age of a request, in milliseconds.
    pub max_signed_age_millis: i64,
    /// The longest queue time of a request, in milliseconds.
    pub max_queue_age_millis: i64,
    /// Rows that are running.
    pub running: u64,
    /// Rows whose result waits.
    pub staged: u64,
    /// Done rows that stay for good.
    pub done_permanent: u64,
    /// Done rows with an end.
    pub done_bounded: u64,
    /// Row files that hold no row.
    pub damaged: u64,
    /// Report files.
    pub reports: u64,
    /// Their bytes.
    pub report_bytes: u64,
    /// Row lock files, at most 256.
    pub row_locks: u64,
    /// The root's high water.
    pub high_water: UnixMillis,
    /// When the running row that was written longest ago was written.
    pub oldest_running: Option<UnixMillis>,
}

impl Stats {
    fn add(&mut self, counted: Counted) {
        let row = match counted {
            Counted::RowLock => {
                self.row_locks = self.row_locks.saturating_add(1);
                return;
            }
            Counted::Report(bytes) => {
                self.reports = self.reports.saturating_add(1);
                self.report_bytes = self.report_bytes.saturating_add(bytes);
                return;
            }
            Counted::Running(last_seen) => {
                let oldest = self.oldest_running.unwrap_or(last_seen);
                self.oldest_running = Some(oldest.min(last_seen));
                &mut self.running
            }
            Counted::Staged => &mut self.staged,
            Counted::DonePermanent => &mut self.done_permanent,
            Counted::DoneBounded => &mut self.done_bounded,
            Counted::Damaged => &mut self.damaged,
        };
        *row = row.saturating_add(1);
        self.records = self.records.saturating_add(1);
    }

    /// What an operator should look at (page 3.5, point 8). `now` is what the clock reads, for the
    /// one warning that compares it with the root's last known time.
    #[must_use]
    pub fn warnings(&self, now: Option<UnixMillis>) -> Vec<String> {
        let mut list = Vec::new();
        let percent = self
            .records
            .saturating_mul(100)
            .checked_div(self.max_records)
            .unwrap_or(0);
        if let Some(mark) = [95, 80].into_iter().find(|mark| percent >= *mark) {
            list.push(format!(
                "the root is at {percent} % of its cap (over {mark} %): {} of {} rows, {} of them \
                 permanent markers that no cleanup removes; clean up, or raise the cap with \
                 `amiss ledger resize`",
                self.records, self.max_records, self.done_permanent
            ));
        }
        if self.damaged > 0 {
            list.push(format!(
                "{} damaged; `amiss ledger check` names each",
                counted(self.damaged, "row is", "rows are")
            ));
        }
        list.extend(now.and_then(|now| self.ahead_of(now)));
        list
    }

    /// Every answer waits for the later of the two times, so a high water that a wrong clock left
    /// behind shows nowhere else: rows are whole, and claims are answered.
    fn ahead_of(&self, now: UnixMillis) -> Option<String> {
        let ahead = self.high_water.get().saturating_sub(now.get());
        (ahead > AHEAD_MILLIS).then(|| {
            format!(
                "the root's last known time {} is {ahead} ms ahead of the clock, so that leases end \
                 that much later and bounded deliveries expire that much sooner; if the clock is \
                 right now, take it with `amiss ledger init --accept-clock`",
                self.high_water
            )
        })
    }
}
