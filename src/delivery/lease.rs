//! Temporary permission to run (page 3.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::CheckBinding;
use super::digest::{hex, unhex};
use super::text::{EvaluationId, TextError};
use crate::clock::{MAX_INTEGER, UnixMillis};

/// The fence or generation of a row, 1 to 2^53 − 1. Fences only grow.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "u64", into = "u64")]
#[schemars(with = "u64", extend("minimum" = 1, "maximum" = 9_007_199_254_740_991_u64))]
pub struct Counter(u64);

impl Counter {
    /// 1.
    pub const FIRST: Counter = Counter(1);

    /// The plain number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// One more, or `None` at the ceiling.
    #[must_use]
    pub fn next(self) -> Option<Counter> {
        self.0
            .checked_add(1)
            .and_then(|number| Counter::try_from(number).ok())
    }
}

impl TryFrom<u64> for Counter {
    type Error = TextError;
    fn try_from(number: u64) -> Result<Self, TextError> {
        if number >= 1 && number <= MAX_INTEGER.unsigned_abs() {
            Ok(Counter(number))
        } else {
            Err(TextError::new(
                "counter",
                &number.to_string(),
                "from 1 to 9007199254740991",
            ))
        }
    }
}

impl From<Counter> for u64 {
    fn from(counter: Counter) -> u64 {
        counter.0
    }
}

impl std::fmt::Display for Counter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

/// 16 random bytes that tell one owner from every other. In an envelope: 32 lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9a-f]{32}$"))]
pub struct OwnerId([u8; 16]);

impl OwnerId {
    /// From its bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> OwnerId {
        OwnerId(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl TryFrom<String> for OwnerId {
    type Error = TextError;
    fn try_from(text: String) -> Result<Self, TextError> {
        unhex(&text)
            .and_then(|bytes| <[u8; 16]>::try_from(bytes).ok())
            .map(OwnerId)
            .ok_or_else(|| TextError::new("owner", &text, "32 lower-case hex digits"))
    }
}

impl From<OwnerId> for String {
    fn from(owner: OwnerId) -> String {
        hex(&owner.0)
    }
}

/// A lease. Only an exact match of evaluation id, fence and owner is ownership; the deadline is a
/// scheduling hint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// The evaluation that it belongs to.
    pub evaluation_id: EvaluationId,
    /// The check that the row was claimed for.
    pub check: CheckBinding,
    /// The row's fence.
    pub fence: Counter,
    /// Who holds it.
    pub owner: OwnerId,
    /// When it ends, exclusive: at this time it has ended.
    pub expires_at_unix_millis: UnixMillis,
}
