//! `amiss ledger stats`.

use amiss::ledger::file::Stats;
use clap::Args;
use comfy_table::{Table, presets};
use serde::Serialize;

use super::format::{Format, FormatArgs};
use super::open::LedgerArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail, note};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss ledger stats --root /var/lib/amiss --format json")]
pub struct Arguments {
    #[command(flatten)]
    ledger: LedgerArgs,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Printed {
    stats: StatsMember,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct StatsMember {
    records: u64,
    max_records: u64,
    running: u64,
    staged: u64,
    done_permanent: u64,
    done_bounded: u64,
    damaged: u64,
    reports: u64,
    report_bytes: u64,
    row_locks: u64,
    clock_high_water_unix_millis: i64,
    oldest_running_unix_millis: Option<i64>,
    warnings: Vec<String>,
    lease_millis: i64,
    max_signed_age_millis: i64,
    max_queue_age_millis: i64,
}

pub fn run(arguments: &Arguments) -> Status {
    let stats = match stats(arguments) {
        Ok(stats) => stats,
        Err(failure) => return fail(failure),
    };
    // Counting needs no time: without a clock only the warning about it is left out.
    let now = arguments.ledger.clock.time.clock().now().ok();
    let warnings = stats.warnings(now);
    for warning in &warnings {
        note(&format!("amiss: warning: {warning}"));
    }
    let mut output = Output::new();
    match arguments.format.chosen() {
        Format::Table => output.write_line(&table(&stats).to_string()),
        Format::Json => output.print(&Printed {
            stats: StatsMember::of(&stats, warnings),
        }),
    }
}

fn stats(arguments: &Arguments) -> Result<Stats, Failure> {
    let ledger = arguments.ledger.open()?;
    Ok(ledger.root().stats()?)
}

impl StatsMember {
    fn of(stats: &Stats, warnings: Vec<String>) -> StatsMember {
        StatsMember {
            records: stats.records,
            max_records: stats.max_records,
            running: stats.running,
            staged: stats.staged,
            done_permanent: stats.done_permanent,
            done_bounded: stats.done_bounded,
            damaged: stats.damaged,
            reports: stats.reports,
            report_bytes: stats.report_bytes,
            row_locks: stats.row_locks,
            clock_high_water_unix_millis: stats.high_water.get(),
            oldest_running_unix_millis: stats.oldest_running.map(amiss::clock::UnixMillis::get),
            warnings,
            lease_millis: stats.lease_millis,
            max_signed_age_millis: stats.max_signed_age_millis,
            max_queue_age_millis: stats.max_queue_age_millis,
        }
    }
}

fn table(stats: &Stats) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let oldest = stats
        .oldest_running
        .map_or_else(|| "none".to_owned(), super::when::at);
    for (name, value) in [
        (
            "rows",
            format!("{} of {}", stats.records, stats.max_records),
        ),
        ("running", stats.running.to_string()),
        ("staged", stats.staged.to_string()),
        ("done, for good", stats.done_permanent.to_string()),
        ("done, with an end", stats.done_bounded.to_string()),
        ("damaged", stats.damaged.to_string()),
        (
            "reports",
            format!("{} ({} bytes)", stats.reports, stats.report_bytes),
        ),
        ("row locks", stats.row_locks.to_string()),
        ("last known time", super::when::at(stats.high_water)),
        ("oldest running row", oldest),
        ("lease", format!("{} ms", stats.lease_millis)),
        (
            "largest signed age",
            format!("{} ms", stats.max_signed_age_millis),
        ),
        (
            "longest queue time",
            format!("{} ms", stats.max_queue_age_millis),
        ),
    ] {
        table.add_row([name.to_owned(), value]);
    }
    table
}
