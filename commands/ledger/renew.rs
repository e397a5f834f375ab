//! `amiss ledger renew`.

use amiss::clock::Clock;
use amiss::delivery::{AcceptedDelivery, Delivery, Envelope, Lease, SealKey};
use amiss::ledger::Renewal;
use amiss::ledger::file::{Answers, FileLedger, RenewRequest};
use clap::Args;
use serde::Serialize;

use super::batch::{self, Step};
use super::lost::lost;
use super::open::LedgerArgs;
use crate::args::SealArgs;
use crate::failure::Failure;
use crate::stream::{Status, each_batch, fail};

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
    let opened = arguments.ledger.open();
    let step = RenewStep { key };
    each_batch(|envelopes| batch::answer(&step, &opened, envelopes))
}

struct RenewStep {
    key: Option<SealKey>,
}

impl Step for RenewStep {
    type Prepared = (AcceptedDelivery, Lease);
    type Answered = Renewal;

    fn prepare(&self, envelope: &Envelope) -> Result<Option<Self::Prepared>, Failure> {
        if !envelope.has("lease") {
            return Ok(None);
        }
        let delivery: Delivery = envelope.need("delivery")?;
        let delivery = delivery.accept(self.key.as_ref())?;
        Ok(Some((delivery, envelope.need("lease")?)))
    }

    fn act(
        &self,
        ledger: &FileLedger<Box<dyn Clock>>,
        prepared: &mut [Self::Prepared],
    ) -> Answers<Renewal> {
        let mut requests: Vec<_> = prepared
            .iter()
            .map(|(delivery, lease)| RenewRequest { delivery, lease })
            .collect();
        ledger.renew_many(&mut requests)
    }

    fn write(
        &self,
        _ledger: &FileLedger<Box<dyn Clock>>,
        envelope: &mut Envelope,
        (delivery, _): &Self::Prepared,
        answered: Result<Renewal, Failure>,
    ) -> Result<Option<Failure>, Failure> {
        match answered? {
            Renewal::Renewed {
                lease,
                within_millis,
            } => {
                envelope.set("lease", &lease)?;
                let member = RenewalMember {
                    renew_within_millis: within_millis,
                };
                envelope.set("renewal", &member)?;
                Ok(None)
            }
            Renewal::Lost(reason) => Err(lost(delivery, "the lease", reason)),
        }
    }
}
