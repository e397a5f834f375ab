//! `amiss run-bootstrap --doctor`.

use amiss::process::warden::host;

use crate::stream::{Output, Status};

#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct Answer {
    doctor: host::Host,
}

/// Prints what this host can do. Nothing is started.
pub fn run() -> Status {
    Output::new().print(&Answer {
        doctor: host::look(),
    })
}
