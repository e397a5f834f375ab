//! `amiss outbox disable`: no watcher is wanted after a reboot.

use clap::Args;

use super::enable::Marked;
use crate::args::HostRootArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

const HELP: &str = "\
Removes locks/outbox-enabled.json. It stops nothing. A second time is as good as once.

Example:
  amiss outbox disable --host-root /var/lib/amiss-host";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    root: HostRootArgs,
}

pub fn run(arguments: Arguments) -> Status {
    let Arguments { root } = arguments;
    match disable(&root) {
        Ok(()) => Output::new().print(&Marked { enabled: false }),
        Err(failure) => fail(failure),
    }
}

fn disable(root: &HostRootArgs) -> Result<(), Failure> {
    Ok(root.open()?.disable()?)
}
