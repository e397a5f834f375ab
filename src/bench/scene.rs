//! Deliveries, checks and verdicts of the size and shape of real ones.

use std::time::{Duration, Instant};

use serde_json::json;

use super::error::BenchError;
use super::samples::Samples;
use crate::delivery::digest::{Sha256Hex, hex};
use crate::delivery::{
    AcceptedDelivery, CheckBinding, Delivery, Digest, Outcome, Publication, RunFacts,
};

/// The window of every bounded delivery of a scene: five minutes and one.
pub const MAX_SIGNED_AGE_MILLIS: i64 = 300_000;
/// The queue's part of that window.
pub const MAX_QUEUE_AGE_MILLIS: i64 = 60_000;
/// The size of a scene's report, in bytes.
pub const REPORT_BYTES: usize = 10 * 1024;

/// How long a scene's delivery is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// For ever.
    Permanent,
    /// Through this time, in milliseconds since 1970.
    Through(i64),
}

fn object_id(number: u64, kind: &str) -> String {
    Digest::of("amiss/bench-object", format!("{kind} {number}").as_bytes())
        .hex()
        .chars()
        .take(40)
        .collect()
}

fn made<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> Result<T, BenchError> {
    serde_json::from_value(value).map_err(|error| BenchError::Measured {
        what: "the scene".into(),
        code: crate::code::Code::Internal,
        message: error.to_string(),
    })
}

/// The `number`-th delivery, as a member of an envelope.
///
/// # Errors
/// A fault of the scene itself.
pub fn delivery(number: u64, lifetime: Lifetime) -> Result<Delivery, BenchError> {
    let provider = json!({"namespace": "github", "instance": "github.com"});
    let body = Digest::of("amiss/controller-exact-delivery-v1", &number.to_be_bytes());
    let run = Digest::of(
        "amiss/controller-github-pull-request-v1",
        &number.to_be_bytes(),
    );
    let replay = match lifetime {
        Lifetime::Permanent => json!({"retention": "permanent"}),
        Lifetime::Through(end) => json!({
            "retention": "keep-through",
            "unix_millis": end,
            "window": {
                "max_signed_age_millis": MAX_SIGNED_AGE_MILLIS,
                "max_queue_age_millis": MAX_QUEUE_AGE_MILLIS,
            },
        }),
    };
    made(json!({
        "identity": {
            "provider": provider,
            "integration": "installation-234",
            "delivery": format!("body:{body}"),
        },
        "change": {
            "provider": provider,
            "repository": {"host": "github.com", "owner": "octo-org", "name": "hello-world"},
            "change": format!("repository/1/pull/{number}/number/{number}"),
        },
        "provider_run": {
            "run_id": format!("pr:{run}"),
            "attempt": 1,
            "object_format": "sha1",
            "candidate_commit": object_id(number, "candidate"),
        },
        "replay": replay,
    }))
}

/// The same, accepted.
///
/// # Errors
/// A fault of the scene itself.
pub fn accepted(number: u64, lifetime: Lifetime) -> Result<AcceptedDelivery, BenchError> {
    delivery(number, lifetime)?
        .accept(None)
        .map_err(BenchError::measured("the scene"))
}

/// The check of every row.
///
/// # Errors
/// A fault of the scene itself.
pub fn check() -> Result<CheckBinding, BenchError> {
    made(json!({
        "plan_digest": Digest::of("amiss/plan/v1", b"bench"),
        "required_status_name": "amiss/enforce",
        "execution_constraint_digest": Digest::of("amiss/plan-execution/v1", b"bench"),
    }))
}

/// What was judged for the `number`-th delivery.
///
/// # Errors
/// A fault of the scene itself.
pub fn run_facts(number: u64) -> Result<RunFacts, BenchError> {
    made(json!({
        "state": "active",
        "gate_commit": object_id(number, "gate"),
        "refs": {
            "forge": "github",
            "candidate": format!("refs/heads/topic-{number}"),
            "target": "refs/heads/main",
            "default_branch": "refs/heads/main",
        },
        "commits": {
            "base": object_id(number, "gate"),
            "candidate": object_id(number, "candidate"),
        },
        "trees": {
            "base": object_id(number, "base tree"),
            "candidate": object_id(number, "candidate tree"),
        },
    }))
}

/// The verdict on the `number`-th delivery: a pass.
///
/// # Errors
/// A fault of the scene itself.
pub fn publication(number: u64) -> Result<Publication, BenchError> {
    let delivery = delivery(number, Lifetime::Permanent)?;
    let facts = run_facts(number)?;
    made(json!({
        "provider_run": delivery.provider_run,
        "check": check()?,
        "run": {
            "change": delivery.change,
            "refs": facts.refs,
            "object_format": "sha1",
            "commits": facts.commits,
            "trees": facts.trees,
        },
        "gate_commit": facts.gate_commit,
        "conclusion": "pass",
        "failure": null,
    }))
}

/// A report of 10 KiB that no two deliveries share.
#[must_use]
pub fn report(number: u64) -> Vec<u8> {
    let line = format!(
        "{}\n",
        hex(&Sha256Hex::of(&number.to_be_bytes())
            .as_str()
            .as_bytes()
            .repeat(2))
    );
    line.bytes().cycle().take(REPORT_BYTES).collect()
}

/// What the two digests of such a report take in memory, as its proof computes them.
#[must_use]
pub fn hashing() -> Duration {
    const ROUNDS: u64 = 16;
    let mut samples = Samples::new();
    for number in 0..ROUNDS {
        let report = report(number);
        let started = Instant::now();
        let plain = Sha256Hex::of(&report);
        let bound = Digest::of("amiss/bench", &report);
        samples.push(started.elapsed());
        std::hint::black_box((plain, bound));
    }
    samples.median()
}

/// The `outcome` of a run that passed and left `report` at `path`.
///
/// # Errors
/// A fault of the scene itself.
pub fn outcome(path: &str, report: &[u8]) -> Result<Outcome, BenchError> {
    made(json!({
        "result": "complete",
        "evaluation": "pass",
        "report": {"path": path, "sha256": Sha256Hex::of(report), "bytes": report.len()},
        "wall_millis": 1,
        "containment": "none",
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_is_made_of_values_that_amiss_accepts() {
        let bounded = accepted(7, Lifetime::Through(1_753_000_000_000)).unwrap();
        let permanent = accepted(7, Lifetime::Permanent).unwrap();
        assert_eq!(bounded.key(), permanent.key());
        assert_ne!(
            permanent.key(),
            accepted(8, Lifetime::Permanent).unwrap().key()
        );
        let publication = publication(7).unwrap();
        assert_eq!(
            publication.run.commits.candidate,
            permanent.binding().provider_run.candidate_commit
        );
        assert!(publication.run.formats_agree());
        assert_eq!(report(1).len(), REPORT_BYTES);
        assert_ne!(report(1), report(2));
        outcome("/tmp/report", &report(1)).unwrap();
    }
}
