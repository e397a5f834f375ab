//! A fresh process for every operation: how people use it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use amiss::bench::minimal_replacement;
use amiss::bench::scene::{self, Lifetime};
use amiss::process::{Program, timed};
use serde_json::{Value, json};

use crate::contender::{Contender, Places};
use crate::report::{Mode, Report};

/// How each contender's steps are started.
struct Steps {
    amiss: PathBuf,
    own: PathBuf,
    folder: PathBuf,
    check: PathBuf,
}

impl Steps {
    fn new(places: &Places, amiss: &Path) -> anyhow::Result<Steps> {
        let check = places.folder.join("check.json");
        std::fs::write(&check, serde_json::to_vec(&scene::check()?)?)?;
        Ok(Steps {
            amiss: amiss.to_owned(),
            own: std::env::current_exe()?,
            folder: places.folder.clone(),
            check,
        })
    }

    fn step(
        &self,
        contender: Contender,
        word: &str,
        input: &str,
    ) -> anyhow::Result<(Duration, String)> {
        let place = self.folder.join(contender.name());
        let program = if contender == Contender::Amiss {
            let program = Program::new(&self.amiss)
                .args(["ledger", word, "--root"])
                .arg(&place);
            if word == "claim" {
                program.arg("--check").arg(&self.check)
            } else {
                program
            }
        } else {
            Program::new(&self.own)
                .args(["step", contender.name(), word])
                .arg(&place)
                .arg(&self.check)
        };
        let run = timed(&program, input.as_bytes())?;
        let text = String::from_utf8(run.stdout)?;
        anyhow::ensure!(
            run.status == Some(0),
            "{} {word}: {:?} {text}",
            contender.name(),
            run.status
        );
        Ok((run.wall, text))
    }

    fn empty(&self, contender: Contender) -> anyhow::Result<Duration> {
        let program = if contender == Contender::Amiss {
            Program::new(&self.amiss).arg("--version")
        } else {
            Program::new(&self.own).args(["step", "empty"])
        };
        Ok(timed(&program, b"")?.wall)
    }

    /// The times of claim, renew, stage and complete.
    fn life(&self, contender: Contender, number: u64) -> anyhow::Result<[Duration; 4]> {
        let delivery = scene::delivery(number, Lifetime::Permanent)?;
        let first = json!({"schema": "amiss/envelope/v1", "delivery": delivery}).to_string();
        let (claim, claimed) = self.step(contender, "claim", &first)?;
        let (renew, renewed) = self.step(contender, "renew", &claimed)?;
        let judged = self.judged(contender, number, &renewed)?;
        let (stage, staged) = self.step(contender, "stage", &judged)?;
        let (complete, _) = self.step(contender, "complete", &staged)?;
        Ok([claim, renew, stage, complete])
    }

    fn judged(&self, contender: Contender, number: u64, text: &str) -> anyhow::Result<String> {
        let report = scene::report(number);
        let path = self
            .folder
            .join(format!("report-{}-{number}", contender.name()));
        std::fs::write(&path, &report)?;
        let mut value: Value = serde_json::from_str(text)?;
        let facts = scene::run_facts(number)?;
        let outcome = scene::outcome(&path.to_string_lossy(), &report)?;
        for (name, member) in [
            ("run", json!(facts)),
            ("outcome", json!(outcome)),
            ("recheck", json!(facts)),
        ] {
            value[name] = member;
        }
        Ok(value.to_string())
    }

    /// Many deliveries on one input of `amiss`: claim, renew, stage and complete, one process each.
    fn one_input(&self, from: u64, batch: u64) -> anyhow::Result<Duration> {
        let mut input = String::new();
        for number in from..from + batch {
            let delivery = scene::delivery(number, Lifetime::Permanent)?;
            input += &json!({"schema": "amiss/envelope/v1", "delivery": delivery}).to_string();
            input.push('\n');
        }
        let (claim, claimed) = self.step(Contender::Amiss, "claim", &input)?;
        let (renew, renewed) = self.step(Contender::Amiss, "renew", &claimed)?;
        let mut judged = String::new();
        for (number, line) in (from..).zip(renewed.lines()) {
            judged += &self.judged(Contender::Amiss, number, line)?;
            judged.push('\n');
        }
        let (stage, staged) = self.step(Contender::Amiss, "stage", &judged)?;
        let (complete, _) = self.step(Contender::Amiss, "complete", &staged)?;
        Ok(claim + renew + stage + complete)
    }
}

const NAMES: [&str; 4] = ["claim", "renew", "stage 10 KiB", "complete"];

/// One operation at a time.
pub fn singles(
    places: &mut Places,
    amiss: &Path,
    samples: u64,
    report: &mut Report,
) -> anyhow::Result<()> {
    let steps = Steps::new(places, amiss)?;
    for round in 0..samples {
        let number = places.take(1);
        for contender in Contender::rotated(round) {
            let unit = minimal_replacement(&places.folder)?;
            let start = steps.empty(contender)?;
            report.time(
                "process start",
                places.rows,
                Mode::Fresh,
                contender,
                start,
                unit,
            );
            let times = steps.life(contender, number)?;
            for (name, time) in NAMES.into_iter().zip(times) {
                report.time(name, places.rows, Mode::Fresh, contender, time, unit);
            }
        }
    }
    Ok(())
}

/// Claim, renew, stage and complete by several workers that start a process for each.
pub fn rates(
    places: &mut Places,
    amiss: &Path,
    batch: u64,
    report: &mut Report,
) -> anyhow::Result<()> {
    let steps = Steps::new(places, amiss)?;
    // A fifth is enough: processes are slow.
    let few = (batch / 5).max(4);
    for round in 0..3 {
        for workers in [1_u64, 4] {
            for contender in Contender::rotated(round) {
                let from = places.take(few);
                let time = together(&steps, contender, from, few, workers)?;
                report.rate(places.rows, Mode::Fresh, workers, contender, few, time);
            }
        }
        let from = places.take(batch);
        let time = steps.one_input(from, batch)?;
        report.rate(
            places.rows,
            Mode::OneInput,
            1,
            Contender::Amiss,
            batch,
            time,
        );
    }
    Ok(())
}

fn together(
    steps: &Steps,
    contender: Contender,
    from: u64,
    batch: u64,
    workers: u64,
) -> anyhow::Result<Duration> {
    let next = AtomicU64::new(0);
    let started = Instant::now();
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let workers: Vec<_> = (0..workers)
            .map(|_| {
                scope.spawn(|| -> anyhow::Result<()> {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= batch {
                            return Ok(());
                        }
                        steps.life(contender, from + number)?;
                    }
                })
            })
            .collect();
        for worker in workers {
            worker
                .join()
                .map_err(|_| anyhow::anyhow!("a worker panicked"))??;
        }
        Ok(())
    })?;
    Ok(started.elapsed())
}
