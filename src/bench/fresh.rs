//! The same operations as people use them: a fresh process for every step, envelope in, envelope
//! out.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::error::BenchError;
use super::medium::minimal_replacement;
use super::operation::{Measured, Operation};
use super::samples::Samples;
use super::scene::{self, Lifetime};
use crate::process::{Program, timed};

/// The program on one root.
pub(super) struct Fresh {
    program: PathBuf,
    root: PathBuf,
    folder: PathBuf,
    check: PathBuf,
}

impl Fresh {
    /// Puts the check and the report's folder beside the root.
    pub(super) fn new(program: &Path, root: &Path, folder: &Path) -> Result<Fresh, BenchError> {
        let check = folder.join("check.json");
        let text = serde_json::to_vec(&scene::check()?).unwrap_or_default();
        fs::write(&check, text).map_err(|source| BenchError::io("write", &check, source))?;
        Ok(Fresh {
            program: program.to_owned(),
            root: root.to_owned(),
            folder: folder.to_owned(),
            check,
        })
    }

    /// From the spawn of a program that does nothing else to its exit.
    pub(super) fn start(&self) -> Result<Duration, BenchError> {
        let program = Program::new(&self.program).arg("--version");
        let run = timed(&program, b"").map_err(BenchError::measured("process start"))?;
        Ok(run.wall)
    }

    /// One step on any number of envelopes.
    fn step(&self, operation: Operation, input: &str) -> Result<(Duration, String), BenchError> {
        let word = match operation {
            Operation::Renew => "renew",
            Operation::Stage => "stage",
            Operation::Complete => "complete",
            _ => "claim",
        };
        let mut program = Program::new(&self.program)
            .args(["ledger", word, "--root"])
            .arg(&self.root);
        if word == "claim" {
            program = program.arg("--check").arg(&self.check);
        }
        let run =
            timed(&program, input.as_bytes()).map_err(BenchError::measured(operation.name()))?;
        let text = String::from_utf8_lossy(&run.stdout).into_owned();
        if run.status == Some(0) {
            Ok((run.wall, text))
        } else {
            Err(BenchError::Answer {
                what: operation.name().to_owned(),
                expected: "status 0",
                got: format!("{:?}: {text}", run.status),
            })
        }
    }

    fn timed_step(
        &self,
        operation: Operation,
        input: &str,
        measured: &mut [Measured],
    ) -> Result<String, BenchError> {
        let unit = minimal_replacement(&self.root)?;
        let (time, text) = self.step(operation, input)?;
        if let Some(line) = measured.iter_mut().find(|line| line.operation == operation) {
            line.units.push(unit);
            line.times.push(time);
        }
        Ok(text)
    }

    /// The `number`-th delivery, a process a step.
    pub(super) fn life(&self, number: u64, measured: &mut [Measured]) -> Result<(), BenchError> {
        let claimed = self.timed_step(Operation::ClaimNew, &envelope(number)?, measured)?;
        let renewed = self.timed_step(Operation::Renew, &claimed, measured)?;
        let judged = self.judged(number, &renewed)?;
        let staged = self.timed_step(Operation::Stage, &judged, measured)?;
        self.timed_step(Operation::Complete, &staged, measured)?;
        Ok(())
    }

    /// Many deliveries on one input: claim, stage and complete, one process each. The time of all
    /// three.
    pub(super) fn together(&self, from: u64, count: u64) -> Result<Duration, BenchError> {
        let mut input = String::new();
        for number in from..from.saturating_add(count) {
            input.push_str(&envelope(number)?);
            input.push('\n');
        }
        let (claim, claimed) = self.step(Operation::ClaimNew, &input)?;
        let mut judged = String::new();
        for (number, line) in (from..).zip(claimed.lines()) {
            judged.push_str(&self.judged(number, line)?);
            judged.push('\n');
        }
        let (stage, staged) = self.step(Operation::Stage, &judged)?;
        let (complete, _) = self.step(Operation::Complete, &staged)?;
        Ok(claim.saturating_add(stage).saturating_add(complete))
    }

    /// What refresh and the run add to a claimed envelope.
    fn judged(&self, number: u64, claimed: &str) -> Result<String, BenchError> {
        let report = scene::report(number);
        let path = self.folder.join(format!("report-{number}"));
        fs::write(&path, &report).map_err(|source| BenchError::io("write", &path, source))?;
        let mut value: Value = serde_json::from_str(claimed).unwrap_or_default();
        if let Some(members) = value.as_object_mut() {
            let facts = scene::run_facts(number)?;
            let outcome = scene::outcome(&path.to_string_lossy(), &report)?;
            members.insert("run".into(), json!(facts));
            members.insert("outcome".into(), json!(outcome));
            members.insert("recheck".into(), json!(facts));
        }
        Ok(value.to_string())
    }
}

fn envelope(number: u64) -> Result<String, BenchError> {
    let delivery = scene::delivery(number, Lifetime::Permanent)?;
    Ok(json!({"schema": "amiss/envelope/v1", "delivery": delivery}).to_string())
}

/// One claim, stage and complete, a process each, from the medians of what was measured.
pub(super) fn short_life(measured: &[Measured]) -> Duration {
    measured
        .iter()
        .filter(|line| line.operation != Operation::Renew)
        .map(|line| line.times.median())
        .sum()
}

/// No samples of anything but the four steps.
pub(super) fn four() -> Vec<Measured> {
    let mut all = Measured::all();
    all.retain(|line| {
        matches!(
            line.operation,
            Operation::ClaimNew | Operation::Renew | Operation::Stage | Operation::Complete
        )
    });
    all
}

/// Process starts.
pub(super) fn starts(fresh: &Fresh, count: u32) -> Result<Samples, BenchError> {
    let mut samples = Samples::new();
    for _ in 0..count {
        samples.push(fresh.start()?);
    }
    Ok(samples)
}
