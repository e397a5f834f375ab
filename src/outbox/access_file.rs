//! The private file through which Git gets the user's credentials settings: written under the pump
//! lock, so one pump owns it, and taken away when the pump ends. What a killed pump leaves goes with
//! the next one, whether that has work or not.

use std::path::PathBuf;

use super::error::OutboxError;
use super::root::{HostRoot, PumpLock};
use crate::durable::Dir;
use crate::git::UserConfig;

/// Its name in `locks`.
const ACCESS_NAME: &str = "outbox-git-access.config";

/// The file while it is there (mode 0600).
#[derive(Debug)]
pub struct AccessFile {
    locks: Dir,
}

impl AccessFile {
    /// Writes the file.
    ///
    /// # Errors
    /// The system's.
    pub fn write(
        root: &HostRoot,
        _held: &PumpLock,
        config: &UserConfig,
    ) -> Result<AccessFile, OutboxError> {
        let locks = root.make_locks()?;
        locks.replace(ACCESS_NAME, config.to_file_text().as_bytes())?;
        Ok(AccessFile { locks })
    }

    /// Takes away what a killed pump left.
    ///
    /// # Errors
    /// The system's.
    pub fn sweep(root: &HostRoot, _held: &PumpLock) -> Result<(), OutboxError> {
        root.make_locks()?.remove(ACCESS_NAME)?;
        Ok(())
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.locks.path_of(ACCESS_NAME)
    }
}

impl Drop for AccessFile {
    fn drop(&mut self) {
        // What stays is private, and the next pump replaces it.
        let _ = self.locks.remove(ACCESS_NAME);
    }
}
