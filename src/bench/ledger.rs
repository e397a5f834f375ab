//! The delivery record, at every number of retained rows.

use std::path::Path;

use super::document::Figure;
use super::error::BenchError;
use super::figure::{rate, share};
use super::flow::{Flow, HandClock, Stopwatch, SyncCounter};
use super::fresh::{self, Fresh};
use super::medium::remove_replaced;
use super::operation::Measured;
use super::options::Options;
use super::samples::{Samples, ratio, round};
use super::seed::{self, GROUPS, Seeded, group_size, root_options, seed_root};
use super::{Watch, scene, throughput};
use crate::clock::{Clock, FixedClock, SystemClock};
use crate::durable::Trace;
use crate::ledger::file::{FileLedger, Mode, Root};

/// How often a scan of the whole root is measured.
const SCANS: u64 = 5;
/// How often a rate is measured.
const RATES: u64 = 3;
/// Workers that are compared with one.
const WORKERS: u64 = 8;
/// How many times the rate of one worker they must reach at least.
const WORKERS_GAIN: f64 = 1.5;
/// How many times the rate of one process each many documents on one input must reach.
const TOGETHER_GAIN: f64 = 5.0;

/// How many deliveries a measurement of one root takes in, so that it is exactly full after them.
struct Plan {
    /// One at a time in this process; one more counts syncs.
    single: u64,
    /// A process a step.
    fresh: u64,
    /// In each measurement of a rate.
    batch: u64,
}

impl Plan {
    fn of(options: &Options) -> Plan {
        let single = u64::from(options.samples);
        Plan {
            single,
            fresh: if options.program.is_some() { single } else { 0 },
            batch: single.saturating_mul(4).clamp(8, 240),
        }
    }

    /// Rates that take a batch each: one worker, several, and many documents in one process.
    const fn batches(&self) -> u64 {
        let kinds: u64 = if self.fresh > 0 { 3 } else { 2 };
        kinds.saturating_mul(RATES)
    }

    const fn room(&self) -> u64 {
        self.single
            .saturating_add(1)
            .saturating_add(self.fresh)
            .saturating_add(self.batch.saturating_mul(self.batches()))
    }
}

/// Measures one root after the other.
pub(super) fn measure(
    options: &Options,
    place: &Path,
    watch: &mut dyn Watch,
) -> Result<Vec<Figure>, BenchError> {
    let now = SystemClock
        .now()
        .map_err(BenchError::measured("the clock"))?
        .get();
    let mut figures = Vec::new();
    for rows in &options.rows {
        let folder = place.join(format!("rows-{rows}"));
        std::fs::create_dir(&folder).map_err(|source| BenchError::io("make", &folder, source))?;
        let mut bench = OneRoot::new(options, &folder, *rows, now, watch)?;
        bench.singles()?;
        if let Some(program) = &options.program {
            bench.fresh(program)?;
        }
        bench.workers()?;
        bench.full()?;
        bench.scans()?;
        figures.append(&mut bench.figures);
        std::fs::remove_dir_all(&folder)
            .map_err(|source| BenchError::io("remove", &folder, source))?;
    }
    Ok(figures)
}

struct OneRoot<'a> {
    options: &'a Options,
    folder: &'a Path,
    watch: &'a mut dyn Watch,
    plan: Plan,
    seeded: Seeded,
    /// The next delivery that the root does not know.
    next: u64,
    figures: Vec<Figure>,
    measured: Vec<Measured>,
}

impl<'a> OneRoot<'a> {
    fn new(
        options: &'a Options,
        folder: &'a Path,
        rows: u64,
        now: i64,
        watch: &'a mut dyn Watch,
    ) -> Result<OneRoot<'a>, BenchError> {
        let plan = Plan::of(options);
        let what = format!("{rows} rows: writing them");
        let mut each = |done| watch.progress(&what, done, rows);
        let seeded = seed_root(&folder.join("root"), rows, plan.room(), now, &mut each)?;
        Ok(OneRoot {
            options,
            folder,
            watch,
            plan,
            seeded,
            next: rows,
            figures: Vec::new(),
            measured: Measured::all(),
        })
    }

    fn progress(&mut self, what: &str, done: u64, total: u64) -> Result<(), BenchError> {
        let what = format!("{} rows: {what}", self.seeded.rows);
        self.watch.progress(&what, done, total)
    }

    fn root(&self) -> Result<Root, BenchError> {
        Root::open(&self.seeded.path, root_options()).map_err(BenchError::measured("open"))
    }

    /// The first of `count` deliveries that the root does not know.
    fn take(&mut self, count: u64) -> u64 {
        let from = self.next;
        self.next = self.next.saturating_add(count);
        from
    }

    /// One delivery at a time in this process: first its syncs, then its times.
    fn singles(&mut self) -> Result<(), BenchError> {
        let check = scene::check()?;
        let clock = HandClock::at(self.seeded.now);
        let trace = Trace::default();
        let number = self.take(1);
        Flow {
            ledger: FileLedger::new(self.root()?.traced(trace.clone()), &clock),
            meter: SyncCounter {
                trace,
                measured: &mut self.measured,
            },
            check: &check,
        }
        .whole_life(number, &clock)?;
        // One open record for all of them, as in a program that stays.
        let ledger = FileLedger::new(self.root()?, &clock);
        let mut measured = std::mem::take(&mut self.measured);
        let root = self.seeded.path.clone();
        let mut flow = Flow {
            ledger,
            meter: Stopwatch {
                folder: &root,
                measured: &mut measured,
            },
            check: &check,
        };
        for round in 0..self.plan.single {
            let number = self.take(1);
            flow.whole_life(number, &clock)?;
            self.progress(
                "one operation at a time",
                round.saturating_add(1),
                self.plan.single,
            )?;
        }
        self.measured = measured;
        Ok(())
    }

    /// Claims that find no room, now that the root is exactly full; then all figures of single
    /// operations.
    fn full(&mut self) -> Result<(), BenchError> {
        let check = scene::check()?;
        let clock = FixedClock(self.seeded.now);
        let number = self.next;
        let trace = Trace::default();
        Flow {
            ledger: FileLedger::new(self.root()?.traced(trace.clone()), clock),
            meter: SyncCounter {
                trace,
                measured: &mut self.measured,
            },
            check: &check,
        }
        .claim_full(number)?;
        let ledger = FileLedger::new(self.root()?, clock);
        let mut flow = Flow {
            ledger,
            meter: Stopwatch {
                folder: &self.seeded.path,
                measured: &mut self.measured,
            },
            check: &check,
        };
        for round in 0..self.plan.single {
            flow.claim_full(number.saturating_add(round))?;
        }
        remove_replaced(&self.seeded.path)?;
        let measured = std::mem::take(&mut self.measured);
        let rows = self.seeded.rows;
        let singles = measured.iter().map(|line| single(line, rows));
        self.figures.splice(0..0, singles);
        Ok(())
    }

    /// A fresh process for every step, and many documents in one process.
    fn fresh(&mut self, program: &Path) -> Result<(), BenchError> {
        let fresh = Fresh::new(program, &self.seeded.path, self.folder)?;
        let rows = self.seeded.rows;
        let starts = fresh::starts(&fresh, self.options.samples)?;
        self.figures.push(plain("process start", rows, &starts));
        let mut measured = fresh::four();
        for round in 0..self.plan.fresh {
            let number = self.take(1);
            fresh.life(number, &mut measured)?;
            self.progress("a process a step", round.saturating_add(1), self.plan.fresh)?;
        }
        for line in &measured {
            let name = format!("{}, fresh process", line.operation.name());
            let of_a_replacement = line.times.ratio_to(&line.units);
            self.figures.push(Figure {
                of_a_replacement,
                ..plain(&name, rows, &line.times)
            });
        }
        let one_each = rate(fresh::short_life(&measured), 1);
        let batch = self.plan.batch;
        let mut samples = Samples::new();
        for round in 0..RATES {
            let from = self.take(batch);
            samples.push(share(fresh.together(from, batch)?, batch));
            self.progress(
                "many documents on one input",
                round.saturating_add(1),
                RATES,
            )?;
        }
        let name = "claim, stage, complete on one input";
        let least = one_each.map(|rate| round(rate * TOGETHER_GAIN));
        self.figures.push(rated(name, rows, &samples, least));
        Ok(())
    }

    /// One worker, then several, in turn.
    fn workers(&mut self) -> Result<(), BenchError> {
        let (path, now, batch) = (self.seeded.path.clone(), self.seeded.now, self.plan.batch);
        let (mut one, mut many) = (Samples::new(), Samples::new());
        for round in 0..RATES {
            for (samples, workers) in [(&mut one, 1), (&mut many, WORKERS)] {
                let from = self.take(batch);
                let time = throughput::run(&path, now, from, batch, workers)?;
                samples.push(share(time, batch));
            }
            self.progress("one worker and several", round.saturating_add(1), RATES)?;
        }
        let rows = self.seeded.rows;
        let least = rate(one.median(), 1).map(|rate| round(rate * WORKERS_GAIN));
        self.figures
            .push(rated("claim, stage, complete, 1 worker", rows, &one, None));
        let name = format!("claim, stage, complete, {WORKERS} workers");
        self.figures.push(rated(&name, rows, &many, least));
        Ok(())
    }

    /// Cleanup with nothing to remove, then of one group of ended rows after the other.
    fn scans(&mut self) -> Result<(), BenchError> {
        let root = self.root()?;
        let rows = self.seeded.rows;
        let (mut checks, mut idle, mut busy) = (Samples::new(), Samples::new(), Samples::new());
        let clock = FixedClock(self.seeded.now);
        for round in 0..SCANS {
            let checked = checks
                .time(|| root.check())
                .map_err(BenchError::measured("check"))?;
            if !checked.defects.is_empty() {
                return Err(BenchError::Answer {
                    what: "check".into(),
                    expected: "no defect",
                    got: format!("{:?}", checked.defects),
                });
            }
            idle.time(|| root.cleanup(&clock, Mode::Act))
                .map_err(BenchError::measured("cleanup"))?;
            self.progress(
                "check, and cleanup of nothing",
                round.saturating_add(1),
                SCANS,
            )?;
        }
        for group in 0..GROUPS {
            let clock = FixedClock(self.seeded.end_of_group(group));
            let done = busy
                .time(|| root.cleanup(&clock, Mode::Act))
                .map_err(BenchError::measured("cleanup"))?;
            if done.removed_records < group_size(rows) {
                return Err(BenchError::Answer {
                    what: "cleanup".into(),
                    expected: "one group of ended rows",
                    got: format!("{done:?}"),
                });
            }
            self.progress("cleanup of ended rows", group.saturating_add(1), GROUPS)?;
        }
        self.figures.push(plain("check", rows, &checks));
        self.figures
            .push(plain("cleanup, nothing ended", rows, &idle));
        let name = format!("cleanup of {} ended rows", group_size(rows));
        self.figures.push(plain(&name, rows, &busy));
        Ok(())
    }
}

fn plain(operation: &str, rows: u64, samples: &Samples) -> Figure {
    Figure::of(operation, Some(rows), samples)
}

fn single(line: &Measured, rows: u64) -> Figure {
    let of_a_replacement = line.times.ratio_to(&line.units);
    let hashing = ratio(scene::hashing(), line.units.median()).unwrap_or(0.0);
    let bound = line.operation.bound(line.syncs, of_a_replacement, hashing);
    Figure {
        syncs: line.syncs,
        of_a_replacement,
        bound: Some(bound),
        ..plain(line.operation.name(), rows, &line.times)
    }
}

fn rated(operation: &str, rows: u64, samples: &Samples, least: Option<f64>) -> Figure {
    Figure::rated(operation, Some(rows), samples, least)
}

/// Threads that a seed uses, for the answer.
pub(super) fn cores() -> u64 {
    u64::try_from(seed::cores()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Unwatched;
    use crate::bench::operation::Operation;
    use crate::bench::options::{Part, Settings};

    #[test]
    fn every_operation_is_measured_within_its_syncs() {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            rows: Some(vec![20]),
            samples: Some(2),
            ..Settings::default()
        };
        let options = Options::new(Part::Ledger, settings, None).unwrap();
        let figures = measure(&options, folder.path(), &mut Unwatched).unwrap();
        for operation in Operation::ALL {
            let figure = figures
                .iter()
                .find(|figure| figure.operation == operation.name())
                .unwrap();
            assert_eq!(figure.samples_nanos.len(), 2, "{operation:?}");
            let syncs = figure.syncs.unwrap();
            assert!(
                syncs <= operation.limits().0,
                "{operation:?}: {syncs} syncs"
            );
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
