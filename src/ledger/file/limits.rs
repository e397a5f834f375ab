//! `resize` and `retune`: the limits of a root, changed on purpose (page 3.5, point 7).

use super::capacity::{Capacity, Count};
use super::error::LedgerError;
use super::metadata::{Limits, Metadata, Schema};
use super::names::{self, Name};
use super::root::Root;
use super::row::State;

/// Limits before and after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed {
    /// As they were.
    pub from: Limits,
    /// As they are.
    pub to: Limits,
    /// The rows that the root holds.
    pub records: u64,
    /// The bounded rows, running or saved, whose requests conflict with them when they are verified
    /// again under a window that has grown: a stored lifetime is never made longer.
    pub caught: u64,
}

/// Which of a root's times are to change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tuning {
    /// The lease.
    pub lease_millis: Option<i64>,
    /// The signed age.
    pub max_signed_age_millis: Option<i64>,
    /// The queue age.
    pub max_queue_age_millis: Option<i64>,
}

impl Root {
    /// Changes the cap. It stands in two frames that must agree, so the change walks through
    /// states that an interrupted `init` knows: a stop anywhere leaves a root that `init` finishes
    /// with the old cap or with the new one.
    ///
    /// # Errors
    /// `ROOT_CONFIGURATION` when there are more rows, `ROOT_CORRUPT`, `BUSY`, or the system's.
    pub fn resize(&self, max_records: u64) -> Result<Changed, LedgerError> {
        self.metadata()?;
        let _exclusive = self.exclusive()?;
        let _admission = self.admission_lock()?;
        let metadata = self.metadata()?;
        let from = metadata.limits();
        let records = self.list_names()?.rows;
        self.settle(&from, records)?;
        let to = Limits {
            max_records,
            ..from
        };
        let changed = Changed {
            from,
            to,
            records,
            caught: 0,
        };
        if from == to {
            return Ok(changed);
        }
        if records > max_records {
            return Err(LedgerError::Configuration {
                root: self.path().to_owned(),
                reason: format!(
                    "the root holds {records} rows, more than the cap of {max_records} that was \
                     asked for"
                ),
                remedy: "ask for more, or let `amiss ledger cleanup` remove what has ended first",
            });
        }
        let metadata_of =
            |schema, limits: Limits| Metadata::new(schema, limits, metadata.high_water);
        self.save_frame(names::ROOT, &metadata_of(Schema::Legacy, from))?;
        self.dir.remove(names::CAPACITY)?;
        self.dir.sync()?;
        self.save_frame(names::ROOT, &metadata_of(Schema::Legacy, to))?;
        let capacity = Capacity::new(max_records, Count::Settled(records));
        self.save_frame(names::CAPACITY, &capacity)?;
        self.save_frame(names::ROOT, &metadata_of(Schema::Current, to))?;
        Ok(changed)
    }

    /// Changes the lease and the windows. A window may only grow while bounded rows exist: their
    /// ends were computed from it, and a smaller one would let a delivery end before its row does.
    ///
    /// # Errors
    /// `ROOT_CONFIGURATION` when a window would shrink over bounded rows, `ROOT_CORRUPT`, `BUSY`,
    /// or the system's.
    pub fn retune(&self, tuning: Tuning) -> Result<Changed, LedgerError> {
        self.metadata()?;
        let _exclusive = self.exclusive()?;
        let _clock = self.clock_lock()?;
        let _admission = self.admission_lock()?;
        let metadata = self.metadata()?;
        let from = metadata.limits();
        let records = self.list_names()?.rows;
        self.settle(&from, records)?;
        let to = Limits {
            lease_millis: tuning.lease_millis.unwrap_or(from.lease_millis),
            max_signed_age_millis: tuning
                .max_signed_age_millis
                .unwrap_or(from.max_signed_age_millis),
            max_queue_age_millis: tuning
                .max_queue_age_millis
                .unwrap_or(from.max_queue_age_millis),
            ..from
        };
        let windows = |limits: &Limits| (limits.max_signed_age_millis, limits.max_queue_age_millis);
        let (old, new) = (windows(&from), windows(&to));
        let shrinks = new.0 < old.0 || new.1 < old.1;
        let bounded = if old == new {
            Bounded::default()
        } else {
            self.bounded_rows(shrinks)?
        };
        if shrinks && bounded.all > 0 {
            return Err(LedgerError::Configuration {
                root: self.path().to_owned(),
                reason: "a window may only grow while bounded rows exist".to_owned(),
                remedy: "wait until they have ended and `amiss ledger cleanup` removed them",
            });
        }
        if from != to {
            let next = Metadata::new(Schema::Current, to, metadata.high_water);
            self.save_frame(names::ROOT, &next)?;
        }
        Ok(Changed {
            from,
            to,
            records,
            caught: bounded.unfinished,
        })
    }

    /// Counts the bounded rows. Where the answer decides about something, a damaged row fails it.
    fn bounded_rows(&self, decides: bool) -> Result<Bounded, LedgerError> {
        let mut bounded = Bounded::default();
        self.scan(
            &|entry| {
                let Name::Row(key) = Name::of(&entry.name) else {
                    return Ok(None);
                };
                let row = match self.row(&key) {
                    Err(error) if decides => return Err(error),
                    row => row.ok().flatten(),
                };
                Ok(row
                    .filter(|row| row.replay_keep.end().is_some())
                    .map(|row| !matches!(row.state, State::Done { .. })))
            },
            &mut |unfinished| {
                bounded.all = bounded.all.saturating_add(1);
                bounded.unfinished = bounded.unfinished.saturating_add(u64::from(unfinished));
                Ok(())
            },
        )?;
        Ok(bounded)
    }
}

/// How many rows have an end.
#[derive(Default)]
struct Bounded {
    all: u64,
    unfinished: u64,
}
