//! `push` in an envelope: what `enqueue` is asked for (page 5.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::OutboxError;
use super::intent::{Intent, State};
use super::key::DeliveryKey;
use super::names::{Branch, MirrorPath, Project, Task, Turn};
use super::origin::Origin;
use crate::clock::UnixMillis;
use crate::delivery::ObjectId;

/// The member as it is written. The origin is text here, so that a refusal of it can say what to
/// do instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PushMember {
    /// The project, which names the mirror.
    pub project: Project,
    /// The task.
    pub task: Task,
    /// The turn.
    pub turn: Turn,
    /// An https, http, ssh, scp-like or file address without a password.
    pub origin: String,
    /// The branch at the origin, by its short name.
    pub branch: Branch,
    /// The commit.
    pub oid: ObjectId,
    /// The mirror, when it is not `mirrors/<project>.git`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirror: Option<MirrorPath>,
}

/// A checked request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushRequest {
    /// Which delivery.
    pub key: DeliveryKey,
    /// Where it goes.
    pub origin: Origin,
    /// The branch there.
    pub branch: Branch,
    /// The commit.
    pub oid: ObjectId,
    /// The mirror, when it is not `mirrors/<project>.git`.
    pub mirror: Option<MirrorPath>,
}

impl TryFrom<PushMember> for PushRequest {
    type Error = OutboxError;
    fn try_from(member: PushMember) -> Result<PushRequest, OutboxError> {
        Ok(PushRequest {
            key: DeliveryKey {
                project: member.project,
                task: member.task,
                turn: member.turn,
            },
            origin: Origin::new(member.origin)?,
            branch: member.branch,
            oid: member.oid,
            mirror: member.mirror,
        })
    }
}

impl PushRequest {
    /// The intent of a new delivery.
    #[must_use]
    pub fn intent(&self, now: UnixMillis) -> Intent {
        Intent {
            project_id: self.key.project.clone(),
            task_id: self.key.task.clone(),
            turn_id: self.key.turn.clone(),
            origin: self.origin.clone(),
            branch: self.branch.clone(),
            oid: self.oid.clone(),
            state: State::Pending,
            attempt: 1,
            next_attempt_at_millis: UnixMillis::ZERO,
            last_error: None,
            superseded_by: None,
            created_at_millis: now,
            updated_at_millis: now,
            retry_requested_at_millis: None,
            mirror: self.mirror.clone(),
        }
    }

    /// What of a present intent is not what is asked for; empty when it is the same delivery.
    #[must_use]
    pub fn differences(&self, present: &Intent) -> Vec<&'static str> {
        let checks = [
            ("oid", self.oid == present.oid),
            ("origin", self.origin == present.origin),
            ("branch", self.branch == present.branch),
            ("mirror", self.mirror == present.mirror),
        ];
        checks
            .into_iter()
            .filter_map(|(name, same)| (!same).then_some(name))
            .collect()
    }
}
