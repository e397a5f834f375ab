//! Private directories of runs. Each is owned by a lock that is held as long as the run or anything
//! of its process tree lives; one whose lock is free belongs to a dead run and is swept.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags};
use serde::Serialize;

use crate::code::{Code, Coded};
use crate::delivery::digest::hex;

/// How the name of every run's directory starts.
pub const PREFIX: &str = "amiss-run-";

/// Why a scratch directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// The system refused something.
    #[error("cannot {operation} {path}")]
    Io {
        /// What was tried, as a verb.
        operation: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The directory is not there.
    #[error("the scratch directory {path} is not there")]
    Missing {
        /// Which.
        path: PathBuf,
    },
    /// Not a directory.
    #[error("the scratch directory {path} is not a directory")]
    Kind {
        /// Which.
        path: PathBuf,
    },
    /// Others could replace what is in it.
    #[error("the scratch directory {path} has mode {mode:04o}: others can replace what is in it")]
    Writable {
        /// Which.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Nothing can be started from it.
    #[error("the scratch directory {path} is on a filesystem that is mounted noexec")]
    NoExec {
        /// Which.
        path: PathBuf,
    },
}

impl ScratchError {
    fn io(operation: &'static str, path: &Path, source: impl Into<io::Error>) -> ScratchError {
        ScratchError::Io {
            operation,
            path: path.to_owned(),
            source: source.into(),
        }
    }
}

impl Coded for ScratchError {
    fn code(&self) -> Code {
        match self {
            ScratchError::Io { .. } => Code::Io,
            ScratchError::Missing { .. } => Code::NotFound,
            ScratchError::Kind { .. }
            | ScratchError::Writable { .. }
            | ScratchError::NoExec { .. } => Code::RootUnsafe,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            ScratchError::Io { .. } => None,
            ScratchError::Missing { path } => Some(format!("mkdir -m 700 {}", path.display())),
            ScratchError::Kind { .. } => Some("give a directory".into()),
            ScratchError::Writable { path, .. } => Some(format!("chmod go-w {}", path.display())),
            ScratchError::NoExec { .. } => {
                Some("choose one on a filesystem that allows execution".into())
            }
        }
    }
}

/// A run's own directory (0700), with its lock. Dropping it removes it.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    lock: OwnedFd,
}

impl Scratch {
    /// Makes one below `parent`.
    ///
    /// # Errors
    /// [`ScratchError`]; nothing is left behind.
    pub fn make(parent: &Path) -> Result<Scratch, ScratchError> {
        let parent = check(parent)?;
        loop {
            let mut random = [0_u8; 8];
            getrandom::fill(&mut random).map_err(|error| {
                ScratchError::io("draw a name in", &parent, io::Error::other(error))
            })?;
            let path = parent.join(format!("{PREFIX}{}", hex(&random)));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(ScratchError::io("make", &path, error)),
            }
            // A sweep may come between the making and the locking; then another name is taken.
            if let Some(lock) = lock(&path)? {
                return Ok(Scratch { path, lock });
            }
        }
    }

    /// Where it is, absolute and without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The lock, to be held by others as well.
    #[must_use]
    pub fn lock(&self) -> BorrowedFd<'_> {
        self.lock.as_fd()
    }

    /// Makes a new file in it, kept open for reading and writing.
    ///
    /// # Errors
    /// [`ScratchError::Io`].
    pub fn create(&self, name: &str, bytes: &[u8], mode: u32) -> Result<File, ScratchError> {
        let path = self.path.join(name);
        let create = || -> io::Result<File> {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create_new(true)
                .mode(mode)
                .open(&path)?;
            // Whatever the caller's umask took away belongs to it.
            file.set_permissions(Permissions::from_mode(mode))?;
            file.write_all(bytes)?;
            Ok(file)
        };
        create().map_err(|error| ScratchError::io("write", &path, error))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next sweep, or named by it.
        let _ = remove(&self.path);
    }
}

/// What a sweep did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Swept {
    /// Directories of dead runs that were removed.
    pub removed: u64,
    /// Directories of runs that live.
    pub kept: u64,
}

/// Removes the directories of dead runs below `parent`. Nothing else is touched: only names that
/// start with [`PREFIX`], that are directories of the caller's, and whose lock is free.
///
/// # Errors
/// [`ScratchError`] when `parent` cannot be used or listed, or when a dead run's directory cannot be
/// removed.
pub fn sweep(parent: &Path) -> Result<Swept, ScratchError> {
    let parent = check(parent)?;
    let mut swept = Swept::default();
    let entries =
        fs::read_dir(&parent).map_err(|error| ScratchError::io("list", &parent, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| ScratchError::io("list", &parent, error))?;
        let ours = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(PREFIX));
        let path = entry.path();
        let Ok(facts) = fs::symlink_metadata(&path) else {
            continue;
        };
        let caller = rustix::process::geteuid().as_raw();
        if !ours || !facts.is_dir() || facts.uid() != caller {
            continue;
        }
        if let Some(_lock) = lock(&path)? {
            remove(&path).map_err(|error| ScratchError::io("remove", &path, error))?;
            swept.removed = swept.removed.saturating_add(1);
        } else {
            swept.kept = swept.kept.saturating_add(1);
        }
    }
    Ok(swept)
}

/// The real path of a directory in which private ones may be made.
fn check(parent: &Path) -> Result<PathBuf, ScratchError> {
    let path = parent.canonicalize().map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            ScratchError::Missing {
                path: parent.to_owned(),
            }
        } else {
            ScratchError::io("open", parent, error)
        }
    })?;
    let facts = fs::metadata(&path).map_err(|error| ScratchError::io("stat", &path, error))?;
    if !facts.is_dir() {
        return Err(ScratchError::Kind { path });
    }
    let mode = facts.mode() & 0o7777;
    // In a sticky directory others can make names, and not replace ours.
    if mode & 0o022 != 0 && mode & 0o1000 == 0 {
        return Err(ScratchError::Writable { path, mode });
    }
    let mount =
        rustix::fs::statvfs(&path).map_err(|errno| ScratchError::io("stat", &path, errno))?;
    if mount.f_flag.bits() & NOEXEC != 0 {
        return Err(ScratchError::NoExec { path });
    }
    Ok(path)
}

/// `ST_NOEXEC`, which the mount flags of Linux name.
#[cfg(target_os = "linux")]
const NOEXEC: u64 = rustix::fs::StatVfsMountFlags::NOEXEC.bits();
#[cfg(not(target_os = "linux"))]
const NOEXEC: u64 = 0;

/// Takes a run directory's lock; `None` when somebody holds it, or it is gone meanwhile.
fn lock(path: &Path) -> Result<Option<OwnedFd>, ScratchError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(handle) => handle,
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        // The run took its own permissions away; it owns the directory all the same.
        Err(rustix::io::Errno::ACCESS) => {
            let _ = fs::set_permissions(path, Permissions::from_mode(0o700));
            rustix::fs::open(path, flags, Mode::empty())
                .map_err(|errno| ScratchError::io("open", path, errno))?
        }
        Err(errno) => return Err(ScratchError::io("open", path, errno)),
    };
    match rustix::fs::flock(&handle, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
        Err(errno) => return Err(ScratchError::io("lock", path, errno)),
    }
    let held = rustix::fs::fstat(&handle).map_err(|errno| ScratchError::io("stat", path, errno))?;
    let same = fs::symlink_metadata(path)
        .is_ok_and(|there| there.ino() == held.st_ino && there.dev() == held.st_dev);
    Ok(same.then_some(handle))
}

/// Removes a directory with all that is in it, also where a run took permissions away. No link is
/// followed.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path)?;
            fs::remove_dir_all(path)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        end => end,
    }
}

fn open_up(path: &Path) -> io::Result<()> {
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        fs::set_permissions(&folder, Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
