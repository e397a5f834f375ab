//! What changes between a look and the act that follows it, and a Git that fails once: nothing is
//! done on what was seen, and nothing is given up too early.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{answer, code, status};
use crate::world::{World, commit, git, git_line, pinned, push, turn};

const DAY: u64 = 86_400_000;

/// Whether a process can be seen waiting here: its open files are listed.
fn can_look() -> bool {
    crate::common::figures::may_skip(Path::new("/proc/self/fd").exists(), "no /proc here")
}

fn has_open(child: &Child, path: &Path) -> bool {
    let files = std::fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap();
    files
        .filter_map(Result::ok)
        .any(|file| std::fs::read_link(file.path()).is_ok_and(|to| to == path))
}

/// Runs a command that has looked and waits for a lock; `change` is made before it gets it.
fn meanwhile(
    world: &World,
    arguments: &[&str],
    (task, number): (&str, u64),
    change: impl FnOnce(),
) -> Output {
    let name = format!("locks/outbox-{task}-{}.lock", turn(number));
    let path = world.root.join(name);
    let held = File::options()
        .create(true)
        .append(true)
        .open(&path)
        .unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    held.lock().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_amiss"))
        .arg("outbox")
        .args(arguments)
        .arg("--host-root")
        .arg(&world.root)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !has_open(&child, &path) {
        assert!(child.try_wait().unwrap().is_none(), "it took no lock");
        assert!(began.elapsed() < Duration::from_secs(60), "it never waits");
        std::thread::sleep(Duration::from_millis(1));
    }
    change();
    held.unlock().unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_discard_stops_at_a_delivery_that_was_taken_up_again_meanwhile() {
    if !can_look() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted = [1, 2].map(|number| push("web", "t1", &turn(number), &oid));
    for push in &wanted {
        world.enqueue(push);
        world.settle(push, "failed", 12, 50);
    }
    let discard = ["close", "--task", "t1", "--discard"];
    let output = meanwhile(&world, &discard, ("t1", 1), || {
        world.good(&["retry", "--task", "t1", "--turn", &turn(2)]);
    });
    assert_eq!(code(&output), "TASK_BUSY");
    let message = answer(&output)["error"]["message"].to_string();
    assert!(message.contains("changed meanwhile"), "{message}");
    assert!(!world.intent_path("web", "t1", &turn(1)).exists());
    assert!(world.intent_path("web", "t1", &turn(2)).exists());
    assert_eq!(pinned(&mirror, "t1", &turn(2)), oid);
}

#[test]
fn a_collection_keeps_an_intent_that_was_taken_up_again_meanwhile() {
    if !can_look() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    for number in [1, 2] {
        let wanted = push("web", "t1", &turn(number), &oid);
        world.enqueue(&wanted);
        world.settle(&wanted, "failed", 12, 50);
    }
    let now = (50 + 31 * DAY).to_string();
    let collect = ["gc", "--now-unix-millis", &now];
    let output = meanwhile(&world, &collect, ("t1", 1), || {
        world.good(&["retry", "--task", "t1", "--turn", &turn(2)]);
    });
    let kept = answer(&output)["gc"]["kept"].to_string();
    assert!(kept.contains("it changed meanwhile"), "{kept}");
    assert!(!world.intent_path("web", "t1", &turn(1)).exists());
    assert!(world.intent_path("web", "t1", &turn(2)).exists());
    assert_eq!(pinned(&mirror, "t1", &turn(2)), oid);
}

#[test]
fn a_repair_leaves_a_due_entry_that_was_written_anew_meanwhile() {
    if !can_look() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    world.enqueue(&push("web", "t1", &turn(1), &oid));
    let good = std::fs::read_to_string(world.due_path("t1", &turn(1))).unwrap();
    let due = world.due_path("t9", &turn(9));
    std::fs::write(&due, "half").unwrap();
    let whole = good.replace("t1", "t9").replace(&turn(1), &turn(9));
    meanwhile(&world, &["doctor", "--repair"], ("t9", 9), || {
        std::fs::write(&due, &whole).unwrap();
    });
    assert_eq!(std::fs::read_to_string(&due).unwrap(), whole);
}

/// The folder of a Git that runs these shell words before it does what it is asked for; `$once`
/// succeeds the first time only.
fn git_after(world: &World, words: &str) -> PathBuf {
    let folder = world.beside("bin");
    std::fs::create_dir(&folder).unwrap();
    let script = format!(
        "#!/bin/sh\nPATH='{}'\nonce='mkdir {}'\n{words}\nexec git \"$@\"\n",
        std::env::var("PATH").unwrap(),
        world.beside("once").display(),
    );
    std::fs::write(folder.join("git"), script).unwrap();
    std::fs::set_permissions(folder.join("git"), PermissionsExt::from_mode(0o755)).unwrap();
    folder
}

fn with_git(world: &World, folder: &Path, arguments: &[&str], input: &Value) -> Output {
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut all = vec!["outbox"];
    all.extend(arguments);
    all.extend(["--host-root", world.root.to_str().unwrap()]);
    crate::common::amiss(&all)
        .env("PATH", path)
        .write_stdin(input.to_string())
        .output()
        .unwrap()
}

fn setting(mirror: &Path, name: &str) -> String {
    let output = git(mirror, &["config", "--local", name]);
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_mirror_whose_lock_another_git_has_for_a_moment_is_configured_and_pinned() {
    for call in [
        "config --local --replace-all core.fsync ",
        "update-ref --no-deref",
    ] {
        let world = World::new();
        let mirror = world.mirror("web");
        let oid = commit(&mirror, "one");
        let words = format!("case \"$*\" in *'{call}'*) $once 2>/dev/null && exit 128;; esac");
        let folder = git_after(&world, &words);
        let wanted = json!({ "push": push("web", "t1", &turn(1), &oid) });
        let output = with_git(&world, &folder, &["enqueue"], &wanted);
        assert_eq!(status(&output), 0, "{call}: {output:?}");
        assert!(world.beside("once").exists(), "{call}: it was asked");
        assert_eq!(pinned(&mirror, "t1", &turn(1)), oid);
        assert_eq!(
            setting(&mirror, "core.fsync"),
            "objects,derived-metadata,reference"
        );
    }
}

#[test]
fn a_pin_whose_lock_another_git_has_for_a_moment_is_taken_away() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    world.settle(&wanted, "failed", 12, 50);
    let words = "case \"$*\" in *'update-ref --no-deref -d'*) $once 2>/dev/null && exit 128;; esac";
    let folder = git_after(&world, words);
    let discard = ["close", "--task", "t1", "--discard"];
    let output = with_git(&world, &folder, &discard, &json!({}));
    assert_eq!(status(&output), 0, "{output:?}");
    assert!(world.beside("once").exists(), "it was asked");
    assert_eq!(pinned(&mirror, "t1", &turn(1)), "");
}

#[test]
fn a_pin_that_names_another_commit_is_not_taken_away() {
    let world = World::new();
    let mirror = world.mirror("web");
    let (one, two) = (commit(&mirror, "one"), commit(&mirror, "two"));
    let wanted = push("web", "t1", &turn(1), &one);
    world.enqueue(&wanted);
    world.settle(&wanted, "failed", 12, 50);
    let pin = format!("refs/mac-worker/delivery/t1/{}", turn(1));
    git_line(&mirror, &["update-ref", &pin, &two]);
    let output = world.run(&["close", "--task", "t1", "--discard"], "");
    assert_eq!(code(&output), "DELIVERY_REF_CONFLICT");
    assert_eq!(pinned(&mirror, "t1", &turn(1)), two);
    assert!(world.intent_path("web", "t1", &turn(1)).exists());
}

#[test]
fn a_commit_that_goes_before_it_is_pinned_is_not_found_and_leaves_nothing() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let (fanout, rest) = oid.split_at(2);
    let object = mirror.join("objects").join(fanout).join(rest);
    let words = format!(
        "case \"$*\" in *'update-ref --no-deref'*) rm -f '{}';; esac",
        object.display()
    );
    let folder = git_after(&world, &words);
    let wanted = json!({ "push": push("web", "t1", &turn(1), &oid) });
    let output = with_git(&world, &folder, &["enqueue"], &wanted);
    assert_eq!(code(&output), "NOT_FOUND");
    assert!(!world.intent_path("web", "t1", &turn(1)).exists());
    assert!(!world.due_path("t1", &turn(1)).exists());
}

#[test]
fn a_pin_that_somebody_made_of_another_commit_meanwhile_is_a_conflict() {
    let world = World::new();
    let mirror = world.mirror("web");
    let (one, two) = (commit(&mirror, "one"), commit(&mirror, "two"));
    let pin = format!("refs/mac-worker/delivery/t1/{}", turn(1));
    let words = format!(
        "case \"$*\" in *'update-ref --no-deref'*) git -C '{}' update-ref {pin} {two};; esac",
        mirror.display()
    );
    let folder = git_after(&world, &words);
    let wanted = json!({ "push": push("web", "t1", &turn(1), &one) });
    let output = with_git(&world, &folder, &["enqueue"], &wanted);
    assert_eq!(code(&output), "DELIVERY_REF_CONFLICT");
    assert_eq!(pinned(&mirror, "t1", &turn(1)), two);
    assert!(!world.intent_path("web", "t1", &turn(1)).exists());
}
