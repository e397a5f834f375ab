//! `amiss outbox enable`: a watcher is wanted after a reboot.

use clap::Args;
use serde::Serialize;

use crate::args::HostRootArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

const HELP: &str = "\
Writes locks/outbox-enabled.json. It starts nothing: a service that runs `amiss outbox watch` does \
(`amiss outbox write-agent`). A second time is as good as once.

Example:
  amiss outbox enable --host-root /var/lib/amiss-host";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    root: HostRootArgs,
}

/// The answer of `enable` and `disable`.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Marked {
    /// Whether a watcher is wanted after a reboot.
    pub enabled: bool,
}

pub fn run(arguments: Arguments) -> Status {
    let Arguments { root } = arguments;
    match enable(&root) {
        Ok(()) => Output::new().print(&Marked { enabled: true }),
        Err(failure) => fail(failure),
    }
}

fn enable(root: &HostRootArgs) -> Result<(), Failure> {
    Ok(root.open()?.enable()?)
}
