//! `amiss outbox once`: one pump cycle.

use std::sync::Arc;
use std::time::Duration;

use amiss::clock::{FixedClock, SystemClock};
use amiss::code::Code;
use amiss::delivery::Envelope;
use amiss::outbox::pump::{Report, Settings, SharedClock};
use amiss::outbox::{Cycle, HostRoot, OriginDelivery, State, run_once};
use amiss::process::Cancel;
use amiss::words::counted;
use clap::{Args, ValueEnum};

use crate::args::{HostRootArgs, TimeArgs, duration, warden_binary};
use crate::failure::Failure;
use crate::stream::{Answer, Output, Status, fail, finish};

const HELP: &str = "\
Recovers the due registry, pushes everything that is due now, origins side by side, and answers \
`pump` and `deliveries`. The status is 0 when the cycle ran, whatever the origins did, and 75 when \
another pump holds the lock.

Example:
  amiss outbox once --host-root /var/lib/amiss-host --fail-on failed";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    root: HostRootArgs,
    #[command(flatten)]
    pump: PumpArgs,
    /// End with 69 when a delivery failed for good; with `retrying` also with 75 when one is to be
    /// tried again
    #[arg(long, value_name = "WHAT")]
    fail_on: Option<FailOn>,
    #[command(flatten)]
    time: TimeArgs,
}

/// What pumps have in common.
#[derive(Debug, Clone, Args)]
pub struct PumpArgs {
    /// How many origins are pushed to at a time
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// When a push and its whole process tree are killed
    #[arg(long, value_name = "TIME", default_value = "900s", value_parser = some_time)]
    push_timeout: Duration,
}

impl PumpArgs {
    /// The settings of a pump that `stop` ends.
    pub fn settings(&self, stop: &Cancel) -> Result<Settings, Failure> {
        Ok(Settings {
            jobs: usize::from(self.jobs),
            push_timeout: self.push_timeout,
            warden: warden_binary()?,
            stop: stop.clone(),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Retrying,
    Failed,
}

/// A time that is not zero: a push that may take none can only fail.
fn some_time(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("at least 1ms".to_owned()),
        time => Ok(time),
    }
}

/// How long `once` tries for the pump's lock: longer than `wake` ever holds it to look.
const LOCK_PATIENCE: Duration = Duration::from_millis(250);

/// A clock that a pump's threads can share.
pub fn shared_clock(time: &TimeArgs) -> SharedClock {
    match time.now_unix_millis {
        Some(millis) => Arc::new(FixedClock(millis)),
        None => Arc::new(SystemClock),
    }
}

pub fn run(arguments: &Arguments) -> Status {
    let stop = match Cancel::on_termination(|| {}) {
        Ok(stop) => stop,
        Err(error) => return fail(error.into()),
    };
    let (cycle, reports) = match pump(arguments, &stop) {
        Ok(done) => done,
        Err(failure) => return fail(failure),
    };
    let mut envelope = Envelope::new();
    envelope.drop_members(&["schema"]);
    let deliveries: Vec<&OriginDelivery> = reports.iter().map(|report| &report.delivery).collect();
    let members = envelope
        .set("pump", &cycle)
        .and_then(|()| envelope.set("deliveries", &deliveries));
    if let Err(error) = members {
        return fail(error.into());
    }
    let failure = if stop.is_cancelled() {
        let words = "SIGTERM or SIGINT ended the cycle; what was not pushed stays as it was";
        Some(Failure::new(Code::Interrupted, words))
    } else {
        judge(arguments.fail_on, &cycle, &reports)
    };
    let answer = match failure {
        None => Answer::done(envelope),
        Some(failure) => Answer::refused(envelope, failure),
    };
    finish(answer, &mut Output::new())
}

fn pump(arguments: &Arguments, stop: &Cancel) -> Result<(Cycle, Vec<Report>), Failure> {
    let clock = shared_clock(&arguments.time);
    let root: HostRoot = arguments.root.open()?;
    let Some(held) = root.lock_pump(LOCK_PATIENCE)? else {
        let words = format!(
            "another pump holds the outbox lock of {}",
            root.path().display()
        );
        return Err(Failure::new(Code::OutboxBusy, words));
    };
    Ok(run_once(
        root,
        &held,
        clock,
        arguments.pump.settings(stop)?,
    )?)
}

/// What `--fail-on` makes of a cycle.
fn judge(fail_on: Option<FailOn>, cycle: &Cycle, reports: &[Report]) -> Option<Failure> {
    let fail_on = fail_on?;
    if cycle.failed > 0 {
        let words = format!(
            "{} failed for the last time",
            counted(cycle.failed, "delivery", "deliveries")
        );
        let hint = "mend the origin, then `amiss outbox retry --task T`";
        return Some(Failure::new(Code::PublishFailed, words).hint(hint));
    }
    if cycle.retrying == 0 || fail_on == FailOn::Failed {
        return None;
    }
    let words = format!(
        "{} failed and will be tried again",
        counted(cycle.retrying, "delivery", "deliveries")
    );
    let mut failure = Failure::new(Code::TaskBusy, words);
    failure.retry_at_unix_millis = reports
        .iter()
        .filter(|report| report.delivery.state == State::Retrying)
        .map(|report| report.delivery.next_attempt_at_millis.get())
        .min();
    Some(failure)
}
