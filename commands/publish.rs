//! `amiss publish`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use amiss::code::Code;
use amiss::delivery::{Delivery, Envelope, SealKey, Staged};
use amiss::json::MAX_ENVELOPE_BYTES;
use amiss::process::warden::{Supervision, adopt_orphans};
use amiss::process::{Cancel, Program};
use amiss::run::publish::{MAX_ANSWER_BYTES, Published, Publisher};
use clap::Args;

use crate::args::{SealArgs, TimeArgs, some_time, warden_binary};
use crate::failure::Failure;
use crate::interrupt;
use crate::room::too_large;
use crate::stream::{Answer, Status, each_envelope, fail};

/// Room for the member that this step adds, beside its answer.
const MEMBER_BYTES: usize = 8 * 1024;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  amiss publish --timeout 30s -- /opt/amiss/post-check-run < staged.json")]
pub struct Arguments {
    /// When the program's whole process tree is killed
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = some_time)]
    timeout: Duration,

    /// Use no cgroup, even where one could be made; the child subreaper holds the tree alone
    #[arg(long)]
    without_cgroup: bool,

    #[command(flatten)]
    time: TimeArgs,

    #[command(flatten)]
    seal: SealArgs,

    /// The program that publishes, and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

pub fn run(arguments: &Arguments) -> Status {
    let prepared = arguments
        .seal
        .load()
        .and_then(|key| Ok((key, warden_binary()?, interrupt::listen()?)));
    let (key, binary, cancel) = match prepared {
        Ok(prepared) => prepared,
        Err(failure) => return fail(failure),
    };
    each_envelope(|mut envelope| {
        if !envelope.has("staged") {
            return Answer::done(envelope);
        }
        match publish(&mut envelope, arguments, key.as_ref(), (&binary, &cancel)) {
            Ok(()) => Answer::done(envelope),
            Err(failure) => Answer::refused(envelope, failure),
        }
    })
}

fn publish(
    envelope: &mut Envelope,
    arguments: &Arguments,
    key: Option<&SealKey>,
    (binary, cancel): (&PathBuf, &Cancel),
) -> Result<(), Failure> {
    let staged: Staged = envelope.need("staged")?;
    let delivery = envelope.need::<Delivery>("delivery")?.accept(key)?;
    let text = text(envelope)?;
    let program = program(&arguments.program);
    let clock = arguments.time.clock();
    // A clock that fails must fail before something is published, not after.
    clock.now()?;
    let publisher = Publisher {
        program: &program,
        timeout: arguments.timeout,
        supervision: Supervision {
            binary,
            cgroup: !arguments.without_cgroup,
            adoption: adopt_orphans(),
        },
        cancel,
    };
    let answer = publisher.publish(&staged, delivery.key(), text.as_bytes())?;
    let member = Published {
        program: program.name(),
        unix_millis: clock.now()?,
        answer,
    };
    Ok(envelope.set("published", &member)?)
}

/// The envelope as the program reads it: one line. With an answer in it, it must still be one that
/// the next command reads, or the publication could never be completed.
fn text(envelope: &Envelope) -> Result<String, Failure> {
    let mut text = serde_json::to_string(envelope).map_err(|error| {
        Failure::new(Code::Internal, format!("cannot form the envelope: {error}"))
    })?;
    text.push('\n');
    let room = MAX_ENVELOPE_BYTES.saturating_sub(MAX_ANSWER_BYTES.saturating_add(MEMBER_BYTES));
    if text.len() > room {
        return Err(too_large(text.len(), room, "leave room for an answer"));
    }
    Ok(text)
}

/// The operator's program has the operator's own environment.
fn program(words: &[OsString]) -> Program {
    let name = words.first().cloned().unwrap_or_default();
    let mut program = Program::new(name).args(words.iter().skip(1));
    program.environment = std::env::vars_os().collect();
    program
}
