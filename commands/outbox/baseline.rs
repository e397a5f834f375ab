//! `amiss outbox baseline`: a mirror's objects made durable before its first enqueue.

use std::path::{Path, PathBuf};

use amiss::outbox::{Baseline, Mirror};
use amiss::process::Cancel;
use clap::Args;
use serde::Serialize;

use crate::args::HostRootArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

const HELP: &str = "\
Syncs every pack and loose object of the mirror and writes the receipt mw-object-sync.json, so that \
the first enqueue need not. Where a receipt holds, only what came since is synced.

Example:
  amiss outbox baseline --host-root /var/lib/amiss-host \\
    --mirror /var/lib/amiss-host/mirrors/web.git";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    root: HostRootArgs,

    /// The mirror, a bare repository
    #[arg(long, value_name = "DIR")]
    mirror: PathBuf,
}

/// The answer.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Done {
    baseline: Detail,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Detail {
    mirror: PathBuf,
    receipt: &'static str,
}

pub fn run(arguments: Arguments) -> Status {
    let Arguments { root, mirror } = arguments;
    match baseline(&root, &mirror) {
        Ok(done) => Output::new().print(&done),
        Err(failure) => fail(failure),
    }
}

fn baseline(root: &HostRootArgs, mirror: &Path) -> Result<Done, Failure> {
    root.open()?;
    let mut mirror = Mirror::at(mirror, &Cancel::new())?;
    mirror.configure()?;
    let receipt = match mirror.ensure_objects_durable(None)? {
        Baseline::Made => "made",
        Baseline::Kept => "kept",
    };
    Ok(Done {
        baseline: Detail {
            mirror: mirror.path().to_owned(),
            receipt,
        },
    })
}
