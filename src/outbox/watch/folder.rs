//! Notification of changes in one folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use notify::event::EventKind;
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};

use crate::durable::TEMPORARY_PREFIX;
use crate::outbox::schedule::Heard;
use crate::outbox::wake::NUDGE;

/// Calls `changed` after every change in `folder` that concerns an entry, as long as the value
/// lives. Looking into the folder is no change, and neither is an entry that is still being written.
/// `None` where the system gives no such notification: a slow poll must do.
pub(super) fn watch_folder(
    folder: &Path,
    changed: impl Fn(Heard) + Send + 'static,
) -> Option<RecommendedWatcher> {
    // Some systems name the folder as they know it, without the links that led there.
    let places = [
        folder.to_owned(),
        folder.canonicalize().unwrap_or_else(|_| folder.to_owned()),
    ];
    let heard = move |event: notify::Result<notify::Event>| match heard_of(&places, event) {
        Heard::Nothing => {}
        heard => changed(heard),
    };
    let mut watcher = RecommendedWatcher::new(heard, Config::default()).ok()?;
    watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}

/// Which entries an event is of.
fn heard_of(places: &[PathBuf], event: notify::Result<notify::Event>) -> Heard {
    let Ok(event) = event else {
        // An error may hide a change.
        return Heard::Anything;
    };
    if event.need_rescan() {
        // A queue that ran over.
        return Heard::Anything;
    }
    if matches!(event.kind, EventKind::Access(_)) {
        return Heard::Nothing;
    }
    let mut names = BTreeSet::new();
    for path in &event.paths {
        let name = path.file_name().filter(|_| {
            // Where the system tells of a folder and not of what is in it, its names are not known.
            let parent = path.parent();
            places.iter().any(|place| parent == Some(place.as_path()))
        });
        let Some(name) = name else {
            return Heard::Anything;
        };
        if name == NUDGE {
            return Heard::Anything;
        }
        if !name.to_string_lossy().starts_with(TEMPORARY_PREFIX) {
            names.insert(name.to_owned());
        }
    }
    match (names.is_empty(), event.paths.is_empty()) {
        (false, _) => Heard::Names(names),
        (true, false) => Heard::Nothing,
        (true, true) => Heard::Anything,
    }
}

#[cfg(test)]
mod tests {
    use notify::Event;
    use notify::event::{AccessKind, CreateKind, Flag};

    use super::*;

    fn of(kind: EventKind, paths: &[&str]) -> Heard {
        let mut event = Event::new(kind);
        for path in paths {
            event = event.add_path(path.into());
        }
        heard_of(&["/r/due".into()], Ok(event))
    }

    #[test]
    fn an_event_is_of_the_names_in_it_and_of_anything_when_they_are_not_known() {
        let create = EventKind::Create(CreateKind::Any);
        assert_eq!(
            of(create, &["/r/due/t-1.json"]),
            Heard::Names(BTreeSet::from(["t-1.json".into()]))
        );
        assert_eq!(of(create, &["/r/due/.atomicwriteabc"]), Heard::Nothing);
        assert_eq!(of(create, &["/r/due/.wake"]), Heard::Anything);
        assert_eq!(of(create, &["/r/due"]), Heard::Anything);
        let look = EventKind::Access(AccessKind::Any);
        assert_eq!(of(look, &["/r/due/t-1.json"]), Heard::Nothing);
        let overrun = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(heard_of(&["/r/due".into()], Ok(overrun)), Heard::Anything);
    }
}
