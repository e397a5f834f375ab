//! Why nothing was measured.

use std::path::PathBuf;

use super::options::{MAX_ROWS, MAX_SAMPLES};
use crate::code::{Code, Coded};
use crate::json::JsonError;

/// A refused or failed measurement.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The options are not what they must be.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// `rows` is empty or out of range.
    #[error("`rows` must be one or more numbers from 1 to {MAX_ROWS}")]
    Rows,
    /// `rows` for a part that keeps none.
    #[error("`rows` has no meaning for ingress, which keeps nothing")]
    NoRows,
    /// `samples` is out of range.
    #[error("`samples` is {0}; it must be 1 to {MAX_SAMPLES}")]
    Samples(u32),
    /// The folder to measure in is not there.
    #[error("{0} is not an existing folder")]
    Dir(PathBuf),
    /// The disk has too little room for the rows asked for.
    #[error("{dir} has {free} bytes free; {rows} rows need about {needed}")]
    Room {
        /// Where.
        dir: PathBuf,
        /// What is free.
        free: u64,
        /// How many rows.
        rows: u64,
        /// What they need.
        needed: u64,
    },
    /// The answer to compare with cannot be used.
    #[error("cannot compare with {path}: {reason}")]
    Compare {
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The system refused an operation of the measurement itself.
    #[error("cannot {operation} {path}")]
    Io {
        /// What was tried.
        operation: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// Whoever asked for the measurement wants no more of it.
    #[error("the measurement was ended before it was done; nothing of it is left")]
    Interrupted,
    /// An operation that was measured failed.
    #[error("measuring {what}: {message}")]
    Measured {
        /// Which.
        what: String,
        /// Its code.
        code: Code,
        /// Its own words.
        message: String,
    },
    /// An operation that was measured gave another answer than the one it must give.
    #[error("measuring {what}: expected {expected}, got {got}")]
    Answer {
        /// Which.
        what: String,
        /// What it must answer.
        expected: &'static str,
        /// What it answered.
        got: String,
    },
}

impl BenchError {
    pub(super) fn io(
        operation: &'static str,
        path: impl Into<PathBuf>,
        source: std::io::Error,
    ) -> BenchError {
        BenchError::Io {
            operation,
            path: path.into(),
            source,
        }
    }

    pub(super) fn measured<E: Coded>(what: &str) -> impl FnOnce(E) -> BenchError {
        let what = what.to_owned();
        move |error| BenchError::Measured {
            what,
            code: error.code(),
            message: error.to_string(),
        }
    }
}

impl Coded for BenchError {
    fn code(&self) -> Code {
        match self {
            BenchError::Json(error) => error.code(),
            BenchError::Rows | BenchError::NoRows | BenchError::Samples(_) => Code::InputMalformed,
            BenchError::Dir(_) => Code::NotFound,
            BenchError::Compare { .. } => Code::ConfigInvalid,
            BenchError::Room { .. } | BenchError::Io { .. } => Code::Io,
            BenchError::Interrupted => Code::Interrupted,
            BenchError::Measured { code, .. } => *code,
            BenchError::Answer { .. } => Code::Internal,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            BenchError::Room { .. } => Some("ask for fewer rows with --rows".into()),
            BenchError::Dir(_) => Some("make it, or name another with --dir".into()),
            _ => None,
        }
    }
}
