//! A held directory: every name is looked up relative to its handle, and no link is followed.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::error::DiskError;
use super::handles::Handles;
use super::release::Releaser;
use super::replace::Folders;
use super::trace::{Step, Trace};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, socket or device.
    Other,
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Kind {
        match kind {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        }
    }
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name; not always UTF-8.
    pub name: OsString,
    /// What it is.
    pub kind: Kind,
}

/// Which file lies at a name, without its bytes: a replaced file has another stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    inode: u64,
    changed: (i64, i64),
    bytes: i64,
}

impl Stamp {
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_fallible_conversions,
        reason = "the widths differ between systems"
    )]
    fn of(facts: &fs::Stat) -> Stamp {
        Stamp {
            inode: facts.st_ino,
            changed: (
                facts.st_ctime.into(),
                i64::try_from(facts.st_ctime_nsec).unwrap_or_default(),
            ),
            bytes: facts.st_size,
        }
    }
}

/// A regular file that was opened without following a link and checked on its handle.
#[derive(Debug)]
pub struct Regular {
    file: File,
    bytes: u64,
    stamp: Stamp,
    mode: u32,
    path: PathBuf,
}

impl Regular {
    /// Its size when it was checked, in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Where it is, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads on from the present place.
    ///
    /// # Errors
    /// The system's.
    pub fn read_some(&mut self, buffer: &mut [u8]) -> Result<usize, DiskError> {
        loop {
            match self.file.read(buffer) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(DiskError::io("read", &self.path, error)),
            }
        }
    }

    /// All of it, from the present place to the end, with its stamp.
    fn whole(mut self, ceiling: u64) -> Result<(Vec<u8>, Stamp), DiskError> {
        let room = usize::try_from(self.bytes).unwrap_or(usize::MAX);
        let most = usize::try_from(ceiling).unwrap_or(usize::MAX);
        // One byte more than it had: less than asked for is then its end, without another call.
        let mut bytes = vec![0; room.saturating_add(1)];
        let mut length = 0_usize;
        loop {
            let rest = bytes.get_mut(length..).unwrap_or_default();
            let asked = rest.len();
            let count = self.read_some(rest)?;
            length = length.saturating_add(count);
            if count == 0 || (count < asked && length == room) {
                break;
            }
            if length > most {
                return Err(DiskError::TooLarge {
                    path: self.path,
                    bytes: u64::try_from(length).unwrap_or(u64::MAX),
                    ceiling,
                });
            }
            if length == bytes.len() {
                // It has grown since it was looked at.
                bytes.resize(length.saturating_mul(2).min(most.saturating_add(1)), 0);
            }
        }
        bytes.truncate(length);
        Ok((bytes, self.stamp))
    }

    /// The handle, for a reader that streams.
    #[must_use]
    pub const fn file(&self) -> &File {
        &self.file
    }
}

/// A directory that is held open.
#[derive(Debug)]
pub struct Dir {
    handle: OwnedFd,
    path: PathBuf,
    inside: PathBuf,
    trace: Option<Trace>,
    /// The folders of finished replacements, where they are kept for the next.
    folders: Option<Folders>,
    /// Who closes the last handles of old files, where that is not this handle's own work.
    releaser: Option<Releaser>,
    /// The free handles of its locks, where they are kept.
    handles: Option<Handles>,
}

impl Drop for Dir {
    fn drop(&mut self) {
        self.remove_folders();
    }
}

impl Dir {
    /// Opens a directory by path. The path itself may lead through links; its last part may not be
    /// one, also not when spelled with a trailing `/` or `/.` (page 3.5, point 4).
    ///
    /// # Errors
    /// `Missing`, `Link`, `Kind`, or the system's.
    pub fn open(path: &Path) -> Result<Dir, DiskError> {
        let bare = without_trailing_dots(path);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = fs::open(&bare, flags, Mode::empty())
            .map_err(|errno| refused_directory(errno, path, fs::lstat(&bare).ok()))?;
        Ok(Dir {
            handle,
            path: bare,
            inside: PathBuf::new(),
            trace: None,
            folders: None,
            releaser: None,
            handles: None,
        })
    }

    /// Writes every later step down in `trace`; paths are relative to this directory.
    #[must_use]
    pub fn traced(mut self, trace: Trace) -> Dir {
        self.trace = Some(trace);
        self
    }

    /// Keeps the temporary folders of replacements for the next one, until this handle is closed:
    /// for a directory in which several names are replaced one after the other.
    #[must_use]
    pub fn keeping_folders(mut self) -> Dir {
        self.folders = Some(Folders::default());
        self
    }

    pub(super) fn with_releaser(mut self, releaser: Releaser) -> Dir {
        self.releaser = Some(releaser);
        self
    }

    pub(super) fn releaser(&self) -> Option<&Releaser> {
        self.releaser.as_ref()
    }

    pub(super) fn with_handles(mut self, handles: Handles) -> Dir {
        self.handles = Some(handles);
        self
    }

    pub(super) fn handles(&self) -> Option<&Handles> {
        self.handles.as_ref()
    }

    pub(super) fn folders(&self) -> Option<&Folders> {
        self.folders.as_ref()
    }

    /// A second handle of the same directory: locks of one do not belong to the other.
    ///
    /// # Errors
    /// The system's.
    pub fn reopen(&self) -> Result<Dir, DiskError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = fs::openat(&self.handle, ".", flags, Mode::empty())
            .map_err(|errno| DiskError::io("open", &self.path, errno))?;
        Ok(Dir {
            handle,
            path: self.path.clone(),
            inside: self.inside.clone(),
            trace: self.trace.clone(),
            folders: None,
            releaser: None,
            handles: None,
        })
    }

    /// Where it was opened, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a name in it, for messages.
    #[must_use]
    pub fn path_of(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    /// Refuses a directory that is not the caller's own or that others can write.
    ///
    /// # Errors
    /// `Owner`, `Writable`, or the system's.
    pub fn check_private(&self) -> Result<(), DiskError> {
        let facts =
            fs::fstat(&self.handle).map_err(|errno| DiskError::io("stat", &self.path, errno))?;
        let caller = rustix::process::geteuid().as_raw();
        if facts.st_uid != caller {
            return Err(DiskError::Owner {
                path: self.path.clone(),
                owner: facts.st_uid,
                caller,
            });
        }
        if facts.st_mode & 0o022 != 0 {
            return Err(DiskError::Writable {
                path: self.path.clone(),
                mode: facts.st_mode & 0o7777,
            });
        }
        Ok(())
    }

    /// Opens a directory in it.
    ///
    /// # Errors
    /// `Missing`, `Link`, `Kind`, or the system's.
    pub fn open_dir(&self, name: impl AsRef<Path>) -> Result<Dir, DiskError> {
        let name = name.as_ref();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = fs::openat(&self.handle, name, flags, Mode::empty()).map_err(|errno| {
            let facts = fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok();
            refused_directory(errno, &self.path_of(name), facts)
        })?;
        Ok(Dir {
            handle,
            path: self.path_of(name),
            inside: self.inside.join(name),
            trace: self.trace.clone(),
            folders: None,
            releaser: None,
            handles: None,
        })
    }

    /// Makes a directory in it (mode 0700) unless it is there, and opens it. Its name is durable
    /// after the next [`Dir::sync`] of this directory.
    ///
    /// # Errors
    /// `Link`, `Kind`, or the system's.
    pub fn make_dir(&self, name: &str) -> Result<Dir, DiskError> {
        match fs::mkdirat(&self.handle, name, Mode::RWXU) {
            Ok(()) => self.note(|| Step::MakeDir(self.inside.join(name))),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(DiskError::io("make", self.path_of(name), errno)),
        }
        self.open_dir(name)
    }

    /// What a name stands for, without following it; `None` when it is not there.
    ///
    /// # Errors
    /// The system's.
    pub fn kind(&self, name: impl AsRef<Path>) -> Result<Option<Kind>, DiskError> {
        let name = name.as_ref();
        match fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(facts) => Ok(Some(FileType::from_raw_mode(facts.st_mode).into())),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(DiskError::io("stat", self.path_of(name), errno)),
        }
    }

    /// The stamp of a regular file, without following a link; `None` for anything else.
    ///
    /// # Errors
    /// The system's.
    pub fn stamp(&self, name: impl AsRef<Path>) -> Result<Option<Stamp>, DiskError> {
        let name = name.as_ref();
        match fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(facts) if FileType::from_raw_mode(facts.st_mode) == FileType::RegularFile => {
                Ok(Some(Stamp::of(&facts)))
            }
            Ok(_) | Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(DiskError::io("stat", self.path_of(name), errno)),
        }
    }

    /// Opens a regular file: no link, one name, the caller's, within its ceiling; `None` when it is
    /// not there.
    ///
    /// # Errors
    /// `Link`, `Kind`, `HardLink`, `Owner`, `TooLarge`, or the system's.
    pub fn open_file(&self, name: &str, ceiling: u64) -> Result<Option<Regular>, DiskError> {
        let path = self.path_of(name);
        // NONBLOCK: a pipe under this name must not hold us before its kind is known.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let handle = match fs::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::MLINK) => return Err(DiskError::Link { path }),
            Err(Errno::NXIO | Errno::OPNOTSUPP) => {
                return Err(DiskError::Kind {
                    path,
                    expected: "regular file",
                });
            }
            Err(errno) => return Err(DiskError::io("open", path, errno)),
        };
        let facts = fs::fstat(&handle).map_err(|errno| DiskError::io("stat", &path, errno))?;
        check_regular(&facts, &path)?;
        let bytes = u64::try_from(facts.st_size).unwrap_or_default();
        if bytes > ceiling {
            return Err(DiskError::TooLarge {
                path,
                bytes,
                ceiling,
            });
        }
        Ok(Some(Regular {
            file: File::from(handle),
            bytes,
            stamp: Stamp::of(&facts),
            mode: mode_of(&facts),
            path,
        }))
    }

    /// Reads a whole small file; `None` when it is not there. A file that grows past its ceiling
    /// while it is read is `TooLarge` too.
    ///
    /// # Errors
    /// As [`Dir::open_file`].
    pub fn read(&self, name: &str, ceiling: u64) -> Result<Option<Vec<u8>>, DiskError> {
        Ok(self.read_stamped(name, ceiling)?.map(|(bytes, _)| bytes))
    }

    /// The same, with the stamp of the file that was read.
    ///
    /// # Errors
    /// As [`Dir::open_file`].
    pub fn read_stamped(
        &self,
        name: &str,
        ceiling: u64,
    ) -> Result<Option<(Vec<u8>, Stamp)>, DiskError> {
        match self.open_file(name, ceiling)? {
            Some(regular) => regular.whole(ceiling).map(Some),
            None => Ok(None),
        }
    }

    /// Reads a whole small file, and refuses one that others can write: somebody else may have.
    ///
    /// # Errors
    /// As [`Dir::open_file`], and `Writable`.
    pub fn read_private(&self, name: &str, ceiling: u64) -> Result<Option<Vec<u8>>, DiskError> {
        match self.open_file(name, ceiling)? {
            Some(Regular { path, mode, .. }) if mode & 0o022 != 0 => {
                Err(DiskError::Writable { path, mode })
            }
            Some(regular) => regular.whole(ceiling).map(|(bytes, _)| Some(bytes)),
            None => Ok(None),
        }
    }

    /// Goes through all entries, in the order that the filesystem gives them, without keeping them.
    ///
    /// # Errors
    /// The system's, or what `visit` answers.
    pub fn each_entry<E: From<DiskError>>(
        &self,
        mut visit: impl FnMut(Entry) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |errno| DiskError::io("list", &self.path, errno);
        for entry in fs::Dir::read_from(&self.handle).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
            if name.as_bytes() == b"." || name.as_bytes() == b".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => match self.kind(&name)? {
                    Some(kind) => kind,
                    None => continue,
                },
                known => known.into(),
            };
            visit(Entry { name, kind })?;
        }
        Ok(())
    }

    /// Whether no name is in it, by one look at its first entries.
    ///
    /// # Errors
    /// The system's.
    pub fn is_empty(&self) -> Result<bool, DiskError> {
        let failed = |errno| DiskError::io("list", &self.path, errno);
        for entry in fs::Dir::read_from(&self.handle).map_err(failed)? {
            let name = entry.map_err(failed)?;
            if !matches!(name.file_name().to_bytes(), b"." | b"..") {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes a file's name away; whether it was there.
    ///
    /// # Errors
    /// The system's.
    pub fn remove(&self, name: impl AsRef<Path>) -> Result<bool, DiskError> {
        let name = name.as_ref();
        let _kept = self.keep(name);
        match fs::unlinkat(&self.handle, name, AtFlags::empty()) {
            Ok(()) => {
                self.note(|| Step::Remove(self.inside.join(name)));
                Ok(true)
            }
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(DiskError::io("remove", self.path_of(name), errno)),
        }
    }

    /// Takes an empty directory away; whether it was there.
    ///
    /// # Errors
    /// The system's; one that is not empty is refused by it.
    pub fn remove_dir(&self, name: impl AsRef<Path>) -> Result<bool, DiskError> {
        let name = name.as_ref();
        match fs::unlinkat(&self.handle, name, AtFlags::REMOVEDIR) {
            Ok(()) => {
                self.note(|| Step::RemoveDir(self.inside.join(name)));
                Ok(true)
            }
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(DiskError::io("remove", self.path_of(name), errno)),
        }
    }

    /// Moves an entry of any kind into another directory of the same filesystem, under the same
    /// name, which must be free there. Durable after the next sync of both directories.
    ///
    /// # Errors
    /// The system's.
    pub fn move_to(&self, name: impl AsRef<Path>, other: &Dir) -> Result<(), DiskError> {
        let name = name.as_ref();
        let free = fs::RenameFlags::NOREPLACE;
        fs::renameat_with(&self.handle, name, &other.handle, name, free)
            .map_err(|errno| DiskError::io("move", self.path_of(name), errno))?;
        self.note(|| Step::Remove(self.inside.join(name)));
        Ok(())
    }

    /// Whether this directory is `other`, or lies below it, by whatever path it was opened. The
    /// directories above need only be passed through, not read.
    ///
    /// # Errors
    /// The system's.
    pub fn is_inside(&self, other: &Dir) -> Result<bool, DiskError> {
        let place = |facts: fs::Stat| (facts.st_dev, facts.st_ino);
        let failed = |dir: &Dir, errno| DiskError::io("stat", &dir.path, errno);
        let wanted = place(fs::fstat(&other.handle).map_err(|errno| failed(other, errno))?);
        let mut above = PathBuf::from(".");
        let mut last = None;
        loop {
            let facts = fs::statat(&self.handle, &above, AtFlags::SYMLINK_NOFOLLOW)
                .map_err(|errno| failed(self, errno))?;
            let here = place(facts);
            if here == wanted {
                return Ok(true);
            }
            if last == Some(here) {
                return Ok(false);
            }
            last = Some(here);
            above.push("..");
        }
    }

    /// Makes the names in this directory durable. A failed sync is never tried again on this
    /// handle: the system may have forgotten what it could not write.
    ///
    /// # Errors
    /// The system's.
    pub fn sync(&self) -> Result<(), DiskError> {
        full_sync(self.handle.as_fd()).map_err(|errno| DiskError::io("sync", &self.path, errno))?;
        self.note(|| Step::SyncDir(self.inside.clone()));
        Ok(())
    }

    /// The name of the filesystem that it is on, if that is one whose locks or syncs cannot be
    /// trusted (page 1.5).
    ///
    /// # Errors
    /// `Filesystem`, or the system's.
    pub fn check_local(&self) -> Result<(), DiskError> {
        match untrusted_filesystem(self.handle.as_fd()) {
            Ok(None) => Ok(()),
            Ok(Some(filesystem)) => Err(DiskError::Filesystem {
                path: self.path.clone(),
                filesystem,
            }),
            Err(errno) => Err(DiskError::io("stat the filesystem of", &self.path, errno)),
        }
    }

    pub(super) fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    pub(super) fn inside(&self, name: impl AsRef<Path>) -> PathBuf {
        self.inside.join(name)
    }

    pub(super) fn note(&self, step: impl FnOnce() -> Step) {
        if let Some(trace) = &self.trace {
            trace.record(step());
        }
    }
}

/// `a/b/.` and `a/b//` are `a/b`; `/` stays.
fn without_trailing_dots(path: &Path) -> PathBuf {
    // Components drop trailing separators and inner `.`; a leading `.` stays.
    path.components().collect()
}

fn refused_directory(errno: Errno, path: &Path, facts: Option<fs::Stat>) -> DiskError {
    let path = path.to_owned();
    match facts.map(|facts| FileType::from_raw_mode(facts.st_mode)) {
        Some(FileType::Symlink) => DiskError::Link { path },
        Some(FileType::Directory) => DiskError::io("open", path, errno),
        Some(_) => DiskError::Kind {
            path,
            expected: "directory",
        },
        None if errno == Errno::NOENT || errno == Errno::NOTDIR => DiskError::Missing { path },
        None => DiskError::io("open", path, errno),
    }
}

pub(super) fn check_regular(facts: &fs::Stat, path: &Path) -> Result<(), DiskError> {
    if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile {
        return Err(DiskError::Kind {
            path: path.to_owned(),
            expected: "regular file",
        });
    }
    let caller = rustix::process::geteuid().as_raw();
    if facts.st_uid != caller {
        return Err(DiskError::Owner {
            path: path.to_owned(),
            owner: facts.st_uid,
            caller,
        });
    }
    // A file that was unlinked between open and stat has no name left; that is for the caller.
    #[allow(clippy::useless_conversion, reason = "nlink is 16 bits wide on macOS")]
    let links = u64::from(facts.st_nlink);
    if links > 1 {
        return Err(DiskError::HardLink {
            path: path.to_owned(),
            links,
        });
    }
    Ok(())
}

/// The permission bits.
#[allow(
    clippy::useless_conversion,
    reason = "the mode is 16 bits wide on macOS"
)]
fn mode_of(facts: &fs::Stat) -> u32 {
    u32::from(facts.st_mode) & 0o7777
}

/// Brings what was written to the medium. On macOS `fsync` stops at the drive's own cache.
#[cfg(not(target_vendor = "apple"))]
pub(super) fn full_sync(handle: BorrowedFd<'_>) -> Result<(), Errno> {
    fs::fsync(handle)
}

#[cfg(target_vendor = "apple")]
pub(super) fn full_sync(handle: BorrowedFd<'_>) -> Result<(), Errno> {
    match fs::fcntl_fullfsync(handle) {
        // A filesystem that does not know the call has nothing stronger than this one.
        Err(Errno::NOTSUP | Errno::INVAL) => fs::fsync(handle),
        other => other,
    }
}

#[cfg(target_os = "linux")]
fn untrusted_filesystem(handle: BorrowedFd<'_>) -> Result<Option<&'static str>, Errno> {
    // The magic numbers of linux/magic.h and of the filesystems' own sources.
    let name = match fs::fstatfs(handle)?.f_type {
        0x6969 => "NFS",
        0x517B => "SMB",
        0xFF53_4D42 => "CIFS",
        0xFE53_4D42 => "SMB2",
        0x6573_5546 => "FUSE",
        0x0102_1997 => "9P",
        0x5346_414F => "AFS",
        0x7375_7245 => "Coda",
        0x00C3_6400 => "Ceph",
        0x0BD0_0BD0 => "Lustre",
        0x0116_1970 => "GFS2",
        0x7461_636F => "OCFS2",
        0x564C => "NCP",
        0x4750_4653 => "GPFS",
        _ => return Ok(None),
    };
    Ok(Some(name))
}

#[cfg(target_os = "macos")]
fn untrusted_filesystem(handle: BorrowedFd<'_>) -> Result<Option<&'static str>, Errno> {
    // MNT_LOCAL: the kernel's own word for "not over a network".
    const MNT_LOCAL: u32 = 0x1000;
    let facts = fs::fstatfs(handle)?;
    Ok(if facts.f_flags & MNT_LOCAL == 0 {
        Some("a network filesystem")
    } else {
        None
    })
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn untrusted_filesystem(_handle: BorrowedFd<'_>) -> Result<Option<&'static str>, Errno> {
    Ok(None)
}
