//! How many deliveries a second several workers get through on one root.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::error::BenchError;
use super::flow::{Bare, Flow};
use super::scene;
use super::seed::root_options;
use crate::clock::{Clock, FixedClock};
use crate::ledger::file::{FileLedger, Root};

/// Takes `count` deliveries from claim to completion with `workers` threads that share nothing but
/// the root. The time of all of them.
pub(super) fn run(
    root: &Path,
    now: i64,
    from: u64,
    count: u64,
    workers: u64,
) -> Result<Duration, BenchError> {
    let check = scene::check()?;
    let next = AtomicU64::new(0);
    let mut flows = Vec::new();
    for _ in 0..workers {
        let opened = Root::open(root, root_options()).map_err(BenchError::measured("open"))?;
        flows.push(Flow {
            ledger: FileLedger::new(opened, FixedClock(now)),
            meter: Bare,
            check: &check,
        });
    }
    let started = Instant::now();
    std::thread::scope(|scope| {
        let workers: Vec<_> = flows
            .into_iter()
            .map(|flow| scope.spawn(|| work(flow, &next, from, count)))
            .collect();
        let mut outcome = Ok(());
        for worker in workers {
            let joined = worker.join().unwrap_or_else(|_| {
                Err(BenchError::Answer {
                    what: "workers".into(),
                    expected: "a thread that ends",
                    got: "one that did not".into(),
                })
            });
            outcome = outcome.and(joined);
        }
        outcome
    })?;
    Ok(started.elapsed())
}

fn work<C: Clock>(
    mut flow: Flow<'_, C, Bare>,
    next: &AtomicU64,
    from: u64,
    count: u64,
) -> Result<(), BenchError> {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return Ok(());
        }
        flow.short_life(from.saturating_add(number))?;
    }
}
