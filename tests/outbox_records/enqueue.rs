//! `enqueue` and `baseline`: what is asked for is there when they answer, and nothing else is.

use std::os::unix::fs::MetadataExt;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::common::{answer, code, run, status};
use crate::world::{World, commit, git, git_line, init, pinned, push, turn};

#[test]
fn an_answered_enqueue_has_its_intent_its_due_entry_and_its_pin() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let turn = turn(1);
    let output = world.run(
        &["enqueue", "--now-unix-millis", "1700000000000"],
        &json!({"push": push("web", "t1", &turn, &oid), "mine": 1.50}).to_string(),
    );
    assert_eq!(status(&output), 0);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let delivery = format!(
        r#""origin_delivery":{{"turn_id":"{turn}","state":"pending","oid":"{oid}","origin":"file:///srv/origin.git","target":"refs/heads/main","attempt":1,"next_attempt_at_millis":0,"last_error":null,"superseded_by":null,"created_at_millis":1700000000000,"updated_at_millis":1700000000000}}"#
    );
    assert!(text.contains(&delivery), "{text}");
    assert_eq!(answer(&output)["mine"], json!(1.50));
    assert_eq!(
        std::fs::read_to_string(world.intent_path("web", "t1", &turn)).unwrap(),
        format!(
            r#"{{"project_id":"web","task_id":"t1","turn_id":"{turn}","origin":"file:///srv/origin.git","branch":"main","oid":"{oid}","state":"pending","attempt":1,"next_attempt_at_millis":0,"last_error":null,"superseded_by":null,"created_at_millis":1700000000000,"updated_at_millis":1700000000000}}"#
        )
    );
    assert_eq!(
        std::fs::read_to_string(world.due_path("t1", &turn)).unwrap(),
        format!(
            r#"{{"project_id":"web","task_id":"t1","turn_id":"{turn}","next_attempt_at_millis":0}}"#
        )
    );
    assert_eq!(pinned(&mirror, "t1", &turn), oid);
}

#[test]
fn every_file_is_private_and_nothing_else_is_left() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let turn = turn(1);
    assert_eq!(status(&world.enqueue(&push("web", "t1", &turn, &oid))), 0);
    assert_eq!(
        world.files(),
        [
            format!("locks/outbox-due/t1-{turn}.json"),
            format!("locks/outbox-t1-{turn}.lock"),
            format!("tasks/web/t1/delivery/{turn}.json"),
        ]
    );
    for file in world.files() {
        let path = world.root.join(file);
        let mode =
            |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        assert_eq!(mode(path.parent().unwrap()), 0o700, "{}", path.display());
    }
}

#[test]
fn the_same_push_again_is_the_same_delivery_and_another_one_a_conflict() {
    let world = World::new();
    let mirror = world.mirror("web");
    let (one, two) = (commit(&mirror, "one"), commit(&mirror, "two"));
    let first = push("web", "t1", &turn(1), &one);
    let output = world.enqueue(&first);
    let again = world.enqueue(&first);
    assert_eq!(
        answer(&output)["origin_delivery"],
        answer(&again)["origin_delivery"]
    );
    for (member, value) in [
        ("oid", json!(two)),
        ("origin", json!("file:///srv/other.git")),
        ("branch", json!("other")),
    ] {
        let mut other = first.clone();
        other[member] = value;
        let output = world.enqueue(&other);
        assert_eq!(
            (status(&output), code(&output).as_str()),
            (76, "DELIVERY_REF_CONFLICT"),
            "{member}"
        );
    }
    assert_eq!(pinned(&mirror, "t1", &turn(1)), one);
}

#[test]
fn a_taken_pin_is_a_conflict_and_leaves_nothing() {
    let world = World::new();
    let mirror = world.mirror("web");
    let (one, two) = (commit(&mirror, "one"), commit(&mirror, "two"));
    let name = format!("refs/mac-worker/delivery/t1/{}", turn(1));
    git_line(&mirror, &["update-ref", &name, &two]);
    let output = world.enqueue(&push("web", "t1", &turn(1), &one));
    assert_eq!(
        (status(&output), code(&output).as_str()),
        (76, "DELIVERY_REF_CONFLICT")
    );
    assert!(world.files().is_empty(), "{:?}", world.files());
    // The very commit, pinned before, is taken.
    assert_eq!(
        status(&world.enqueue(&push("web", "t1", &turn(1), &two))),
        0
    );
}

#[test]
fn wrong_input_has_its_code_and_leaves_nothing() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let tree = git_line(&mirror, &["mktree"]);
    let good = push("web", "t1", &turn(1), &oid);
    let cases = [
        ("project", json!("../web"), "INPUT_MALFORMED"),
        ("project", json!("none"), "NOT_FOUND"),
        ("task", json!("T1"), "INPUT_MALFORMED"),
        ("task", json!("a.lock"), "INPUT_MALFORMED"),
        ("turn", json!("1"), "INPUT_MALFORMED"),
        ("turn", json!(1), "INPUT_MALFORMED"),
        ("branch", json!("a..b"), "INPUT_MALFORMED"),
        ("branch", json!("-f"), "INPUT_MALFORMED"),
        ("branch", json!("a:b"), "INPUT_MALFORMED"),
        ("oid", json!("a".repeat(39)), "INPUT_MALFORMED"),
        ("oid", json!("a".repeat(64)), "INPUT_MALFORMED"),
        ("oid", json!("a".repeat(40)), "NOT_FOUND"),
        ("oid", json!(tree), "NOT_FOUND"),
        (
            "origin",
            json!("https://me:secret@example.test/r.git"),
            "INPUT_MALFORMED",
        ),
        ("origin", json!("ext::sh -c true"), "INPUT_MALFORMED"),
        ("origin", json!("/srv/o.git"), "INPUT_MALFORMED"),
        ("mirror", json!("relative"), "INPUT_MALFORMED"),
        ("mirror", json!("/nowhere/at/all.git"), "NOT_FOUND"),
        ("more", json!(1), "INPUT_MALFORMED"),
    ];
    for (member, value, expected) in cases {
        let mut bad = good.clone();
        bad[member] = value.clone();
        let output = world.enqueue(&bad);
        assert_eq!(code(&output), expected, "{member} {value}");
        assert!(
            world.files().is_empty(),
            "{member} {value}: {:?}",
            world.files()
        );
        assert!(!String::from_utf8_lossy(&output.stderr).contains("secret"));
        assert!(
            answer(&output)["error"]
                .to_string()
                .find("secret")
                .is_none()
        );
    }
    let output = world.run(&["enqueue"], "{}");
    assert_eq!(
        (status(&output), code(&output).as_str()),
        (65, "INPUT_INCOMPLETE")
    );
    let output = world.enqueue(&json!({"project": "web"}));
    assert_eq!(code(&output), "INPUT_MALFORMED");
    let output = world.enqueue(&{
        let mut bad = good;
        bad["origin"] = json!("https://me:secret@example.test/r.git");
        bad
    });
    let hint = answer(&output)["error"]["hint"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(hint.contains("credential helper"), "{hint}");
}

#[test]
fn an_unsafe_or_missing_host_root_is_refused() {
    let world = World::new();
    world.mirror("web");
    let ask = |root: &str| run(&["outbox", "enqueue", "--host-root", root], "{\"push\":{}}");
    let link = world.beside("link");
    std::os::unix::fs::symlink(&world.root, &link).unwrap();
    for root in [
        link.to_str().unwrap(),
        &format!("{}/", link.display()),
        "relative",
        "/dev/null",
    ] {
        let output = ask(root);
        assert_eq!(
            (status(&output), code(&output).as_str()),
            (78, "ROOT_UNSAFE"),
            "{root}"
        );
    }
    let output = ask("/nowhere/at/all");
    assert_eq!((status(&output), code(&output).as_str()), (66, "NOT_FOUND"));
    std::fs::set_permissions(&world.root, PermissionsExt::from_mode(0o770)).unwrap();
    let output = ask(world.root.to_str().unwrap());
    assert_eq!(code(&output), "ROOT_UNSAFE");
}

#[test]
fn a_directory_of_the_root_that_others_can_write_is_refused() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    std::fs::create_dir(world.root.join("locks")).unwrap();
    std::fs::set_permissions(world.root.join("locks"), PermissionsExt::from_mode(0o777)).unwrap();
    let output = world.enqueue(&push("web", "t1", &turn(1), &oid));
    assert_eq!(code(&output), "ROOT_UNSAFE");
    std::fs::remove_dir(world.root.join("locks")).unwrap();
    std::os::unix::fs::symlink(world.beside("elsewhere"), world.root.join("tasks")).unwrap();
    let output = world.enqueue(&push("web", "t1", &turn(1), &oid));
    assert_eq!(status(&output), 78, "no link is followed");
}

#[test]
fn a_mirror_elsewhere_is_named_in_the_intent_and_one_with_borrowed_objects_refused() {
    let world = World::new();
    let mirror = world.beside("own.git");
    init(&mirror, "sha1", "files");
    let oid = commit(&mirror, "one");
    let mut wanted = push("web", "t1", &turn(1), &oid);
    wanted["mirror"] = json!(mirror.to_str().unwrap());
    assert_eq!(status(&world.enqueue(&wanted)), 0);
    let text = std::fs::read_to_string(world.intent_path("web", "t1", &turn(1))).unwrap();
    assert!(
        text.ends_with(&format!(r#","mirror":"{}"}}"#, mirror.display())),
        "{text}"
    );

    let borrower = world.mirror("web");
    let alternates = borrower.join("objects/info/alternates");
    let own = commit(&borrower, "own");
    std::fs::write(&alternates, "# none\n\n".repeat(1000)).unwrap();
    let output = world.enqueue(&push("web", "t1", &turn(3), &own));
    assert_eq!(status(&output), 0, "a comment names no other store");
    std::fs::write(
        alternates,
        format!("# one\n\n{}\n", mirror.join("objects").display()),
    )
    .unwrap();
    let output = world.enqueue(&push("web", "t1", &turn(2), &oid));
    assert_eq!(code(&output), "NOT_FOUND");
    assert!(
        answer(&output)["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("repack")
    );
}

#[test]
fn the_same_turn_of_another_project_is_refused_while_the_first_is_in_work() {
    let world = World::new();
    let (web, api) = (world.mirror("web"), world.mirror("api"));
    let (one, two) = (commit(&web, "one"), commit(&api, "two"));
    assert_eq!(
        status(&world.enqueue(&push("web", "t1", &turn(1), &one))),
        0
    );
    let before = world.files();
    let output = world.enqueue(&push("api", "t1", &turn(1), &two));
    assert_eq!(code(&output), "DELIVERY_REF_CONFLICT");
    assert_eq!(world.files(), before);
    assert_eq!(pinned(&api, "t1", &turn(1)), "");
}

#[test]
fn an_unreadable_intent_is_kept_and_refused() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    world.change_intent(&wanted, |text| text.push(' '));
    let before = std::fs::read(world.intent_path("web", "t1", &turn(1))).unwrap();
    let output = world.enqueue(&wanted);
    assert_eq!(
        (status(&output), code(&output).as_str()),
        (78, "DELIVERY_UNREADABLE")
    );
    assert_eq!(
        std::fs::read(world.intent_path("web", "t1", &turn(1))).unwrap(),
        before
    );
}

#[test]
fn many_pushes_on_one_input_are_answered_in_order() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let lines: String = (1..=3)
        .map(|number| json!({"push": push("web", "t1", &turn(number), &oid)}).to_string() + "\n")
        .collect();
    let output = world.run(&["enqueue"], &lines);
    assert_eq!(status(&output), 0);
    let turns: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["origin_delivery"]["turn_id"].clone()
        })
        .collect();
    assert_eq!(turns, [json!(turn(1)), json!(turn(2)), json!(turn(3))]);
}

#[test]
fn f06_a_foreign_repository_in_the_environment_has_no_effect() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let other = world.beside("other.git");
    init(&other, "sha1", "files");
    let wanted = push("web", "t1", &turn(1), &oid);
    let other_dir = other.to_str().unwrap();
    let output = crate::common::amiss(&[
        "outbox",
        "enqueue",
        "--host-root",
        world.root.to_str().unwrap(),
    ])
    .env("GIT_DIR", other_dir)
    .env("GIT_INDEX_FILE", other.join("index"))
    .env("GIT_OBJECT_DIRECTORY", other.join("objects"))
    .env("GIT_QUARANTINE_PATH", other.join("objects"))
    .env("GIT_NAMESPACE", "foreign")
    .env("GIT_CONFIG_COUNT", "1")
    .env("GIT_CONFIG_KEY_0", "core.hooksPath")
    .env("GIT_CONFIG_VALUE_0", other_dir)
    .write_stdin(json!({ "push": wanted }).to_string())
    .output()
    .unwrap();
    assert_eq!(status(&output), 0);
    assert_eq!(pinned(&mirror, "t1", &turn(1)), oid);
    assert!(git(&other, &["for-each-ref"]).stdout.is_empty());
    assert!(!other.join("mw-object-sync.json").exists());
}

#[test]
fn the_first_enqueue_configures_the_mirror_and_leaves_the_rest_of_its_settings() {
    let world = World::new();
    let mirror = world.mirror("web");
    git_line(&mirror, &["config", "core.fsync", "none"]);
    git_line(&mirror, &["config", "user.name", "somebody"]);
    let oid = commit(&mirror, "one");
    assert_eq!(
        status(&world.enqueue(&push("web", "t1", &turn(1), &oid))),
        0
    );
    for (name, value) in [
        ("core.fsync", "objects,derived-metadata,reference"),
        ("core.fsyncMethod", "fsync"),
        ("core.hooksPath", "hooks"),
        ("receive.denyDeletes", "true"),
        ("user.name", "somebody"),
    ] {
        assert_eq!(
            git_line(&mirror, &["config", "--local", name]),
            value,
            "{name}"
        );
    }
    let config = mirror.join("config");
    let is_left_alone = |number| {
        let before = (
            std::fs::read(&config).unwrap(),
            std::fs::metadata(&config).unwrap().ino(),
        );
        let output = world.enqueue(&push("web", "t1", &turn(number), &oid));
        assert_eq!(status(&output), 0);
        let after = (
            std::fs::read(&config).unwrap(),
            std::fs::metadata(&config).unwrap().ino(),
        );
        assert_eq!(after, before, "it is not written again");
    };
    is_left_alone(2);
    // An operator's own hooks stay, and so does the setting that asks for more than ours.
    git_line(&mirror, &["config", "core.hooksPath", "/srv/hooks"]);
    git_line(&mirror, &["config", "core.fsync", "all"]);
    is_left_alone(3);
    git_line(&mirror, &["config", "receive.denyDeletes", "all"]);
    assert_eq!(
        status(&world.enqueue(&push("web", "t1", &turn(4), &oid))),
        0
    );
    let deletes = git_line(&mirror, &["config", "--local", "receive.denyDeletes"]);
    assert_eq!(deletes, "true");
}

#[test]
fn a_baseline_before_the_first_enqueue_writes_the_receipt_that_enqueue_keeps() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let receipt = mirror.join("mw-object-sync.json");
    let ask = ["baseline", "--mirror", mirror.to_str().unwrap()];
    assert_eq!(answer(&world.run(&ask, ""))["baseline"]["receipt"], "made");
    let bytes = std::fs::read_to_string(&receipt).unwrap();
    assert_eq!(
        bytes,
        r#"{"fsync":"objects,derived-metadata,reference","fsync_method":"fsync","packs":[]}"#
    );
    assert_eq!(answer(&world.run(&ask, ""))["baseline"]["receipt"], "kept");
    let wanted = push("web", "t1", &turn(1), &oid);
    assert_eq!(status(&world.enqueue(&wanted)), 0);
    assert_eq!(status(&world.enqueue(&wanted)), 0);
    assert_eq!(std::fs::read_to_string(&receipt).unwrap(), bytes);
    // A receipt of other settings, or a damaged one, holds no more.
    for bad in [
        bytes.replace("objects,", ""),
        bytes.replace(":\"fsync\"", ":\"batch\""),
        String::new(),
    ] {
        std::fs::write(&receipt, bad).unwrap();
        assert_eq!(answer(&world.run(&ask, ""))["baseline"]["receipt"], "made");
    }
}

#[test]
fn a_baseline_of_what_is_no_mirror_is_not_found() {
    let world = World::new();
    for place in ["/nowhere/at/all", "/dev/null", world.root.to_str().unwrap()] {
        let output = world.run(&["baseline", "--mirror", place], "");
        assert_eq!(
            (status(&output), code(&output).as_str()),
            (66, "NOT_FOUND"),
            "{place}"
        );
    }
    // A bare repository is all three of these.
    for missing in ["HEAD", "objects", "refs"] {
        let place = world.beside(missing);
        init(&place, "sha1", "files");
        let part = place.join(missing);
        let _ = std::fs::remove_dir_all(&part).or_else(|_| std::fs::remove_file(&part));
        assert!(!part.exists());
        let output = world.run(&["baseline", "--mirror", place.to_str().unwrap()], "");
        assert_eq!(code(&output), "NOT_FOUND", "{missing}");
    }
}

#[test]
fn new_packs_join_the_receipt_and_packs_that_went_leave_it() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    git_line(&mirror, &["update-ref", "refs/heads/one", &oid]);
    git_line(&mirror, &["repack", "-q", "-a", "-d"]);
    assert_eq!(
        status(&world.enqueue(&push("web", "t1", &turn(1), &oid))),
        0
    );
    let listed = || {
        let text = std::fs::read_to_string(mirror.join("mw-object-sync.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["packs"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(listed(), 2);
    let two = commit(&mirror, "two");
    git_line(&mirror, &["update-ref", "refs/heads/two", &two]);
    git_line(&mirror, &["repack", "-q"]);
    assert_eq!(
        status(&world.enqueue(&push("web", "t1", &turn(2), &two))),
        0
    );
    assert_eq!(listed(), 4);
    git_line(&mirror, &["repack", "-q", "-a", "-d"]);
    assert_eq!(
        status(&world.enqueue(&push("web", "t1", &turn(3), &two))),
        0
    );
    assert_eq!(listed(), 2);
}

#[test]
fn a_lock_that_is_held_too_long_is_busy_and_leaves_nothing() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    std::fs::create_dir(world.root.join("locks")).unwrap();
    let path = world.root.join(format!("locks/outbox-t1-{}.lock", turn(1)));
    let file = std::fs::File::create(path).unwrap();
    file.lock().unwrap();
    let input = json!({"push": push("web", "t1", &turn(1), &oid)}).to_string();
    let output = world.run(&["enqueue", "--lock-timeout", "100ms"], &input);
    assert_eq!((status(&output), code(&output).as_str()), (75, "BUSY"));
    assert!(!world.intent_path("web", "t1", &turn(1)).exists());
    assert_eq!(pinned(&mirror, "t1", &turn(1)), "");
    file.unlock().unwrap();
    assert_eq!(status(&world.run(&["enqueue"], &input)), 0);
}

#[test]
fn a_clock_before_1970_records_nothing() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let input = json!({"push": push("web", "t1", &turn(1), &oid)}).to_string();
    let output = world.run(&["enqueue", "--now-unix-millis", "-1"], &input);
    assert_eq!((status(&output), code(&output).as_str()), (78, "CLOCK"));
    assert!(world.files().is_empty());
}

#[test]
fn a_receipt_is_renewed_when_more_than_sixteen_folders_of_loose_objects_changed_since() {
    let world = World::new();
    let mirror = world.mirror("web");
    let receipt = mirror.join("mw-object-sync.json");
    let baseline = || {
        let ask = ["baseline", "--mirror", mirror.to_str().unwrap()];
        assert_eq!(status(&world.run(&ask, "")), 0);
        std::fs::metadata(&receipt).unwrap().ino()
    };
    let made = baseline();
    for changed in 1..=18_u8 {
        let folder = mirror.join(format!("objects/{changed:02x}"));
        std::fs::create_dir(folder).unwrap();
        let renewed = baseline() != made;
        assert_eq!(renewed, changed > 16, "{changed}");
    }
}

#[test]
fn the_same_push_again_leaves_a_due_entry_that_stands_there_as_it_is() {
    let world = World::new();
    let oid = commit(&world.mirror("web"), "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    let enqueue = || {
        assert_eq!(status(&world.enqueue(&wanted)), 0);
        std::fs::metadata(world.due_path("t1", &turn(1)))
            .unwrap()
            .ino()
    };
    assert_eq!(enqueue(), enqueue());
}

#[test]
fn what_is_no_commit_is_named_by_what_it_is() {
    let world = World::new();
    let mirror = world.mirror("web");
    let tree = git_line(&mirror, &["mktree"]);
    for (oid, words) in [(tree, "it is a tree"), ("a".repeat(40), "it is not there")] {
        let output = world.enqueue(&push("web", "t1", &turn(1), &oid));
        let message = answer(&output)["error"]["message"].to_string();
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_due_entry_that_is_left_of_this_very_delivery_is_no_conflict() {
    let world = World::new();
    let oid = commit(&world.mirror("web"), "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    std::fs::remove_file(world.intent_path("web", "t1", &turn(1))).unwrap();
    assert_eq!(status(&world.enqueue(&wanted)), 0);
    assert!(world.intent_path("web", "t1", &turn(1)).exists());
}

#[test]
fn the_longest_address_and_branch_are_recorded_and_read_again() {
    let world = World::new();
    let oid = commit(&world.mirror("web"), "one");
    let mut wanted = push("web", "t1", &turn(1), &oid);
    wanted["origin"] = json!(format!("https://h/{}", "o".repeat(2038)));
    wanted["branch"] = json!("b".repeat(1024));
    assert_eq!(status(&world.enqueue(&wanted)), 0);
    let shown = world.good(&["status"]);
    assert_eq!(shown["delivery"]["origin"], wanted["origin"]);
    assert_eq!(shown["delivery"]["state"], "pending");
}
