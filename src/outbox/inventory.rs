//! Everything that a host root holds of deliveries, read once: what `close`, `gc` and `doctor`
//! judge from. Reads without locks; whoever acts on it takes the lock and looks again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::ended::EndedPin;
use super::error::OutboxError;
use super::intent::{Intent, IntentFile};
use super::key::DeliveryKey;
use super::mirror::Mirror;
use super::names::{Project, Task};
use super::pin::Pin;
use super::record::RecordError;
use super::root::HostRoot;
use crate::process::Cancel;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    /// Good intents.
    pub intents: Vec<Intent>,
    /// Intents that cannot be read.
    pub unreadable: Vec<(DeliveryKey, RecordError)>,
    /// Pins that outlive their intents.
    pub ended: Vec<EndedPin>,
    /// Records of such pins that cannot be read.
    pub unreadable_ended: Vec<(DeliveryKey, RecordError)>,
}

/// A pin in a mirror, with the deliveries that it may be of.
#[derive(Debug)]
pub(super) struct PlacedPin {
    pub mirror: PathBuf,
    pub pin: Pin,
}

/// The path without links, so that one mirror under two spellings is one; as it is when it is not
/// there.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || real(one) == real(other)
}

impl HostRoot {
    pub(super) fn inventory(&self, only: Option<&Task>) -> Result<Inventory, OutboxError> {
        let mut all = Inventory::default();
        self.each_intent(only, |key, file| {
            self.tick();
            match file {
                IntentFile::Absent => {}
                IntentFile::Good(intent) => all.intents.push(*intent),
                IntentFile::Unreadable(error) => all.unreadable.push((key, error)),
            }
            Ok(())
        })?;
        self.each_ended(only, |key, ended| {
            match ended {
                Ok(ended) => all.ended.push(ended),
                Err(error) => all.unreadable_ended.push((key, error)),
            }
            Ok(())
        })?;
        all.intents
            .sort_by_key(|intent| (intent.created_at_millis, intent.key()));
        Ok(all)
    }
}

impl Inventory {
    /// Every mirror that is known: those under the root, and those that intents name.
    pub fn mirrors(&self, root: &HostRoot) -> Result<BTreeSet<PathBuf>, OutboxError> {
        let mut paths: BTreeSet<PathBuf> = root.mirrors()?.iter().map(|path| real(path)).collect();
        let named = self
            .intents
            .iter()
            .filter_map(|intent| intent.mirror.as_ref());
        let ended = self.ended.iter().filter_map(|ended| ended.mirror.as_ref());
        paths.extend(
            named
                .chain(ended)
                .map(|path| real(Path::new(path.as_str()))),
        );
        Ok(paths)
    }

    /// The pins in one mirror that belong to no intent and to no ended delivery. An intent that
    /// cannot be read may be theirs, so a pin of its task and turn is not called an orphan.
    pub fn orphans(
        &self,
        root: &HostRoot,
        mirror: &Mirror,
        only: Option<&Task>,
    ) -> Result<Vec<PlacedPin>, OutboxError> {
        let owned = self.owners(root, mirror.path());
        let mut orphans = Vec::new();
        for pin in mirror.pins(only)? {
            let known = owned.contains(&(&pin.task, pin.turn.as_str()));
            // One that was enqueued after the intents were read is no orphan.
            if !known && !root.has_intent_for(&pin, mirror.path())? {
                orphans.push(PlacedPin {
                    mirror: mirror.path().to_owned(),
                    pin,
                });
            }
        }
        Ok(orphans)
    }

    fn owners(&self, root: &HostRoot, mirror: &Path) -> BTreeSet<(&Task, &str)> {
        let intents = self
            .intents
            .iter()
            .filter(|intent| is_same(&root.mirror_of(intent), mirror))
            .map(|intent| (&intent.task_id, intent.turn_id.as_str()));
        let ended = self
            .ended
            .iter()
            .filter(|ended| is_same(&root.mirror_of_ended(ended), mirror))
            .map(|ended| (&ended.task_id, ended.turn_id.as_str()));
        let unreadable = self
            .unreadable
            .iter()
            .chain(&self.unreadable_ended)
            .map(|(key, _)| (&key.task, key.turn.as_str()));
        intents.chain(ended).chain(unreadable).collect()
    }

    /// Opens every known mirror that can be opened; the others with the reason.
    pub fn open_mirrors(
        &self,
        root: &HostRoot,
        cancel: &Cancel,
    ) -> Result<BTreeMap<PathBuf, Result<Mirror, OutboxError>>, OutboxError> {
        Ok(self
            .mirrors(root)?
            .into_iter()
            .map(|path| (path.clone(), Mirror::at(&path, cancel)))
            .collect())
    }
}

impl HostRoot {
    pub(super) fn mirror_of_ended(&self, ended: &EndedPin) -> PathBuf {
        match &ended.mirror {
            Some(path) => PathBuf::from(path.as_str()),
            None => self.default_mirror(&ended.project_id),
        }
    }

    /// Whether a pin has an intent now, or something that may be one.
    fn has_intent_for(&self, pin: &Pin, mirror: &Path) -> Result<bool, OutboxError> {
        for project in self.projects()? {
            let key = DeliveryKey {
                project,
                task: pin.task.clone(),
                turn: pin.turn.clone(),
            };
            match self.read_intent(&key)? {
                IntentFile::Absent => {}
                IntentFile::Good(intent) if !is_same(&self.mirror_of(&intent), mirror) => {}
                IntentFile::Good(_) | IntentFile::Unreadable(_) => return Ok(true),
            }
        }
        Ok(false)
    }

    /// The projects that have a `tasks` folder.
    pub(super) fn projects(&self) -> Result<Vec<Project>, OutboxError> {
        let mut projects = Vec::new();
        let tasks = match self.dir().open_dir("tasks") {
            Ok(tasks) => tasks,
            Err(crate::durable::DiskError::Missing { .. }) => return Ok(projects),
            Err(error) => return Err(error.into()),
        };
        tasks.each_entry::<OutboxError>(|entry| {
            projects.extend(entry.name.to_str().and_then(|name| Project::new(name).ok()));
            Ok(())
        })?;
        projects.sort();
        Ok(projects)
    }
}
