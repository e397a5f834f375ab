//! Why the disk was not touched, or was and failed.

use std::io;
use std::path::PathBuf;

use crate::code::{Code, Coded};
use crate::words::shell;

/// A refused or failed operation on one path.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// The system refused it.
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
    /// There is nothing at the path.
    #[error("{path} is not there")]
    Missing {
        /// Which.
        path: PathBuf,
    },
    /// A link, where none is followed.
    #[error("{path} is a symbolic link; no link is followed here")]
    Link {
        /// Which.
        path: PathBuf,
    },
    /// Another kind of file than the one that belongs there.
    #[error("{path} is not a {expected}")]
    Kind {
        /// Which.
        path: PathBuf,
        /// `regular file` or `directory`.
        expected: &'static str,
    },
    /// More than one name.
    #[error("{path} has {links} names; a hard link could change it from elsewhere")]
    HardLink {
        /// Which.
        path: PathBuf,
        /// How many.
        links: u64,
    },
    /// Somebody else's.
    #[error("{path} belongs to user {owner}, not to the caller ({caller})")]
    Owner {
        /// Which.
        path: PathBuf,
        /// The owner's id.
        owner: u32,
        /// The caller's id.
        caller: u32,
    },
    /// Others may write it.
    #[error("{path} has mode {mode:04o}: group or others can write it")]
    Writable {
        /// Which.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// On a filesystem whose locks and syncs cannot be trusted.
    #[error("{path} is on {filesystem}, a network or user-space filesystem")]
    Filesystem {
        /// Which.
        path: PathBuf,
        /// The filesystem's name.
        filesystem: &'static str,
    },
    /// Over its ceiling.
    #[error("{path} holds {bytes} bytes, over its ceiling of {ceiling}")]
    TooLarge {
        /// Which.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The ceiling.
        ceiling: u64,
    },
    /// The new bytes are at the path and the directory sync failed: a crash may bring the old ones
    /// back. Repeating the command converges.
    #[error("{path} was replaced and may be visible, but the directory could not be synced")]
    MayBeVisible {
        /// Which.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
}

impl DiskError {
    pub(super) fn io(
        operation: &'static str,
        path: impl Into<PathBuf>,
        source: impl Into<io::Error>,
    ) -> DiskError {
        DiskError::Io {
            operation,
            path: path.into(),
            source: source.into(),
        }
    }

    /// The system's error number, if the system refused the operation.
    #[must_use]
    pub fn raw_os_error(&self) -> Option<i32> {
        match self {
            DiskError::Io { source, .. } | DiskError::MayBeVisible { source, .. } => {
                source.raw_os_error()
            }
            _ => None,
        }
    }
}

impl DiskError {
    /// Whether there was no room: the disk is full, or the quota is used up.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(
            self,
            DiskError::Io { source, .. } if matches!(
                source.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            )
        )
    }
}

impl Coded for DiskError {
    /// As for a root: a damaged entry is `ROOT_CORRUPT`, an untrustworthy one `ROOT_UNSAFE`.
    fn code(&self) -> Code {
        match self {
            DiskError::Io { .. } | DiskError::MayBeVisible { .. } => Code::Io,
            DiskError::Missing { .. } => Code::NotFound,
            DiskError::Link { .. }
            | DiskError::Kind { .. }
            | DiskError::TooLarge { .. }
            | DiskError::HardLink { .. } => Code::RootCorrupt,
            DiskError::Owner { .. } | DiskError::Writable { .. } | DiskError::Filesystem { .. } => {
                Code::RootUnsafe
            }
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            DiskError::MayBeVisible { .. } => Some("repeat the command; it converges".into()),
            DiskError::Writable { path, .. } => Some(format!("chmod go-w {}", shell(path))),
            DiskError::Io { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied => Some(
                    "`ls -ld` of it and of its folder shows who may; run it as that user".into(),
                ),
                io::ErrorKind::ReadOnlyFilesystem => {
                    Some("its filesystem is mounted read-only".into())
                }
                _ => None,
            },
            DiskError::Owner { owner, .. } => Some(format!(
                "run it as the user {owner}, or use a folder of your own"
            )),
            DiskError::Filesystem { .. } => Some("use a folder on a local disk".into()),
            _ => None,
        }
    }
}
