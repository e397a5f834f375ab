//! What a claim of a new identity needs to know of the rows that are there (page 3b.4).

use super::capacity::Count;
use super::error::LedgerError;
use super::metadata::Limits;
use super::names::Name;
use super::root::Root;

impl Root {
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

    /// Whether a new row is worth preparing, by a count that somebody may be changing.
    pub(super) fn may_have_room(&self, limits: &Limits) -> bool {
        self.capacity(limits).is_ok_and(|capacity| {
            let (Count::Settled(records) | Count::Adding(records, _) | Count::AtMost(records)) =
                capacity.count();
            records < limits.max_records
        })
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
