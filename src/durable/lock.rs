//! `flock(2)` locks with a time limit (page 3.3). A lock file is never removed.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::fs::{self, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::dir::{Dir, check_regular};
use super::error::DiskError;
use super::handles::Handles;
use crate::code::{Code, Coded};

/// Shared with others of the same mode, or alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    /// With others that share.
    Shared,
    /// Alone.
    Exclusive,
}

/// How long to wait, and whom to tell.
#[derive(Clone, Copy)]
pub struct LockWait<'a> {
    /// After this the wait ends with [`LockError::Timeout`].
    pub limit: Duration,
    /// Called once, 2 s into a wait, with the lock's path.
    pub on_long_wait: &'a (dyn Fn(&std::path::Path) + Sync),
}

impl std::fmt::Debug for LockWait<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("LockWait")
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else held it the whole time.
    #[error("{path} is still held after {waited_millis} ms{}", holder.as_deref().unwrap_or(""))]
    Timeout {
        /// The lock's file.
        path: PathBuf,
        /// How long was waited.
        waited_millis: u64,
        /// What the lock file says of the holder, for information only.
        holder: Option<String>,
    },
    /// The file under the lock could not be opened, checked or locked. Never "go on without".
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl Coded for LockError {
    fn code(&self) -> Code {
        match self {
            LockError::Timeout { .. } => Code::Busy,
            LockError::Disk(error) => error.code(),
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            LockError::Timeout { .. } => {
                Some("find the holder with `fuser`, or wait longer with --lock-timeout".into())
            }
            LockError::Disk(error) => error.hint(),
        }
    }
}

/// What is locked.
#[derive(Clone, Copy, Debug)]
pub enum Hold<'a> {
    /// A lock file by this name, made (0600) when it is not there.
    File(&'a str),
    /// The directory itself, through a handle of its own. Other programs do not lock it.
    Directory,
}

impl<'a> Hold<'a> {
    /// The name in the directory; the directory itself has none.
    const fn name(self) -> &'a str {
        match self {
            Hold::File(name) => name,
            Hold::Directory => "",
        }
    }
}

/// A held lock; dropping it lets go.
#[derive(Debug)]
pub struct Lock {
    // The lock belongs to this open file: to let go is to close it, or to unlock and keep it.
    held: Option<Opened>,
    back: Option<(Handles, String)>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        let Some(opened) = self.held.take() else {
            return;
        };
        if let Some((handles, name)) = self.back.take()
            && fs::flock(&opened.handle, FlockOperation::Unlock).is_ok()
        {
            handles.put(name, opened);
        }
    }
}

/// A lock's file or directory, not locked yet.
#[derive(Debug)]
pub(super) struct Opened {
    handle: OwnedFd,
    /// Which file it is; a directory has no other at its name.
    facts: Option<fs::Stat>,
}

/// After this long a wait is announced.
const ANNOUNCE_AFTER: Duration = Duration::from_secs(2);
/// The shortest and the longest pause between two tries. A try is one system call, so that even the
/// longest may be shorter than the medium's sync: a holder that is done is not waited for.
const PAUSES: (Duration, Duration) = (Duration::from_micros(50), Duration::from_micros(500));

impl Dir {
    /// Takes a lock, waiting at most `wait.limit`. After it is taken, the file is checked to be
    /// still the one at that path; if not, the new one is tried.
    ///
    /// # Errors
    /// [`LockError`].
    pub fn lock(
        &self,
        what: Hold<'_>,
        mode: LockMode,
        wait: LockWait<'_>,
    ) -> Result<Lock, LockError> {
        let started = Instant::now();
        let mut announced = false;
        let mut pause = PAUSES.0;
        let path = self.lock_path(what);
        let mut opened = self.lock_handle(what)?;
        loop {
            if self.attempt(what, mode, &mut opened)? {
                return Ok(self.held(what, opened));
            }
            let waited = started.elapsed();
            if waited >= wait.limit {
                return Err(LockError::Timeout {
                    holder: self.holder(what),
                    path,
                    waited_millis: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
                });
            }
            if waited >= ANNOUNCE_AFTER && !announced {
                announced = true;
                (wait.on_long_wait)(&path);
            }
            std::thread::sleep(pause.min(wait.limit.saturating_sub(waited)));
            pause = pause.saturating_mul(2).min(PAUSES.1);
        }
    }

    /// Takes a lock if nobody holds it now; never waits.
    ///
    /// # Errors
    /// [`LockError::Disk`].
    pub fn try_lock(&self, what: Hold<'_>, mode: LockMode) -> Result<Option<Lock>, LockError> {
        let mut opened = self.lock_handle(what)?;
        let taken = self.attempt(what, mode, &mut opened)?;
        Ok(taken.then(|| self.held(what, opened)))
    }

    /// One try; whether it took the lock. A file that was replaced under us is opened anew for the
    /// next one.
    fn attempt(
        &self,
        what: Hold<'_>,
        mode: LockMode,
        opened: &mut Opened,
    ) -> Result<bool, LockError> {
        let operation = match mode {
            LockMode::Shared => FlockOperation::NonBlockingLockShared,
            LockMode::Exclusive => FlockOperation::NonBlockingLockExclusive,
        };
        // A kept handle may be of a file that is gone: the one that is there is tried at once, since
        // nobody needs to hold it. A file that is replaced all the time is waited for.
        for _ in 0..2 {
            match fs::flock(&opened.handle, operation) {
                Ok(()) if self.still_there(what, opened)? => return Ok(true),
                Ok(()) => *opened = self.open_lock(what)?,
                Err(Errno::WOULDBLOCK | Errno::INTR) => return Ok(false),
                Err(errno) => {
                    return Err(DiskError::io("lock", self.lock_path(what), errno).into());
                }
            }
        }
        Ok(false)
    }

    fn held(&self, what: Hold<'_>, opened: Opened) -> Lock {
        let back = self.handles().cloned();
        Lock {
            held: Some(opened),
            back: back.map(|handles| (handles, what.name().to_owned())),
        }
    }

    /// A handle that nobody else in this process uses: a kept one, or a new one.
    fn lock_handle(&self, what: Hold<'_>) -> Result<Opened, DiskError> {
        let kept = self.handles().and_then(|handles| handles.take(what.name()));
        kept.map_or_else(|| self.open_lock(what), Ok)
    }

    fn lock_path(&self, what: Hold<'_>) -> PathBuf {
        match what {
            Hold::File(name) => self.path_of(name),
            Hold::Directory => self.path().to_owned(),
        }
    }

    fn open_lock(&self, what: Hold<'_>) -> Result<Opened, DiskError> {
        let path = self.lock_path(what);
        let Hold::File(name) = what else {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            return fs::openat(self.handle(), ".", flags, Mode::empty())
                .map(|handle| Opened {
                    handle,
                    facts: None,
                })
                .map_err(|errno| DiskError::io("open", path, errno));
        };
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let handle = match fs::openat(self.handle(), name, flags, Mode::RUSR | Mode::WUSR) {
            Ok(handle) => handle,
            Err(Errno::LOOP | Errno::MLINK) => return Err(DiskError::Link { path }),
            Err(Errno::ISDIR | Errno::NXIO | Errno::OPNOTSUPP) => {
                return Err(DiskError::Kind {
                    path,
                    expected: "regular file",
                });
            }
            Err(errno) => return Err(DiskError::io("open", path, errno)),
        };
        let facts = fs::fstat(&handle).map_err(|errno| DiskError::io("stat", &path, errno))?;
        check_regular(&facts, &path)?;
        Ok(Opened {
            handle,
            facts: Some(facts),
        })
    }

    fn still_there(&self, what: Hold<'_>, opened: &Opened) -> Result<bool, DiskError> {
        let (Hold::File(name), Some(held)) = (what, &opened.facts) else {
            return Ok(true);
        };
        match fs::statat(self.handle(), name, fs::AtFlags::SYMLINK_NOFOLLOW) {
            Ok(there) if there.st_ino == held.st_ino && there.st_dev == held.st_dev => {
                // A kept handle was looked at long ago: what is asked of a new one is asked of it too.
                check_regular(&there, &self.lock_path(what))?;
                Ok(true)
            }
            Ok(_) | Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(DiskError::io("stat", self.path_of(name), errno)),
        }
    }

    /// Who holds the lock, as far as the system tells.
    fn holder(&self, what: Hold<'_>) -> Option<String> {
        let opened = self.open_lock(what).ok()?;
        let inode = fs::fstat(&opened.handle).ok()?.st_ino;
        let table = std::fs::read_to_string("/proc/locks").ok()?;
        let pid = table.lines().find_map(|line| {
            let mut words = line.split_whitespace().skip_while(|word| *word != "FLOCK");
            let (pid, place) = (words.nth(3)?, words.next()?);
            (place.rsplit(':').next()?.parse::<u64>().ok()? == inode).then(|| pid.to_owned())
        })?;
        Some(told(&pid))
    }
}

/// The table names who took the lock, which a child that inherited it may outlive; and a process
/// of another container has no number here.
fn told(pid: &str) -> String {
    match pid.parse::<u32>() {
        Ok(number) if number > 0 => {
            if std::path::Path::new("/proc").join(pid).exists() {
                format!(" by process {pid}")
            } else {
                format!(
                    " (last known holder: process {pid}, which has ended; a child of it holds on)"
                )
            }
        }
        _ => " by a process that is not seen from here".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: LockWait<'static> = LockWait {
        limit: Duration::ZERO,
        on_long_wait: &|_| {},
    };

    fn take(dir: &Dir) -> Result<Lock, LockError> {
        dir.lock(Hold::File("a.lock"), LockMode::Exclusive, NOW)
    }

    #[test]
    fn a_kept_handle_holds_no_lock_and_excludes_when_it_is_used_again() {
        let place = tempfile::tempdir().unwrap();
        let keeping = Dir::open(place.path()).unwrap().keeping_locks();
        let other = Dir::open(place.path()).unwrap();
        for _ in 0..3 {
            let held = take(&keeping).unwrap();
            assert!(matches!(take(&other), Err(LockError::Timeout { .. })));
            // The same directory once more: it opens the file anew, so it is kept out too.
            assert!(matches!(take(&keeping), Err(LockError::Timeout { .. })));
            drop(held);
            drop(take(&other).unwrap());
        }
    }

    #[test]
    fn a_kept_handle_of_a_file_that_was_replaced_is_not_taken_for_the_lock() {
        let place = tempfile::tempdir().unwrap();
        let keeping = Dir::open(place.path()).unwrap().keeping_locks();
        drop(take(&keeping).unwrap());
        std::fs::remove_file(place.path().join("a.lock")).unwrap();
        // Nobody holds the one that is made anew, so there is nothing to wait for.
        drop(take(&keeping).unwrap());
        std::fs::remove_file(place.path().join("a.lock")).unwrap();
        let other = Dir::open(place.path()).unwrap();
        let held = take(&other).unwrap();
        assert!(take(&keeping).is_err());
        drop(held);
        let wait = LockWait {
            limit: Duration::from_secs(60),
            on_long_wait: &|_| {},
        };
        let _held = keeping
            .lock(Hold::File("a.lock"), LockMode::Exclusive, wait)
            .unwrap();
        assert!(take(&other).is_err());
    }

    #[test]
    fn what_is_asked_of_a_new_lock_file_is_asked_of_a_kept_one() {
        let place = tempfile::tempdir().unwrap();
        let keeping = Dir::open(place.path()).unwrap().keeping_locks();
        drop(take(&keeping).unwrap());
        let names = ["a.lock", "b.lock"].map(|name| place.path().join(name));
        std::fs::hard_link(&names[0], &names[1]).unwrap();
        let refused = take(&keeping).unwrap_err();
        assert!(matches!(
            refused,
            LockError::Disk(DiskError::HardLink { .. })
        ));
    }

    #[test]
    fn only_so_many_handles_are_kept() {
        let place = tempfile::tempdir().unwrap();
        let keeping = Dir::open(place.path()).unwrap().keeping_locks();
        for number in 0..100 {
            let name = format!("{number}.lock");
            drop(keeping.lock(Hold::File(&name), LockMode::Exclusive, NOW));
        }
        let kept = |number: u32| {
            let name = format!("{number}.lock");
            keeping.handles().unwrap().take(&name).is_some()
        };
        assert_eq!((0..100).filter(|number| kept(*number)).count(), 32);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_a_living_process_is_named_as_the_holder() {
        assert_eq!(
            told(&std::process::id().to_string()),
            format!(" by process {}", std::process::id())
        );
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        assert!(told(&child.id().to_string()).contains("last known holder"));
        assert_eq!(told("0"), " by a process that is not seen from here");
        assert_eq!(told("-1"), " by a process that is not seen from here");
    }
}
