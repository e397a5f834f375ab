//! `init`: validates the whole root, migrates v0.9 metadata, settles what a crash left, cleans and
//! prepares (page 3.2, 3b.9).

use super::capacity::{Capacity, Count};
use super::cleanup::Cleaned;
use super::clock_change::AcceptedClock;
use super::error::LedgerError;
use super::metadata::{Limits, Metadata, Schema};
use super::names::{self, Name};
use super::root::Root;
use crate::clock::{Clock, UnixMillis};

/// What to do with a clock that is far from the root's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockPolicy {
    /// Refuse it.
    Guard,
    /// Take it on purpose, in either direction.
    Accept,
}

/// What `init` did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The root's limits.
    pub limits: Limits,
    /// Its rows now.
    pub records: u64,
    /// Its high water now.
    pub high_water: UnixMillis,
    /// Whether older metadata was upgraded.
    pub migrated: bool,
    /// The clock that was taken on purpose, if one was.
    pub accepted_clock: Option<AcceptedClock>,
    /// What was cleaned.
    pub cleaned: Cleaned,
}

impl Root {
    /// Prepares the root with these limits.
    ///
    /// # Errors
    /// `ROOT_CONFIGURATION` for other limits than the root's, `ROOT_CORRUPT` naming the file,
    /// `CLOCK`, `BUSY`, or the system's.
    pub fn init(
        &self,
        limits: &Limits,
        clock: &dyn Clock,
        policy: ClockPolicy,
    ) -> Result<Prepared, LedgerError> {
        let mut removed = 0;
        let mut fresh = false;
        let mut metadata: Option<Metadata> = self.read_frame(names::ROOT)?;
        if metadata.is_none() {
            (removed, fresh) = self.create(limits, clock.now()?)?;
            metadata = self.read_frame(names::ROOT)?;
        }
        let metadata = metadata
            .ok_or_else(|| self.corrupt(names::ROOT, "it was removed while it was made"))?;
        self.compare(&metadata.limits(), limits)?;
        let accepted_clock = match policy {
            ClockPolicy::Guard => None,
            ClockPolicy::Accept => self.accept_clock(&metadata, clock.now()?)?,
        };
        let metadata = self.read_frame(names::ROOT)?.unwrap_or(metadata);
        let now = self.decide(clock, &metadata, None)?;
        let migrated = metadata.schema == Schema::Legacy && self.upgrade(limits, now)?;
        let mut cleaned = self.clean(limits, now)?;
        cleaned.removed_temporary = cleaned.removed_temporary.saturating_add(removed);
        Ok(Prepared {
            limits: *limits,
            records: self.settled_records(limits)?,
            high_water: cleaned.high_water,
            migrated: migrated && !fresh,
            accepted_clock,
            cleaned,
        })
    }

    /// Makes the metadata of a new root, in the order that a stop anywhere leaves it usable: the
    /// old spelling, the count, the upgrade. How many leftovers were removed, and whether it was
    /// this call that made it.
    fn create(&self, limits: &Limits, now: UnixMillis) -> Result<(u64, bool), LedgerError> {
        // Looked at before the lock file is made, so that a wrong folder stays as it is.
        self.check_new()?;
        let _exclusive = self.exclusive()?;
        if self.read_frame::<Metadata>(names::ROOT)?.is_some() {
            return Ok((0, false));
        }
        self.check_new()?;
        let mut removed = 0_u64;
        for name in self.list_names()?.temporaries {
            if self.remove_temporary(&name)? {
                removed = removed.saturating_add(1);
            }
        }
        let legacy = Metadata::new(Schema::Legacy, *limits, now);
        self.save_frame(names::ROOT, &legacy)?;
        let capacity = Capacity::new(limits.max_records, Count::Settled(0));
        self.save_frame(names::CAPACITY, &capacity)?;
        let current = Metadata::new(Schema::Current, *limits, now);
        self.save_frame(names::ROOT, &current)?;
        Ok((removed, true))
    }

    /// A folder without metadata is new only if it holds nothing but what a first init that was
    /// stopped leaves.
    fn check_new(&self) -> Result<(), LedgerError> {
        let looked = self.dir.each_entry(|entry| {
            match self.known(&entry)? {
                Name::Maintenance => {}
                Name::Temporary => {
                    self.check_temporary(&entry.name)?;
                }
                _ => {
                    return Err(self.corrupt(
                        &entry.name.to_string_lossy(),
                        "it is there, and the root's metadata is not",
                    ));
                }
            }
            Ok(())
        });
        // `check` says nothing about a folder that is no root, so it is not pointed to.
        looked.map_err(|error| match error {
            LedgerError::Corrupt { path, reason } => LedgerError::NotNew { path, reason },
            other => other,
        })
    }

    /// Upgrades v0.9 metadata, or that of an interrupted init; whether it was this call that did.
    fn upgrade(&self, limits: &Limits, now: UnixMillis) -> Result<bool, LedgerError> {
        // No row work runs on such a root, so all of it can be validated first.
        self.list_names()?;
        self.survey(now)?;
        let _exclusive = self.exclusive()?;
        let _admission = self.admission_lock()?;
        let metadata: Metadata = self
            .read_frame(names::ROOT)?
            .ok_or_else(|| self.corrupt(names::ROOT, "it was removed"))?;
        if metadata.schema == Schema::Current {
            return Ok(false);
        }
        // Its count and markers are not believed, but it must be one of this root.
        if self.read_frame::<Capacity>(names::CAPACITY)?.is_some() {
            self.capacity(limits)?;
        }
        let rows = self.list_names()?.rows;
        if rows > limits.max_records {
            return Err(self.corrupt(
                names::ROOT,
                format!(
                    "the folder holds {rows} rows, over the cap of {}",
                    limits.max_records
                ),
            ));
        }
        let capacity = Capacity::new(limits.max_records, Count::Settled(rows));
        self.save_frame(names::CAPACITY, &capacity)?;
        let high_water = now.max(metadata.high_water);
        let current = Metadata::new(Schema::Current, *limits, high_water);
        self.save_frame(names::ROOT, &current)?;
        Ok(true)
    }

    /// Sets the high water to the present clock, in either direction. A damaged row stops it: what
    /// the change does to it could not be said.
    fn accept_clock(
        &self,
        before: &Metadata,
        now: UnixMillis,
    ) -> Result<Option<AcceptedClock>, LedgerError> {
        if before.high_water == now {
            return Ok(None);
        }
        let effects = self.clock_effects(before.high_water, now)?;
        let _exclusive = self.exclusive()?;
        let _clock = self.clock_lock()?;
        let metadata: Metadata = self
            .read_frame(names::ROOT)?
            .ok_or_else(|| self.corrupt(names::ROOT, "it was removed"))?;
        let next = Metadata::new(metadata.schema, metadata.limits(), now);
        self.save_frame(names::ROOT, &next)?;
        Ok(Some(AcceptedClock {
            from: metadata.high_water,
            to: now,
            effects,
        }))
    }
}
