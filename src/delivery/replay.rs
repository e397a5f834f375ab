//! How long a delivery's identity must be remembered (page 2.4, source `delivery-record.txt`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::{ClockError, UnixMillis};

/// 30 days in milliseconds: the ceiling of both sides of a window (page 3.4).
pub const MAX_WINDOW_MILLIS: i64 = 30 * 24 * 60 * 60 * 1000;

/// The controller's two ceilings; they fix the replay end of every bounded delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayWindow {
    /// The largest signed age that any route may accept, 1 ms to 30 days.
    pub max_signed_age_millis: i64,
    /// The longest that a request may queue before it is judged, 1 ms to 30 days.
    pub max_queue_age_millis: i64,
}

/// A window out of its bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{member}` is {given} ms; it must be 1 ms to 30 days (2592000000)")]
pub struct WindowError {
    /// Which side.
    pub member: &'static str,
    /// What was given.
    pub given: i64,
}

impl ReplayWindow {
    /// A checked window.
    ///
    /// # Errors
    /// [`WindowError`] when a side is not 1 ms to 30 days.
    pub fn new(max_signed_age_millis: i64, max_queue_age_millis: i64) -> Result<Self, WindowError> {
        let sides = [
            ("max_signed_age_millis", max_signed_age_millis),
            ("max_queue_age_millis", max_queue_age_millis),
        ];
        for (member, given) in sides {
            if !(1..=MAX_WINDOW_MILLIS).contains(&given) {
                return Err(WindowError { member, given });
            }
        }
        Ok(ReplayWindow {
            max_signed_age_millis,
            max_queue_age_millis,
        })
    }

    /// The inclusive end of a delivery issued at `issued`.
    ///
    /// # Errors
    /// `CLOCK` when the sum leaves the range of stored times.
    pub fn end_of(&self, issued: UnixMillis) -> Result<UnixMillis, ClockError> {
        issued
            .plus(self.max_signed_age_millis)?
            .plus(self.max_queue_age_millis)
    }
}

/// A delivery's replay lifetime, stamped by ingress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "retention", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Replay {
    /// Nothing in the delivery says when it stops being valid.
    Permanent {},
    /// Protected through this time, inclusive.
    KeepThrough {
        /// The inclusive end.
        unix_millis: UnixMillis,
        /// The window that it was computed from; a root of another window refuses it.
        window: ReplayWindow,
    },
}

impl Replay {
    /// The inclusive end, if there is one.
    #[must_use]
    pub const fn end(&self) -> Option<UnixMillis> {
        match self {
            Replay::Permanent {} => None,
            Replay::KeepThrough { unix_millis, .. } => Some(*unix_millis),
        }
    }

    /// The window, if the lifetime is bounded.
    #[must_use]
    pub const fn window(&self) -> Option<ReplayWindow> {
        match self {
            Replay::Permanent {} => None,
            Replay::KeepThrough { window, .. } => Some(*window),
        }
    }
}
