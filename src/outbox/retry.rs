//! `retry`: failed and retrying deliveries are due at once, with twelve pushes again. A push in
//! flight keeps the retry (see `transition`).

use super::error::OutboxError;
use super::intent::{Intent, IntentFile, State};
use super::key::DeliveryKey;
use super::names::{Task, Turn};
use super::record::RecordError;
use super::root::HostRoot;
use super::transition::after_retry;
use crate::clock::{Clock, UnixMillis};

impl HostRoot {
    /// Resets the failed and retrying deliveries of a task, or of one of its turns, and gives them
    /// as they then stand, oldest first. One that was never pushed is due already: its due
    /// entry is made sure of, and the request is kept for a first push in flight. Delivered ones are passed over.
    ///
    /// # Errors
    /// `DELIVERY_NOT_FOUND`, `DELIVERY_ALREADY_DELIVERED` when there is nothing else,
    /// `DELIVERY_UNREADABLE` when there is nothing else or the turn was named, `BUSY`, or the
    /// system's.
    pub fn retry(
        &self,
        task: &Task,
        turn: Option<&Turn>,
        clock: &dyn Clock,
    ) -> Result<Vec<Intent>, OutboxError> {
        let now = clock.now()?;
        let mut keys = Vec::new();
        let mut unreadable = None;
        self.each_intent(Some(task), |key, file| {
            if turn.is_none_or(|turn| *turn == key.turn) {
                match file {
                    IntentFile::Unreadable(source) => unreadable = Some((key, source)),
                    _ => keys.push(key),
                }
            }
            Ok(())
        })?;
        let mut reset = Vec::new();
        let mut delivered = None;
        for key in keys {
            match self.retry_one(&key, now)? {
                Some(intent) if intent.state == State::Delivered => delivered = Some(key),
                Some(intent) => reset.push(intent),
                None => {}
            }
        }
        if reset.is_empty() {
            return Err(nothing_to_retry(task, turn, delivered, unreadable));
        }
        reset.sort_by_key(|intent| (intent.created_at_millis, intent.turn_id.clone()));
        Ok(reset)
    }

    /// The delivery as it stands afterwards; `None` when it went meanwhile.
    fn retry_one(&self, key: &DeliveryKey, now: UnixMillis) -> Result<Option<Intent>, OutboxError> {
        let held = self.lock_intent(key)?;
        let IntentFile::Good(present) = self.read_intent(key)? else {
            return Ok(None);
        };
        let Some(next) = after_retry(&present, now) else {
            return Ok(Some(*present));
        };
        let registry = self.due_registry()?;
        let due = registry.prepare(&held, &next)?;
        self.update_intent(&held, &next)?;
        due.publish()?;
        Ok(Some(next))
    }
}

fn nothing_to_retry(
    task: &Task,
    turn: Option<&Turn>,
    delivered: Option<DeliveryKey>,
    unreadable: Option<(DeliveryKey, RecordError)>,
) -> OutboxError {
    match (unreadable, delivered) {
        (Some((key, source)), _) => OutboxError::Unreadable {
            key: Box::new(key),
            source: Box::new(source),
        },
        (None, Some(key)) => OutboxError::AlreadyDelivered { key: Box::new(key) },
        (None, None) => OutboxError::NoDelivery {
            task: task.clone(),
            turn: turn.cloned(),
        },
    }
}
