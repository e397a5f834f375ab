//! redb: one write transaction an operation, `Durability::Immediate`.

use std::path::Path;
use std::time::{Duration, Instant};

use redb::{Database, DatabaseError, ReadableTable, TableDefinition, WriteTransaction};

use crate::engine::{Keep, Meta, Store, Transaction};

const ROWS: TableDefinition<&str, &[u8]> = TableDefinition::new("row");
const REPORTS: TableDefinition<&str, &[u8]> = TableDefinition::new("report");
const META: TableDefinition<&str, u64> = TableDefinition::new("meta");

/// One database, which one process at a time can open.
pub struct Redb(std::sync::Arc<Database>);

impl Redb {
    /// Opens the database, waiting for another process to close it.
    pub fn open(folder: &Path) -> anyhow::Result<Redb> {
        let started = Instant::now();
        loop {
            match Database::create(folder.join("record.redb")) {
                Ok(database) => return Ok(Redb(std::sync::Arc::new(database))),
                Err(DatabaseError::DatabaseAlreadyOpen)
                    if started.elapsed() < Duration::from_secs(60) =>
                {
                    std::thread::sleep(Duration::from_micros(200));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Another handle of the same open database.
    pub fn share(&self) -> Redb {
        Redb(self.0.clone())
    }

    /// Makes the tables and says how many rows fit.
    pub fn prepare(&mut self, max_records: u64) -> anyhow::Result<()> {
        let transaction = self.0.begin_write()?;
        {
            transaction.open_table(ROWS)?;
            transaction.open_table(REPORTS)?;
            let mut meta = transaction.open_table(META)?;
            meta.insert("records", 0)?;
            meta.insert("max_records", max_records)?;
            meta.insert("high_water", 0)?;
        }
        transaction.commit()?;
        Ok(())
    }
}

impl Store for Redb {
    fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Transaction) -> anyhow::Result<(Keep, T)>,
    ) -> anyhow::Result<T> {
        let mut open = Open(self.0.begin_write()?);
        let (keep, value) = work(&mut open)?;
        match keep {
            Keep::Commit => open.0.commit()?,
            Keep::Nothing => open.0.abort()?,
        }
        Ok(value)
    }
}

struct Open(WriteTransaction);

impl Open {
    fn get(
        &self,
        table: TableDefinition<'static, &'static str, &'static [u8]>,
        key: &str,
    ) -> anyhow::Result<Option<Vec<u8>>> {
        let table = self.0.open_table(table)?;
        let value = table.get(key)?.map(|value| value.value().to_vec());
        Ok(value)
    }
}

impl Transaction for Open {
    fn row(&mut self, key: &str) -> anyhow::Result<Option<Vec<u8>>> {
        self.get(ROWS, key)
    }

    fn put_row(&mut self, key: &str, row: &[u8]) -> anyhow::Result<()> {
        self.0.open_table(ROWS)?.insert(key, row)?;
        Ok(())
    }

    fn put_report(&mut self, key: &str, report: &[u8]) -> anyhow::Result<()> {
        self.0.open_table(REPORTS)?.insert(key, report)?;
        Ok(())
    }

    fn report(&mut self, key: &str) -> anyhow::Result<Option<Vec<u8>>> {
        self.get(REPORTS, key)
    }

    fn remove_report(&mut self, key: &str) -> anyhow::Result<()> {
        self.0.open_table(REPORTS)?.remove(key)?;
        Ok(())
    }

    fn meta(&mut self) -> anyhow::Result<Meta> {
        let table = self.0.open_table(META)?;
        let number = |name: &str| -> anyhow::Result<u64> {
            table
                .get(name)?
                .map(|value| value.value())
                .ok_or_else(|| anyhow::anyhow!("no {name}"))
        };
        Ok(Meta {
            records: number("records")?,
            max_records: number("max_records")?,
            high_water: i64::try_from(number("high_water")?)?,
        })
    }

    fn put_meta(&mut self, meta: Meta) -> anyhow::Result<()> {
        let mut table = self.0.open_table(META)?;
        table.insert("records", meta.records)?;
        table.insert("high_water", u64::try_from(meta.high_water)?)?;
        Ok(())
    }
}
