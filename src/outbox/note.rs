//! The origin's last words, redacted, beside the intent: for `status --verbose`, never in the DTO
//! (page 5.2, point 5).

use super::error::OutboxError;
use super::key::DeliveryKey;
use super::root::{HostRoot, IntentLock};

/// The longest note, in bytes.
pub const MAX_NOTE_BYTES: usize = 4096;

impl HostRoot {
    /// Keeps the last [`MAX_NOTE_BYTES`] of `redacted`, which must hold no secret any more. An empty
    /// text takes the note away.
    ///
    /// # Errors
    /// The system's. A lost note loses no delivery; callers may go on.
    pub fn write_note(
        &self,
        held: &IntentLock,
        key: &DeliveryKey,
        redacted: &str,
    ) -> Result<(), OutboxError> {
        held.check(key)?;
        let Some(delivery) = self.find_delivery(&key.project, &key.task)? else {
            return Ok(());
        };
        if redacted.is_empty() {
            delivery.remove(key.note_name())?;
            return Ok(());
        }
        let mut from = redacted.len().saturating_sub(MAX_NOTE_BYTES);
        while !redacted.is_char_boundary(from) {
            from = from.saturating_add(1);
        }
        let tail = redacted.get(from..).unwrap_or_default();
        Ok(delivery.replace(&key.note_name(), tail.as_bytes())?)
    }

    /// The note of a delivery, if there is one that can be read.
    #[must_use]
    pub fn read_note(&self, key: &DeliveryKey) -> Option<String> {
        let delivery = self.find_delivery(&key.project, &key.task).ok()??;
        let ceiling = u64::try_from(MAX_NOTE_BYTES).unwrap_or_default();
        let bytes = delivery.read(&key.note_name(), ceiling).ok()??;
        String::from_utf8(bytes).ok()
    }
}
