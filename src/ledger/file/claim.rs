//! `claim`: the one entry for new work and for retries (page 3.2).

use super::error::LedgerError;
use super::metadata::Metadata;
use super::root::Root;
use super::row::{Row, State, StoredPublication};
use super::together::ClaimRequest;
use super::writes::Writes;
use super::{FileLedger, random};
use crate::clock::{Clock, UnixMillis};
use crate::delivery::digest::hex;
use crate::delivery::text::EvaluationId;
use crate::delivery::{AcceptedDelivery, DeliveryKey, Lease, OwnerId};
use crate::ledger::contract::{BoundMember, Claim, Saved};

impl<C: Clock> FileLedger<C> {
    pub(super) fn plan_claim<'root>(
        &'root self,
        metadata: &Metadata,
        index: usize,
        request: ClaimRequest<'_>,
        writes: &mut Writes<'root>,
    ) -> Result<Claim, LedgerError> {
        let root = &self.root;
        let ClaimRequest {
            delivery, check, ..
        } = request;
        root.check_window(metadata, delivery)?;
        let key = delivery.key();
        let Some(row) = root.row(key)? else {
            return self.plan_new(metadata, index, request, writes);
        };
        let mut members = row.delivery_differences(delivery);
        members.extend(BoundMember::of_checks(&row.check, check));
        if !members.is_empty() {
            return Ok(Claim::BindingConflict { members });
        }
        match &row.state {
            State::Staged { publication, fence } => match root.saved(key, publication, *fence)? {
                Some(saved) => Ok(Claim::Publish(Box::new(saved))),
                None => self.plan_reclaim(metadata, key, &row, writes),
            },
            State::Done { .. } => {
                writes.dead_report(key);
                Ok(Claim::Duplicate {
                    evaluation_id: row.evaluation_id,
                })
            }
            State::Running {
                owner,
                fence,
                expires_at,
            } => {
                let now = root.decide(&self.clock, metadata, Some(row.last_seen))?;
                if now >= *expires_at {
                    return self.plan_reclaim(metadata, key, &row, writes);
                }
                let own = request.held.filter(|lease| {
                    lease.evaluation_id == row.evaluation_id
                        && lease.fence == *fence
                        && lease.owner.bytes() == owner
                        && lease.check == row.check
                });
                Ok(match own {
                    Some(lease) => Claim::Execute(Lease {
                        expires_at_unix_millis: *expires_at,
                        ..lease.clone()
                    }),
                    None => Claim::Busy {
                        evaluation_id: row.evaluation_id,
                        retry_at: *expires_at,
                    },
                })
            }
        }
    }

    /// A row that is not there, for admission to decide about.
    fn plan_new<'root>(
        &'root self,
        metadata: &Metadata,
        index: usize,
        request: ClaimRequest<'_>,
        writes: &mut Writes<'root>,
    ) -> Result<Claim, LedgerError> {
        let root = &self.root;
        let delivery = request.delivery;
        let now = root.decide(&self.clock, metadata, None)?;
        if let Some(end) = delivery.replay().end().filter(|end| now > *end) {
            // The answer rests on the end having passed: no later clock may take it back.
            writes.rests_on(now);
            return Err(LedgerError::Expired { end });
        }
        let expires_at = now.plus(metadata.limits().lease_millis)?;
        let owner = OwnerId::from_bytes(random()?);
        let key = delivery.key();
        let evaluation_id = fresh_evaluation_id(key)?;
        let row = Row::new(
            delivery,
            request.check,
            evaluation_id,
            owner,
            now,
            expires_at,
        );
        if root.is_far_behind(metadata, now) {
            writes.rests_on(now);
        }
        writes.fresh(index, key, &row)?;
        Ok(Claim::Execute(lease(&row, owner, expires_at)))
    }

    /// Gives a row whose owner is gone to a new one: same evaluation, next fence.
    fn plan_reclaim<'root>(
        &'root self,
        metadata: &Metadata,
        key: &DeliveryKey,
        row: &Row,
        writes: &mut Writes<'root>,
    ) -> Result<Claim, LedgerError> {
        let now = self
            .root
            .decide(&self.clock, metadata, Some(row.last_seen))?;
        let expires_at = now.plus(metadata.limits().lease_millis)?;
        let owner = OwnerId::from_bytes(random()?);
        let exhausted = || LedgerError::Exhausted(key.clone());
        let state = State::Running {
            owner: *owner.bytes(),
            fence: row.state.fence().next().ok_or_else(exhausted)?,
            expires_at,
        };
        let next = row.next(state, now).ok_or_else(exhausted)?;
        writes.row(key, &next)?;
        if matches!(row.state, State::Running { .. }) {
            // The answer rests on the deadline having passed.
            writes.rests_on(now);
        }
        // Only a saved row without a gate commit had one; it is dead then.
        writes.dead_report(key);
        Ok(Claim::Execute(lease(&next, owner, expires_at)))
    }
}

impl Root {
    /// A bounded delivery must come from the root's own window.
    pub(super) fn check_window(
        &self,
        metadata: &Metadata,
        delivery: &AcceptedDelivery,
    ) -> Result<(), LedgerError> {
        let Some(window) = delivery.replay().window() else {
            return Ok(());
        };
        let root = metadata.limits();
        let mut given = root;
        given.max_signed_age_millis = window.max_signed_age_millis;
        given.max_queue_age_millis = window.max_queue_age_millis;
        self.compare(&root, &given).map_err(|error| match error {
            LedgerError::Configuration { root, reason, .. } => LedgerError::Configuration {
                root,
                reason,
                remedy: "verify the request again: `amiss ingress-verify --root` takes the window \
                         from the root",
            },
            other => other,
        })
    }

    /// The saved value of a row, its report proved; `None` for a row that cannot be published.
    pub(super) fn saved(
        &self,
        key: &DeliveryKey,
        stored: &StoredPublication,
        fence: crate::delivery::lease::Counter,
    ) -> Result<Option<Saved>, LedgerError> {
        let Some(publication) = stored.publication() else {
            return Ok(None);
        };
        let report = match stored.report.reference() {
            Some(reference) => Some(self.verify_report(key, reference)?),
            None => None,
        };
        Ok(Some(Saved {
            evaluation_id: stored.evaluation_id.clone(),
            fence,
            digest: stored.digest(fence),
            publication,
            report,
        }))
    }
}

fn lease(row: &Row, owner: OwnerId, expires_at: UnixMillis) -> Lease {
    Lease {
        evaluation_id: row.evaluation_id.clone(),
        check: row.check.clone(),
        fence: row.state.fence(),
        owner,
        expires_at_unix_millis: expires_at,
    }
}

/// `eval:KEY:RANDOM`: a row that was removed and made anew never matches an old token.
pub(super) fn fresh_evaluation_id(key: &DeliveryKey) -> Result<EvaluationId, LedgerError> {
    let text = format!("eval:{key}:{}", hex(&random()?));
    EvaluationId::new(text).map_err(|error| LedgerError::Random(error.to_string()))
}
