//! What can go wrong with a root, beside the contract's answers.

use std::path::PathBuf;

use crate::clock::{ClockError, UnixMillis};
use crate::code::{Code, Coded};
use crate::delivery::DeliveryKey;
use crate::durable::{DiskError, LockError};
use crate::words::shell;

/// What to do about a root without its frame, which no command can make anew.
pub(super) const RESTORE_FRAME: &str =
    "restore `.amiss-root.state` from a backup: nothing else holds the limits and the clock";

/// A refused or failed operation on a root.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The system, or a file that is not what it must be.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A lock was not taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// No trusted time.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// A time that is too far ahead to be believed.
    #[error(
        "the clock reads {reading} ms, {ahead} ms beyond the root's last known time \
         {high_water}; a wrong clock would end every bounded lifetime for good"
    )]
    ClockLeap {
        /// What the clock says.
        reading: UnixMillis,
        /// What the root says.
        high_water: UnixMillis,
        /// Their distance.
        ahead: i64,
    },
    /// No folder under the root's name.
    #[error("the root {0} is not there")]
    NoRoot(PathBuf),
    /// A root that others could change, or whose locks cannot be trusted.
    #[error("the root cannot be trusted: {0}")]
    Unsafe(String),
    /// Never prepared, or v0.9 metadata.
    #[error("the root {root} is not prepared: {reason}")]
    NotPrepared {
        /// Which.
        root: PathBuf,
        /// What is missing.
        reason: &'static str,
    },
    /// Rows without the root frame.
    #[error("the root {0} has no .amiss-root.state, and rows are there")]
    FrameGone(PathBuf),
    /// A folder without a root frame that holds what no new root does.
    #[error("{path}: {reason}")]
    NotNew {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Limits that are not the root's.
    #[error("{root}: {reason}")]
    Configuration {
        /// Which root.
        root: PathBuf,
        /// Which limit, and both values.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Damage.
    #[error("{path}: {reason}")]
    Corrupt {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No room for a new row.
    #[error("the root {root} holds {records} rows, its cap is {max_records}")]
    Full {
        /// Which root.
        root: PathBuf,
        /// How many rows it holds.
        records: u64,
        /// Its cap.
        max_records: u64,
    },
    /// A delivery whose lifetime is over and of which no row is left.
    #[error("the delivery's replay lifetime ended at {end}")]
    Expired {
        /// Its inclusive end.
        end: UnixMillis,
    },
    /// A report that is not the one named.
    #[error("the report is not the one that is named: {0}")]
    ReportMismatch(String),
    /// A report over 256 MiB.
    #[error("the report is over its ceiling of 268435456 bytes")]
    ReportTooLarge,
    /// A report that could not be read.
    #[error("cannot read the report")]
    ReportUnreadable(#[source] std::io::Error),
    /// A counter at its end.
    #[error("the row of {0} has used up its counters")]
    Exhausted(DeliveryKey),
    /// No row.
    #[error("the root holds no row {0}")]
    NoRow(DeliveryKey),
    /// No file of that name.
    #[error("{0} is not there")]
    NoFile(PathBuf),
    /// A path where the name of an entry belongs.
    #[error("`{0}` is not a name in the root")]
    NoName(String),
    /// No folder of that name.
    #[error("the folder {0} is not there")]
    NoFolder(PathBuf),
    /// A folder in the root where one outside belongs.
    #[error("{0} is the root, or inside it")]
    InRoot(PathBuf),
    /// A folder that nothing can be moved into.
    #[error("cannot move anything into {path}: {reason}")]
    Target {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Something that may not be done by hand now.
    #[error("{reason}")]
    Refused {
        /// Why.
        reason: String,
        /// When it may be, where that is known.
        retry_at: Option<UnixMillis>,
    },
    /// The system gave no random bytes.
    #[error("the system gave no random bytes: {0}")]
    Random(String),
    /// A value of ours that does not fit its frame.
    #[error("cannot form {path}: {reason}")]
    Form {
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl Coded for LedgerError {
    fn code(&self) -> Code {
        match self {
            LedgerError::Disk(error) => error.code(),
            LedgerError::Lock(error) => error.code(),
            LedgerError::Clock(_) | LedgerError::ClockLeap { .. } => Code::Clock,
            LedgerError::NoRoot(_)
            | LedgerError::NoRow(_)
            | LedgerError::NoFile(_)
            | LedgerError::NoFolder(_) => Code::NotFound,
            LedgerError::Unsafe(_) | LedgerError::InRoot(_) => Code::RootUnsafe,
            LedgerError::NotPrepared { .. } | LedgerError::FrameGone(_) => Code::RootNotPrepared,
            LedgerError::Configuration { .. } => Code::RootConfiguration,
            LedgerError::Corrupt { .. }
            | LedgerError::NotNew { .. }
            | LedgerError::Exhausted(_) => Code::RootCorrupt,
            LedgerError::Full { .. } => Code::Full,
            LedgerError::Expired { .. } => Code::Expired,
            LedgerError::ReportMismatch(_) => Code::ReportMismatch,
            LedgerError::ReportTooLarge => Code::ReportTooLarge,
            LedgerError::ReportUnreadable(_) | LedgerError::Random(_) => Code::Io,
            LedgerError::Refused { retry_at, .. } if retry_at.is_some() => Code::Busy,
            // Time does not cure it: the same words will be refused again.
            LedgerError::Refused { .. } | LedgerError::NoName(_) | LedgerError::Target { .. } => {
                Code::InputMalformed
            }
            LedgerError::Form { .. } => Code::Internal,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            LedgerError::Disk(error) if error.is_full() => Some(
                "make room and repeat the command; `amiss ledger cleanup` works on a full disk"
                    .into(),
            ),
            LedgerError::Disk(error) => error.hint(),
            LedgerError::Lock(error) => error.hint(),
            LedgerError::Clock(error) => error.hint(),
            LedgerError::ClockLeap { .. } => Some(
                "mend the clock, or take it on purpose with `amiss ledger init --accept-clock`"
                    .into(),
            ),
            LedgerError::NoRoot(folder) | LedgerError::NoFolder(folder) => {
                Some(format!("mkdir -m 700 {}", shell(folder)))
            }
            LedgerError::NotPrepared { root, .. } => Some(format!(
                "run `amiss ledger init --root {}` with its limits",
                shell(root)
            )),
            LedgerError::FrameGone(_) => Some(RESTORE_FRAME.into()),
            LedgerError::NotNew { .. } => Some(format!(
                "a new root is an empty folder; if this one was a root, {RESTORE_FRAME}"
            )),
            LedgerError::Configuration { remedy, .. } => Some((*remedy).into()),
            LedgerError::Corrupt { .. } => Some("`amiss ledger check` lists every defect".into()),
            LedgerError::NoRow(_) => {
                Some("`amiss ledger list` names the rows that are there".into())
            }
            LedgerError::NoName(_) => {
                Some("give the name alone, as `amiss ledger check` prints it".into())
            }
            LedgerError::NoFile(_) => Some("`amiss ledger check` names what is there".into()),
            LedgerError::InRoot(_) | LedgerError::Target { .. } => Some(
                "name an existing folder of your own outside the root, on the same filesystem, \
                 which has no entry of that name"
                    .into(),
            ),
            LedgerError::Unsafe(_) => Some(
                "a root is a real local directory of your own that nobody else can write: \
                 mkdir -m 700 DIR"
                    .into(),
            ),
            LedgerError::Exhausted(_) => {
                Some("have the change deliver a new event; this row can be written no more".into())
            }
            LedgerError::ReportMismatch(_) => {
                Some("name the file that the run wrote, or run it again under a live lease".into())
            }
            LedgerError::Full { .. } => Some(
                "run `amiss ledger cleanup`, or raise the cap with `amiss ledger resize`".into(),
            ),
            _ => None,
        }
    }

    fn retry_at_unix_millis(&self) -> Option<i64> {
        match self {
            LedgerError::Refused { retry_at, .. } => retry_at.map(UnixMillis::get),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_points_to_cleanup() {
        let error = LedgerError::Disk(DiskError::Io {
            operation: "write",
            path: "root/file".into(),
            source: std::io::ErrorKind::StorageFull.into(),
        });
        assert_eq!(error.code(), Code::Io);
        assert!(error.hint().is_some_and(|hint| hint.contains("cleanup")));
    }
}
