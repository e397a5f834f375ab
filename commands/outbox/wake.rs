//! `amiss outbox wake`: makes sure that a live watcher runs.

use std::time::Duration;

use amiss::delivery::Envelope;
use amiss::outbox::wake::{Launch, Woken};
use amiss::outbox::watch::Binary;
use clap::Args;

use crate::args::{HostRootArgs, duration};
use crate::failure::Failure;
use crate::stream::{Answer, Output, Status, fail, finish};

const HELP: &str = "\
Answers `wake`: `running`, `started`, or `restarted` after a newer program took over. It never \
answers unless a live watcher holds the pump lock and has published its identity; 69 otherwise.

Example:
  amiss outbox wake --host-root /var/lib/amiss-host";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    root: HostRootArgs,
    /// How long to wait for a watcher to acknowledge
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    handshake: Duration,
}

pub fn run(arguments: &Arguments) -> Status {
    let woken = match wake(arguments) {
        Ok(woken) => woken,
        Err(failure) => return fail(failure),
    };
    let mut envelope = Envelope::new();
    envelope.drop_members(&["schema"]);
    match envelope.set("wake", &woken) {
        Ok(()) => finish(Answer::done(envelope), &mut Output::new()),
        Err(error) => fail(error.into()),
    }
}

fn wake(arguments: &Arguments) -> Result<Woken, Failure> {
    let root = arguments.root.open()?;
    let name = std::env::args_os().next().unwrap_or_default();
    let program = match Binary::of_this_process(&name) {
        Some(binary) => binary.path().to_owned(),
        None => std::env::current_exe().map_err(|error| {
            Failure::new(
                amiss::code::Code::Io,
                format!("cannot find this program: {error}"),
            )
        })?,
    };
    let launch = Launch {
        program,
        arguments: ["outbox", "watch", "--host-root"]
            .into_iter()
            .map(Into::into)
            .chain([root.path().as_os_str().to_owned()])
            .collect(),
    };
    Ok(root.wake(&launch, arguments.handshake)?)
}
