//! `amiss outbox retry`: failed deliveries are tried again.

use amiss::outbox::{OriginDelivery, Task, Turn};
use clap::Args;
use serde::Serialize;

use crate::args::{HostRootArgs, TimeArgs};
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

const HELP: &str = "\
Failed and retrying deliveries of the task (or of one turn) are due at once, with twelve pushes \
again. A retry during a push is kept.

Example:
  amiss outbox retry --task t1 --host-root /var/lib/amiss-host";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    root: HostRootArgs,
    #[command(flatten)]
    time: TimeArgs,

    /// The task
    #[arg(long, value_name = "T")]
    task: Task,

    /// Only this turn
    #[arg(long, value_name = "U")]
    turn: Option<Turn>,
}

/// The answer: the reset deliveries, oldest first.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Retried {
    deliveries: Vec<OriginDelivery>,
}

pub fn run(arguments: Arguments) -> Status {
    match retry(arguments) {
        Ok(answer) => Output::new().print(&answer),
        Err(failure) => fail(failure),
    }
}

fn retry(arguments: Arguments) -> Result<Retried, Failure> {
    let Arguments {
        root,
        time,
        task,
        turn,
    } = arguments;
    let reset = root
        .open()?
        .retry(&task, turn.as_ref(), time.clock().as_ref())?;
    Ok(Retried {
        deliveries: reset.iter().map(OriginDelivery::from).collect(),
    })
}
