//! Why the outbox refused or could not.

use std::path::PathBuf;

use super::key::DeliveryKey;
use super::names::{Project, Task, Turn};
use super::record::RecordError;
use crate::clock::ClockError;
use crate::code::{Code, Coded};
use crate::durable::{DiskError, LockError};

/// A refused or failed operation of the outbox.
#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// The host root is named by a relative path.
    #[error("the host root {0} is not an absolute path")]
    RootNotAbsolute(PathBuf),
    /// There is no host root.
    #[error("the host root is not there")]
    RootMissing(#[source] DiskError),
    /// The host root cannot be trusted.
    #[error("the host root cannot be trusted")]
    RootUnsafe(#[source] DiskError),
    /// A record, or the disk under it.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A lock.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The clock.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// The intent of this delivery cannot be read.
    #[error("the intent of delivery {key} cannot be read; it is kept")]
    Unreadable {
        /// Which delivery.
        key: Box<DeliveryKey>,
        /// Why.
        #[source]
        source: Box<RecordError>,
    },
    /// No such delivery.
    #[error("the outbox holds no delivery of task {task}{}", turn.as_ref().map(|turn| format!(", turn {turn}")).unwrap_or_default())]
    NoDelivery {
        /// The task.
        task: Task,
        /// The turn, if one was asked for.
        turn: Option<Turn>,
    },
    /// The same task and turn are in work for another project.
    #[error("task {} with turn {} is in work for project {other} already", key.task, key.turn)]
    OtherProject {
        /// The delivery that was refused.
        key: Box<DeliveryKey>,
        /// Whose entry stands.
        other: Project,
    },
    /// A lock of another delivery was shown: a bug.
    #[error("delivery {key} was to be changed under another delivery's lock")]
    WrongLock {
        /// Which delivery.
        key: Box<DeliveryKey>,
    },
}

impl Coded for OutboxError {
    fn code(&self) -> Code {
        match self {
            OutboxError::RootNotAbsolute(_) | OutboxError::RootUnsafe(_) => Code::RootUnsafe,
            OutboxError::RootMissing(_) => Code::NotFound,
            OutboxError::Record(error) => error.code(),
            OutboxError::Lock(error) => error.code(),
            OutboxError::Clock(error) => error.code(),
            OutboxError::Unreadable { .. } => Code::DeliveryUnreadable,
            OutboxError::NoDelivery { .. } => Code::DeliveryNotFound,
            OutboxError::OtherProject { .. } => Code::DeliveryRefConflict,
            OutboxError::WrongLock { .. } => Code::Internal,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            OutboxError::RootMissing(_) => Some("make it with `mkdir -m 700`".into()),
            OutboxError::RootUnsafe(error) => error.hint(),
            OutboxError::Record(error) => error.hint(),
            OutboxError::Lock(error) => error.hint(),
            OutboxError::Clock(error) => error.hint(),
            OutboxError::Unreadable { .. } => {
                Some("`amiss outbox doctor` says what is wrong with it".into())
            }
            OutboxError::NoDelivery { .. } => {
                Some("`amiss outbox status` lists what is there".into())
            }
            OutboxError::OtherProject { .. } => Some("use another turn".into()),
            OutboxError::RootNotAbsolute(_) | OutboxError::WrongLock { .. } => None,
        }
    }
}
