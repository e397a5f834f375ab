//! One command on one root, stopped and failed at each of its calls.

use std::path::{Path, PathBuf};
use std::process::Output;

use amiss::delivery::AcceptedDelivery;
use serde_json::Value;
use tempfile::TempDir;

use super::judge::{Draws, Judge};
use super::oracle::look;
use super::play::{Mark, scratch};
use super::states::{Tree, private};
use super::strace::{Call, Run, Tamper, is_there};

/// A command, and the root that it works on.
pub struct Case {
    pub name: &'static str,
    /// The root before the command, with what is certain about it.
    pub base: Tree,
    pub before: Mark,
    /// Whether the root may be unprepared while the command is under way.
    pub offline: bool,
    /// The limits that the command sets.
    pub limits: amiss::ledger::file::Limits,
    /// The arguments after `amiss`; `ROOT` and `BESIDE` stand for the places of a run.
    pub arguments: Vec<String>,
    pub input: String,
    /// All deliveries that the root knows.
    pub deliveries: Vec<AcceptedDelivery>,
    /// The statuses that the same command may have when it is simply given again.
    pub again: &'static [i32],
}

/// A root of its own for one run.
struct Place {
    folder: TempDir,
}

impl Place {
    fn of(base: &Tree) -> Place {
        let place = Place { folder: scratch() };
        for folder in [place.root(), place.folder.path().join("moved")] {
            std::fs::create_dir(&folder).unwrap();
            private(&folder);
        }
        base.lay_out(&place.root());
        place
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn run(&self, case: &Case) -> Run {
        let root = self.root();
        let fill = |text: &String| {
            text.replace("ROOT", root.to_str().unwrap())
                .replace("BESIDE", self.folder.path().to_str().unwrap())
        };
        Run {
            arguments: case.arguments.iter().map(fill).collect(),
            input: case.input.clone(),
        }
    }
}

/// What the runs of a case came to.
#[derive(Debug, Default)]
pub struct Tally {
    pub calls: usize,
    pub killed: usize,
    pub failed: usize,
    pub done_all_the_same: usize,
    pub short: usize,
}

impl Case {
    /// What an undisturbed run does, as `strace` shows it, and where its root is.
    pub fn lines(&self) -> (Vec<String>, String) {
        let place = Place::of(&self.base);
        let log = place.folder.path().join("strace.log");
        let (output, _) = place.run(self).calls(&place.root(), &log);
        assert!(output.status.code().is_some(), "{output:?}");
        let text = std::fs::read_to_string(&log).unwrap();
        let root = place.root().to_str().unwrap().to_owned();
        (text.lines().map(str::to_owned).collect(), root)
    }

    /// Stops and fails the command at each of its calls, and judges what is left each time.
    pub fn hold(&self) {
        if !is_there() {
            return;
        }
        let place = Place::of(&self.base);
        let run = place.run(self);
        let log = place.folder.path().join("strace.log");
        let (output, calls) = run.calls(&place.root(), &log);
        let expected = output.status.code();
        let after = Mark {
            label: self.name.into(),
            seen: look(&place.root()).unwrap(),
            offline: self.offline,
            limits: self.limits,
            ..self.before.clone()
        };
        assert!(!calls.is_empty(), "{}: {output:?}", self.name);
        let mut judge = Judge::new(&self.deliveries, Draws::Other);
        let mut tally = Tally {
            calls: calls.len(),
            ..Tally::default()
        };
        let mut faults = Vec::new();
        for call in &calls {
            for tamper in tampers(call) {
                let judged = self.one(call, tamper, expected, &after, &mut judge, &mut tally);
                if let Err(fault) = judged {
                    faults.push(format!("{tamper:?} at {}\n  {fault}", call.line));
                }
            }
        }
        let writes = calls.iter().filter(|call| call.name == "write").count();
        for (at, then) in short_writes(writes) {
            let judged = self.short(at, then, expected, &after, &mut judge, &mut tally);
            if let Err(fault) = judged {
                faults.push(format!("write {at} short, then {then:?}\n  {fault}"));
            }
        }
        crate::figures::tell(&format!(
            "{}: {} calls, killed at each ({}), failed {} times, went on all the same {} times, \
             {} short writes, {} violations",
            self.name,
            tally.calls,
            tally.killed,
            tally.failed,
            tally.done_all_the_same,
            tally.short,
            faults.len()
        ));
        let shown = faults.iter().take(5).cloned().collect::<Vec<_>>();
        assert!(
            faults.is_empty(),
            "{}: {} violations\n{}",
            self.name,
            faults.len(),
            shown.join("\n")
        );
    }

    fn one(
        &self,
        call: &Call,
        tamper: Tamper,
        expected: Option<i32>,
        after: &Mark,
        judge: &mut Judge,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let place = Place::of(&self.base);
        let output = place.run(self).tampered(call, tamper);
        if output.status.code() == expected && (tamper != Tamper::Kill || !call.main) {
            // It went on without the call; then its answer must hold.
            tally.done_all_the_same += 1;
            self.answered(&place, after, judge)?;
        } else {
            match tamper {
                Tamper::Kill => {
                    tally.killed += 1;
                    let killed = output.status.code().is_none_or(|code| code == 137);
                    ensure(killed, || format!("{output:?}"))?;
                }
                Tamper::Fail(_) => {
                    tally.failed += 1;
                    refused(&output).map_err(|fault| format!("{fault}: {output:?}"))?;
                }
            }
            judge.state(&Tree::of(&place.root()), &self.before, Some(after))?;
        }
        self.again(&place)
    }

    /// A write that writes half is gone on with; one after it that fails is an error.
    fn short(
        &self,
        at: usize,
        then: Option<i32>,
        expected: Option<i32>,
        after: &Mark,
        judge: &mut Judge,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let place = Place::of(&self.base);
        let mut settings = vec![("AMISS_SHORT", at.to_string())];
        settings.extend(then.map(|errno| ("AMISS_THEN", errno.to_string())));
        let output = place.run(self).with_short_writes(&settings);
        tally.short += 1;
        if then.is_none() {
            ensure(output.status.code() == expected, || format!("{output:?}"))?;
            self.answered(&place, after, judge)?;
        } else {
            refused(&output).map_err(|fault| format!("{fault}: {output:?}"))?;
            judge.state(&Tree::of(&place.root()), &self.before, Some(after))?;
        }
        self.again(&place)
    }

    /// What was answered is there, and stays.
    fn answered(&self, place: &Place, after: &Mark, judge: &mut Judge) -> Result<(), String> {
        let seen = look(&place.root())?;
        self.is_done(&seen.rows, after)?;
        let certain = Mark {
            seen,
            ..after.clone()
        };
        judge.state(&Tree::of(&place.root()), &certain, None)
    }

    /// The same command given again ends as it must.
    fn again(&self, place: &Place) -> Result<(), String> {
        let again = place.run(self).plain();
        let status = again.status.code().unwrap_or(-1);
        ensure(self.again.contains(&status), || {
            format!("given again it ends with {status}: {again:?}")
        })?;
        look(&place.root()).map(|_| ())
    }

    /// The rows are those of the undisturbed run.
    fn is_done(
        &self,
        rows: &std::collections::BTreeMap<String, Value>,
        after: &Mark,
    ) -> Result<(), String> {
        let expected = &after.seen.rows;
        ensure(rows.keys().eq(expected.keys()), || {
            format!("{:?} instead of {:?}", rows.keys(), expected.keys())
        })?;
        for (key, row) in rows {
            let was = self.before.seen.rows.get(key);
            ensure(
                Draws::Other.agree(Some(row), expected.get(key), was),
                || format!("answered, and the row is {row}"),
            )?;
        }
        Ok(())
    }
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// An error of the system is answered as one: status 74, the same code in the answer, one line on
/// standard error.
fn refused(output: &Output) -> Result<(), String> {
    ensure(output.status.code() == Some(74), || "not status 74".into())?;
    let answer: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    ensure(answer["error"]["code"] == "IO", || "not IO".into())?;
    let lines = String::from_utf8_lossy(&output.stderr).lines().count();
    ensure(lines >= 1, || "nothing on standard error".into())
}

/// Every write short alone, all of them, and each with an error on what is left of it.
fn short_writes(writes: usize) -> Vec<(usize, Option<i32>)> {
    const ENOSPC: i32 = 28;
    const EIO: i32 = 5;
    let each = 1..=writes;
    each.clone()
        .map(|at| (at, None))
        .chain((writes > 0).then_some((0, None)))
        .chain(each.flat_map(|at| [(at, Some(ENOSPC)), (at, Some(EIO))]))
        .collect()
}

/// What may happen to a call.
fn tampers(call: &Call) -> Vec<Tamper> {
    let errors: &[&str] = match call.name.as_str() {
        "flock" => &["EIO", "ENOLCK", "EOPNOTSUPP", "ESTALE", "EINTR"],
        _ => &["EIO", "ENOSPC", "EINTR"],
    };
    [Tamper::Kill]
        .into_iter()
        .chain(errors.iter().map(|errno| Tamper::Fail(errno)))
        .collect()
}

/// A file beside the roots of a case, kept for the whole test.
pub fn kept_file(folder: &Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}
