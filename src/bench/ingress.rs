//! What it costs to authenticate a request, in units of the HMAC that nobody can leave out.

use std::hint::black_box;
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::Watch;
use super::document::{Bound, Figure};
use super::error::BenchError;
use super::figure::share;
use super::options::Options;
use super::requests::{Gate, KEY, Scheme};
use super::samples::{Samples, ratio};
use crate::clock::{Clock, SystemClock, UnixMillis};
use crate::code::{Code, Coded};
use crate::delivery::Envelope;
use crate::ingress::{self, Request, RequestError, Verdict};
use crate::process::{Program, timed};

/// The sizes of a body: a usual one and a large one.
const SIZES: [(&str, usize); 2] = [("2 KiB", 2 * 1024), ("1 MiB", 1024 * 1024)];
/// What a fresh process may cost in units of its own start and one plain HMAC (page 6.1).
const MOST: f64 = 1.3;
/// How many requests of the first size one process must judge a second (page 6.1).
const LEAST: f64 = 20_000.0;
/// The most requests on one input.
const STREAM: u64 = 10_000;
/// Requests on one input for each sample that was asked for.
const STREAM_EACH: u64 = 350;
/// How often a whole stream is measured.
const STREAMS: u64 = 3;

/// Measures one scheme after the other.
pub(super) fn measure(
    options: &Options,
    place: &Path,
    watch: &mut dyn Watch,
) -> Result<Vec<Figure>, BenchError> {
    let now = SystemClock
        .now()
        .map_err(BenchError::measured("the clock"))?;
    let mut figures = Vec::new();
    let total = u64::try_from(Scheme::ALL.len().saturating_mul(SIZES.len())).unwrap_or(u64::MAX);
    let mut done = 0_u64;
    for scheme in Scheme::ALL {
        let gate = Gate::make(place, scheme)?;
        for (size, bytes) in SIZES {
            watch.progress(&format!("{} {size}", scheme.name()), done, total)?;
            let bench = One {
                options,
                gate: &gate,
                size,
                bytes,
                now,
            };
            bench.in_process(&mut figures)?;
            if let Some(program) = &options.program {
                bench.fresh(program, &mut figures)?;
                if bytes == SIZES[0].1 {
                    bench.stream(program, &mut figures)?;
                }
            }
            done = done.saturating_add(1);
        }
    }
    Ok(figures)
}

/// One scheme with bodies of one size.
struct One<'a> {
    options: &'a Options,
    gate: &'a Gate,
    size: &'static str,
    bytes: usize,
    now: UnixMillis,
}

impl One<'_> {
    fn name(&self, how: &str) -> String {
        format!("{} {}{how}", self.gate.scheme.name(), self.size)
    }

    /// From the text of a request to the text of its envelope, beside the HMAC alone.
    fn in_process(&self, figures: &mut Vec<Figure>) -> Result<(), BenchError> {
        let (text, body) = self.gate.request(0, self.bytes, self.now)?;
        let (mut plain, mut whole) = (Samples::new(), Samples::new());
        for _ in 0..self.options.samples {
            plain.time(|| hmac(&body))?;
            whole.time(|| self.judge(&text))?;
        }
        let name = format!("plain HMAC {}", self.size);
        if !figures.iter().any(|figure| figure.operation == name) {
            figures.push(Figure::of(&name, None, &plain));
        }
        figures.push(Figure {
            of_plain_hmac: whole.ratio_to(&plain),
            ..Figure::of(&self.name(""), None, &whole)
        });
        Ok(())
    }

    fn judge(&self, text: &str) -> Result<String, BenchError> {
        let request = Request::parse(text, self.gate.route.limits())
            .map_err(|error: RequestError| self.wrong(error.code(), error.to_string()))?;
        let verdict = ingress::verify(&self.gate.route, request, self.now)
            .map_err(|error| self.wrong(error.code(), error.to_string()))?;
        let Verdict::Accepted(accepted) = verdict else {
            return Err(self.wrong(Code::Internal, "it is no work".into()));
        };
        let mut envelope = Envelope::new();
        envelope
            .set("delivery", accepted.delivery())
            .map_err(|error| self.wrong(error.code(), error.to_string()))?;
        serde_json::to_string(&envelope)
            .map_err(|error| self.wrong(Code::Internal, error.to_string()))
    }

    fn wrong(&self, code: Code, message: String) -> BenchError {
        BenchError::Measured {
            what: self.name(""),
            code,
            message,
        }
    }

    /// A process for one request, beside the start of one that does nothing and the HMAC.
    fn fresh(&self, program: &Path, figures: &mut Vec<Figure>) -> Result<(), BenchError> {
        let name = self.name(", fresh process");
        let empty = Program::new(program).arg("--version");
        let verify = self.command(program);
        let [mut start, mut plain, mut whole]: [Samples; 3] = Default::default();
        for round in 0..self.options.samples {
            let (text, body) = self.gate.request(round.into(), self.bytes, self.now)?;
            let started = timed(&empty, b"").map_err(BenchError::measured("process start"))?;
            start.push(started.wall);
            plain.time(|| hmac(&body))?;
            let run = timed(&verify, text.as_bytes()).map_err(BenchError::measured(&name))?;
            check(&name, run.status, &run.stdout, 1)?;
            whole.push(run.wall);
        }
        if !figures
            .iter()
            .any(|figure| figure.operation == "process start")
        {
            figures.push(Figure::of("process start", None, &start));
        }
        let unit = start.median().saturating_add(plain.median());
        let of_plain_hmac = ratio(whole.median(), unit);
        figures.push(Figure {
            of_plain_hmac,
            bound: Some(Bound {
                of_plain_hmac: Some(MOST),
                held: of_plain_hmac.is_some_and(|ratio| ratio <= MOST),
                ..Bound::default()
            }),
            ..Figure::of(&name, None, &whole)
        });
        Ok(())
    }

    /// One process for many requests.
    fn stream(&self, program: &Path, figures: &mut Vec<Figure>) -> Result<(), BenchError> {
        let name = self.name(", many on one input");
        let count = u64::from(self.options.samples)
            .saturating_mul(STREAM_EACH)
            .min(STREAM);
        let mut input = String::new();
        for number in 0..count {
            input.push_str(&self.gate.request(number, self.bytes, self.now)?.0);
            input.push('\n');
        }
        let mut samples = Samples::new();
        for _ in 0..STREAMS {
            let run = timed(&self.command(program), input.as_bytes())
                .map_err(BenchError::measured(&name))?;
            check(&name, run.status, &run.stdout, count)?;
            samples.push(share(run.wall, count));
        }
        figures.push(Figure::rated(&name, None, &samples, Some(LEAST)));
        Ok(())
    }

    fn command(&self, program: &Path) -> Program {
        Program::new(program)
            .args(["ingress-verify", "--route"])
            .arg(&self.gate.path)
    }
}

/// The plain HMAC-SHA256 over the body.
fn hmac(body: &[u8]) -> Result<(), BenchError> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&KEY).map_err(|error| BenchError::Measured {
        what: "the plain HMAC".into(),
        code: Code::Internal,
        message: error.to_string(),
    })?;
    mac.update(body);
    black_box(mac.finalize());
    Ok(())
}

/// Every request of a process was accepted.
fn check(name: &str, status: Option<i32>, stdout: &[u8], count: u64) -> Result<(), BenchError> {
    let text = String::from_utf8_lossy(stdout);
    let lines = u64::try_from(text.lines().count()).unwrap_or(u64::MAX);
    if status == Some(0) && lines == count {
        return Ok(());
    }
    Err(BenchError::Answer {
        what: name.to_owned(),
        expected: "status 0 and an answer for each request",
        got: format!("status {status:?} and {lines} answers"),
    })
}
