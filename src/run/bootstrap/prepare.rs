//! Everything before the start: objects, the bootstrap's copy, the request files.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use super::super::files::{self, Fact, Keep, Outputs};
use super::super::request::{Constraint, Controls, Evaluation, Snapshot};
use super::super::scratch::{Scratch, ScratchError};
use super::super::semantic::Bound;
use super::super::startable;
use super::{RunError, Settings, Step};
use crate::delivery::ObjectId;
use crate::git::{Objects, ObjectsError};
use crate::json;
use crate::plan::Plan;

/// How long the questions to one repository may take.
const REPOSITORY_DEADLINE: Duration = Duration::from_secs(30);

/// Whether the run may start.
pub(super) enum Prepared {
    Ready(Box<Ready>),
    /// Something is not what the plan and the run say.
    Wrong {
        detail: String,
        audit: Value,
    },
}

/// A run that may start.
pub(super) struct Ready {
    pub scratch: Scratch,
    pub outputs: Outputs,
    pub repository: PathBuf,
    pub action_repository: PathBuf,
    /// Why the system cannot start the bootstrap, if it cannot.
    pub refusal: Option<&'static str>,
    audit: Map<String, Value>,
}

impl Ready {
    /// The audit, with the result record.
    pub fn audit(&self, record: Option<&[u8]>) -> Value {
        let mut audit = self.audit.clone();
        if let Some(record) = record {
            note(&mut audit, "result", &Fact::of(record));
        }
        Value::Object(audit)
    }
}

pub(super) fn prepare(settings: &Settings<'_>, step: &Step<'_>) -> Result<Prepared, RunError> {
    let plan = &settings.plan.plan;
    let unreadable = |source| RunError::Bootstrap {
        path: plan.execution.bootstrap.clone(),
        source,
    };
    let mut bootstrap = files::open_bootstrap(&plan.execution.bootstrap).map_err(unreadable)?;
    let scratch = Scratch::make(settings.scratch)?;
    let mut copy = scratch.create("bootstrap", b"", 0o600)?;
    let fact = files::copy_bootstrap(&mut bootstrap, &mut copy).map_err(|error| match error {
        Keep::Read(source) => unreadable(source),
        // A full disk says nothing about the operator's file.
        Keep::Write(source) => unusable("copy the bootstrap into", scratch.path(), source),
    })?;
    let refusal = startable::refusal(&copy, scratch.path());
    let mut audit = Map::new();
    note(&mut audit, "bootstrap", &fact);
    let wrong = |detail: String, audit: Map<String, Value>| {
        Ok(Prepared::Wrong {
            detail,
            audit: Value::Object(audit),
        })
    };
    if let Err(detail) = verify(settings, step)? {
        return wrong(detail, audit);
    }
    if Some(fact.sha256.as_str()) != plan.execution.bootstrap_hex() {
        let detail = format!(
            "the bootstrap has the digest {}, not the plan's",
            fact.sha256
        );
        return wrong(detail, audit);
    }
    for (name, sha256, bytes) in settings.templates.facts() {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        note(
            &mut audit,
            &format!("semantic/{name}"),
            &Fact { sha256, bytes },
        );
    }
    let semantic = match settings.templates.bind(step.run) {
        Ok(semantic) => semantic,
        Err(name) => return wrong(format!("the template `{name}` is over its ceiling"), audit),
    };
    // Only now may it run; the handle that could write it is closed before anything starts.
    copy.set_permissions(Permissions::from_mode(0o500))
        .map_err(|source| unusable("make executable", scratch.path(), source))?;
    drop(copy);
    write_requests(&scratch, &mut audit, plan, step, semantic)?;
    Ok(Prepared::Ready(Box::new(Ready {
        outputs: Outputs::make(&scratch)?,
        repository: real(settings.repository)?,
        action_repository: real(settings.action_repository)?,
        scratch,
        refusal,
        audit,
    })))
}

/// The four request files that the bootstrap reads.
fn write_requests(
    scratch: &Scratch,
    audit: &mut Map<String, Value>,
    plan: &Plan,
    step: &Step<'_>,
    semantic: Vec<Bound>,
) -> Result<(), RunError> {
    let constraint = Constraint::of(plan, step.lease);
    write(scratch, audit, "constraint.json", &constraint)?;
    let evaluation = Evaluation::of(step.delivery, step.lease, step.now);
    write(scratch, audit, "evaluation.json", &evaluation)?;
    let snapshot = Snapshot::of(step.delivery, step.run);
    write(scratch, audit, "snapshot.json", &snapshot)?;
    let controls = Controls::of(plan, semantic);
    write(scratch, audit, "controls.json", &controls)
}

/// Proves commits and trees of both repositories; what is wrong, if an object is.
fn verify(settings: &Settings<'_>, step: &Step<'_>) -> Result<Result<(), String>, RunError> {
    let action = &settings.plan.plan.execution.action;
    // Most of it is waiting for Git, so both repositories are asked at the same time.
    let (judged, pinned) = std::thread::scope(|scope| {
        let pinned = || {
            let path = settings.action_repository;
            let repository = Objects::open(path, REPOSITORY_DEADLINE, settings.cancel)?;
            holds(
                &repository.ahead(&[&action.commit]),
                &action.commit,
                &action.tree,
            )
        };
        let beside = std::thread::Builder::new().spawn_scoped(scope, pinned);
        let judged = verify_judged(settings, step);
        // Without a thread, or with one that died, it is asked here.
        let pinned = beside
            .ok()
            .and_then(|thread| thread.join().ok())
            .unwrap_or_else(pinned);
        (judged, pinned)
    });
    match judged? {
        Ok(()) => pinned,
        wrong => Ok(wrong),
    }
}

fn verify_judged(settings: &Settings<'_>, step: &Step<'_>) -> Result<Result<(), String>, RunError> {
    let (commits, trees) = (&step.run.commits, &step.run.trees);
    let gate = &step.run.gate_commit;
    let repository = Objects::open(settings.repository, REPOSITORY_DEADLINE, settings.cancel)?
        .ahead(&[&commits.base, &commits.candidate, gate]);
    for (commit, tree) in [
        (&commits.base, &trees.base),
        (&commits.candidate, &trees.candidate),
    ] {
        if let Err(detail) = holds(&repository, commit, tree)? {
            return Ok(Err(detail));
        }
    }
    let gate = told(repository.tree_of(gate).map(|_| ()))?;
    Ok(gate.map_err(|detail| format!("the gate commit: {detail}")))
}

fn holds(
    objects: &Objects,
    commit: &ObjectId,
    tree: &ObjectId,
) -> Result<Result<(), String>, RunError> {
    told(objects.verify(commit, tree))
}

/// A wrong object is a finding; a repository that cannot be asked is an error.
fn told(found: Result<(), ObjectsError>) -> Result<Result<(), String>, RunError> {
    match found {
        Ok(()) => Ok(Ok(())),
        Err(error) if error.is_wrong_object() => Ok(Err(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

fn write(
    scratch: &Scratch,
    audit: &mut Map<String, Value>,
    name: &str,
    request: &impl serde::Serialize,
) -> Result<(), RunError> {
    let bytes = json::canonical(request).map_err(|error| {
        unusable(
            "form",
            &scratch.path().join(name),
            std::io::Error::other(error),
        )
    })?;
    // Read only: what was asked can still be read after the run, by whoever looks.
    scratch.create(name, &bytes, 0o400)?;
    note(audit, name, &Fact::of(&bytes));
    Ok(())
}

fn note(audit: &mut Map<String, Value>, name: &str, fact: &Fact) {
    // Two strings and a number always have a JSON form.
    let value = serde_json::to_value(fact).unwrap_or_default();
    audit.insert(name.to_owned(), value);
}

fn real(path: &Path) -> Result<PathBuf, RunError> {
    path.canonicalize()
        .map_err(|source| unusable("open", path, source))
}

fn unusable(operation: &'static str, path: &Path, source: std::io::Error) -> RunError {
    RunError::Scratch(ScratchError::Io {
        operation,
        path: path.to_owned(),
        source,
    })
}
