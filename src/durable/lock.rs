//! `flock(2)` locks with a time limit (page 3.3). A lock file is never removed.

use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::fs::{self, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::dir::{Dir, check_regular};
use super::error::DiskError;
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

/// A held lock; dropping it lets go.
#[derive(Debug)]
pub struct Lock {
    // The lock belongs to this open file; closing it lets go.
    _handle: OwnedFd,
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
        let operation = match mode {
            LockMode::Shared => FlockOperation::NonBlockingLockShared,
            LockMode::Exclusive => FlockOperation::NonBlockingLockExclusive,
        };
        let path = self.lock_path(what);
        let mut handle = self.open_lock(what)?;
        loop {
            match fs::flock(&handle, operation) {
                Ok(()) if self.still_there(what, &handle)? => {
                    return Ok(Lock { _handle: handle });
                }
                // Replaced under us: the next try is of the new file. Counts as waiting.
                Ok(()) => handle = self.open_lock(what)?,
                Err(Errno::WOULDBLOCK | Errno::INTR) => {}
                Err(errno) => return Err(DiskError::io("lock", path, errno).into()),
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

    fn lock_path(&self, what: Hold<'_>) -> PathBuf {
        match what {
            Hold::File(name) => self.path_of(name),
            Hold::Directory => self.path().to_owned(),
        }
    }

    fn open_lock(&self, what: Hold<'_>) -> Result<OwnedFd, DiskError> {
        let path = self.lock_path(what);
        let Hold::File(name) = what else {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            return fs::openat(self.handle(), ".", flags, Mode::empty())
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
        Ok(handle)
    }

    fn still_there(&self, what: Hold<'_>, handle: &OwnedFd) -> Result<bool, DiskError> {
        let Hold::File(name) = what else {
            return Ok(true);
        };
        let failed = |errno| DiskError::io("stat", self.path_of(name), errno);
        let held = fs::fstat(handle.as_fd()).map_err(failed)?;
        match fs::statat(self.handle(), name, fs::AtFlags::SYMLINK_NOFOLLOW) {
            Ok(there) => Ok(there.st_ino == held.st_ino && there.st_dev == held.st_dev),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(failed(errno)),
        }
    }

    /// Who holds the lock, as far as the system tells.
    fn holder(&self, what: Hold<'_>) -> Option<String> {
        let handle = self.open_lock(what).ok()?;
        let inode = fs::fstat(&handle).ok()?.st_ino;
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
