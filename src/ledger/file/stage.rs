//! `stage`: the report, then the state that names it (page 3.2, 3b.8).

use super::error::LedgerError;
use super::renew::{Ownership, ownership};
use super::row::{Row, State, StoredPublication};
use super::{FileLedger, names};
use crate::clock::{Clock, UnixMillis};
use crate::delivery::lease::Counter;
use crate::delivery::{AcceptedDelivery, Lease, Publication};
use crate::ledger::contract::{LostReason, ReportFacts, ReportInput, Saved, StageOutcome};

impl<C: Clock> FileLedger<C> {
    pub(super) fn stage_row(
        &self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
        publication: &Publication,
        report: Option<ReportInput<'_>>,
    ) -> Result<StageOutcome, LedgerError> {
        let root = &self.root;
        let key = delivery.key();
        root.metadata()?;
        let _work = root.row_work(key)?;
        let metadata = root.metadata()?;
        root.check_window(&metadata, delivery)?;
        let Some(row) = root.row(key)? else {
            return Ok(StageOutcome::Lost(LostReason::NoRow));
        };
        if let State::Staged {
            fence,
            publication: stored,
        } = &row.state
        {
            let expected = report.as_ref().map(|report| &report.expected);
            return self.stage_again(delivery, lease, &row, *fence, stored, publication, expected);
        }
        let expires_at = match ownership(&row, delivery, lease) {
            Ownership::Running { expires_at } => expires_at,
            Ownership::Lost(reason) => return Ok(StageOutcome::Lost(reason)),
        };
        if publication.check != row.check {
            return Ok(StageOutcome::Lost(LostReason::Binding));
        }
        let now = root.decide(&self.clock, &metadata, Some(row.last_seen))?;
        if let Some(reason) = root.ended(now, expires_at)? {
            return Ok(StageOutcome::Lost(reason));
        }
        root.refresh_high_water(&metadata, now)?;
        self.freeze(delivery, lease, publication, report, &row, now)
            .map(|saved| StageOutcome::Staged(Box::new(saved)))
    }

    fn freeze(
        &self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
        publication: &Publication,
        report: Option<ReportInput<'_>>,
        row: &Row,
        now: UnixMillis,
    ) -> Result<Saved, LedgerError> {
        let root = &self.root;
        let key = delivery.key();
        let facts = report.as_ref().map(|report| report.expected.clone());
        let written = report
            .map(|mut report| root.write_report(&mut report))
            .transpose()?;
        let (blob, reference) = written.unzip();
        let stored = StoredPublication::new(publication, &row.evaluation_id, reference);
        let digest = stored.digest(lease.fence);
        let state = State::Staged {
            fence: lease.fence,
            publication: Box::new(stored),
        };
        let next = row
            .next(state, now)
            .ok_or_else(|| LedgerError::Exhausted(key.clone()))?;
        let row_name = names::row(key);
        let mut temporary = root.write_frame(&row_name, &next)?;
        if let Some(mut blob) = blob {
            let report_name = names::report(key);
            blob.sync()?;
            temporary.sync()?;
            blob.publish(&report_name)?;
            root.dir.sync_after(&report_name)?;
        } else {
            temporary.sync()?;
            // A report of an earlier try that died is dead.
            root.dir.remove(names::report(key))?;
        }
        temporary.publish(&row_name)?;
        root.dir.sync_after(&row_name)?;
        Ok(Saved {
            evaluation_id: row.evaluation_id.clone(),
            fence: lease.fence,
            digest,
            publication: publication.clone(),
            report: facts,
        })
    }

    /// A stage over a saved row: the same value is the same answer, anything else has lost. A
    /// saved row has no owner.
    #[allow(
        clippy::too_many_arguments,
        reason = "what was saved and what is given, side by side"
    )]
    fn stage_again(
        &self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
        row: &Row,
        fence: Counter,
        stored: &StoredPublication,
        publication: &Publication,
        report: Option<&ReportFacts>,
    ) -> Result<StageOutcome, LedgerError> {
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
        if saved.publication == *publication && saved.report.as_ref() == report {
            Ok(StageOutcome::Staged(Box::new(saved)))
        } else {
            Ok(StageOutcome::Lost(LostReason::Saved))
        }
    }
}
