//! Why the outbox refused or could not.

use std::path::PathBuf;

use super::key::DeliveryKey;
use super::names::{Project, Task, Turn};
use super::origin::OriginError;
use super::record::RecordError;
use crate::clock::ClockError;
use crate::code::{Code, Coded};
use crate::delivery::{ObjectFormat, ObjectId};
use crate::durable::{DiskError, LockError};
use crate::git::GitError;
use crate::words::shell;

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
    /// Something else where a folder belongs.
    #[error("{0} is not a folder")]
    NotFolder(PathBuf),
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
    /// The origin's address.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// Git.
    #[error(transparent)]
    Git(#[from] GitError),
    /// Git answered something else than it says it does.
    #[error("git {what} in {path} printed what cannot be understood")]
    Unexpected {
        /// The mirror.
        path: PathBuf,
        /// The command.
        what: &'static str,
    },
    /// There is no mirror.
    #[error("{path} is not a bare Git repository")]
    NoMirror {
        /// Where one was looked for.
        path: PathBuf,
    },
    /// The mirror's objects are not all its own.
    #[error(
        "{path} borrows objects from another repository (objects/info/alternates), so what it has is not durable"
    )]
    Borrowed {
        /// The mirror.
        path: PathBuf,
    },
    /// The mirror's ids have another length.
    #[error("oid {oid} is not of the object format of {mirror}, {}", format.name())]
    OtherFormat {
        /// The id.
        oid: ObjectId,
        /// The mirror.
        mirror: PathBuf,
        /// Its format.
        format: ObjectFormat,
    },
    /// The mirror has no such commit.
    #[error("{mirror} has no commit {oid}: {reason}")]
    NoCommit {
        /// The id.
        oid: ObjectId,
        /// The mirror.
        mirror: PathBuf,
        /// What it has instead.
        reason: String,
    },
    /// The turn's pin names another commit.
    #[error("the pin of delivery {key} names {pinned}, not {asked}")]
    PinConflict {
        /// Which delivery.
        key: Box<DeliveryKey>,
        /// What is pinned.
        pinned: ObjectId,
        /// What was asked for.
        asked: ObjectId,
    },
    /// The turn's intent says something else.
    #[error("delivery {key} was enqueued before with another {differences}")]
    OtherDelivery {
        /// Which delivery.
        key: Box<DeliveryKey>,
        /// The members that differ.
        differences: String,
    },
    /// The origin has it already.
    #[error("delivery {key} already reached its origin")]
    AlreadyDelivered {
        /// Which delivery.
        key: Box<DeliveryKey>,
    },
    /// A discard would lose something.
    #[error("task {task} cannot be discarded (DELIVERY_PENDING): {why}")]
    TaskBusy {
        /// The task.
        task: Task,
        /// What would be lost.
        why: String,
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
            OutboxError::Record(error) => error.code(),
            OutboxError::Lock(error) => error.code(),
            OutboxError::Clock(error) => error.code(),
            OutboxError::Unreadable { .. } => Code::DeliveryUnreadable,
            OutboxError::NoDelivery { .. } => Code::DeliveryNotFound,
            OutboxError::OtherProject { .. } => Code::DeliveryRefConflict,
            OutboxError::PinConflict { .. } | OutboxError::OtherDelivery { .. } => {
                Code::DeliveryRefConflict
            }
            OutboxError::Origin(error) => error.code(),
            OutboxError::Git(error) => error.code(),
            OutboxError::OtherFormat { .. } | OutboxError::NotFolder(_) => Code::InputMalformed,
            OutboxError::RootMissing(_)
            | OutboxError::NoMirror { .. }
            | OutboxError::Borrowed { .. }
            | OutboxError::NoCommit { .. } => Code::NotFound,
            OutboxError::AlreadyDelivered { .. } => Code::DeliveryAlreadyDelivered,
            OutboxError::TaskBusy { .. } => Code::TaskBusy,
            OutboxError::Unexpected { .. } => Code::Io,
            OutboxError::WrongLock { .. } => Code::Internal,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            OutboxError::RootMissing(_) => {
                Some("make it with `mkdir -m 700`, and a folder `mirrors` in it".into())
            }
            OutboxError::NotFolder(_) => Some("name an existing folder of your own".into()),
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
            OutboxError::PinConflict { .. } | OutboxError::OtherDelivery { .. } => {
                Some("a turn is pushed once; use a new turn".into())
            }
            OutboxError::Origin(error) => error.hint(),
            OutboxError::Git(error) => error.hint(),
            OutboxError::NoMirror { path } => Some(format!(
                "make one with `git clone --mirror … {}`",
                path.display()
            )),
            OutboxError::Borrowed { path } => Some(format!(
                "`git -C {0} repack -a -d`, then remove {0}/objects/info/alternates",
                path.display()
            )),
            OutboxError::NoCommit { mirror, .. } => Some(format!(
                "fetch it into the mirror first: `git -C {} fetch … <commit>`",
                mirror.display()
            )),
            OutboxError::TaskBusy { .. } => {
                Some("wait for it or mend it: `amiss outbox status`, `amiss outbox doctor`".into())
            }
            OutboxError::RootNotAbsolute(path) => Some(match std::path::absolute(path) {
                Ok(whole) => format!("name it from /: --host-root {}", shell(&whole)),
                Err(_) => "name it from /".into(),
            }),
            OutboxError::AlreadyDelivered { .. }
            | OutboxError::OtherFormat { .. }
            | OutboxError::Unexpected { .. }
            | OutboxError::WrongLock { .. } => None,
        }
    }
}
