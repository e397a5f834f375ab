//! What an attempt or a retry makes of an intent: pure functions. The pump pushes without the
//! intent's lock, so each takes the intent as it stands now beside the one that was pushed.

use super::backoff::backoff_millis;
use super::intent::{Intent, MAX_ATTEMPTS, State};
use crate::clock::UnixMillis;
use crate::code::Code;
use crate::delivery::ObjectId;

/// What became of the result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The intent to write.
    Write(Box<Intent>),
    /// Another delivery stands there now, or this one ended meanwhile: the result is dropped.
    Stale,
}

impl Settled {
    fn write(intent: Intent) -> Settled {
        Settled::Write(Box::new(intent))
    }
}

fn still_open(current: &Intent, pushed: &Intent) -> bool {
    current.is_same_delivery(pushed) && current.state.retains_objects()
}

/// A push failed and ended at `ended`. A retry that came during it is kept: its count of twelve
/// starts afresh, and it is due at once.
#[must_use]
pub fn after_failure(current: &Intent, pushed: &Intent, error: Code, ended: UnixMillis) -> Settled {
    if !still_open(current, pushed) {
        return Settled::Stale;
    }
    let mut next = current.clone();
    next.last_error = Some(error.into());
    next.updated_at_millis = ended;
    next.state = State::Retrying;
    if current.retry_requested_at_millis != pushed.retry_requested_at_millis {
        return Settled::write(next);
    }
    let number = pushed.next_push();
    if number >= MAX_ATTEMPTS {
        next.state = State::Failed;
        next.attempt = number;
        return Settled::write(next);
    }
    next.attempt = number.saturating_add(1);
    // At the end of time there is nothing to wait for.
    next.next_attempt_at_millis = ended.plus(backoff_millis(number)).unwrap_or(ended);
    Settled::write(next)
}

/// The origin has the commit, or one that contains it.
#[must_use]
pub fn after_delivery(
    current: &Intent,
    pushed: &Intent,
    superseded_by: Option<ObjectId>,
    ended: UnixMillis,
) -> Settled {
    // A failed delivery whose push reached the origin after all is delivered too.
    if !current.is_same_delivery(pushed) || current.state == State::Delivered {
        return Settled::Stale;
    }
    let mut next = current.clone();
    next.state = State::Delivered;
    next.attempt = pushed.next_push();
    next.last_error = None;
    next.superseded_by = superseded_by;
    next.updated_at_millis = ended;
    Settled::write(next)
}

/// Somebody asked for a retry: due at once, and twelve pushes again. `None` when it is delivered.
/// One whose first push has not ended has nothing to reset, but that push may be in flight, so the
/// request is kept for it too. The time of the request grows with each one, so that a push in
/// flight can tell them apart.
#[must_use]
pub fn after_retry(current: &Intent, now: UnixMillis) -> Option<Intent> {
    let mut next = current.clone();
    match current.state {
        State::Delivered => return None,
        State::Pending => {}
        State::Failed | State::Retrying => {
            next.state = State::Retrying;
            next.attempt = 0;
            next.next_attempt_at_millis = now;
        }
    }
    next.updated_at_millis = now;
    let after_last = current
        .retry_requested_at_millis
        .map(|last| last.plus(1).unwrap_or(last));
    next.retry_requested_at_millis = Some(after_last.map_or(now, |last| last.max(now)));
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbox::intent::tests::intent;

    fn at(millis: i64) -> UnixMillis {
        UnixMillis::new(millis).unwrap()
    }

    fn fail(intent: &Intent, ended: i64) -> Intent {
        match after_failure(intent, intent, Code::OriginUnreachable, at(ended)) {
            Settled::Write(next) => *next,
            Settled::Stale => panic!("stale"),
        }
    }

    #[test]
    fn f11_waits_are_one_two_four_seconds_from_the_end_of_each_attempt() {
        let mut intent = intent();
        for (number, wait) in [
            1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000,
        ]
        .iter()
        .enumerate()
        {
            let ended = 1_000_000 * (i64::try_from(number).unwrap() + 1);
            intent = fail(&intent, ended);
            assert_eq!(intent.next_attempt_at_millis, at(ended + wait));
            assert_eq!(intent.attempt, u32::try_from(number).unwrap() + 2);
            assert_eq!(intent.state, State::Retrying);
        }
        intent = fail(&intent, 99_000_000);
        assert_eq!((intent.state, intent.attempt), (State::Failed, 12));
    }

    #[test]
    fn twelve_attempts_are_twelve_after_a_retry_too() {
        let mut intent = intent();
        intent.state = State::Failed;
        intent.attempt = 12;
        intent = after_retry(&intent, at(50)).unwrap();
        assert_eq!((intent.attempt, intent.next_attempt_at_millis), (0, at(50)));
        let mut pushes = 0;
        while intent.state != State::Failed {
            pushes += 1;
            intent = fail(&intent, 100);
        }
        assert_eq!(pushes, 12);
    }

    #[test]
    fn a_retry_that_arrives_during_a_push_is_kept() {
        let mut pushed = intent();
        pushed.state = State::Retrying;
        pushed.attempt = 7;
        let current = after_retry(&pushed, at(60)).unwrap();
        let Settled::Write(next) = after_failure(&current, &pushed, Code::OriginTimeout, at(70))
        else {
            panic!("stale")
        };
        assert_eq!((next.attempt, next.next_attempt_at_millis), (0, at(60)));
        // Also when the retried delivery is retried again within the same millisecond.
        let again = after_retry(&current, at(60)).unwrap();
        assert_ne!(
            again.retry_requested_at_millis,
            current.retry_requested_at_millis
        );
        let Settled::Write(next) = after_failure(&again, &current, Code::OriginTimeout, at(70))
        else {
            panic!("stale")
        };
        assert_eq!(next.attempt, 0);
    }

    #[test]
    fn a_result_of_another_delivery_or_an_ended_one_is_dropped() {
        let pushed = intent();
        let mut other = pushed.clone();
        other.created_at_millis = at(2);
        assert_eq!(
            after_failure(&other, &pushed, Code::OriginTimeout, at(3)),
            Settled::Stale
        );
        assert_eq!(after_delivery(&other, &pushed, None, at(3)), Settled::Stale);
        let Settled::Write(done) = after_delivery(&pushed, &pushed, None, at(3)) else {
            panic!("stale")
        };
        assert_eq!(
            (done.state, done.attempt, done.last_error.clone()),
            (State::Delivered, 1, None)
        );
        assert_eq!(
            after_failure(&done, &pushed, Code::OriginTimeout, at(4)),
            Settled::Stale
        );
        assert!(after_retry(&done, at(4)).is_none());
    }

    #[test]
    fn a_retry_that_arrives_during_the_first_push_is_kept_too() {
        let pushed = intent();
        let current = after_retry(&pushed, at(60)).unwrap();
        assert_eq!(
            (current.state, current.attempt, current.next_push()),
            (State::Pending, pushed.attempt, 1),
            "a delivery never pushed has nothing to reset"
        );
        let Settled::Write(next) = after_failure(&current, &pushed, Code::PushRejected, at(70))
        else {
            panic!("stale")
        };
        assert_eq!((next.state, next.next_push()), (State::Retrying, 1));
        assert!(next.next_attempt_at_millis <= at(70), "it is due at once");
        // Without another request the next failure waits as the first of twelve.
        assert_eq!(fail(&next, 80).next_attempt_at_millis, at(1080));
    }
}
