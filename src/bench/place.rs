//! The folder in which everything is measured, and which is gone afterwards.

use std::path::Path;

use tempfile::TempDir;

use super::error::BenchError;

/// What one row with its report takes on a disk, generously, in bytes.
const ROW_ON_DISK: u64 = 8 * 1024;

/// A fresh private folder inside the one to measure.
pub(super) fn make(dir: &Path) -> Result<TempDir, BenchError> {
    if !dir.is_dir() {
        return Err(BenchError::Dir(dir.to_owned()));
    }
    // An absolute path: children that are measured start elsewhere.
    let dir = std::path::absolute(dir).map_err(|source| BenchError::io("find", dir, source))?;
    tempfile::Builder::new()
        .prefix("amiss-bench-")
        .tempdir_in(&dir)
        .map_err(|source| BenchError::io("make a folder in", dir, source))
}

/// Refuses to fill a disk.
pub(super) fn check_room(dir: &Path, rows: u64) -> Result<(), BenchError> {
    let facts = rustix::fs::statvfs(dir)
        .map_err(|errno| BenchError::io("stat the filesystem of", dir, errno.into()))?;
    let free = facts.f_bavail.saturating_mul(facts.f_frsize);
    let needed = rows.saturating_mul(ROW_ON_DISK);
    if free < needed {
        return Err(BenchError::Room {
            dir: dir.to_owned(),
            free,
            rows,
            needed,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{Code, Coded};

    #[test]
    fn a_folder_that_is_not_there_is_not_made() {
        let outer = tempfile::tempdir().unwrap();
        let missing = outer.path().join("missing");
        assert_eq!(make(&missing).unwrap_err().code(), Code::NotFound);
        assert!(!missing.exists());
        assert!(check_room(outer.path(), 1).is_ok());
        let error = check_room(outer.path(), u64::MAX).unwrap_err();
        assert_eq!(error.code(), Code::Io);
    }

    #[test]
    fn what_was_made_is_gone_afterwards() {
        let outer = tempfile::tempdir().unwrap();
        drop(make(outer.path()).unwrap());
        assert_eq!(std::fs::read_dir(outer.path()).unwrap().count(), 0);
    }
}
