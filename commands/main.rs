//! `amiss`: composable commands, JSON in, JSON out.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::string_slice))]

mod args;
mod bench;
mod cli;
mod completions;
mod explain;
mod failure;
mod help;
mod ingress_sign;
mod ingress_verify;
mod internal_warden;
mod interrupt;
mod ledger;
mod man;
mod narrow;
mod outbox;
mod progress;
mod publish;
mod refresh;
mod room;
mod run_bootstrap;
mod schema;
mod seal_key;
mod stream;

use std::process::ExitCode;

fn main() -> ExitCode {
    amiss::process::withhold_inherited_descriptors();
    cli::start(std::env::args_os()).into()
}
