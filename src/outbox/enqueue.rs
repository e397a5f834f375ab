//! `enqueue`: objects durable, then intent, due entry and pin, in this order, under the intent's
//! lock. What it costs does not depend on history, tasks or pending deliveries.

use super::error::OutboxError;
use super::intent::{Intent, IntentFile};
use super::mirror::{Found, Mirror};
use super::push_request::PushRequest;
use super::root::{HostRoot, IntentLock};
use crate::clock::Clock;
use crate::delivery::ObjectId;
use crate::process::Cancel;

impl HostRoot {
    /// Records a push. When it answers, intent, due entry and pin are durable; asked again for the
    /// same delivery, it makes sure of them again and answers the delivery as it stands.
    ///
    /// # Errors
    /// `NOT_FOUND`, `INPUT_MALFORMED`, `DELIVERY_REF_CONFLICT`, `DELIVERY_UNREADABLE`, `BUSY`, or the
    /// system's. After an error nothing new of this delivery is left behind.
    pub fn enqueue(
        &self,
        request: &PushRequest,
        clock: &dyn Clock,
        cancel: &Cancel,
    ) -> Result<Intent, OutboxError> {
        let now = clock.now()?;
        let mut mirror = Mirror::open(self, &request.key.project, request.mirror.as_ref(), cancel)?;
        mirror.check_format(&request.oid)?;
        let was_pinned = check_before(&mirror, request)?;
        mirror.configure()?;
        let held = self.lock_intent(&request.key)?;
        match self.read_intent(&request.key)? {
            IntentFile::Absent => {
                self.check_due_free(request)?;
                make_durable(&mirror, &request.oid)?;
                let intent = request.intent(now);
                self.record(&mirror, &held, &intent).inspect_err(|_| {
                    // Best effort: an intent that stays is finished by recovery.
                    let _ = self.take_back(&mirror, &held, &intent, was_pinned);
                })?;
                Ok(intent)
            }
            IntentFile::Good(present) => self.resume(&mirror, &held, request, *present),
            IntentFile::Unreadable(source) => Err(OutboxError::Unreadable {
                key: Box::new(request.key.clone()),
                source: Box::new(source),
            }),
        }
    }

    /// Refuses before the intent is written what the due registry would refuse after it.
    fn check_due_free(&self, request: &PushRequest) -> Result<(), OutboxError> {
        let Some(registry) = self.find_due_registry()? else {
            return Ok(());
        };
        match registry.read(&request.key) {
            Ok(Some(entry)) if entry.project_id != request.key.project => {
                Err(OutboxError::OtherProject {
                    key: Box::new(request.key.clone()),
                    other: entry.project_id,
                })
            }
            // A damaged entry is replaced.
            _ => Ok(()),
        }
    }

    /// Intent, due entry, pin.
    fn record(
        &self,
        mirror: &Mirror,
        held: &IntentLock,
        intent: &Intent,
    ) -> Result<(), OutboxError> {
        let registry = self.due_registry()?;
        let due = registry.prepare(held, intent)?;
        self.write_intent(held, intent)?;
        // Fault point: AfterOutboxIntent.
        due.publish()?;
        mirror.pin(&intent.key(), &intent.oid)
        // Fault point: AfterOutboxPin.
    }

    /// The pin goes first, unless it was there before: one without an intent would block a discard.
    fn take_back(
        &self,
        mirror: &Mirror,
        held: &IntentLock,
        intent: &Intent,
        was_pinned: bool,
    ) -> Result<(), OutboxError> {
        let key = intent.key();
        if !was_pinned {
            // What is pinned by now may also be another commit, which stays.
            let _ = mirror.unpin(&key, &intent.oid);
        }
        self.due_registry()?.remove(held, &key)?;
        self.remove_intent(held, &key)
    }

    /// The same delivery is asked for again: an earlier call may have been stopped anywhere, so all
    /// three are made sure of.
    fn resume(
        &self,
        mirror: &Mirror,
        held: &IntentLock,
        request: &PushRequest,
        present: Intent,
    ) -> Result<Intent, OutboxError> {
        let differences = request.differences(&present);
        if !differences.is_empty() {
            return Err(OutboxError::OtherDelivery {
                key: Box::new(request.key.clone()),
                differences: differences.join(", "),
            });
        }
        if present.state.retains_objects() {
            make_durable(mirror, &present.oid)?;
            self.record(mirror, held, &present)?;
        }
        Ok(present)
    }
}

/// What can be refused before anything is written: a commit that is not there, a pin of another
/// one. Whether this one is pinned already.
fn check_before(mirror: &Mirror, request: &PushRequest) -> Result<bool, OutboxError> {
    let names = [request.oid.to_string(), request.key.pin_ref()];
    let found = mirror.find_all(&names)?;
    mirror.judge_commit(&request.oid, found.first())?;
    match found.get(1) {
        Some(Found::Object { oid, .. }) if *oid != request.oid => Err(OutboxError::PinConflict {
            key: Box::new(request.key.clone()),
            pinned: oid.clone(),
            asked: request.oid.clone(),
        }),
        Some(Found::Object { .. }) => Ok(true),
        _ => Ok(false),
    }
}

/// No intent ever names an object that the mirror does not durably have.
pub(super) fn make_durable(mirror: &Mirror, oid: &ObjectId) -> Result<(), OutboxError> {
    mirror.ensure_objects_durable(Some(oid)).map(drop)
}
