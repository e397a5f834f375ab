//! The capacity frame: a count that never understates the rows (page 3b.4).

use serde::{Deserialize, Serialize};

use super::frame::{self, Form, FrameError, Framed};
use crate::delivery::DeliveryKey;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
enum Schema {
    #[serde(rename = "amiss/controller-file-capacity-v1")]
    Current,
}

/// The capacity frame's payload. Member order is the order on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Capacity {
    schema: Schema,
    pub max_records: u64,
    records: u64,
    #[serde(deserialize_with = "Option::deserialize")]
    pending_key: Option<DeliveryKey>,
    cleanup_pending: bool,
}

/// What a capacity frame says about the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// Exactly this many.
    Settled(u64),
    /// This many, or one fewer if the named row is not there.
    Adding(u64, DeliveryKey),
    /// At most this many: a batch was interrupted, or is under way.
    AtMost(u64),
}

impl Capacity {
    pub(super) fn new(max_records: u64, count: Count) -> Capacity {
        let (records, pending_key, cleanup_pending) = match count {
            // The format knows no marker over nothing.
            Count::Settled(records) | Count::AtMost(records @ 0) => (records, None, false),
            Count::Adding(records, key) => (records, Some(key), false),
            Count::AtMost(records) => (records, None, true),
        };
        Capacity {
            schema: Schema::Current,
            max_records,
            records,
            pending_key,
            cleanup_pending,
        }
    }

    pub(super) fn count(&self) -> Count {
        match &self.pending_key {
            Some(key) => Count::Adding(self.records, key.clone()),
            None if self.cleanup_pending => Count::AtMost(self.records),
            None => Count::Settled(self.records),
        }
    }
}

impl Framed for Capacity {
    const FORM: Form = frame::CAPACITY;

    fn check(&self) -> Result<(), FrameError> {
        if self.max_records == 0 || self.records > self.max_records {
            return Err(FrameError::Rule("it counts more rows than its cap"));
        }
        if self.pending_key.is_some() && self.cleanup_pending {
            return Err(FrameError::Rule(
                "it has a pending key and a cleanup marker at once",
            ));
        }
        if self.records == 0 && (self.pending_key.is_some() || self.cleanup_pending) {
            return Err(FrameError::Rule("it has a marker over no rows"));
        }
        Ok(())
    }
}
