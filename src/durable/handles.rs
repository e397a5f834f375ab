//! Handles of locks that were let go, kept open for the next time.
//!
//! Opening and checking a lock file costs more than locking it, and an operation needs several. A
//! held directory may keep what it let go ([`Dir::keeping_locks`]). A kept handle holds no lock: it
//! is unlocked before it is put here, and one that cannot be is closed.

use std::sync::{Arc, Mutex};

use super::dir::Dir;
use super::lock::Opened;

/// So many are kept at most; the one that was not used for longest goes first.
const MOST: usize = 32;

/// At most `most`, and at most an eighth of what this process may open: where that is little, a
/// handle that is only kept would be missing elsewhere.
pub(super) fn within_limit(most: usize) -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let part = limit.and_then(|limit| usize::try_from(limit / 8).ok());
    part.unwrap_or(most).min(most)
}

/// Free handles by the name of their lock, the latest last. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Handles(Arc<Mutex<Vec<(String, Opened)>>>);

impl Handles {
    pub(super) fn take(&self, name: &str) -> Option<Opened> {
        let mut free = self.0.lock().ok()?;
        let at = free.iter().rposition(|(other, _)| other == name)?;
        Some(free.remove(at).1)
    }

    pub(super) fn put(&self, name: String, handle: Opened) {
        let Ok(mut free) = self.0.lock() else {
            return;
        };
        free.push((name, handle));
        if free.len() > within_limit(MOST) {
            free.remove(0);
        }
    }
}

impl Dir {
    /// Keeps the handles of its locks for the next time, until it is closed.
    #[must_use]
    pub fn keeping_locks(self) -> Dir {
        self.with_handles(Handles::default())
    }
}
