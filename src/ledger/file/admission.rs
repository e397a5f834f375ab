//! Admission of a new row: the slot and its key first, then the row, then the settled count
//! (page 3b.8). The folder is not listed, one case aside.

use super::capacity::{Capacity, Count};
use super::error::LedgerError;
use super::metadata::Limits;
use super::names::{self, Name};
use super::root::Root;
use super::row::Row;
use crate::delivery::DeliveryKey;

impl Root {
    /// Admits one new row durably: five syncs.
    pub(super) fn admit(
        &self,
        limits: &Limits,
        key: &DeliveryKey,
        row: &Row,
    ) -> Result<(), LedgerError> {
        let _admission = self.admission_lock()?;
        let records = self.settled_records(limits)?;
        let max_records = limits.max_records;
        if records >= max_records {
            return Err(LedgerError::Full {
                root: self.path().to_owned(),
                records,
                max_records,
            });
        }
        let more = records.saturating_add(1);
        let row_name = names::row(key);
        // All bytes are written before any name changes: a full disk is found here.
        let pending = Capacity::new(max_records, Count::Adding(more, key.clone()));
        let settled = Capacity::new(max_records, Count::Settled(more));
        let mut pending = self.write_frame(names::CAPACITY, &pending)?;
        let mut row = self.write_frame(&row_name, row)?;
        let mut settled = self.write_frame(names::CAPACITY, &settled)?;
        pending.sync()?;
        row.sync()?;
        settled.sync()?;
        pending.publish(names::CAPACITY)?;
        self.dir.sync_after(names::CAPACITY)?;
        row.publish(&row_name)?;
        self.dir.sync_after(&row_name)?;
        // The row is durable, so this frame and the one before are both right after a crash: its
        // name needs no sync of its own.
        settled.publish(names::CAPACITY)?;
        Ok(())
    }

    /// The number of rows, whatever an interrupted addition or batch left behind.
    pub(super) fn settled_records(&self, limits: &Limits) -> Result<u64, LedgerError> {
        match self.capacity(limits)?.count() {
            Count::Settled(records) => Ok(records),
            Count::Adding(records, key) => Ok(match self.row(&key)? {
                Some(_) => records,
                None => records.saturating_sub(1),
            }),
            // The one case in which a claim lists the folder.
            Count::AtMost(_) => self.count_rows(),
        }
    }

    /// How many row names the folder has.
    pub(super) fn count_rows(&self) -> Result<u64, LedgerError> {
        let mut records = 0_u64;
        self.dir.each_entry(|entry| {
            if let Name::Row(_) = Name::of(&entry.name) {
                records = records.saturating_add(1);
            }
            Ok::<(), LedgerError>(())
        })?;
        Ok(records)
    }
}
