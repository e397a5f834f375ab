//! `amiss publish` and the whole pipeline around it (page 4.5).

use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common;
use crate::flow::{Flow, lives, somebody_works_in};
use crate::trees::send;

/// A staged envelope, and the flow behind it.
pub fn staged(flow: &Flow) -> Value {
    let ran = common::answer(&flow.run(&[]));
    let rechecked = flow.refresh(&ran);
    let output = common::run(
        &["ledger", "stage", "--root", flow.root.to_str().unwrap()],
        rechecked.to_string(),
    );
    assert_eq!(common::status(&output), 0, "{output:?}");
    common::answer(&output)
}

fn publish(envelope: &Value, options: &[&str], script: &str) -> Output {
    let mut arguments = vec!["publish"];
    arguments.extend(options);
    arguments.extend(["--", "/bin/sh", "-c", script]);
    common::run(&arguments, envelope.to_string())
}

#[test]
fn a_delivery_goes_from_claim_to_completion_and_a_retry_publishes_the_same() {
    let flow = Flow::new("review", &json!({}));
    let envelope = staged(&flow);
    assert_eq!(envelope["staged"]["publication"]["conclusion"], "pass");
    let output = publish(&envelope, &[], "cat >/dev/null; echo '{\"id\": 7}'");
    assert_eq!(common::status(&output), 0, "{output:?}");
    let published = common::answer(&output);
    assert_eq!(published["published"]["answer"], json!({"id": 7}));
    assert_eq!(published["published"]["program"], "/bin/sh");
    assert!(published["published"]["unix_millis"].as_i64().unwrap() > 1_700_000_000_000);
    // Before it is completed, a retry gets the same value and computes nothing.
    let root = flow.root.to_str().unwrap();
    let plan = flow.plan.to_str().unwrap();
    let claim = || {
        let envelope = json!({"schema": "amiss/envelope/v1", "delivery": flow.scene.delivery()});
        let words = ["ledger", "claim", "--root", root, "--plan", plan];
        common::answer(&common::run(&words, envelope.to_string()))
    };
    let again = claim();
    assert_eq!(again["claim"]["result"], "publish");
    assert_eq!(again["staged"]["digest"], envelope["staged"]["digest"]);
    let passed = flow.run_on(&again, &[]);
    assert_eq!(common::answer(&passed), again);
    let done = common::run(
        &["ledger", "complete", "--root", root],
        published.to_string(),
    );
    assert_eq!(common::status(&done), 0, "{done:?}");
    assert_eq!(claim()["claim"]["result"], "duplicate");
}

#[test]
fn d07_the_fence_and_the_other_repeat_safe_keys_reach_the_program() {
    let envelope = staged(&Flow::new("review", &json!({})));
    let script = "cat >/dev/null; printf '{\"e\":\"%s\",\"f\":\"%s\",\"k\":\"%s\"}' \
                  \"$AMISS_EVALUATION_ID\" \"$AMISS_FENCE\" \"$AMISS_DELIVERY_KEY\"";
    let answer = common::answer(&publish(&envelope, &[], script));
    let said = &answer["published"]["answer"];
    assert_eq!(said["e"], envelope["staged"]["evaluation_id"]);
    assert_eq!(said["f"], envelope["staged"]["fence"].to_string());
    assert_eq!(
        said["k"],
        "0b320f59191352125bbed161c51c73615a815b31a16e07f1fd4e9276ed616369"
    );
}

#[test]
fn the_program_reads_the_whole_envelope() {
    let mut envelope = staged(&Flow::new("review", &json!({})));
    envelope["mine"] = json!({"kept": true});
    let answer = common::answer(&publish(&envelope, &[], "cat"));
    assert_eq!(answer["published"]["answer"], envelope);
}

#[test]
fn what_is_no_success_is_a_failed_publication_and_adds_nothing() {
    let envelope = staged(&Flow::new("review", &json!({})));
    for (script, reason) in [
        ("exit 3", "status 3"),
        ("kill -9 $$", "signal 9"),
        ("echo done", "no single JSON document"),
        ("echo '{} {}'", "no single JSON document"),
        ("printf '\\377'", "not UTF-8"),
        ("head -c 65537 /dev/zero | tr '\\0' 1", "65537 bytes"),
    ] {
        let output = publish(&envelope, &[], script);
        assert_eq!(common::status(&output), 69, "{script}: {output:?}");
        assert_eq!(common::code(&output), "PUBLISH_FAILED");
        let answer = common::answer(&output);
        assert!(answer["published"].is_null());
        assert_eq!(answer["staged"], envelope["staged"]);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{script}: {message}");
    }
    let output = common::run(
        &["publish", "--", "/nonexistent/publisher"],
        envelope.to_string(),
    );
    assert_eq!(common::code(&output), "PUBLISH_FAILED");
}

#[test]
fn nothing_printed_is_null_and_a_large_answer_is_exact() {
    let envelope = staged(&Flow::new("review", &json!({})));
    let answer = common::answer(&publish(&envelope, &[], ":"));
    assert!(answer["published"]["answer"].is_null());
    assert!(
        answer["published"]
            .as_object()
            .unwrap()
            .contains_key("answer")
    );
    let output = publish(
        &envelope,
        &[],
        "printf '\"'; head -c 65534 /dev/zero | tr '\\0' 1; printf '\"'",
    );
    assert_eq!(common::status(&output), 0, "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains(&"1".repeat(65_534)));
}

#[test]
fn a_slow_program_is_killed_with_its_tree() {
    let flow = Flow::new("review", &json!({}));
    let envelope = staged(&flow);
    let mark = flow.marks.join("child");
    for more in [&[][..], &["--without-cgroup"]] {
        let script = format!(
            "setsid sh -c 'echo $$ > {0}.tmp; mv {0}.tmp {0}; sleep 1000' & sleep 1000",
            mark.display()
        );
        let mut options = vec!["--timeout", "1500ms"];
        options.extend(more);
        let started = Instant::now();
        let output = publish(&envelope, &options, &script);
        assert_eq!(common::code(&output), "PUBLISH_FAILED", "{output:?}");
        assert!(started.elapsed() < Duration::from_secs(15));
        let pid = std::fs::read_to_string(&mark).unwrap();
        assert!(!lives(pid.trim().parse().unwrap()));
        assert!(!somebody_works_in(flow.scene.path()));
    }
}

#[test]
fn a_survivor_of_a_clean_exit_is_killed_too() {
    let flow = Flow::new("review", &json!({}));
    let envelope = staged(&flow);
    let mark = flow.marks.join("child");
    let script = format!(
        "setsid sh -c 'echo $$ > {0}.tmp; mv {0}.tmp {0}; sleep 1000' & \
         while [ ! -e {0} ]; do sleep 0.01; done",
        mark.display()
    );
    let output = publish(&envelope, &[], &script);
    assert_eq!(common::status(&output), 0, "{output:?}");
    let pid = std::fs::read_to_string(&mark).unwrap();
    assert!(!lives(pid.trim().parse().unwrap()));
}

#[test]
fn an_interrupted_publication_says_so_and_leaves_nothing() {
    let flow = Flow::new("review", &json!({}));
    let envelope = staged(&flow);
    let mark = flow.marks.join("child");
    let script = format!(
        "echo $$ > {0}.tmp; mv {0}.tmp {0}; sleep 1000",
        mark.display()
    );
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_amiss"))
        .args(["publish", "--", "/bin/sh", "-c", &script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, envelope.to_string().as_bytes()).unwrap();
    drop(input);
    let pid = flow.mark("child");
    send(i32::try_from(child.id()).unwrap(), "TERM");
    let output = child.wait_with_output().unwrap();
    assert_eq!(common::status(&output), 75, "{output:?}");
    assert_eq!(common::code(&output), "INTERRUPTED");
    assert!(!lives(pid));
}

#[test]
fn an_envelope_without_a_staged_value_passes_through_and_runs_nothing() {
    let envelope = json!({"schema": "amiss/envelope/v1", "claim": {"result": "duplicate"}});
    let output = publish(&envelope, &[], "exit 1");
    assert_eq!(common::status(&output), 0);
    assert_eq!(common::answer(&output), envelope);
}

#[test]
fn an_envelope_that_leaves_no_room_for_an_answer_is_refused_before_publishing() {
    let flow = Flow::new("review", &json!({}));
    let mut envelope = staged(&flow);
    envelope["mine"] = json!("x".repeat(1000 * 1024));
    let mark = flow.marks.join("ran");
    let output = publish(&envelope, &[], &format!("touch {}", mark.display()));
    assert_eq!(common::code(&output), "INPUT_TOO_LARGE");
    assert!(!mark.exists());
}
