//! Deliveries and verdicts to work with.

use amiss::delivery::{AcceptedDelivery, CheckBinding, Delivery, Lease, Publication};
use amiss::ledger::ReportFacts;
use serde_json::{Value, json};

/// When every scene starts.
pub const NOW: i64 = 1_800_000_000_000;
/// The lease, in milliseconds.
pub const LEASE: i64 = 120_000;

fn typed<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// A delivery, permanent or remembered through a time.
pub fn delivery(id: &str, end: Option<i64>) -> AcceptedDelivery {
    let delivery: Delivery = typed(delivery_value(id, end));
    delivery.accept(None).unwrap()
}

/// The same as an envelope carries it.
pub fn delivery_value(id: &str, end: Option<i64>) -> Value {
    let provider = json!({"namespace": "gitea", "instance": "forge.example.test"});
    let replay = match end {
        None => json!({"retention": "permanent"}),
        Some(end) => json!({"retention": "keep-through", "unix_millis": end,
            "window": {"max_signed_age_millis": 300_000, "max_queue_age_millis": 60_000}}),
    };
    json!({
        "identity": {"provider": provider, "integration": "installation-7", "delivery": id},
        "change": change(),
        "provider_run": provider_run(),
        "replay": replay,
    })
}

fn change() -> Value {
    json!({
        "provider": {"namespace": "gitea", "instance": "forge.example.test"},
        "repository": {"host": "forge.example.test", "owner": "owner", "name": "amiss"},
        "change": "42",
    })
}

fn provider_run() -> Value {
    json!({"run_id": "run-1", "attempt": 1, "object_format": "sha1",
        "candidate_commit": "b".repeat(40)})
}

pub fn check() -> CheckBinding {
    typed(check_value())
}

/// The same as a file holds it.
pub fn check_value() -> Value {
    json!({
        "plan_digest": format!("sha256:{}", "1".repeat(64)),
        "required_status_name": "amiss",
        "execution_constraint_digest": format!("sha256:{}", "2".repeat(64)),
    })
}

/// A verdict of these words: `pass` with a report, or an unavailable one without.
pub fn publication(conclusion: &str, failure: Option<&str>) -> Publication {
    typed(json!({
        "provider_run": provider_run(),
        "check": check_value(),
        "run": {
            "change": change(),
            "refs": {"forge": "gitea", "candidate": "refs/heads/topic",
                "target": "refs/heads/main", "default_branch": "refs/heads/main"},
            "object_format": "sha1",
            "commits": {"base": "a".repeat(40), "candidate": "b".repeat(40)},
            "trees": {"base": "c".repeat(40), "candidate": "d".repeat(40)},
        },
        "gate_commit": "a".repeat(40),
        "conclusion": conclusion,
        "failure": failure,
    }))
}

/// What a report's bytes must be.
pub fn facts(report: &[u8]) -> ReportFacts {
    ReportFacts {
        sha256: amiss::delivery::digest::Sha256Hex::of(report),
        bytes: report.len() as u64,
    }
}

/// The lease that a running row grants.
pub fn lease_of(row: &Value) -> Lease {
    let owner: [u8; 16] = typed(row["state"]["owner"].clone());
    Lease {
        evaluation_id: typed(row["evaluation_id"].clone()),
        check: typed(row["check"].clone()),
        fence: typed(row["state"]["fence"].clone()),
        owner: amiss::delivery::OwnerId::from_bytes(owner),
        expires_at_unix_millis: typed(row["state"]["expires_at_unix_millis"].clone()),
    }
}
