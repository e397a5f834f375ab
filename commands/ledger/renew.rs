//! `amiss ledger renew`.

use amiss::clock::Clock;
use amiss::delivery::{Delivery, Envelope, Lease, SealKey};
use amiss::ledger::file::FileLedger;
use amiss::ledger::{DeliveryLedger, Renewal};
use clap::Args;
use serde::Serialize;

use super::lost::lost;
use super::open::LedgerArgs;
use crate::args::SealArgs;
use crate::failure::Failure;
use crate::stream::{Answer, Status, each_envelope, fail};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss ledger renew --root /var/lib/amiss < claimed.json")]
pub struct Arguments {
    #[command(flatten)]
    ledger: LedgerArgs,
    #[command(flatten)]
    seal: SealArgs,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct RenewalMember {
    renew_within_millis: u64,
}

pub fn run(arguments: &Arguments) -> Status {
    let key = match arguments.seal.load() {
        Ok(key) => key,
        Err(failure) => return fail(failure),
    };
    let mut ledger = arguments.ledger.open();
    each_envelope(|mut envelope| {
        if !envelope.has("lease") {
            return Answer::done(envelope);
        }
        match renew(&mut envelope, &mut ledger, key.as_ref()) {
            Ok(()) => Answer::done(envelope),
            Err(failure) => Answer::refused(envelope, failure),
        }
    })
}

fn renew(
    envelope: &mut Envelope,
    ledger: &mut Result<FileLedger<Box<dyn Clock>>, Failure>,
    key: Option<&SealKey>,
) -> Result<(), Failure> {
    let delivery = envelope.need::<Delivery>("delivery")?.accept(key)?;
    let lease: Lease = envelope.need("lease")?;
    let ledger = ledger.as_mut().map_err(|failure| failure.clone())?;
    match ledger.renew(&delivery, &lease)? {
        Renewal::Renewed {
            lease,
            within_millis,
        } => {
            envelope.set("lease", &lease)?;
            let member = RenewalMember {
                renew_within_millis: within_millis,
            };
            envelope.set("renewal", &member)?;
            Ok(())
        }
        Renewal::Lost(reason) => Err(lost(&delivery, "the lease", reason)),
    }
}
