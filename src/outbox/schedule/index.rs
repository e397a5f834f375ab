//! What a pump knows of the due registry between two looks: which deliveries are due, by origin,
//! and when the next of the others is. A look then costs what is due, however much waits.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::time::Instant;

use crate::clock::UnixMillis;
use crate::durable::Stamp;
use crate::outbox::key::DeliveryKey;
use crate::outbox::origin::Origin;

/// Where a delivery stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Due now.
    Due(Origin),
    /// Not before both of these: a monotonic time, and a time by the wall clock.
    Waiting(Instant, UnixMillis),
    /// Its entry or its intent cannot be used.
    Unusable,
}

/// One entry of the registry as it was last read.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Which file it was read from.
    pub stamp: Stamp,
    /// Which delivery it is of, where that could be read.
    pub key: Option<DeliveryKey>,
    /// When it was enqueued, while it is pending or retrying.
    pub created: Option<UnixMillis>,
    /// Where it stands.
    pub standing: Standing,
}

/// All entries by the names of their files.
#[derive(Debug, Default)]
pub(super) struct Index {
    known: HashMap<OsString, Known>,
    due: BTreeMap<Origin, BTreeSet<OsString>>,
    by_instant: BTreeSet<(Instant, OsString)>,
    by_wall: BTreeSet<(UnixMillis, OsString)>,
    open: BTreeSet<(UnixMillis, OsString)>,
    unusable: usize,
}

impl Index {
    /// What is known of an entry.
    pub fn get(&self, name: &OsStr) -> Option<&Known> {
        self.known.get(name)
    }

    /// Every name.
    pub fn names(&self) -> impl Iterator<Item = &OsString> {
        self.known.keys()
    }

    /// Puts an entry in its place, in that of what was known before.
    pub fn put(&mut self, name: &OsStr, known: Known) {
        self.remove(name);
        let name = name.to_owned();
        if let Some(created) = known.created {
            self.open.insert((created, name.clone()));
        }
        match &known.standing {
            Standing::Due(origin) => {
                self.due
                    .entry(origin.clone())
                    .or_default()
                    .insert(name.clone());
            }
            Standing::Waiting(at, wall) => {
                self.by_instant.insert((*at, name.clone()));
                self.by_wall.insert((*wall, name.clone()));
            }
            Standing::Unusable => self.unusable = self.unusable.saturating_add(1),
        }
        self.known.insert(name, known);
    }

    /// Forgets an entry.
    pub fn remove(&mut self, name: &OsStr) -> Option<Known> {
        let (name, known) = self.known.remove_entry(name)?;
        if let Some(created) = known.created {
            self.open.remove(&(created, name.clone()));
        }
        match &known.standing {
            Standing::Due(origin) => {
                if let Some(names) = self.due.get_mut(origin) {
                    names.remove(&name);
                    if names.is_empty() {
                        self.due.remove(origin);
                    }
                }
            }
            Standing::Waiting(at, wall) => {
                self.by_instant.remove(&(*at, name.clone()));
                self.by_wall.remove(&(*wall, name));
            }
            Standing::Unusable => self.unusable = self.unusable.saturating_sub(1),
        }
        Some(known)
    }

    /// Takes out one whose wait may be over by either clock.
    pub fn pop_over(&mut self, at: Instant, wall: UnixMillis) -> Option<(OsString, Known)> {
        let by_instant = self.by_instant.first().filter(|(due, _)| *due <= at);
        let by_wall = self.by_wall.first().filter(|(due, _)| *due <= wall);
        let name = by_instant
            .map(|(_, name)| name)
            .or(by_wall.map(|(_, name)| name))?
            .clone();
        self.remove(&name).map(|known| (name, known))
    }

    /// The origins that have something due, each with the names of its entries.
    pub fn due(&self) -> impl Iterator<Item = (&Origin, &BTreeSet<OsString>)> {
        self.due.iter()
    }

    /// The first end of a wait by each clock.
    pub fn next(&self) -> Option<(Instant, UnixMillis)> {
        let at = self.by_instant.first()?.0;
        let wall = self.by_wall.first()?.0;
        Some((at, wall))
    }

    /// How many are pending or retrying, and when the oldest of them was enqueued.
    pub fn open(&self) -> (usize, Option<UnixMillis>) {
        let oldest = self.open.first().map(|(created, _)| *created);
        (self.open.len(), oldest)
    }

    /// How many cannot be used.
    pub const fn unusable(&self) -> usize {
        self.unusable
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(millis: i64) -> UnixMillis {
        UnixMillis::new(millis).unwrap()
    }

    fn stamp() -> Stamp {
        let folder = tempfile::tempdir().unwrap();
        let dir = crate::durable::Dir::open(folder.path()).unwrap();
        dir.replace("a", b"1").unwrap();
        dir.stamp("a").unwrap().unwrap()
    }

    fn known(standing: Standing, created: Option<i64>) -> Known {
        Known {
            stamp: stamp(),
            key: None,
            created: created.map(at),
            standing,
        }
    }

    #[test]
    fn a_wait_is_over_by_whichever_clock_says_so_first() {
        let mut index = Index::default();
        let start = Instant::now();
        let later = |seconds| start + Duration::from_secs(seconds);
        index.put(
            OsStr::new("by instant"),
            known(Standing::Waiting(later(1), at(9000)), Some(1)),
        );
        index.put(
            OsStr::new("by wall"),
            known(Standing::Waiting(later(9), at(1000)), Some(2)),
        );
        assert_eq!(index.next(), Some((later(1), at(1000))));
        assert!(index.pop_over(start, at(0)).is_none());
        assert_eq!(index.pop_over(later(1), at(0)).unwrap().0, "by instant");
        assert!(index.pop_over(later(1), at(0)).is_none());
        assert_eq!(index.pop_over(later(1), at(1000)).unwrap().0, "by wall");
        assert_eq!((index.open(), index.next()), ((0, None), None));
    }

    #[test]
    fn an_entry_stands_in_one_place_only_and_leaves_nothing_when_it_goes() {
        let mut index = Index::default();
        let name = OsStr::new("a");
        let origin = Origin::new("file:///srv/o.git").unwrap();
        index.put(name, known(Standing::Unusable, None));
        assert_eq!((index.unusable(), index.open()), (1, (0, None)));
        index.put(name, known(Standing::Due(origin.clone()), Some(7)));
        assert_eq!((index.unusable(), index.open()), (0, (1, Some(at(7)))));
        assert_eq!(index.due().count(), 1);
        index.put(
            name,
            known(Standing::Waiting(Instant::now(), at(0)), Some(7)),
        );
        assert_eq!(index.due().count(), 0);
        assert!(index.remove(name).is_some());
        assert!(index.remove(name).is_none());
        assert_eq!((index.names().count(), index.open()), (0, (0, None)));
    }
}
