//! A root that already holds many real rows, made quickly: frames are written under their own
//! names by all cores, and one sync of the whole filesystem covers them.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::BenchError;
use super::scene::{self, Lifetime};
use crate::clock::{FixedClock, UnixMillis};
use crate::ledger::file::seed::{self, SeedFile};
use crate::ledger::file::{ClockPolicy, Limits, Options, Root};

/// How long a scene's lease lasts, in milliseconds.
pub const LEASE_MILLIS: i64 = 120_000;
/// Every second row is bounded; the bounded ones end in this many groups, an hour apart.
pub(super) const GROUPS: u64 = 5;
/// When the first group ends, in milliseconds after the seed's own time: after every flow that a
/// measurement runs, and within one step of the clock.
const FIRST_END: i64 = 20 * 24 * 60 * 60 * 1000;
const HOUR: i64 = 60 * 60 * 1000;
const WHAT: &str = "the seed";

/// A seeded root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeded {
    /// Where.
    pub path: PathBuf,
    /// Its limits.
    pub limits: Limits,
    /// How many rows it was given.
    pub rows: u64,
    /// The time of its rows, in milliseconds since 1970.
    pub now: i64,
}

impl Seeded {
    /// A time at which `group` and every earlier one have ended.
    pub(super) fn end_of_group(&self, group: u64) -> i64 {
        end(self.now, group).saturating_add(HOUR / 2)
    }
}

fn end(now: i64, group: u64) -> i64 {
    let hours = i64::try_from(group).unwrap_or(0).saturating_mul(HOUR);
    now.saturating_add(FIRST_END).saturating_add(hours)
}

/// The number of bounded rows that end with each group.
pub(super) fn group_size(rows: u64) -> u64 {
    rows.div_euclid(GROUPS.saturating_mul(2))
}

/// The lifetime of the `number`-th row.
fn lifetime(number: u64, now: i64) -> Lifetime {
    let turn = number.rem_euclid(GROUPS.saturating_mul(2));
    if turn < GROUPS {
        Lifetime::Through(end(now, turn))
    } else {
        Lifetime::Permanent
    }
}

/// Who is told how many rows are there.
type Told<'a> = &'a mut dyn FnMut(u64) -> Result<(), BenchError>;

/// The options of every root that is measured.
#[must_use]
pub fn root_options() -> Options {
    Options::default()
}

/// Makes a root in a new folder at `path` and fills it with `rows` completed rows; `room` more fit
/// in. `each` is told how many are there, and ends it with an error.
///
/// # Errors
/// The system's, or the ledger's.
pub fn seed_root(
    path: &Path,
    rows: u64,
    room: u64,
    now: i64,
    each: Told<'_>,
) -> Result<Seeded, BenchError> {
    DirBuilder::new()
        .mode(0o700)
        .create(path)
        .map_err(|source| BenchError::io("make", path, source))?;
    let limits = Limits {
        lease_millis: LEASE_MILLIS,
        max_records: rows.saturating_add(room).max(1),
        max_signed_age_millis: scene::MAX_SIGNED_AGE_MILLIS,
        max_queue_age_millis: scene::MAX_QUEUE_AGE_MILLIS,
    };
    Root::open(path, root_options())
        .map_err(BenchError::measured(WHAT))?
        .init(&limits, &FixedClock(now), ClockPolicy::Guard)
        .map_err(BenchError::measured(WHAT))?;
    write_rows(path, rows, now, each)?;
    if rows > 0 {
        write(
            path,
            &seed::count(&limits, rows).map_err(BenchError::measured(WHAT))?,
        )?;
    }
    sync_all(path)?;
    Ok(Seeded {
        path: path.to_owned(),
        limits,
        rows,
        now,
    })
}

fn write_rows(path: &Path, rows: u64, now: i64, each: Told<'_>) -> Result<(), BenchError> {
    let check = scene::check()?;
    let time = UnixMillis::new(now).map_err(BenchError::measured(WHAT))?;
    let next = AtomicU64::new(0);
    let work = |told: Told<'_>| -> Result<(), BenchError> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= rows {
                return Ok(());
            }
            let delivery = scene::accepted(number, lifetime(number, now))?;
            let file =
                seed::done_row(&delivery, &check, time).map_err(BenchError::measured(WHAT))?;
            write(path, &file)?;
            if number.is_multiple_of(500) {
                told(number)?;
            }
        }
    };
    let helpers = cores().saturating_sub(1);
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..helpers)
            .map(|_| scope.spawn(|| work(&mut |_| Ok(()))))
            .collect();
        let mut outcome = work(each);
        // Where this one ended early, so do the others.
        next.fetch_max(rows, Ordering::Relaxed);
        for other in others {
            // A helper that panicked is a bug, and the root is not whole.
            let joined = other.join().unwrap_or(Err(BenchError::Answer {
                what: WHAT.into(),
                expected: "a thread that ends",
                got: "one that did not".into(),
            }));
            outcome = outcome.and(joined);
        }
        outcome
    })?;
    each(rows)
}

fn write(path: &Path, file: &SeedFile) -> Result<(), BenchError> {
    let full = path.join(&file.name);
    let failed = |source| BenchError::io("write", &full, source);
    let mut handle = File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&full)
        .map_err(failed)?;
    std::io::Write::write_all(&mut handle, &file.bytes).map_err(failed)
}

/// Puts everything that was written on the medium, so that no later sync pays for it.
#[cfg(target_os = "linux")]
fn sync_all(path: &Path) -> Result<(), BenchError> {
    let failed = |source| BenchError::io("sync the filesystem of", path, source);
    let handle = File::open(path).map_err(failed)?;
    rustix::fs::syncfs(&handle).map_err(|errno| failed(errno.into()))
}

#[cfg(not(target_os = "linux"))]
fn sync_all(path: &Path) -> Result<(), BenchError> {
    let failed = |source| BenchError::io("sync", path, source);
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        File::open(entry.path())
            .and_then(|file| file.sync_all())
            .map_err(failed)?;
    }
    File::open(path)
        .and_then(|folder| folder.sync_all())
        .map_err(failed)
}

/// How many threads can run at once.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// How much the files of a root hold, for nothing but a person's curiosity and the tests.
#[cfg(test)]
fn names(path: &Path) -> usize {
    std::fs::read_dir(path).unwrap().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::file::Mode;

    #[test]
    fn a_seeded_root_is_whole_and_its_groups_end_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root");
        let now = 1_753_000_000_000;
        let mut told = Vec::new();
        let seeded = seed_root(&path, 40, 2, now, &mut |count| {
            told.push(count);
            Ok(())
        })
        .unwrap();
        assert_eq!(told.last(), Some(&40));
        assert_eq!(seeded.limits.max_records, 42);
        assert!(names(&path) >= 42);
        let root = Root::open(&path, root_options()).unwrap();
        let idle = root.cleanup(&FixedClock(now), Mode::Act).unwrap();
        assert_eq!(idle.removed_records, 0);
        assert_eq!(idle.kept.done_permanent, 20);
        for group in 0..GROUPS {
            let clock = FixedClock(seeded.end_of_group(group));
            let done = root.cleanup(&clock, Mode::Act).unwrap();
            assert_eq!(done.removed_records, group_size(40), "group {group}");
        }
        assert_eq!(
            root.cleanup(&FixedClock(now), Mode::Act)
                .unwrap()
                .kept
                .done_bounded,
            0
        );
    }

    #[test]
    fn an_empty_seed_is_a_prepared_root() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root");
        seed_root(&path, 0, 0, 1_753_000_000_000, &mut |_| Ok(())).unwrap();
        let root = Root::open(&path, root_options()).unwrap();
        let done = root
            .cleanup(&FixedClock(1_753_000_000_000), Mode::DryRun)
            .unwrap();
        assert_eq!(done.kept.done_permanent, 0);
    }
}
