//! Secret files: the only place a secret comes from (page 1.5).

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::code::{Code, Coded};

/// The largest secret file, in bytes.
pub const MAX_SECRET_BYTES: u64 = 16 * 1024;

/// Why a secret file cannot be used. No form of this error holds a byte of the secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// Missing or unreadable.
    #[error("cannot read the secret file {path}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Not a regular file.
    #[error("the secret file {path} is not a regular file")]
    Kind {
        /// Which.
        path: PathBuf,
    },
    /// Others can read or write it.
    #[error("the secret file {path} has mode {mode:04o}; others can read or write it")]
    Open {
        /// Which.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Over [`MAX_SECRET_BYTES`].
    #[error("the secret file {path} is over {MAX_SECRET_BYTES} bytes")]
    TooLarge {
        /// Which.
        path: PathBuf,
    },
}

impl Coded for SecretError {
    fn code(&self) -> Code {
        Code::ConfigInvalid
    }
    fn hint(&self) -> Option<String> {
        match self {
            SecretError::Open { path, .. } => Some(format!("chmod 600 {}", path.display())),
            _ => None,
        }
    }
}

/// Reads a secret file through one handle, after checking its kind, mode and size on that handle.
///
/// # Errors
/// [`SecretError`], all of them `CONFIG_INVALID`.
pub fn read_secret(path: &Path) -> Result<Zeroizing<Vec<u8>>, SecretError> {
    let unreadable = |source| SecretError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    let file = File::options()
        .read(true)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or_default())
        .open(path)
        .map_err(unreadable)?;
    let facts = file.metadata().map_err(unreadable)?;
    if !facts.is_file() {
        return Err(SecretError::Kind {
            path: path.to_owned(),
        });
    }
    if facts.mode() & 0o077 != 0 {
        return Err(SecretError::Open {
            path: path.to_owned(),
            mode: facts.mode() & 0o7777,
        });
    }
    if facts.len() > MAX_SECRET_BYTES {
        return Err(SecretError::TooLarge {
            path: path.to_owned(),
        });
    }
    // Room for all of it at once: growing would leave copies of the secret in freed memory.
    let room = usize::try_from(MAX_SECRET_BYTES)
        .unwrap_or_default()
        .saturating_add(1);
    let mut bytes = Zeroizing::new(Vec::with_capacity(room));
    file.take(MAX_SECRET_BYTES.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() >= room {
        return Err(SecretError::TooLarge {
            path: path.to_owned(),
        });
    }
    Ok(bytes)
}
