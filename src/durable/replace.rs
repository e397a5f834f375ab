//! Atomic replacement: a temporary file, its sync, a rename, and the directory's sync.
//!
//! The temporary file lies in a directory of its own, `.atomicwriteXXXXXX/tmpfile.tmp`, because that
//! is the leftover that the earlier implementation recognises (page 3b.8). The temporary
//! directory's own name never needs to be durable, so it is not synced.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::dir::Dir;
use super::error::DiskError;
use super::trace::Step;

/// How every temporary directory's name starts.
pub(super) const TEMPORARY_PREFIX: &str = ".atomicwrite";
/// The one file in a temporary directory.
pub(super) const TEMPORARY_FILE: &str = "tmpfile.tmp";

/// A new file on its way to a name. Dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct Temporary<'dir> {
    dir: &'dir Dir,
    file: File,
    folder: String,
    inner: PathBuf,
    left: Left,
}

/// What is still on the disk under the temporary name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    FileAndFolder,
    Folder,
}

impl Dir {
    /// Starts a replacement.
    ///
    /// # Errors
    /// The system's; nothing is left behind.
    pub fn temporary(&self) -> Result<Temporary<'_>, DiskError> {
        let folder = self.make_temporary_folder()?;
        let inner = PathBuf::from(&folder).join(TEMPORARY_FILE);
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match fs::openat(self.handle(), &inner, flags, Mode::RUSR | Mode::WUSR) {
            Ok(handle) => {
                self.note(|| Step::Create(self.inside(&inner)));
                let file = File::from(handle);
                Ok(Temporary {
                    dir: self,
                    file,
                    folder,
                    inner,
                    left: Left::FileAndFolder,
                })
            }
            Err(errno) => {
                // The reason is the failed creation; a leftover folder is what cleanup knows.
                let _ = self.remove_dir(&folder);
                Err(DiskError::io("create", self.path_of(inner), errno))
            }
        }
    }

    /// Replaces `name` by `bytes`, durably: two syncs.
    ///
    /// # Errors
    /// The system's. `MayBeVisible` when only the directory's sync failed.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), DiskError> {
        let mut temporary = self.temporary()?;
        temporary.append(bytes)?;
        temporary.sync()?;
        temporary.publish(name)?;
        self.sync_after(name)
    }

    /// Makes a replacement of `name` durable.
    ///
    /// # Errors
    /// `MayBeVisible`: the new bytes are at the path already.
    pub fn sync_after(&self, name: &str) -> Result<(), DiskError> {
        self.sync().map_err(|error| match error {
            DiskError::Io { source, .. } => DiskError::MayBeVisible {
                path: self.path_of(name),
                source,
            },
            other => other,
        })
    }

    fn make_temporary_folder(&self) -> Result<String, DiskError> {
        // Six random characters; a clash only means another draw.
        for _ in 0..64 {
            let folder = format!("{TEMPORARY_PREFIX}{}", random_letters()?);
            match fs::mkdirat(self.handle(), &folder, Mode::RWXU) {
                Ok(()) => {
                    self.note(|| Step::MakeDir(self.inside(&folder)));
                    return Ok(folder);
                }
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(DiskError::io("make", self.path_of(folder), errno)),
            }
        }
        Err(DiskError::io(
            "make a temporary directory in",
            self.path(),
            Errno::EXIST,
        ))
    }
}

impl Temporary<'_> {
    /// Adds bytes at the end.
    ///
    /// # Errors
    /// The system's, a full disk among them.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        self.file
            .write_all(bytes)
            .map_err(|error| DiskError::io("write", self.dir.path_of(&self.inner), error))?;
        self.dir
            .note(|| Step::Append(self.dir.inside(&self.inner), bytes.to_vec()));
        Ok(())
    }

    /// Makes the bytes durable. After an error this file is given up: dropping it removes it.
    ///
    /// # Errors
    /// The system's.
    pub fn sync(&mut self) -> Result<(), DiskError> {
        fs::fsync(&self.file)
            .map_err(|errno| DiskError::io("sync", self.dir.path_of(&self.inner), errno))?;
        self.dir
            .note(|| Step::SyncFile(self.dir.inside(&self.inner)));
        Ok(())
    }

    /// Gives the file its name, replacing what was there. The bytes must be synced before; the
    /// name is durable after the next sync of the directory.
    ///
    /// # Errors
    /// The system's; the old bytes stay at the name.
    pub fn publish(mut self, name: &str) -> Result<(), DiskError> {
        fs::renameat(self.dir.handle(), &self.inner, self.dir.handle(), name)
            .map_err(|errno| DiskError::io("replace", self.dir.path_of(name), errno))?;
        self.left = Left::Folder;
        self.dir
            .note(|| Step::Rename(self.dir.inside(&self.inner), self.dir.inside(name)));
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // Best effort: whatever stays has the shape that cleanup recognises.
        if self.left == Left::FileAndFolder
            && fs::unlinkat(self.dir.handle(), &self.inner, AtFlags::empty()).is_ok()
        {
            self.dir.note(|| Step::Remove(self.dir.inside(&self.inner)));
        }
        let _ = self.dir.remove_dir(&self.folder);
    }
}

fn random_letters() -> Result<String, DiskError> {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut bytes = [0_u8; 6];
    getrandom::fill(&mut bytes).map_err(|error| {
        DiskError::io(
            "draw random bytes for",
            TEMPORARY_PREFIX,
            std::io::Error::other(error),
        )
    })?;
    let letter = |byte: &u8| {
        LETTERS
            .get(usize::from(*byte & 31))
            .copied()
            .map_or('a', char::from)
    };
    Ok(bytes.iter().map(letter).collect())
}
