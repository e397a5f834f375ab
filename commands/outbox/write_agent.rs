//! `amiss outbox write-agent`: the file that lets the system keep a watcher.

use std::path::PathBuf;

use amiss::code::Code;
use amiss::outbox::Agent;
use clap::Args;
use serde::Serialize;

use crate::args::HostRootArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

const HELP: &str = "\
Writes com.mac-worker.outbox.plist, or with --systemd the user unit amiss-outbox.service, into DIR \
and nowhere else. This program, the host root and the present PATH are written into it.

Example:
  amiss outbox write-agent --systemd ~/.config/systemd/user \\
    --host-root /var/lib/amiss-host &&
    systemctl --user daemon-reload && systemctl --user enable --now amiss-outbox";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    root: HostRootArgs,

    /// Where to write it
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Write a systemd user unit instead of a LaunchAgent
    #[arg(long)]
    systemd: bool,
}

/// The answer.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Written {
    agent: AgentFile,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct AgentFile {
    /// Which file was written.
    path: PathBuf,
}

pub fn run(arguments: Arguments) -> Status {
    match write_agent(arguments) {
        Ok(answer) => Output::new().print(&answer),
        Err(failure) => fail(failure),
    }
}

fn write_agent(arguments: Arguments) -> Result<Written, Failure> {
    let Arguments {
        root,
        folder,
        systemd,
    } = arguments;
    let root = root.open()?;
    let agent = if systemd {
        Agent::Systemd
    } else {
        Agent::LaunchAgent
    };
    let binary = std::env::current_exe().map_err(|error| {
        Failure::new(
            Code::Io,
            format!("cannot tell where this program is: {error}"),
        )
    })?;
    let search = std::env::var_os("PATH").unwrap_or_default();
    let text = agent.text(&binary, root.path(), &search)?;
    let path = agent.write(&folder, &text)?;
    Ok(Written {
        agent: AgentFile { path },
    })
}
