//! `amiss outbox close`: a task ends.

use amiss::outbox::{Closing, Shown, Task};
use amiss::process::Cancel;
use clap::Args;
use serde::Serialize;

use crate::args::{HostRootArgs, TimeArgs};
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

use super::status::note_if_unknown;

const HELP: &str = "\
Says how the task's deliveries stand; they go on. With --discard everything of the task is removed, \
and that is refused (TASK_BUSY) while a delivery is pending, retrying or unreadable, or a pin has no \
intent. A task of which the outbox holds nothing is an empty answer, with a note on standard error.

Example:
  amiss outbox close --task t1 --host-root /var/lib/amiss-host";

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

    /// Remove the task's pins, intents and locks
    #[arg(long)]
    discard: bool,
}

/// The answer: how the deliveries stood.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Closed {
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery: Option<Shown>,
    deliveries: Vec<Shown>,
}

pub fn run(arguments: Arguments) -> Status {
    match close(arguments) {
        Ok(closed) => Output::new().print(&closed),
        Err(failure) => fail(failure),
    }
}

fn close(arguments: Arguments) -> Result<Closed, Failure> {
    let Arguments {
        root,
        time,
        task,
        discard,
    } = arguments;
    let root = root.open()?;
    let closing = if discard {
        Closing::Discard
    } else {
        Closing::Keep
    };
    let report = root.close(&task, closing, time.clock().as_ref(), &Cancel::new())?;
    note_if_unknown(&task, &report);
    Ok(Closed {
        delivery: report.delivery,
        deliveries: report.deliveries,
    })
}
