//! A host root with any number of deliveries that wait, their pins, and as long a history.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::bench::Watch;
use crate::bench::error::BenchError;
use crate::clock::{Clock, SystemClock, UnixMillis};
use crate::code::Code;
use crate::delivery::ObjectId;
use crate::git::{Git, Place};
use crate::outbox::{
    Branch, DeliveryKey, DueEntry, HostRoot, Intent, Origin, Project, PushRequest, Record, State,
    Task, Turn, backoff_millis,
};
use crate::process::Cancel;

/// How many turns a task of the seed has.
const TURNS_OF_A_TASK: u64 = 10;
/// How many pushes failed of each delivery that waits: its next one is five minutes away.
const FAILED: u32 = 11;
/// How long a lock may be waited for, and a Git command may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// The root, and what is beside it.
pub(super) struct Host {
    root: HostRoot,
    folder: PathBuf,
    rows: u64,
    oid: ObjectId,
}

impl Host {
    /// Makes one with `rows` deliveries that wait, each with its pin and a commit of history.
    pub fn make(folder: &Path, rows: u64, watch: &mut dyn Watch) -> Result<Host, BenchError> {
        let path = folder.join("host");
        for place in [folder, &path, &path.join("mirrors")] {
            make_dir(place)?;
        }
        let mirror = path.join("mirrors/web.git");
        let cancel = Cancel::new();
        init(&mirror, &cancel)?;
        init(&folder.join("origin.git"), &cancel)?;
        let oid = history(&mirror, rows, &cancel)?;
        let root = HostRoot::open(&path, PATIENCE).map_err(BenchError::measured("opening"))?;
        let host = Host {
            root,
            folder: folder.to_owned(),
            rows,
            oid,
        };
        if rows > 0 {
            host.seed(&mirror, watch)?;
        }
        Ok(host)
    }

    /// How many deliveries wait there.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// The root.
    pub const fn root(&self) -> &HostRoot {
        &self.root
    }

    /// A folder of its own beside the root.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Enqueues the commit for a branch of this name at the origin beside the root.
    pub fn enqueue(&self, branch: &str) -> Result<DeliveryKey, BenchError> {
        let origin = self.folder.join("origin.git");
        self.enqueue_to(&origin, branch)
    }

    /// The same for another origin.
    pub fn enqueue_to(&self, origin: &Path, branch: &str) -> Result<DeliveryKey, BenchError> {
        let request = PushRequest {
            key: key("bench", drawn_turn()?)?,
            origin: address(origin)?,
            branch: Branch::new(branch).map_err(refused)?,
            oid: self.oid.clone(),
            mirror: None,
        };
        self.root
            .enqueue(&request, &SystemClock, &Cancel::new())
            .map_err(BenchError::measured("enqueue"))?;
        Ok(request.key)
    }

    /// Whether a delivery has nothing to do any more.
    pub fn is_over(&self, key: &DeliveryKey) -> Result<bool, BenchError> {
        let registry = self
            .root
            .due_registry()
            .map_err(BenchError::measured("the due registry"))?;
        let entry = registry
            .read(key)
            .map_err(BenchError::measured("a due entry"))?;
        Ok(entry.is_none())
    }

    fn seed(&self, mirror: &Path, watch: &mut dyn Watch) -> Result<(), BenchError> {
        let now = SystemClock
            .now()
            .map_err(BenchError::measured("the clock"))?;
        let what = format!("{} deliveries: writing them", self.rows);
        let due = self.root.path().join("locks/outbox-due");
        for place in [&self.root.path().join("locks"), &due] {
            make_dir(place)?;
        }
        let mut pins = String::new();
        for number in 0..self.rows {
            if number.is_multiple_of(1000) {
                watch.progress(&what, number, self.rows)?;
            }
            let intent = self.waiting(number, now)?;
            let key = intent.key();
            let delivery = self
                .root
                .path()
                .join(format!("tasks/{}/{}/delivery", key.project, key.task));
            make_dir(&delivery)?;
            put(&delivery.join(key.intent_name()), &intent)?;
            put(&due.join(key.due_name()), &DueEntry::of(&intent))?;
            let _ = writeln!(pins, "create {} {}", key.pin_ref(), self.oid);
        }
        let git = git(mirror, &Cancel::new());
        git.output_of(&["update-ref", "--stdin"], pins.as_bytes())
            .and_then(|_| git.output(&["pack-refs", "--all"]))
            .map_err(BenchError::measured("pinning the deliveries that wait"))?;
        Ok(())
    }

    /// A delivery whose next push is minutes away.
    fn waiting(&self, number: u64, now: UnixMillis) -> Result<Intent, BenchError> {
        let turn = Turn::new(format!("{number:032x}")).map_err(refused)?;
        let task = format!("old-{}", number.div_euclid(TURNS_OF_A_TASK));
        let key = key(&task, turn)?;
        Ok(Intent {
            project_id: key.project,
            task_id: key.task,
            turn_id: key.turn,
            origin: address(&self.folder.join("gone.git"))?,
            branch: Branch::new("main").map_err(refused)?,
            oid: self.oid.clone(),
            state: State::Retrying,
            attempt: FAILED.saturating_add(1),
            next_attempt_at_millis: now
                .plus(backoff_millis(FAILED))
                .map_err(BenchError::measured("the clock"))?,
            last_error: Some(Code::OriginUnreachable.into()),
            superseded_by: None,
            created_at_millis: now,
            updated_at_millis: now,
            retry_requested_at_millis: None,
            mirror: None,
        })
    }
}

/// A bare repository.
pub(super) fn init(path: &Path, cancel: &Cancel) -> Result<(), BenchError> {
    let git = Git::new(&Place::Nowhere, PATIENCE, cancel);
    let arguments = [
        "init".as_ref(),
        "-q".as_ref(),
        "--bare".as_ref(),
        path.as_os_str(),
    ];
    git.output(&arguments)
        .map(drop)
        .map_err(BenchError::measured("making a repository"))
}

fn git(mirror: &Path, cancel: &Cancel) -> Git {
    Git::new(&Place::Repository(mirror.to_owned()), PATIENCE, cancel)
}

/// A branch of so many commits and one more, in a pack; its tip.
fn history(mirror: &Path, commits: u64, cancel: &Cancel) -> Result<ObjectId, BenchError> {
    let mut stream = String::new();
    for number in 0..=commits {
        let _ = write!(
            stream,
            "commit refs/heads/long\ncommitter a <a@example.test> {} +0000\ndata 1\nx\n",
            number.saturating_add(1_700_000_000)
        );
    }
    let git = git(mirror, cancel);
    let line = git
        .output_of(&["fast-import", "--quiet"], stream.as_bytes())
        .and_then(|_| git.output(&["repack", "-q", "-a", "-d"]))
        .and_then(|_| git.output(&["rev-parse", "refs/heads/long"]))
        .map_err(BenchError::measured("writing a history"))?;
    ObjectId::new(String::from_utf8_lossy(&line).trim()).map_err(refused)
}

fn key(task: &str, turn: Turn) -> Result<DeliveryKey, BenchError> {
    Ok(DeliveryKey {
        project: Project::new("web").map_err(refused)?,
        task: Task::new(task).map_err(refused)?,
        turn,
    })
}

fn address(path: &Path) -> Result<Origin, BenchError> {
    Origin::new(format!("file://{}", path.display())).map_err(BenchError::measured("an address"))
}

fn drawn_turn() -> Result<Turn, BenchError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| BenchError::io("draw from", "the system", std::io::Error::other(error)))?;
    Turn::new(format!("{:032x}", u128::from_be_bytes(bytes))).map_err(refused)
}

fn refused(error: impl std::fmt::Display) -> BenchError {
    BenchError::Answer {
        what: "a name".into(),
        expected: "one that the outbox takes",
        got: error.to_string(),
    }
}

fn make_dir(path: &Path) -> Result<(), BenchError> {
    fs::DirBuilder::new()
        .mode(0o700)
        .recursive(true)
        .create(path)
        .map_err(|source| BenchError::io("make", path, source))
}

/// Writes a record as it would stand there, without its syncs: a seed need not survive a crash.
fn put(path: &Path, record: &impl Record) -> Result<(), BenchError> {
    let bytes = record.encode().map_err(refused)?;
    let failed = |source| BenchError::io("write", path, source);
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(failed)?;
    std::io::Write::write_all(&mut file, &bytes).map_err(failed)
}
