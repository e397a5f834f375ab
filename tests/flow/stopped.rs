//! The pipeline stopped after each of its steps and taken up again.

use crate::pipeline::{Flow, STEPS};

#[test]
fn a_delivery_goes_from_its_webhook_to_the_completed_verdict() {
    let flow = Flow::prepare();
    let answer = flow.deliver();
    assert_eq!(answer["claim"]["result"], "execute");
    assert_eq!(answer["outcome"]["evaluation"], "pass");
    assert_eq!(answer["staged"]["publication"]["conclusion"], "pass");
    assert_eq!(answer["completion"]["result"], "completed");
    assert_eq!(flow.row()["state"], "done");
    assert_eq!(
        (flow.runs(), flow.publications()),
        (1, vec!["pass".to_owned()])
    );
}

#[test]
fn the_second_run_of_a_delivery_answers_duplicate_and_runs_nothing() {
    let flow = Flow::prepare();
    let first = flow.deliver();
    let files = flow
        .scene
        .ok("find root published -type f | sort; cat root/*.state | sha256sum");
    for _ in 0..3 {
        let again = flow.deliver();
        assert_eq!(again["claim"]["result"], "duplicate");
        assert_eq!(
            again["claim"]["evaluation_id"],
            first["lease"]["evaluation_id"]
        );
        for member in [
            "lease",
            "run",
            "outcome",
            "recheck",
            "staged",
            "published",
            "completion",
            "error",
        ] {
            assert!(again.get(member).is_none(), "{member}: {again}");
        }
    }
    assert_eq!((flow.runs(), flow.publications().len()), (1, 1));
    let after = flow
        .scene
        .ok("find root published -type f | sort; cat root/*.state | sha256sum");
    assert_eq!(after, files);
}

#[test]
fn a_pipeline_stopped_after_each_step_is_taken_up_again_and_publishes_one_verdict() {
    for stop in 1..STEPS {
        let flow = Flow::prepare();
        // What was on the pipe is gone with the pipeline; only the root remembers.
        let output = flow.steps(0, stop, "request.json", "lost.json");
        assert_eq!(output.status.code(), Some(0), "first {stop} steps");
        let runs = flow.runs();
        let answer = flow.deliver_later();
        assert_eq!(
            answer["completion"]["result"], "completed",
            "stopped after {stop}: {answer}"
        );
        assert_eq!(flow.row()["state"], "done", "stopped after {stop}");
        let frozen = stop >= 6;
        let result = if frozen { "publish" } else { "execute" };
        assert_eq!(answer["claim"]["result"], result, "stopped after {stop}");
        let fence = if (2..6).contains(&stop) { 2 } else { 1 };
        assert_eq!(answer["completion"]["fence"], fence, "stopped after {stop}");
        assert_eq!(
            flow.runs(),
            if frozen { runs } else { runs + 1 },
            "stopped after {stop}"
        );
        let published = flow.publications();
        assert!(
            published.iter().all(|verdict| verdict == "pass"),
            "{published:?}"
        );
        assert_eq!(
            published.len(),
            if stop == 7 { 2 } else { 1 },
            "stopped after {stop}"
        );
        // Twice or not: one key, one value.
        assert_eq!(
            flow.scene.ok("ls published | wc -l").trim(),
            "1",
            "stopped after {stop}"
        );
    }
}

#[test]
fn a_pipeline_taken_up_with_what_was_on_the_pipe_goes_on_from_there() {
    for stop in 1..STEPS {
        let flow = Flow::prepare();
        let output = flow.steps(0, stop, "request.json", "saved.json");
        assert_eq!(output.status.code(), Some(0));
        let output = flow.steps(stop, STEPS, "saved.json", "answer.json");
        assert_eq!(output.status.code(), Some(0), "from step {stop}");
        assert_eq!(
            flow.json("answer.json")["completion"]["result"],
            "completed"
        );
        assert_eq!((flow.runs(), flow.publications().len()), (1, 1));
    }
}

#[test]
fn an_old_owner_that_comes_back_after_a_reclaim_changes_nothing() {
    let flow = Flow::prepare();
    let output = flow.steps(0, 5, "request.json", "old.json");
    assert_eq!(output.status.code(), Some(0));
    let answer = flow.deliver_later();
    assert_eq!(answer["completion"]["fence"], 2);
    let row = flow.row();
    let output = flow.steps(5, STEPS, "old.json", "stale.json");
    assert_eq!(output.status.code(), Some(76));
    let stale = flow.json("stale.json");
    assert_eq!(stale["error"]["code"], "LOST");
    assert!(stale.get("staged").is_none() && stale.get("published").is_none());
    assert_eq!(flow.row(), row);
    assert_eq!(flow.publications().len(), 1);
}
