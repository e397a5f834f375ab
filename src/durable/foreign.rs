//! Files that other programs write into a held directory (a repository's objects and refs): made
//! durable and dated, never read as records. They may have several names, as hard links.

use std::os::fd::AsFd;

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::dir::{Dir, full_sync};
use super::error::DiskError;
use super::trace::Step;

impl Dir {
    /// Makes the bytes of a regular file durable; whether it was there.
    ///
    /// # Errors
    /// `Link`, `Kind`, or the system's.
    pub fn sync_file(&self, name: &str) -> Result<bool, DiskError> {
        let path = self.path_of(name);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let handle = match fs::openat(self.handle(), name, flags, Mode::empty()) {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return Ok(false),
            Err(Errno::LOOP | Errno::MLINK) => return Err(DiskError::Link { path }),
            Err(errno) => return Err(DiskError::io("open", path, errno)),
        };
        let facts = fs::fstat(&handle).map_err(|errno| DiskError::io("stat", &path, errno))?;
        if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile {
            return Err(DiskError::Kind {
                path,
                expected: "regular file",
            });
        }
        full_sync(handle.as_fd()).map_err(|errno| DiskError::io("sync", path, errno))?;
        self.note(|| Step::SyncFile(self.inside(name)));
        Ok(true)
    }

    /// When a name in it last changed its content, in nanoseconds since 1970 by the system's clock;
    /// `None` when it is not there. Links are not followed.
    ///
    /// # Errors
    /// The system's.
    pub fn modified_nanos(&self, name: &str) -> Result<Option<i128>, DiskError> {
        match fs::statat(self.handle(), name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(facts) => {
                #[allow(clippy::useless_conversion, reason = "the widths differ by system")]
                let (seconds, nanos) =
                    (i128::from(facts.st_mtime), i128::from(facts.st_mtime_nsec));
                Ok(Some(
                    seconds.saturating_mul(1_000_000_000).saturating_add(nanos),
                ))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(DiskError::io("stat", self.path_of(name), errno)),
        }
    }
}
