//! The last handle of a file that lost its name, closed beside the sync that comes next.
//!
//! A file is freed when its last name and its last handle are gone. On a medium that waits for its
//! discards that takes as long as a sync, and the call that takes the name away waits for it. A
//! held directory may instead keep a handle of the old file over the change of the name
//! ([`Dir::releasing_beside`]) and have it closed by a thread of its own while the operation goes
//! on. The order of names and syncs stays what it is; only when the blocks of a file that nobody
//! can reach any more are free again is a little later.

use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::sync::mpsc::{SyncSender, sync_channel};

use super::dir::Dir;
use super::handles::within_limit;

/// So many handles wait to be closed at most; one more is closed where it is.
const WAITING: usize = 64;

/// The thread that closes, started when it is first needed. `None` inside where it could not be.
#[derive(Debug, Default)]
pub(super) struct Releaser(OnceLock<Option<SyncSender<Work>>>);

/// What the thread is asked for.
#[derive(Debug)]
enum Work {
    /// Close this.
    Close(#[allow(dead_code, reason = "dropping it closes it")] OwnedFd),
    /// Say that all before this is closed.
    Tell(SyncSender<()>),
}

impl Releaser {
    /// Closes a handle beside the caller; here, if that cannot be had.
    fn release(&self, handle: OwnedFd) {
        let closer = self.0.get_or_init(|| {
            let (sender, receiver) = sync_channel::<Work>(within_limit(WAITING));
            // It ends with the sender, when the directory is closed.
            std::thread::Builder::new()
                .name("amiss-release".into())
                .stack_size(64 * 1024)
                .spawn(move || {
                    for work in receiver {
                        if let Work::Tell(asker) = work {
                            let _ = asker.send(());
                        }
                    }
                })
                .ok()
                .map(|_| sender)
        });
        if let Some(closer) = closer {
            // What is not taken comes back in the error, and is closed with it.
            let _ = closer.try_send(Work::Close(handle));
        }
    }

    /// Waits until all that was handed over is closed; whether there was anybody to wait for.
    fn settle(&self) -> bool {
        let Some(Some(closer)) = self.0.get() else {
            return false;
        };
        let (asker, told) = sync_channel(1);
        closer.send(Work::Tell(asker)).is_ok() && told.recv().is_ok()
    }
}

/// A handle that keeps an old file from being freed within the call that takes its name.
#[derive(Debug)]
pub(super) struct Kept<'dir>(Option<(&'dir Releaser, OwnedFd)>);

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if let Some((releaser, handle)) = self.0.take() {
            releaser.release(handle);
        }
    }
}

impl Dir {
    /// Has files that lose their names here freed beside the operations that follow.
    #[must_use]
    pub fn releasing_beside(self) -> Dir {
        self.with_releaser(Releaser::default())
    }

    /// Waits until the room of files that lost their names is free again: before a full disk is
    /// believed. Whether some may have become free.
    pub(super) fn settle_releases(&self) -> bool {
        self.releaser().is_some_and(Releaser::settle)
    }

    /// Keeps the file at a name, if there is one, until the answer is dropped: then it is let go
    /// beside the caller. Reads nothing and may fail without harm; the file is then freed at once.
    #[cfg(target_os = "linux")]
    pub(super) fn keep(&self, name: &std::path::Path) -> Kept<'_> {
        use rustix::fs::{Mode, OFlags, openat};
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Kept(self.releaser().and_then(|releaser| {
            let handle = openat(self.handle(), name, flags, Mode::empty()).ok()?;
            Some((releaser, handle))
        }))
    }

    /// Other systems have no handle that opens nothing.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn keep(&self, _: &std::path::Path) -> Kept<'_> {
        Kept(None)
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use super::*;

    /// How many handles this process has of files below a folder that have no name any more.
    fn nameless(place: &Path) -> usize {
        let handles = std::fs::read_dir("/proc/self/fd").unwrap();
        handles
            .filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok())
            .filter(|target| {
                let text = target.to_string_lossy();
                target.starts_with(place) && text.ends_with(" (deleted)")
            })
            .count()
    }

    #[test]
    fn old_files_are_let_go_and_never_many_are_held() {
        let place = tempfile::tempdir().unwrap();
        let dir = Dir::open(place.path()).unwrap().releasing_beside();
        for round in 0..500_u32 {
            dir.replace("a", &round.to_be_bytes()).unwrap();
            // Those that wait, the one that is being closed, and the one that could not wait.
            assert!(nameless(place.path()) <= WAITING + 2);
        }
        assert!(dir.remove("a").unwrap());
        let started = Instant::now();
        while nameless(place.path()) > 0 {
            assert!(started.elapsed() < Duration::from_secs(60), "some stay");
            std::thread::yield_now();
        }
    }

    #[test]
    fn an_old_file_is_held_only_until_its_name_is_gone() {
        let place = tempfile::tempdir().unwrap();
        let dir = Dir::open(place.path()).unwrap().releasing_beside();
        dir.replace("a", b"1").unwrap();
        let kept = dir.keep("a".as_ref());
        dir.replace("a", b"2").unwrap();
        assert!(nameless(place.path()) >= 1, "it is held over the rename");
        drop(kept);
        drop(dir);
        let started = Instant::now();
        while nameless(place.path()) > 0 {
            assert!(started.elapsed() < Duration::from_secs(60), "it stays");
            std::thread::yield_now();
        }
    }
}
