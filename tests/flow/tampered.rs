//! A stage in the middle that changes what it hands on (pages 1.2, 2.5).

use crate::pipeline::{Flow, STEPS};

/// Changes a file of the scene with a jq-like replacement and gives the name of the copy.
fn changed(flow: &Flow, name: &str, change: impl FnOnce(&mut serde_json::Value)) -> String {
    let mut value = flow.json(name);
    let before = value.clone();
    change(&mut value);
    assert_ne!(value, before, "the change changes nothing");
    let copy = format!("changed-{name}");
    std::fs::write(flow.scene.path().join(&copy), value.to_string()).unwrap();
    copy
}

/// The rest of the pipeline refuses the changed envelope with the code, and the row stays.
fn refuses(
    flow: &Flow,
    from: usize,
    name: &str,
    codes: &[&str],
    change: impl FnOnce(&mut serde_json::Value),
) {
    let copy = changed(flow, name, change);
    let row = flow.row();
    let published = flow.publications();
    let output = flow.steps(from, STEPS, &copy, "refused.json");
    let answer = flow.json("refused.json");
    let code = answer["error"]["code"].as_str().unwrap_or("no error");
    assert!(
        codes.contains(&code),
        "{code} is none of {codes:?}: {answer}"
    );
    let status = amiss::code::Code::parse(code).unwrap().status();
    assert_eq!(output.status.code(), Some(i32::from(status)));
    assert!(answer.get("completion").is_none());
    assert_eq!(flow.row(), row, "{code}");
    if from < 6 {
        assert_eq!(flow.publications(), published);
    }
}

#[test]
fn under_a_seal_key_no_member_of_the_delivery_can_be_changed_before_any_step() {
    let other = "0123456789abcdef0123456789abcdef01234567";
    let paths: &[(&str, serde_json::Value)] = &[
        ("/delivery/identity/integration", "999".into()),
        ("/delivery/identity/delivery", "body:sha256:0000".into()),
        (
            "/delivery/change/change",
            "repository/1/pull/2/number/8".into(),
        ),
        ("/delivery/change/repository/name", "other".into()),
        ("/delivery/provider_run/run_id", "pr:other".into()),
        ("/delivery/provider_run/attempt", 2.into()),
        ("/delivery/provider_run/candidate_commit", other.into()),
        ("/delivery/proof/trust_set", "another".into()),
        ("/delivery/proof/anchor", "another".into()),
        ("/delivery/proof/received_at_unix_millis", 1.into()),
        (
            "/delivery/replay",
            serde_json::json!({"retention":"keep-through","unix_millis":1,
                "window":{"max_signed_age_millis":300_000,"max_queue_age_millis":60_000}}),
        ),
        (
            "/delivery/seal",
            format!("hmac-sha256:{}", "0".repeat(64)).into(),
        ),
    ];
    let flow = Flow::prepare();
    assert_eq!(
        flow.steps(0, 1, "request.json", "1.json").status.code(),
        Some(0)
    );
    for (path, value) in paths {
        refuses(&flow, 1, "1.json", &["SEAL_INVALID"], |envelope| {
            *envelope
                .pointer_mut(path)
                .unwrap_or_else(|| panic!("no {path}")) = value.clone();
        });
    }
    refuses(&flow, 1, "1.json", &["SEAL_INVALID"], |envelope| {
        envelope["delivery"].as_object_mut().unwrap().remove("seal");
    });
    assert_eq!(flow.row(), serde_json::Value::Null);
    // Each later step that takes the key refuses it too.
    assert_eq!(flow.steps(1, 3, "1.json", "3.json").status.code(), Some(0));
    assert_eq!(flow.steps(3, 5, "3.json", "5.json").status.code(), Some(0));
    assert_eq!(flow.steps(5, 7, "5.json", "7.json").status.code(), Some(0));
    for (from, name) in [(3, "3.json"), (5, "5.json"), (7, "7.json")] {
        refuses(&flow, from, name, &["SEAL_INVALID"], |envelope| {
            envelope["delivery"]["proof"]["anchor"] = "another".into();
        });
    }
}

#[test]
fn a_lease_that_is_not_exactly_the_rows_own_is_lost() {
    let flow = Flow::prepare();
    assert_eq!(
        flow.steps(0, 5, "request.json", "5.json").status.code(),
        Some(0)
    );
    refuses(&flow, 5, "5.json", &["LOST"], |envelope| {
        envelope["lease"]["fence"] = 2.into();
    });
    refuses(&flow, 5, "5.json", &["LOST"], |envelope| {
        envelope["lease"]["owner"] = "00".repeat(16).into();
    });
    refuses(&flow, 5, "5.json", &["LOST"], |envelope| {
        let id = envelope["lease"]["evaluation_id"].as_str().unwrap();
        let end = if id.ends_with('0') { "1" } else { "0" };
        let other = format!("{}{end}", &id[..id.len() - 1]);
        envelope["lease"]["evaluation_id"] = other.into();
    });
    // The true one still works.
    assert_eq!(
        flow.steps(5, STEPS, "5.json", "answer.json").status.code(),
        Some(0)
    );
}

#[test]
fn a_saved_result_that_was_changed_completes_nothing() {
    let flow = Flow::prepare();
    assert_eq!(
        flow.steps(0, 7, "request.json", "7.json").status.code(),
        Some(0)
    );
    let lost = &["LOST", "INPUT_MALFORMED", "REPORT_MISMATCH"];
    let other = "0123456789abcdef0123456789abcdef01234567";
    refuses(&flow, 7, "7.json", lost, |envelope| {
        envelope["staged"]["publication"]["conclusion"] = "block".into();
    });
    refuses(&flow, 7, "7.json", lost, |envelope| {
        envelope["staged"]["publication"]["gate_commit"] = other.into();
    });
    refuses(&flow, 7, "7.json", lost, |envelope| {
        envelope["staged"]["fence"] = 2.into();
    });
    refuses(&flow, 7, "7.json", lost, |envelope| {
        envelope["staged"]["digest"] = format!("sha256:{}", "0".repeat(64)).into();
    });
    refuses(&flow, 7, "7.json", lost, |envelope| {
        envelope["staged"]["report"] = serde_json::Value::Null;
    });
    refuses(&flow, 7, "7.json", lost, |envelope| {
        envelope["staged"]["report"]["sha256"] = "0".repeat(64).into();
    });
    refuses(&flow, 7, "7.json", lost, |envelope| {
        envelope["staged"]["report"]["bytes"] = 1.into();
    });
    assert_eq!(flow.row()["state"], "staged");
    assert_eq!(
        flow.steps(7, STEPS, "7.json", "answer.json").status.code(),
        Some(0)
    );
}

#[test]
fn a_report_that_was_changed_after_the_run_is_not_staged() {
    let flow = Flow::prepare();
    assert_eq!(
        flow.steps(0, 5, "request.json", "5.json").status.code(),
        Some(0)
    );
    let path = flow.json("5.json")["outcome"]["report"]["path"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = flow.scene.path().join(path);
    let text = std::fs::read(&path).unwrap();
    let mut other = text.clone();
    other[0] ^= 1;
    let row = flow.row();
    for bytes in [&other[..], &text[..text.len() - 1], b""] {
        flow.scene.ok(&format!("chmod u+w {}", path.display()));
        std::fs::write(&path, bytes).unwrap();
        let output = flow.steps(5, STEPS, "5.json", "refused.json");
        assert_eq!(output.status.code(), Some(65));
        assert_eq!(
            flow.json("refused.json")["error"]["code"],
            "REPORT_MISMATCH"
        );
        assert_eq!(flow.row(), row);
    }
    std::fs::write(&path, &text).unwrap();
    assert_eq!(
        flow.steps(5, STEPS, "5.json", "answer.json").status.code(),
        Some(0)
    );
}

#[test]
fn another_plan_than_the_one_that_was_claimed_is_refused_before_anything_runs() {
    let flow = Flow::prepare();
    assert_eq!(
        flow.steps(0, 3, "request.json", "3.json").status.code(),
        Some(0)
    );
    flow.scene.ok("cp plan.json kept.json; sed -i 's/\"wall_timeout_millis\":60000/\"wall_timeout_millis\":59999/' plan.json");
    let row = flow.row();
    for (from, input) in [(0, "request.json"), (3, "3.json")] {
        let output = flow.steps(from, STEPS, input, "refused.json");
        assert_eq!(output.status.code(), Some(76), "from {from}");
        assert_eq!(
            flow.json("refused.json")["error"]["code"],
            "BINDING_CONFLICT",
            "from {from}"
        );
        assert_eq!((flow.row(), flow.runs()), (row.clone(), 0), "from {from}");
    }
    flow.scene.ok("cp kept.json plan.json");
    assert_eq!(
        flow.steps(3, STEPS, "3.json", "answer.json").status.code(),
        Some(0)
    );
}

#[test]
fn candidate_facts_of_another_commit_are_refused_and_nothing_is_saved() {
    let flow = Flow::prepare();
    assert_eq!(
        flow.steps(0, 5, "request.json", "5.json").status.code(),
        Some(0)
    );
    let other = "0123456789abcdef0123456789abcdef01234567";
    for member in ["run", "recheck"] {
        refuses(&flow, 5, "5.json", &["INPUT_MALFORMED"], |envelope| {
            envelope[member]["commits"]["candidate"] = other.into();
        });
    }
}
