//! The program that runs, and whether another one lies at its path now.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::clock::UnixMillis;
use crate::outbox::worker::BinaryIdentity;

/// The running program: where it was called from, and what lay there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    path: PathBuf,
    identity: BinaryIdentity,
}

impl Binary {
    /// The program of this process, found the way it was called (`name` is its own first argument),
    /// so that a link which is pointed to a newer one is noticed too. `None` where the system does
    /// not say what runs.
    #[must_use]
    pub fn of_this_process(name: &OsStr) -> Option<Binary> {
        let real = std::env::current_exe().ok()?;
        // On Linux this is what runs, even when its file was replaced before we came to look.
        let running = fs::metadata("/proc/self/exe")
            .or_else(|_| fs::metadata(&real))
            .ok()?;
        let same = |path: &PathBuf| {
            fs::metadata(path)
                .is_ok_and(|facts| facts.ino() == running.ino() && facts.dev() == running.dev())
        };
        let path = called_path(name).filter(same).unwrap_or(real);
        let identity = identity_of(&path, &running)?;
        Some(Binary { path, identity })
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is published.
    #[must_use]
    pub const fn identity(&self) -> &BinaryIdentity {
        &self.identity
    }

    /// The path, when another program lies there now. A path at which nothing lies is no newer
    /// program.
    #[must_use]
    pub fn replaced(&self) -> Option<PathBuf> {
        is_replaced(&self.identity).then(|| self.path.clone())
    }
}

/// Whether another program than the published one lies at its path.
#[must_use]
pub(in super::super) fn is_replaced(identity: &BinaryIdentity) -> bool {
    let path = Path::new(&identity.path);
    fs::metadata(path)
        .ok()
        .filter(fs::Metadata::is_file)
        .and_then(|facts| identity_of(path, &facts))
        .is_some_and(|present| present != *identity)
}

fn called_path(name: &OsStr) -> Option<PathBuf> {
    let name = Path::new(name);
    if name.components().count() > 1 || name.is_absolute() {
        return std::path::absolute(name).ok();
    }
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| path.is_absolute() && path.is_file())
}

fn identity_of(path: &Path, facts: &fs::Metadata) -> Option<BinaryIdentity> {
    let millis = facts
        .mtime()
        .checked_mul(1000)?
        .checked_add(facts.mtime_nsec().checked_div(1_000_000)?)?;
    Some(BinaryIdentity {
        path: path.to_str()?.to_owned(),
        inode: facts.ino(),
        size: facts.size(),
        mtime_millis: UnixMillis::new(millis).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_replaced_when_another_file_lies_at_its_path_and_not_when_none_does() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("program");
        fs::write(&path, "one").unwrap();
        let identity = identity_of(&path, &fs::metadata(&path).unwrap()).unwrap();
        assert!(!is_replaced(&identity));
        let other = dir.path().join("other");
        fs::write(&other, "two").unwrap();
        fs::rename(&other, &path).unwrap();
        assert!(is_replaced(&identity));
        fs::remove_file(&path).unwrap();
        assert!(!is_replaced(&identity));
    }

    #[test]
    fn this_process_knows_its_program() {
        let name = std::env::args_os().next().unwrap();
        let binary = Binary::of_this_process(&name).unwrap();
        assert!(binary.path().is_absolute());
        assert!(binary.replaced().is_none());
    }
}
