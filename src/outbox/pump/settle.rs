//! From the intent on the disk to the start of a job, and from its outcome back to the disk.

use super::job::{Item, Outcome};
use super::{Pump, Report, Verdict};
use crate::clock::UnixMillis;
use crate::code::{Code, Coded};
use crate::git::redact;
use crate::outbox::error::OutboxError;
use crate::outbox::intent::{Intent, IntentFile, State};
use crate::outbox::mirror::Mirror;
use crate::outbox::note::MAX_NOTE_BYTES;
use crate::outbox::transition::{Settled, after_delivery, after_failure};

impl Pump {
    /// Reads an intent under its lock, so that an enqueue under way is over. What is not open any
    /// more is finished and reported.
    pub(super) fn snapshot(&self, seen: &Intent) -> Result<Item, Box<Report>> {
        let skip = |error| Err(Box::new(Report::skipped(seen, error)));
        match self.snapshot_or_finish(seen) {
            Ok(Some(intent)) => Ok(Item {
                mirror: self.root.mirror_of(&intent),
                intent,
            }),
            Ok(None) => skip(None),
            Err(error) => skip(Some(error.code())),
        }
    }

    fn snapshot_or_finish(&self, seen: &Intent) -> Result<Option<Intent>, OutboxError> {
        let key = seen.key();
        let held = self.root.lock_intent(&key)?;
        let intent = match self.root.read_intent(&key)? {
            IntentFile::Good(intent) => intent,
            IntentFile::Absent => return Ok(None),
            IntentFile::Unreadable(error) => {
                return Err(OutboxError::Unreadable {
                    key: Box::new(key),
                    source: Box::new(error),
                });
            }
        };
        if !intent.state.retains_objects() {
            self.root.finish_ledger(&intent)?;
            self.root.settle_due(&held, &intent)?;
            return Ok(None);
        }
        Ok(Some(*intent))
    }

    /// Writes an outcome down: result, then ledger, then due entry.
    pub(super) fn settle(&self, item: &Item, outcome: Outcome) -> Report {
        match self.write_outcome(item, outcome) {
            Ok(report) => report,
            Err(error) => Report::skipped(&item.intent, Some(error.code())),
        }
    }

    fn write_outcome(&self, item: &Item, outcome: Outcome) -> Result<Report, OutboxError> {
        let (pushed, key) = (&item.intent, item.intent.key());
        if matches!(outcome, Outcome::Interrupted) {
            return Ok(Report::skipped(pushed, Some(Code::Interrupted)));
        }
        let held = self.root.lock_intent(&key)?;
        let IntentFile::Good(current) = self.root.read_intent(&key)? else {
            return Ok(Report::skipped(pushed, None));
        };
        let now = self.clock.now()?;
        let (settled, note) = match outcome {
            Outcome::Arrived(superseded_by) => {
                let ended = self.after_ledger(pushed, now);
                let settled = after_delivery(&current, pushed, superseded_by, ended);
                (settled, String::new())
            }
            Outcome::Failed(class, words) => {
                let note = redact(&words, self.config.secrets(), MAX_NOTE_BYTES);
                (after_failure(&current, pushed, class.code(), now), note)
            }
            Outcome::Interrupted => (Settled::Stale, String::new()),
        };
        let Settled::Write(next) = settled else {
            return Ok(Report::skipped(&current, None));
        };
        // The note only explains; a delivery is not held up for it.
        let _ = self.root.write_note(&held, &key, &note);
        self.root.update_intent(&held, &next)?;
        self.root.finish_ledger(&next)?;
        self.root.settle_due(&held, &next)?;
        drop(held);
        if next.state.retains_objects() {
            // An enqueue that was killed before its pin must not lose the objects to a collection.
            // What keeps it from being pinned keeps it from being pushed, and is shown there.
            let _ = self.keep_pinned(&next);
        }
        Ok(Report::of(&next))
    }

    fn keep_pinned(&self, intent: &Intent) -> Result<(), OutboxError> {
        let key = intent.key();
        let mirror = Mirror::of_intent(&self.root, intent, &self.settings.stop)?;
        if mirror.pinned(&key)?.as_ref() != Some(&intent.oid) {
            self.root.repin(&key, &self.settings.stop)?;
        }
        Ok(())
    }

    /// The time of a delivery: now, and after the last one to the same target, so that the ledger
    /// goes forward when the clock does not.
    fn after_ledger(&self, intent: &Intent, now: UnixMillis) -> UnixMillis {
        let ledger = self.root.read_ledger(&intent.target()).ok().flatten();
        ledger
            .and_then(|ledger| ledger.updated_at_millis.plus(1).ok())
            .map_or(now, |after| after.max(now))
    }
}

impl Report {
    /// A delivery with which nothing was decided.
    pub(super) fn skipped(intent: &Intent, error: Option<Code>) -> Report {
        Report {
            key: intent.key(),
            verdict: Verdict::Skipped,
            delivery: intent.into(),
            error,
        }
    }

    fn of(intent: &Intent) -> Report {
        let verdict = match (intent.state, &intent.superseded_by) {
            (State::Delivered, None) => Verdict::Delivered,
            (State::Delivered, Some(_)) => Verdict::Superseded,
            (State::Failed, _) => Verdict::Failed,
            (State::Retrying | State::Pending, _) => Verdict::Retrying,
        };
        let error = intent
            .last_error
            .as_ref()
            .and_then(|error| Code::parse(error.as_str()));
        Report {
            key: intent.key(),
            verdict,
            delivery: intent.into(),
            error,
        }
    }
}
