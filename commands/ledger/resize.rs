//! `amiss ledger resize`.

use amiss::ledger::file::{Changed, MAX_RECORDS};
use clap::Args;
use serde::Serialize;

use super::limits::ChangedMember;
use super::open::{ExpectArgs, open_root};
use crate::args::RootArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss ledger resize --root /var/lib/amiss --max-records 200000")]
pub struct Arguments {
    #[command(flatten)]
    root: RootArgs,
    #[command(flatten)]
    expect: ExpectArgs,
    /// The new cap, up, or down to no less than the rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_RECORDS))]
    max_records: u64,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Printed {
    resize: ChangedMember,
}

pub fn run(arguments: &Arguments) -> Status {
    match resize(arguments) {
        Ok(changed) => Output::new().print(&Printed {
            resize: ChangedMember::of(&changed),
        }),
        Err(failure) => fail(failure),
    }
}

fn resize(arguments: &Arguments) -> Result<Changed, Failure> {
    let root = open_root(&arguments.root, &arguments.expect, None)?;
    Ok(root.resize(arguments.max_records)?)
}
