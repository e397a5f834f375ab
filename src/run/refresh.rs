//! What exactly is to be judged, and whether it still is: the step before and after a run
//! (page 4.2).

mod local;

pub use local::{LocalRefresher, RefName, RefNameError};

use std::time::Duration;

use crate::code::{Code, Coded};
use crate::delivery::{AcceptedDelivery, Forge, RunFacts};
use crate::git::ObjectsError;

/// How long a refresh may take: comfortably shorter than any lease worth having.
pub const REFRESH_DEADLINE: Duration = Duration::from_secs(30);

/// One refresh.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The delivery; its candidate commit is what is judged, never a ref's present head.
    pub delivery: &'a AcceptedDelivery,
    /// What the first refresh said, when this is the recheck after the run.
    pub earlier: Option<&'a RunFacts>,
}

/// Where the facts come from: a local mirror here, a provider's interface elsewhere.
pub trait Refresher {
    /// Answers within [`REFRESH_DEADLINE`], or not at all.
    ///
    /// # Errors
    /// [`RefreshError`]; never a guess.
    fn refresh(&self, question: Question<'_>) -> Result<RunFacts, RefreshError>;
}

/// Why there are no facts.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// Something named is not there at the first refresh.
    #[error("{what} is not in {path}")]
    NotFound {
        /// A ref or a commit.
        what: String,
        /// The repository.
        path: String,
        /// The fetch that brings it.
        fetch: String,
    },
    /// The provider namespace names no forge.
    #[error("the provider namespace `{namespace}` says nothing about the forge's dialect")]
    Forge {
        /// The namespace.
        namespace: String,
    },
    /// The history is cut off before the candidate could be found.
    #[error("{path} is a shallow clone, and the candidate is not in the part that it has")]
    Shallow {
        /// The repository.
        path: String,
    },
    /// The recheck has no first refresh to compare with.
    #[error("the envelope has an `outcome` and no `run`")]
    NoRun,
    /// The repository cannot be asked.
    #[error(transparent)]
    Objects(#[from] ObjectsError),
}

impl Coded for RefreshError {
    fn code(&self) -> Code {
        match self {
            RefreshError::NotFound { .. } => Code::NotFound,
            RefreshError::Forge { .. } | RefreshError::NoRun => Code::InputIncomplete,
            RefreshError::Shallow { .. } => Code::ProviderUnavailable,
            RefreshError::Objects(error) => match error.code() {
                code @ (Code::NotFound | Code::Interrupted) => code,
                _ => Code::ProviderUnavailable,
            },
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            RefreshError::NotFound { fetch, .. } => Some(fetch.clone()),
            RefreshError::Forge { .. } => Some("give --forge github, gitlab or gitea".into()),
            RefreshError::Shallow { path } => Some(format!("git -C {path} fetch --unshallow")),
            RefreshError::NoRun => Some("`amiss refresh` before the run adds it".into()),
            RefreshError::Objects(error) => error.hint(),
        }
    }
}

/// The dialect that a provider namespace stands for.
#[must_use]
pub fn forge_of(namespace: &str) -> Option<Forge> {
    match namespace {
        "github" => Some(Forge::Github),
        "gitlab" => Some(Forge::Gitlab),
        "gitea" | "forgejo" => Some(Forge::Gitea),
        _ => None,
    }
}
