//! `amiss outbox doctor`: what is wrong, and what to do.

use amiss::code::Code;
use amiss::delivery::Envelope;
use amiss::outbox::{Finding, Repair};
use amiss::process::Cancel;
use clap::Args;
use serde::Serialize;

use crate::args::HostRootArgs;
use crate::failure::Failure;
use crate::stream::{Answer, Output, Status, fail, finish};

const HELP: &str = "\
Looks at every intent, due entry, pin, ledger and the published watcher. --repair applies the \
remedies that lose nothing. The status is 78 while something needs a person.

Example:
  amiss outbox doctor --repair --host-root /var/lib/amiss-host";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    root: HostRootArgs,

    /// Apply the remedies that lose nothing
    #[arg(long)]
    repair: bool,
}

/// The answer.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Examined<'a> {
    findings: &'a [Finding],
}

pub fn run(arguments: Arguments) -> Status {
    let Arguments { root, repair } = arguments;
    match doctor(&root, repair) {
        Ok(answer) => finish(answer, &mut Output::new()),
        Err(failure) => fail(failure),
    }
}

fn doctor(root: &HostRootArgs, repair: bool) -> Result<Answer, Failure> {
    let repair = if repair {
        Repair::Harmless
    } else {
        Repair::Nothing
    };
    let findings = root.open()?.doctor(repair, &Cancel::new())?;
    let mut envelope = Envelope::new();
    envelope.drop_members(&["schema"]);
    envelope.set(
        "doctor",
        &Examined {
            findings: &findings,
        },
    )?;
    let persons = findings
        .iter()
        .filter(|finding| finding.needs_person)
        .count();
    if persons == 0 {
        return Ok(Answer::done(envelope));
    }
    let message = format!("{persons} of {} findings need a person", findings.len());
    let failure = Failure::new(Code::RootCorrupt, message).hint("each finding says what to do");
    Ok(Answer::refused(envelope, failure))
}
