//! What is staged: the table of page 4.4. A pure function of what was observed.

use crate::code::{Code, Coded};
use crate::delivery::outcome::{End, Evaluation, NoVerdict};
use crate::delivery::{
    AcceptedDelivery, CheckBinding, Conclusion, Failure, Outcome, Publication, ReportFile,
    RunFacts, RunIdentity, RunState,
};

/// A verdict ready to be frozen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The publication.
    pub publication: Publication,
    /// Its report; only `pass` and `block` have one.
    pub report: Option<ReportFile>,
}

/// Members that do not belong to this delivery. Nothing is saved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConclusionError {
    /// Another candidate.
    #[error("`{member}.commits.candidate` is not the delivery's candidate commit")]
    Candidate {
        /// `run` or `recheck`.
        member: &'static str,
    },
    /// Object ids of another format.
    #[error("`{member}` has object ids of another format than the delivery's run")]
    Format {
        /// `run` or `recheck`.
        member: &'static str,
    },
    /// A run that was active ended as `not-run`.
    #[error("`outcome.result` is \"not-run\" although `run.state` is \"active\"")]
    NotRun,
}

impl Coded for ConclusionError {
    fn code(&self) -> Code {
        Code::InputMalformed
    }
}

/// Derives the conclusion from the run, its outcome and the recheck.
///
/// # Errors
/// [`ConclusionError`] when `run` or `recheck` does not belong to the delivery.
pub fn conclude(
    delivery: &AcceptedDelivery,
    check: &CheckBinding,
    run: &RunFacts,
    outcome: &Outcome,
    recheck: &RunFacts,
) -> Result<Verdict, ConclusionError> {
    let provider_run = &delivery.binding().provider_run;
    let identity = |facts: &RunFacts| RunIdentity {
        change: delivery.binding().change.clone(),
        refs: facts.refs.clone(),
        object_format: provider_run.object_format,
        commits: facts.commits.clone(),
        trees: facts.trees.clone(),
    };
    for (member, facts) in [("run", run), ("recheck", recheck)] {
        if facts.gate_commit.format() != provider_run.object_format
            || !identity(facts).formats_agree()
        {
            return Err(ConclusionError::Format { member });
        }
        if facts.commits.candidate != provider_run.candidate_commit {
            return Err(ConclusionError::Candidate { member });
        }
    }
    let (conclusion, report) = match worse(run.state, recheck.state) {
        RunState::AuthorizationRevoked => {
            (Conclusion::Unavailable(Failure::AuthorizationRevoked), None)
        }
        RunState::Closed => (Conclusion::Unavailable(Failure::Closed), None),
        RunState::Superseded => (Conclusion::Superseded, None),
        RunState::Active if moved(run, recheck) => (Conclusion::Superseded, None),
        RunState::Active => of_outcome(outcome)?,
    };
    let publication = Publication {
        provider_run: provider_run.clone(),
        check: check.clone(),
        run: identity(run),
        gate_commit: run.gate_commit.clone(),
        conclusion,
    };
    Ok(Verdict {
        publication,
        report,
    })
}

/// Where several states hold: revoked, then closed, then superseded (page 4.2).
fn worse(one: RunState, other: RunState) -> RunState {
    let rank = |state| match state {
        RunState::AuthorizationRevoked => 3,
        RunState::Closed => 2,
        RunState::Superseded => 1,
        RunState::Active => 0,
    };
    if rank(one) >= rank(other) { one } else { other }
}

fn moved(run: &RunFacts, recheck: &RunFacts) -> bool {
    run.refs != recheck.refs
        || run.commits != recheck.commits
        || run.trees != recheck.trees
        || run.gate_commit != recheck.gate_commit
}

fn of_outcome(outcome: &Outcome) -> Result<(Conclusion, Option<ReportFile>), ConclusionError> {
    let reason = match &outcome.end {
        End::NotRun => return Err(ConclusionError::NotRun),
        End::Complete { evaluation, report } => {
            let conclusion = match evaluation {
                Evaluation::Pass => Conclusion::Pass,
                Evaluation::Block => Conclusion::Block,
            };
            return Ok((conclusion, Some(report.clone())));
        }
        End::None { reason, .. } => reason,
    };
    let failure = match reason {
        NoVerdict::MissingOutput => Failure::MissingOutput,
        NoVerdict::OversizedOutput => Failure::OversizedOutput,
        NoVerdict::TimedOut => Failure::Timeout,
        NoVerdict::TamperedRuntime => Failure::TamperedRuntime,
        NoVerdict::Unavailable => Failure::Unavailable,
    };
    Ok((Conclusion::Unavailable(failure), None))
}

#[cfg(test)]
mod tests;
