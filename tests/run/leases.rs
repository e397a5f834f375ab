//! No lost lease published (page 4.3, point 5; d02).

use serde_json::json;

use crate::common;
use crate::flow::{Flow, common_wait, lives, somebody_works_in};
use crate::trees::Started;

#[test]
fn d02_a_run_longer_than_its_lease_is_renewed() {
    let flow = Flow::way_timed("slow-4", 60_000, 1000);
    let outcome = flow.outcome(&[]);
    assert_eq!(outcome["result"], "complete", "{outcome}");
}

#[test]
fn d02_a_supervisor_stopped_for_longer_than_its_lease_loses_the_tree_and_the_work() {
    let flow = Flow::way_timed("hang", 60_000, 1000);
    let mut amiss = Started::run(&flow, &[]);
    let pid = flow.mark("child");
    amiss.signal("STOP");
    // The warden ends the tree although its owner cannot say so.
    common_wait(|| (!lives(pid)).then_some(()));
    amiss.signal("CONT");
    let output = amiss.finish();
    assert_eq!(common::status(&output), 76, "{output:?}");
    assert_eq!(common::code(&output), "LOST");
    assert!(common::answer(&output)["outcome"].is_null());
    assert!(flow.scratch_is_clean());
    assert!(!somebody_works_in(flow.scene.path()));
}

#[test]
fn a_lease_that_somebody_else_took_kills_the_tree_and_discards_the_output() {
    let flow = Flow::way_timed("hang", 60_000, 2000);
    let mut amiss = Started::run(&flow, &[]);
    let pid = flow.mark("child");
    // As a second owner sees it once the lease has ended: under a clock that is further.
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis();
    let later = (now + 60_000).to_string();
    let claimed = common::run(
        &[
            "ledger",
            "claim",
            "--root",
            flow.root.to_str().unwrap(),
            "--plan",
            flow.plan.to_str().unwrap(),
            "--now-unix-millis",
            &later,
        ],
        json!({"schema": "amiss/envelope/v1", "delivery": flow.scene.delivery()}).to_string(),
    );
    assert_eq!(common::answer(&claimed)["lease"]["fence"], 2, "{claimed:?}");
    let output = amiss.finish();
    assert_eq!(common::code(&output), "LOST", "{output:?}");
    assert!(!lives(pid));
}

#[test]
fn a_lease_that_is_gone_before_the_start_starts_nothing() {
    let flow = Flow::way("child");
    let mut envelope = flow.refreshed();
    envelope["lease"]["owner"] = json!("f".repeat(32));
    let output = flow.run_on(&envelope, &[]);
    assert_eq!(common::status(&output), 76);
    assert_eq!(common::code(&output), "LOST");
    assert!(!flow.marks.join("child").exists());
}

#[test]
fn a_record_that_cannot_be_read_any_more_is_a_lost_lease() {
    let flow = Flow::way_timed("hang", 60_000, 1000);
    let mut amiss = Started::run(&flow, &[]);
    let pid = flow.mark("child");
    std::fs::rename(&flow.root, flow.scene.path().join("elsewhere")).unwrap();
    std::fs::create_dir(&flow.root).unwrap();
    // The open handle still leads to the old directory, so its content goes too.
    for entry in std::fs::read_dir(flow.scene.path().join("elsewhere")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
    }
    let output = amiss.finish();
    assert_eq!(common::code(&output), "LOST", "{output:?}");
    assert!(!lives(pid));
}
