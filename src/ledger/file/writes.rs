//! What one operation, or a batch of them, wants written, and the one order in which it is
//! (page 3.3, 3b.8, 6.1).
//!
//! All bytes of an operation are written under temporary names and synced together, so that a full
//! disk or a failing medium is found before any name changes. Then come the names: what must be
//! durable before a row (a report, the pending count), one directory sync, the rows, one directory
//! sync, the settled count. The high water shares the barrier before its answer.
//!
//! A new row that has to wait for admission is written and synced meanwhile: admission is the one
//! place where workers wait for each other, so nothing is done under its lock that needs no count.
//!
//! A batch does the same with its first [`GROUP`] rows, then writes, syncs and places as many again
//! until none is left, all between the same two directory syncs: each row is whole before it has
//! its name, and a few temporary directories are enough for any number of rows. Where that fails
//! half-way, rows are in place whose answer was an error; each operation may be repeated then, as
//! after a crash.

use std::sync::{Mutex, PoisonError};

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

/// So many files of a batch are written and synced at a time, each by a thread of its own, so that
/// the filesystem can commit them as one; more only wait for each other. A single operation never
/// has as many: its system calls stay one sequence, which can be stopped and failed at each of its
/// places.
const GROUP: usize = 8;

/// Everything that is to be written before the answers may be given.
#[derive(Debug, Default)]
pub(super) struct Writes<'root> {
    high_water: Option<UnixMillis>,
    reports: Vec<Named<'root>>,
    /// A report that has its name already, which no directory sync covers yet.
    placed: Option<String>,
    /// Why reports could not be put in place. Rows name them, so nothing is written then.
    failed: Option<LedgerError>,
    rows: Vec<Unwritten>,
    fresh: Vec<Fresh>,
    dead: Vec<String>,
}

/// A new file and the name that it is for.
#[derive(Debug)]
struct Named<'root> {
    temporary: Temporary<'root>,
    name: String,
}

/// A row's next bytes.
#[derive(Debug)]
struct Unwritten {
    name: String,
    bytes: Vec<u8>,
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
    rows: Vec<Unwritten>,
    /// The one new row, when its bytes were made durable while admission was waited for.
    ready: Option<Named<'root>>,
    refused: Vec<(usize, LedgerError)>,
}

impl<'root> Writes<'root> {
    /// The answer rests on this time having come.
    pub(super) fn rests_on(&mut self, time: UnixMillis) {
        self.high_water = self.high_water.max(Some(time));
    }

    /// A report that is written. Enough of them are put in place at once: until a row names them
    /// they are dead reports, which nobody minds.
    pub(super) fn report(&mut self, key: &DeliveryKey, temporary: Temporary<'root>) {
        self.reports.push(Named {
            temporary,
            name: names::report(key),
        });
        if self.reports.len() >= GROUP {
            let mut reports = std::mem::take(&mut self.reports);
            let placed = sync_together(of(&mut reports).collect()).and_then(|()| place(reports));
            match placed {
                Ok(newest) => self.placed = newest.or(self.placed.take()),
                // Of every request of the batch, not only of the one that filled the group.
                Err(error) => self.failed = self.failed.take().or(Some(error)),
            }
        }
    }

    pub(super) fn row(&mut self, key: &DeliveryKey, row: &Row) -> Result<(), LedgerError> {
        self.rows.push(Unwritten {
            name: names::row(key),
            bytes: encode(key, row)?,
        });
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
            placed,
            failed,
            rows,
            fresh,
            dead,
        } = writes;
        if let Some(error) = failed {
            return Err(error);
        }
        let mut clock = match high_water {
            Some(time) => self.pending_high_water(time)?,
            None => None,
        };
        let mut admitted = self.admit(limits, fresh)?;
        let mut rows = std::mem::take(&mut admitted.rows).into_iter().chain(rows);
        let mut first = self.write_group(&mut rows)?;
        let mut files: Vec<&mut Temporary<'root>> = Vec::new();
        files.extend(clock.as_mut().map(PendingHighWater::temporary));
        files.extend(of(&mut reports));
        files.extend(admitted.pending.as_mut());
        files.extend(of(&mut first));
        files.extend(admitted.settled.as_mut());
        sync_together(files)?;
        let unsynced = self.put_before_rows(clock, placed, reports, admitted.pending.take())?;
        first.extend(admitted.ready.take());
        self.put_rows(unsynced, first, &mut rows)?;
        if let Some(settled) = admitted.settled.take() {
            // The rows are durable, so this count and the one before are both right after a crash:
            // its name needs no sync of its own.
            settled.publish(names::CAPACITY)?;
        }
        for name in dead {
            self.dir.remove(name)?;
        }
        drop(admitted.lock.take());
        Ok(admitted.refused)
    }

    /// Puts in place what must be durable before a row. Answers the name that is not, because no
    /// row rests on it.
    fn put_before_rows(
        &self,
        clock: Option<PendingHighWater<'_>>,
        placed: Option<String>,
        reports: Vec<Named<'_>>,
        pending: Option<Temporary<'_>>,
    ) -> Result<Option<String>, LedgerError> {
        let mut unsynced = None;
        if let Some(clock) = clock {
            clock.publish()?;
            unsynced = Some(names::ROOT.to_owned());
        }
        let mut before_rows = place(reports)?.or(placed);
        if let Some(pending) = pending {
            pending.publish(names::CAPACITY)?;
            before_rows = Some(names::CAPACITY.to_owned());
        }
        let Some(name) = before_rows else {
            return Ok(unsynced);
        };
        self.dir.sync_after(&name)?;
        Ok(None)
    }

    /// Puts the first rows in place, writes and places the others group by group, and makes all of
    /// them durable with one directory sync, and what came before unsynced with them.
    fn put_rows(
        &self,
        mut unsynced: Option<String>,
        first: Vec<Named<'_>>,
        rows: &mut dyn Iterator<Item = Unwritten>,
    ) -> Result<(), LedgerError> {
        let mut group = first;
        while !group.is_empty() {
            unsynced = place(group)?.or(unsynced);
            group = self.write_group(rows)?;
            sync_together(of(&mut group).collect())?;
        }
        match unsynced {
            Some(name) => Ok(self.dir.sync_after(&name)?),
            None => Ok(()),
        }
    }

    /// The next few rows, written and not yet synced.
    fn write_group(
        &self,
        rows: &mut dyn Iterator<Item = Unwritten>,
    ) -> Result<Vec<Named<'_>>, LedgerError> {
        rows.take(GROUP)
            .map(|Unwritten { name, bytes }| {
                let mut temporary = self.dir.temporary()?;
                temporary.append(&bytes)?;
                Ok(Named { temporary, name })
            })
            .collect()
    }

    /// Admits as many new rows as there is room for, in order. One is announced by its key, several
    /// by the marker of a batch, which every reader of the format understands. The folder is not
    /// listed, the marker of an interrupted batch aside.
    fn admit(&self, limits: &Limits, fresh: Vec<Fresh>) -> Result<Admitted<'_>, LedgerError> {
        let mut admitted = Admitted::default();
        if fresh.is_empty() {
            return Ok(admitted);
        }
        let (lock, mut ready) = self.wait_for_admission(limits, &fresh)?;
        admitted.lock = Some(lock);
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
            admitted.ready = ready.take();
            if admitted.ready.is_none() {
                admitted.rows.push(Unwritten {
                    name: names::row(&fresh.key),
                    bytes: fresh.bytes,
                });
            }
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

    /// Takes the admission lock. A single row is made ready while somebody else holds it, unless
    /// the count that can be read says that there is no room; the count under the lock decides.
    fn wait_for_admission(
        &self,
        limits: &Limits,
        fresh: &[Fresh],
    ) -> Result<(Lock, Option<Named<'_>>), LedgerError> {
        if let Some(lock) = self.free_admission_lock()? {
            return Ok((lock, None));
        }
        let ready = match fresh {
            [one] if self.may_have_room(limits) => {
                let mut temporary = self.dir.temporary()?;
                temporary.append(&one.bytes)?;
                temporary.sync()?;
                let name = names::row(&one.key);
                Some(Named { temporary, name })
            }
            _ => None,
        };
        Ok((self.admission_lock()?, ready))
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

/// The files under their temporary names.
fn of<'a, 'root>(list: &'a mut [Named<'root>]) -> impl Iterator<Item = &'a mut Temporary<'root>> {
    list.iter_mut().map(|named| &mut named.temporary)
}

/// Gives files their names, and answers the last of these.
fn place(list: Vec<Named<'_>>) -> Result<Option<String>, LedgerError> {
    let mut newest = None;
    for named in list {
        named.temporary.publish(&named.name)?;
        newest = Some(named.name);
    }
    Ok(newest)
}

/// Makes the bytes of all files durable.
fn sync_together(files: Vec<&mut Temporary<'_>>) -> Result<(), LedgerError> {
    if files.len() > 1 {
        for file in &files {
            file.begin_writing();
        }
    }
    if files.len() < GROUP {
        for file in files {
            file.sync()?;
        }
        return Ok(());
    }
    // Each takes the next file until none is left, so a thread that cannot be had is no error.
    let rest = Mutex::new(files.into_iter());
    let work = || -> Result<(), crate::durable::DiskError> {
        loop {
            let next = rest.lock().unwrap_or_else(PoisonError::into_inner).next();
            match next {
                Some(file) => file.sync()?,
                None => return Ok(()),
            }
        }
    };
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..GROUP)
            .map_while(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut outcome = work();
        for helper in helpers {
            let ended = |_| {
                let path = "a sync that was under way".into();
                Err(crate::durable::DiskError::Missing { path })
            };
            outcome = outcome.and(helper.join().unwrap_or_else(ended));
        }
        outcome
    })?;
    Ok(())
}
