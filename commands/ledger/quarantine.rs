//! `amiss ledger quarantine`.

use std::ffi::OsString;
use std::path::PathBuf;

use amiss::ledger::file::Quarantined;
use clap::Args;
use serde::Serialize;

use super::open::{ExpectArgs, open_root};
use crate::args::RootArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss ledger quarantine .DS_Store --root /var/lib/amiss \\
    --to /var/lib/amiss-quarantine")]
pub struct Arguments {
    #[command(flatten)]
    root: RootArgs,
    #[command(flatten)]
    expect: ExpectArgs,
    /// The name in the root, as `amiss ledger check` prints it
    #[arg(value_name = "NAME")]
    name: OsString,
    /// Where to; an existing folder outside the root, on the same filesystem
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Printed {
    quarantine: QuarantineMember,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct QuarantineMember {
    moved: Vec<String>,
    to: String,
    records: u64,
}

pub fn run(arguments: &Arguments) -> Status {
    match quarantine(arguments) {
        Ok(done) => Output::new().print(&Printed {
            quarantine: QuarantineMember {
                moved: done
                    .moved
                    .iter()
                    .map(|name| name.to_string_lossy().into_owned())
                    .collect(),
                to: arguments.to.to_string_lossy().into_owned(),
                records: done.records,
            },
        }),
        Err(failure) => fail(failure),
    }
}

fn quarantine(arguments: &Arguments) -> Result<Quarantined, Failure> {
    let root = open_root(&arguments.root, &arguments.expect, None)?;
    Ok(root.quarantine(&arguments.name, &arguments.to)?)
}
