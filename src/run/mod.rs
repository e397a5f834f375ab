//! Refresh, the supervised run, the conclusion and publication (page 4).

pub mod bootstrap;
pub mod conclusion;
mod files;
pub mod heartbeat;
pub mod publish;
pub mod record;
pub mod refresh;
pub mod request;
pub mod scratch;
pub mod semantic;
mod startable;

pub use bootstrap::{Ran, RunError, Settings, Step, run_bootstrap};
