//! One operation, or many of the same kind, under shared locks and barriers (page 6.1).

use super::error::LedgerError;
use super::metadata::Metadata;
use super::writes::Writes;
use super::{FileLedger, ReportInput};
use crate::clock::Clock;
use crate::delivery::{AcceptedDelivery, CheckBinding, DeliveryKey, Lease, Publication};
use crate::ledger::contract::{Claim, Completion, Renewal, Saved, StageOutcome};

/// One claim of many.
#[derive(Clone, Copy, Debug)]
pub struct ClaimRequest<'a> {
    /// For what.
    pub delivery: &'a AcceptedDelivery,
    /// For which check.
    pub check: &'a CheckBinding,
    /// A lease that the caller already has of it.
    pub held: Option<&'a Lease>,
}

/// One renewal of many.
#[derive(Clone, Copy, Debug)]
pub struct RenewRequest<'a> {
    /// Of what.
    pub delivery: &'a AcceptedDelivery,
    /// Of which lease.
    pub lease: &'a Lease,
}

/// One stage of many.
#[derive(Debug)]
pub struct StageRequest<'a, 'r> {
    /// Of what.
    pub delivery: &'a AcceptedDelivery,
    /// Under which lease.
    pub lease: &'a Lease,
    /// The verdict.
    pub publication: &'a Publication,
    /// Its report; taken when it is read.
    pub report: Option<ReportInput<'r>>,
}

/// One completion of many.
#[derive(Clone, Copy, Debug)]
pub struct CompleteRequest<'a> {
    /// Of what.
    pub delivery: &'a AcceptedDelivery,
    /// With which value.
    pub saved: &'a Saved,
}

/// The answers of a batch, in order; an error of the whole batch is one of every request.
pub type Answers<T> = Result<Vec<Result<T, LedgerError>>, LedgerError>;

/// Looks at one request's row and says what is to be written for it.
type Plan<'a, 'root, R, T> =
    &'a dyn Fn(&Metadata, usize, &mut R, &mut Writes<'root>) -> Result<T, LedgerError>;

/// A request knows its row.
trait Request {
    fn key(&self) -> &DeliveryKey;
}

impl Request for ClaimRequest<'_> {
    fn key(&self) -> &DeliveryKey {
        self.delivery.key()
    }
}
impl Request for RenewRequest<'_> {
    fn key(&self) -> &DeliveryKey {
        self.delivery.key()
    }
}
impl Request for StageRequest<'_, '_> {
    fn key(&self) -> &DeliveryKey {
        self.delivery.key()
    }
}
impl Request for CompleteRequest<'_> {
    fn key(&self) -> &DeliveryKey {
        self.delivery.key()
    }
}

impl<C: Clock> FileLedger<C> {
    /// Claims many deliveries at once. Answers as if one by one, in order.
    ///
    /// # Errors
    /// Those of a claim; the outer one is of every request.
    pub fn claim_many(&self, requests: &mut [ClaimRequest<'_>]) -> Answers<Claim> {
        self.together(requests, &|metadata, index, request, writes| {
            self.plan_claim(metadata, index, *request, writes)
        })
    }

    /// Renews many leases at once.
    ///
    /// # Errors
    /// Those of a renewal; the outer one is of every request.
    pub fn renew_many(&self, requests: &mut [RenewRequest<'_>]) -> Answers<Renewal> {
        self.together(requests, &|metadata, _, request, writes| {
            self.plan_renew(metadata, *request, writes)
        })
    }

    /// Freezes many results at once.
    ///
    /// # Errors
    /// Those of a stage; the outer one is of every request.
    pub fn stage_many(&self, requests: &mut [StageRequest<'_, '_>]) -> Answers<StageOutcome> {
        self.together(requests, &|metadata, _, request, writes| {
            self.plan_stage(metadata, request, writes)
        })
    }

    /// Ends many deliveries at once.
    ///
    /// # Errors
    /// Those of a completion; the outer one is of every request.
    pub fn complete_many(&self, requests: &mut [CompleteRequest<'_>]) -> Answers<Completion> {
        self.together(requests, &|_, _, request, writes| {
            self.plan_complete(*request, writes)
        })
    }

    /// Plans every request against its row, then writes everything, then answers.
    fn together<'root, R: Request, T>(
        &'root self,
        requests: &mut [R],
        plan: Plan<'_, 'root, R, T>,
    ) -> Answers<T> {
        let mut keys: Vec<&DeliveryKey> = requests.iter().map(Request::key).collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.len() < requests.len() {
            // A row's second request must see what the first one wrote.
            return Ok(requests
                .chunks_mut(1)
                .map(|one| Self::only(self.together(one, plan)))
                .collect());
        }
        let root = &self.root;
        if self.seen.get().is_none() {
            // Looked at first, so that no lock file is made in a folder that is no root.
            root.metadata()?;
            let _ = self.seen.set(());
        }
        let _work = root.row_work(&keys)?;
        // Only now: the limits may be changed while the locks are waited for.
        let metadata = root.metadata()?;
        let mut writes = Writes::default();
        let mut answers: Vec<Result<T, LedgerError>> = requests
            .iter_mut()
            .enumerate()
            .map(|(index, request)| plan(&metadata, index, request, &mut writes))
            .collect();
        for (index, refused) in root.commit(&metadata.limits(), writes)? {
            if let Some(answer) = answers.get_mut(index) {
                *answer = Err(refused);
            }
        }
        Ok(answers)
    }

    /// One request, its error where it belongs.
    pub(super) fn only<T>(answers: Answers<T>) -> Result<T, LedgerError> {
        answers?
            .pop()
            .unwrap_or_else(|| Err(LedgerError::Random("a request was not answered".to_owned())))
    }
}
