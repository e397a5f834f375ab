//! Operations on a record root, written down step by step.

use std::path::{Path, PathBuf};

use amiss::clock::FixedClock;
use amiss::durable::{Step, Trace};
use amiss::ledger::file::{ClockPolicy, FileLedger, Limits, Options, Root};
use tempfile::TempDir;

use super::medium::Medium;
use super::oracle::{Seen, look};
use super::scene::LEASE;
use super::states::private;

/// What is certain after an answer.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The operation that was answered.
    pub label: String,
    /// What lay in the root then.
    pub seen: Seen,
    /// The time of that operation.
    pub now: i64,
    /// The limits that `init` took last.
    pub limits: Limits,
    /// Whether the operation may leave the root unprepared while it is under way.
    pub offline: bool,
}

/// A root with the list of all that was done to it.
pub struct Play {
    _scratch: TempDir,
    /// The root.
    pub path: PathBuf,
    trace: Trace,
    /// The medium before the first step.
    pub base: Medium,
    /// Every step, with an [`Step::Answer`] after each operation.
    pub steps: Vec<Step>,
    /// What was certain before the first step, and after each answer.
    pub marks: Vec<Mark>,
}

/// A folder on a filesystem in memory where there is one: nothing here needs a real disk.
pub fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

pub const fn limits(max_records: u64) -> Limits {
    Limits {
        lease_millis: LEASE,
        max_records,
        max_signed_age_millis: 300_000,
        max_queue_age_millis: 60_000,
    }
}

/// A ledger over a root at a time.
pub fn ledger(path: &Path, now: i64) -> FileLedger<FixedClock> {
    let root = Root::open(path, Options::default()).unwrap();
    FileLedger::new(root, FixedClock(now))
}

impl Play {
    /// Starts with what `fill` puts into an empty root; that is taken as durable.
    pub fn start(now: i64, limits: Limits, fill: impl FnOnce(&Path)) -> Play {
        let scratch = scratch();
        let path = scratch.path().join("root");
        std::fs::create_dir(&path).unwrap();
        private(&path);
        fill(&path);
        let mark = Mark {
            label: "the start".into(),
            seen: look(&path).unwrap(),
            now,
            limits,
            offline: false,
        };
        Play {
            base: Medium::of(&path),
            path,
            _scratch: scratch,
            trace: Trace::default(),
            steps: Vec::new(),
            marks: vec![mark],
        }
    }

    /// Starts with a prepared root.
    pub fn prepared(now: i64, max_records: u64) -> Play {
        let limits = limits(max_records);
        Play::start(now, limits, |path| {
            let root = Root::open(path, Options::default()).unwrap();
            root.init(&limits, &FixedClock(now), ClockPolicy::Guard)
                .unwrap();
        })
    }

    /// Does one operation on a row and writes it down.
    pub fn act<T>(
        &mut self,
        label: &str,
        now: i64,
        act: impl FnOnce(&mut FileLedger<FixedClock>) -> T,
    ) -> T {
        let root = self.traced();
        let mut ledger = FileLedger::new(root, FixedClock(now));
        let answer = act(&mut ledger);
        self.answered(label, now, None, false);
        answer
    }

    /// Does one operation on the whole root and writes it down. With `limits` they are changed.
    pub fn act_on_root<T>(
        &mut self,
        label: &str,
        now: i64,
        limits: Option<Limits>,
        offline: bool,
        act: impl FnOnce(&Root, &FixedClock) -> T,
    ) -> T {
        let answer = act(&self.traced(), &FixedClock(now));
        self.answered(label, now, limits, offline);
        answer
    }

    /// Takes all that was done so far as durable and long past.
    pub fn restart(&mut self) {
        self.steps.clear();
        self.base = Medium::of(&self.path);
        let last = self.marks.pop().unwrap();
        self.marks = vec![last];
    }

    /// Lets the medium catch up with the leftovers, so that what follows has fewer states.
    pub fn settle(&mut self) {
        self.steps.push(Step::SyncDir(PathBuf::new()));
    }

    fn traced(&self) -> Root {
        Root::open(&self.path, Options::default())
            .unwrap()
            .traced(self.trace.clone())
    }

    fn answered(&mut self, label: &str, now: i64, limits: Option<Limits>, offline: bool) {
        self.steps.extend(self.trace.take());
        self.steps.push(Step::Answer(label.to_owned()));
        let last = self.marks.last().unwrap();
        self.marks.push(Mark {
            label: label.to_owned(),
            seen: look(&self.path).unwrap(),
            now,
            limits: limits.unwrap_or(last.limits),
            offline,
        });
    }
}
