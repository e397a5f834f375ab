//! How a lost lease or value is told.

use amiss::code::Code;
use amiss::delivery::AcceptedDelivery;
use amiss::ledger::LostReason;

use crate::failure::Failure;

/// `LOST`, with the row and the reason.
pub fn lost(delivery: &AcceptedDelivery, what: &str, reason: LostReason) -> Failure {
    Failure::new(
        Code::Lost,
        format!(
            "{what} of the delivery {} is lost: {reason}",
            delivery.key()
        ),
    )
    .hint("drop the work and claim again")
}
