use super::*;
use serde_json::{Value, json};

fn plan() -> Value {
    json!({
        "schema": "amiss/plan/v1",
        "required_status_name": "amiss",
        "execution": {
            "bootstrap": "/opt/amiss/bootstrap",
            "bootstrap_sha256": "0".repeat(64),
            "wall_timeout_millis": 120_000,
            "action": {"commit": "1".repeat(40), "tree": "2".repeat(40)}
        },
        "controls": {}
    })
}

fn parsed(change: impl FnOnce(&mut Value)) -> Result<LoadedPlan, String> {
    let mut plan = plan();
    change(&mut plan);
    LoadedPlan::parse(&plan.to_string())
}

#[test]
fn the_wall_limit_is_1_to_120000_ms() {
    for good in [1, 120_000] {
        assert!(parsed(|plan| plan["execution"]["wall_timeout_millis"] = json!(good)).is_ok());
    }
    for bad in [json!(0), json!(120_001), json!(-1), json!(1.5), json!("1")] {
        assert!(parsed(|plan| plan["execution"]["wall_timeout_millis"] = bad.clone()).is_err());
    }
}

#[test]
fn the_digests_are_over_the_canonical_form_and_see_every_member() {
    let first = LoadedPlan::parse(&plan().to_string()).unwrap().check;
    let spread = format!("  {:#}\n", plan());
    assert_eq!(LoadedPlan::parse(&spread).unwrap().check, first);
    let canonical = json::canonical(&plan()).unwrap();
    assert_eq!(first.plan_digest, Digest::of("amiss/plan/v1", &canonical));
    let execution = json::canonical(&plan()["execution"]).unwrap();
    let expected = Digest::of("amiss/plan-execution/v1", &execution);
    assert_eq!(first.execution_constraint_digest, expected);
    let other = parsed(|plan| plan["controls"]["x"] = json!(1))
        .unwrap()
        .check;
    assert_ne!(other.plan_digest, first.plan_digest);
    assert_eq!(other.execution_constraint_digest, expected);
}

#[test]
fn unknown_missing_and_repeated_members_are_refused() {
    assert!(parsed(|plan| plan["more"] = json!(1)).is_err());
    assert!(parsed(|plan| plan["execution"]["more"] = json!(1)).is_err());
    assert!(parsed(|plan| plan["schema"] = json!("amiss/plan/v2")).is_err());
    for member in ["schema", "required_status_name", "execution", "controls"] {
        assert!(parsed(|plan| drop(plan.as_object_mut().unwrap().remove(member))).is_err());
    }
    let twice = plan().to_string().replacen("{}", r#"{"a":1,"a":2}"#, 1);
    assert!(LoadedPlan::parse(&twice).is_err());
}

#[test]
fn a_bootstrap_digest_is_64_lower_case_digits_with_or_without_its_prefix() {
    for (digest, good) in [
        ("a".repeat(64), true),
        (format!("sha256:{}", "a".repeat(64)), true),
        ("A".repeat(64), false),
        ("a".repeat(63), false),
        (format!("sha1:{}", "a".repeat(40)), false),
    ] {
        let found = parsed(|plan| plan["execution"]["bootstrap_sha256"] = json!(digest));
        assert_eq!(found.is_ok(), good, "{digest}");
    }
}

#[test]
fn acquisitions_have_names_of_their_own() {
    let entry =
        |name: &str| json!({"acquisition": name, "producer": "p", "context": "c", "max_bytes": 1});
    assert!(parsed(|plan| plan["semantic"] = json!([entry("a"), entry("b")])).is_ok());
    for bad in [
        json!([entry("a"), entry("a")]),
        json!([entry("")]),
        json!([entry("a=b")]),
    ] {
        assert!(parsed(|plan| plan["semantic"] = bad.clone()).is_err());
    }
}

#[test]
fn an_action_of_two_object_formats_is_refused() {
    assert!(parsed(|plan| plan["execution"]["action"]["tree"] = json!("2".repeat(64))).is_err());
}
