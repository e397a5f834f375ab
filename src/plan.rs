//! The plan: what is run for a delivery, and its digests (page 4.1).

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code::{Code, Coded};
use crate::delivery::{CheckBinding, Digest, ObjectId, text::StatusName};
use crate::json::{self, JsonError};

/// The schema of a plan file.
pub const PLAN_SCHEMA: &str = "amiss/plan/v1";
/// The longest wall limit, in milliseconds.
pub const MAX_WALL_MILLIS: u64 = 120_000;

/// A plan file, as the operator wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// `amiss/plan/v1`.
    pub schema: String,
    /// The status that the gate requires.
    pub required_status_name: StatusName,
    /// What is run, and how long.
    pub execution: Execution,
    /// The bootstrap's own business, handed to it canonically.
    pub controls: serde_json::Map<String, serde_json::Value>,
    /// Templates that the run needs.
    #[serde(default)]
    pub semantic: Vec<Acquisition>,
}

/// The part of a plan that fixes the execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Execution {
    /// The bootstrap's file.
    pub bootstrap: PathBuf,
    /// Its plain SHA-256, with or without the prefix `sha256:`.
    pub bootstrap_sha256: String,
    /// The wall limit, 1 to 120,000 ms.
    pub wall_timeout_millis: u64,
    /// The action's commit and tree.
    pub action: ActionIdentity,
}

/// The commit and the tree of the action repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionIdentity {
    /// Its commit.
    pub commit: ObjectId,
    /// That commit's tree.
    pub tree: ObjectId,
}

/// One candidate-independent template that must be acquired before the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Acquisition {
    /// Its name, as `--semantic NAME=FILE` gives it.
    pub acquisition: String,
    /// What makes it.
    pub producer: String,
    /// What it is for.
    pub context: String,
    /// Its ceiling in bytes.
    pub max_bytes: u64,
}

/// Why a plan cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Missing, unreadable or too large.
    #[error("cannot read the plan {path}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Not a plan.
    #[error("the plan {path} is wrong: {reason}")]
    Wrong {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl Coded for PlanError {
    fn code(&self) -> Code {
        Code::ConfigInvalid
    }
    fn hint(&self) -> Option<String> {
        match self {
            PlanError::Unreadable { .. } => None,
            PlanError::Wrong { .. } => Some("`amiss schema plan` prints its form".into()),
        }
    }
}

/// A plan with its digests.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedPlan {
    /// The plan.
    pub plan: Plan,
    /// What `claim` binds into the row.
    pub check: CheckBinding,
}

impl LoadedPlan {
    /// Reads a plan file, at most 1 MiB.
    ///
    /// # Errors
    /// [`PlanError`], all of them `CONFIG_INVALID`.
    pub fn load(path: &Path) -> Result<LoadedPlan, PlanError> {
        let text = read_config(path).map_err(|source| PlanError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        LoadedPlan::parse(&text).map_err(|reason| PlanError::Wrong {
            path: path.to_owned(),
            reason,
        })
    }

    fn parse(text: &str) -> Result<LoadedPlan, String> {
        // The digest is over the operator's own members, so a default that is left out stays out.
        let value = json::parse_value(text, "plan").map_err(|error| error.to_string())?;
        let plan: Plan = json::parse(text, "plan").map_err(|error| error.to_string())?;
        if plan.schema != PLAN_SCHEMA {
            return Err(format!("`schema` is not \"{PLAN_SCHEMA}\""));
        }
        if !(1..=MAX_WALL_MILLIS).contains(&plan.execution.wall_timeout_millis) {
            return Err("`execution.wall_timeout_millis` is not 1 to 120000".into());
        }
        if plan.execution.bootstrap_hex().is_none() {
            return Err("`execution.bootstrap_sha256` is not 64 lower-case hex digits".into());
        }
        if plan.execution.action.commit.format() != plan.execution.action.tree.format() {
            return Err("`execution.action` mixes two object formats".into());
        }
        plan.check_acquisitions()?;
        let digest = |domain: &str, value: &serde_json::Value| -> Result<Digest, String> {
            let canonical = json::canonical(value).map_err(|error: JsonError| error.to_string())?;
            Ok(Digest::of(domain, &canonical))
        };
        let execution = value.get("execution").ok_or("`execution` is missing")?;
        let check = CheckBinding {
            plan_digest: digest("amiss/plan/v1", &value)?,
            required_status_name: plan.required_status_name.clone(),
            execution_constraint_digest: digest("amiss/plan-execution/v1", execution)?,
        };
        Ok(LoadedPlan { plan, check })
    }
}

impl Plan {
    fn check_acquisitions(&self) -> Result<(), String> {
        let mut known = std::collections::HashSet::new();
        for entry in &self.semantic {
            if entry.acquisition.is_empty() || entry.acquisition.contains('=') {
                return Err(format!(
                    "`semantic`: the name `{}` is empty or has a `=`",
                    entry.acquisition
                ));
            }
            if !known.insert(entry.acquisition.as_str()) {
                return Err(format!("`semantic` names `{}` twice", entry.acquisition));
            }
        }
        Ok(())
    }
}

impl Execution {
    /// The bootstrap's digest without a prefix, or `None` when it is not one.
    #[must_use]
    pub fn bootstrap_hex(&self) -> Option<&str> {
        let text = self.bootstrap_sha256.as_str();
        let hex = text.strip_prefix("sha256:").unwrap_or(text);
        crate::delivery::digest::Sha256Hex::new(hex)
            .ok()
            .map(|_| hex)
    }
}

/// Reads a configuration file of the operator's, at most 1 MiB of UTF-8.
///
/// # Errors
/// The system's, or `InvalidData` when it is too large or not UTF-8.
pub fn read_config(path: &Path) -> std::io::Result<String> {
    use std::io::{Error, ErrorKind, Read};
    let ceiling = u64::try_from(json::MAX_CONFIG_BYTES).unwrap_or(u64::MAX);
    let file = std::fs::File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(Error::new(ErrorKind::InvalidData, "not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(ceiling.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() > json::MAX_CONFIG_BYTES {
        return Err(Error::new(ErrorKind::InvalidData, "over 1 MiB"));
    }
    String::from_utf8(bytes).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests;
