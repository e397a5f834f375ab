//! Making sure that a live watcher runs, right under every race (page 5.2, point 9).
//!
//! The one truth is: the pump lock is held, and the published identity is that of a live process.
//! Nothing is answered on less. The lock is only ever looked at for an instant, and a starting
//! watcher tries for longer than that.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::error::OutboxError;
use super::root::HostRoot;
use super::watch::binary_is_replaced;
use super::worker::WorkerIdentity;
use crate::code::{Code, Coded};
use crate::process::{ProcessError, Program, is_running, start_detached};

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(10);
/// The pause between two nudges of a watcher.
const NUDGE_PAUSE: Duration = Duration::from_millis(250);
/// How often one call starts a watcher that ends at once.
const MAX_STARTS: u32 = 3;
/// The name that is made and taken away in the due folder, so that a sleeping watcher looks up.
pub(super) const NUDGE: &str = ".wake";

/// What `wake` found or did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Woken {
    /// A live watcher runs.
    Running,
    /// This call started it.
    Started,
    /// A newer program took over from an older one.
    Restarted,
}

/// Why no live watcher can be promised.
#[derive(Debug, thiserror::Error)]
pub enum WakeError {
    /// A record, a lock or a folder.
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    /// The watcher could not be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// None acknowledged in time.
    #[error("no live watcher acknowledged within {millis} ms{}", if *.held { "; another pump holds the lock" } else { "" })]
    Required {
        /// How long was waited.
        millis: u64,
        /// Whether the pump lock is held, by a one-shot pump for example.
        held: bool,
    },
}

impl Coded for WakeError {
    fn code(&self) -> Code {
        match self {
            WakeError::Outbox(error) => error.code(),
            WakeError::Process(_) | WakeError::Required { .. } => Code::OutboxWorkerRequired,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            WakeError::Outbox(error) => error.hint(),
            WakeError::Process(error) => error.hint(),
            WakeError::Required { .. } => {
                Some("run `amiss outbox watch` in the foreground to see what keeps it".into())
            }
        }
    }
}

/// How a watcher is started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<std::ffi::OsString>,
}

/// Who holds the pump lock, as far as can be known.
enum Holder {
    /// Nobody.
    Nobody,
    /// A live watcher.
    Watcher(Box<WorkerIdentity>),
    /// Somebody without a live identity: a one-shot pump, or a watcher that is starting.
    Somebody,
}

impl HostRoot {
    /// Makes sure that a live watcher runs, starting one with `launch` where none does; waits at
    /// most `handshake` for it to hold the lock and to have published itself.
    ///
    /// # Errors
    /// [`WakeError`]; `OUTBOX_WORKER_REQUIRED` when none acknowledged.
    pub fn wake(&self, launch: &Launch, handshake: Duration) -> Result<Woken, WakeError> {
        let began = Instant::now();
        let mut waking = Waking::default();
        loop {
            let holder = self.holder()?;
            let overdue = began.elapsed() >= handshake;
            match &holder {
                Holder::Watcher(worker) => match waking.judge(worker) {
                    Some(woken) => {
                        // What a killed call left is found now, not at the next slow poll.
                        self.nudge();
                        return Ok(woken);
                    }
                    // An older one that is in a long push hands over after it.
                    None if overdue => return Ok(Woken::Running),
                    None => {}
                },
                Holder::Nobody if !overdue && waking.may_start() => {
                    waking.started = Some(start(launch)?);
                    waking.starts = waking.starts.saturating_add(1);
                }
                Holder::Nobody | Holder::Somebody => {}
            }
            if overdue {
                return Err(WakeError::Required {
                    millis: u64::try_from(handshake.as_millis()).unwrap_or(u64::MAX),
                    held: !matches!(holder, Holder::Nobody),
                });
            }
            // A watcher that looks up mends a damaged identity, and notices a newer program.
            if waking.should_nudge(&holder) {
                self.nudge();
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn holder(&self) -> Result<Holder, OutboxError> {
        // A damaged identity is none; the lock decides who pumps.
        let live = |worker: &WorkerIdentity| worker.watch && worker.identity.is_alive();
        let worker = self.read_worker().ok().flatten().filter(live);
        if self.lock_pump(Duration::ZERO)?.is_some() {
            return Ok(Holder::Nobody);
        }
        Ok(worker.map_or(Holder::Somebody, |worker| Holder::Watcher(Box::new(worker))))
    }

    fn nudge(&self) {
        if let Ok(registry) = self.due_registry() {
            // Two wakes may meet here; either is heard.
            let _ = registry.dir().make_dir(NUDGE);
            let _ = registry.dir().remove_dir(NUDGE);
        }
    }
}

/// What one call of `wake` has seen and done so far.
#[derive(Default)]
struct Waking {
    started: Option<u32>,
    starts: u32,
    older: Option<WorkerIdentity>,
    nobody_since: Option<Instant>,
    nudged: Option<Instant>,
}

impl Waking {
    /// The answer that a live watcher allows; `None` when it is an older program that is to hand
    /// over first.
    fn judge(&mut self, worker: &WorkerIdentity) -> Option<Woken> {
        self.nobody_since = None;
        match &self.older {
            Some(older) if older == worker => None,
            // The newer program could not run, and the older one goes on without looking again.
            Some(_) if worker.binary.is_none() => Some(Woken::Running),
            Some(_) => Some(Woken::Restarted),
            None if outdated(worker) => {
                self.older = Some(worker.clone());
                None
            }
            None if self.started == Some(worker.identity.pid) => Some(Woken::Started),
            None => Some(Woken::Running),
        }
    }

    /// Whether to start a watcher now that nobody holds the lock. One that was started and still
    /// runs gets its time; one that is about to hand over, a moment in which it does so itself.
    fn may_start(&mut self) -> bool {
        let since = *self.nobody_since.get_or_insert_with(Instant::now);
        let patience = if self.older.is_some() || self.started.is_some() {
            Duration::from_secs(1)
        } else {
            Duration::ZERO
        };
        self.starts < MAX_STARTS
            && since.elapsed() >= patience
            && self.started.is_none_or(|pid| !is_running(pid))
    }

    fn should_nudge(&mut self, holder: &Holder) -> bool {
        let worth = match holder {
            Holder::Nobody => false,
            Holder::Somebody => true,
            Holder::Watcher(_) => self.older.is_some(),
        };
        let due = self.nudged.is_none_or(|at| at.elapsed() >= NUDGE_PAUSE);
        if worth && due {
            self.nudged = Some(Instant::now());
        }
        worth && due
    }
}

fn outdated(worker: &WorkerIdentity) -> bool {
    worker.binary.as_ref().is_some_and(binary_is_replaced)
}

fn start(launch: &Launch) -> Result<u32, ProcessError> {
    let program = Program::new(&launch.program)
        .args(&launch.arguments)
        .directory("/");
    start_detached(&program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbox::worker::{BinaryIdentity, ProcessIdentity};

    fn worker(pid: u32) -> WorkerIdentity {
        WorkerIdentity {
            identity: ProcessIdentity {
                pid,
                start_time: 1,
                boot_id: None,
            },
            watch: true,
            binary: None,
        }
    }

    #[test]
    fn a_watcher_is_started_only_by_the_call_whose_child_it_is() {
        let mut waking = Waking {
            started: Some(7),
            ..Waking::default()
        };
        assert_eq!(waking.judge(&worker(8)), Some(Woken::Running));
        assert_eq!(waking.judge(&worker(7)), Some(Woken::Started));
    }

    #[test]
    fn an_older_program_is_waited_for_until_another_identity_stands_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("program");
        std::fs::write(&path, "newer").unwrap();
        let mut older = worker(7);
        older.binary = Some(BinaryIdentity {
            path: path.to_str().unwrap().into(),
            inode: 0,
            size: 0,
            mtime_millis: crate::clock::UnixMillis::ZERO,
        });
        let mut waking = Waking::default();
        assert_eq!(waking.judge(&older), None);
        assert_eq!(waking.judge(&older), None);
        assert_eq!(
            waking.judge(&worker(7)),
            Some(Woken::Running),
            "no newer one runs"
        );
        let mut newer = older.clone();
        newer.binary = newer
            .binary
            .map(|binary| BinaryIdentity { inode: 1, ..binary });
        assert_eq!(waking.judge(&newer), Some(Woken::Restarted));
    }

    #[test]
    fn nobody_is_started_twice_while_the_first_still_runs_nor_without_end() {
        let mut waking = Waking::default();
        assert!(waking.may_start());
        waking.started = Some(std::process::id());
        waking.nobody_since = Instant::now().checked_sub(Duration::from_secs(5));
        assert!(!waking.may_start(), "it still runs");
        waking.started = None;
        waking.starts = MAX_STARTS;
        assert!(!waking.may_start());
    }

    #[test]
    fn one_that_was_started_gets_its_time_even_when_it_has_ended() {
        let mut waking = Waking {
            started: Some(u32::MAX),
            ..Waking::default()
        };
        // No time has passed since then, however slow this machine is.
        waking.nobody_since = Instant::now().checked_add(Duration::from_secs(3600));
        assert!(!waking.may_start());
        waking.nobody_since = Instant::now().checked_sub(Duration::from_secs(2));
        assert!(waking.may_start());
    }

    #[test]
    fn only_somebody_or_an_older_watcher_is_nudged_and_not_all_the_time() {
        let watcher = || Holder::Watcher(Box::new(worker(7)));
        let mut waking = Waking::default();
        assert!(!waking.should_nudge(&Holder::Nobody));
        assert!(!waking.should_nudge(&watcher()));
        assert!(waking.should_nudge(&Holder::Somebody));
        waking.nudged = Instant::now().checked_add(Duration::from_secs(3600));
        assert!(!waking.should_nudge(&Holder::Somebody));
        waking.nudged = Instant::now().checked_sub(Duration::from_secs(2));
        assert!(waking.should_nudge(&Holder::Somebody));
        waking.older = Some(worker(8));
        waking.nudged = None;
        assert!(waking.should_nudge(&watcher()));
    }

    #[test]
    fn what_no_watcher_acknowledged_says_how_to_see_what_keeps_it() {
        let required = WakeError::Required {
            millis: 5,
            held: true,
        };
        let hint = "run `amiss outbox watch` in the foreground to see what keeps it";
        assert_eq!(required.hint().unwrap(), hint);
        assert!(
            required
                .to_string()
                .ends_with("another pump holds the lock")
        );
    }
}
