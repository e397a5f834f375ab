//! `amiss outbox watch`: the pump that stays.

use std::path::PathBuf;
use std::time::Duration;

use amiss::outbox::HostRoot;
use amiss::outbox::watch::{Binary, Ended, Event, Listener, OnHeld, Service, WatchOptions, watch};
use amiss::process::{Cancel, Program, replace_with};
use clap::Args;

use super::once::{PumpArgs, shared_clock};
use crate::args::{HostRootArgs, TimeArgs};
use crate::failure::Failure;
use crate::stream::{Output, Status, complain, fail, note};

const HELP: &str = "\
Prints one JSON line for each event: ready, pushed, retrying, failed, superseded, idle, stopped. \
Ends with 0 at once when another pump holds the lock, unless --wait is given. SIGTERM and SIGINT \
stop it within 10 s; a push that is killed for it costs no attempt. A newer program at its path \
takes over after the present push.

Example:
  amiss outbox watch --host-root /var/lib/amiss-host \\
    --metrics /var/lib/node_exporter/amiss.prom";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    root: HostRootArgs,
    #[command(flatten)]
    pump: PumpArgs,
    /// Wait for the lock when another pump holds it, as a service should
    #[arg(long)]
    wait: bool,
    /// Write figures to this file in the OpenMetrics text format
    #[arg(long, value_name = "FILE")]
    metrics: Option<PathBuf>,
    #[command(flatten)]
    time: TimeArgs,
}

/// The longest that a watcher waits for one lock: it must be able to stop in time.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

struct Lines(Output, Status);

impl Listener for Lines {
    fn event(&mut self, event: &Event) {
        match serde_json::to_string(event) {
            Ok(line) => self.1.keep_first(self.0.write_line(&line)),
            Err(error) => note(&format!("amiss: cannot form an event: {error}")),
        }
    }
    fn trouble(&mut self, words: &str) {
        note(&format!("amiss: {words}"));
    }
}

pub fn run(arguments: &Arguments) -> Status {
    let stop = match Cancel::on_termination(|| {}) {
        Ok(stop) => stop,
        Err(error) => return fail(error.into()),
    };
    let settings = match arguments.pump.settings(&stop) {
        Ok(settings) => settings,
        Err(failure) => return fail(failure),
    };
    let name = std::env::args_os().next().unwrap_or_default();
    let mut options = WatchOptions {
        settings,
        on_held: if arguments.wait {
            OnHeld::Wait
        } else {
            OnHeld::Leave
        },
        metrics: arguments.metrics.clone(),
        service: Service::of_this_process(),
        binary: Binary::of_this_process(&name),
    };
    let mut lines = Lines(Output::new(), Status::OK);
    loop {
        match watch_once(arguments, &options, &mut lines) {
            Err(failure) => return fail(failure),
            Ok(Ended::Stopped) => return lines.1,
            Ok(Ended::Held) => {
                note("amiss: another pump holds the outbox lock; nothing to do");
                return lines.1;
            }
            Ok(Ended::HandOver(path)) => {
                let program = Program::new(path).args(std::env::args_os().skip(1));
                complain(&replace_with(&program).into());
                // The newer program cannot run: this one goes on, and looks for no other.
                options.binary = None;
            }
        }
    }
}

fn watch_once(
    arguments: &Arguments,
    options: &WatchOptions,
    lines: &mut Lines,
) -> Result<Ended, Failure> {
    let timeout = arguments.root.lock_timeout.min(LOCK_TIMEOUT);
    let root = HostRoot::open(&arguments.root.host_root, timeout)?;
    Ok(watch(root, shared_clock(&arguments.time), options, lines)?)
}
