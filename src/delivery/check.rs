//! Which check a row belongs to: the part of the plan that `claim` binds (page 3.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::text::StatusName;

/// The plan's digest, the status that the gate requires, and the execution's digest.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckBinding {
    /// H(`amiss/plan/v1`, canonical plan).
    pub plan_digest: Digest,
    /// The plan's status name.
    pub required_status_name: StatusName,
    /// H(`amiss/plan-execution/v1`, canonical `execution`).
    pub execution_constraint_digest: Digest,
}
