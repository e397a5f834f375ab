//! Proving the lease while a run goes on, from a thread that nothing of the run can delay
//! (page 4.3, point 5).

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::clock::since_boot;
use crate::process::warden::Handle;

/// The longest time between two renewals.
const LONGEST: Duration = Duration::from_secs(5);

/// How long the lease is proved from the moment that was asked; never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proven(Duration);

impl Proven {
    /// A proof for this long, if that is any time at all.
    #[must_use]
    pub fn new(window: Duration) -> Option<Proven> {
        (!window.is_zero()).then_some(Proven(window))
    }

    /// How long.
    #[must_use]
    pub const fn window(self) -> Duration {
        self.0
    }
}

/// The lease is lost, refused or cannot be proved: whatever is being done under it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Why, for the operator.
    pub reason: String,
}

impl Stop {
    /// For this reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Stop {
        Stop {
            reason: reason.into(),
        }
    }
}

/// One renewal of the lease through the record.
pub trait Renew: Send {
    /// Proves the lease anew.
    ///
    /// # Errors
    /// [`Stop`] whenever it is not proved, whatever the cause: uncertainty is not ownership.
    fn renew(&mut self) -> Result<Proven, Stop>;
}

impl<F: FnMut() -> Result<Proven, Stop> + Send> Renew for F {
    fn renew(&mut self) -> Result<Proven, Stop> {
        self()
    }
}

/// A lease that was proved, and when that ends on the clock that also runs while the machine sleeps.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    asked: Duration,
    ends: Duration,
}

impl Held {
    /// Renews. The window counts from before the question, so a slow answer shortens it.
    ///
    /// # Errors
    /// [`Stop`] of the record, or when the answer came after its own window.
    pub fn renew(renewal: &mut dyn Renew) -> Result<Held, Stop> {
        let asked = since_boot();
        let proven = renewal.renew()?;
        let held = Held {
            asked,
            ends: asked.saturating_add(proven.window()),
        };
        if held.left().is_zero() {
            return Err(Stop::new("the renewal took longer than the lease's window"));
        }
        Ok(held)
    }

    /// What is left of it.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.ends.saturating_sub(since_boot())
    }

    /// When the next renewal is due: halfway, or after [`LONGEST`].
    fn due(&self) -> Duration {
        let half = self.ends.saturating_sub(self.asked).div_f64(2.0);
        self.asked.saturating_add(half.min(LONGEST))
    }
}

/// Whether the run is over, shared with the thread.
#[derive(Debug, Default)]
pub struct Over {
    over: Mutex<bool>,
    changed: Condvar,
}

impl Over {
    /// The run is over; no further renewal is needed.
    pub fn set(&self) {
        *self.lock() = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `due`, in short turns: a suspended machine wakes up late. Whether the run is over.
    fn wait_until(&self, due: Duration) -> bool {
        const TURN: Duration = Duration::from_millis(500);
        let mut over = self.lock();
        loop {
            let left = due.saturating_sub(since_boot());
            if *over || left.is_zero() {
                return *over;
            }
            over = match self.changed.wait_timeout(over, left.min(TURN)) {
                Ok((over, _)) => over,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}

/// Renews until the run is over. When the lease cannot be proved, the tree is killed at once.
///
/// # Errors
/// [`Stop`] when that happened.
pub fn beat(
    renewal: &mut dyn Renew,
    mut held: Held,
    handle: &Handle,
    over: &Over,
) -> Result<Held, Stop> {
    loop {
        if over.wait_until(held.due()) {
            return Ok(held);
        }
        let next = if held.left().is_zero() {
            // Stopped or asleep for longer than the lease: another owner may be at work.
            Err(Stop::new(
                "the lease's window passed before it could be renewed",
            ))
        } else {
            Held::renew(renewal)
        };
        match next {
            Ok(next) => {
                handle.extend(next.left());
                held = next;
            }
            Err(stop) => {
                handle.kill();
                return Err(stop);
            }
        }
    }
}

#[cfg(test)]
mod tests;
