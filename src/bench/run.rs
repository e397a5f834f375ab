//! One measurement from the options to the answer.

use std::path::Path;
use std::time::Duration;

use super::document::{
    Bench, Document, Figure, Machine, Medium, Schema, Syncing, Verdict, Warning,
};
use super::error::BenchError;
use super::options::{Options, Part};
use super::{Watch, compare, ingress, ledger, medium, outbox, place};
use crate::clock::{Clock, SystemClock};

/// A heartbeat checks its lease every five seconds at most; a renewal that takes a tenth of that is
/// too slow to rest on.
const SLOWEST_RENEWAL: Duration = Duration::from_millis(500);

/// Measures.
///
/// # Errors
/// [`BenchError`]; whatever was made on the disk is gone.
pub fn run(
    options: &Options,
    earlier: Option<&Path>,
    watch: &mut dyn Watch,
) -> Result<Document, BenchError> {
    // What can be wrong is found before anything is measured.
    let earlier = earlier
        .map(|path| compare::read(path, options.part))
        .transpose()?;
    let started = SystemClock
        .now()
        .map_err(BenchError::measured("the clock"))?;
    let load = load();
    let place = place::make(&options.dir)?;
    let (medium, figures) = match options.part {
        Part::Ledger => {
            let most = options.rows.last().copied().unwrap_or_default();
            place::check_room(place.path(), most)?;
            let medium = bare_disk(options, place.path(), watch)?;
            let figures = ledger::measure(options, place.path(), watch)?;
            (Some(medium), figures)
        }
        Part::Outbox => {
            let medium = bare_disk(options, place.path(), watch)?;
            let figures = outbox::measure(options, place.path(), watch)?;
            (Some(medium), figures)
        }
        Part::Ingress => (None, ingress::measure(options, place.path(), watch)?),
    };
    let syncing = medium.as_ref().map(|medium| medium.syncing);
    let mut bench = Bench {
        part: options.part,
        version: env!("AMISS_VERSION").to_owned(),
        started_unix_millis: started.get().unsigned_abs(),
        machine: Machine {
            system: std::env::consts::OS.to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            cores: ledger::cores(),
            load,
        },
        verdict: verdict(syncing, &figures),
        warnings: warnings(syncing, load),
        medium,
        figures,
        comparison: None,
    };
    bench.comparison = earlier.map(|earlier| compare::compare(&bench, &earlier.bench));
    Ok(Document {
        schema: Schema::V1,
        bench,
    })
}

/// What the disk itself costs, for a part that keeps something on it.
fn bare_disk(options: &Options, place: &Path, watch: &mut dyn Watch) -> Result<Medium, BenchError> {
    let rounds = options.samples.max(10);
    medium::measure(place, rounds, |done| {
        watch.progress("the bare disk", u64::from(done), u64::from(rounds))
    })
}

fn verdict(syncing: Option<Syncing>, figures: &[Figure]) -> Verdict {
    let mut reasons = Vec::new();
    match syncing {
        None | Some(Syncing::Plausible) => {}
        Some(Syncing::Doubtful) => {
            reasons.push("a sync returns faster than any medium can keep its promise".to_owned());
        }
        Some(Syncing::Memory) => reasons.push("the folder is in memory".to_owned()),
    }
    let slowest = u64::try_from(SLOWEST_RENEWAL.as_nanos()).unwrap_or(u64::MAX);
    for figure in figures {
        let rows = figure
            .rows
            .map_or_else(String::new, |rows| format!(" at {rows} rows"));
        if figure.operation == "renew" && figure.p95_nanos > slowest {
            reasons.push(format!(
                "a renewal takes {} ms{rows}; a heartbeat has no more than 500",
                figure.p95_nanos.div_euclid(1_000_000)
            ));
        }
        if !figure.within() {
            reasons.push(format!("{}{rows} is over its bound", figure.operation));
        }
    }
    Verdict {
        good_enough: reasons.is_empty(),
        reasons,
    }
}

fn warnings(syncing: Option<Syncing>, load: Option<f64>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn = |what: &str, message: &str| {
        warnings.push(Warning {
            what: what.to_owned(),
            message: message.to_owned(),
        });
    };
    match syncing {
        None | Some(Syncing::Plausible) => {}
        Some(Syncing::Doubtful) => warn(
            "no-sync",
            "this disk does not seem to sync at all: after a power loss, answers that were given \
             may be gone. Look for a write cache without a battery, a virtual disk that ignores \
             flushes, or libeatmydata",
        ),
        Some(Syncing::Memory) => warn(
            "memory",
            "this folder is in memory: everything in it is gone after a restart, and the figures \
             say nothing about a disk",
        ),
    }
    let cores = f64::from(u32::try_from(ledger::cores()).unwrap_or(1));
    if load.is_some_and(|load| load > cores / 2.0) {
        warn(
            "load",
            "the machine was busy when this began: compare ratios, not times",
        );
    }
    warnings
}

/// The load average of the last minute, where the system tells.
#[cfg(target_os = "linux")]
fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
const fn load() -> Option<f64> {
    None
}
