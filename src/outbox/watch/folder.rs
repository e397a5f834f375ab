//! Notification of changes in one folder.

use std::path::Path;

use notify::event::EventKind;
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};

/// Calls `changed` after every change of a name in `folder`, as long as the value lives. Looking
/// into the folder is no change. `None` where the system gives no such notification: a slow poll
/// must do.
pub(super) fn watch_folder(
    folder: &Path,
    changed: impl Fn() + Send + 'static,
) -> Option<RecommendedWatcher> {
    let heard = move |event: notify::Result<notify::Event>| {
        // An error (a queue that ran over) may hide a change.
        let is_look = event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_)));
        if !is_look {
            changed();
        }
    };
    let mut watcher = RecommendedWatcher::new(heard, Config::default()).ok()?;
    watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}
