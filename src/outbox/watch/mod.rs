//! The watcher: one pump for each host root that stays (page 5.2, points 7 to 13).
//!
//! One thread sleeps until something happens: a change in the due folder, the end of a job, the
//! word to stop, or the next time that something is due. Jobs run in threads of their own, one for
//! each origin that has work. Idle, it makes no Git call, looks into the due folder every 30 s, and
//! does nothing in between.

mod binary;
mod folder;
mod service;
mod watcher;

use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use serde::Serialize;

use super::origin_delivery::OriginDelivery;
use super::pump::{Pump, PumpError, Settings, SharedClock};
use super::root::{HostRoot, PumpLock};
use crate::clock::UnixMillis;
use crate::code::Code;
use crate::process::Cancel;

pub use binary::Binary;
pub(super) use binary::is_replaced as binary_is_replaced;
pub use service::Service;

/// How long a watcher tries for the lock before it takes another for a pump: longer than `wake`
/// ever holds it to look.
const LOCK_PATIENCE: Duration = Duration::from_millis(250);
/// How often a waiting watcher tries again.
const LOCK_PAUSE: Duration = Duration::from_secs(2);

/// What to do when another pump holds the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnHeld {
    /// End at once.
    Leave,
    /// Wait for it: for a service manager, which would start it again and again otherwise.
    Wait,
}

/// How a watcher is run.
#[derive(Debug)]
pub struct WatchOptions {
    /// As for any pump.
    pub settings: Settings,
    /// When another pump holds the lock.
    pub on_held: OnHeld,
    /// Where figures are written in the OpenMetrics text format.
    pub metrics: Option<PathBuf>,
    /// The service manager, if there is one.
    pub service: Service,
    /// The program that runs, to notice that it was replaced.
    pub binary: Option<Binary>,
}

/// How a watcher ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Another pump holds the lock.
    Held,
    /// It was told to stop.
    Stopped,
    /// Its program was replaced: the new one, at this path, takes over.
    HandOver(PathBuf),
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// It holds the lock and has published its identity.
    Ready,
    /// A delivery reached its origin.
    Pushed,
    /// A delivery failed and will be tried again.
    Retrying,
    /// A delivery failed for the last time.
    Failed,
    /// An origin has a commit that contains a delivery's.
    Superseded,
    /// Nothing is in work.
    Idle,
    /// It ends.
    Stopped,
}

/// Why a delivery failed, in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct EventError {
    /// The stored code.
    pub code: Code,
    /// What it means.
    pub message: &'static str,
}

/// One event of a watcher.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Event {
    /// Which kind.
    pub event: EventKind,
    /// When.
    pub unix_millis: UnixMillis,
    /// Of which delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<OriginDelivery>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<EventError>,
}

/// Who hears what a watcher does.
pub trait Listener {
    /// An event, in order.
    fn event(&mut self, event: &Event);
    /// Something for the operator that is no event: a delivery that was left alone, metrics that
    /// could not be written, notifications that the system does not give.
    fn trouble(&mut self, words: &str);
}

/// Runs a watcher until it is told to stop or its program is replaced.
///
/// # Errors
/// What keeps it from starting: the root, the lock, the clock, the user's configuration.
pub fn watch(
    root: HostRoot,
    clock: SharedClock,
    options: &WatchOptions,
    listener: &mut dyn Listener,
) -> Result<Ended, PumpError> {
    let held = match take_lock(&root, options)? {
        Ok(held) => held,
        Err(ended) => return Ok(ended),
    };
    options.service.tell("READY=1\nSTATUS=recovering");
    let registry = root.due_registry()?;
    let pump = Pump::start(root, &held, clock, options.settings.clone())?;
    watcher::Watcher::new(&pump, &held, options, listener).run(registry.dir().path())
}

fn take_lock(
    root: &HostRoot,
    options: &WatchOptions,
) -> Result<Result<PumpLock, Ended>, PumpError> {
    if let Some(held) = root.lock_pump(LOCK_PATIENCE)? {
        return Ok(Ok(held));
    }
    if options.on_held == OnHeld::Leave {
        return Ok(Err(Ended::Held));
    }
    let (tell, stopped) = mpsc::channel();
    tell_stop(&options.settings.stop, move || {
        let _ = tell.send(());
    })?;
    loop {
        // Started and well, though another pump works: the manager must not start it again.
        options
            .service
            .tell("READY=1\nSTATUS=waiting for the pump that holds the lock\nWATCHDOG=1");
        let pause = options
            .service
            .pace()
            .map_or(LOCK_PAUSE, |pace| pace.min(LOCK_PAUSE));
        if stopped.recv_timeout(pause).is_ok() {
            return Ok(Err(Ended::Stopped));
        }
        if let Some(held) = root.lock_pump(Duration::ZERO)? {
            return Ok(Ok(held));
        }
        if let Some(path) = options.binary.as_ref().and_then(Binary::replaced) {
            return Ok(Err(Ended::HandOver(path)));
        }
    }
}

/// Calls `told` when the word to stop is said. The thread ends with the process when nobody ever
/// says it.
fn tell_stop(stop: &Cancel, told: impl FnOnce() + Send + 'static) -> Result<(), PumpError> {
    let stop = stop.clone();
    std::thread::Builder::new()
        .name("stop".into())
        .spawn(move || {
            if stop.wait().is_ok() {
                told();
            }
        })
        .map(drop)
        .map_err(|source| PumpError::Thread { source })
}
