//! Every row of the table of page 4.3, with real children.

use serde_json::json;

use crate::common;
use crate::flow::{Flow, bootstrap, sha256};

#[test]
fn a_pass_is_complete_with_its_report_under_its_digest() {
    let flow = Flow::new("review", &json!({}));
    let outcome = flow.outcome(&[]);
    assert_eq!(outcome["result"], "complete", "{outcome}");
    assert_eq!(outcome["evaluation"], "pass");
    let path = outcome["report"]["path"].as_str().unwrap();
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(outcome["report"]["sha256"], sha256(&bytes));
    assert_eq!(outcome["report"]["bytes"], bytes.len());
    assert!(path.ends_with(outcome["report"]["sha256"].as_str().unwrap()));
    let report: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(
        report["snapshot"]["commits"]["candidate"],
        flow.scene.candidate
    );
    assert_eq!(report["evaluation"]["fence"], 1);
}

#[test]
fn a_block_is_complete_too() {
    let outcome = Flow::new("block", &json!({})).outcome(&[]);
    assert_eq!(outcome["evaluation"], "block", "{outcome}");
    let outcome = Flow::new("review", &json!({"verdict": "block"})).outcome(&[]);
    assert_eq!(outcome["evaluation"], "block", "{outcome}");
}

#[test]
fn each_wrong_output_has_its_own_end() {
    for (way, result) in [
        ("silent", "missing-output"),
        ("empty", "missing-output"),
        ("no-report", "missing-output"),
        ("garbled", "tampered-runtime"),
        ("long", "tampered-runtime"),
        ("wrong-status", "tampered-runtime"),
        ("word-missing-output", "missing-output"),
        ("word-timeout", "timed-out"),
        ("word-oversized-output", "oversized-output"),
        ("word-tampered-runtime", "tampered-runtime"),
        ("word-unavailable", "unavailable"),
        ("signal-SEGV", "unavailable"),
        ("signal-KILL", "unavailable"),
    ] {
        let outcome = Flow::way(way).outcome(&[]);
        assert_eq!(outcome["result"], result, "{way}: {outcome}");
        assert!(!outcome["detail"].as_str().unwrap().is_empty());
    }
}

#[test]
fn a_report_of_the_ceiling_is_read_and_one_byte_more_is_oversized() {
    let outcome = Flow::way("oversized").outcome(&[]);
    assert_eq!(outcome["result"], "oversized-output", "{outcome}");
    let outcome = Flow::way("largest").outcome(&[]);
    assert_eq!(outcome["result"], "complete", "{outcome}");
    assert_eq!(outcome["report"]["bytes"], 268_435_456);
}

#[test]
fn a_bootstrap_of_another_digest_is_a_tampered_runtime_and_never_starts() {
    let flow = Flow::way("child");
    flow.rewrite(|plan| plan["execution"]["bootstrap_sha256"] = json!("0".repeat(64)));
    let outcome = flow.outcome(&[]);
    assert_eq!(outcome["result"], "tampered-runtime", "{outcome}");
    assert!(!flow.marks.join("child").exists());
    let bytes = std::fs::read(bootstrap("misbehave")).unwrap();
    assert_eq!(outcome["audit"]["bootstrap"]["sha256"], sha256(&bytes));
}

#[test]
fn a_digest_with_its_prefix_is_the_same_digest() {
    let flow = Flow::new("review", &json!({}));
    flow.rewrite(|plan| {
        let digest = plan["execution"]["bootstrap_sha256"].as_str().unwrap();
        plan["execution"]["bootstrap_sha256"] = json!(format!("sha256:{digest}"));
    });
    assert_eq!(flow.outcome(&[])["result"], "complete");
}

#[test]
fn a_missing_bootstrap_is_the_operators_fault_and_no_verdict() {
    let flow = Flow::new("review", &json!({}));
    flow.rewrite(|plan| plan["execution"]["bootstrap"] = json!("/nonexistent/bootstrap"));
    let output = flow.run(&[]);
    assert_eq!(common::status(&output), 78);
    assert_eq!(common::code(&output), "CONFIG_INVALID");
    assert!(common::answer(&output)["outcome"].is_null());
}

#[test]
fn another_plan_than_the_claimed_one_is_a_binding_conflict() {
    let flow = Flow::new("review", &json!({}));
    let envelope = flow.refreshed();
    flow.rewrite(|plan| plan["controls"]["more"] = json!(1));
    let output = flow.run_on(&envelope, &[]);
    assert_eq!(common::status(&output), 76);
    assert_eq!(common::code(&output), "BINDING_CONFLICT");
}

#[test]
fn an_envelope_without_a_lease_passes_through_and_one_without_a_run_is_incomplete() {
    let flow = Flow::new("review", &json!({}));
    let envelope = json!({"schema": "amiss/envelope/v1", "x": 1});
    let output = flow.run_on(&envelope, &[]);
    assert_eq!(common::status(&output), 0);
    assert_eq!(common::answer(&output), envelope);
    let mut envelope = flow.refreshed();
    envelope.as_object_mut().unwrap().remove("run");
    assert_eq!(
        common::code(&flow.run_on(&envelope, &[])),
        "INPUT_INCOMPLETE"
    );
}

#[test]
fn a_run_that_is_not_active_runs_nothing() {
    for state in ["superseded", "closed", "authorization-revoked"] {
        let flow = Flow::way("child");
        let mut envelope = flow.refreshed();
        envelope["run"]["state"] = json!(state);
        let output = flow.run_on(&envelope, &[]);
        assert_eq!(common::status(&output), 0);
        assert_eq!(
            common::answer(&output)["outcome"],
            json!({"result": "not-run"})
        );
        assert!(!flow.marks.join("child").exists());
    }
}
