//! The local lane: a clone or mirror that the operator keeps.

use std::path::PathBuf;

use super::{Question, REFRESH_DEADLINE, RefreshError, Refresher, forge_of};
use crate::delivery::run::ObjectPair;
use crate::delivery::text::{BranchRef, TextError};
use crate::delivery::{Forge, ObjectId, Refs, RunFacts, RunState};
use crate::git::{Objects, ObjectsError};
use crate::process::Cancel;

/// The full name of a ref of the local repository, and the branch that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefName {
    name: String,
    branch: BranchRef,
}

/// A name that no ref can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefNameError {
    /// Not a full name.
    #[error("a ref is given in full, for example refs/heads/main")]
    NotFull,
    /// Not a legal one.
    #[error("{0}")]
    Illegal(#[from] TextError),
}

impl std::str::FromStr for RefName {
    type Err = RefNameError;

    /// `refs/heads/topic` stands for itself, `refs/remotes/origin/topic` for the branch `topic`, and
    /// any other, like `refs/pull/7/head`, for a branch of the rest of its name.
    fn from_str(name: &str) -> Result<RefName, RefNameError> {
        let rest = name.strip_prefix("refs/").ok_or(RefNameError::NotFull)?;
        let branch = match rest.split_once('/') {
            Some(("heads", branch)) => branch,
            Some(("remotes", remote)) => remote.split_once('/').map_or(rest, |(_, branch)| branch),
            _ => rest,
        };
        Ok(RefName {
            name: name.to_owned(),
            branch: BranchRef::new(format!("refs/heads/{branch}"))?,
        })
    }
}

impl RefName {
    /// The name in the local repository.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The branch that it stands for.
    #[must_use]
    pub const fn branch(&self) -> &BranchRef {
        &self.branch
    }

    /// What brings it from where the repository came from.
    fn refspec(&self) -> String {
        if self.name.starts_with("refs/remotes/") {
            format!("+{}:{}", self.branch, self.name)
        } else {
            format!("+{0}:{0}", self.name)
        }
    }
}

/// Reads the facts from a repository on this machine.
#[derive(Clone, Debug)]
pub struct LocalRefresher {
    /// The repository.
    pub repository: PathBuf,
    /// The ref to be merged into.
    pub target: RefName,
    /// The ref under which the candidate lives.
    pub candidate: RefName,
    /// The dialect, where the provider namespace does not say it.
    pub forge: Option<Forge>,
    /// Ends the questions to Git.
    pub cancel: Cancel,
}

impl Refresher for LocalRefresher {
    fn refresh(&self, question: Question<'_>) -> Result<RunFacts, RefreshError> {
        let namespace = &question.delivery.binding().identity.provider.namespace;
        let forge = self
            .forge
            .or_else(|| forge_of(namespace.as_str()))
            .ok_or_else(|| RefreshError::Forge {
                namespace: namespace.to_string(),
            })?;
        let objects = Objects::open(&self.repository, REFRESH_DEADLINE, &self.cancel)?;
        let tips = (
            objects.tip(self.target.name())?,
            objects.tip(self.candidate.name())?,
        );
        match (tips, question.earlier) {
            ((Some(target), Some(candidate)), earlier) => {
                let refs = self.refs(forge, &objects)?;
                self.judge(&objects, question, earlier, (refs, &target, &candidate))
            }
            (_, Some(earlier)) => Ok(RunFacts {
                state: RunState::Closed,
                ..earlier.clone()
            }),
            ((None, _), None) => Err(self.no_ref(&self.target)),
            ((_, None), None) => Err(self.no_ref(&self.candidate)),
        }
    }
}

impl LocalRefresher {
    fn judge(
        &self,
        objects: &Objects,
        question: Question<'_>,
        earlier: Option<&RunFacts>,
        (refs, base, head): (Refs, &ObjectId, &ObjectId),
    ) -> Result<RunFacts, RefreshError> {
        let candidate = &question.delivery.binding().provider_run.candidate_commit;
        let (state, tree) = match (objects.tree_of(candidate), earlier) {
            (Ok(tree), _) if objects.is_reachable(candidate, head)? => (RunState::Active, tree),
            (Ok(_), _) if objects.is_shallow() => {
                return Err(RefreshError::Shallow { path: self.shown() });
            }
            (Ok(tree), _) => (RunState::Superseded, tree),
            // Cleaned away since the run: then its ref leads elsewhere.
            (Err(ObjectsError::Missing { .. }), Some(earlier)) => {
                (RunState::Superseded, earlier.trees.candidate.clone())
            }
            (Err(ObjectsError::Missing { id, .. }), None) => {
                return Err(self.not_found(format!("the commit {id}"), candidate.as_str()));
            }
            (Err(error), _) => return Err(error.into()),
        };
        Ok(RunFacts {
            state,
            gate_commit: base.clone(),
            refs,
            commits: ObjectPair {
                base: base.clone(),
                candidate: candidate.clone(),
            },
            trees: ObjectPair {
                base: objects.tree_of(base)?,
                candidate: tree,
            },
        })
    }

    fn refs(&self, forge: Forge, objects: &Objects) -> Result<Refs, RefreshError> {
        let default_branch = objects
            .default_branch()?
            .and_then(|name| BranchRef::new(name).ok())
            // A detached HEAD names none; what is merged into is the next best.
            .unwrap_or_else(|| self.target.branch().clone());
        Ok(Refs {
            forge,
            candidate: self.candidate.branch().clone(),
            target: self.target.branch().clone(),
            default_branch,
        })
    }

    fn no_ref(&self, name: &RefName) -> RefreshError {
        self.not_found(format!("the ref {}", name.name()), &name.refspec())
    }

    fn not_found(&self, what: String, refspec: &str) -> RefreshError {
        let path = self.shown();
        RefreshError::NotFound {
            what,
            fetch: format!("git -C {path} fetch origin {refspec}"),
            path,
        }
    }

    fn shown(&self) -> String {
        self.repository.display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_stands_for_a_branch_and_a_name_no_ref_can_have_is_refused() {
        let branch = |name: &str| name.parse::<RefName>().map(|name| name.branch.to_string());
        assert_eq!(branch("refs/heads/a/b").unwrap(), "refs/heads/a/b");
        assert_eq!(branch("refs/remotes/origin/a/b").unwrap(), "refs/heads/a/b");
        assert_eq!(
            branch("refs/pull/7/head").unwrap(),
            "refs/heads/pull/7/head"
        );
        for bad in [
            "main",
            "--upload-pack=x",
            "HEAD",
            "refs/heads/a..b",
            "refs/heads/a^",
            "refs/heads/*",
        ] {
            assert!(bad.parse::<RefName>().is_err(), "{bad}");
        }
    }
}
