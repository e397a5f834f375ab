//! When a delivery is pushed again (page 5.2, point 6): from the end of the last attempt, never
//! longer than its backoff, whatever the clock does.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::intent::{Intent, State};
use super::key::DeliveryKey;
use crate::clock::UnixMillis;

/// The longest wait, in milliseconds.
pub const MAX_BACKOFF_MILLIS: i64 = 300_000;

/// The wait after the `failed`-th failed push, in milliseconds: min(1000·2^(failed−1), 300,000).
/// 0 counts as 1, so it is never less than a second.
#[must_use]
pub fn backoff_millis(failed: u32) -> i64 {
    let doublings = failed.saturating_sub(1).min(9);
    1000_i64
        .checked_shl(doublings)
        .unwrap_or(MAX_BACKOFF_MILLIS)
        .min(MAX_BACKOFF_MILLIS)
}

/// How long to wait from `now` until an intent is due, in milliseconds; 0 when it is due. A clock
/// that reads a time before the intent's last change went back, and how far is not known: the
/// intent is due, rather than waiting longer than its backoff.
#[must_use]
pub fn wait_left_millis(intent: &Intent, now: UnixMillis) -> i64 {
    let left = intent.next_attempt_at_millis.since(now);
    if left <= 0 || intent.state != State::Retrying || intent.updated_at_millis > now {
        return 0;
    }
    // Before the first push, and after a retry, nothing failed yet that one would have to wait for.
    match intent.attempt.saturating_sub(1) {
        0 => 0,
        failed => left.min(backoff_millis(failed)),
    }
}

/// The waits as a running watcher keeps them: by the monotonic clock from the moment it first saw
/// them, and by the wall clock, whichever ends first.
#[derive(Debug, Default)]
pub struct BackoffClock {
    seen: HashMap<DeliveryKey, (UnixMillis, Instant)>,
}

impl BackoffClock {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> BackoffClock {
        BackoffClock::default()
    }

    /// How long the intent still has to wait; zero when it is due.
    pub fn wait_left(&mut self, intent: &Intent, now: UnixMillis, at: Instant) -> Duration {
        let left = wait_left_millis(intent, now);
        let left = Duration::from_millis(u64::try_from(left).unwrap_or_default());
        let due = at.checked_add(left).unwrap_or(at);
        let slot = self
            .seen
            .entry(intent.key())
            .or_insert((intent.next_attempt_at_millis, due));
        if slot.0 != intent.next_attempt_at_millis {
            *slot = (intent.next_attempt_at_millis, due);
        }
        slot.1.saturating_duration_since(at).min(left)
    }

    /// Forgets a delivery that ended.
    pub fn forget(&mut self, key: &DeliveryKey) {
        self.seen.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbox::intent::tests::intent;

    fn at(millis: i64) -> UnixMillis {
        UnixMillis::new(millis).unwrap()
    }

    #[test]
    fn f11_attempts_0_1_11_and_12_wait_as_the_source_page_says() {
        for (failed, wait) in [
            (0, 1000),
            (1, 1000),
            (2, 2000),
            (3, 4000),
            (8, 128_000),
            (9, 256_000),
            (10, 300_000),
            (11, 300_000),
            (12, 300_000),
            (u32::MAX, 300_000),
        ] {
            assert_eq!(backoff_millis(failed), wait, "{failed}");
        }
    }

    fn waiting(attempt: u32, updated: i64, next: i64) -> Intent {
        let mut intent = intent();
        intent.state = State::Retrying;
        intent.attempt = attempt;
        intent.updated_at_millis = at(updated);
        intent.next_attempt_at_millis = at(next);
        intent
    }

    #[test]
    fn a_clock_that_went_back_never_makes_a_delivery_wait_longer_than_its_backoff() {
        let intent = waiting(3, 100_000, 102_000);
        assert_eq!(wait_left_millis(&intent, at(100_000)), 2000);
        assert_eq!(wait_left_millis(&intent, at(101_999)), 1);
        assert_eq!(wait_left_millis(&intent, at(102_000)), 0);
        assert_eq!(wait_left_millis(&intent, at(99_999)), 0);
        assert_eq!(wait_left_millis(&intent, at(0)), 0);
        // A wrong record, too, waits no longer than its backoff.
        assert_eq!(wait_left_millis(&waiting(3, 0, 9_000_000), at(1)), 2000);
        assert_eq!(wait_left_millis(&waiting(0, 0, 9_000_000), at(1)), 0);
    }

    #[test]
    fn a_watcher_waits_by_the_monotonic_clock_when_the_wall_clock_stands_still_or_goes_back() {
        let mut clock = BackoffClock::new();
        let start = Instant::now();
        let intent = waiting(4, 100_000, 104_000);
        assert_eq!(
            clock.wait_left(&intent, at(100_000), start),
            Duration::from_secs(4)
        );
        let later = start + Duration::from_secs(3);
        assert_eq!(
            clock.wait_left(&intent, at(100_000), later),
            Duration::from_secs(1)
        );
        assert_eq!(
            clock.wait_left(&intent, at(103_500), later),
            Duration::from_millis(500)
        );
        let again = waiting(5, 200_000, 208_000);
        assert_eq!(
            clock.wait_left(&again, at(200_000), later),
            Duration::from_secs(8)
        );
    }
}
