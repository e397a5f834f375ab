//! The mark that a watcher is wanted after a reboot (page 5.1, `enable`).

use serde::{Deserialize, Serialize};

use super::error::OutboxError;
use super::record::{Record, RecordError};
use super::root::HostRoot;

const MARKER_NAME: &str = "outbox-enabled.json";

/// The enabled marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnabledMarker {
    /// Always true.
    pub watch: bool,
}

impl Record for EnabledMarker {
    const WHAT: &'static str = "enabled marker";
}

impl HostRoot {
    /// Whether the marker is there.
    ///
    /// # Errors
    /// The disk's, or a marker that is none.
    pub fn is_enabled(&self) -> Result<bool, OutboxError> {
        let Some(locks) = self.find_locks()? else {
            return Ok(false);
        };
        Ok(EnabledMarker::read(&locks, MARKER_NAME)?.is_some_and(|marker| marker.watch))
    }

    /// Sets the marker; doing it twice is doing it once. A damaged marker is replaced.
    ///
    /// # Errors
    /// The system's.
    pub fn enable(&self) -> Result<(), OutboxError> {
        let locks = self.make_locks()?;
        match EnabledMarker::read(&locks, MARKER_NAME) {
            Ok(Some(EnabledMarker { watch: true })) => return Ok(locks.sync()?),
            Ok(_) | Err(RecordError::Malformed { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(EnabledMarker { watch: true }.write(&locks, MARKER_NAME)?)
    }

    /// Takes the marker away; doing it twice is doing it once.
    ///
    /// # Errors
    /// The system's.
    pub fn disable(&self) -> Result<(), OutboxError> {
        if let Some(locks) = self.find_locks()? {
            locks.remove(MARKER_NAME)?;
            locks.sync()?;
        }
        Ok(())
    }
}
