//! `doctor`: everything that is not as the intents say, each with its remedy. `--repair` applies
//! the remedies that lose nothing; what only a person can decide is left alone.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::due::DueEntry;
use super::error::OutboxError;
use super::intent::{Intent, IntentFile, State};
use super::inventory::{Inventory, real};
use super::key::{DeliveryKey, split_task_turn};
use super::mirror::{Found, Mirror};
use super::record::{Record, RecordError};
use super::root::HostRoot;
use super::target::TargetLedger;
use crate::process::Cancel;
use crate::words::{counted, shell};

/// Whether remedies are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Those that lose nothing.
    Harmless,
    /// None.
    Nothing,
}

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// What is wrong.
    pub what: String,
    /// On which file, ref or delivery.
    pub r#where: String,
    /// What to do.
    pub remedy: String,
    /// Whether that was done.
    pub repaired: bool,
    /// Whether `--repair` cannot do it.
    #[serde(skip)]
    pub needs_person: bool,
}

const BY_REPAIR: &str = "`amiss outbox doctor --repair` does it";

/// One examination under way.
struct Doctor<'a> {
    root: &'a HostRoot,
    repair: Repair,
    cancel: &'a Cancel,
    findings: Vec<Finding>,
}

impl HostRoot {
    /// Examines everything, and repairs what may be.
    ///
    /// # Errors
    /// A root that cannot be read.
    pub fn doctor(&self, repair: Repair, cancel: &Cancel) -> Result<Vec<Finding>, OutboxError> {
        let all = self.inventory(None)?;
        let mut doctor = Doctor {
            root: self,
            repair,
            cancel,
            findings: Vec::new(),
        };
        doctor.unreadable(&all);
        doctor.due_of_intents(&all);
        let mirrors = all.open_mirrors(self, cancel)?;
        doctor.pins_of_intents(&all, &mirrors);
        doctor.orphans(&all, &mirrors);
        doctor.due_entries()?;
        doctor.worker();
        doctor.ledgers(&all)?;
        Ok(doctor.findings)
    }
}

impl Doctor<'_> {
    fn person(
        &mut self,
        what: impl Into<String>,
        place: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.findings.push(Finding {
            what: what.into(),
            r#where: place.into(),
            remedy: remedy.into(),
            repaired: false,
            needs_person: true,
        });
    }

    /// A finding with a remedy that loses nothing. When it fails, a person has to look.
    fn mend(
        &mut self,
        what: &str,
        place: String,
        remedy: &str,
        act: impl FnOnce(&Self) -> Result<(), OutboxError>,
    ) {
        let (repaired, remedy, needs_person) = match self.repair {
            Repair::Nothing => (false, format!("{remedy}: {BY_REPAIR}"), false),
            Repair::Harmless => match act(self) {
                Ok(()) => (true, remedy.to_owned(), false),
                Err(error) => (false, format!("{remedy}; that failed: {error}"), true),
            },
        };
        self.findings.push(Finding {
            what: what.to_owned(),
            r#where: place,
            remedy,
            repaired,
            needs_person,
        });
    }

    fn unreadable(&mut self, all: &Inventory) {
        for (key, error) in &all.unreadable {
            self.person(
                format!("DELIVERY_UNREADABLE: {error}"),
                format!("delivery {key}"),
                "bring the file back from a backup, or move it out of the host root and enqueue \
                 the turn again; its pin keeps the commit until then",
            );
        }
        for (key, error) in &all.unreadable_ended {
            self.person(
                format!("the record of an ended pin is unreadable: {error}"),
                format!("delivery {key}"),
                format!(
                    "remove the file, and if nobody needs the commit its pin: \
                     `git -C MIRROR update-ref -d {}`",
                    key.pin_ref()
                ),
            );
        }
    }

    fn due_of_intents(&mut self, all: &Inventory) {
        let registry = match self.root.find_due_registry() {
            Ok(registry) => registry,
            Err(error) => {
                return self.person(error.to_string(), "locks/outbox-due", "mend the directory");
            }
        };
        for intent in all
            .intents
            .iter()
            .filter(|intent| intent.state.retains_objects())
        {
            let entry = registry
                .as_ref()
                .map(|registry| registry.read(&intent.key()));
            let what = match entry {
                Some(Ok(Some(entry))) if entry == DueEntry::of(intent) => continue,
                Some(Ok(Some(_))) => "the due entry is not what the intent says",
                Some(Err(_)) => "the due entry is unreadable",
                Some(Ok(None)) | None => "a delivery to be made has no due entry",
            };
            self.mend(
                what,
                format!("delivery {}", intent.key()),
                "write it from the intent",
                |doctor| doctor.root.recover_due(intent).map(drop),
            );
        }
    }

    fn pins_of_intents(
        &mut self,
        all: &Inventory,
        mirrors: &BTreeMap<PathBuf, Result<Mirror, OutboxError>>,
    ) {
        let mut by_mirror: BTreeMap<PathBuf, Vec<&Intent>> = BTreeMap::new();
        for intent in all
            .intents
            .iter()
            .filter(|intent| intent.state != State::Delivered)
        {
            by_mirror
                .entry(real(&self.root.mirror_of(intent)))
                .or_default()
                .push(intent);
        }
        for (path, intents) in by_mirror {
            match mirrors.get(&path) {
                Some(Ok(mirror)) => self.pins_in(mirror, &intents),
                Some(Err(error)) => {
                    let count = deliveries(intents.len());
                    self.person(
                        format!("the mirror of {count} cannot be used: {error}"),
                        path.display().to_string(),
                        "bring the mirror back; the deliveries wait for it",
                    );
                }
                None => self.person(
                    format!("the mirror of {} is not there", deliveries(intents.len())),
                    path.display().to_string(),
                    "bring the mirror back; the deliveries wait for it",
                ),
            }
        }
    }

    fn pins_in(&mut self, mirror: &Mirror, intents: &[&Intent]) {
        let names: Vec<String> = intents
            .iter()
            .flat_map(|intent| [intent.key().pin_ref(), intent.oid.to_string()])
            .collect();
        let found = match mirror.find_all(&names) {
            Ok(found) => found,
            Err(error) => {
                let place = mirror.path().display().to_string();
                return self.person(error.to_string(), place, "mend the mirror (`git fsck`)");
            }
        };
        for (intent, pair) in intents.iter().zip(found.chunks(2)) {
            self.pin_of(mirror, intent, pair);
        }
    }

    fn pin_of(&mut self, mirror: &Mirror, intent: &Intent, pair: &[Found]) {
        self.root.tick();
        let key = intent.key();
        let place = format!("{} in {}", key.pin_ref(), mirror.path().display());
        match pair {
            [Found::Object { oid, .. }, _] if *oid == intent.oid => {}
            [Found::Object { oid, .. }, _] => self.person(
                format!("the pin names {oid}, and the intent {}", intent.oid),
                place,
                format!(
                    "find out who changed it; if the intent is right: \
                     `git -C {} update-ref {} {} {oid}`",
                    shell(mirror.path()),
                    key.pin_ref(),
                    intent.oid
                ),
            ),
            [Found::Missing, Found::Object { .. }] => self.mend(
                "an intent has no pin",
                place,
                "pin the commit that the intent names",
                |doctor| doctor.root.repin(&key, doctor.cancel).map(drop),
            ),
            _ => self.person(
                format!("neither a pin nor the commit {} is there", intent.oid),
                place,
                "fetch the commit into the mirror again, then `amiss outbox doctor --repair`",
            ),
        }
    }

    fn orphans(
        &mut self,
        all: &Inventory,
        mirrors: &BTreeMap<PathBuf, Result<Mirror, OutboxError>>,
    ) {
        for (path, mirror) in mirrors {
            let orphans = match mirror {
                Ok(mirror) => all.orphans(self.root, mirror, None),
                Err(_) => continue,
            };
            match orphans {
                Ok(orphans) => {
                    for orphan in orphans {
                        let pin = orphan.pin;
                        self.person(
                            format!("a pin has no intent; it keeps {}", pin.oid),
                            format!("{} in {}", pin.name(), path.display()),
                            format!(
                                "enqueue the turn again with this commit, or, if nobody needs it: \
                                 `git -C {} update-ref -d {} {}`",
                                shell(path),
                                pin.name(),
                                pin.oid
                            ),
                        );
                    }
                }
                Err(error) => {
                    let place = path.display().to_string();
                    self.person(error.to_string(), place, "mend the mirror (`git fsck`)");
                }
            }
        }
    }

    fn due_entries(&mut self) -> Result<(), OutboxError> {
        let Some(registry) = self.root.find_due_registry()? else {
            return Ok(());
        };
        let scan = registry.scan()?;
        for entry in scan.entries {
            let key = entry.key();
            let over = match self.root.read_intent(&key)? {
                IntentFile::Absent => true,
                IntentFile::Good(intent) => !intent.state.retains_objects(),
                IntentFile::Unreadable(_) => false,
            };
            if over {
                self.mend(
                    "a due entry is left of a delivery with nothing to do",
                    format!("due entry {key}"),
                    "remove it",
                    |doctor| doctor.root.drop_due_if_over(&key).map(drop),
                );
            }
        }
        for (name, error) in scan.unreadable {
            let place = format!("locks/outbox-due/{}", name.display());
            let turn = name
                .to_str()
                .and_then(|name| split_task_turn(name, ".json"));
            let Some((task, turn)) = turn else {
                self.person(
                    error.to_string(),
                    place,
                    "it is no file of the outbox; move it away",
                );
                continue;
            };
            let keys = self.keys_of(&task, &turn)?;
            // One that an intent needs was found, and mended, with that intent.
            if !self.root.needs_due(&keys)? {
                self.mend(
                    &error.to_string(),
                    place,
                    "remove it; no intent needs it",
                    |doctor| {
                        doctor
                            .root
                            .remove_damaged_due(&task, &turn, &keys)
                            .map(drop)
                    },
                );
            }
        }
        Ok(())
    }

    fn keys_of(
        &self,
        task: &super::names::Task,
        turn: &super::names::Turn,
    ) -> Result<Vec<DeliveryKey>, OutboxError> {
        let projects = self.root.projects()?;
        Ok(projects
            .into_iter()
            .map(|project| DeliveryKey {
                project,
                task: task.clone(),
                turn: turn.clone(),
            })
            .collect())
    }

    fn worker(&mut self) {
        let what = match self.root.read_worker() {
            Ok(None) => return,
            Ok(Some(worker)) if worker.identity.is_alive() => return,
            Ok(Some(_)) => "the published watcher is dead",
            Err(_) => "the published watcher's identity is unreadable",
        };
        self.mend(
            what,
            "locks/outbox-worker.json".into(),
            "remove it; `amiss outbox wake` starts a watcher",
            |doctor| doctor.root.remove_dead_worker(),
        );
    }

    fn ledgers(&mut self, all: &Inventory) -> Result<(), OutboxError> {
        let mut newest: BTreeMap<String, &Intent> = BTreeMap::new();
        for intent in all.intents.iter().filter(|intent| intent.proves_tip()) {
            let slot = newest.entry(intent.target().digest()).or_insert(intent);
            if slot.updated_at_millis < intent.updated_at_millis {
                *slot = intent;
            }
        }
        let damaged = self.root.damaged_ledgers()?;
        for (digest, error) in damaged {
            let result = newest.remove(&digest).cloned();
            self.mend(
                &error,
                format!("locks/outbox-target-{digest}.json"),
                "write it from the newest result, or remove it; the origin knows better",
                |doctor| match &result {
                    Some(intent) => doctor.root.finish_ledger(intent).map(drop),
                    None => doctor.root.remove_ledger(&digest, None).map(drop),
                },
            );
        }
        for (digest, intent) in newest {
            let Ok(present) = self.root.read_ledger(&intent.target()) else {
                continue;
            };
            if TargetLedger::after(present.as_ref(), intent).is_some() {
                self.mend(
                    "a target ledger is behind its newest result",
                    format!("locks/outbox-target-{digest}.json"),
                    "finish it from the result",
                    |doctor| doctor.root.finish_ledger(intent).map(drop),
                );
            }
        }
        Ok(())
    }
}

impl HostRoot {
    /// Removes the identity of a watcher that is not alive, unless a pump runs after all.
    fn remove_dead_worker(&self) -> Result<(), OutboxError> {
        let Some(held) = self.lock_pump(Duration::ZERO)? else {
            return Ok(());
        };
        self.remove_worker(&held).map(drop)
    }

    /// The ledgers that cannot be read, or whose name is of another target, by digest.
    fn damaged_ledgers(&self) -> Result<Vec<(String, String)>, OutboxError> {
        let Some(locks) = self.find_locks()? else {
            return Ok(Vec::new());
        };
        let mut damaged = Vec::new();
        locks.each_entry::<OutboxError>(|entry| {
            let Some(name) = entry.name.to_str() else {
                return Ok(());
            };
            let digest = name
                .strip_prefix("outbox-target-")
                .and_then(|rest| rest.strip_suffix(".json"));
            let Some(digest) = digest else {
                return Ok(());
            };
            match TargetLedger::read(&locks, name) {
                Err(error @ RecordError::Malformed { .. }) => {
                    damaged.push((digest.to_owned(), error.to_string()));
                }
                Ok(Some(ledger)) if ledger.target().digest() != digest => {
                    let what = "a target ledger is of another target than its name";
                    damaged.push((digest.to_owned(), what.to_owned()));
                }
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            Ok(())
        })?;
        damaged.sort();
        Ok(damaged)
    }
}

fn deliveries(count: usize) -> String {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    counted(count, "delivery", "deliveries")
}
