//! Why a program did not run, or could not be proved ended.

use std::io;

use crate::code::{Code, Coded};

/// A run that has no end to report.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The program was not started.
    #[error("cannot start {program}")]
    Spawn {
        /// Which.
        program: String,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// It ran, and something of its tree may still run.
    #[error("{program} ended, but its process tree could not be proved empty: {reason}")]
    Undrained {
        /// Which.
        program: String,
        /// What is known.
        reason: String,
    },
    /// The system refused something that supervision needs.
    #[error("cannot {operation}")]
    Io {
        /// What was tried, as a verb.
        operation: &'static str,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
}

impl ProcessError {
    pub(crate) fn io(operation: &'static str, source: impl Into<io::Error>) -> ProcessError {
        ProcessError::Io {
            operation,
            source: source.into(),
        }
    }

    /// Whether the program is simply not there.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, ProcessError::Spawn { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

impl Coded for ProcessError {
    fn code(&self) -> Code {
        Code::Io
    }
    fn hint(&self) -> Option<String> {
        self.is_missing()
            .then(|| "install it, or put it on PATH".to_owned())
    }
}
