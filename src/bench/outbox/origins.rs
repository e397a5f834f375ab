//! Eight origins that take 200 ms each: one after the other, and side by side.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::host::{Host, init};
use crate::bench::Watch;
use crate::bench::document::Figure;
use crate::bench::error::BenchError;
use crate::bench::options::Options;
use crate::bench::samples::Samples;
use crate::clock::SystemClock;
use crate::outbox::pump::Settings;
use crate::outbox::{HostRoot, run_once};
use crate::process::Cancel;

/// How many origins.
const ORIGINS: usize = 8;
/// How long each takes over a push, in seconds, as a shell sleeps.
const TAKES: &str = "0.2";
/// How many times as fast they must be side by side.
const GAIN: f64 = 6.0;
/// How often each way is measured at most.
const ROUNDS: u32 = 5;
/// The longest that one push may take.
const DEADLINE: Duration = Duration::from_secs(120);

/// Measures both ways in turn.
pub(super) fn measure(
    options: &Options,
    program: &Path,
    place: &Path,
    watch: &mut dyn Watch,
) -> Result<Vec<Figure>, BenchError> {
    let host = Host::make(&place.join("origins"), 0, watch)?;
    let origins: Vec<PathBuf> = (0..ORIGINS)
        .map(|number| host.folder().join(format!("slow-{number}.git")))
        .collect();
    for origin in &origins {
        init(origin, &Cancel::new())?;
        slow(origin)?;
    }
    let rounds = options.samples.min(ROUNDS);
    let (mut alone, mut together) = (Samples::new(), Samples::new());
    for round in 0..rounds {
        watch.progress("eight slow origins", u64::from(round), u64::from(rounds))?;
        for (jobs, samples) in [(1, &mut alone), (ORIGINS, &mut together)] {
            for origin in &origins {
                host.enqueue_to(origin, &format!("r{round}-j{jobs}"))?;
            }
            samples.push(cycle(&host, program, jobs)?);
        }
    }
    let alone = Figure::rated("eight origins of 200 ms, in turn", None, &alone, None);
    let least = alone.per_second.map(|rate| rate * GAIN);
    let together = Figure::rated(
        "eight origins of 200 ms, side by side",
        None,
        &together,
        least,
    );
    Ok(vec![alone, together])
}

/// Makes an origin take its time over every push.
fn slow(origin: &Path) -> Result<(), BenchError> {
    let hook = origin.join("hooks/pre-receive");
    let failed = |source| BenchError::io("write", &hook, source);
    if let Some(folder) = hook.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(&hook, format!("#!/bin/sh\nexec sleep {TAKES}\n")).map_err(failed)?;
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o700)).map_err(failed)
}

/// One cycle over everything that is due, with so many origins at a time.
fn cycle(host: &Host, program: &Path, jobs: usize) -> Result<Duration, BenchError> {
    let failed = BenchError::measured("a cycle");
    let root = HostRoot::open(host.root().path(), DEADLINE).map_err(failed)?;
    let held = root
        .lock_pump(DEADLINE)
        .map_err(BenchError::measured("the pump's lock"))?;
    let Some(held) = held else {
        return Err(unexpected("the pump's lock".into()));
    };
    let settings = Settings {
        jobs,
        push_timeout: DEADLINE,
        warden: program.to_owned(),
        stop: Cancel::new(),
    };
    let started = Instant::now();
    let (cycle, _) = run_once(root, &held, Arc::new(SystemClock), settings)
        .map_err(BenchError::measured("a cycle"))?;
    let wall = started.elapsed();
    if usize::try_from(cycle.delivered).ok() == Some(ORIGINS) {
        Ok(wall)
    } else {
        Err(unexpected(format!("{cycle:?}")))
    }
}

fn unexpected(got: String) -> BenchError {
    BenchError::Answer {
        what: "a cycle over eight origins".into(),
        expected: "eight deliveries",
        got,
    }
}
