//! Templates that do not depend on the candidate, acquired before the run and bound to it here
//! (page 4.3).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code::{Code, Coded};
use crate::delivery::digest::Sha256Hex;
use crate::delivery::{ObjectId, RunFacts};
use crate::plan::{Acquisition, Plan};

/// The ceiling of any template, whatever the plan says, in bytes.
pub const MAX_TEMPLATE_BYTES: u64 = 16 * 1024 * 1024;

/// A template in `controls.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// The acquisition's name.
    pub acquisition: String,
    /// What made it.
    pub producer: String,
    /// What it is for.
    pub context: String,
    /// Its plain SHA-256.
    pub sha256: Sha256Hex,
    /// Its bytes, in base64.
    pub base64: String,
    /// The candidate that it is bound to.
    pub candidate: Candidate,
}

/// The exact candidate of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// Its commit.
    pub commit: ObjectId,
    /// That commit's tree.
    pub tree: ObjectId,
}

/// Why templates cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SemanticError {
    /// The plan names one that was not given.
    #[error("the plan needs the template `{0}`, which was not given")]
    Missing(String),
    /// One was given that the plan does not name.
    #[error("the template `{0}` is not named by the plan")]
    Unnamed(String),
    /// A file cannot be read.
    #[error("cannot read the template {path}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
}

impl Coded for SemanticError {
    fn code(&self) -> Code {
        match self {
            SemanticError::Missing(_) | SemanticError::Unnamed(_) => Code::InputIncomplete,
            SemanticError::Unreadable { .. } => Code::ConfigInvalid,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            SemanticError::Missing(name) => Some(format!("give --semantic {name}=FILE")),
            SemanticError::Unnamed(_) => Some("take it away, or name it in the plan".into()),
            SemanticError::Unreadable { .. } => None,
        }
    }
}

/// The acquired bytes of a plan's templates, in its order.
#[derive(Clone, Debug, Default)]
pub struct Templates(Vec<(Acquisition, Content)>);

#[derive(Clone, Debug)]
enum Content {
    Bytes(Vec<u8>),
    /// More than the plan allows.
    TooLarge,
}

impl Templates {
    /// Reads a file for every acquisition that the plan names, and refuses any other.
    ///
    /// # Errors
    /// [`SemanticError`].
    pub fn read(
        plan: &Plan,
        files: &BTreeMap<String, PathBuf>,
    ) -> Result<Templates, SemanticError> {
        let named = |name: &String| plan.semantic.iter().any(|entry| entry.acquisition == *name);
        if let Some(surplus) = files.keys().find(|name| !named(name)) {
            return Err(SemanticError::Unnamed(surplus.clone()));
        }
        let mut list = Vec::new();
        for entry in &plan.semantic {
            let path = files
                .get(&entry.acquisition)
                .ok_or_else(|| SemanticError::Missing(entry.acquisition.clone()))?;
            let content =
                read(path, entry.max_bytes.min(MAX_TEMPLATE_BYTES)).map_err(|source| {
                    SemanticError::Unreadable {
                        path: path.clone(),
                        source,
                    }
                })?;
            list.push((entry.clone(), content));
        }
        Ok(Templates(list))
    }

    /// Binds all of them to the run's candidate.
    ///
    /// # Errors
    /// The name of the first that is over its ceiling: the runtime is not what the plan says.
    pub fn bind(&self, run: &RunFacts) -> Result<Vec<Bound>, String> {
        self.0
            .iter()
            .map(|(entry, content)| match content {
                Content::Bytes(bytes) => Ok(Bound {
                    acquisition: entry.acquisition.clone(),
                    producer: entry.producer.clone(),
                    context: entry.context.clone(),
                    sha256: Sha256Hex::of(bytes),
                    base64: base64::engine::general_purpose::STANDARD.encode(bytes),
                    candidate: Candidate {
                        commit: run.commits.candidate.clone(),
                        tree: run.trees.candidate.clone(),
                    },
                }),
                Content::TooLarge => Err(entry.acquisition.clone()),
            })
            .collect()
    }

    /// Name, digest and length of each, for the audit.
    pub fn facts(&self) -> impl Iterator<Item = (&str, Sha256Hex, usize)> {
        self.0.iter().filter_map(|(entry, content)| match content {
            Content::Bytes(bytes) => Some((
                entry.acquisition.as_str(),
                Sha256Hex::of(bytes),
                bytes.len(),
            )),
            Content::TooLarge => None,
        })
    }
}

fn read(path: &Path, ceiling: u64) -> std::io::Result<Content> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(ceiling.saturating_add(1))
        .read_to_end(&mut bytes)?;
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    Ok(if length > ceiling {
        Content::TooLarge
    } else {
        Content::Bytes(bytes)
    })
}
