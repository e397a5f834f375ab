//! `gc`: what no longer serves anybody is removed, everything else is kept with its reason
//! (page 5.2, point 16; retention in page 5.3).

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

use super::close::unpin;
use super::due::DueEntry;
use super::ended::EndedPin;
use super::error::OutboxError;
use super::intent::{Intent, IntentFile, State};
use super::inventory::Inventory;
use super::key::{DeliveryKey, split_task_turn};
use super::mirror::Mirror;
use super::record::Record;
use super::root::HostRoot;
use super::target::TargetLedger;
use crate::clock::{Clock, SystemClock, UnixMillis};
use crate::durable::{Dir, Kind, TEMPORARY_FILE, TEMPORARY_PREFIX};
use crate::process::Cancel;

/// How old a temporary folder must be before nobody can be writing into it, in milliseconds.
const LEFTOVER_AFTER_MILLIS: i64 = 3_600_000;

/// How long what has ended is kept.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// Delivered intents.
    pub delivered: Duration,
    /// Failed intents, with their pins, and ledgers that nobody uses.
    pub failed: Duration,
    /// Pins of delivered intents.
    pub pins: Duration,
}

/// Whether anything is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcMode {
    /// Remove.
    Remove,
    /// Only say what would be removed.
    DryRun,
}

/// One thing and why it goes or stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Judged {
    /// Which thing.
    pub what: String,
    /// Why.
    pub why: String,
}

/// What was, or would be, removed, and what stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct GcReport {
    /// Gone, or to go.
    pub removed: Vec<Judged>,
    /// Staying.
    pub kept: Vec<Judged>,
}

impl GcReport {
    fn remove(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.removed.push(Judged {
            what: what.into(),
            why: why.into(),
        });
    }

    fn keep(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.kept.push(Judged {
            what: what.into(),
            why: why.into(),
        });
    }
}

/// One collection under way.
struct Gc<'a> {
    root: &'a HostRoot,
    retention: Retention,
    mode: GcMode,
    now: UnixMillis,
    cancel: &'a Cancel,
    report: GcReport,
}

impl HostRoot {
    /// Collects. Trouble with one thing keeps that thing, with the trouble as its reason.
    ///
    /// # Errors
    /// `CLOCK`, or a root that cannot be read.
    pub fn gc(
        &self,
        retention: Retention,
        mode: GcMode,
        clock: &dyn Clock,
        cancel: &Cancel,
    ) -> Result<GcReport, OutboxError> {
        let mut gc = Gc {
            root: self,
            retention,
            mode,
            now: clock.now()?,
            cancel,
            report: GcReport::default(),
        };
        let all = self.inventory(None)?;
        for intent in &all.intents {
            gc.intent(intent);
        }
        for (key, error) in all.unreadable.iter().chain(&all.unreadable_ended) {
            gc.report.keep(
                format!("intent {key}"),
                format!("DELIVERY_UNREADABLE: {error}"),
            );
        }
        for ended in &all.ended {
            gc.ended(ended);
        }
        gc.orphans(&all)?;
        gc.due_entries()?;
        gc.lock_files()?;
        gc.ledgers(&all)?;
        gc.leftovers()?;
        Ok(gc.report)
    }
}

impl Gc<'_> {
    /// Whether something that ended at `ended` is past its time.
    fn is_over(&self, ended: UnixMillis, kept_for: Duration) -> bool {
        let kept = i64::try_from(kept_for.as_millis()).unwrap_or(i64::MAX);
        self.now.since(ended) >= kept
    }

    /// Does the removal unless this is a dry run, and reports it either way.
    fn act(
        &mut self,
        what: String,
        why: &str,
        removal: impl FnOnce(&Self) -> Result<bool, OutboxError>,
    ) {
        self.root.tick();
        let done = match self.mode {
            GcMode::DryRun => Ok(true),
            GcMode::Remove => removal(self),
        };
        match done {
            Ok(true) => self.report.remove(what, why),
            Ok(false) => self.report.keep(what, "it changed meanwhile"),
            Err(error) => self
                .report
                .keep(what, format!("cannot be removed: {error}")),
        }
    }

    fn intent(&mut self, intent: &Intent) {
        let what = format!("intent {}", intent.key());
        let ended = intent.updated_at_millis;
        match intent.state {
            State::Pending | State::Retrying => {
                self.report
                    .keep(what, format!("it is {}", intent.state.name()));
            }
            State::Failed if self.is_over(ended, self.retention.failed) => {
                self.act(what, "failed, and past its time; with its pin", |gc| {
                    gc.drop_intent(intent, Pinning::Drop)
                });
            }
            State::Failed => {
                let until = until(ended, self.retention.failed);
                self.report
                    .keep(what, format!("failed; it and its pin stay {until}"));
            }
            State::Delivered => self.delivered(intent, what),
        }
    }

    fn delivered(&mut self, intent: &Intent, what: String) {
        let ended = intent.updated_at_millis;
        let pin_over = self.is_over(ended, self.retention.pins);
        match (self.is_over(ended, self.retention.delivered), pin_over) {
            (true, true) => self.act(what, "delivered, and past its time; with its pin", |gc| {
                gc.drop_intent(intent, Pinning::Drop)
            }),
            (true, false) => {
                self.act(what, "delivered, and past its time", |gc| {
                    gc.drop_intent(intent, Pinning::Keep)
                });
                let until = until(ended, self.retention.pins);
                self.report.keep(
                    format!("pin {}", intent.key()),
                    format!("delivered; it stays {until}"),
                );
            }
            (false, _) => {
                let until = until(ended, self.retention.delivered);
                self.report
                    .keep(what, format!("delivered; it stays {until}"));
            }
        }
    }

    /// Removes an intent that still stands as it was seen.
    fn drop_intent(&self, seen: &Intent, pinning: Pinning) -> Result<bool, OutboxError> {
        let key = seen.key();
        let held = self.root.lock_intent(&key)?;
        match self.root.read_intent(&key)? {
            IntentFile::Good(present) if *present == *seen => {}
            _ => return Ok(false),
        }
        // A delivered result may not have reached its ledger yet, and the ledger is all that
        // stays of it.
        self.root.finish_ledger(seen)?;
        match pinning {
            Pinning::Drop => {
                unpin(
                    Mirror::of_intent(self.root, seen, self.cancel),
                    &key,
                    &seen.oid,
                )?;
                self.root.forget(&held, &key)?;
            }
            Pinning::Keep => {
                self.root.write_ended(&held, &EndedPin::of(seen))?;
                self.root.due_registry()?.remove(&held, &key)?;
                self.root.remove_intent(&held, &key)?;
            }
        }
        Ok(true)
    }

    fn ended(&mut self, ended: &EndedPin) {
        let key = ended.key();
        let what = format!("pin {key}");
        if !matches!(self.root.read_intent(&key), Ok(IntentFile::Absent)) {
            // Enqueued again, or stopped between the two: the intent speaks for the pin.
            return;
        }
        if !self.is_over(ended.ended_at_millis, self.retention.pins) {
            let until = until(ended.ended_at_millis, self.retention.pins);
            self.report
                .keep(what, format!("delivered; it stays {until}"));
            return;
        }
        self.act(what, "delivered, and past its time", |gc| {
            let held = gc.root.lock_intent(&key)?;
            if !matches!(gc.root.read_intent(&key)?, IntentFile::Absent) {
                return Ok(false);
            }
            let mirror = Mirror::at(&gc.root.mirror_of_ended(ended), gc.cancel);
            unpin(mirror, &key, &ended.oid)?;
            gc.root.forget(&held, &key).map(|()| true)
        });
    }

    fn orphans(&mut self, all: &Inventory) -> Result<(), OutboxError> {
        for (path, mirror) in all.open_mirrors(self.root, self.cancel)? {
            let orphans = mirror.and_then(|mirror| all.orphans(self.root, &mirror, None));
            match orphans {
                Ok(orphans) => {
                    for orphan in orphans {
                        self.report.keep(
                            format!(
                                "pin {}/{} in {}",
                                orphan.pin.task,
                                orphan.pin.turn,
                                orphan.mirror.display()
                            ),
                            "it has no intent; `amiss outbox doctor` says what to do",
                        );
                    }
                }
                Err(OutboxError::NoMirror { .. }) => {}
                Err(error) => self
                    .report
                    .keep(format!("pins of {}", path.display()), error.to_string()),
            }
        }
        Ok(())
    }

    fn due_entries(&mut self) -> Result<(), OutboxError> {
        let Some(registry) = self.root.find_due_registry()? else {
            return Ok(());
        };
        let scan = registry.scan()?;
        for entry in &scan.entries {
            self.due_entry(entry);
        }
        for (name, error) in &scan.unreadable {
            self.report.keep(
                format!("due entry {}", name.display()),
                format!("{error}; `amiss outbox doctor --repair` mends it"),
            );
        }
        Ok(())
    }

    fn due_entry(&mut self, entry: &DueEntry) {
        let key = entry.key();
        let over = match self.root.read_intent(&key) {
            Ok(IntentFile::Absent) => true,
            Ok(IntentFile::Good(intent)) => !intent.state.retains_objects(),
            Ok(IntentFile::Unreadable(_)) | Err(_) => false,
        };
        if over {
            self.act(
                format!("due entry {key}"),
                "nothing is to be done for it",
                |gc| gc.root.drop_due_if_over(&key),
            );
        }
    }

    /// Lock files of turns of which nothing is left.
    fn lock_files(&mut self) -> Result<(), OutboxError> {
        let Some(locks) = self.root.find_locks()? else {
            return Ok(());
        };
        let mut names = Vec::new();
        locks.each_entry::<OutboxError>(|entry| {
            let turn = entry
                .name
                .to_str()
                .and_then(|name| split_task_turn(name.strip_prefix("outbox-")?, ".lock"));
            names.extend(turn);
            Ok(())
        })?;
        let projects = self.root.projects()?;
        for (task, turn) in names {
            let keys: Vec<DeliveryKey> = projects
                .iter()
                .map(|project| DeliveryKey {
                    project: project.clone(),
                    task: task.clone(),
                    turn: turn.clone(),
                })
                .collect();
            if !self.root.is_turn_over(&keys)? {
                continue;
            }
            let what = format!("lock of {task}/{turn}");
            self.act(what, "nothing of the turn is left", |gc| {
                gc.root.remove_free_lock(&task, &turn, &keys)
            });
        }
        Ok(())
    }

    /// Ledgers of targets that no intent has, and that nobody touched for long.
    fn ledgers(&mut self, all: &Inventory) -> Result<(), OutboxError> {
        let Some(locks) = self.root.find_locks()? else {
            return Ok(());
        };
        let used: BTreeSet<String> = all
            .intents
            .iter()
            .map(|intent| intent.target().digest())
            .collect();
        let mut digests = BTreeSet::new();
        locks.each_entry::<OutboxError>(|entry| {
            let digest = entry.name.to_str().and_then(|name| {
                let rest = name.strip_prefix("outbox-target-")?;
                rest.strip_suffix(".json").or(rest.strip_suffix(".lock"))
            });
            digests.extend(
                digest
                    .filter(|digest| digest.len() == 64)
                    .map(str::to_owned),
            );
            Ok(())
        })?;
        for digest in digests.difference(&used) {
            self.ledger(&locks, digest);
        }
        Ok(())
    }

    fn ledger(&mut self, locks: &Dir, digest: &str) {
        let name = format!("outbox-target-{digest}.json");
        let what = format!("ledger {digest}");
        match TargetLedger::read(locks, &name) {
            Err(error) => self.report.keep(
                what,
                format!("{error}; `amiss outbox doctor --repair` removes it"),
            ),
            Ok(Some(ledger)) if !self.is_over(ledger.updated_at_millis, self.retention.failed) => {
                let until = until(ledger.updated_at_millis, self.retention.failed);
                self.report
                    .keep(what, format!("it spares a push; it stays {until}"));
            }
            Ok(seen) => self.act(what, "no delivery uses it, and it is past its time", |gc| {
                gc.root.remove_ledger(digest, seen.as_ref())
            }),
        }
    }

    /// Temporary folders of writers that were killed.
    fn leftovers(&mut self) -> Result<(), OutboxError> {
        let mut places = Vec::new();
        if let Some(locks) = self.root.find_locks()? {
            places.push(locks);
        }
        if let Some(registry) = self.root.find_due_registry()? {
            places.push(registry.dir().reopen()?);
        }
        self.root.each_delivery_dir(None, |_, _, delivery| {
            places.push(delivery.reopen()?);
            Ok(())
        })?;
        for path in self.root.mirrors()? {
            places.push(Dir::open(&path)?);
        }
        for place in &places {
            self.leftovers_in(place)?;
        }
        Ok(())
    }

    fn leftovers_in(&mut self, place: &Dir) -> Result<(), OutboxError> {
        let mut names = Vec::new();
        place.each_entry::<OutboxError>(|entry| {
            let name = entry.name.to_str().unwrap_or_default();
            if entry.kind == Kind::Directory && name.starts_with(TEMPORARY_PREFIX) {
                names.push(name.to_owned());
            }
            Ok(())
        })?;
        // File times come from the system's clock, whatever time this call was given.
        let now = i128::from(SystemClock.now()?.get());
        for name in names {
            let written = place.modified_nanos(&name)?.unwrap_or_default() / 1_000_000;
            if now.saturating_sub(written) < i128::from(LEFTOVER_AFTER_MILLIS) {
                continue;
            }
            let what = format!("temporary folder {}", place.path_of(&name).display());
            self.act(what, "its writer was stopped", |_| {
                let folder = place.open_dir(&name)?;
                folder.remove(TEMPORARY_FILE)?;
                Ok(place.remove_dir(&name)?)
            });
        }
        Ok(())
    }
}

/// What becomes of the pin when an intent goes.
#[derive(Clone, Copy)]
enum Pinning {
    Drop,
    Keep,
}

fn until(ended: UnixMillis, kept_for: Duration) -> String {
    let kept = i64::try_from(kept_for.as_millis()).unwrap_or(i64::MAX);
    match ended
        .plus(kept)
        .ok()
        .and_then(|end| jiff::Timestamp::from_millisecond(end.get()).ok())
    {
        Some(end) => format!("until {end}"),
        None => "for ever".to_owned(),
    }
}
