//! `amiss outbox enqueue`: a push, recorded durably with its pin.

use amiss::clock::Clock;
use amiss::delivery::Envelope;
use amiss::outbox::{HostRoot, OriginDelivery, PushMember, PushRequest};
use amiss::process::Cancel;
use clap::Args;

use crate::args::{HostRootArgs, TimeArgs};
use crate::failure::Failure;
use crate::stream::{Answer, Status, each_envelope};

const HELP: &str = "\
Reads envelopes with `push`, hands each on with `origin_delivery` added. The answer comes when \
intent, due entry and pin are durable; the same push again is the same delivery.

Example:
  echo '{\"push\":{\"project\":\"web\",\"task\":\"t1\",
    \"turn\":\"0123456789abcdef0123456789abcdef\",
    \"origin\":\"https://example.test/web.git\",\"branch\":\"release\",
    \"oid\":\"8d5957f8b2a5f7b1f2d7b2f0e5a3a3f8e6f9c001\"}}' |
    amiss outbox enqueue --host-root /var/lib/amiss-host";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    root: HostRootArgs,
    #[command(flatten)]
    time: TimeArgs,
}

pub fn run(arguments: Arguments) -> Status {
    let Arguments { root, time } = arguments;
    let (root, clock) = (root.open(), time.clock());
    each_envelope(|mut envelope| {
        let step = match &root {
            Ok(root) => enqueue(root, clock.as_ref(), &mut envelope),
            Err(failure) => Err(failure.clone()),
        };
        match step {
            Ok(()) => Answer::done(envelope),
            Err(failure) => Answer::refused(envelope, failure),
        }
    })
}

fn enqueue(root: &HostRoot, clock: &dyn Clock, envelope: &mut Envelope) -> Result<(), Failure> {
    let member: PushMember = envelope.need("push")?;
    let request = PushRequest::try_from(member)?;
    // No signal is caught: whatever a call leaves when it is stopped is what a crash may leave.
    let intent = root.enqueue(&request, clock, &Cancel::new())?;
    envelope.set("origin_delivery", &OriginDelivery::from(&intent))?;
    Ok(())
}
