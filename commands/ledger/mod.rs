//! `amiss ledger …`: one file per command.

pub mod abandon;
mod batch;
pub mod check;
pub mod claim;
pub mod cleanup;
pub mod complete;
mod format;
pub mod init;
pub mod limits;
pub mod list;
mod lost;
mod open;
pub mod quarantine;
pub mod renew;
pub mod resize;
pub mod retune;
pub mod show;
pub mod stage;
pub mod stats;
mod when;

pub use self::open::{ClockArgs, ExpectArgs, open_root};

use clap::Subcommand;

use crate::stream::Status;

#[derive(Debug, Subcommand)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one, for the life of the process"
)]
pub enum Command {
    /// Prepare a record root, or validate, migrate, settle and clean one
    Init(init::Arguments),
    /// Claim a delivery: who may evaluate it now, or what a retry publishes
    Claim(claim::Arguments),
    /// Renew a lease
    Renew(renew::Arguments),
    /// Freeze the verdict of a run
    Stage(stage::Arguments),
    /// End a delivery with the exact value that was published
    Complete(complete::Arguments),
    /// Remove what is safe to forget
    Cleanup(cleanup::Arguments),
    /// Show one row, and what each command would answer now
    Show(show::Arguments),
    /// List the rows
    List(list::Arguments),
    /// Validate everything and report every defect, read-only
    Check(check::Arguments),
    /// Counts, capacity, bytes, clock and age
    Stats(stats::Arguments),
    /// Move a damaged or unknown file out of a root
    Quarantine(quarantine::Arguments),
    /// End a running or staged row by hand
    Abandon(abandon::Arguments),
    /// Change the cap of a root
    Resize(resize::Arguments),
    /// Change the lease and the windows of a root
    Retune(retune::Arguments),
}

pub fn run(command: Command) -> Status {
    match command {
        Command::Init(arguments) => init::run(&arguments),
        Command::Claim(arguments) => claim::run(&arguments),
        Command::Renew(arguments) => renew::run(&arguments),
        Command::Stage(arguments) => stage::run(&arguments),
        Command::Complete(arguments) => complete::run(&arguments),
        Command::Cleanup(arguments) => cleanup::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Quarantine(arguments) => quarantine::run(&arguments),
        Command::Abandon(arguments) => abandon::run(&arguments),
        Command::Resize(arguments) => resize::run(&arguments),
        Command::Retune(arguments) => retune::run(&arguments),
    }
}
