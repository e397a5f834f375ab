//! `amiss ledger init`.

use amiss::delivery::replay::MAX_WINDOW_MILLIS;
use amiss::ledger::file::{
    AcceptedClock, ClockPolicy, Limits, MAX_LEASE_MILLIS, MAX_RECORDS, Prepared,
};
use amiss::words::counted;
use clap::Args;
use serde::Serialize;

use super::cleanup::CleanupMember;
use super::open::{ClockArgs, ExpectArgs, open_root};
use crate::args::RootArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail, note};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  mkdir -m 700 record && amiss ledger init --root record --lease-ms 120000 \\
    --max-records 100000 --max-signed-age-ms 300000 --max-queue-age-ms 60000")]
pub struct Arguments {
    #[command(flatten)]
    root: RootArgs,
    #[command(flatten)]
    clock: ClockArgs,
    /// How long a lease runs, in milliseconds, at most 24 h
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=MAX_LEASE_MILLIS))]
    lease_ms: i64,
    /// How many rows there may be, at most 10,000,000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_RECORDS))]
    max_records: u64,
    /// The largest signed age of a request, in milliseconds, at most 30 days
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=MAX_WINDOW_MILLIS))]
    max_signed_age_ms: i64,
    /// The longest queue time of a request, in milliseconds, at most 30 days
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=MAX_WINDOW_MILLIS))]
    max_queue_age_ms: i64,
    /// Take the present clock on purpose, in either direction
    #[arg(long)]
    accept_clock: bool,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Printed {
    root: RootMember,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct RootMember {
    lease_millis: i64,
    max_records: u64,
    max_signed_age_millis: i64,
    max_queue_age_millis: i64,
    records: u64,
    clock_high_water_unix_millis: i64,
    migrated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted_clock: Option<AcceptedMember>,
    cleanup: CleanupMember,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct AcceptedMember {
    from_unix_millis: i64,
    to_unix_millis: i64,
    reopened_leases: u64,
    ended_leases: u64,
    reopened_lifetimes: u64,
    ended_lifetimes: u64,
    running_ahead: u64,
}

impl AcceptedMember {
    const fn of(accepted: &AcceptedClock) -> AcceptedMember {
        let effects = &accepted.effects;
        AcceptedMember {
            from_unix_millis: accepted.from.get(),
            to_unix_millis: accepted.to.get(),
            reopened_leases: effects.reopened_leases,
            ended_leases: effects.ended_leases,
            reopened_lifetimes: effects.reopened_lifetimes,
            ended_lifetimes: effects.ended_lifetimes,
            running_ahead: effects.running_ahead,
        }
    }
}

/// Says what a clock that was taken on purpose reopens or ends.
fn tell(accepted: &AcceptedClock) {
    let effects = &accepted.effects;
    let mut words = if accepted.to < accepted.from {
        format!(
            "amiss: the clock went back from {} to {}; open again: {}, {}; bounded deliveries of \
             which no row is left may be accepted again",
            accepted.from,
            accepted.to,
            counted(effects.reopened_leases, "lease", "leases"),
            counted(effects.reopened_lifetimes, "lifetime", "lifetimes")
        )
    } else {
        format!(
            "amiss: the clock went on from {} to {}; ended: {}, {}",
            accepted.from,
            accepted.to,
            counted(effects.ended_leases, "lease", "leases"),
            counted(effects.ended_lifetimes, "lifetime", "lifetimes")
        )
    };
    if effects.running_ahead > 0 {
        let ahead = format!(
            "; written later than that, so busy until the deadline or `amiss ledger abandon`: {}",
            counted(effects.running_ahead, "running row", "running rows")
        );
        words.push_str(&ahead);
    }
    note(&words);
}

pub fn run(arguments: &Arguments) -> Status {
    match init(arguments) {
        Ok(prepared) => {
            if let Some(accepted) = &prepared.accepted_clock {
                tell(accepted);
            }
            Output::new().print(&Printed {
                root: RootMember::of(&prepared),
            })
        }
        Err(failure) => fail(failure),
    }
}

fn init(arguments: &Arguments) -> Result<Prepared, Failure> {
    let limits = Limits {
        lease_millis: arguments.lease_ms,
        max_records: arguments.max_records,
        max_signed_age_millis: arguments.max_signed_age_ms,
        max_queue_age_millis: arguments.max_queue_age_ms,
    };
    let root = open_root(&arguments.root, &ExpectArgs::none(), Some(&arguments.clock))?;
    let policy = if arguments.accept_clock {
        ClockPolicy::Accept
    } else {
        ClockPolicy::Guard
    };
    Ok(root.init(&limits, &*arguments.clock.time.clock(), policy)?)
}

impl RootMember {
    fn of(prepared: &Prepared) -> RootMember {
        RootMember {
            lease_millis: prepared.limits.lease_millis,
            max_records: prepared.limits.max_records,
            max_signed_age_millis: prepared.limits.max_signed_age_millis,
            max_queue_age_millis: prepared.limits.max_queue_age_millis,
            records: prepared.records,
            clock_high_water_unix_millis: prepared.high_water.get(),
            migrated: prepared.migrated,
            accepted_clock: prepared.accepted_clock.as_ref().map(AcceptedMember::of),
            cleanup: CleanupMember::of(&prepared.cleaned),
        }
    }
}
