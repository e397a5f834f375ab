//! Atomic replacement: a temporary file, its sync, a rename, and the directory's sync.
//!
//! The temporary file lies in a directory of its own, `.atomicwriteRRRRRR/tmpfile.tmp`, because that
//! is the leftover that the earlier implementation recognises (page 3b.8). The temporary
//! directory's own name never needs to be durable, so it is not synced.
//!
//! Making that directory costs about as much as all the rest: it adds an inode, a block and their
//! bitmaps to the journal's next commit. A held directory that keeps them ([`Dir::keeping_folders`])
//! uses each again and removes them when it is closed, after the last sync; nothing stays at rest.

use std::fs::File;
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::dir::{Dir, full_sync};
use super::error::DiskError;
use super::trace::Step;

/// How every temporary directory's name starts.
pub(crate) const TEMPORARY_PREFIX: &str = ".atomicwrite";
/// The one file in a temporary directory.
pub(crate) const TEMPORARY_FILE: &str = "tmpfile.tmp";

/// Before a full disk is believed: the system counts room as free a moment after the close that
/// freed it.
const PAUSES: [Duration; 4] = [
    Duration::ZERO,
    Duration::from_millis(1),
    Duration::from_millis(5),
    Duration::from_millis(20),
];

/// A new file on its way to a name. Dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct Temporary<'dir> {
    dir: &'dir Dir,
    file: File,
    folder: String,
    inner: PathBuf,
    left: Left,
}

/// Empty temporary directories that a held directory made and has not removed yet.
#[derive(Debug, Default)]
pub(super) struct Folders(Mutex<Vec<String>>);

impl Folders {
    fn take(&self) -> Option<String> {
        self.0.lock().ok()?.pop()
    }

    fn put(&self, folder: String) {
        if let Ok(mut free) = self.0.lock() {
            free.push(folder);
        }
    }
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
        // A cleanup may have taken a kept folder for a leftover: then the next one is tried.
        while let Some(folder) = self.folders().and_then(Folders::take) {
            if let Ok(file) = self.create_in(&folder) {
                return Ok(self.started(folder, file));
            }
            let _ = self.remove_dir(&folder);
        }
        let folder = self.make_temporary_folder()?;
        match self.create_in(&folder) {
            Ok(file) => Ok(self.started(folder, file)),
            Err(errno) => {
                // The reason is the failed creation; a leftover folder is what cleanup knows.
                let _ = self.remove_dir(&folder);
                let inner = PathBuf::from(&folder).join(TEMPORARY_FILE);
                Err(DiskError::io("create", self.path_of(inner), errno))
            }
        }
    }

    fn create_in(&self, folder: &str) -> Result<File, Errno> {
        let inner = PathBuf::from(folder).join(TEMPORARY_FILE);
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = fs::openat(self.handle(), &inner, flags, Mode::RUSR | Mode::WUSR)?;
        self.note(|| Step::Create(self.inside(&inner)));
        Ok(File::from(handle))
    }

    fn started(&self, folder: String, file: File) -> Temporary<'_> {
        Temporary {
            dir: self,
            file,
            inner: PathBuf::from(&folder).join(TEMPORARY_FILE),
            folder,
            left: Left::FileAndFolder,
        }
    }

    /// Removes the kept folders, before somebody takes them for leftovers.
    pub fn remove_folders(&self) {
        while let Some(folder) = self.folders().and_then(Folders::take) {
            // Best effort: an empty one has the shape that cleanup recognises.
            let _ = self.remove_dir(&folder);
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
        let begun = self.file.stream_position();
        let mut written = self.file.write_all(bytes);
        for pause in PAUSES {
            let (Err(error), Ok(begun)) = (&written, &begun) else {
                break;
            };
            let full = matches!(
                error.kind(),
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded
            );
            if !full || !self.dir.settle_releases() {
                break;
            }
            // What was replaced a moment ago may have held the room until now.
            std::thread::sleep(pause);
            written = self
                .file
                .set_len(*begun)
                .and_then(|()| self.file.seek(SeekFrom::Start(*begun)))
                .and_then(|_| self.file.write_all(bytes));
        }
        written.map_err(|error| DiskError::io("write", self.dir.path_of(&self.inner), error))?;
        self.dir
            .note(|| Step::Append(self.dir.inside(&self.inner), bytes.to_vec()));
        Ok(())
    }

    /// Makes the bytes durable. After an error this file is given up: dropping it removes it.
    ///
    /// # Errors
    /// The system's.
    pub fn sync(&mut self) -> Result<(), DiskError> {
        full_sync(self.file.as_fd())
            .map_err(|errno| DiskError::io("sync", self.dir.path_of(&self.inner), errno))?;
        self.dir
            .note(|| Step::SyncFile(self.dir.inside(&self.inner)));
        Ok(())
    }

    /// Lets the system begin to write the bytes, without waiting: the first of several syncs then
    /// finds the others' blocks allocated, and one commit of the journal serves them all. Only a
    /// hint; where it is not understood, each sync does its own work as ever.
    pub fn begin_writing(&self) {
        #[cfg(target_os = "linux")]
        let _ = fs::fadvise(&self.file, 0, None, fs::Advice::DontNeed);
    }

    /// Gives the file its name, replacing what was there. The bytes must be synced before; the
    /// name is durable after the next sync of the directory.
    ///
    /// # Errors
    /// The system's; the old bytes stay at the name.
    pub fn publish(mut self, name: &str) -> Result<(), DiskError> {
        let _kept = self.dir.keep(name.as_ref());
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
        match self.dir.folders() {
            Some(folders) if self.left == Left::Folder => {
                folders.put(std::mem::take(&mut self.folder));
            }
            // After a failure nothing is kept: there may be no room.
            _ => {
                let _ = self.dir.remove_dir(&self.folder);
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(place: &std::path::Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(place)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_kept_folder_serves_the_next_replacement_and_goes_with_the_handle() {
        let place = tempfile::tempdir().unwrap();
        let dir = Dir::open(place.path()).unwrap().keeping_folders();
        dir.replace("a", b"1").unwrap();
        let after_one = names(place.path());
        dir.replace("a", b"2").unwrap();
        assert_eq!(names(place.path()), after_one);
        assert_eq!(after_one.len(), 2);
        drop(dir);
        assert_eq!(names(place.path()), ["a"]);
        assert_eq!(std::fs::read(place.path().join("a")).unwrap(), b"2");
    }

    #[test]
    fn a_kept_folder_that_a_cleanup_took_for_a_leftover_is_made_anew() {
        let place = tempfile::tempdir().unwrap();
        let dir = Dir::open(place.path()).unwrap().keeping_folders();
        dir.replace("a", b"1").unwrap();
        let folder = names(place.path()).remove(0);
        std::fs::remove_dir(place.path().join(folder)).unwrap();
        dir.replace("a", b"2").unwrap();
        assert_eq!(std::fs::read(place.path().join("a")).unwrap(), b"2");
    }

    #[test]
    fn a_replacement_that_comes_to_nothing_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let dir = Dir::open(place.path()).unwrap().keeping_folders();
        let mut temporary = dir.temporary().unwrap();
        temporary.append(b"1").unwrap();
        drop(temporary);
        assert!(names(place.path()).is_empty());
    }

    #[test]
    fn without_being_told_no_folder_outlives_its_replacement() {
        let place = tempfile::tempdir().unwrap();
        let dir = Dir::open(place.path()).unwrap();
        dir.replace("a", b"1").unwrap();
        assert_eq!(names(place.path()), ["a"]);
    }
}
