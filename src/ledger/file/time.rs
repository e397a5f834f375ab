//! The time of a decision (page 3.3): the maximum of the clock, the root's high water and the
//! row's own last time. No rollback may undo an answer, and no leap may end every lifetime.

use super::error::LedgerError;
use super::metadata::Metadata;
use super::names;
use super::root::Root;
use crate::clock::{Clock, UnixMillis};
use crate::durable::{Lock, Temporary};

/// The high water is also saved when the clock is this fraction of the allowed step ahead of it (a
/// day of thirty), so that a busy root's high water never falls behind by a whole step.
const REFRESH_PARTS: i64 = 30;

impl Root {
    /// The time of a decision about a root and, if there is one, a row.
    pub(super) fn decide(
        &self,
        clock: &dyn Clock,
        metadata: &Metadata,
        last_seen: Option<UnixMillis>,
    ) -> Result<UnixMillis, LedgerError> {
        let reading = clock.now()?;
        let high_water = metadata.high_water;
        let ahead = reading.since(high_water);
        if ahead > self.options.max_clock_step_millis {
            return Err(LedgerError::ClockLeap {
                reading,
                high_water,
                ahead,
            });
        }
        Ok(reading
            .max(high_water)
            .max(last_seen.unwrap_or(UnixMillis::ZERO)))
    }

    /// Saves the high water if it is behind `time`, durably. Needed before any answer that rests
    /// on a deadline having passed.
    pub(super) fn save_high_water(&self, time: UnixMillis) -> Result<(), LedgerError> {
        if let Some(mut pending) = self.pending_high_water(time)? {
            pending.temporary().sync()?;
            pending.publish()?;
            self.dir.sync_after(names::ROOT)?;
        }
        Ok(())
    }

    /// Whether the high water has fallen so far behind that it is saved although nothing rests
    /// on it.
    pub(super) fn is_far_behind(&self, metadata: &Metadata, time: UnixMillis) -> bool {
        let far = self
            .options
            .max_clock_step_millis
            .checked_div(REFRESH_PARTS)
            .unwrap_or(0);
        time.since(metadata.high_water) > far
    }

    /// A high water that is to be saved together with something else; `None` when the root's is
    /// late enough. The clock lock is held until it is dropped.
    pub(super) fn pending_high_water(
        &self,
        time: UnixMillis,
    ) -> Result<Option<PendingHighWater<'_>>, LedgerError> {
        let lock = self.clock_lock()?;
        let metadata = self.metadata()?;
        if metadata.high_water >= time {
            return Ok(None);
        }
        let next = Metadata::new(metadata.schema, metadata.limits(), time);
        Ok(Some(PendingHighWater {
            temporary: self.write_frame(names::ROOT, &next)?,
            _lock: lock,
        }))
    }
}

/// A root frame that is written and not yet in place.
#[derive(Debug)]
pub(super) struct PendingHighWater<'root> {
    temporary: Temporary<'root>,
    _lock: Lock,
}

impl<'root> PendingHighWater<'root> {
    /// The file that is to be synced.
    pub(super) fn temporary(&mut self) -> &mut Temporary<'root> {
        &mut self.temporary
    }

    /// Puts it in place; durable after the next directory sync.
    pub(super) fn publish(self) -> Result<(), LedgerError> {
        Ok(self.temporary.publish(names::ROOT)?)
    }
}
