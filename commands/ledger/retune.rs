//! `amiss ledger retune`.

use clap::Args;

use crate::failure::Failure;
use crate::stream::{Status, fail};

#[derive(Debug, Args)]
pub struct Arguments {}

pub fn run(_arguments: Arguments) -> Status {
    fail(Failure::new(
        amiss::code::Code::Internal,
        "this command is not built yet",
    ))
}
