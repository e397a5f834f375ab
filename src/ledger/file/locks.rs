//! The locks of a root and their one order (page 3.3, 3b.8):
//!
//! 1. the turnstile: the root directory's own handle, held only while the next one is waited for;
//! 2. maintenance: shared by row work, exclusive for cleanup and for changes of the limits;
//! 3. the row shards, exclusive, in the order of their names;
//! 4. the clock, exclusive, only while the high water is read and saved;
//! 5. admission, exclusive, for a new row and for everything that counts rows.
//!
//! The turnstile is what makes the maintenance lock fair: whoever waits for it exclusively holds
//! the turnstile, so that no new row work comes in front. The earlier implementation locks no
//! directory, so it neither sees the turnstile nor is disturbed by it.

use std::time::{Duration, Instant};

use super::error::LedgerError;
use super::names;
use super::root::Root;
use crate::delivery::DeliveryKey;
use crate::durable::{Hold, Lock, LockError, LockMode, LockWait};

/// Held during the work on one row or on several.
#[derive(Debug)]
pub(super) struct RowWork {
    _rows: Vec<Lock>,
    _maintenance: Lock,
}

/// Held while nobody else does anything with the root.
#[derive(Debug)]
pub(super) struct Exclusive {
    _maintenance: Lock,
}

/// How long the turnstile stays closed for one try: a long stage must not stop the renewals behind
/// it, and short work drains well within this.
const CLOSED: Duration = Duration::from_millis(50);
/// How long it then stays open.
const OPEN: Duration = Duration::from_millis(50);

impl Root {
    pub(super) fn share(&self) -> Result<Lock, LedgerError> {
        let turnstile = self
            .dir
            .lock(Hold::Directory, LockMode::Shared, self.wait())?;
        let maintenance = self.dir.lock(
            Hold::File(names::MAINTENANCE),
            LockMode::Shared,
            self.wait(),
        )?;
        drop(turnstile);
        Ok(maintenance)
    }

    /// Takes the shards of these rows, each once and in the order of their names, so that no two
    /// batches wait for each other. `keys` are sorted.
    pub(super) fn row_work(&self, keys: &[&DeliveryKey]) -> Result<RowWork, LedgerError> {
        let maintenance = self.share()?;
        let mut rows = Vec::new();
        let mut last = None;
        for key in keys {
            if last == Some(key.shard()) {
                continue;
            }
            last = Some(key.shard());
            rows.push(self.dir.lock(
                Hold::File(&names::row_lock(key)),
                LockMode::Exclusive,
                self.wait(),
            )?);
        }
        Ok(RowWork {
            _rows: rows,
            _maintenance: maintenance,
        })
    }

    pub(super) fn exclusive(&self) -> Result<Exclusive, LedgerError> {
        let started = Instant::now();
        let limit = self.options.lock_timeout;
        let told = std::sync::atomic::AtomicBool::new(false);
        let tell_once = |path: &std::path::Path| {
            if !told.swap(true, std::sync::atomic::Ordering::Relaxed) {
                (self.options.on_long_wait)(path);
            }
        };
        loop {
            let left = limit.saturating_sub(started.elapsed());
            let wait = |limit| LockWait {
                limit,
                on_long_wait: &tell_once,
            };
            let turnstile = self
                .dir
                .lock(Hold::Directory, LockMode::Exclusive, wait(left))?;
            let tried = self.dir.lock(
                Hold::File(names::MAINTENANCE),
                LockMode::Exclusive,
                wait(CLOSED.min(left)),
            );
            drop(turnstile);
            let waited = started.elapsed();
            match tried {
                Ok(maintenance) => {
                    return Ok(Exclusive {
                        _maintenance: maintenance,
                    });
                }
                Err(LockError::Timeout { path, holder, .. }) if waited >= limit => {
                    return Err(LockError::Timeout {
                        path,
                        holder,
                        waited_millis: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
                    }
                    .into());
                }
                Err(LockError::Timeout { path, .. }) => {
                    if waited >= Duration::from_secs(2) {
                        tell_once(&path);
                    }
                    std::thread::sleep(OPEN.min(limit.saturating_sub(waited)));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    pub(super) fn clock_lock(&self) -> Result<Lock, LedgerError> {
        Ok(self
            .dir
            .lock(Hold::File(names::CLOCK), LockMode::Exclusive, self.wait())?)
    }

    /// The admission lock, if nobody holds it now.
    pub(super) fn free_admission_lock(&self) -> Result<Option<Lock>, LedgerError> {
        Ok(self
            .dir
            .try_lock(Hold::File(names::ADMISSION), LockMode::Exclusive)?)
    }

    pub(super) fn admission_lock(&self) -> Result<Lock, LedgerError> {
        Ok(self.dir.lock(
            Hold::File(names::ADMISSION),
            LockMode::Exclusive,
            self.wait(),
        )?)
    }
}
