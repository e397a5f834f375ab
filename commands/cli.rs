//! The command tree: what the user types.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Args as _, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::stream::{Output, Status, Words, speak};
use crate::{
    bench, completions, explain, help, ingress_sign, ingress_verify, internal_warden, ledger, man,
    narrow, outbox, publish, refresh, run_bootstrap, schema, seal_key,
};

/// The durable delivery record, supervised runner and push outbox behind a merge gate
///
/// Every command does one step: JSON on standard input, JSON on standard output, words for people
/// on standard error. A pipe joins the steps to a flow.
#[derive(Debug, Parser)]
#[command(
    name = "amiss",
    version = env!("AMISS_VERSION"),
    infer_subcommands = false,
    disable_help_subcommand = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Example:
  amiss ledger list --root /var/lib/amiss

`amiss help statuses` explains the exit statuses, `amiss explain CODE` every error code."
)]
pub struct Cli {
    #[command(flatten)]
    words: WordArgs,
    #[command(subcommand)]
    command: Command,
}

/// How much a person wants to read.
#[derive(Debug, clap::Args)]
struct WordArgs {
    /// Say nothing on standard error but errors: no notes, no progress
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        help_heading = "Everywhere"
    )]
    quiet: bool,

    /// Say more on standard error: one line a document, and what an error code means
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    verbose: bool,
}

impl WordArgs {
    const fn words(&self) -> Words {
        match (self.quiet, self.verbose) {
            (true, _) => Words::Few,
            (false, true) => Words::Many,
            (false, false) => Words::Usual,
        }
    }
}

#[derive(Debug, Subcommand)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one, for the life of the process"
)]
enum Command {
    /// Authenticate one raw request and accept its delivery
    IngressVerify(ingress_verify::Arguments),
    /// The delivery record
    #[command(
        subcommand,
        after_help = "Example:
  amiss ledger claim --root /var/lib/amiss --plan plan.json < accepted.json |
    amiss refresh --repository /srv/mirror.git --target refs/heads/main \\
      --candidate refs/heads/topic > refreshed.json
  amiss ledger check --root /var/lib/amiss"
    )]
    Ledger(ledger::Command),
    /// State what exactly is to be judged
    Refresh(refresh::Arguments),
    /// Run the evaluation under supervision
    RunBootstrap(run_bootstrap::Arguments),
    /// Hand the frozen verdict to the operator's program
    Publish(publish::Arguments),
    /// Stand between amiss and a supervised program; amiss starts it by itself
    #[command(
        hide = true,
        after_help = "Example:\n  amiss internal-warden < order.json"
    )]
    InternalWarden,
    /// Make a seal key
    SealKey(seal_key::Arguments),
    /// Make a signed request, for testing a receiver
    IngressSign(ingress_sign::Arguments),
    /// Push results to their origin from a durable outbox
    #[command(
        subcommand,
        after_help = "Example:
  amiss outbox enable --host-root /var/lib/amiss-host
  amiss outbox enqueue --host-root /var/lib/amiss-host < push.json
  amiss outbox once --host-root /var/lib/amiss-host"
    )]
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
    /// Print the help of a command, or the exit statuses
    Help(help::Arguments),
}

impl Command {
    fn run(self) -> Status {
        match self {
            Command::IngressVerify(arguments) => ingress_verify::run(&arguments),
            Command::Ledger(command) => ledger::run(command),
            Command::Refresh(arguments) => refresh::run(arguments),
            Command::RunBootstrap(arguments) => run_bootstrap::run(&arguments),
            Command::Publish(arguments) => publish::run(&arguments),
            Command::InternalWarden => internal_warden::run(),
            Command::SealKey(arguments) => seal_key::run(&arguments),
            Command::IngressSign(arguments) => ingress_sign::run(&arguments),
            Command::Outbox(command) => outbox::run(command),
            Command::Bench(arguments) => bench::run(arguments),
            Command::Schema(arguments) => schema::run(&arguments),
            Command::Completions(arguments) => completions::run(&arguments),
            Command::Man(arguments) => man::run(&arguments),
            Command::Explain(arguments) => explain::run(&arguments),
            Command::Help(arguments) => help::run(arguments),
        }
    }
}

/// Reads the command line and runs the command that it names.
pub fn start(words: impl IntoIterator<Item = OsString>) -> Status {
    let words: Vec<OsString> = words.into_iter().collect();
    match parse_narrow(&words).map_or_else(|| Cli::try_parse_from(&words), Ok) {
        Ok(cli) => {
            speak(cli.words.words());
            cli.command.run()
        }
        Err(error) => answer(&error),
    }
}

/// Parses a right command line by the tree of its command alone.
fn parse_narrow(words: &[OsString]) -> Option<Cli> {
    let names: Vec<&str> = words
        .iter()
        .skip(1)
        .map_while(|word| word.to_str())
        .collect();
    let root = WordArgs::augment_args(clap::Command::new("amiss"));
    let matches = narrow::tree(root, &names)?
        .try_get_matches_from(words)
        .ok()?;
    Cli::from_arg_matches(&matches).ok()
}

/// Prints what the argument parser has to say: help and version are answers, which must be
/// written or fail; everything else is a complaint.
fn answer(error: &clap::Error) -> Status {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            Output::new().write_line(error.render().to_string().trim_end())
        }
        _ => {
            // A standard error that cannot be written changes nothing.
            let _ = error.print();
            Status::USAGE
        }
    }
}

/// What a person types: the whole tree without the commands that amiss starts by itself.
pub fn shown() -> clap::Command {
    let whole = tree();
    let shown = whole
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    WordArgs::augment_args(clap::Command::new("amiss"))
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .subcommands(shown.cloned())
}

/// The whole tree, without the commit of this build: what the generated pages are made from.
pub fn tree() -> clap::Command {
    Cli::command().version(env!("CARGO_PKG_VERSION"))
}
