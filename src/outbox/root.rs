//! The host root: its directories, held and checked, and its locks in their one order.
//!
//! Order of locks (source page): … session → intent → target. The pump's own lock may span a push
//! and nobody else takes it. No lock but the pump's is held while Git talks to an origin.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::due::DueRegistry;
use super::error::OutboxError;
use super::intent::{Intent, IntentFile};
use super::key::DeliveryKey;
use super::names::{Project, Task, Turn};
use super::record::{Record, RecordError};
use super::target::{Target, TargetLedger};
use super::worker::{WORKER_NAME, WorkerIdentity};
use crate::durable::{Dir, DiskError, Hold, Kind, Lock, LockError, LockMode, LockWait, Trace};

const PUMP_LOCK: &str = "outbox.lock";

/// A checked host root.
#[derive(Debug)]
pub struct HostRoot {
    dir: Dir,
    lock_timeout: Duration,
    progress: Progress,
}

/// How many things a long scan has seen, and who is told.
struct Progress {
    seen: AtomicU64,
    tell: Arc<dyn Fn(u64) + Send + Sync>,
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Progress").field(&self.seen).finish()
    }
}

/// The lock of one intent: every change of it, of its due entry and of its pin is made under it.
#[derive(Debug)]
pub struct IntentLock {
    task: Task,
    turn: Turn,
    _lock: Lock,
}

impl IntentLock {
    /// Refuses to be the proof for another delivery.
    pub(super) fn check(&self, key: &DeliveryKey) -> Result<(), OutboxError> {
        if self.task == key.task && self.turn == key.turn {
            Ok(())
        } else {
            Err(OutboxError::WrongLock {
                key: Box::new(key.clone()),
            })
        }
    }
}

/// The lock of one target, held only while its ledger is read and written.
#[derive(Debug)]
pub struct TargetLock {
    _lock: Lock,
}

/// The pump's lock: who holds it pushes.
#[derive(Debug)]
pub struct PumpLock {
    _lock: Lock,
}

impl HostRoot {
    /// Opens a host root: an absolute path to a real local directory of the caller's own that
    /// nobody else can write. `lock_timeout` bounds every wait for a lock.
    ///
    /// # Errors
    /// `NOT_FOUND` and `ROOT_UNSAFE`.
    pub fn open(path: &Path, lock_timeout: Duration) -> Result<HostRoot, OutboxError> {
        if !path.is_absolute() {
            return Err(OutboxError::RootNotAbsolute(path.to_owned()));
        }
        let checked = Dir::open(path).and_then(|dir| {
            dir.check_private()?;
            dir.check_local()?;
            Ok(dir)
        });
        match checked {
            Ok(dir) => Ok(HostRoot {
                dir,
                lock_timeout,
                progress: Progress {
                    seen: AtomicU64::new(0),
                    tell: Arc::new(|_| {}),
                },
            }),
            Err(error @ DiskError::Missing { .. }) => Err(OutboxError::RootMissing(error)),
            Err(error @ DiskError::Io { .. }) => Err(error.into()),
            Err(error) => Err(OutboxError::RootUnsafe(error)),
        }
    }

    /// Writes every later step down in `trace`, for the proof of what a crash may leave.
    #[must_use]
    pub fn traced(mut self, trace: Trace) -> HostRoot {
        self.dir = self.dir.traced(trace);
        self
    }

    /// Tells how many things the scans of `status`, `close`, `gc` and `doctor` have seen and judged.
    #[must_use]
    pub fn told(mut self, tell: Arc<dyn Fn(u64) + Send + Sync>) -> HostRoot {
        self.progress.tell = tell;
        self
    }

    /// One thing more was seen or judged.
    pub(super) fn tick(&self) {
        let seen = self.progress.seen.fetch_add(1, Ordering::Relaxed);
        (self.progress.tell)(seen.saturating_add(1));
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The held root.
    #[must_use]
    pub const fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The mirror that a project has unless its intent names another.
    #[must_use]
    pub fn default_mirror(&self, project: &Project) -> PathBuf {
        self.path().join("mirrors").join(format!("{project}.git"))
    }

    /// The mirror of an intent.
    #[must_use]
    pub fn mirror_of(&self, intent: &Intent) -> PathBuf {
        match &intent.mirror {
            Some(path) => PathBuf::from(path.as_str()),
            None => self.default_mirror(&intent.project_id),
        }
    }

    /// `locks`, if it is there.
    pub(super) fn find_locks(&self) -> Result<Option<Dir>, OutboxError> {
        find(&self.dir, "locks")
    }

    /// `locks`, made when it is not there.
    pub(super) fn make_locks(&self) -> Result<Dir, OutboxError> {
        make(&self.dir, "locks")
    }

    /// The due registry; its directory is made when it is not there.
    ///
    /// # Errors
    /// The system's.
    pub fn due_registry(&self) -> Result<DueRegistry, OutboxError> {
        let locks = self.make_locks()?;
        Ok(DueRegistry::of(make(&locks, "outbox-due")?))
    }

    /// The due registry, if its directory is there.
    ///
    /// # Errors
    /// The system's.
    pub fn find_due_registry(&self) -> Result<Option<DueRegistry>, OutboxError> {
        let Some(locks) = self.find_locks()? else {
            return Ok(None);
        };
        Ok(find(&locks, "outbox-due")?.map(DueRegistry::of))
    }

    /// The `delivery` directory of a task, if it is there.
    pub(super) fn find_delivery(
        &self,
        project: &Project,
        task: &Task,
    ) -> Result<Option<Dir>, OutboxError> {
        let mut dir = self.dir.reopen()?;
        for name in ["tasks", project.as_str(), task.as_str(), "delivery"] {
            match find(&dir, name)? {
                Some(inner) => dir = inner,
                None => return Ok(None),
            }
        }
        Ok(Some(dir))
    }

    /// Writes an intent durably: its file, then the directories of its delivery and its task.
    ///
    /// # Errors
    /// The system's.
    pub fn write_intent(&self, held: &IntentLock, intent: &Intent) -> Result<(), OutboxError> {
        let key = intent.key();
        held.check(&key)?;
        let tasks = make(&self.dir, "tasks")?;
        let project = make(&tasks, key.project.as_str())?;
        let task = make(&project, key.task.as_str())?;
        let delivery = make(&task, "delivery")?;
        intent.write(&delivery, &key.intent_name())?;
        // The source page asks for it; the names above are durable since `make`.
        Ok(task.sync()?)
    }

    /// Rewrites an intent whose directories are durable already.
    ///
    /// # Errors
    /// The system's; an intent that is not there any more is `DELIVERY_NOT_FOUND`.
    pub fn update_intent(&self, held: &IntentLock, intent: &Intent) -> Result<(), OutboxError> {
        let key = intent.key();
        held.check(&key)?;
        match self.find_delivery(&key.project, &key.task)? {
            Some(delivery) => Ok(intent.write(&delivery, &key.intent_name())?),
            None => Err(OutboxError::NoDelivery {
                task: key.task,
                turn: Some(key.turn),
            }),
        }
    }

    /// Takes an intent and its note away, durably; its pin must be gone before.
    ///
    /// # Errors
    /// The system's.
    pub fn remove_intent(&self, held: &IntentLock, key: &DeliveryKey) -> Result<(), OutboxError> {
        held.check(key)?;
        if let Some(delivery) = self.find_delivery(&key.project, &key.task)? {
            delivery.remove(key.intent_name())?;
            delivery.remove(key.note_name())?;
            delivery.sync()?;
        }
        Ok(())
    }

    /// What lies at an intent's place.
    ///
    /// # Errors
    /// Directories that cannot be opened.
    pub fn read_intent(&self, key: &DeliveryKey) -> Result<IntentFile, OutboxError> {
        Ok(match self.find_delivery(&key.project, &key.task)? {
            Some(delivery) => Intent::read_from(&delivery, key),
            None => IntentFile::Absent,
        })
    }

    /// Takes the lock of an intent if nobody holds it.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn try_lock_intent(
        &self,
        key: &DeliveryKey,
    ) -> Result<Option<IntentLock>, OutboxError> {
        match self.lock(&key.lock_name(), Duration::ZERO) {
            Ok(lock) => Ok(Some(IntentLock {
                task: key.task.clone(),
                turn: key.turn.clone(),
                _lock: lock,
            })),
            Err(OutboxError::Lock(LockError::Timeout { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes the lock of an intent, waiting.
    ///
    /// # Errors
    /// `BUSY` after the root's lock timeout, or the system's.
    pub fn lock_intent(&self, key: &DeliveryKey) -> Result<IntentLock, OutboxError> {
        let lock = self.lock(&key.lock_name(), self.lock_timeout)?;
        Ok(IntentLock {
            task: key.task.clone(),
            turn: key.turn.clone(),
            _lock: lock,
        })
    }

    /// Removes the lock's file while it is held; whoever waits for it opens a new one.
    pub(super) fn remove_lock_file(
        &self,
        held: &IntentLock,
        key: &DeliveryKey,
    ) -> Result<(), OutboxError> {
        held.check(key)?;
        self.make_locks()?.remove(key.lock_name())?;
        Ok(())
    }

    /// Whether nothing is left of a turn in any of these projects.
    pub(super) fn is_turn_over(&self, keys: &[DeliveryKey]) -> Result<bool, OutboxError> {
        for key in keys {
            if let Some(delivery) = self.find_delivery(&key.project, &key.task)? {
                for name in [key.intent_name(), format!("{}.ended", key.turn)] {
                    if delivery.kind(&name)?.is_some() {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Whether an intent of one of these may need its due entry: it is to be pushed, or cannot be
    /// read.
    pub(super) fn needs_due(&self, keys: &[DeliveryKey]) -> Result<bool, OutboxError> {
        for key in keys {
            match self.read_intent(key)? {
                IntentFile::Absent => {}
                IntentFile::Good(intent) if !intent.state.retains_objects() => {}
                IntentFile::Good(_) | IntentFile::Unreadable(_) => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Removes the lock file of a turn that is over, if nobody holds it now.
    pub(super) fn remove_free_lock(
        &self,
        task: &Task,
        turn: &Turn,
        keys: &[DeliveryKey],
    ) -> Result<bool, OutboxError> {
        let locks = self.make_locks()?;
        let name = format!("outbox-{task}-{turn}.lock");
        let held = match self.lock(&name, Duration::ZERO) {
            Ok(held) => held,
            Err(OutboxError::Lock(LockError::Timeout { .. })) => return Ok(false),
            Err(error) => return Err(error),
        };
        let over = self.is_turn_over(keys)? && !self.has_due_entry(task, turn)?;
        if over {
            locks.remove(&name)?;
        }
        drop(held);
        Ok(over)
    }

    fn has_due_entry(&self, task: &Task, turn: &Turn) -> Result<bool, OutboxError> {
        match self.find_due_registry()? {
            Some(registry) => {
                let name = format!("{task}-{turn}.json");
                Ok(registry.dir().kind(&name)?.is_some())
            }
            None => Ok(false),
        }
    }

    /// Removes a due entry that cannot be read and that no intent needs.
    pub(super) fn remove_damaged_due(
        &self,
        task: &Task,
        turn: &Turn,
        keys: &[DeliveryKey],
    ) -> Result<bool, OutboxError> {
        let held = self.lock(&format!("outbox-{task}-{turn}.lock"), self.lock_timeout)?;
        let registry = self.due_registry()?;
        let name = format!("{task}-{turn}.json");
        let remove = !self.needs_due(keys)? && registry.is_damaged(&name)?;
        if remove {
            registry.dir().remove(&name)?;
            registry.dir().sync()?;
        }
        drop(held);
        Ok(remove)
    }

    /// Removes a target's ledger that still stands as it was seen, and its lock file.
    pub(super) fn remove_ledger(
        &self,
        digest: &str,
        seen: Option<&TargetLedger>,
    ) -> Result<bool, OutboxError> {
        let locks = self.make_locks()?;
        let (ledger, lock) = (
            format!("outbox-target-{digest}.json"),
            format!("outbox-target-{digest}.lock"),
        );
        let held = self.lock(&lock, self.lock_timeout)?;
        let same = match TargetLedger::read(&locks, &ledger) {
            Ok(Some(present)) if present.target().digest() != digest => seen.is_none(),
            Ok(present) => present.as_ref() == seen,
            // Only a caller that saw it damaged asks with nothing seen.
            Err(RecordError::Malformed { .. }) => seen.is_none(),
            Err(error) => return Err(error.into()),
        };
        if same {
            locks.remove(&ledger)?;
            locks.remove(&lock)?;
            locks.sync()?;
        }
        drop(held);
        Ok(same)
    }

    /// Takes the lock of a target, waiting. An intent's lock may be held, never wanted afterwards.
    ///
    /// # Errors
    /// `BUSY` after the root's lock timeout, or the system's.
    pub fn lock_target(&self, target: &Target) -> Result<TargetLock, OutboxError> {
        let lock = self.lock(&target.lock_name(), self.lock_timeout)?;
        Ok(TargetLock { _lock: lock })
    }

    /// Takes the pump's lock, waiting at most `patience`; `None` when another pump holds it.
    ///
    /// # Errors
    /// The system's.
    pub fn lock_pump(&self, patience: Duration) -> Result<Option<PumpLock>, OutboxError> {
        match self.lock(PUMP_LOCK, patience) {
            Ok(lock) => Ok(Some(PumpLock { _lock: lock })),
            Err(OutboxError::Lock(LockError::Timeout { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn lock(&self, name: &str, limit: Duration) -> Result<Lock, OutboxError> {
        let wait = LockWait {
            limit,
            on_long_wait: &|_| {},
        };
        let locks = self.make_locks()?;
        Ok(locks.lock(Hold::File(name), LockMode::Exclusive, wait)?)
    }

    /// The identity that a watcher published; `None` when there is none.
    ///
    /// # Errors
    /// A file that is no identity.
    pub fn read_worker(&self) -> Result<Option<WorkerIdentity>, OutboxError> {
        let Some(locks) = self.find_locks()? else {
            return Ok(None);
        };
        Ok(WorkerIdentity::read(&locks, WORKER_NAME)?)
    }

    /// Publishes a watcher's identity; the pump's lock is the proof that it is the one.
    ///
    /// # Errors
    /// The system's.
    pub fn write_worker(
        &self,
        _held: &PumpLock,
        worker: &WorkerIdentity,
    ) -> Result<(), OutboxError> {
        Ok(worker.write(&self.make_locks()?, WORKER_NAME)?)
    }

    /// Takes the published identity away.
    ///
    /// # Errors
    /// The system's.
    pub fn remove_worker(&self, _held: &PumpLock) -> Result<bool, OutboxError> {
        let locks = self.make_locks()?;
        Ok(locks.remove(WORKER_NAME)?)
    }

    /// Goes through all intents, of one task or of all, in no order. Names that are none of the
    /// outbox's are passed over.
    ///
    /// # Errors
    /// A directory that cannot be listed, or what `visit` answers.
    pub fn each_intent(
        &self,
        only: Option<&Task>,
        mut visit: impl FnMut(DeliveryKey, IntentFile) -> Result<(), OutboxError>,
    ) -> Result<(), OutboxError> {
        self.each_delivery_dir(only, |project, task, delivery| {
            delivery.each_entry::<OutboxError>(|entry| {
                let turn = entry
                    .name
                    .to_str()
                    .and_then(|name| Turn::new(name.strip_suffix(".json")?).ok());
                let Some(turn) = turn else {
                    return Ok(());
                };
                let key = DeliveryKey {
                    project: project.clone(),
                    task: task.clone(),
                    turn,
                };
                match Intent::read_from(delivery, &key) {
                    IntentFile::Absent => Ok(()),
                    file => visit(key, file),
                }
            })
        })
    }

    /// Goes through the `delivery` directories of one task or of all.
    pub(super) fn each_delivery_dir(
        &self,
        only: Option<&Task>,
        mut visit: impl FnMut(&Project, &Task, &Dir) -> Result<(), OutboxError>,
    ) -> Result<(), OutboxError> {
        let Some(tasks) = find(&self.dir, "tasks")? else {
            return Ok(());
        };
        tasks.each_entry::<OutboxError>(|entry| {
            let project = entry.name.to_str().and_then(|name| Project::new(name).ok());
            let (Some(project), Kind::Directory) = (project, entry.kind) else {
                return Ok(());
            };
            let Some(dir) = find(&tasks, project.as_str())? else {
                return Ok(());
            };
            each_task(&dir, only, |task| {
                let Some(dir) = find(&dir, task.as_str())? else {
                    return Ok(());
                };
                match find(&dir, "delivery")? {
                    Some(delivery) => visit(&project, task, &delivery),
                    None => Ok(()),
                }
            })
        })
    }
}

fn each_task(
    project: &Dir,
    only: Option<&Task>,
    mut visit: impl FnMut(&Task) -> Result<(), OutboxError>,
) -> Result<(), OutboxError> {
    if let Some(task) = only {
        return visit(task);
    }
    project.each_entry::<OutboxError>(|entry| {
        let task = entry.name.to_str().and_then(|name| Task::new(name).ok());
        match (task, entry.kind) {
            (Some(task), Kind::Directory) => visit(&task),
            _ => Ok(()),
        }
    })
}

/// Opens a directory of the root's; others must not be able to write there either.
fn find(parent: &Dir, name: &str) -> Result<Option<Dir>, OutboxError> {
    match parent.open_dir(name) {
        Ok(dir) => {
            dir.check_private()?;
            Ok(Some(dir))
        }
        Err(DiskError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Makes a directory of the root's unless it is there. Its name is durable before anything is put
/// into it: what is written there must not be lost with it. So one that holds anything needs no
/// sync; an empty one may have been made by a call that was killed before it.
fn make(parent: &Dir, name: &str) -> Result<Dir, OutboxError> {
    if let Some(dir) = find(parent, name)?
        && !dir.is_empty()?
    {
        return Ok(dir);
    }
    let dir = parent.make_dir(name)?;
    parent.sync()?;
    dir.check_private()?;
    Ok(dir)
}

impl From<DiskError> for OutboxError {
    fn from(error: DiskError) -> OutboxError {
        OutboxError::Record(RecordError::Disk(error))
    }
}
