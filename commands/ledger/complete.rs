//! `amiss ledger complete`.

use amiss::clock::Clock;
use amiss::delivery::lease::Counter;
use amiss::delivery::text::EvaluationId;
use amiss::delivery::{AcceptedDelivery, Delivery, Envelope, SealKey, Staged};
use amiss::ledger::file::{Answers, CompleteRequest, FileLedger};
use amiss::ledger::{Completion, ReportFacts, Saved};
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
  amiss ledger complete --root /var/lib/amiss < published.json")]
pub struct Arguments {
    #[command(flatten)]
    ledger: LedgerArgs,
    #[command(flatten)]
    seal: SealArgs,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct CompletionMember<'a> {
    #[schemars(extend("const" = "completed"))]
    result: &'static str,
    evaluation_id: &'a EvaluationId,
    fence: Counter,
}

pub fn run(arguments: &Arguments) -> Status {
    let key = match arguments.seal.load() {
        Ok(key) => key,
        Err(failure) => return fail(failure),
    };
    let opened = arguments.ledger.open();
    let step = CompleteStep { key };
    each_batch(|envelopes| batch::answer(&step, &opened, envelopes))
}

struct CompleteStep {
    key: Option<SealKey>,
}

impl Step for CompleteStep {
    type Prepared = (AcceptedDelivery, Saved);
    type Answered = Completion;

    fn prepare(&self, envelope: &Envelope) -> Result<Option<Self::Prepared>, Failure> {
        if !envelope.has("staged") {
            return Ok(None);
        }
        let delivery: Delivery = envelope.need("delivery")?;
        let delivery = delivery.accept(self.key.as_ref())?;
        let staged: Staged = envelope.need("staged")?;
        // The path is where the bytes are now; it is no part of the value.
        let saved = Saved {
            evaluation_id: staged.evaluation_id,
            fence: staged.fence,
            digest: staged.digest,
            publication: staged.publication,
            report: staged.report.map(|report| ReportFacts {
                sha256: report.sha256,
                bytes: report.bytes,
            }),
        };
        Ok(Some((delivery, saved)))
    }

    fn act(
        &self,
        ledger: &FileLedger<Box<dyn Clock>>,
        prepared: &mut [Self::Prepared],
    ) -> Answers<Completion> {
        let mut requests: Vec<_> = prepared
            .iter()
            .map(|(delivery, saved)| CompleteRequest { delivery, saved })
            .collect();
        ledger.complete_many(&mut requests)
    }

    fn write(
        &self,
        _ledger: &FileLedger<Box<dyn Clock>>,
        envelope: &mut Envelope,
        (delivery, saved): &Self::Prepared,
        answered: Result<Completion, Failure>,
    ) -> Result<Option<Failure>, Failure> {
        match answered? {
            Completion::Completed => {
                let member = CompletionMember {
                    result: "completed",
                    evaluation_id: &saved.evaluation_id,
                    fence: saved.fence,
                };
                envelope.set("completion", &member)?;
                Ok(None)
            }
            Completion::Lost(reason) => Err(lost(delivery, "the saved value", reason)),
        }
    }
}
