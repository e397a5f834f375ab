//! What else comes through the same pipeline: a saved retry, busy, an ignored event, an error.

use crate::pipeline::{Flow, STEPS};

#[test]
fn a_saved_verdict_is_published_by_the_same_pipeline_without_running_again() {
    let flow = Flow::prepare();
    // The publisher's first try fails: the forge is away.
    flow.scene.ok("mv publisher publisher-away; printf '#!/bin/sh\\nexit 7\\n' > publisher; chmod +x publisher");
    let output = flow.steps(0, STEPS, "request.json", "first.json");
    assert_eq!(output.status.code(), Some(69));
    let first = flow.json("first.json");
    assert_eq!(first["error"]["code"], "PUBLISH_FAILED");
    assert_eq!(flow.row()["state"], "staged");
    flow.scene.ok("mv publisher-away publisher");
    let answer = flow.deliver();
    assert_eq!(answer["claim"]["result"], "publish");
    assert_eq!(answer["staged"], {
        // The report is named where the root keeps it.
        let mut staged = first["staged"].clone();
        staged["report"]["path"] = answer["staged"]["report"]["path"].clone();
        staged
    });
    assert_eq!(answer["completion"]["result"], "completed");
    assert!(answer.get("lease").is_none() && answer.get("outcome").is_none());
    assert_eq!((flow.runs(), flow.publications().len()), (1, 1));
}

#[test]
fn a_delivery_that_somebody_works_on_is_busy_with_the_time_to_come_back() {
    let flow = Flow::prepare();
    assert_eq!(
        flow.steps(0, 2, "request.json", "claimed.json")
            .status
            .code(),
        Some(0)
    );
    let output = flow.steps(0, STEPS, "request.json", "busy.json");
    assert_eq!(output.status.code(), Some(75));
    let busy = flow.json("busy.json");
    assert_eq!(busy["claim"]["result"], "busy");
    assert_eq!(busy["error"]["code"], "BUSY");
    let lease = &flow.json("claimed.json")["lease"];
    assert_eq!(
        busy["error"]["retry_at_unix_millis"],
        lease["expires_at_unix_millis"]
    );
    assert_eq!(busy["claim"]["evaluation_id"], lease["evaluation_id"]);
    assert_eq!((flow.runs(), flow.publications().len()), (0, 0));
}

#[test]
fn an_event_that_asks_for_no_work_passes_through_as_ignored() {
    let flow = Flow::prepare();
    flow.scene.ok(
        "sed 's/\"opened\"/\"labeled\"/' pull-request.json > other.json
         amiss ingress-sign --route route.json < other.json > request.json",
    );
    let answer = flow.deliver();
    assert!(answer["ignored"]["reason"].is_string(), "{answer}");
    assert!(answer.get("delivery").is_none() && answer.get("claim").is_none());
    assert_eq!(flow.row(), serde_json::Value::Null);
    assert_eq!((flow.runs(), flow.publications().len()), (0, 0));
}

#[test]
fn a_forged_request_stops_the_whole_pipeline_with_its_own_status() {
    let flow = Flow::prepare();
    flow.scene.ok("sed 's/sha256=./sha256=0/; s/Say hello/Say goodbye/' request.json > forged.json; cp request.json true.json; cp forged.json request.json");
    let output = flow.steps(0, STEPS, "request.json", "answer.json");
    assert_eq!(output.status.code(), Some(77));
    let answer = flow.json("answer.json");
    assert_eq!(answer["error"]["code"], "INGRESS_SIGNATURE");
    assert!(answer.get("delivery").is_none());
    assert_eq!(flow.row(), serde_json::Value::Null);
    // And leaves nothing behind that could block the real one.
    flow.scene.ok("cp true.json request.json");
    assert_eq!(flow.deliver()["completion"]["result"], "completed");
}

#[test]
fn a_step_that_died_without_an_answer_makes_every_later_step_refuse() {
    let flow = Flow::prepare();
    for first in 1..STEPS {
        let output = flow.steps(first, STEPS, "/dev/null", "answer.json");
        assert_eq!(output.status.code(), Some(65), "from step {first}");
        assert_eq!(flow.json("answer.json")["error"]["code"], "INPUT_MALFORMED");
    }
    assert_eq!((flow.runs(), flow.publications().len()), (0, 0));
}

#[test]
fn a_candidate_that_moved_on_is_published_as_superseded_and_never_as_a_pass() {
    let flow = Flow::prepare();
    assert_eq!(
        flow.steps(0, 4, "request.json", "ran.json").status.code(),
        Some(0)
    );
    flow.scene.ok("cd repository
         export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
         git branch -f topic main
         tree=$(git rev-parse main^{tree})
         git branch -f topic $(git commit-tree -p main -m another $tree)");
    let output = flow.steps(4, STEPS, "ran.json", "answer.json");
    assert_eq!(output.status.code(), Some(0));
    let answer = flow.json("answer.json");
    assert_eq!(answer["recheck"]["state"], "superseded");
    assert_eq!(answer["staged"]["publication"]["conclusion"], "superseded");
    assert_eq!(answer["staged"]["report"], serde_json::Value::Null);
    assert_eq!(flow.publications(), ["superseded"]);
}

#[test]
fn a_target_that_is_gone_after_the_run_is_published_as_closed() {
    let flow = Flow::prepare();
    assert_eq!(
        flow.steps(0, 4, "request.json", "ran.json").status.code(),
        Some(0)
    );
    flow.scene
        .ok("git -C repository checkout -q --detach; git -C repository branch -D main");
    let output = flow.steps(4, STEPS, "ran.json", "answer.json");
    assert_eq!(output.status.code(), Some(0));
    let publication = &flow.json("answer.json")["staged"]["publication"];
    assert_eq!(publication["conclusion"], "unavailable");
    assert_eq!(publication["failure"], "closed");
}
