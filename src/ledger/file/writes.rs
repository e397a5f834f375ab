//! What one operation, or a batch of them, wants written, and the one order in which it is
//! (page 3.3, 3b.8, 6.1).
//!
//! All bytes are written under temporary names and synced together, so that a full disk or a
//! failing medium is found before any name changes. Then come the names: what must be durable
//! before a row (a report, the pending count), one directory sync, the rows, one directory sync,
//! the settled count. The high water shares the barrier before its answer.

use super::capacity::{Capacity, Count};
use super::error::LedgerError;
use super::frame;
use super::metadata::Limits;
use super::names;
use super::root::Root;
use super::row::Row;
use super::time::PendingHighWater;
use crate::clock::UnixMillis;
use crate::delivery::DeliveryKey;
use crate::durable::{Lock, Temporary};

/// From this many files on they are synced by several threads, so that the filesystem can commit
/// them as one. A single operation never has as many: its system calls stay one sequence, which
/// can be stopped and failed at each of its places.
const TOGETHER: usize = 8;
/// More threads than this only wait for each other.
const MAX_SYNCERS: usize = 8;

/// Everything that is to be written before the answers may be given.
#[derive(Debug, Default)]
pub(super) struct Writes<'root> {
    high_water: Option<UnixMillis>,
    reports: Vec<Named<'root>>,
    rows: Vec<(String, Vec<u8>)>,
    fresh: Vec<Fresh>,
    dead: Vec<String>,
}

/// A new file and the name that it is for.
#[derive(Debug)]
struct Named<'root> {
    temporary: Temporary<'root>,
    name: String,
}

/// A row that is not there yet; admission decides whether it may be.
#[derive(Debug)]
struct Fresh {
    request: usize,
    key: DeliveryKey,
    bytes: Vec<u8>,
}

/// The part of a batch that admission decided about.
#[derive(Default)]
struct Admitted<'root> {
    lock: Option<Lock>,
    pending: Option<Temporary<'root>>,
    settled: Option<Temporary<'root>>,
    rows: Vec<Named<'root>>,
    refused: Vec<(usize, LedgerError)>,
}

impl<'root> Writes<'root> {
    /// The answer rests on this time having come.
    pub(super) fn rests_on(&mut self, time: UnixMillis) {
        self.high_water = self.high_water.max(Some(time));
    }

    pub(super) fn report(&mut self, key: &DeliveryKey, temporary: Temporary<'root>) {
        self.reports.push(Named {
            temporary,
            name: names::report(key),
        });
    }

    pub(super) fn row(&mut self, key: &DeliveryKey, row: &Row) -> Result<(), LedgerError> {
        self.rows.push((names::row(key), encode(key, row)?));
        Ok(())
    }

    pub(super) fn fresh(
        &mut self,
        request: usize,
        key: &DeliveryKey,
        row: &Row,
    ) -> Result<(), LedgerError> {
        self.fresh.push(Fresh {
            request,
            key: key.clone(),
            bytes: encode(key, row)?,
        });
        Ok(())
    }

    /// A report that nothing will name once the rest is written.
    pub(super) fn dead_report(&mut self, key: &DeliveryKey) {
        self.dead.push(names::report(key));
    }
}

fn encode(key: &DeliveryKey, row: &Row) -> Result<Vec<u8>, LedgerError> {
    frame::encode(row).map_err(|error| LedgerError::Form {
        path: names::row(key).into(),
        reason: error.to_string(),
    })
}

impl Root {
    /// Writes everything, durably. Answers which requests for a new row were refused, and why.
    pub(super) fn commit<'root>(
        &'root self,
        limits: &Limits,
        writes: Writes<'root>,
    ) -> Result<Vec<(usize, LedgerError)>, LedgerError> {
        let Writes {
            high_water,
            mut reports,
            rows,
            fresh,
            dead,
        } = writes;
        let mut clock = match high_water {
            Some(time) => self.pending_high_water(time)?,
            None => None,
        };
        let mut admitted = self.admit(limits, fresh)?;
        let mut named = std::mem::take(&mut admitted.rows);
        for (name, bytes) in rows {
            named.push(self.named(name, &bytes)?);
        }
        let mut files: Vec<&mut Temporary<'root>> = Vec::new();
        files.extend(clock.as_mut().map(PendingHighWater::temporary));
        files.extend(reports.iter_mut().map(|report| &mut report.temporary));
        files.extend(admitted.pending.as_mut());
        files.extend(named.iter_mut().map(|row| &mut row.temporary));
        files.extend(admitted.settled.as_mut());
        sync_together(files)?;
        self.put_in_place(clock, reports, &mut admitted, named)?;
        for name in dead {
            self.dir.remove(name)?;
        }
        drop(admitted.lock.take());
        Ok(admitted.refused)
    }

    fn put_in_place(
        &self,
        clock: Option<PendingHighWater<'_>>,
        reports: Vec<Named<'_>>,
        admitted: &mut Admitted<'_>,
        rows: Vec<Named<'_>>,
    ) -> Result<(), LedgerError> {
        let mut unsynced = None;
        if let Some(clock) = clock {
            clock.publish()?;
            unsynced = Some(names::ROOT.to_owned());
        }
        let mut before_rows = None;
        for report in reports {
            report.temporary.publish(&report.name)?;
            before_rows = Some(report.name);
        }
        if let Some(pending) = admitted.pending.take() {
            pending.publish(names::CAPACITY)?;
            before_rows = Some(names::CAPACITY.to_owned());
        }
        if let Some(name) = before_rows {
            self.dir.sync_after(&name)?;
            unsynced = None;
        }
        for row in rows {
            row.temporary.publish(&row.name)?;
            unsynced = Some(row.name);
        }
        if let Some(name) = unsynced {
            self.dir.sync_after(&name)?;
        }
        if let Some(settled) = admitted.settled.take() {
            // The rows are durable, so this count and the one before are both right after a crash:
            // its name needs no sync of its own.
            settled.publish(names::CAPACITY)?;
        }
        Ok(())
    }

    fn named(&self, name: String, bytes: &[u8]) -> Result<Named<'_>, LedgerError> {
        let mut temporary = self.dir.temporary()?;
        temporary.append(bytes)?;
        Ok(Named { temporary, name })
    }

    /// Admits as many new rows as there is room for, in order. One is announced by its key, several
    /// by the marker of a batch, which every reader of the format understands. The folder is not
    /// listed, the marker of an interrupted batch aside.
    fn admit(&self, limits: &Limits, fresh: Vec<Fresh>) -> Result<Admitted<'_>, LedgerError> {
        let mut admitted = Admitted::default();
        if fresh.is_empty() {
            return Ok(admitted);
        }
        admitted.lock = Some(self.admission_lock()?);
        let max_records = limits.max_records;
        let mut records = match self.settled_records(limits) {
            Ok(records) => records,
            Err(error) => {
                return Ok(self.refuse_all(limits, fresh, error));
            }
        };
        let mut last = None;
        let mut new = 0_u64;
        for fresh in fresh {
            if records >= max_records {
                let full = LedgerError::Full {
                    root: self.path().to_owned(),
                    records,
                    max_records,
                };
                admitted.refused.push((fresh.request, full));
                continue;
            }
            records = records.saturating_add(1);
            new = new.saturating_add(1);
            let row = self.named(names::row(&fresh.key), &fresh.bytes)?;
            admitted.rows.push(row);
            last = Some(fresh.key);
        }
        if let Some(key) = last {
            let announced = if new == 1 {
                Count::Adding(records, key)
            } else {
                Count::AtMost(records)
            };
            let pending = Capacity::new(max_records, announced);
            let settled = Capacity::new(max_records, Count::Settled(records));
            admitted.pending = Some(self.write_frame(names::CAPACITY, &pending)?);
            admitted.settled = Some(self.write_frame(names::CAPACITY, &settled)?);
        }
        Ok(admitted)
    }

    /// A count that cannot be used refuses every new row, and none of the others.
    fn refuse_all(&self, limits: &Limits, fresh: Vec<Fresh>, first: LedgerError) -> Admitted<'_> {
        let mut error = Some(first);
        let mut admitted = Admitted::default();
        for fresh in fresh {
            let reason = match error.take() {
                Some(error) => error,
                None => match self.settled_records(limits) {
                    Err(error) => error,
                    Ok(_) => self.corrupt(names::CAPACITY, "it changed while it was read"),
                },
            };
            admitted.refused.push((fresh.request, reason));
        }
        admitted
    }
}

/// Makes the bytes of all files durable.
fn sync_together(mut files: Vec<&mut Temporary<'_>>) -> Result<(), LedgerError> {
    if files.len() > 1 {
        for file in &files {
            file.begin_writing();
        }
    }
    if files.len() < TOGETHER {
        for file in files {
            file.sync()?;
        }
        return Ok(());
    }
    let share = files.len().div_ceil(MAX_SYNCERS);
    std::thread::scope(|scope| {
        let syncers: Vec<_> = files
            .chunks_mut(share)
            .map(|chunk| {
                std::thread::Builder::new()
                    .spawn_scoped(scope, || chunk.iter_mut().try_for_each(|file| file.sync()))
            })
            .collect();
        let mut outcome = Ok(());
        for syncer in syncers {
            let ended = |_| {
                let path = "a sync that was under way".into();
                Err(crate::durable::DiskError::Missing { path })
            };
            let synced = match syncer {
                Ok(syncer) => syncer.join().unwrap_or_else(ended),
                Err(source) => Err(crate::durable::DiskError::Io {
                    operation: "start a thread to sync",
                    path: "the temporary files".into(),
                    source,
                }),
            };
            outcome = outcome.and(synced);
        }
        outcome
    })?;
    Ok(())
}
