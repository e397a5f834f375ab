//! Recovery: due registry, pins and ledgers in line with the intents.

use std::time::Duration;

use amiss::outbox::{HostRoot, Recovery};
use amiss::process::Cancel;

use crate::common::status;
use crate::world::{World, commit, git_line, pinned, push, turn};

fn recover(world: &World) -> Recovery {
    HostRoot::open(&world.root, Duration::from_secs(20))
        .unwrap()
        .recover(&Cancel::new())
        .unwrap()
}

fn ledger(world: &World) -> Option<String> {
    let locks = std::fs::read_dir(world.root.join("locks")).unwrap();
    let path = locks
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "json"))?;
    Some(std::fs::read_to_string(path).unwrap())
}

#[test]
fn recovery_writes_missing_due_entries_and_pins_and_removes_leftover_entries() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    for number in 1..=3 {
        world.enqueue(&push("web", "t1", &turn(number), &oid));
    }
    let due = std::fs::read(world.due_path("t1", &turn(1))).unwrap();
    std::fs::remove_file(world.due_path("t1", &turn(1))).unwrap();
    git_line(
        &mirror,
        &[
            "update-ref",
            "-d",
            &format!("refs/mac-worker/delivery/t1/{}", turn(2)),
        ],
    );
    let leftover = std::fs::read(world.due_path("t1", &turn(3))).unwrap();
    world.settle(&push("web", "t1", &turn(3), &oid), "failed", 12, 50);
    std::fs::write(world.due_path("t1", &turn(3)), leftover).unwrap();

    let recovery = recover(&world);
    assert_eq!(
        (recovery.due_written, recovery.pinned, recovery.due_removed),
        (1, 1, 1)
    );
    assert!(recovery.troubled.is_empty(), "{:?}", recovery.troubled);
    assert_eq!(std::fs::read(world.due_path("t1", &turn(1))).unwrap(), due);
    assert_eq!(pinned(&mirror, "t1", &turn(2)), oid);
    assert!(!world.due_path("t1", &turn(3)).exists());
    let again = recover(&world);
    assert_eq!(
        (again.due_written, again.pinned, again.due_removed),
        (0, 0, 0)
    );
}

#[test]
fn a_pin_without_an_intent_is_kept_and_no_intent_is_invented() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    git_line(
        &mirror,
        &[
            "update-ref",
            &format!("refs/mac-worker/delivery/t1/{}", turn(1)),
            &oid,
        ],
    );
    recover(&world);
    assert!(!world.intent_path("web", "t1", &turn(1)).exists());
    assert_eq!(pinned(&mirror, "t1", &turn(1)), oid);
}

#[test]
fn a_crash_between_result_and_ledger_is_finished_from_the_newest_result() {
    let world = World::new();
    let mirror = world.mirror("web");
    let (one, two) = (commit(&mirror, "one"), commit(&mirror, "two"));
    let (first, second) = (
        push("web", "t1", &turn(1), &one),
        push("web", "t1", &turn(2), &two),
    );
    world.enqueue(&first);
    world.enqueue(&second);
    world.settle(&first, "delivered", 1, 1000);
    world.settle(&second, "delivered", 1, 2000);
    assert_eq!(recover(&world).ledgers_finished, 1);
    let text = ledger(&world).unwrap();
    assert!(
        text.contains(&two) && text.ends_with(r#""updated_at_millis":2000}"#),
        "{text}"
    );
    // The ledger is never taken back to the older result.
    assert_eq!(recover(&world).ledgers_finished, 0);
    assert_eq!(ledger(&world).unwrap(), text);
}

#[test]
fn one_bad_delivery_troubles_no_other() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let bad = push("web", "t1", &turn(1), &oid);
    assert_eq!(status(&world.enqueue(&bad)), 0);
    world.change_intent(&bad, String::clear);
    // A mirror that is gone.
    let api = world.mirror("api");
    let good = push("api", "t1", &turn(2), &commit(&api, "two"));
    assert_eq!(status(&world.enqueue(&good)), 0);
    std::fs::remove_dir_all(&api).unwrap();
    let third = push("web", "t2", &turn(3), &oid);
    assert_eq!(status(&world.enqueue(&third)), 0);
    std::fs::remove_file(world.due_path("t2", &turn(3))).unwrap();
    let recovery = recover(&world);
    assert_eq!(recovery.troubled.len(), 2, "{:?}", recovery.troubled);
    assert!(world.due_path("t2", &turn(3)).exists());
    assert!(
        world.due_path("t1", &turn(1)).exists(),
        "its entry waits for the mended intent"
    );
}

#[test]
fn recovery_finishes_a_ledger_from_the_newest_of_several_results() {
    for newest in [1, 2] {
        let world = World::new();
        let mirror = world.mirror("web");
        let oid = commit(&mirror, "one");
        for number in [1, 2] {
            let wanted = push("web", "t1", &turn(number), &oid);
            world.enqueue(&wanted);
            let updated = if number == newest { 2000 } else { 1000 };
            world.settle(&wanted, "delivered", 1, updated);
        }
        assert_eq!(recover(&world).ledgers_finished, 1);
        let text = ledger(&world).unwrap();
        assert!(text.contains(&turn(newest)), "{text}");
        assert!(text.contains(r#""generation":1,"#), "{text}");
    }
}

#[test]
fn recovery_takes_up_only_folders_that_a_stopped_call_left() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    world.enqueue(&push("web", "t1", &turn(1), &oid));
    let due = world.due_path("t1", &turn(1));
    let folder = due.with_file_name("notes");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(&due, folder.join("tmpfile.tmp")).unwrap();
    world.run(&["once"], "");
    assert!(folder.join("tmpfile.tmp").exists(), "it is none of ours");
}
