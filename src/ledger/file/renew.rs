//! `renew`: the same evaluation and fence, a deadline that never moves backward (page 3.2).

use super::FileLedger;
use super::error::LedgerError;
use super::metadata::Metadata;
use super::row::{Row, State};
use super::together::RenewRequest;
use super::writes::Writes;
use crate::clock::{Clock, UnixMillis};
use crate::delivery::{AcceptedDelivery, Lease};
use crate::ledger::contract::{LostReason, Renewal};

/// A lease held against a row.
pub(super) enum Ownership {
    /// Its owner, until the deadline.
    Running {
        expires_at: UnixMillis,
    },
    Lost(LostReason),
}

impl<C: Clock> FileLedger<C> {
    pub(super) fn plan_renew<'root>(
        &'root self,
        metadata: &Metadata,
        request: RenewRequest<'_>,
        writes: &mut Writes<'root>,
    ) -> Result<Renewal, LedgerError> {
        let root = &self.root;
        let RenewRequest { delivery, lease } = request;
        let key = delivery.key();
        root.check_window(metadata, delivery)?;
        let Some(row) = root.row(key)? else {
            return Ok(Renewal::Lost(LostReason::NoRow));
        };
        let expires_at = match ownership(&row, delivery, lease) {
            Ownership::Running { expires_at } => expires_at,
            Ownership::Lost(reason) => return Ok(Renewal::Lost(reason)),
        };
        let now = root.decide(&self.clock, metadata, Some(row.last_seen))?;
        if now >= expires_at {
            // The answer rests on the deadline having passed.
            writes.rests_on(now);
            return Ok(Renewal::Lost(LostReason::Ended(expires_at)));
        }
        let deadline = now.plus(metadata.limits().lease_millis)?.max(expires_at);
        let state = State::Running {
            owner: *lease.owner.bytes(),
            fence: lease.fence,
            expires_at: deadline,
        };
        let next = row
            .next(state, now)
            .ok_or_else(|| LedgerError::Exhausted(key.clone()))?;
        if root.is_far_behind(metadata, now) {
            writes.rests_on(now);
        }
        writes.row(key, &next)?;
        Ok(Renewal::Renewed {
            lease: Lease {
                expires_at_unix_millis: deadline,
                ..lease.clone()
            },
            within_millis: deadline.since(now).unsigned_abs(),
        })
    }
}

/// Whether a lease is that of a row. Its deadline does not count: a lease whose renewal's reply
/// was lost is still the same lease.
pub(super) fn ownership(row: &Row, delivery: &AcceptedDelivery, lease: &Lease) -> Ownership {
    if !row.delivery_differences(delivery).is_empty() || row.check != lease.check {
        return Ownership::Lost(LostReason::Binding);
    }
    let (owner, fence, expires_at) = match &row.state {
        State::Running {
            owner,
            fence,
            expires_at,
        } => (owner, *fence, *expires_at),
        State::Staged { .. } => return Ownership::Lost(LostReason::Saved),
        State::Done { .. } => return Ownership::Lost(LostReason::Done),
    };
    if row.evaluation_id == lease.evaluation_id
        && fence == lease.fence
        && owner == lease.owner.bytes()
    {
        Ownership::Running { expires_at }
    } else {
        Ownership::Lost(LostReason::Owner)
    }
}
