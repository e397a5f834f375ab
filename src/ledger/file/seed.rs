//! Rows for a root that is measured and thrown away: the real frames, without the syncs that a real
//! row costs. Nothing here touches the disk.

use super::capacity::{Capacity, Count};
use super::error::LedgerError;
use super::frame::{self, Framed};
use super::metadata::Limits;
use super::names;
use super::row::{Row, State};
use super::{claim::fresh_evaluation_id, random};
use crate::clock::UnixMillis;
use crate::delivery::{AcceptedDelivery, CheckBinding, Digest, OwnerId};

/// A file of a root: its name and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedFile {
    /// Its name in the root.
    pub name: String,
    /// Its frame.
    pub bytes: Vec<u8>,
}

fn file<T: Framed>(name: String, value: &T) -> Result<SeedFile, LedgerError> {
    match frame::encode(value) {
        Ok(bytes) => Ok(SeedFile { name, bytes }),
        Err(error) => Err(LedgerError::Form {
            path: name.into(),
            reason: error.to_string(),
        }),
    }
}

/// The row of a delivery that was completed at `now`.
///
/// # Errors
/// `CLOCK`, or no random bytes.
pub fn done_row(
    delivery: &AcceptedDelivery,
    check: &CheckBinding,
    now: UnixMillis,
) -> Result<SeedFile, LedgerError> {
    let key = delivery.key();
    let evaluation_id = fresh_evaluation_id(key)?;
    let owner = OwnerId::from_bytes(random()?);
    let mut row = Row::new(delivery, check, evaluation_id, owner, now, now.plus(1)?);
    row.state = State::Done {
        fence: row.state.fence(),
        staged_digest: Digest::of("amiss/bench-done", key.as_str().as_bytes()),
    };
    file(names::row(key), &row)
}

/// The capacity frame of a root that holds `records` rows.
///
/// # Errors
/// More rows than the cap.
pub fn count(limits: &Limits, records: u64) -> Result<SeedFile, LedgerError> {
    let capacity = Capacity::new(limits.max_records, Count::Settled(records));
    file(names::CAPACITY.to_owned(), &capacity)
}
