//! `amiss ledger abandon`.

use amiss::delivery::DeliveryKey;
use amiss::ledger::file::{Abandon, AbandonChange, Abandoned, RowState, RowView};
use clap::Args;
use serde::Serialize;

use super::open::LedgerArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail, note};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss ledger abandon --root /var/lib/amiss --reason 'the repository is gone' \\
    --key 0b320f59191352125bbed161c51c73615a815b31a16e07f1fd4e9276ed616369")]
pub struct Arguments {
    #[command(flatten)]
    ledger: LedgerArgs,
    /// The row's key
    #[arg(long, value_name = "HEX")]
    key: DeliveryKey,
    /// Why; it goes into the digest that the row keeps
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    reason: String,
    /// End a staged row too; its saved result is then never published
    #[arg(long)]
    staged: bool,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Printed<'a> {
    abandoned: AbandonedMember<'a>,
    row: RowView,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct AbandonedMember<'a> {
    key: &'a DeliveryKey,
    was: RowState,
    reason: &'a str,
}

pub fn run(arguments: &Arguments) -> Status {
    let done = match abandon(arguments) {
        Ok(done) => done,
        Err(failure) => return fail(failure),
    };
    if done.change == AbandonChange::Nothing {
        note(&format!(
            "amiss: the row {} was done already: nothing was changed, and its digest does not hold \
             this reason",
            arguments.key
        ));
    }
    Output::new().print(&Printed {
        abandoned: AbandonedMember {
            key: &arguments.key,
            was: done.was,
            reason: &arguments.reason,
        },
        row: done.row,
    })
}

fn abandon(arguments: &Arguments) -> Result<Abandoned, Failure> {
    let ledger = arguments.ledger.open()?;
    let which = if arguments.staged {
        Abandon::StagedToo
    } else {
        Abandon::Running
    };
    let clock = arguments.ledger.clock.time.clock();
    Ok(ledger
        .root()
        .abandon(&arguments.key, &arguments.reason, which, &*clock)?)
}
