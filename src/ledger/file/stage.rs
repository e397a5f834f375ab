//! `stage`: the report, then the state that names it (page 3.2, 3b.8).

use super::error::LedgerError;
use super::metadata::Metadata;
use super::renew::{Ownership, ownership};
use super::row::{Row, State, StoredPublication};
use super::together::StageRequest;
use super::writes::Writes;
use super::{FileLedger, names};
use crate::clock::{Clock, UnixMillis};
use crate::delivery::lease::Counter;
use crate::ledger::contract::{LostReason, Saved, StageOutcome};

impl<C: Clock> FileLedger<C> {
    pub(super) fn plan_stage<'root>(
        &'root self,
        metadata: &Metadata,
        request: &mut StageRequest<'_, '_>,
        writes: &mut Writes<'root>,
    ) -> Result<StageOutcome, LedgerError> {
        let root = &self.root;
        let (delivery, lease) = (request.delivery, request.lease);
        root.check_window(metadata, delivery)?;
        let Some(row) = root.row(delivery.key())? else {
            return Ok(StageOutcome::Lost(LostReason::NoRow));
        };
        if let State::Staged {
            fence,
            publication: stored,
        } = &row.state
        {
            return self.stage_again(request, &row, *fence, stored);
        }
        let expires_at = match ownership(&row, delivery, lease) {
            Ownership::Running { expires_at } => expires_at,
            Ownership::Lost(reason) => return Ok(StageOutcome::Lost(reason)),
        };
        let now = root.decide(&self.clock, metadata, Some(row.last_seen))?;
        if now >= expires_at {
            // The answer rests on the deadline having passed.
            writes.rests_on(now);
            return Ok(StageOutcome::Lost(LostReason::Ended(expires_at)));
        }
        if request.publication.check != row.check {
            return Ok(StageOutcome::Lost(LostReason::Binding));
        }
        if root.is_far_behind(metadata, now) {
            writes.rests_on(now);
        }
        self.freeze(request, &row, now, writes)
            .map(|saved| StageOutcome::Staged(Box::new(saved)))
    }

    fn freeze<'root>(
        &'root self,
        request: &mut StageRequest<'_, '_>,
        row: &Row,
        now: UnixMillis,
        writes: &mut Writes<'root>,
    ) -> Result<Saved, LedgerError> {
        let root = &self.root;
        let key = request.delivery.key();
        let fence = request.lease.fence;
        let mut report = request.report.take();
        let written = report
            .as_mut()
            .map(|report| root.write_report(report))
            .transpose()?;
        let (blob, reference) = written.unzip();
        let stored = StoredPublication::new(request.publication, &row.evaluation_id, reference);
        let digest = stored.digest(fence);
        let state = State::Staged {
            fence,
            publication: Box::new(stored),
        };
        let next = row
            .next(state, now)
            .ok_or_else(|| LedgerError::Exhausted(key.clone()))?;
        writes.row(key, &next)?;
        match blob {
            Some(blob) => writes.report(key, blob),
            // A report of an earlier try that died is dead.
            None => writes.dead_report(key),
        }
        Ok(Saved {
            evaluation_id: row.evaluation_id.clone(),
            fence,
            digest,
            publication: request.publication.clone(),
            report: report.map(|report| report.expected),
        })
    }

    /// A stage over a saved row: the same value is the same answer, anything else has lost. A
    /// saved row has no owner.
    fn stage_again(
        &self,
        request: &StageRequest<'_, '_>,
        row: &Row,
        fence: Counter,
        stored: &StoredPublication,
    ) -> Result<StageOutcome, LedgerError> {
        let (delivery, lease) = (request.delivery, request.lease);
        let key = delivery.key();
        if !row.delivery_differences(delivery).is_empty() || row.check != lease.check {
            return Ok(StageOutcome::Lost(LostReason::Binding));
        }
        if row.evaluation_id != lease.evaluation_id || fence != lease.fence {
            return Ok(StageOutcome::Lost(LostReason::Owner));
        }
        let saved = self.root.saved(key, stored, fence)?.ok_or_else(|| {
            self.root.corrupt(
                &names::row(key),
                "its saved result has no gate commit and cannot be confirmed; claim it again",
            )
        })?;
        let report = request.report.as_ref().map(|report| &report.expected);
        if saved.publication == *request.publication && saved.report.as_ref() == report {
            Ok(StageOutcome::Staged(Box::new(saved)))
        } else {
            Ok(StageOutcome::Lost(LostReason::Saved))
        }
    }
}
