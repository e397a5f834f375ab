//! The supervised run of a bootstrap (page 4.3), as the source page's "Supervised bootstrap run".

mod launch;
mod prepare;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::heartbeat::{Renew, Stop};
use super::scratch::ScratchError;
use super::semantic::{SemanticError, Templates};
use crate::clock::UnixMillis;
use crate::code::{Code, Coded};
use crate::delivery::outcome::{End, NoVerdict};
use crate::delivery::{AcceptedDelivery, Lease, Outcome, RunFacts, RunState};
use crate::git::ObjectsError;
use crate::plan::LoadedPlan;
use crate::process::warden::{Caps, Supervision};
use crate::process::{Cancel, Captured};

use prepare::{Prepared, Ready};

/// What the operator decided, the same for every document of a call.
#[derive(Clone, Debug)]
pub struct Settings<'a> {
    /// The plan.
    pub plan: &'a LoadedPlan,
    /// The judged repository.
    pub repository: &'a Path,
    /// The action's repository.
    pub action_repository: &'a Path,
    /// Where the run's private directory is made.
    pub scratch: &'a Path,
    /// Where reports are kept, under their digest.
    pub report_dir: &'a Path,
    /// The acquired templates.
    pub templates: &'a Templates,
    /// Variables for the bootstrap; it has no others.
    pub environment: &'a [(OsString, OsString)],
    /// Ceilings.
    pub caps: &'a Caps,
    /// Who supervises.
    pub supervision: Supervision<'a>,
    /// Whether the bootstrap's standard error is kept for the operator.
    pub log: bool,
    /// Ends the run.
    pub cancel: &'a Cancel,
}

/// One delivery's turn.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The delivery.
    pub delivery: &'a AcceptedDelivery,
    /// Its lease.
    pub lease: &'a Lease,
    /// What is to be judged.
    pub run: &'a RunFacts,
    /// The trusted time.
    pub now: UnixMillis,
}

/// A run that ended with an outcome.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The outcome.
    pub outcome: Outcome,
    /// The bootstrap's own words, if they were asked for and it ran.
    pub log: Option<Captured>,
}

/// Why there is no outcome. Nothing of the run may be used.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The lease was lost, refused or could not be proved.
    #[error("the lease could not be proved, so the run was dropped: {0}")]
    Lost(String),
    /// SIGTERM or SIGINT.
    #[error("the run was interrupted; its process tree is gone and nothing may be staged")]
    Interrupted,
    /// Another plan than the one that was claimed with.
    #[error("the plan is not the one that the row was claimed with: {0} differs")]
    OtherPlan(&'static str),
    /// `run` belongs to another delivery.
    #[error("`run.{member}` does not belong to the delivery: {reason}")]
    OtherRun {
        /// Which member.
        member: &'static str,
        /// What is wrong.
        reason: &'static str,
    },
    /// The operator's bootstrap cannot be read.
    #[error("cannot read the bootstrap {path}")]
    Bootstrap {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A ceiling that this host cannot enforce.
    #[error("{0}")]
    Limit(String),
    /// Templates.
    #[error(transparent)]
    Semantic(#[from] SemanticError),
    /// A repository that cannot be asked: to be tried again, never a verdict.
    #[error(transparent)]
    Repository(#[from] ObjectsError),
    /// The scratch directory cannot be used.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// The report cannot be kept.
    #[error("cannot keep the report in {path}")]
    Report {
        /// Where.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// The heartbeat's thread.
    #[error("cannot start the heartbeat")]
    Heartbeat(#[source] std::io::Error),
}

impl Coded for RunError {
    fn code(&self) -> Code {
        match self {
            RunError::Lost(_) => Code::Lost,
            RunError::Interrupted => Code::Interrupted,
            RunError::OtherPlan(_) => Code::BindingConflict,
            RunError::OtherRun { .. } => Code::InputMalformed,
            RunError::Bootstrap { .. } | RunError::Limit(_) => Code::ConfigInvalid,
            RunError::Semantic(error) => error.code(),
            RunError::Repository(error) => error.code(),
            RunError::Scratch(error) => error.code(),
            RunError::Report { .. } | RunError::Heartbeat(_) => Code::Io,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            RunError::Lost(_) => Some("drop the work and claim again".into()),
            RunError::OtherPlan(_) => Some("use the plan that `ledger claim` was given".into()),
            RunError::Limit(_) => {
                Some("`amiss run-bootstrap --doctor` says what is possible".into())
            }
            RunError::Semantic(error) => error.hint(),
            RunError::Repository(error) => error.hint(),
            RunError::Scratch(error) => error.hint(),
            _ => None,
        }
    }
}

impl From<Stop> for RunError {
    fn from(stop: Stop) -> RunError {
        RunError::Lost(stop.reason)
    }
}

/// Runs the plan's bootstrap for one delivery, or says that there is nothing to run.
///
/// # Errors
/// [`RunError`]. A run without a verdict is no error: it is an outcome.
pub fn run_bootstrap(
    settings: &Settings<'_>,
    step: &Step<'_>,
    renewal: &mut dyn Renew,
) -> Result<Ran, RunError> {
    check(settings, step)?;
    if step.run.state != RunState::Active {
        return Ok(Ran {
            outcome: Outcome {
                end: End::NotRun,
                wall_millis: None,
                containment: None,
                audit: None,
            },
            log: None,
        });
    }
    match prepare::prepare(settings, step)? {
        Prepared::Wrong { detail, audit } => Ok(Ran {
            outcome: Outcome {
                end: End::None {
                    reason: NoVerdict::TamperedRuntime,
                    detail,
                },
                wall_millis: None,
                containment: None,
                audit: Some(audit),
            },
            log: None,
        }),
        Prepared::Ready(ready) => finish(settings, &ready, renewal),
    }
}

fn finish(
    settings: &Settings<'_>,
    ready: &Ready,
    renewal: &mut dyn Renew,
) -> Result<Ran, RunError> {
    let launched = launch::launch(settings, ready, renewal)?;
    launched.into_ran(settings, ready)
}

/// What must hold before anything is looked at.
fn check(settings: &Settings<'_>, step: &Step<'_>) -> Result<(), RunError> {
    let (ours, claimed) = (&settings.plan.check, &step.lease.check);
    if ours.plan_digest != claimed.plan_digest {
        return Err(RunError::OtherPlan("`plan_digest`"));
    }
    if ours.required_status_name != claimed.required_status_name {
        return Err(RunError::OtherPlan("`required_status_name`"));
    }
    if ours.execution_constraint_digest != claimed.execution_constraint_digest {
        return Err(RunError::OtherPlan("`execution_constraint_digest`"));
    }
    let (run, asked) = (step.run, &step.delivery.binding().provider_run);
    if run.commits.candidate != asked.candidate_commit {
        return Err(RunError::OtherRun {
            member: "commits.candidate",
            reason: "another candidate commit",
        });
    }
    let ids = [
        &run.commits.base,
        &run.trees.base,
        &run.trees.candidate,
        &run.gate_commit,
    ];
    if ids.iter().any(|id| id.format() != asked.object_format) {
        return Err(RunError::OtherRun {
            member: "commits",
            reason: "object ids of another format",
        });
    }
    if settings.cancel.is_cancelled() {
        return Err(RunError::Interrupted);
    }
    Ok(())
}
