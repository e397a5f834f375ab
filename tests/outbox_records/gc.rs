//! `gc`: nothing leaks, and nothing is lost.

use serde_json::Value;

use crate::world::{World, commit, git_line, pinned, push, turn};

const DAY: u64 = 86_400_000;

fn whats(answer: &Value, list: &str) -> Vec<String> {
    answer["gc"][list]
        .as_array()
        .unwrap()
        .iter()
        .map(|judged| judged["what"].as_str().unwrap().to_owned())
        .collect()
}

fn gc(world: &World, now: u64) -> Value {
    world.good(&["gc", "--now-unix-millis", &now.to_string()])
}

#[test]
fn retention_counts_from_the_end_and_keeps_what_is_open_for_ever() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted: Vec<Value> = (1..=4)
        .map(|number| push("web", "t1", &turn(number), &oid))
        .collect();
    for push in &wanted {
        world.enqueue(push);
    }
    world.settle(&wanted[0], "delivered", 1, 1000);
    world.settle(&wanted[1], "failed", 12, 1000);
    world.settle(&wanted[2], "retrying", 3, 1000);
    let intent = |number| world.intent_path("web", "t1", &turn(number)).exists();
    let pin = |number| pinned(&mirror, "t1", &turn(number)) == oid;

    let early = gc(&world, 1000 + 7 * DAY - 1);
    assert!(whats(&early, "removed").is_empty());
    let why = early["gc"]["kept"].to_string();
    assert!(why.contains("it stays until 1970-01-08T00:00:01Z"), "{why}");
    let dry = world.good(&[
        "gc",
        "--dry-run",
        "--now-unix-millis",
        &(1000 + 7 * DAY).to_string(),
    ]);
    assert_eq!(
        whats(&dry, "removed"),
        [format!("intent web/t1/{}", turn(1))]
    );
    assert!(intent(1));
    assert_eq!(
        whats(&gc(&world, 1000 + 7 * DAY), "removed"),
        [format!("intent web/t1/{}", turn(1))]
    );
    assert!(!intent(1) && pin(1) && intent(2) && pin(2));

    assert!(whats(&gc(&world, 1000 + 30 * DAY - 1), "removed").is_empty());
    let removed = whats(&gc(&world, 1000 + 30 * DAY), "removed");
    assert!(
        removed.contains(&format!("intent web/t1/{}", turn(2))),
        "{removed:?}"
    );
    assert!(
        removed.contains(&format!("pin web/t1/{}", turn(1))),
        "{removed:?}"
    );
    assert!(!pin(1) && !intent(2) && !pin(2));

    let later = gc(&world, 1000 + 5000 * DAY);
    assert!(intent(3) && pin(3) && intent(4) && pin(4));
    for number in [3, 4] {
        assert!(whats(&later, "kept").contains(&format!("intent web/t1/{}", turn(number))));
        assert!(world.due_path("t1", &turn(number)).exists());
    }
    assert!(
        !world
            .root
            .join(format!("locks/outbox-t1-{}.lock", turn(1)))
            .exists()
    );
}

#[test]
fn a_pin_that_outlives_its_intent_is_no_orphan_and_may_be_discarded() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    world.settle(&wanted, "delivered", 1, 1000);
    gc(&world, 1000 + 8 * DAY);
    assert_eq!(
        world.good(&["doctor"])["doctor"]["findings"],
        serde_json::json!([])
    );
    world.good(&["close", "--task", "t1", "--discard"]);
    assert_eq!(pinned(&mirror, "t1", &turn(1)), "");
    assert!(
        world.files().iter().all(|file| !file.contains("t1")),
        "{:?}",
        world.files()
    );
}

#[test]
fn unreadable_intents_and_orphan_pins_stay_for_ever() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    world.change_intent(&wanted, |text| text.push('\n'));
    let orphan = format!("refs/mac-worker/delivery/t2/{}", turn(2));
    git_line(&mirror, &["update-ref", &orphan, &oid]);
    let answer = gc(&world, 5000 * DAY);
    assert!(whats(&answer, "removed").is_empty(), "{answer}");
    let kept = answer["gc"]["kept"].to_string();
    assert!(
        kept.contains("DELIVERY_UNREADABLE") && kept.contains("no intent"),
        "{kept}"
    );
    assert_eq!(pinned(&mirror, "t2", &turn(2)), oid);
    assert_eq!(pinned(&mirror, "t1", &turn(1)), oid);
}

#[test]
fn leftovers_of_every_kind_are_collected() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    let due = std::fs::read(world.due_path("t1", &turn(1))).unwrap();
    std::fs::remove_file(world.intent_path("web", "t1", &turn(1))).unwrap();
    git_line(
        &mirror,
        &[
            "update-ref",
            "-d",
            &format!("refs/mac-worker/delivery/t1/{}", turn(1)),
        ],
    );
    let digest = "39bbd5f3d9d3999ad6348470b5bd603f463fb80989c799e49fa7ef8de25fd4f4";
    let ledger = world
        .root
        .join(format!("locks/outbox-target-{digest}.json"));
    std::fs::write(
        &ledger,
        format!(r#"{{"origin":"file:///srv/o.git","branch":"main","generation":1,"last_oid":"{oid}","last_task_id":"t1","last_turn_id":"{}","updated_at_millis":1000}}"#, turn(1)),
    )
    .unwrap();
    std::fs::write(
        world
            .root
            .join(format!("locks/outbox-target-{digest}.lock")),
        "",
    )
    .unwrap();
    let folder = world.root.join("locks/outbox-due/.atomicwriteabcdef");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("tmpfile.tmp"), "half").unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_hours(2);
    std::fs::File::open(&folder)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let young = world.root.join("locks/.atomicwriteghijkl");
    std::fs::create_dir(&young).unwrap();
    // Old and empty, and none of ours.
    let foreign = mirror.join("worktrees");
    std::fs::create_dir(&foreign).unwrap();
    std::fs::File::open(&foreign)
        .unwrap()
        .set_modified(old)
        .unwrap();

    gc(&world, 1000 + 31 * DAY);
    assert!(!due.is_empty() && !world.due_path("t1", &turn(1)).exists());
    assert!(!ledger.exists() && !folder.exists());
    assert!(young.exists(), "somebody may be writing into it");
    assert!(foreign.exists(), "a folder of Git's stays");
    assert!(world.files().is_empty(), "{:?}", world.files());
}

#[test]
fn a_lock_that_somebody_holds_stays() {
    let world = World::new();
    world.mirror("web");
    std::fs::create_dir(world.root.join("locks")).unwrap();
    let path = world.root.join(format!("locks/outbox-t1-{}.lock", turn(1)));
    let file = std::fs::File::create(&path).unwrap();
    file.lock().unwrap();
    gc(&world, 1000);
    assert!(path.exists());
    file.unlock().unwrap();
    gc(&world, 1000);
    assert!(!path.exists());
}

#[test]
fn a_ledger_that_no_delivery_uses_stays_its_time_and_says_why() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    world.settle(&wanted, "delivered", 1, 1000);
    world.good(&["doctor", "--repair"]);
    world.good(&["close", "--task", "t1", "--discard"]);
    let ledgers = |answer: &Value, list: &str| {
        let all = whats(answer, list);
        all.iter().filter(|what| what.starts_with("ledger")).count()
    };
    let early = gc(&world, 1000 + 30 * DAY - 1);
    assert_eq!(
        (ledgers(&early, "kept"), ledgers(&early, "removed")),
        (1, 0)
    );
    let late = gc(&world, 1000 + 30 * DAY);
    assert_eq!((ledgers(&late, "kept"), ledgers(&late, "removed")), (0, 1));
}

#[test]
fn the_lock_of_a_turn_stays_while_a_due_entry_of_it_does() {
    let world = World::new();
    world.mirror("web");
    world.good(&["enable"]);
    let lock = world.root.join(format!("locks/outbox-t1-{}.lock", turn(1)));
    std::fs::write(&lock, "").unwrap();
    let due = world.due_path("t1", &turn(1));
    std::fs::create_dir(due.parent().unwrap()).unwrap();
    std::fs::write(&due, "half").unwrap();
    gc(&world, 1000);
    assert!(lock.exists() && due.exists());
    std::fs::remove_file(&due).unwrap();
    gc(&world, 1000);
    assert!(!lock.exists());
}

#[test]
fn what_is_kept_longer_than_time_goes_stays_for_ever() {
    let world = World::new();
    let oid = commit(&world.mirror("web"), "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    world.settle(&wanted, "delivered", 1, 1000);
    let ever = ["gc", "--delivered-after", "2000000000000h"];
    let why = world.good(&ever)["gc"]["kept"].to_string();
    assert!(why.contains("it stays for ever"), "{why}");
}
