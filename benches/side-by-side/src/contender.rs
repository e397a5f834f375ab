//! The three stores, each with the same rows in it.

use std::path::{Path, PathBuf};

use amiss::bench::scene::{self, Lifetime};
use amiss::bench::seed::{root_options, seed_root};
use amiss::clock::{Clock, SystemClock};
use amiss::ledger::file::{FileLedger, Root};

use crate::engine::{Keep, Meta, Store, StoreLedger, done_row};
use crate::redb_store::Redb;
use crate::sqlite::Sqlite;

/// Who is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contender {
    Amiss,
    Sqlite,
    Redb,
}

impl Contender {
    pub const ALL: [Contender; 3] = [Contender::Amiss, Contender::Sqlite, Contender::Redb];

    pub const fn name(self) -> &'static str {
        match self {
            Contender::Amiss => "amiss",
            Contender::Sqlite => "sqlite",
            Contender::Redb => "redb",
        }
    }

    /// All of them, starting with another one every round, so that no one always comes first.
    pub fn rotated(round: u64) -> impl Iterator<Item = Contender> {
        let start = usize::try_from(round % 3).unwrap_or(0);
        Contender::ALL.into_iter().cycle().skip(start).take(3)
    }
}

/// The file ledger as it is measured.
pub type Files = FileLedger<SystemClock>;

/// Where the stores are, and the next delivery that none of them knows.
pub struct Places {
    pub folder: PathBuf,
    pub rows: u64,
    next: u64,
}

impl Places {
    /// Makes and fills all three.
    pub fn seed(folder: &Path, rows: u64, room: u64) -> anyhow::Result<Places> {
        let now = SystemClock.now()?;
        seed_root(&folder.join("amiss"), rows, room, now.get(), &mut |_| Ok(()))?;
        let places = Places {
            folder: folder.to_owned(),
            rows,
            next: rows,
        };
        for name in ["sqlite", "redb"] {
            std::fs::create_dir(folder.join(name))?;
        }
        let mut sqlite = Sqlite::open(&places.path(Contender::Sqlite))?;
        sqlite.prepare(rows + room)?;
        fill(&mut sqlite, rows, room)?;
        let mut redb = Redb::open(&places.path(Contender::Redb))?;
        redb.prepare(rows + room)?;
        fill(&mut redb, rows, room)?;
        Ok(places)
    }

    pub fn path(&self, contender: Contender) -> PathBuf {
        self.folder.join(contender.name())
    }

    /// The first of `count` deliveries that no store knows.
    pub fn take(&mut self, count: u64) -> u64 {
        let from = self.next;
        self.next += count;
        from
    }

    pub fn files(&self) -> anyhow::Result<Files> {
        let root = Root::open(&self.path(Contender::Amiss), root_options())?;
        Ok(FileLedger::new(root, SystemClock))
    }

    pub fn sqlite(&self) -> anyhow::Result<StoreLedger<Sqlite, SystemClock>> {
        Ok(StoreLedger {
            store: Sqlite::open(&self.path(Contender::Sqlite))?,
            clock: SystemClock,
        })
    }

    pub fn redb(&self) -> anyhow::Result<StoreLedger<Redb, SystemClock>> {
        Ok(StoreLedger {
            store: Redb::open(&self.path(Contender::Redb))?,
            clock: SystemClock,
        })
    }
}

fn fill(store: &mut impl Store, rows: u64, room: u64) -> anyhow::Result<()> {
    let now = SystemClock.now()?;
    let check = scene::check()?;
    store.transaction(|tx| {
        for number in 0..rows {
            let delivery = scene::accepted(number, Lifetime::Permanent)?;
            let row = done_row(&delivery, &check, now)?;
            tx.put_row(delivery.key().as_str(), &serde_json::to_vec(&row)?)?;
        }
        tx.put_meta(Meta {
            records: rows,
            max_records: rows + room,
            high_water: 0,
        })?;
        Ok((Keep::Commit, ()))
    })
}
