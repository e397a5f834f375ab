//! The contract (page 3.1): four operations and their answers. It knows no files; anything that can
//! make one transaction per row can implement it.

use std::io::Read;

use crate::clock::UnixMillis;
use crate::code::Coded;
use crate::delivery::digest::Sha256Hex;
use crate::delivery::lease::Counter;
use crate::delivery::text::EvaluationId;
use crate::delivery::{AcceptedDelivery, Binding, CheckBinding, Digest, Lease, Publication};

/// What a report's bytes are, without the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFacts {
    /// Their plain SHA-256.
    pub sha256: Sha256Hex,
    /// Their number, at most 268,435,456.
    pub bytes: u64,
}

/// A report on its way into the record. The ledger proves digest and length while reading.
pub struct ReportInput<'a> {
    /// What the bytes must be.
    pub expected: ReportFacts,
    /// The bytes; read at most once, in pieces.
    pub source: &'a mut dyn Read,
}

impl std::fmt::Debug for ReportInput<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ReportInput")
            .field("expected", &self.expected)
            .finish_non_exhaustive()
    }
}

/// The exact frozen value: what a retry publishes and what completion must show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The evaluation.
    pub evaluation_id: EvaluationId,
    /// The fence that it was saved under.
    pub fence: Counter,
    /// The staged digest of page 3b.7.
    pub digest: Digest,
    /// The verdict.
    pub publication: Publication,
    /// Its report, if it has one.
    pub report: Option<ReportFacts>,
}

/// A member of a delivery or its check that the record holds otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundMember {
    /// The repository, or its provider.
    Repository,
    /// The change there.
    Change,
    /// The provider's run.
    RunId,
    /// Its attempt.
    Attempt,
    /// The candidate commit, or its format.
    CandidateCommit,
    /// The replay lifetime.
    Replay,
    /// The plan.
    PlanDigest,
    /// The status that the gate requires.
    StatusName,
    /// The execution.
    ExecutionDigest,
}

impl BoundMember {
    /// The member's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BoundMember::Repository => "change.repository",
            BoundMember::Change => "change.change",
            BoundMember::RunId => "provider_run.run_id",
            BoundMember::Attempt => "provider_run.attempt",
            BoundMember::CandidateCommit => "provider_run.candidate_commit",
            BoundMember::Replay => "replay",
            BoundMember::PlanDigest => "check.plan_digest",
            BoundMember::StatusName => "check.required_status_name",
            BoundMember::ExecutionDigest => "check.execution_constraint_digest",
        }
    }

    /// Where two bindings of one identity differ.
    #[must_use]
    pub fn of_bindings(own: &Binding, given: &Binding) -> Vec<BoundMember> {
        let (run, other) = (&own.provider_run, &given.provider_run);
        let repository = own.change.provider != given.change.provider
            || own.change.repository != given.change.repository;
        let commit = run.candidate_commit != other.candidate_commit
            || run.object_format != other.object_format;
        BoundMember::those(&[
            (BoundMember::Repository, repository),
            (
                BoundMember::Change,
                own.change.change != given.change.change,
            ),
            (BoundMember::RunId, run.run_id != other.run_id),
            (BoundMember::Attempt, run.attempt != other.attempt),
            (BoundMember::CandidateCommit, commit),
        ])
    }

    /// Where two checks differ.
    #[must_use]
    pub fn of_checks(own: &CheckBinding, given: &CheckBinding) -> Vec<BoundMember> {
        BoundMember::those(&[
            (
                BoundMember::PlanDigest,
                own.plan_digest != given.plan_digest,
            ),
            (
                BoundMember::StatusName,
                own.required_status_name != given.required_status_name,
            ),
            (
                BoundMember::ExecutionDigest,
                own.execution_constraint_digest != given.execution_constraint_digest,
            ),
        ])
    }

    fn those(list: &[(BoundMember, bool)]) -> Vec<BoundMember> {
        list.iter()
            .filter(|(_, differs)| *differs)
            .map(|(member, _)| *member)
            .collect()
    }
}

/// The answer to a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Ownership.
    Execute(Lease),
    /// A result that an earlier owner froze: publish it, compute nothing.
    Publish(Box<Saved>),
    /// Somebody else holds it.
    Busy {
        /// The evaluation under way.
        evaluation_id: EvaluationId,
        /// When that lease ends.
        retry_at: UnixMillis,
    },
    /// Durably done.
    Duplicate {
        /// The evaluation that ended it.
        evaluation_id: EvaluationId,
    },
    /// The record holds this delivery under another binding.
    BindingConflict {
        /// Where they differ.
        members: Vec<BoundMember>,
    },
}

/// Why an owner is none any more, or never was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LostReason {
    /// No row.
    #[error("the record holds no row of this delivery")]
    NoRow,
    /// The row is bound to something else.
    #[error("the row is bound to another change, run, lifetime or check")]
    Binding,
    /// Another evaluation, fence or owner.
    #[error("the row is held under another evaluation id, fence or owner")]
    Owner,
    /// The deadline has passed.
    #[error("the lease ended at {0}")]
    Ended(UnixMillis),
    /// A result is saved already, and it is not this one.
    #[error("another result is saved already")]
    Saved,
    /// The delivery is done, with another value.
    #[error("the delivery is done already")]
    Done,
    /// The value given is not the saved one.
    #[error("the value given is not the exact value that was saved")]
    Value,
    /// Nothing was saved yet.
    #[error("no result is saved yet")]
    Running,
}

/// The answer to a renewal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// The same lease with its deadline, which never moved backward.
    Renewed {
        /// The lease as it now is.
        lease: Lease,
        /// The positive time left, in milliseconds.
        within_millis: u64,
    },
    /// Ownership is gone: stop.
    Lost(LostReason),
}

/// The answer to a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StageOutcome {
    /// Frozen, now or by the same call before.
    Staged(Box<Saved>),
    /// Ownership is gone: drop the result.
    Lost(LostReason),
}

/// The answer to a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Done, now or before with the same value.
    Completed,
    /// Not the saved value, or its marker is gone.
    Lost(LostReason),
}

/// The record as a coordination contract. One owner acts through each value.
pub trait DeliveryLedger {
    /// What else can go wrong: full, expired, another window, no clock, damage.
    type Error: Coded;

    /// Claims a delivery for a check. `held` is a lease that the caller already has of this row:
    /// while it lives the same lease is the answer (the way back from a lost reply).
    ///
    /// # Errors
    /// `FULL`, `EXPIRED`, `ROOT_CONFIGURATION`, `CLOCK`, and the implementation's own.
    fn claim(
        &mut self,
        delivery: &AcceptedDelivery,
        check: &CheckBinding,
        held: Option<&Lease>,
    ) -> Result<Claim, Self::Error>;

    /// Renews a lease; evaluation id and fence stay.
    ///
    /// # Errors
    /// `CLOCK`, and the implementation's own.
    fn renew(&mut self, delivery: &AcceptedDelivery, lease: &Lease)
    -> Result<Renewal, Self::Error>;

    /// Freezes a result under a live lease.
    ///
    /// # Errors
    /// `REPORT_MISMATCH`, `REPORT_TOO_LARGE`, `CLOCK`, and the implementation's own.
    fn stage(
        &mut self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
        publication: &Publication,
        report: Option<ReportInput<'_>>,
    ) -> Result<StageOutcome, Self::Error>;

    /// Ends a delivery with the exact saved value. Needs no clock.
    ///
    /// # Errors
    /// The implementation's own.
    fn complete(
        &mut self,
        delivery: &AcceptedDelivery,
        saved: &Saved,
    ) -> Result<Completion, Self::Error>;
}
