//! `amiss ingress-verify`: one raw request in, one accepted delivery out, or the exact reason why
//! not (page 2).

use std::io;
use std::path::PathBuf;

use amiss::clock::Clock;
use amiss::delivery::{Envelope, SealKey};
use amiss::ingress::{self, Explanation, Request, RequestError, Route, Verdict, cgi};
use amiss::ledger::file::{Options, Root};
use clap::Args;

use crate::args::{TimeArgs, load_seal_key};
use crate::failure::Failure;
use crate::stream::{Answer, Output, Status, each_request, fail, finish};

const EXAMPLE: &str = "Example:
  jq -n --rawfile body payload.json --arg sig \"sha256=$DIGEST\" \\
    '{headers: [[\"X-Hub-Signature-256\", $sig]], body: $body}' |
    amiss ingress-verify --route github.route.json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The operator's route: who may send, how it is proved, what it is for
    #[arg(long, value_name = "FILE")]
    route: PathBuf,

    /// Take the replay window of this record root; a route that names another is refused
    #[arg(long, value_name = "DIR", env = "AMISS_ROOT")]
    root: Option<PathBuf>,

    /// Read a CGI/1.1 request: headers from the environment, the body from standard input
    #[arg(long)]
    cgi: bool,

    /// Say what was looked for and what was found: headers, key windows, clocks; no secret
    #[arg(long)]
    explain: bool,

    /// Seal the delivery with this key, so that no later stage can change it
    #[arg(long, value_name = "FILE")]
    seal_key: Option<PathBuf>,

    #[command(flatten)]
    time: TimeArgs,
}

/// What the operator fixed before any request is read.
struct Gate {
    route: Route,
    seal: Option<SealKey>,
    explain: bool,
    clock: Box<dyn Clock>,
}

pub fn run(arguments: &Arguments) -> Status {
    let gate = match Gate::open(arguments) {
        Ok(gate) => gate,
        Err(failure) => return fail(failure),
    };
    if arguments.cgi {
        let request = cgi::read(std::env::vars_os(), io::stdin().lock(), gate.route.limits());
        return finish(gate.answer(request), &mut Output::new());
    }
    each_request(|text| gate.answer(Request::parse(text, gate.route.limits())))
}

impl Gate {
    fn open(arguments: &Arguments) -> Result<Gate, Failure> {
        let window = match &arguments.root {
            Some(root) => Some(Root::open(root, Options::default())?.replay_window()?),
            None => None,
        };
        Ok(Gate {
            route: Route::load(&arguments.route, window)?,
            seal: arguments
                .seal_key
                .as_deref()
                .map(load_seal_key)
                .transpose()?,
            explain: arguments.explain,
            clock: arguments.time.clock(),
        })
    }

    fn answer(&self, request: Result<Request, RequestError>) -> Answer {
        let mut envelope = Envelope::new();
        match self.judge(request, &mut envelope) {
            Ok(()) => Answer::done(envelope),
            Err(failure) => Answer::refused(envelope, failure),
        }
    }

    fn judge(
        &self,
        request: Result<Request, RequestError>,
        envelope: &mut Envelope,
    ) -> Result<(), Failure> {
        let (request, now) = (request?, self.clock.now()?);
        if self.explain {
            envelope.set("explain", &Explanation::of(&self.route, &request, now))?;
        }
        match ingress::verify(&self.route, request, now)? {
            Verdict::Ignored(ignored) => envelope.set("ignored", &ignored)?,
            Verdict::Accepted(accepted) => match &self.seal {
                Some(key) => envelope.set("delivery", &accepted.sealed(key)?)?,
                None => envelope.set("delivery", accepted.delivery())?,
            },
        }
        Ok(())
    }
}
