//! `amiss ledger claim`.

use std::path::{Path, PathBuf};

use amiss::clock::Clock;
use amiss::code::Code;
use amiss::delivery::text::EvaluationId;
use amiss::delivery::{AcceptedDelivery, CheckBinding, Delivery, Envelope, Lease, SealKey};
use amiss::json;
use amiss::ledger::file::{Answers, ClaimRequest, FileLedger};
use amiss::ledger::{BoundMember, Claim};
use amiss::plan::{LoadedPlan, read_config};
use clap::Args;
use serde::Serialize;

use super::batch::{self, Step};
use super::open::LedgerArgs;
use crate::args::SealArgs;
use crate::failure::Failure;
use crate::room::for_the_flow;
use crate::stream::{Status, each_batch, fail};

/// Members that were made under an earlier fence.
const OF_AN_OLD_FENCE: [&str; 7] = [
    "run",
    "outcome",
    "recheck",
    "staged",
    "published",
    "completion",
    "renewal",
];

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss ingress-verify --route gitea.json < request.json |
    amiss ledger claim --root /var/lib/amiss --plan plan.json")]
pub struct Arguments {
    #[command(flatten)]
    ledger: LedgerArgs,
    #[command(flatten)]
    seal: SealArgs,
    #[command(flatten)]
    check: CheckArgs,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct CheckArgs {
    /// The plan that the delivery is claimed for; its digests are bound into the row
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// The binding itself, for a row whose plan is not at hand
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

impl CheckArgs {
    fn load(&self) -> Result<CheckBinding, Failure> {
        match (&self.plan, &self.check) {
            (Some(plan), _) => Ok(LoadedPlan::load(plan)?.check),
            (None, Some(check)) => load_check(check),
            (None, None) => Err(Failure::new(
                Code::ConfigInvalid,
                "neither --plan nor --check was given",
            )),
        }
    }
}

fn load_check(path: &Path) -> Result<CheckBinding, Failure> {
    let wrong = |reason: String| {
        Failure::new(
            Code::ConfigInvalid,
            format!("the check {}: {reason}", path.display()),
        )
        .hint("`amiss schema check` prints its form")
    };
    let text = read_config(path).map_err(|error| wrong(error.to_string()))?;
    json::parse(&text, "check").map_err(|error| wrong(error.to_string()))
}

pub fn run(arguments: &Arguments) -> Status {
    let (key, check) = match arguments
        .seal
        .load()
        .and_then(|key| Ok((key, arguments.check.load()?)))
    {
        Ok(loaded) => loaded,
        Err(failure) => return fail(failure),
    };
    let opened = arguments.ledger.open();
    let step = ClaimStep { key, check };
    each_batch(|envelopes| batch::answer(&step, &opened, envelopes))
}

struct ClaimStep {
    key: Option<SealKey>,
    check: CheckBinding,
}

struct Prepared {
    delivery: AcceptedDelivery,
    held: Option<Lease>,
}

impl Step for ClaimStep {
    type Prepared = Prepared;
    type Answered = Claim;

    fn prepare(&self, envelope: &Envelope) -> Result<Option<Prepared>, Failure> {
        if envelope.has("ignored") {
            return Ok(None);
        }
        let delivery: Delivery = envelope.need("delivery")?;
        for_the_flow(envelope, &OF_AN_OLD_FENCE)?;
        Ok(Some(Prepared {
            delivery: delivery.accept(self.key.as_ref())?,
            held: envelope.member("lease")?,
        }))
    }

    fn act(
        &self,
        ledger: &FileLedger<Box<dyn Clock>>,
        prepared: &mut [Prepared],
    ) -> Answers<Claim> {
        let mut requests: Vec<_> = prepared
            .iter()
            .map(|one| ClaimRequest {
                delivery: &one.delivery,
                check: &self.check,
                held: one.held.as_ref(),
            })
            .collect();
        ledger.claim_many(&mut requests)
    }

    fn write(
        &self,
        ledger: &FileLedger<Box<dyn Clock>>,
        envelope: &mut Envelope,
        prepared: &Prepared,
        answered: Result<Claim, Failure>,
    ) -> Result<Option<Failure>, Failure> {
        claimed(ledger, &prepared.delivery, answered)?.write(envelope)
    }
}

/// What goes into the envelope.
struct Claimed {
    member: ClaimMember,
    lease: Option<Lease>,
    staged: Option<amiss::delivery::Staged>,
    failure: Option<Failure>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct ClaimMember {
    #[schemars(extend("enum" = ["execute", "publish", "busy", "duplicate", "binding-conflict", "full", "expired"]))]
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluation_id: Option<EvaluationId>,
}

impl Claimed {
    fn of(result: &'static str, evaluation_id: Option<EvaluationId>) -> Claimed {
        Claimed {
            member: ClaimMember {
                result,
                evaluation_id,
            },
            lease: None,
            staged: None,
            failure: None,
        }
    }

    fn refused(mut self, failure: Failure) -> Claimed {
        self.failure = Some(failure);
        self
    }

    fn write(self, envelope: &mut Envelope) -> Result<Option<Failure>, Failure> {
        envelope.drop_members(&OF_AN_OLD_FENCE);
        envelope.set("claim", &self.member)?;
        match &self.lease {
            Some(lease) => envelope.set("lease", lease)?,
            None => envelope.drop_members(&["lease"]),
        }
        if let Some(staged) = &self.staged {
            envelope.set("staged", staged)?;
        }
        Ok(self.failure)
    }
}

fn claimed(
    ledger: &FileLedger<Box<dyn Clock>>,
    delivery: &AcceptedDelivery,
    answered: Result<Claim, Failure>,
) -> Result<Claimed, Failure> {
    let answer = match answered {
        Ok(answer) => answer,
        Err(failure) => {
            let result = match failure.code {
                Code::Full => "full",
                Code::Expired => "expired",
                _ => return Err(failure),
            };
            return Ok(Claimed::of(result, None).refused(failure));
        }
    };
    Ok(match answer {
        Claim::Execute(lease) => Claimed {
            lease: Some(lease),
            ..Claimed::of("execute", None)
        },
        Claim::Publish(saved) => Claimed {
            staged: Some(ledger.staged(delivery.key(), *saved)),
            ..Claimed::of("publish", None)
        },
        Claim::Busy {
            evaluation_id,
            retry_at,
        } => {
            let message = format!("the delivery is held under {evaluation_id} until {retry_at}");
            Claimed::of("busy", Some(evaluation_id)).refused(Failure {
                retry_at_unix_millis: Some(retry_at.get()),
                ..Failure::new(Code::Busy, message)
            })
        }
        Claim::Duplicate { evaluation_id } => Claimed::of("duplicate", Some(evaluation_id)),
        Claim::BindingConflict { members } => {
            let list: Vec<&str> = members.iter().map(|member| member.name()).collect();
            let message = format!(
                "the record holds the delivery {} under another {}",
                delivery.key(),
                list.join(", ")
            );
            Claimed::of("binding-conflict", None)
                .refused(Failure::new(Code::BindingConflict, message).hint(remedy(&members)))
        }
    })
}

/// What a person does about a row that is bound to something else.
fn remedy(members: &[BoundMember]) -> &'static str {
    if *members == [BoundMember::Replay] {
        // A lifetime that was stored is never made longer, so nothing can join the two again.
        return "the request was signed anew, or verified under a window that `amiss ledger retune` \
                changed since; `amiss ledger show` prints the row: a done one needs nothing; the \
                saved result of a staged one is published by hand and ended with `amiss ledger \
                abandon --staged`; a running one is ended with `amiss ledger abandon`, and a new \
                event judges the change";
    }
    "`amiss ledger show` prints what the row is bound to"
}
