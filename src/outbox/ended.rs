//! A pin that outlives its intent: `gc` removes a delivered intent earlier than its pin, and this
//! small record beside it says that the pin is no orphan and when it goes.

use serde::{Deserialize, Serialize};

use super::error::OutboxError;
use super::intent::Intent;
use super::key::DeliveryKey;
use super::names::{MirrorPath, Project, Task, Turn};
use super::record::{Record, RecordError};
use super::root::{HostRoot, IntentLock};
use crate::clock::UnixMillis;
use crate::delivery::ObjectId;

/// How its file's name ends.
const ENDING: &str = ".ended";

/// A delivery that ended, of which only the pin is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndedPin {
    /// The project.
    pub project_id: Project,
    /// The task.
    pub task_id: Task,
    /// The turn.
    pub turn_id: Turn,
    /// The commit.
    pub oid: ObjectId,
    /// When it was delivered.
    pub ended_at_millis: UnixMillis,
    /// Its mirror, when that is not `mirrors/<project>.git`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirror: Option<MirrorPath>,
}

impl Record for EndedPin {
    const WHAT: &'static str = "record of an ended pin";
}

impl EndedPin {
    /// The record of a delivered intent.
    #[must_use]
    pub fn of(intent: &Intent) -> EndedPin {
        EndedPin {
            project_id: intent.project_id.clone(),
            task_id: intent.task_id.clone(),
            turn_id: intent.turn_id.clone(),
            oid: intent.oid.clone(),
            ended_at_millis: intent.updated_at_millis,
            mirror: intent.mirror.clone(),
        }
    }

    /// Which delivery it was.
    #[must_use]
    pub fn key(&self) -> DeliveryKey {
        DeliveryKey {
            project: self.project_id.clone(),
            task: self.task_id.clone(),
            turn: self.turn_id.clone(),
        }
    }
}

fn name_of(key: &DeliveryKey) -> String {
    format!("{}{ENDING}", key.turn)
}

impl HostRoot {
    pub(super) fn write_ended(
        &self,
        held: &IntentLock,
        ended: &EndedPin,
    ) -> Result<(), OutboxError> {
        let key = ended.key();
        held.check(&key)?;
        match self.find_delivery(&key.project, &key.task)? {
            Some(delivery) => Ok(ended.write(&delivery, &name_of(&key))?),
            None => Ok(()),
        }
    }

    pub(super) fn remove_ended(
        &self,
        held: &IntentLock,
        key: &DeliveryKey,
    ) -> Result<(), OutboxError> {
        held.check(key)?;
        if let Some(delivery) = self.find_delivery(&key.project, &key.task)?
            && delivery.remove(name_of(key))?
        {
            delivery.sync()?;
        }
        Ok(())
    }

    /// Goes through the records of ended pins, of one task or of all.
    pub(super) fn each_ended(
        &self,
        only: Option<&Task>,
        mut visit: impl FnMut(DeliveryKey, Result<EndedPin, RecordError>) -> Result<(), OutboxError>,
    ) -> Result<(), OutboxError> {
        self.each_delivery_dir(only, |project, task, delivery| {
            delivery.each_entry::<OutboxError>(|entry| {
                let turn = entry
                    .name
                    .to_str()
                    .and_then(|name| Turn::new(name.strip_suffix(ENDING)?).ok());
                let Some(turn) = turn else {
                    return Ok(());
                };
                let key = DeliveryKey {
                    project: project.clone(),
                    task: task.clone(),
                    turn,
                };
                match EndedPin::read(delivery, &name_of(&key)) {
                    Ok(None) => Ok(()),
                    Ok(Some(ended)) if ended.key() == key => visit(key, Ok(ended)),
                    Ok(Some(_)) => {
                        let error = RecordError::Malformed {
                            what: EndedPin::WHAT,
                            path: delivery.path_of(name_of(&key)),
                            reason: "it is of another delivery".into(),
                        };
                        visit(key, Err(error))
                    }
                    Err(error) => visit(key, Err(error)),
                }
            })
        })
    }
}
