//! The pump: takes what is due for one origin, asks the ledger, pushes, asks the origin, and writes
//! down what became of it (page 5.2, points 2 to 7).
//!
//! No lock but the pump's is held while Git talks to an origin. One job is everything that is due
//! for one origin; jobs of different origins run side by side.

mod job;
mod judge;
mod settle;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::access_file::AccessFile;
use super::error::OutboxError;
use super::intent::Intent;
use super::key::DeliveryKey;
use super::origin::Origin;
use super::origin_delivery::OriginDelivery;
use super::root::{HostRoot, PumpLock};
use crate::clock::Clock;
use crate::code::{Code, Coded};
use crate::git::{Access, UserConfig, UserConfigError};
use crate::process::Cancel;

/// A clock that the threads of a pump share.
pub type SharedClock = Arc<dyn Clock + Send + Sync>;

/// How a pump is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// At most this many origins are pushed to at a time, at least 1.
    pub jobs: usize,
    /// When a push and its whole process tree are killed.
    pub push_timeout: Duration,
    /// The `amiss` binary, which serves as the warden of each push: what this process started ends
    /// with it, also when it is killed.
    pub warden: PathBuf,
    /// When it says so, nothing new is begun; what is in flight gets some seconds.
    pub stop: Cancel,
}

/// All that a job needs. One for a whole pump.
pub struct Pump {
    pub(super) root: HostRoot,
    pub(super) clock: SharedClock,
    access: Access,
    config: UserConfig,
    pub(super) settings: Settings,
    kill: Cancel,
    _file: AccessFile,
}

/// Why a pump could not run.
#[derive(Debug, thiserror::Error)]
pub enum PumpError {
    /// A record, a lock or the clock.
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    /// The user's Git configuration.
    #[error(transparent)]
    UserConfig(#[from] UserConfigError),
    /// A thread.
    #[error("cannot start a thread")]
    Thread {
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
}

impl Coded for PumpError {
    fn code(&self) -> Code {
        match self {
            PumpError::Outbox(error) => error.code(),
            PumpError::UserConfig(error) => error.code(),
            PumpError::Thread { .. } => Code::Io,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            PumpError::Outbox(error) => error.hint(),
            PumpError::UserConfig(error) => error.hint(),
            PumpError::Thread { .. } => None,
        }
    }
}

impl Pump {
    /// A pump under its lock: reads the user's configuration, once, and writes it where Git finds
    /// it. Drop the pump before the lock.
    ///
    /// # Errors
    /// [`PumpError`].
    pub fn start(
        root: HostRoot,
        held: &PumpLock,
        clock: SharedClock,
        settings: Settings,
    ) -> Result<Pump, PumpError> {
        let config = UserConfig::read(&settings.stop)?;
        let file = AccessFile::write(&root, held, &config)?;
        let kill = Cancel::new();
        Ok(Pump {
            access: Access::new(file.path(), &settings.warden, settings.push_timeout, &kill),
            root,
            clock,
            config,
            settings,
            kill,
            _file: file,
        })
    }

    /// Ends what is in flight; it costs no attempt.
    pub fn kill(&self) {
        self.kill.cancel();
    }
}

impl std::fmt::Debug for Pump {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Pump")
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

/// Everything that is due for one origin, in the source's order: branch, then age, then turn.
#[derive(Clone, Debug)]
pub struct Job {
    /// The origin.
    pub origin: Origin,
    /// What is due, as it was read.
    pub intents: Vec<Intent>,
}

/// What a cycle did with one delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The origin has the commit.
    Delivered,
    /// The origin has a commit that contains it.
    Superseded,
    /// It failed and will be tried again.
    Retrying,
    /// It failed for the last time.
    Failed,
    /// Nothing was decided: it changed meanwhile, was interrupted, or its record could not be used.
    Skipped,
}

/// One delivery after a job.
#[derive(Clone, Debug)]
pub struct Report {
    /// Which.
    pub key: DeliveryKey,
    /// What was done.
    pub verdict: Verdict,
    /// The delivery as it stands now.
    pub delivery: OriginDelivery,
    /// Why it failed, or was skipped.
    pub error: Option<Code>,
}
