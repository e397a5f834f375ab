//! What exactly is to be judged: the `run` and `recheck` members (page 4.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::identity::Change;
use super::object::{ObjectFormat, ObjectId};
use super::text::BranchRef;

/// The URL dialect of a forge. It never authenticates anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Forge {
    /// GitHub.
    Github,
    /// GitLab.
    Gitlab,
    /// Gitea and Forgejo.
    Gitea,
}

/// The refs of a run, in full.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refs {
    /// The dialect.
    pub forge: Forge,
    /// The candidate's branch.
    pub candidate: BranchRef,
    /// The branch to be merged into.
    pub target: BranchRef,
    /// The repository's default branch.
    pub default_branch: BranchRef,
}

/// Base and candidate of one kind of object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectPair {
    /// The target's side.
    pub base: ObjectId,
    /// The candidate's side.
    pub candidate: ObjectId,
}

/// Where the change stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// To be judged.
    Active,
    /// Another candidate took its place.
    Superseded,
    /// The change was closed.
    Closed,
    /// The provider took the authorization away.
    AuthorizationRevoked,
}

/// The `run` member, and the `recheck` member after the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunFacts {
    /// Where the change stands.
    pub state: RunState,
    /// The revision that publication is bound to.
    pub gate_commit: ObjectId,
    /// The refs.
    pub refs: Refs,
    /// The commits.
    pub commits: ObjectPair,
    /// Their trees.
    pub trees: ObjectPair,
}

/// The run as a publication holds it (`N` of page 3b.5). Member order is the order on disk.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunIdentity {
    /// The change.
    pub change: Change,
    /// The refs.
    pub refs: Refs,
    /// The format of all object ids.
    pub object_format: ObjectFormat,
    /// The commits.
    pub commits: ObjectPair,
    /// Their trees.
    pub trees: ObjectPair,
}

impl RunIdentity {
    /// Whether all object ids have the run's format.
    #[must_use]
    pub fn formats_agree(&self) -> bool {
        [
            &self.commits.base,
            &self.commits.candidate,
            &self.trees.base,
            &self.trees.candidate,
        ]
        .into_iter()
        .all(|id| id.format() == self.object_format)
    }
}
