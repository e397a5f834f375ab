//! `renew`: the same evaluation and fence, a deadline that never moves backward (page 3.2).

use super::FileLedger;
use super::error::LedgerError;
use super::root::Root;
use super::row::{Row, State};
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
    pub(super) fn renew_row(
        &self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
    ) -> Result<Renewal, LedgerError> {
        let root = &self.root;
        let key = delivery.key();
        root.metadata()?;
        let _work = root.row_work(key)?;
        let metadata = root.metadata()?;
        root.check_window(&metadata, delivery)?;
        let Some(row) = root.row(key)? else {
            return Ok(Renewal::Lost(LostReason::NoRow));
        };
        let expires_at = match ownership(&row, delivery, lease) {
            Ownership::Running { expires_at } => expires_at,
            Ownership::Lost(reason) => return Ok(Renewal::Lost(reason)),
        };
        let now = root.decide(&self.clock, &metadata, Some(row.last_seen))?;
        if let Some(reason) = root.ended(now, expires_at)? {
            return Ok(Renewal::Lost(reason));
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
        root.refresh_high_water(&metadata, now)?;
        root.save_row(key, &next, None)?;
        Ok(Renewal::Renewed {
            lease: Lease {
                expires_at_unix_millis: deadline,
                ..lease.clone()
            },
            within_millis: deadline.since(now).unsigned_abs(),
        })
    }
}

impl Root {
    /// Whether a lease has ended; if so, that is durable before it is said.
    pub(super) fn ended(
        &self,
        now: UnixMillis,
        expires_at: UnixMillis,
    ) -> Result<Option<LostReason>, LedgerError> {
        if now < expires_at {
            return Ok(None);
        }
        self.save_high_water(now)?;
        Ok(Some(LostReason::Ended(expires_at)))
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
