//! Recovery: once at a pump's start, the due registry, the pins and the target ledgers are brought
//! in line with the intents, which alone say what is so.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;

use super::due::{DueEntry, DueRegistry};
use super::enqueue::make_durable;
use super::error::OutboxError;
use super::intent::{Intent, IntentFile, State};
use super::key::DeliveryKey;
use super::mirror::{Found, Mirror};
use super::root::HostRoot;
use super::target::Target;
use crate::process::Cancel;

/// What a recovery did.
#[derive(Debug, Default)]
pub struct Recovery {
    /// Due entries written.
    pub due_written: u64,
    /// Due entries taken away, because nothing is to be done for them.
    pub due_removed: u64,
    /// Pins made again from their intents.
    pub pinned: u64,
    /// Ledgers finished from a result.
    pub ledgers_finished: u64,
    /// Deliveries for which that failed, each with the reason. They block no other.
    pub troubled: Vec<(DeliveryKey, OutboxError)>,
}

/// What one pass over the intents collects.
#[derive(Default)]
struct Pass {
    /// Pending and retrying deliveries by mirror.
    open: BTreeMap<PathBuf, Vec<Intent>>,
    /// The newest proof for each target.
    results: BTreeMap<Target, Intent>,
    unreadable: Vec<(DeliveryKey, OutboxError)>,
}

impl Pass {
    fn take(&mut self, root: &HostRoot, key: DeliveryKey, file: IntentFile) {
        match file {
            IntentFile::Absent => {}
            IntentFile::Unreadable(source) => {
                let error = OutboxError::Unreadable {
                    key: Box::new(key.clone()),
                    source: Box::new(source),
                };
                self.unreadable.push((key, error));
            }
            IntentFile::Good(intent) if intent.state.retains_objects() => {
                let mirror = root.mirror_of(&intent);
                self.open.entry(mirror).or_default().push(*intent);
            }
            IntentFile::Good(intent) => self.keep_newest(*intent),
        }
    }

    fn keep_newest(&mut self, intent: Intent) {
        if !intent.proves_tip() {
            return;
        }
        match self.results.entry(intent.target()) {
            std::collections::btree_map::Entry::Vacant(slot) => {
                slot.insert(intent);
            }
            std::collections::btree_map::Entry::Occupied(mut slot) => {
                if slot.get().updated_at_millis < intent.updated_at_millis {
                    slot.insert(intent);
                }
            }
        }
    }
}

impl HostRoot {
    /// Brings everything in line with the intents: a due entry and a pin for each that is pending
    /// or retrying, no due entry for any other, and for each target the ledger that its newest
    /// result asks for. A pin without an intent is left alone.
    ///
    /// # Errors
    /// A root that cannot be read. What concerns one delivery is in [`Recovery::troubled`].
    pub fn recover(&self, cancel: &Cancel) -> Result<Recovery, OutboxError> {
        let mut pass = Pass::default();
        self.each_intent(None, |key, file| {
            pass.take(self, key, file);
            Ok(())
        })?;
        let mut recovery = Recovery {
            troubled: pass.unreadable,
            ..Recovery::default()
        };
        for intents in pass.open.values() {
            self.recover_mirror(intents, cancel, &mut recovery);
        }
        for intent in pass.results.values() {
            match self.finish_ledger(intent) {
                Ok(true) => bump(&mut recovery.ledgers_finished),
                Ok(false) => {}
                Err(error) => recovery.troubled.push((intent.key(), error)),
            }
        }
        self.drop_leftover_due(&mut recovery)?;
        Ok(recovery)
    }

    /// The open deliveries of one mirror; their pins are looked up by one Git process.
    fn recover_mirror(&self, intents: &[Intent], cancel: &Cancel, recovery: &mut Recovery) {
        let names: Vec<String> = intents
            .iter()
            .map(|intent| intent.key().pin_ref())
            .collect();
        let opened = intents
            .first()
            .map(|intent| Mirror::of_intent(self, intent, cancel));
        let found = match &opened {
            Some(Ok(mirror)) => mirror.find_all(&names).unwrap_or_default(),
            _ => Vec::new(),
        };
        for (index, intent) in intents.iter().enumerate() {
            match self.recover_due(intent) {
                Ok(true) => bump(&mut recovery.due_written),
                Ok(false) => {}
                Err(error) => recovery.troubled.push((intent.key(), error)),
            }
            let pinned =
                matches!(found.get(index), Some(Found::Object { oid, .. }) if *oid == intent.oid);
            if pinned {
                continue;
            }
            match self.repin(&intent.key(), cancel) {
                Ok(true) => bump(&mut recovery.pinned),
                Ok(false) => {}
                Err(error) => recovery.troubled.push((intent.key(), error)),
            }
        }
    }

    /// Writes the due entry that an intent asks for, if it stands otherwise.
    pub(super) fn recover_due(&self, seen: &Intent) -> Result<bool, OutboxError> {
        let key = seen.key();
        let registry = self.due_registry()?;
        if matches!(registry.read(&key), Ok(Some(entry)) if entry == DueEntry::of(seen)) {
            return Ok(false);
        }
        let held = self.lock_intent(&key)?;
        let IntentFile::Good(intent) = self.read_intent(&key)? else {
            return Ok(false);
        };
        self.settle_due(&held, &intent)?;
        Ok(intent.state.retains_objects())
    }

    /// Finishes what a call that was killed between its intent and its due entry began: the entry
    /// that it had written without a name says of which delivery. One whose lock is held is still
    /// under way. Trouble with one leaves it for the next look, and for `doctor`.
    pub(super) fn take_up_stopped(&self, registry: &DueRegistry) -> Result<(), OutboxError> {
        for (folder, entry) in registry.unnamed()? {
            let _ = self.take_up(registry, &folder, &entry);
        }
        Ok(())
    }

    fn take_up(
        &self,
        registry: &DueRegistry,
        folder: &OsStr,
        entry: &DueEntry,
    ) -> Result<(), OutboxError> {
        let key = entry.key();
        let Some(held) = self.try_lock_intent(&key)? else {
            return Ok(());
        };
        if let IntentFile::Good(intent) = self.read_intent(&key)? {
            self.settle_due(&held, &intent)?;
        }
        registry.remove_unnamed(&held, folder, entry).map(drop)
    }

    /// Pins an intent's commit again, from the intent.
    pub(super) fn repin(&self, key: &DeliveryKey, cancel: &Cancel) -> Result<bool, OutboxError> {
        let held = self.lock_intent(key)?;
        let IntentFile::Good(intent) = self.read_intent(key)? else {
            return Ok(false);
        };
        if intent.state == State::Delivered {
            return Ok(false);
        }
        let mut mirror = Mirror::of_intent(self, &intent, cancel)?;
        mirror.check_commit(&intent.oid)?;
        mirror.configure()?;
        make_durable(&mirror, &intent.oid)?;
        mirror.pin(key, &intent.oid)?;
        drop(held);
        Ok(true)
    }

    fn drop_leftover_due(&self, recovery: &mut Recovery) -> Result<(), OutboxError> {
        let Some(registry) = self.find_due_registry()? else {
            return Ok(());
        };
        for entry in registry.scan()?.entries {
            match self.drop_due_if_over(&entry.key()) {
                Ok(true) => bump(&mut recovery.due_removed),
                Ok(false) => {}
                Err(error) => recovery.troubled.push((entry.key(), error)),
            }
        }
        Ok(())
    }

    /// Takes a due entry away whose intent is gone or at its end; whether it was so.
    pub(super) fn drop_due_if_over(&self, key: &DeliveryKey) -> Result<bool, OutboxError> {
        let over = |file: &IntentFile| match file {
            IntentFile::Absent => true,
            IntentFile::Good(intent) => !intent.state.retains_objects(),
            IntentFile::Unreadable(_) => false,
        };
        if !over(&self.read_intent(key)?) {
            return Ok(false);
        }
        let held = self.lock_intent(key)?;
        if !over(&self.read_intent(key)?) {
            return Ok(false);
        }
        self.due_registry()?.remove(&held, key)
    }
}

const fn bump(count: &mut u64) {
    *count = count.saturating_add(1);
}
