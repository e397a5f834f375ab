//! The run itself: start, heartbeat, end, and what was left behind.

use std::time::Duration;

use super::super::files::Keep;
use super::super::heartbeat::{self, Held, Over, Renew};
use super::super::record::{Observed, Verdict, classify};
use super::prepare::Ready;
use super::{Ran, RunError, Settings};
use crate::delivery::Outcome;
use crate::delivery::outcome::{End, NoVerdict};
use crate::process::warden::{Cause, Ended, Input, Job, NotStarted, Stream, Tree};
use crate::process::{Captured, ProcessError, Program};

/// How much of the head and of the tail of the bootstrap's own words is kept.
const LOG_BYTES: usize = 64 * 1024;

/// A run that is over.
pub(super) enum Launched {
    Ended(Box<Ended>),
    /// It did not start, or its end could not be observed.
    Unavailable(String),
}

pub(super) fn launch(
    settings: &Settings<'_>,
    ready: &Ready,
    renewal: &mut dyn Renew,
) -> Result<Launched, RunError> {
    let program = program(settings, ready);
    let held = Held::renew(renewal)?;
    if settings.cancel.is_cancelled() {
        return Err(RunError::Interrupted);
    }
    if let Some(detail) = ready.refusal {
        return Ok(Launched::Unavailable(detail.into()));
    }
    let job = Job {
        program: &program,
        input: Input::Null,
        stdout: Stream::Null,
        stderr: if settings.log {
            Stream::Keep {
                head: LOG_BYTES,
                tail: LOG_BYTES,
            }
        } else {
            Stream::Null
        },
        wall: Duration::from_millis(settings.plan.plan.execution.wall_timeout_millis),
        window: Some(held.left()),
        caps: settings.caps,
        held: Some(ready.scratch.lock()),
    };
    let tree = match Tree::start(&job, &settings.supervision) {
        Ok(tree) => tree,
        Err(NotStarted::Refused(reason)) => return Err(RunError::Limit(reason)),
        Err(NotStarted::Process(error)) => return Ok(Launched::Unavailable(chain(&error))),
    };
    supervise(settings, tree, held, renewal)
}

/// Waits for the end while another thread proves the lease.
fn supervise(
    settings: &Settings<'_>,
    tree: Tree,
    held: Held,
    renewal: &mut dyn Renew,
) -> Result<Launched, RunError> {
    let handle = match tree.handle() {
        Ok(handle) => handle,
        // The tree is ended by letting go of it.
        Err(error) => return Ok(Launched::Unavailable(chain(&error))),
    };
    let over = Over::default();
    let (ended, lease) = std::thread::scope(|scope| {
        let beat = std::thread::Builder::new()
            .name("heartbeat".into())
            .spawn_scoped(scope, || heartbeat::beat(renewal, held, &handle, &over));
        let beat = match beat {
            Ok(beat) => beat,
            Err(error) => return (None, Err(RunError::Heartbeat(error))),
        };
        let ended = tree.wait(settings.cancel);
        over.set();
        let lease = match beat.join() {
            Ok(lease) => lease.map_err(RunError::from),
            Err(_) => Err(RunError::Lost("the heartbeat failed".into())),
        };
        (Some(ended), lease)
    });
    let held = lease?;
    let unproved = matches!(&ended, Some(Ok(ended)) if ended.cause == Cause::Window);
    if unproved || held.left().is_zero() {
        return Err(RunError::Lost(
            "the lease's window passed during the run".into(),
        ));
    }
    if settings.cancel.is_cancelled() {
        return Err(RunError::Interrupted);
    }
    Ok(match ended {
        Some(Ok(ended)) => Launched::Ended(Box::new(ended)),
        Some(Err(error)) => Launched::Unavailable(chain(&error)),
        None => Launched::Unavailable("the run was not observed".into()),
    })
}

fn program(settings: &Settings<'_>, ready: &Ready) -> Program {
    let scratch = ready.scratch.path();
    let mut program = Program::new(scratch.join("bootstrap"))
        .arg("exec")
        .arg("--repository")
        .arg(&ready.repository)
        .arg("--action-repository")
        .arg(&ready.action_repository);
    for (flag, name) in [
        ("--constraint", "constraint.json"),
        ("--evaluation-request", "evaluation.json"),
        ("--snapshot-request", "snapshot.json"),
        ("--controls-request", "controls.json"),
    ] {
        program = program.arg(flag).arg(scratch.join(name));
    }
    program = program
        .arg("--scratch")
        .arg(scratch)
        .arg("--report")
        .arg(scratch.join("report"))
        .arg("--result")
        .arg(scratch.join("result"))
        .directory(scratch);
    for (name, value) in settings.environment {
        program = program.env(name, value);
    }
    program
}

impl Launched {
    /// Reads what the run left, by the kept handles only.
    pub(super) fn into_ran(self, settings: &Settings<'_>, ready: &Ready) -> Result<Ran, RunError> {
        let none = |detail: String| End::None {
            reason: NoVerdict::Unavailable,
            detail,
        };
        let ended = match self {
            Launched::Ended(ended) => ended,
            Launched::Unavailable(detail) => {
                return Ok(Ran {
                    outcome: Outcome {
                        end: none(detail),
                        wall_millis: None,
                        containment: None,
                        audit: Some(ready.audit(None)),
                    },
                    log: None,
                });
            }
        };
        let read = (ready.outputs.record(), ready.outputs.report_bytes());
        let (end, record) = match read {
            (Ok(record), Ok(report_bytes)) => {
                let end = judge(settings, ready, &ended, (&record, report_bytes))?;
                (end, Some(record))
            }
            (Err(error), _) | (_, Err(error)) => {
                (none(format!("cannot read the outputs: {error}")), None)
            }
        };
        let Ended { stderr, .. } = *ended;
        Ok(Ran {
            outcome: Outcome {
                end,
                wall_millis: Some(ended.wall_millis),
                containment: Some(ended.containment.name().to_owned()),
                audit: Some(ready.audit(record.as_deref())),
            },
            log: settings.log.then_some(stderr),
        })
    }
}

fn judge(
    settings: &Settings<'_>,
    ready: &Ready,
    ended: &Ended,
    (record, report_bytes): (&[u8], u64),
) -> Result<End, RunError> {
    let verdict = classify(&Observed {
        cause: ended.cause,
        leader: ended.leader,
        empty: ended.empty,
        out_of_memory: ended.out_of_memory,
        record,
        report_bytes,
        wall_limit_millis: settings.plan.plan.execution.wall_timeout_millis,
    });
    let evaluation = match verdict {
        Verdict::Complete(evaluation) => evaluation,
        Verdict::None { reason, detail } => return Ok(End::None { reason, detail }),
    };
    let kept = ready
        .outputs
        .keep_report(ready.scratch.path(), settings.report_dir, report_bytes);
    match kept {
        Ok(report) => Ok(End::Complete { evaluation, report }),
        Err(Keep::Read(error)) => Ok(End::None {
            reason: NoVerdict::Unavailable,
            detail: format!("cannot read the report: {error}"),
        }),
        Err(Keep::Write(source)) => Err(RunError::Report {
            path: settings.report_dir.to_owned(),
            source,
        }),
    }
}

/// An error with its system's reason.
fn chain(error: &ProcessError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

impl Ran {
    /// The kept words, as they are shown: head, what is left out, tail.
    #[must_use]
    pub fn log(&self) -> Option<&Captured> {
        self.log.as_ref()
    }
}
