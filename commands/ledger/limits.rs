//! How `resize` and `retune` print what they changed.

use amiss::ledger::file::{Changed, Limits};
use serde::Serialize;

/// Limits before and after.
#[derive(Serialize, schemars::JsonSchema)]
pub struct ChangedMember {
    from: LimitsMember,
    to: LimitsMember,
    records: u64,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct LimitsMember {
    lease_millis: i64,
    max_records: u64,
    max_signed_age_millis: i64,
    max_queue_age_millis: i64,
}

impl LimitsMember {
    const fn of(limits: &Limits) -> LimitsMember {
        LimitsMember {
            lease_millis: limits.lease_millis,
            max_records: limits.max_records,
            max_signed_age_millis: limits.max_signed_age_millis,
            max_queue_age_millis: limits.max_queue_age_millis,
        }
    }
}

impl ChangedMember {
    pub const fn of(changed: &Changed) -> ChangedMember {
        ChangedMember {
            from: LimitsMember::of(&changed.from),
            to: LimitsMember::of(&changed.to),
            records: changed.records,
        }
    }
}
