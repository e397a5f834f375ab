//! `amiss refresh`.

use std::path::PathBuf;

use amiss::delivery::{Delivery, Envelope, Forge, Lease, Outcome, RunFacts};
use amiss::run::refresh::{LocalRefresher, Question, RefName, RefreshError, Refresher};
use clap::Args;

use crate::args::SealArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::room::for_the_next_step;
use crate::stream::{Answer, Status, each_envelope, fail};

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  amiss refresh --repository /srv/mirror.git --target refs/heads/main \\
    --candidate refs/pull/7/head < claimed.json")]
pub struct Arguments {
    /// A clone or mirror of the repository, kept up to date by you
    #[arg(long, value_name = "DIR")]
    repository: PathBuf,

    /// The ref to be merged into, in full
    #[arg(long, value_name = "REF")]
    target: RefName,

    /// The ref under which the candidate lives in that repository, in full
    #[arg(long, value_name = "REF")]
    candidate: RefName,

    /// The forge's URL dialect, where the provider namespace does not say it
    #[arg(long, value_name = "FORGE", value_parser = forge)]
    forge: Option<Forge>,

    #[command(flatten)]
    seal: SealArgs,
}

pub fn run(arguments: Arguments) -> Status {
    let prepared = arguments
        .seal
        .load()
        .and_then(|key| Ok((key, interrupt::listen()?)));
    let (key, cancel) = match prepared {
        Ok(prepared) => prepared,
        Err(failure) => return fail(failure),
    };
    let refresher = LocalRefresher {
        repository: arguments.repository,
        target: arguments.target,
        candidate: arguments.candidate,
        forge: arguments.forge,
        cancel,
    };
    each_envelope(|mut envelope| {
        let mut step = || -> Result<(), Failure> {
            if !envelope.has("lease") {
                return Ok(());
            }
            let _: Lease = envelope.need("lease")?;
            let delivery: Delivery = envelope.need("delivery")?;
            let delivery = delivery.accept(key.as_ref())?;
            let facts = facts(&refresher, &envelope, &delivery)?;
            let member = if envelope.has("outcome") {
                "recheck"
            } else {
                "run"
            };
            envelope.set(member, &facts)?;
            for_the_next_step(&envelope)
        };
        match step() {
            Ok(()) => Answer::done(envelope),
            Err(failure) => Answer::refused(envelope, failure),
        }
    })
}

fn facts(
    refresher: &LocalRefresher,
    envelope: &Envelope,
    delivery: &amiss::delivery::AcceptedDelivery,
) -> Result<RunFacts, Failure> {
    let outcome: Option<Outcome> = envelope.member("outcome")?;
    let earlier: Option<RunFacts> = match outcome {
        Some(_) => Some(envelope.member("run")?.ok_or(RefreshError::NoRun)?),
        None => None,
    };
    Ok(refresher.refresh(Question {
        delivery,
        earlier: earlier.as_ref(),
    })?)
}

fn forge(text: &str) -> Result<Forge, String> {
    amiss::run::refresh::forge_of(text)
        .ok_or_else(|| "the forge is github, gitlab, gitea or forgejo".to_owned())
}
