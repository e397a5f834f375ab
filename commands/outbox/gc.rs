//! `amiss outbox gc`: what no longer serves anybody is removed.

use std::time::Duration;

use amiss::outbox::{GcMode, GcReport, Retention};
use amiss::process::Cancel;
use clap::Args;
use serde::Serialize;

use crate::args::{HostRootArgs, TimeArgs, duration};
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

const HELP: &str = "\
Removes delivered and failed deliveries past their time with their pins, leftover due entries, lock \
files of ended turns, ledgers that nobody uses and folders of writers that were stopped. What is \
pending, retrying or unreadable, and pins without an intent, stay for ever. The answer names \
everything that goes or stays, and why.

Example:
  amiss outbox gc --dry-run --host-root /var/lib/amiss-host";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    root: HostRootArgs,
    #[command(flatten)]
    time: TimeArgs,

    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,

    /// How long a delivered intent stays after its end
    #[arg(long, value_name = "TIME", default_value = "168h", value_parser = duration)]
    delivered_after: Duration,

    /// How long a failed intent with its pin, or an unused ledger, stays after its end
    #[arg(long, value_name = "TIME", default_value = "720h", value_parser = duration)]
    failed_after: Duration,

    /// How long the pin of a delivered intent stays after its end
    #[arg(long, value_name = "TIME", default_value = "720h", value_parser = duration)]
    pins_after: Duration,
}

/// The answer.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Collected {
    gc: GcReport,
}

pub fn run(arguments: Arguments) -> Status {
    match gc(arguments) {
        Ok(gc) => Output::new().print(&Collected { gc }),
        Err(failure) => fail(failure),
    }
}

fn gc(arguments: Arguments) -> Result<GcReport, Failure> {
    let Arguments {
        root,
        time,
        dry_run,
        delivered_after,
        failed_after,
        pins_after,
    } = arguments;
    let retention = Retention {
        delivered: delivered_after,
        failed: failed_after,
        pins: pins_after,
    };
    let mode = if dry_run {
        GcMode::DryRun
    } else {
        GcMode::Remove
    };
    let root = root.open()?;
    Ok(root.gc(retention, mode, time.clock().as_ref(), &Cancel::new())?)
}
