//! `amiss ledger show`.

use amiss::delivery::text::{DeliveryId, Instance, IntegrationId, Namespace};
use amiss::delivery::{Delivery, DeliveryKey, Envelope, Identity, Provider};
use amiss::ledger::file::RowView;
use clap::Args;
use serde::Serialize;

use super::open::LedgerArgs;
use crate::failure::Failure;
use crate::stream::{Answer, Output, Status, each_envelope, fail};

#[derive(Debug, Args)]
#[command(after_help = "\
In the answer, `digest` names the saved verdict, as `ledger stage` gave it and `ledger complete` asks
for it. `report.digest` is the record's own digest of the report (its domain and a zero byte first),
not what `sha256sum` prints; `staged.report.sha256` of `ledger claim` is that one. `next` says what
each command would answer now.

Example:
  amiss ledger show --root /var/lib/amiss \\
    --key 0b320f59191352125bbed161c51c73615a815b31a16e07f1fd4e9276ed616369")]
pub struct Arguments {
    #[command(flatten)]
    ledger: LedgerArgs,
    /// The row's key; without it and without an identity, envelopes are read from standard input
    #[arg(long, value_name = "HEX", conflicts_with_all = ["namespace", "instance", "integration", "delivery"])]
    key: Option<DeliveryKey>,
    #[command(flatten)]
    identity: IdentityArgs,
}

#[derive(Debug, Args)]
struct IdentityArgs {
    /// The kind of forge of the delivery
    #[arg(long, value_name = "NAME", requires_all = ["instance", "integration", "delivery"])]
    namespace: Option<Namespace>,
    /// The forge's installation
    #[arg(long, value_name = "NAME", requires = "namespace")]
    instance: Option<Instance>,
    /// The integration there
    #[arg(long, value_name = "ID", requires = "namespace")]
    integration: Option<IntegrationId>,
    /// The delivery's replay identity
    #[arg(long, value_name = "ID", requires = "namespace")]
    delivery: Option<DeliveryId>,
}

impl IdentityArgs {
    fn key(&self) -> Option<DeliveryKey> {
        let identity = Identity {
            provider: Provider {
                namespace: self.namespace.clone()?,
                instance: self.instance.clone()?,
            },
            integration: self.integration.clone()?,
            delivery: self.delivery.clone()?,
        };
        Some(DeliveryKey::of(&identity))
    }
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Printed {
    row: RowView,
}

pub fn run(arguments: &Arguments) -> Status {
    let ledger = arguments.ledger.open();
    let show = |key: &DeliveryKey| -> Result<RowView, Failure> {
        let root = ledger.as_ref().map_err(Failure::clone)?.root();
        Ok(root.show(key, &*arguments.ledger.clock.time.clock())?)
    };
    let named = arguments.key.clone().or_else(|| arguments.identity.key());
    match named {
        Some(key) => match show(&key) {
            Ok(row) => Output::new().print(&Printed { row }),
            Err(failure) => fail(failure),
        },
        None => each_envelope(|mut envelope| {
            match of_envelope(&envelope)
                .and_then(|key| show(&key))
                .and_then(|row| Ok(envelope.set("row", &row)?))
            {
                Ok(()) => Answer::done(envelope),
                Err(failure) => Answer::refused(envelope, failure),
            }
        }),
    }
}

fn of_envelope(envelope: &Envelope) -> Result<DeliveryKey, Failure> {
    let delivery: Delivery = envelope.need("delivery")?;
    Ok(DeliveryKey::of(&delivery.identity))
}
