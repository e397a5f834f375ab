//! The only code that reads the time (page 1.4).

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::code::{Code, Coded};

/// The largest integer that every JSON reader keeps exactly: 2^53 − 1.
pub const MAX_INTEGER: i64 = 9_007_199_254_740_991;

/// Milliseconds since 1970 in UTC, 0 to 2^53 − 1.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(try_from = "i64", into = "i64")]
#[schemars(with = "u64", extend("maximum" = 9_007_199_254_740_991_u64))]
pub struct UnixMillis(i64);

impl UnixMillis {
    /// 1970-01-01T00:00:00Z.
    pub const ZERO: UnixMillis = UnixMillis(0);

    /// A checked time.
    ///
    /// # Errors
    /// `CLOCK` when `millis` is negative or over 2^53 − 1.
    pub const fn new(millis: i64) -> Result<UnixMillis, ClockError> {
        if millis < 0 {
            Err(ClockError::Negative(millis))
        } else if millis > MAX_INTEGER {
            Err(ClockError::TooLarge(millis))
        } else {
            Ok(UnixMillis(millis))
        }
    }

    /// The plain number.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// This time and `millis` more.
    ///
    /// # Errors
    /// `CLOCK` when the sum leaves the range.
    pub fn plus(self, millis: i64) -> Result<UnixMillis, ClockError> {
        self.0
            .checked_add(millis)
            .map_or(Err(ClockError::TooLarge(i64::MAX)), UnixMillis::new)
    }

    /// How many milliseconds `self` is after `earlier`; negative when it is before. Cannot
    /// overflow: both are within 2^53.
    #[must_use]
    pub const fn since(self, earlier: UnixMillis) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl TryFrom<i64> for UnixMillis {
    type Error = ClockError;
    fn try_from(millis: i64) -> Result<Self, ClockError> {
        UnixMillis::new(millis)
    }
}

impl From<UnixMillis> for i64 {
    fn from(time: UnixMillis) -> i64 {
        time.0
    }
}

impl std::fmt::Display for UnixMillis {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

/// Why there is no trusted time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClockError {
    /// Before 1970.
    #[error("the clock reads {0} ms, which is before 1970")]
    Negative(i64),
    /// Over 2^53 − 1 ms.
    #[error("the time {0} ms is over the largest that can be stored, 9007199254740991")]
    TooLarge(i64),
}

impl Coded for ClockError {
    fn code(&self) -> Code {
        Code::Clock
    }
    fn hint(&self) -> Option<String> {
        Some("mend the system clock, or give the time with --now-unix-millis".into())
    }
}

/// Where the trusted time comes from.
pub trait Clock {
    /// The present time.
    ///
    /// # Errors
    /// `CLOCK` when there is none that can be trusted.
    fn now(&self) -> Result<UnixMillis, ClockError>;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Result<UnixMillis, ClockError> {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => UnixMillis::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
            Err(before) => Err(ClockError::Negative(
                i64::try_from(before.duration().as_millis()).map_or(i64::MIN, i64::saturating_neg),
            )),
        }
    }
}

/// One fixed reading, good or not: `--now-unix-millis`, and tests.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub i64);

impl Clock for FixedClock {
    fn now(&self) -> Result<UnixMillis, ClockError> {
        UnixMillis::new(self.0)
    }
}

/// Time since boot, that of a suspended machine included: for windows that a sleeping owner may not
/// outlive. Never goes back, and no setting of the clock moves it.
#[must_use]
pub fn since_boot() -> std::time::Duration {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let clock = rustix::time::ClockId::Boottime;
    // Elsewhere the monotonic clock is the nearest: on macOS it counts sleep too.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let clock = rustix::time::ClockId::Monotonic;
    let time = rustix::time::clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    std::time::Duration::new(seconds, nanos)
}

impl<C: Clock + ?Sized> Clock for &C {
    fn now(&self) -> Result<UnixMillis, ClockError> {
        (**self).now()
    }
}

impl Clock for Box<dyn Clock + '_> {
    fn now(&self) -> Result<UnixMillis, ClockError> {
        (**self).now()
    }
}
