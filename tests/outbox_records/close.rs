//! `close`: deliveries go on, and a discard loses nothing.

use serde_json::json;

use crate::common::{answer, code, status};
use crate::world::{World, commit, git_line, pinned, push, turn};

#[test]
fn a_close_says_how_the_deliveries_stand_and_changes_nothing() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let output = world.enqueue(&push("web", "t1", &turn(1), &oid));
    let before = world.files();
    let closed = world.good(&["close", "--task", "t1"]);
    assert_eq!(closed["delivery"], answer(&output)["origin_delivery"]);
    assert_eq!(
        closed["deliveries"],
        json!([answer(&output)["origin_delivery"]])
    );
    assert_eq!(world.files(), before);
    assert_eq!(
        world.good(&["close", "--task", "none"]),
        json!({"deliveries": []})
    );
}

#[test]
fn a_discard_is_refused_while_anything_of_the_task_could_be_lost() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    let busy = |why: &str| {
        let before = world.files();
        let output = world.run(&["close", "--task", "t1", "--discard"], "");
        assert_eq!(
            (status(&output), code(&output).as_str()),
            (75, "TASK_BUSY"),
            "{why}"
        );
        let message = answer(&output)["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(
            message.contains("DELIVERY_PENDING") && message.contains(why),
            "{message}"
        );
        assert_eq!(world.files(), before);
    };
    world.enqueue(&wanted);
    busy("is pending");
    world.settle(&wanted, "retrying", 3, 50);
    busy("is retrying");
    let good = std::fs::read(world.intent_path("web", "t1", &turn(1))).unwrap();
    std::fs::write(world.intent_path("web", "t1", &turn(1)), &good[..30]).unwrap();
    busy("is unreadable");
    std::fs::remove_file(world.intent_path("web", "t1", &turn(1))).unwrap();
    busy("without an intent");
    assert_eq!(pinned(&mirror, "t1", &turn(1)), oid);
}

#[test]
fn a_discard_removes_everything_of_the_task_and_nothing_of_another() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let (done, failed) = (
        push("web", "t1", &turn(1), &oid),
        push("web", "t1", &turn(2), &oid),
    );
    for wanted in [&done, &failed, &push("web", "t2", &turn(3), &oid)] {
        world.enqueue(wanted);
    }
    world.settle(&done, "delivered", 1, 50);
    world.settle(&failed, "failed", 12, 50);
    git_line(&mirror, &["pack-refs", "--all"]);
    let closed = world.good(&["close", "--task", "t1", "--discard"]);
    assert_eq!(closed["deliveries"].as_array().unwrap().len(), 2);
    assert_eq!(pinned(&mirror, "t1", &turn(1)), "");
    assert_eq!(pinned(&mirror, "t1", &turn(2)), "");
    assert_eq!(pinned(&mirror, "t2", &turn(3)), oid);
    assert!(
        world.files().iter().all(|file| !file.contains("t1")),
        "{:?}",
        world.files()
    );
    assert_eq!(
        world.good(&["close", "--task", "t1", "--discard"]),
        json!({"deliveries": []})
    );
}
