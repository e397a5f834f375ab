//! A delivery as others see it: the DTO of the source page, typed and stable.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::intent::{Intent, LastError, State};
use super::names::Turn;
use super::origin::Origin;
use crate::clock::UnixMillis;
use crate::delivery::ObjectId;

/// `origin_delivery` in an envelope, and each of `deliveries`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OriginDelivery {
    /// The turn.
    pub turn_id: Turn,
    /// How far it has come.
    pub state: State,
    /// The commit.
    pub oid: ObjectId,
    /// Where it is pushed to.
    pub origin: Origin,
    /// The full name of the branch there.
    pub target: String,
    /// The number of the push that comes next; 0 after a retry.
    pub attempt: u32,
    /// Not before this is it pushed again.
    pub next_attempt_at_millis: UnixMillis,
    /// Why the last push failed.
    pub last_error: Option<LastError>,
    /// The commit at the origin that contains this one.
    pub superseded_by: Option<ObjectId>,
    /// When it was enqueued.
    pub created_at_millis: UnixMillis,
    /// When it last changed.
    pub updated_at_millis: UnixMillis,
}

impl From<&Intent> for OriginDelivery {
    fn from(intent: &Intent) -> OriginDelivery {
        OriginDelivery {
            turn_id: intent.turn_id.clone(),
            state: intent.state,
            oid: intent.oid.clone(),
            origin: intent.origin.clone(),
            target: intent.branch.full(),
            attempt: intent.attempt,
            next_attempt_at_millis: intent.next_attempt_at_millis,
            last_error: intent.last_error.clone(),
            superseded_by: intent.superseded_by.clone(),
            created_at_millis: intent.created_at_millis,
            updated_at_millis: intent.updated_at_millis,
        }
    }
}
