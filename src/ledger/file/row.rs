//! The row frame: one delivery as it lies on disk (page 3b.5). Member order is the order on disk.

use serde::{Deserialize, Serialize};

use super::frame::{self, Form, FrameError, Framed};
use crate::clock::UnixMillis;
use crate::delivery::digest::Digest;
use crate::delivery::lease::Counter;
use crate::delivery::outcome::MAX_REPORT_BYTES;
use crate::delivery::publication::Failure;
use crate::delivery::text::EvaluationId;
use crate::delivery::{
    AcceptedDelivery, Binding, CheckBinding, Conclusion, DeliveryKey, ObjectId, OwnerId,
    ProviderRun, Publication, Replay, RunIdentity,
};
use crate::ledger::contract::BoundMember;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub(super) enum Schema {
    #[serde(rename = "amiss/controller-file-record-v3")]
    Current,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub schema: Schema,
    pub generation: Counter,
    #[serde(rename = "last_seen_unix_millis")]
    pub last_seen: UnixMillis,
    pub binding: Binding,
    pub replay_keep: Keep,
    pub check: CheckBinding,
    pub evaluation_id: EvaluationId,
    pub state: State,
}

/// A replay lifetime without the window that it was computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "retention", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Keep {
    Permanent {},
    KeepThrough { unix_millis: UnixMillis },
}

/// Where a delivery stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "state", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum State {
    Running {
        owner: [u8; 16],
        fence: Counter,
        #[serde(rename = "expires_at_unix_millis")]
        expires_at: UnixMillis,
    },
    Staged {
        fence: Counter,
        publication: Box<StoredPublication>,
    },
    Done {
        fence: Counter,
        staged_digest: Digest,
    },
}

/// A publication as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredPublication {
    pub provider_run: ProviderRun,
    pub evaluation_id: EvaluationId,
    pub check: CheckBinding,
    pub run: RunIdentity,
    /// Absent in rows of development code before v0.9.0; such a row cannot be published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_commit: Option<ObjectId>,
    pub conclusion: StoredConclusion,
    pub report: StoredReport,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "conclusion", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum StoredConclusion {
    Pass {},
    Block {},
    Superseded {},
    Unavailable { failure: Failure },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "report", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum StoredReport {
    Absent {},
    Blob { reference: ReportReference },
}

/// A report as a row names it: the domain digest, not the plain one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportReference {
    pub digest: Digest,
    pub length: u64,
}

#[derive(Serialize)]
struct StagedValue<'a> {
    evaluation_id: &'a EvaluationId,
    fence: Counter,
    publication: &'a StoredPublication,
}

impl Keep {
    pub(super) const fn of(replay: &Replay) -> Keep {
        match replay.end() {
            None => Keep::Permanent {},
            Some(unix_millis) => Keep::KeepThrough { unix_millis },
        }
    }

    /// The inclusive end, if there is one.
    pub(super) const fn end(self) -> Option<UnixMillis> {
        match self {
            Keep::Permanent {} => None,
            Keep::KeepThrough { unix_millis } => Some(unix_millis),
        }
    }
}

impl StoredReport {
    pub(super) const fn reference(&self) -> Option<&ReportReference> {
        match self {
            StoredReport::Absent {} => None,
            StoredReport::Blob { reference } => Some(reference),
        }
    }
}

impl StoredPublication {
    pub(super) fn new(
        publication: &Publication,
        evaluation_id: &EvaluationId,
        report: Option<ReportReference>,
    ) -> StoredPublication {
        StoredPublication {
            provider_run: publication.provider_run.clone(),
            evaluation_id: evaluation_id.clone(),
            check: publication.check.clone(),
            run: publication.run.clone(),
            gate_commit: Some(publication.gate_commit.clone()),
            conclusion: match publication.conclusion {
                Conclusion::Pass => StoredConclusion::Pass {},
                Conclusion::Block => StoredConclusion::Block {},
                Conclusion::Superseded => StoredConclusion::Superseded {},
                Conclusion::Unavailable(failure) => StoredConclusion::Unavailable { failure },
            },
            report: report.map_or(StoredReport::Absent {}, |reference| StoredReport::Blob {
                reference,
            }),
        }
    }

    /// The publication as the contract knows it; `None` without a gate commit.
    pub(super) fn publication(&self) -> Option<Publication> {
        Some(Publication {
            provider_run: self.provider_run.clone(),
            check: self.check.clone(),
            run: self.run.clone(),
            gate_commit: self.gate_commit.clone()?,
            conclusion: match self.conclusion {
                StoredConclusion::Pass {} => Conclusion::Pass,
                StoredConclusion::Block {} => Conclusion::Block,
                StoredConclusion::Superseded {} => Conclusion::Superseded,
                StoredConclusion::Unavailable { failure } => Conclusion::Unavailable(failure),
            },
        })
    }

    /// The staged digest of page 3b.7.
    pub(super) fn digest(&self, fence: Counter) -> Digest {
        let value = StagedValue {
            evaluation_id: &self.evaluation_id,
            fence,
            publication: self,
        };
        // Texts and numbers always serialise.
        let bytes = serde_json::to_vec(&value).unwrap_or_default();
        Digest::of("amiss/controller-staged-publication-v2", &bytes)
    }

    fn check(&self, row: &Row) -> Result<(), FrameError> {
        if self.provider_run != row.binding.provider_run
            || self.evaluation_id != row.evaluation_id
            || self.check != row.check
            || self.run.change != row.binding.change
            || self.run.object_format != row.binding.provider_run.object_format
            || self.run.commits.candidate != row.binding.provider_run.candidate_commit
        {
            return Err(FrameError::Rule(
                "its saved publication is not bound to the row",
            ));
        }
        let gate_fits = self
            .gate_commit
            .as_ref()
            .is_none_or(|gate| gate.format() == self.run.object_format);
        if !gate_fits || !self.run.formats_agree() {
            return Err(FrameError::Rule(
                "its saved publication mixes two object formats",
            ));
        }
        if self
            .report
            .reference()
            .is_some_and(|reference| reference.length > MAX_REPORT_BYTES)
        {
            return Err(FrameError::Rule("its saved report is over 256 MiB"));
        }
        Ok(())
    }
}

impl State {
    pub(super) const fn fence(&self) -> Counter {
        match self {
            State::Running { fence, .. }
            | State::Staged { fence, .. }
            | State::Done { fence, .. } => *fence,
        }
    }
}

impl Row {
    /// The first state of a row.
    pub(super) fn new(
        delivery: &AcceptedDelivery,
        check: &CheckBinding,
        evaluation_id: EvaluationId,
        owner: OwnerId,
        now: UnixMillis,
        expires_at: UnixMillis,
    ) -> Row {
        Row {
            schema: Schema::Current,
            generation: Counter::FIRST,
            last_seen: now,
            binding: delivery.binding().clone(),
            replay_keep: Keep::of(delivery.replay()),
            check: check.clone(),
            evaluation_id,
            state: State::Running {
                owner: *owner.bytes(),
                fence: Counter::FIRST,
                expires_at,
            },
        }
    }

    /// The key that this row must lie under.
    pub(super) fn key(&self) -> DeliveryKey {
        DeliveryKey::of(&self.binding.identity)
    }

    /// Where a delivery differs from what the row is bound to, its check left aside.
    pub(super) fn delivery_differences(&self, delivery: &AcceptedDelivery) -> Vec<BoundMember> {
        let mut members = BoundMember::of_bindings(&self.binding, delivery.binding());
        if self.replay_keep != Keep::of(delivery.replay()) {
            members.push(BoundMember::Replay);
        }
        members
    }

    /// The row's next write: one generation on; `None` at the ceiling.
    pub(super) fn next(&self, state: State, last_seen: UnixMillis) -> Option<Row> {
        Some(Row {
            generation: self.generation.next()?,
            last_seen,
            state,
            ..self.clone()
        })
    }
}

impl Framed for Row {
    const FORM: Form = frame::ROW;

    fn check(&self) -> Result<(), FrameError> {
        if self.binding.check().is_err() {
            return Err(FrameError::Rule("the members of its binding disagree"));
        }
        if self.state.fence() > self.generation {
            return Err(FrameError::Rule("its fence is above its generation"));
        }
        match &self.state {
            State::Running { expires_at, .. } if *expires_at <= self.last_seen => Err(
                FrameError::Rule("its deadline is not after the time of its last write"),
            ),
            State::Staged { publication, .. } => publication.check(self),
            _ => Ok(()),
        }
    }
}
