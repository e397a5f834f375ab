//! The frozen verdict: what a retry publishes (page 3.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::CheckBinding;
use super::digest::Digest;
use super::identity::ProviderRun;
use super::lease::Counter;
use super::object::ObjectId;
use super::outcome::ReportFile;
use super::run::RunIdentity;
use super::text::EvaluationId;

/// Why an unavailable verdict is unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// The run left no output.
    MissingOutput,
    /// The run passed its wall limit.
    Timeout,
    /// Something of the run was not what it must be.
    TamperedRuntime,
    /// The run could not be carried out or proved ended.
    Unavailable,
    /// The report is over its ceiling.
    OversizedOutput,
    /// The engine's report names another identity.
    WrongIdentity,
    /// The engine's report names another tree.
    WrongTree,
    /// The provider took the authorization away.
    AuthorizationRevoked,
    /// The change was closed.
    Closed,
}

/// The verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conclusion {
    /// May be merged.
    Pass,
    /// May not.
    Block,
    /// Another candidate or gate took its place.
    Superseded,
    /// No verdict could be had.
    Unavailable(Failure),
}

/// The verdict's word, as an envelope shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ConclusionWord {
    Pass,
    Block,
    Superseded,
    Unavailable,
}

/// A verdict and all that it is bound to. Its report's bytes are a file, named beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "PublicationMembers", into = "PublicationMembers")]
pub struct Publication {
    /// The provider's run.
    pub provider_run: ProviderRun,
    /// The check.
    pub check: CheckBinding,
    /// What was judged.
    pub run: RunIdentity,
    /// The revision that publication is bound to.
    pub gate_commit: ObjectId,
    /// The verdict.
    pub conclusion: Conclusion,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PublicationMembers {
    provider_run: ProviderRun,
    check: CheckBinding,
    run: RunIdentity,
    gate_commit: ObjectId,
    conclusion: ConclusionWord,
    #[serde(deserialize_with = "Option::deserialize")]
    failure: Option<Failure>,
}

/// A conclusion and a failure that do not belong together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`failure` belongs to the conclusion `unavailable`, and to no other")]
pub struct ConclusionError;

impl TryFrom<PublicationMembers> for Publication {
    type Error = ConclusionError;
    fn try_from(members: PublicationMembers) -> Result<Self, ConclusionError> {
        let conclusion = match (members.conclusion, members.failure) {
            (ConclusionWord::Pass, None) => Conclusion::Pass,
            (ConclusionWord::Block, None) => Conclusion::Block,
            (ConclusionWord::Superseded, None) => Conclusion::Superseded,
            (ConclusionWord::Unavailable, Some(failure)) => Conclusion::Unavailable(failure),
            _ => return Err(ConclusionError),
        };
        Ok(Publication {
            provider_run: members.provider_run,
            check: members.check,
            run: members.run,
            gate_commit: members.gate_commit,
            conclusion,
        })
    }
}

impl From<Publication> for PublicationMembers {
    fn from(value: Publication) -> PublicationMembers {
        let (conclusion, failure) = match value.conclusion {
            Conclusion::Pass => (ConclusionWord::Pass, None),
            Conclusion::Block => (ConclusionWord::Block, None),
            Conclusion::Superseded => (ConclusionWord::Superseded, None),
            Conclusion::Unavailable(failure) => (ConclusionWord::Unavailable, Some(failure)),
        };
        PublicationMembers {
            provider_run: value.provider_run,
            check: value.check,
            run: value.run,
            gate_commit: value.gate_commit,
            conclusion,
            failure,
        }
    }
}

/// The `staged` member: the exact saved value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Staged {
    /// The evaluation.
    pub evaluation_id: EvaluationId,
    /// The fence that it was saved under.
    pub fence: Counter,
    /// The staged digest of page 3b.7.
    pub digest: Digest,
    /// The verdict.
    pub publication: Publication,
    /// Its report, or null. The path is where the bytes are now and is never compared.
    #[serde(deserialize_with = "Option::deserialize")]
    pub report: Option<ReportFile>,
}
