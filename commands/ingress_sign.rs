//! `amiss ingress-sign`: a signed request from a body and a keyring, for testing a receiver.

use std::io::{self, Read as _};
use std::path::PathBuf;

use amiss::clock::Clock as _;
use amiss::code::Code;
use amiss::delivery::ReplayWindow;
use amiss::delivery::accepted::Label;
use amiss::ingress::limits::MAX_BODY_BYTES;
use amiss::ingress::sign::{Order, Shape, SignedRequest, sign};
use amiss::ingress::{IngressError, Route};
use clap::Args;

use crate::args::TimeArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

const EXAMPLE: &str = "Example:
  amiss ingress-sign --route github.route.json < payload.json |
    amiss ingress-verify --route github.route.json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The receiver's route; its keyring signs
    #[arg(long, value_name = "FILE")]
    route: PathBuf,

    /// Sign with this key instead of the newest active one
    #[arg(long, value_name = "NAME")]
    anchor: Option<Label>,

    /// Send the body as the field `payload` of a form
    #[arg(long)]
    form: bool,

    /// The message id of a gitlab-webhook request
    #[arg(long, value_name = "TEXT", default_value = "msg_test")]
    id: String,

    #[command(flatten)]
    time: TimeArgs,
}

pub fn run(arguments: &Arguments) -> Status {
    match make(arguments) {
        Ok(request) => Output::new().print(&request),
        Err(failure) => fail(failure),
    }
}

fn make(arguments: &Arguments) -> Result<SignedRequest, Failure> {
    let route = load(&arguments.route)?;
    let at = arguments.time.clock().now()?;
    let mut body = Vec::new();
    io::stdin()
        .lock()
        .take(MAX_BODY_BYTES.saturating_add(1))
        .read_to_end(&mut body)
        .map_err(|error| {
            Failure::new(
                Code::Io,
                format!("cannot read the body from standard input: {error}"),
            )
        })?;
    let length = u64::try_from(body.len()).unwrap_or(u64::MAX);
    if length > MAX_BODY_BYTES {
        let limit = MAX_BODY_BYTES;
        return Err(IngressError::Limit {
            what: "body",
            limit,
        }
        .into());
    }
    let order = Order {
        anchor: arguments.anchor.as_ref(),
        shape: if arguments.form {
            Shape::Form
        } else {
            Shape::Json
        },
        id: &arguments.id,
        at,
    };
    Ok(sign(&route, &body, &order)?)
}

/// A route that has its window from a root is as good for signing.
fn load(path: &std::path::Path) -> Result<Route, Failure> {
    let any = ReplayWindow::new(
        amiss::delivery::replay::MAX_WINDOW_MILLIS,
        amiss::delivery::replay::MAX_WINDOW_MILLIS,
    );
    match Route::load(path, None) {
        Ok(route) => Ok(route),
        Err(first) => match any {
            Ok(window) => Route::load(path, Some(window)).map_err(|_| first.into()),
            Err(_) => Err(first.into()),
        },
    }
}
