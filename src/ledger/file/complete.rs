//! `complete`: only the exact saved value ends a delivery; `done` before the report goes
//! (page 3.2).

use super::FileLedger;
use super::error::LedgerError;
use super::row::{Row, State, StoredPublication};
use super::together::CompleteRequest;
use super::writes::Writes;
use crate::clock::Clock;
use crate::delivery::AcceptedDelivery;
use crate::ledger::contract::{Completion, LostReason, Saved};

impl<C: Clock> FileLedger<C> {
    pub(super) fn plan_complete<'root>(
        &'root self,
        request: CompleteRequest<'_>,
        writes: &mut Writes<'root>,
    ) -> Result<Completion, LedgerError> {
        let root = &self.root;
        let CompleteRequest { delivery, saved } = request;
        let key = delivery.key();
        let Some(row) = root.row(key)? else {
            return Ok(Completion::Lost(LostReason::NoRow));
        };
        if !row.delivery_differences(delivery).is_empty() {
            return Ok(Completion::Lost(LostReason::Binding));
        }
        let same = row.evaluation_id == saved.evaluation_id && row.state.fence() == saved.fence;
        let next = match &row.state {
            State::Running { .. } => return Ok(Completion::Lost(LostReason::Running)),
            State::Done { staged_digest, .. } => {
                if !same || *staged_digest != saved.digest {
                    return Ok(Completion::Lost(LostReason::Value));
                }
                None
            }
            State::Staged { publication, fence } => {
                if !same || !self.is_saved(delivery, publication, &row, saved)? {
                    return Ok(Completion::Lost(LostReason::Value));
                }
                let done = State::Done {
                    fence: *fence,
                    staged_digest: saved.digest.clone(),
                };
                let next = row.next(done, row.last_seen);
                Some(next.ok_or_else(|| LedgerError::Exhausted(key.clone()))?)
            }
        };
        if let Some(next) = next {
            writes.row(key, &next)?;
        }
        writes.dead_report(key);
        Ok(Completion::Completed)
    }

    /// Whether a value is the saved one, member by member. The digest covers the verdict and the
    /// report's stored digest; the report's plain SHA-256 is proved from its bytes, as long as
    /// they are whole. A damaged report does not stop the completion of what was published.
    fn is_saved(
        &self,
        delivery: &AcceptedDelivery,
        stored: &StoredPublication,
        row: &Row,
        saved: &Saved,
    ) -> Result<bool, LedgerError> {
        if stored.publication().as_ref() != Some(&saved.publication)
            || stored.digest(row.state.fence()) != saved.digest
        {
            return Ok(false);
        }
        match (stored.report.reference(), &saved.report) {
            (None, None) => Ok(true),
            (Some(reference), Some(report)) if reference.length == report.bytes => {
                match self.root.verify_report(delivery.key(), reference) {
                    Ok(facts) => Ok(facts == *report),
                    Err(LedgerError::Corrupt { .. }) => Ok(true),
                    Err(error) => Err(error),
                }
            }
            _ => Ok(false),
        }
    }
}
