//! What was done to the disk, in order: the input of the crash-state proof (page 8, part 2).

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// One change of the disk, or one barrier. Paths are relative to the directory that the trace was
/// attached to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A directory was made.
    MakeDir(PathBuf),
    /// An empty file was made.
    Create(PathBuf),
    /// Bytes were appended to a file.
    Append(PathBuf, Vec<u8>),
    /// A file's bytes and size are on the medium.
    SyncFile(PathBuf),
    /// A name was replaced by another.
    Rename(PathBuf, PathBuf),
    /// A name was taken away.
    Remove(PathBuf),
    /// An empty directory was taken away.
    RemoveDir(PathBuf),
    /// The names in a directory are on the medium. The root itself is the empty path.
    SyncDir(PathBuf),
    /// A command's answer may be given from here on.
    Answer(String),
}

/// A shared list of steps. Clones write to the same list.
#[derive(Clone, Debug, Default)]
pub struct Trace(Arc<Mutex<Vec<Step>>>);

impl Trace {
    /// Writes a step down.
    pub fn record(&self, step: Step) {
        if let Ok(mut list) = self.0.lock() {
            list.push(step);
        }
    }

    /// Takes all steps so far.
    #[must_use]
    pub fn take(&self) -> Vec<Step> {
        self.0
            .lock()
            .map(|mut list| std::mem::take(&mut *list))
            .unwrap_or_default()
    }
}
