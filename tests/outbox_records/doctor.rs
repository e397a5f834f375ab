//! `doctor`: every disorder is found, with its remedy; what can be mended without loss is.

use std::process::Output;

use amiss::outbox::{ProcessIdentity, Record, WorkerIdentity};
use serde_json::Value;

use crate::common::{answer, status};
use crate::world::{World, commit, git_line, pinned, push, turn};

fn findings(output: &Output) -> Vec<Value> {
    let list = answer(output)["doctor"]["findings"]
        .as_array()
        .unwrap()
        .clone();
    for finding in &list {
        let names: Vec<&String> = finding.as_object().unwrap().keys().collect();
        assert_eq!(names.len(), 4, "{finding}");
        for name in ["what", "where", "remedy"] {
            assert!(
                finding[name].as_str().is_some_and(|text| !text.is_empty()),
                "{finding}"
            );
        }
    }
    list
}

/// One disorder: found without repair, mended with it, not there afterwards.
fn mends(world: &World, fault: &str) {
    let output = world.run(&["doctor"], "");
    assert_eq!(status(&output), 0, "nothing here needs a person");
    let list = findings(&output);
    assert_eq!(list.len(), 1, "{fault}: {list:?}");
    assert!(
        list[0]["what"].as_str().unwrap().contains(fault),
        "{list:?}"
    );
    assert_eq!(list[0]["repaired"], false);
    let list = findings(&world.run(&["doctor", "--repair"], ""));
    assert_eq!(list[0]["repaired"], true, "{fault}: {list:?}");
    assert!(findings(&world.run(&["doctor"], "")).is_empty(), "{fault}");
}

/// One disorder that only a person can decide.
fn stays(world: &World, fault: &str) {
    for arguments in [&["doctor"][..], &["doctor", "--repair"][..]] {
        let output = world.run(arguments, "");
        assert_eq!(status(&output), 78);
        let list = findings(&output);
        assert_eq!(list.len(), 1, "{fault}: {list:?}");
        assert!(
            list[0]["what"].as_str().unwrap().contains(fault),
            "{list:?}"
        );
        assert_eq!(list[0]["repaired"], false);
    }
}

#[test]
fn a_healthy_root_has_no_findings() {
    let world = World::new();
    assert!(findings(&world.run(&["doctor"], "")).is_empty());
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    world.enqueue(&push("web", "t1", &turn(1), &oid));
    assert!(findings(&world.run(&["doctor"], "")).is_empty());
}

#[test]
fn an_intent_without_a_pin_is_pinned_again() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    world.enqueue(&push("web", "t1", &turn(1), &oid));
    let pin = format!("refs/mac-worker/delivery/t1/{}", turn(1));
    git_line(&mirror, &["update-ref", "-d", &pin]);
    mends(&world, "no pin");
    assert_eq!(pinned(&mirror, "t1", &turn(1)), oid);
    git_line(&mirror, &["update-ref", "-d", &pin]);
    git_line(&mirror, &["gc", "-q", "--prune=now"]);
    stays(&world, "neither a pin nor the commit");
    std::fs::remove_dir_all(&mirror).unwrap();
    stays(&world, "the mirror of 1 delivery is not there");
}

#[test]
fn an_orphan_pin_and_a_pin_of_another_commit_are_for_a_person() {
    let world = World::new();
    let mirror = world.mirror("web");
    let (one, two) = (commit(&mirror, "one"), commit(&mirror, "two"));
    let orphan = format!("refs/mac-worker/delivery/t2/{}", turn(2));
    git_line(&mirror, &["update-ref", &orphan, &one]);
    stays(&world, "no intent");
    run_remedy(&world);
    assert_eq!(pinned(&mirror, "t2", &turn(2)), "");
    world.enqueue(&push("web", "t1", &turn(1), &one));
    let pin = format!("refs/mac-worker/delivery/t1/{}", turn(1));
    git_line(&mirror, &["update-ref", &pin, &two]);
    stays(&world, &two);
    run_remedy(&world);
    assert_eq!(pinned(&mirror, "t1", &turn(1)), one);
    assert!(findings(&world.run(&["doctor"], "")).is_empty());
}

/// Runs the command that the one remedy shows, as it stands there.
fn run_remedy(world: &World) {
    let list = findings(&world.run(&["doctor"], ""));
    let remedy = list[0]["remedy"].as_str().unwrap();
    let command = remedy.split('`').nth(1).unwrap();
    let status = std::process::Command::new("sh")
        .args(["-c", command])
        .status()
        .unwrap();
    assert!(status.success(), "{command}");
}

#[test]
fn due_entries_are_brought_in_line_with_the_intents() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    let due = world.due_path("t1", &turn(1));
    let good = std::fs::read_to_string(&due).unwrap();
    std::fs::remove_file(&due).unwrap();
    mends(&world, "has no due entry");
    std::fs::write(&due, good.replace(":0}", ":9}")).unwrap();
    mends(&world, "not what the intent says");
    std::fs::write(&due, "{").unwrap();
    mends(&world, "the due entry is unreadable");
    assert_eq!(std::fs::read_to_string(&due).unwrap(), good);
    let left = world.due_path("t9", &turn(9));
    std::fs::write(&left, good.replace("t1", "t9").replace(&turn(1), &turn(9))).unwrap();
    mends(&world, "nothing to do");
    let ended = push("web", "t2", &turn(2), &oid);
    world.enqueue(&ended);
    world.settle(&ended, "failed", 12, 1000);
    std::fs::write(world.due_path("t2", &turn(2)), "half").unwrap();
    mends(&world, "not a readable due entry");
    std::fs::write(&left, good.replace("t1", "t9")).unwrap();
    mends(&world, "of another task or turn than its name");
    std::fs::write(&left, good.replace(&turn(1), &turn(9))).unwrap();
    mends(&world, "of another task or turn than its name");
    std::fs::write(&left, "half").unwrap();
    mends(&world, "not a readable due entry");
    assert!(!left.exists());
    std::fs::write(world.root.join("locks/outbox-due/notes.txt"), "x").unwrap();
    stays(&world, "not a readable due entry");
}

#[test]
fn a_dead_or_damaged_watcher_identity_is_removed_and_a_live_one_stays() {
    let world = World::new();
    std::fs::create_dir(world.root.join("locks")).unwrap();
    let path = world.root.join("locks/outbox-worker.json");
    // This test's own number with another start time: a reused pid.
    let dead = format!(
        r#"{{"identity":{{"pid":{},"start_time":1}},"watch":true}}"#,
        std::process::id()
    );
    std::fs::write(&path, dead).unwrap();
    mends(&world, "dead");
    std::fs::write(&path, "{}").unwrap();
    mends(&world, "unreadable");
    let own = WorkerIdentity {
        identity: ProcessIdentity::of_this_process().unwrap(),
        watch: true,
        binary: None,
    };
    let alive = own.encode().unwrap();
    std::fs::write(&path, alive).unwrap();
    assert!(findings(&world.run(&["doctor", "--repair"], "")).is_empty());
    assert!(path.exists());
}

#[test]
fn a_ledger_behind_its_result_is_finished_and_a_damaged_one_mended() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    world.settle(&wanted, "delivered", 1, 1000);
    mends(&world, "behind its newest result");
    let ledger = std::fs::read_dir(world.root.join("locks"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "json"))
        .unwrap();
    let good = std::fs::read_to_string(&ledger).unwrap();
    assert_eq!(
        good,
        format!(
            r#"{{"origin":"file:///srv/origin.git","branch":"main","generation":1,"last_oid":"{oid}","last_task_id":"t1","last_turn_id":"{}","updated_at_millis":1000}}"#,
            turn(1)
        )
    );
    std::fs::write(&ledger, "{}").unwrap();
    mends(&world, "not a readable target ledger");
    assert_eq!(std::fs::read_to_string(&ledger).unwrap(), good);
    let other = ledger.with_file_name(format!("outbox-target-{}.json", "0".repeat(64)));
    std::fs::write(&other, &good).unwrap();
    mends(&world, "of another target than its name");
    assert!(!other.exists() && ledger.exists());
}

#[test]
fn a_missing_ledger_is_finished_from_the_result_that_is_newest() {
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
        mends(&world, "behind its newest result");
        let locks = world.root.join("locks");
        let ledger = std::fs::read_dir(locks)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .find(|path| path.extension().is_some_and(|ending| ending == "json"))
            .unwrap();
        let text = std::fs::read_to_string(ledger).unwrap();
        assert!(text.contains(&turn(newest)), "{text}");
        assert!(text.contains(r#""updated_at_millis":2000"#), "{text}");
    }
}

#[test]
fn an_unreadable_intent_is_for_a_person() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    world.change_intent(&wanted, |text| *text = text.replace("pending", "lost"));
    stays(&world, "DELIVERY_UNREADABLE");
    assert!(world.intent_path("web", "t1", &turn(1)).exists());
}

#[test]
fn a_mirror_under_another_spelling_is_the_same_mirror() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let link = world.beside("link");
    std::os::unix::fs::symlink(world.root.join("mirrors"), &link).unwrap();
    let mut wanted = push("web", "t1", &turn(1), &oid);
    wanted["mirror"] = serde_json::json!(link.join("web.git").to_str().unwrap());
    assert_eq!(status(&world.enqueue(&wanted)), 0);
    assert!(findings(&world.run(&["doctor"], "")).is_empty());
}

#[test]
fn a_pin_in_another_mirror_than_its_intents_is_nobodys() {
    let world = World::new();
    let (web, api) = (world.mirror("web"), world.mirror("api"));
    let (one, two) = (commit(&web, "one"), commit(&api, "two"));
    assert_eq!(
        status(&world.enqueue(&push("web", "t1", &turn(1), &one))),
        0
    );
    let pin = format!("refs/mac-worker/delivery/t1/{}", turn(1));
    git_line(&api, &["update-ref", &pin, &two]);
    stays(&world, "a pin has no intent");
    let list = findings(&world.run(&["doctor"], ""));
    let place = list[0]["where"].as_str().unwrap();
    assert!(place.contains("api.git"), "{place}");
}

#[test]
fn a_record_of_an_ended_pin_under_another_turns_name_is_for_a_person() {
    let world = World::new();
    let oid = commit(&world.mirror("web"), "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    world.settle(&wanted, "delivered", 1, 1000);
    let after_eight_days = (1000 + 8 * 86_400_000_u64).to_string();
    world.good(&["gc", "--now-unix-millis", &after_eight_days]);
    let ended = |number| {
        let intent = world.intent_path("web", "t1", &turn(number));
        intent.with_extension("ended")
    };
    std::fs::copy(ended(1), ended(2)).unwrap();
    stays(&world, "it is of another delivery");
}
