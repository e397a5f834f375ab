//! How a supervised run ended: the `outcome` member (page 4.3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::Sha256Hex;

/// The largest report: 256 MiB (page 3.4).
pub const MAX_REPORT_BYTES: u64 = 256 * 1024 * 1024;

/// A report by reference. Whoever reads the file proves digest and length while reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportFile {
    /// Where the bytes are.
    pub path: String,
    /// Their plain SHA-256.
    pub sha256: Sha256Hex,
    /// Their number. `ledger stage` refuses more than 268,435,456 as `REPORT_TOO_LARGE`.
    pub bytes: u64,
}

/// What the bootstrap decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Evaluation {
    /// The candidate may be merged.
    Pass,
    /// It may not.
    Block,
}

/// Why a run without a verdict has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoVerdict {
    /// No result record, or an empty report.
    MissingOutput,
    /// A report over its ceiling.
    OversizedOutput,
    /// The wall limit.
    TimedOut,
    /// A record, bootstrap, commit or tree that is not what it must be.
    TamperedRuntime,
    /// A signal, a spawn failure, an undrained tree, an I/O fault.
    Unavailable,
}

/// The `outcome` member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "OutcomeMembers", into = "OutcomeMembers")]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// How long the child ran, in milliseconds.
    pub wall_millis: Option<u64>,
    /// The process-tree boundary that was in force.
    pub containment: Option<String>,
    /// Digest and length of everything that went in and came out; `stage` ignores it.
    pub audit: Option<serde_json::Value>,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// A verdict with its report.
    Complete {
        /// The verdict.
        evaluation: Evaluation,
        /// Its report.
        report: ReportFile,
    },
    /// No verdict could be had.
    None {
        /// Why.
        reason: NoVerdict,
        /// For the operator.
        detail: String,
    },
    /// The change was not active, so nothing ran.
    NotRun,
}

/// The member as it is written.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OutcomeMembers {
    result: ResultWord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evaluation: Option<Evaluation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    report: Option<ReportFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wall_millis: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    containment: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    audit: Option<serde_json::Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum ResultWord {
    Complete,
    MissingOutput,
    OversizedOutput,
    TimedOut,
    TamperedRuntime,
    Unavailable,
    NotRun,
}

/// Members of an outcome that do not belong together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutcomeError {
    /// `complete` without its two members.
    #[error("a complete outcome needs `evaluation` and `report`")]
    Incomplete,
    /// Another result with members of `complete`.
    #[error("only a complete outcome has `evaluation` or `report`")]
    Surplus,
    /// `complete` or `not-run` with a detail.
    #[error("this outcome has no `detail`")]
    Detail,
}

impl TryFrom<OutcomeMembers> for Outcome {
    type Error = OutcomeError;

    fn try_from(members: OutcomeMembers) -> Result<Outcome, OutcomeError> {
        let reason = match members.result {
            ResultWord::Complete | ResultWord::NotRun => None,
            ResultWord::MissingOutput => Some(NoVerdict::MissingOutput),
            ResultWord::OversizedOutput => Some(NoVerdict::OversizedOutput),
            ResultWord::TimedOut => Some(NoVerdict::TimedOut),
            ResultWord::TamperedRuntime => Some(NoVerdict::TamperedRuntime),
            ResultWord::Unavailable => Some(NoVerdict::Unavailable),
        };
        if members.result != ResultWord::Complete
            && (members.evaluation.is_some() || members.report.is_some())
        {
            return Err(OutcomeError::Surplus);
        }
        let end = match (reason, members.evaluation, members.report) {
            (Some(reason), ..) => End::None {
                reason,
                detail: members.detail.unwrap_or_default(),
            },
            (None, ..) if members.detail.is_some() => return Err(OutcomeError::Detail),
            (None, None, None) if members.result == ResultWord::NotRun => End::NotRun,
            (None, Some(evaluation), Some(report)) => End::Complete { evaluation, report },
            (None, ..) => return Err(OutcomeError::Incomplete),
        };
        Ok(Outcome {
            end,
            wall_millis: members.wall_millis,
            containment: members.containment,
            audit: members.audit,
        })
    }
}

impl From<Outcome> for OutcomeMembers {
    fn from(outcome: Outcome) -> OutcomeMembers {
        let (result, evaluation, report, detail) = match outcome.end {
            End::Complete { evaluation, report } => {
                (ResultWord::Complete, Some(evaluation), Some(report), None)
            }
            End::NotRun => (ResultWord::NotRun, None, None, None),
            End::None { reason, detail } => {
                let word = match reason {
                    NoVerdict::MissingOutput => ResultWord::MissingOutput,
                    NoVerdict::OversizedOutput => ResultWord::OversizedOutput,
                    NoVerdict::TimedOut => ResultWord::TimedOut,
                    NoVerdict::TamperedRuntime => ResultWord::TamperedRuntime,
                    NoVerdict::Unavailable => ResultWord::Unavailable,
                };
                (word, None, None, Some(detail))
            }
        };
        OutcomeMembers {
            result,
            evaluation,
            report,
            detail,
            wall_millis: outcome.wall_millis,
            containment: outcome.containment,
            audit: outcome.audit,
        }
    }
}
