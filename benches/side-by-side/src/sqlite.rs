//! SQLite: WAL, `synchronous=FULL`, one transaction an operation.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::engine::{Keep, Meta, Store, Transaction};

/// One connection.
pub struct Sqlite(Connection);

impl Sqlite {
    /// Opens the database and, where it is new, makes its tables.
    pub fn open(folder: &Path) -> anyhow::Result<Sqlite> {
        let connection = Connection::open(folder.join("record.sqlite"))?;
        connection.busy_timeout(Duration::from_secs(60))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        Ok(Sqlite(connection))
    }

    /// Makes the tables and says how many rows fit.
    pub fn prepare(&mut self, max_records: u64) -> anyhow::Result<()> {
        self.0.execute_batch(
            "CREATE TABLE row (key TEXT PRIMARY KEY, row BLOB NOT NULL) WITHOUT ROWID;
             CREATE TABLE report (key TEXT PRIMARY KEY, bytes BLOB NOT NULL);
             CREATE TABLE meta (id INTEGER PRIMARY KEY CHECK (id = 1), records INTEGER NOT NULL,
                                max_records INTEGER NOT NULL, high_water INTEGER NOT NULL);",
        )?;
        self.0.execute(
            "INSERT INTO meta VALUES (1, 0, ?1, 0)",
            params![i64::try_from(max_records)?],
        )?;
        Ok(())
    }
}

impl Store for Sqlite {
    fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Transaction) -> anyhow::Result<(Keep, T)>,
    ) -> anyhow::Result<T> {
        let transaction = self
            .0
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let (keep, value) = work(&mut Open(&transaction))?;
        match keep {
            Keep::Commit => transaction.commit()?,
            Keep::Nothing => transaction.rollback()?,
        }
        Ok(value)
    }
}

struct Open<'a>(&'a rusqlite::Transaction<'a>);

impl Open<'_> {
    fn blob(&self, sql: &str, key: &str) -> anyhow::Result<Option<Vec<u8>>> {
        Ok(self
            .0
            .prepare_cached(sql)?
            .query_row(params![key], |row| row.get(0))
            .optional()?)
    }
}

impl Transaction for Open<'_> {
    fn row(&mut self, key: &str) -> anyhow::Result<Option<Vec<u8>>> {
        self.blob("SELECT row FROM row WHERE key = ?1", key)
    }

    fn put_row(&mut self, key: &str, row: &[u8]) -> anyhow::Result<()> {
        self.0
            .prepare_cached("INSERT OR REPLACE INTO row VALUES (?1, ?2)")?
            .execute(params![key, row])?;
        Ok(())
    }

    fn put_report(&mut self, key: &str, report: &[u8]) -> anyhow::Result<()> {
        self.0
            .prepare_cached("INSERT OR REPLACE INTO report VALUES (?1, ?2)")?
            .execute(params![key, report])?;
        Ok(())
    }

    fn report(&mut self, key: &str) -> anyhow::Result<Option<Vec<u8>>> {
        self.blob("SELECT bytes FROM report WHERE key = ?1", key)
    }

    fn remove_report(&mut self, key: &str) -> anyhow::Result<()> {
        self.0
            .prepare_cached("DELETE FROM report WHERE key = ?1")?
            .execute(params![key])?;
        Ok(())
    }

    fn meta(&mut self) -> anyhow::Result<Meta> {
        let (records, max_records, high_water): (i64, i64, i64) = self
            .0
            .prepare_cached("SELECT records, max_records, high_water FROM meta WHERE id = 1")?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(Meta {
            records: u64::try_from(records)?,
            max_records: u64::try_from(max_records)?,
            high_water,
        })
    }

    fn put_meta(&mut self, meta: Meta) -> anyhow::Result<()> {
        self.0
            .prepare_cached("UPDATE meta SET records = ?1, high_water = ?2 WHERE id = 1")?
            .execute(params![i64::try_from(meta.records)?, meta.high_water])?;
        Ok(())
    }
}
