//! What is due now, for which origin, and when to look again.

mod index;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::time::{Duration, Instant};

use self::index::{Index, Known, Standing};
use super::backoff::BackoffClock;
use super::due::DueRegistry;
use super::error::OutboxError;
use super::intent::{Intent, IntentFile};
use super::key::DeliveryKey;
use super::origin::Origin;
use super::pump::Job;
use super::root::HostRoot;
use crate::clock::UnixMillis;
use crate::durable::Stamp;

/// After a delivery was skipped because its record or lock could not be used, it is left alone for
/// this long: a defect that stays must not become a loop.
const LEAVE_ALONE: Duration = Duration::from_secs(2);

/// The plan of one look at the due registry.
#[derive(Debug, Default)]
pub struct Plan {
    /// One job for each origin that is free and has something due.
    pub jobs: Vec<Job>,
    /// How long until something else becomes due; `None` when nothing waits.
    pub next: Option<Duration>,
    /// Deliveries that are pending or retrying, due or not.
    pub open: usize,
    /// When the oldest of them was enqueued.
    pub oldest: Option<UnixMillis>,
    /// Entries whose intent is missing or cannot be read.
    pub unusable: usize,
}

/// Which entries of the registry may have changed since the last look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Heard {
    /// None.
    #[default]
    Nothing,
    /// The ones of these names.
    Names(BTreeSet<OsString>),
    /// Any: the whole folder is listed.
    Anything,
}

impl Heard {
    /// Takes in what was heard besides.
    pub fn add(&mut self, more: Heard) {
        match (&mut *self, more) {
            (_, Heard::Nothing) | (Heard::Anything, _) => {}
            (Heard::Names(names), Heard::Names(more)) => names.extend(more),
            (_, more) => *self = more,
        }
    }

    /// Takes in one name.
    pub fn add_name(&mut self, name: impl Into<OsString>) {
        self.add(Heard::Names(BTreeSet::from([name.into()])));
    }
}

/// What a pump remembers between two looks.
#[derive(Debug, Default)]
pub struct Schedule {
    waits: BackoffClock,
    busy: HashSet<Origin>,
    left_alone: HashMap<DeliveryKey, Instant>,
    index: Index,
    /// The wall clock at the last look.
    looked: Option<UnixMillis>,
}

/// The clocks of one look.
#[derive(Clone, Copy)]
struct Clocks {
    wall: UnixMillis,
    at: Instant,
}

impl Schedule {
    /// Nothing remembered.
    #[must_use]
    pub fn new() -> Schedule {
        Schedule::default()
    }

    /// Reads what may have changed in the due registry, and makes jobs for at most `most` origins
    /// of what is due. The first look of all must have heard [`Heard::Anything`].
    ///
    /// # Errors
    /// A registry that cannot be listed.
    pub fn look(
        &mut self,
        root: &HostRoot,
        heard: &Heard,
        most: usize,
        (wall, at): (UnixMillis, Instant),
    ) -> Result<Plan, OutboxError> {
        let clocks = Clocks { wall, at };
        // A clock that went back says nothing of how long anything has still to wait.
        let went_back = self.looked.replace(wall).is_some_and(|last| wall < last);
        let registry = root.due_registry()?;
        match heard {
            Heard::Anything => self.read_all(root, &registry, clocks)?,
            Heard::Names(names) => {
                for name in names {
                    self.read(root, &registry, name, clocks)?;
                }
            }
            Heard::Nothing => {}
        }
        if went_back {
            let names: Vec<OsString> = self.index.names().cloned().collect();
            for name in names {
                self.read(root, &registry, &name, clocks)?;
            }
        }
        while let Some((name, _)) = self.index.pop_over(at, wall) {
            self.read(root, &registry, &name, clocks)?;
        }
        let jobs = self.jobs(root, &registry, most, clocks)?;
        let (open, oldest) = self.index.open();
        Ok(Plan {
            jobs,
            next: self.index.next().map(|(due, by_wall)| {
                let left = u64::try_from(by_wall.since(wall)).unwrap_or_default();
                due.saturating_duration_since(at)
                    .min(Duration::from_millis(left))
            }),
            open,
            oldest,
            unusable: self.index.unusable(),
        })
    }

    /// Lists the registry; only files that are not the ones last read are read.
    fn read_all(
        &mut self,
        root: &HostRoot,
        registry: &DueRegistry,
        clocks: Clocks,
    ) -> Result<(), OutboxError> {
        root.take_up_stopped(registry)?;
        let mut there = HashSet::new();
        for name in registry.names()? {
            let stamp = registry.dir().stamp(&name)?;
            let same = |known: &Known| Some(known.stamp) == stamp;
            let settled = self
                .index
                .get(&name)
                .is_some_and(|known| same(known) && known.standing != Standing::Unusable);
            if !settled {
                self.read(root, registry, &name, clocks)?;
            }
            there.insert(name);
        }
        let gone: Vec<OsString> = self
            .index
            .names()
            .filter(|name| !there.contains(*name))
            .cloned()
            .collect();
        for name in gone {
            self.drop_entry(&name);
        }
        Ok(())
    }

    fn drop_entry(&mut self, name: &OsStr) {
        if let Some(key) = self.index.remove(name).and_then(|known| known.key) {
            self.waits.forget(&key);
        }
    }

    /// Reads one entry and its intent, and puts it in its place; the intent, if it is due.
    fn read(
        &mut self,
        root: &HostRoot,
        registry: &DueRegistry,
        name: &OsStr,
        clocks: Clocks,
    ) -> Result<Option<Intent>, OutboxError> {
        let Some(stamp) = registry.dir().stamp(name)? else {
            self.drop_entry(name);
            return Ok(None);
        };
        let entry = match registry.read_named(name) {
            Ok(Some(entry)) => entry,
            Ok(None) => {
                self.drop_entry(name);
                return Ok(None);
            }
            Err(_) => {
                self.index.put(name, unusable(stamp, None));
                return Ok(None);
            }
        };
        let key = entry.key();
        // What cannot be read is doctor's and gc's business; it blocks no other delivery.
        let Ok(IntentFile::Good(intent)) = root.read_intent(&key) else {
            self.index.put(name, unusable(stamp, Some(key)));
            return Ok(None);
        };
        let standing = match self.wait_left(&key, &intent, clocks) {
            Some(wait) => waiting(wait, clocks),
            None => Standing::Due(intent.origin.clone()),
        };
        let due = matches!(standing, Standing::Due(_));
        let open = intent.state.retains_objects();
        self.index.put(
            name,
            Known {
                stamp,
                key: Some(key),
                created: open.then_some(intent.created_at_millis),
                standing,
            },
        );
        Ok(due.then_some(*intent))
    }

    /// Jobs for origins that are free, from their intents as they stand now.
    fn jobs(
        &mut self,
        root: &HostRoot,
        registry: &DueRegistry,
        most: usize,
        clocks: Clocks,
    ) -> Result<Vec<Job>, OutboxError> {
        let free: Vec<(Origin, BTreeSet<OsString>)> = self
            .index
            .due()
            .filter(|(origin, _)| !self.busy.contains(*origin))
            .take(most)
            .map(|(origin, names)| (origin.clone(), names.clone()))
            .collect();
        let mut jobs = Vec::new();
        for (origin, names) in free {
            let mut intents = Vec::new();
            for name in names {
                let intent = self.read(root, registry, &name, clocks)?;
                intents.extend(intent.filter(|intent| intent.origin == origin));
            }
            if !intents.is_empty() {
                jobs.push(in_order(origin, intents));
            }
        }
        Ok(jobs)
    }

    fn wait_left(
        &mut self,
        key: &DeliveryKey,
        intent: &Intent,
        clocks: Clocks,
    ) -> Option<Duration> {
        match self.left_alone.get(key) {
            Some(until) if *until > clocks.at => {
                return Some(until.saturating_duration_since(clocks.at));
            }
            Some(_) => {
                self.left_alone.remove(key);
            }
            None => {}
        }
        // An ended one whose entry is still there is finished at once.
        if !intent.state.retains_objects() {
            return None;
        }
        let wait = self.waits.wait_left(intent, clocks.wall, clocks.at);
        (!wait.is_zero()).then_some(wait)
    }

    /// An origin is being worked for: its deliveries wait until [`Schedule::free`].
    pub fn occupy(&mut self, origin: &Origin) {
        self.busy.insert(origin.clone());
    }

    /// An origin's job is over.
    pub fn free(&mut self, origin: &Origin) {
        self.busy.remove(origin);
    }

    /// How many origins are being worked for.
    #[must_use]
    pub fn occupied(&self) -> usize {
        self.busy.len()
    }

    /// A delivery was skipped for a defect.
    pub fn leave_alone(&mut self, key: DeliveryKey, at: Instant) {
        if let Some(until) = at.checked_add(LEAVE_ALONE) {
            self.left_alone.insert(key, until);
        }
    }

    /// A delivery ended.
    pub fn forget(&mut self, key: &DeliveryKey) {
        self.waits.forget(key);
        self.left_alone.remove(key);
    }
}

const fn unusable(stamp: Stamp, key: Option<DeliveryKey>) -> Known {
    Known {
        stamp,
        key,
        created: None,
        standing: Standing::Unusable,
    }
}

fn waiting(wait: Duration, clocks: Clocks) -> Standing {
    // Rounded up: a look at that time must find the wait over.
    let millis = i64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX);
    Standing::Waiting(
        clocks.at.checked_add(wait).unwrap_or(clocks.at),
        clocks.wall.plus(millis).unwrap_or(clocks.wall),
    )
}

/// The source's order within an origin.
fn in_order(origin: Origin, mut intents: Vec<Intent>) -> Job {
    intents.sort_by(|one, other| {
        let place = |intent: &Intent| {
            (
                intent.branch.clone(),
                intent.created_at_millis,
                intent.turn_id.clone(),
            )
        };
        place(one).cmp(&place(other))
    });
    Job { origin, intents }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::outbox::intent::State;
    use crate::outbox::intent::tests::intent;
    use crate::outbox::names::{Branch, Turn};

    struct Place {
        _folder: tempfile::TempDir,
        root: HostRoot,
    }

    fn place() -> Place {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o700)).unwrap();
        let path = folder.path().canonicalize().unwrap();
        let root = HostRoot::open(&path, Duration::from_secs(5)).unwrap();
        Place {
            _folder: folder,
            root,
        }
    }

    fn at(millis: i64) -> UnixMillis {
        UnixMillis::new(millis).unwrap()
    }

    /// Puts an intent and its due entry down; the branch is `b` and the turn is `number`.
    fn put(place: &Place, number: u64, origin: &str, change: impl FnOnce(&mut Intent)) -> Intent {
        let mut intent = intent();
        intent.turn_id = Turn::new(format!("{number:032x}")).unwrap();
        intent.origin = Origin::new(origin).unwrap();
        intent.branch = Branch::new("b").unwrap();
        change(&mut intent);
        let held = place.root.lock_intent(&intent.key()).unwrap();
        place.root.write_intent(&held, &intent).unwrap();
        place
            .root
            .due_registry()
            .unwrap()
            .write(&held, &intent)
            .unwrap();
        intent
    }

    /// A look that lists the folder, at these clocks.
    fn look(schedule: &mut Schedule, place: &Place, wall: i64, now: Instant) -> Plan {
        schedule
            .look(&place.root, &Heard::Anything, 8, (at(wall), now))
            .unwrap()
    }

    fn turns(job: &Job) -> Vec<u64> {
        let number = |intent: &Intent| u64::from_str_radix(intent.turn_id.as_str(), 16).unwrap();
        job.intents.iter().map(number).collect()
    }

    #[test]
    fn what_is_due_is_grouped_by_origin_in_the_source_pages_order() {
        let place = place();
        put(&place, 1, "file:///srv/y.git", |intent| {
            intent.created_at_millis = at(9);
        });
        put(&place, 2, "file:///srv/y.git", |intent| {
            intent.created_at_millis = at(8);
        });
        put(&place, 3, "file:///srv/y.git", |intent| {
            intent.branch = Branch::new("a").unwrap();
            intent.created_at_millis = at(10);
        });
        put(&place, 5, "file:///srv/y.git", |intent| {
            intent.created_at_millis = at(8);
        });
        put(&place, 4, "file:///srv/x.git", |_| {});
        let plan = look(&mut Schedule::new(), &place, 100, Instant::now());
        let found: Vec<Vec<u64>> = plan.jobs.iter().map(turns).collect();
        assert_eq!(found, [vec![4], vec![3, 2, 5, 1]]);
        assert_eq!((plan.open, plan.oldest, plan.next), (5, Some(at(1)), None));
    }

    #[test]
    fn a_waiting_one_tells_when_and_an_occupied_origin_or_one_left_alone_has_no_job() {
        let place = place();
        let waiting = put(&place, 1, "file:///srv/x.git", |intent| {
            intent.state = State::Retrying;
            intent.attempt = 3;
            intent.updated_at_millis = at(1000);
            intent.next_attempt_at_millis = at(3000);
        });
        let now = Instant::now();
        let mut schedule = Schedule::new();
        let plan = look(&mut schedule, &place, 1500, now);
        assert!(plan.jobs.is_empty());
        assert_eq!(plan.next, Some(Duration::from_millis(1500)));
        assert_eq!(look(&mut schedule, &place, 3000, now).jobs.len(), 1);

        schedule.occupy(&waiting.origin);
        assert_eq!(schedule.occupied(), 1);
        assert!(look(&mut schedule, &place, 3000, now).jobs.is_empty());
        schedule.free(&waiting.origin);

        schedule.leave_alone(waiting.key(), now);
        let plan = look(&mut schedule, &place, 3000, now);
        assert!(plan.jobs.is_empty());
        assert_eq!(plan.next, Some(LEAVE_ALONE));
        let later = now + LEAVE_ALONE;
        assert_eq!(look(&mut schedule, &place, 3000, later).jobs.len(), 1);
    }

    #[test]
    fn an_ended_delivery_whose_entry_is_still_there_is_finished_and_not_counted_open() {
        let place = place();
        put(&place, 1, "file:///srv/x.git", |intent| {
            intent.state = State::Delivered;
        });
        let plan = look(&mut Schedule::new(), &place, 100, Instant::now());
        assert_eq!((plan.jobs.len(), plan.open), (1, 0));
    }

    #[test]
    fn entries_without_a_readable_intent_are_counted_and_block_nothing() {
        let place = place();
        let lost = put(&place, 1, "file:///srv/x.git", |_| {});
        put(&place, 2, "file:///srv/x.git", |_| {});
        let path = place
            .root
            .path()
            .join("tasks/p/t/delivery")
            .join(lost.key().intent_name());
        std::fs::remove_file(path).unwrap();
        std::fs::write(place.root.path().join("locks/outbox-due/junk"), "x").unwrap();
        let plan = look(&mut Schedule::new(), &place, 100, Instant::now());
        assert_eq!(plan.unusable, 2);
        assert_eq!(turns(&plan.jobs[0]), [2]);
    }

    #[test]
    fn a_look_reads_what_was_heard_of_and_what_is_due_and_nothing_else() {
        let place = place();
        let waits = |intent: &mut Intent| {
            intent.state = State::Retrying;
            intent.attempt = 3;
            intent.updated_at_millis = at(1000);
            intent.next_attempt_at_millis = at(3000);
        };
        for number in 1..=50 {
            put(&place, number, "file:///srv/x.git", waits);
        }
        let start = Instant::now();
        let mut schedule = Schedule::new();
        assert_eq!(look(&mut schedule, &place, 1000, start).open, 50);
        // Whoever reads an intent now finds nothing.
        std::fs::remove_dir_all(place.root.path().join("tasks")).unwrap();
        let new = put(&place, 51, "file:///srv/y.git", |_| {});
        let mut heard = Heard::Nothing;
        heard.add_name(new.key().due_name());
        let soon = (at(1001), start + Duration::from_millis(1));
        let plan = schedule.look(&place.root, &heard, 8, soon).unwrap();
        assert_eq!((plan.open, plan.unusable, plan.jobs.len()), (51, 0, 1));
        let plan = look(&mut schedule, &place, 1001, soon.1);
        assert_eq!(
            (plan.open, plan.unusable),
            (51, 0),
            "the files are the same"
        );
        let due = (at(3001), start + Duration::from_secs(2));
        let plan = schedule.look(&place.root, &Heard::Nothing, 8, due).unwrap();
        assert_eq!((plan.open, plan.unusable), (1, 50), "now they are due");
    }

    #[test]
    fn a_look_makes_no_more_jobs_than_there_is_room_for() {
        let place = place();
        for number in 1..=5 {
            put(&place, number, &format!("file:///srv/{number}.git"), |_| {});
        }
        let clocks = (at(100), Instant::now());
        let mut schedule = Schedule::new();
        for most in [0, 3] {
            let heard = Heard::Anything;
            let plan = schedule.look(&place.root, &heard, most, clocks).unwrap();
            assert_eq!((plan.jobs.len(), plan.open), (most, 5));
        }
    }

    #[test]
    fn what_a_killed_call_wrote_before_its_intent_is_taken_up_and_one_under_way_is_left() {
        let place = place();
        let intent = put(&place, 1, "file:///srv/x.git", |_| {});
        let registry = place.root.due_registry().unwrap();
        let held = place.root.lock_intent(&intent.key()).unwrap();
        registry.remove(&held, &intent.key()).unwrap();
        std::mem::forget(registry.prepare(&held, &intent).unwrap());
        let mut schedule = Schedule::new();
        let now = Instant::now();
        assert_eq!(look(&mut schedule, &place, 100, now).open, 0, "under way");
        drop(held);
        let plan = look(&mut schedule, &place, 100, now);
        assert_eq!(turns(&plan.jobs[0]), [1]);
        let entries = std::fs::read_dir(registry.dir().path()).unwrap().count();
        assert_eq!(entries, 1, "nothing else is left there");
    }
}
