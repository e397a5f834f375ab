//! `amiss ledger complete`.

use amiss::clock::Clock;
use amiss::delivery::lease::Counter;
use amiss::delivery::text::EvaluationId;
use amiss::delivery::{Delivery, Envelope, SealKey, Staged};
use amiss::ledger::file::FileLedger;
use amiss::ledger::{Completion, DeliveryLedger, ReportFacts, Saved};
use clap::Args;
use serde::Serialize;

use super::lost::lost;
use super::open::LedgerArgs;
use crate::args::SealArgs;
use crate::failure::Failure;
use crate::stream::{Answer, Status, each_envelope, fail};

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
    let mut ledger = arguments.ledger.open();
    each_envelope(|mut envelope| {
        if !envelope.has("staged") {
            return Answer::done(envelope);
        }
        match complete(&mut envelope, &mut ledger, key.as_ref()) {
            Ok(()) => Answer::done(envelope),
            Err(failure) => Answer::refused(envelope, failure),
        }
    })
}

fn complete(
    envelope: &mut Envelope,
    ledger: &mut Result<FileLedger<Box<dyn Clock>>, Failure>,
    key: Option<&SealKey>,
) -> Result<(), Failure> {
    let delivery = envelope.need::<Delivery>("delivery")?.accept(key)?;
    let staged: Staged = envelope.need("staged")?;
    let ledger = ledger.as_mut().map_err(|failure| failure.clone())?;
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
    match ledger.complete(&delivery, &saved)? {
        Completion::Completed => {
            let member = CompletionMember {
                result: "completed",
                evaluation_id: &saved.evaluation_id,
                fence: saved.fence,
            };
            envelope.set("completion", &member)?;
            Ok(())
        }
        Completion::Lost(reason) => Err(lost(&delivery, "the saved value", reason)),
    }
}
