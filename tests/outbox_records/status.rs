//! `status`, `enable`, `disable`: what a person and a program see.

use amiss::outbox::{ProcessIdentity, Record, WorkerIdentity};
use serde_json::{Value, json};

use crate::common::{answer, status};
use crate::world::{World, commit, push, turn};

#[test]
fn an_empty_root_has_no_deliveries_and_is_not_changed_by_looking() {
    let world = World::new();
    let shown = world.good(&["status"]);
    assert_eq!(shown["deliveries"], json!([]));
    assert!(shown.get("delivery").is_none());
    assert_eq!(shown["watcher"], json!({"state": "none"}));
    assert!(!world.root.join("locks").exists(), "looking makes nothing");
}

#[test]
fn status_shows_each_delivery_its_origin_and_what_happens_next() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let mut wanted: Vec<Value> = (1..=4)
        .map(|number| push("web", "t1", &turn(number), &oid))
        .collect();
    wanted[3]["origin"] = json!("https://me@example.test/r.git");
    for (number, push) in wanted.iter().enumerate() {
        let now = (1000 + number).to_string();
        let output = world.run(
            &["enqueue", "--now-unix-millis", &now],
            &json!({"push": push}).to_string(),
        );
        assert_eq!(status(&output), 0);
    }
    world.settle(&wanted[0], "delivered", 1, 2000);
    world.settle(&wanted[1], "retrying", 3, 3000);
    world.settle(&wanted[2], "failed", 12, 2500);
    let shown = world.good(&["status", "--now-unix-millis", "61000"]);
    assert_eq!(shown["delivery"]["turn_id"], json!(turn(4)));
    let states: Vec<&str> = shown["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|delivery| delivery["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["delivered", "retrying", "failed", "pending"]);
    assert_eq!(shown["oldest_age_millis"], json!(59_999));
    let next = |index: usize| shown["details"][index]["next"].as_str().unwrap().to_owned();
    assert!(next(0).contains("delivered"));
    assert!(next(1).contains("push 3 of 12"), "{}", next(1));
    assert!(
        next(2).contains(&format!("retry --task t1 --turn {}", turn(3))),
        "{}",
        next(2)
    );
    assert!(next(3).contains("push 1 of 12"), "{}", next(3));
    assert_eq!(
        shown["origins"][0],
        json!({"origin": "file:///srv/origin.git", "health": "failing", "pending": 0, "retrying": 1,
               "failed": 1, "delivered": 1, "last_delivered_at_millis": 2000,
               "last_error": "ORIGIN_UNREACHABLE", "oldest_age_millis": 59_999})
    );
    assert_eq!(shown["origins"][1]["origin"], "https://example.test/r.git");
    assert_eq!(shown["origins"][1]["health"], "unknown");
}

#[test]
fn the_table_names_what_waits_since_when_why_and_what_is_next() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    world.settle(&wanted, "retrying", 3, 3000);
    let note = world
        .intent_path("web", "t1", &turn(1))
        .with_extension("stderr");
    std::fs::write(&note, "fatal: no route\u{1b}[31m").unwrap();
    let output = world.run(&["status", "--format", "table", "--verbose"], "");
    let text = String::from_utf8(output.stdout).unwrap();
    for word in [
        "t1",
        "retrying",
        "file:///srv/origin.git",
        "main",
        &oid[..12],
        "ORIGIN_UNREACHABLE",
        "push 3 of 12",
        "failing",
        "watcher: none",
        "fatal: no route",
        "oldest not delivered",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!text.contains('\u{1b}'));
    let shown = world.good(&["status"]);
    assert!(
        shown["details"][0].get("stderr").is_none(),
        "only when asked for"
    );
}

#[test]
fn an_unreadable_intent_is_shown_and_blocks_no_other() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let (bad, good) = (
        push("web", "t1", &turn(1), &oid),
        push("web", "t1", &turn(2), &oid),
    );
    world.enqueue(&bad);
    world.enqueue(&good);
    world.change_intent(&bad, |text| text.insert(1, ' '));
    let shown = world.good(&["status", "--task", "t1"]);
    assert_eq!(shown["delivery"]["turn_id"], json!(turn(2)));
    let last = &shown["deliveries"][1];
    assert_eq!(
        (last["state"].as_str(), last["last_error"].as_str()),
        (Some("unreadable"), Some("DELIVERY_UNREADABLE"))
    );
    assert_eq!(
        last.as_object().unwrap().len(),
        shown["deliveries"][0].as_object().unwrap().len()
    );
    let table = world.run(&["status", "--format", "table"], "").stdout;
    assert!(
        String::from_utf8(table)
            .unwrap()
            .contains("DELIVERY_UNREADABLE")
    );
}

#[test]
fn status_of_one_task_shows_only_that() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    world.enqueue(&push("web", "t1", &turn(1), &oid));
    world.enqueue(&push("web", "t2", &turn(2), &oid));
    let shown = world.good(&["status", "--task", "t2"]);
    assert_eq!(shown["deliveries"].as_array().unwrap().len(), 1);
    assert_eq!(shown["details"][0]["task_id"], "t2");
}

#[test]
fn enable_and_disable_are_idempotent_and_status_shows_the_mark() {
    let world = World::new();
    let marker = world.root.join("locks/outbox-enabled.json");
    for _ in 0..2 {
        world.good(&["enable"]);
        assert_eq!(
            std::fs::read_to_string(&marker).unwrap(),
            r#"{"watch":true}"#
        );
    }
    assert_eq!(world.good(&["status"])["enabled"], json!(true));
    std::fs::write(&marker, "damaged").unwrap();
    world.good(&["enable"]);
    assert_eq!(
        std::fs::read_to_string(&marker).unwrap(),
        r#"{"watch":true}"#
    );
    for _ in 0..2 {
        world.good(&["disable"]);
        assert!(!marker.exists());
    }
    assert_eq!(world.good(&["status"])["enabled"], json!(false));
}

#[test]
fn an_unsafe_root_is_refused_by_every_command() {
    let world = World::new();
    let link = world.beside("link");
    std::os::unix::fs::symlink(&world.root, &link).unwrap();
    let root = link.to_str().unwrap();
    for command in [
        &["status"][..],
        &["enable"][..],
        &["disable"][..],
        &["gc"][..],
        &["doctor"][..],
        &["retry", "--task", "t"][..],
        &["close", "--task", "t"][..],
        &["write-agent", "/tmp"][..],
        &["baseline", "--mirror", "/tmp"][..],
    ] {
        let mut all = vec!["outbox"];
        all.extend(command);
        all.extend(["--host-root", root]);
        let output = crate::common::run(&all, "");
        assert_eq!(status(&output), 78, "{command:?}");
        assert_eq!(
            answer(&output)["error"]["code"],
            "ROOT_UNSAFE",
            "{command:?}"
        );
    }
}

#[test]
fn a_mistyped_task_is_an_empty_answer_with_a_note_to_the_person() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    world.enqueue(&push("web", "t1", &turn(1), &oid));
    for arguments in [
        &["status", "--task", "t2"][..],
        &["status", "--task", "t2", "--format", "table"][..],
        &["close", "--task", "t2"][..],
        &["close", "--task", "t2", "--discard"][..],
    ] {
        let output = world.run(arguments, "");
        assert_eq!(status(&output), 0, "{arguments:?}");
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "amiss: the outbox holds no delivery of task t2\n",
            "{arguments:?}"
        );
    }
    for quiet in [
        &["status", "--task", "t1"][..],
        &["status"][..],
        &["status", "--task", "t2", "--quiet"][..],
    ] {
        let output = world.run(quiet, "");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{quiet:?}");
    }
}

#[test]
fn a_host_root_by_a_relative_path_is_refused_with_the_whole_path_as_the_hint() {
    let folder = tempfile::tempdir().unwrap();
    let output = crate::common::amiss(&["outbox", "status", "--host-root", "rel"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(status(&output), 78);
    let hint = answer(&output)["error"]["hint"]
        .as_str()
        .unwrap()
        .to_owned();
    let whole = folder.path().canonicalize().unwrap().join("rel");
    assert!(hint.ends_with(whole.to_str().unwrap()), "{hint}");
}

#[test]
fn status_says_who_watches_and_of_a_live_watcher_only_that_it_will_push() {
    let world = World::new();
    let oid = commit(&world.mirror("web"), "one");
    world.enqueue(&push("web", "t1", &turn(1), &oid));
    let path = world.root.join("locks/outbox-worker.json");
    let shown = |worker: &WorkerIdentity| {
        std::fs::write(&path, worker.encode().unwrap()).unwrap();
        let shown = world.good(&["status"]);
        let next = shown["details"][0]["next"].as_str().unwrap().to_owned();
        let state = shown["watcher"]["state"].as_str().unwrap().to_owned();
        (state, next)
    };
    let live = WorkerIdentity {
        identity: ProcessIdentity::of_this_process().unwrap(),
        watch: true,
        binary: None,
    };
    let will = "push 1 of 12 now";
    assert_eq!(shown(&live), ("running".into(), will.into()));
    let mut dead = live.clone();
    dead.identity.start_time += 1;
    let mut once = live.clone();
    once.watch = false;
    for other in [dead, once] {
        let (state, next) = shown(&other);
        assert_eq!(state, "dead");
        assert_eq!(
            next,
            format!("{will} once a pump runs; none does (`amiss outbox wake`)")
        );
    }
    std::fs::write(&path, "{}").unwrap();
    assert_eq!(
        world.good(&["status"])["watcher"],
        json!({"state": "unreadable"})
    );
}

#[test]
fn an_origin_is_healthy_after_a_delivery_and_not_any_more_after_a_failure() {
    let world = World::new();
    let oid = commit(&world.mirror("web"), "one");
    let wanted = [1, 2].map(|number| push("web", "t1", &turn(number), &oid));
    for push in &wanted {
        world.enqueue(push);
    }
    let health = || world.good(&["status"])["origins"][0]["health"].clone();
    world.settle(&wanted[0], "retrying", 3, 1000);
    assert_eq!(health(), "failing");
    world.settle(&wanted[1], "delivered", 1, 2000);
    assert_eq!(health(), "ok");
    world.settle(&wanted[0], "failed", 12, 3000);
    assert_eq!(health(), "failing");
}

#[test]
fn an_intent_under_another_deliverys_name_is_unreadable() {
    let world = World::new();
    let oid = commit(&world.mirror("web"), "one");
    world.enqueue(&push("web", "t1", &turn(1), &oid));
    let path = |number| world.intent_path("web", "t1", &turn(number));
    std::fs::copy(path(1), path(2)).unwrap();
    let shown = world.good(&["status"]);
    let states: Vec<&Value> = shown["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|delivery| &delivery["state"])
        .collect();
    assert_eq!(states, ["pending", "unreadable"]);
}
