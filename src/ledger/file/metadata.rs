//! The root frame: the limits of a root and its high-water clock (page 3b.3).

use serde::{Deserialize, Serialize};

use super::frame::{self, Form, FrameError, Framed};
use crate::clock::{MAX_INTEGER, UnixMillis};

/// The largest cap that `init` and `resize` accept (page 3.4).
pub const MAX_RECORDS: u64 = 10_000_000;
/// The longest lease, 24 h in milliseconds (page 3.4).
pub const MAX_LEASE_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// The spelling of the metadata. A new root is written in the old one first, and upgraded once its
/// capacity frame is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Schema {
    /// v0.9.0, or a root whose capacity frame is not yet to be believed.
    #[serde(rename = "amiss/controller-file-root-v1")]
    Legacy,
    /// Prepared.
    #[serde(rename = "amiss/controller-file-root-v2")]
    Current,
}

/// The four limits that a root fixes for every process that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long a lease runs, 1 ms to 24 h.
    pub lease_millis: i64,
    /// How many rows there may be, 1 to 10,000,000.
    pub max_records: u64,
    /// The largest signed age of a request, 1 ms to 30 days.
    pub max_signed_age_millis: i64,
    /// The longest queue time of a request, 1 ms to 30 days.
    pub max_queue_age_millis: i64,
}

impl Limits {
    /// The names of the limits in which two roots differ, with both values.
    #[must_use]
    pub fn differences(&self, other: &Limits) -> Vec<(&'static str, String, String)> {
        let pairs = [
            (
                "lease_millis",
                self.lease_millis.to_string(),
                other.lease_millis.to_string(),
            ),
            (
                "max_records",
                self.max_records.to_string(),
                other.max_records.to_string(),
            ),
            (
                "max_signed_age_millis",
                self.max_signed_age_millis.to_string(),
                other.max_signed_age_millis.to_string(),
            ),
            (
                "max_queue_age_millis",
                self.max_queue_age_millis.to_string(),
                other.max_queue_age_millis.to_string(),
            ),
        ];
        pairs
            .into_iter()
            .filter(|(_, one, two)| one != two)
            .collect()
    }
}

/// The root frame's payload. Member order is the order on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Metadata {
    pub schema: Schema,
    lease_millis: i64,
    max_records: u64,
    max_signed_age_millis: i64,
    max_queue_age_millis: i64,
    #[serde(rename = "clock_high_water_unix_millis")]
    pub high_water: UnixMillis,
}

impl Metadata {
    pub(super) const fn new(schema: Schema, limits: Limits, high_water: UnixMillis) -> Metadata {
        Metadata {
            schema,
            lease_millis: limits.lease_millis,
            max_records: limits.max_records,
            max_signed_age_millis: limits.max_signed_age_millis,
            max_queue_age_millis: limits.max_queue_age_millis,
            high_water,
        }
    }

    pub(super) const fn limits(&self) -> Limits {
        Limits {
            lease_millis: self.lease_millis,
            max_records: self.max_records,
            max_signed_age_millis: self.max_signed_age_millis,
            max_queue_age_millis: self.max_queue_age_millis,
        }
    }
}

impl Framed for Metadata {
    const FORM: Form = frame::ROOT;

    fn check(&self) -> Result<(), FrameError> {
        let times = [
            self.lease_millis,
            self.max_signed_age_millis,
            self.max_queue_age_millis,
        ];
        if times
            .iter()
            .any(|millis| !(1..=MAX_INTEGER).contains(millis))
            || !(1..=MAX_INTEGER.unsigned_abs()).contains(&self.max_records)
        {
            return Err(FrameError::Rule("one of its limits is out of range"));
        }
        Ok(())
    }
}
