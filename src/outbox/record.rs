//! Small JSON records: read strictly, written atomically (page 5.3, 5.4).

use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::code::{Code, Coded};
use crate::durable::{Dir, DiskError};
use crate::json;

/// The ceiling of a record, in bytes.
pub const MAX_RECORD_BYTES: u64 = 1024 * 1024;

/// A record of the host root.
pub trait Record: Serialize + DeserializeOwned {
    /// What it is, for messages.
    const WHAT: &'static str;

    /// Reads it; `None` when there is no such file. Nobody else may be able to write it, and the
    /// bytes must be those that writing it again would give.
    ///
    /// # Errors
    /// [`RecordError`].
    fn read(dir: &Dir, name: &str) -> Result<Option<Self>, RecordError> {
        let Some(bytes) = dir.read_private(name, MAX_RECORD_BYTES)? else {
            return Ok(None);
        };
        Self::decode(&bytes)
            .map(Some)
            .map_err(|reason| RecordError::Malformed {
                what: Self::WHAT,
                path: dir.path_of(name),
                reason,
            })
    }

    /// The record that the bytes are.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    fn decode(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?;
        let record: Self = json::parse(text, Self::WHAT).map_err(|error| error.to_string())?;
        if record.encode()? == bytes {
            Ok(record)
        } else {
            Err("not in the one form that is written (compact JSON, members in order)".into())
        }
    }

    /// The bytes of the record.
    ///
    /// # Errors
    /// None that a type of this module can give.
    fn encode(&self) -> Result<Vec<u8>, String> {
        serde_json::to_vec(self).map_err(|error| error.to_string())
    }

    /// Writes it durably: synced, renamed, and its directory synced.
    ///
    /// # Errors
    /// The system's.
    fn write(&self, dir: &Dir, name: &str) -> Result<(), RecordError> {
        let bytes = self.encode().map_err(|reason| RecordError::Malformed {
            what: Self::WHAT,
            path: dir.path_of(name),
            reason,
        })?;
        Ok(dir.replace(name, &bytes)?)
    }
}

/// Why a record could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The disk's reason.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// It is no such record.
    #[error("{path} is not a readable {what}: {reason}")]
    Malformed {
        /// The kind of record.
        what: &'static str,
        /// Its file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl Coded for RecordError {
    fn code(&self) -> Code {
        match self {
            RecordError::Disk(error) => error.code(),
            RecordError::Malformed { .. } => Code::RootCorrupt,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            RecordError::Disk(error) => error.hint(),
            RecordError::Malformed { .. } => {
                Some("`amiss outbox doctor` says what to do with it".into())
            }
        }
    }
}
