//! What taking a clock on purpose reopens or ends (page 3.3).

use super::error::LedgerError;
use super::names::Name;
use super::root::Root;
use super::row::{Row, State};
use crate::clock::UnixMillis;

/// A root's last known time before and after its clock was taken on purpose, and what that does to
/// the rows that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceptedClock {
    /// The high water that was.
    pub from: UnixMillis,
    /// The present clock.
    pub to: UnixMillis,
    /// What that changes.
    pub effects: ClockEffects,
}

/// Rows that look otherwise at another time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockEffects {
    /// Leases that had ended and live again.
    pub reopened_leases: u64,
    /// Leases that lived and have ended.
    pub ended_leases: u64,
    /// Bounded lifetimes that had ended and protect again. Of deliveries without a row nothing is
    /// known: those that ended between the two times are accepted again.
    pub reopened_lifetimes: u64,
    /// Bounded lifetimes that have ended.
    pub ended_lifetimes: u64,
    /// Running rows that were written at a time beyond the new one. They keep their own time: they
    /// stay busy until their deadline, unless they are abandoned.
    pub running_ahead: u64,
}

/// What one row adds.
#[derive(Clone, Copy)]
struct Effect {
    lease: Turn,
    lifetime: Turn,
    ahead: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    None,
    Reopened,
    Ended,
}

impl Turn {
    const fn of(ended_before: bool, ended_after: bool) -> Turn {
        match (ended_before, ended_after) {
            (true, false) => Turn::Reopened,
            (false, true) => Turn::Ended,
            _ => Turn::None,
        }
    }

    fn count(self, reopened: &mut u64, ended: &mut u64) {
        match self {
            Turn::None => {}
            Turn::Reopened => *reopened = reopened.saturating_add(1),
            Turn::Ended => *ended = ended.saturating_add(1),
        }
    }
}

impl Effect {
    fn of(row: &Row, from: UnixMillis, to: UnixMillis) -> Effect {
        let lease = match &row.state {
            State::Running { expires_at, .. } => Turn::of(*expires_at <= from, *expires_at <= to),
            _ => Turn::None,
        };
        let lifetime = match row.replay_keep.end() {
            Some(end) => Turn::of(end < from, end < to),
            None => Turn::None,
        };
        Effect {
            lease,
            lifetime,
            ahead: matches!(row.state, State::Running { .. }) && row.last_seen > to,
        }
    }
}

impl Root {
    /// Reads every row, and counts those that look otherwise at `to` than at `from`.
    pub(super) fn clock_effects(
        &self,
        from: UnixMillis,
        to: UnixMillis,
    ) -> Result<ClockEffects, LedgerError> {
        let mut effects = ClockEffects::default();
        self.scan(
            &|entry| {
                let Name::Row(key) = Name::of(&entry.name) else {
                    return Ok(None);
                };
                Ok(self.row(&key)?.map(|row| Effect::of(&row, from, to)))
            },
            &mut |effect| {
                effect
                    .lease
                    .count(&mut effects.reopened_leases, &mut effects.ended_leases);
                effect.lifetime.count(
                    &mut effects.reopened_lifetimes,
                    &mut effects.ended_lifetimes,
                );
                if effect.ahead {
                    effects.running_ahead = effects.running_ahead.saturating_add(1);
                }
                Ok(())
            },
        )?;
        Ok(effects)
    }
}
