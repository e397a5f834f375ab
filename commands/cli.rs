//! The command tree: what the user types.

use clap::{Parser, Subcommand};

use crate::stream::Status;
use crate::{
    bench, completions, explain, ingress_sign, ingress_verify, ledger, man, outbox, publish,
    refresh, run_bootstrap, schema, seal_key,
};

/// The durable delivery record, supervised runner and push outbox behind a merge gate
#[derive(Debug, Parser)]
#[command(
    name = "amiss",
    version,
    infer_subcommands = false,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Authenticate one raw request and accept its delivery
    IngressVerify(ingress_verify::Arguments),
    /// The delivery record
    #[command(subcommand)]
    Ledger(ledger::Command),
    /// State what exactly is to be judged
    Refresh(refresh::Arguments),
    /// Run the evaluation under supervision
    RunBootstrap(run_bootstrap::Arguments),
    /// Hand the frozen verdict to the operator's program
    Publish(publish::Arguments),
    /// Make a seal key
    SealKey(seal_key::Arguments),
    /// Make a signed request, for testing a receiver
    IngressSign(ingress_sign::Arguments),
    /// Push results to their origin from a durable outbox
    #[command(subcommand)]
    Outbox(outbox::Command),
    /// Measure this disk
    Bench(bench::Arguments),
    /// Print the JSON Schemas
    Schema(schema::Arguments),
    /// Print shell completions
    Completions(completions::Arguments),
    /// Write the man pages
    Man(man::Arguments),
    /// Say what an error code means and what to do
    Explain(explain::Arguments),
}

impl Cli {
    /// Runs the chosen command.
    pub fn run(self) -> Status {
        match self.command {
            Command::IngressVerify(arguments) => ingress_verify::run(arguments),
            Command::Ledger(command) => ledger::run(command),
            Command::Refresh(arguments) => refresh::run(arguments),
            Command::RunBootstrap(arguments) => run_bootstrap::run(arguments),
            Command::Publish(arguments) => publish::run(arguments),
            Command::SealKey(arguments) => seal_key::run(arguments),
            Command::IngressSign(arguments) => ingress_sign::run(arguments),
            Command::Outbox(command) => outbox::run(command),
            Command::Bench(arguments) => bench::run(arguments),
            Command::Schema(arguments) => schema::run(arguments),
            Command::Completions(arguments) => completions::run(arguments),
            Command::Man(arguments) => man::run(arguments),
            Command::Explain(arguments) => explain::run(arguments),
        }
    }
}
