//! `amiss ledger retune`.

use amiss::delivery::replay::MAX_WINDOW_MILLIS;
use amiss::ledger::file::{Changed, MAX_LEASE_MILLIS, Tuning};
use amiss::words::counted;
use clap::Args;
use serde::Serialize;

use super::limits::ChangedMember;
use super::open::{ExpectArgs, open_root};
use crate::args::RootArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail, note};

#[derive(Debug, Args)]
#[command(after_help = "\
Grow a window when no bounded delivery is running or staged: one that is gets ROOT_CONFIGURATION with
its old envelope and BINDING_CONFLICT with a new one. Keep `max_age_millis` of the routes as it was
until the old window is over, so that nothing whose row was cleaned away is fresh again.

Example:
  amiss ledger retune --root /var/lib/amiss --lease-ms 60000")]
pub struct Arguments {
    #[command(flatten)]
    root: RootArgs,
    #[command(flatten)]
    expect: ExpectArgs,
    #[command(flatten)]
    times: TimesArgs,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
#[allow(clippy::struct_field_names, reason = "they are named as the flags are")]
struct TimesArgs {
    /// How long a lease runs, in milliseconds, at most 24 h
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=MAX_LEASE_MILLIS))]
    lease_ms: Option<i64>,
    /// The largest signed age of a request, in milliseconds, at most 30 days
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=MAX_WINDOW_MILLIS))]
    max_signed_age_ms: Option<i64>,
    /// The longest queue time of a request, in milliseconds, at most 30 days
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=MAX_WINDOW_MILLIS))]
    max_queue_age_ms: Option<i64>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Printed {
    retune: ChangedMember,
}

pub fn run(arguments: &Arguments) -> Status {
    let changed = match retune(arguments) {
        Ok(changed) => changed,
        Err(failure) => return fail(failure),
    };
    if changed.caught > 0 {
        note(&format!(
            "amiss: warning: {} made under the old window; its request, verified again, is a \
             BINDING_CONFLICT; `amiss ledger list --state running` and `--state staged` name such \
             rows, `amiss explain BINDING_CONFLICT` says what to do",
            counted(
                changed.caught,
                "unfinished bounded row was",
                "unfinished bounded rows were"
            )
        ));
    }
    Output::new().print(&Printed {
        retune: ChangedMember::of(&changed),
    })
}

fn retune(arguments: &Arguments) -> Result<Changed, Failure> {
    let root = open_root(&arguments.root, &arguments.expect, None)?;
    Ok(root.retune(Tuning {
        lease_millis: arguments.times.lease_ms,
        max_signed_age_millis: arguments.times.max_signed_age_ms,
        max_queue_age_millis: arguments.times.max_queue_age_ms,
    })?)
}
