//! What an enqueue costs does not grow with history, tasks, pins or pending deliveries.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::common::{amiss, status};
use crate::stop::{Run, is_there};
use crate::world::{World, commit, git_input, git_line, push, turn};

/// A `git` in front of the real one that writes down what it is asked.
fn listening_git(world: &World) -> String {
    let folder = world.beside("bin");
    std::fs::create_dir(&folder).unwrap();
    let log = world.beside("git.log");
    let real = git_line(Path::new("/"), &["--exec-path"]);
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}'\nexec '{real}/git' \"$@\"\n",
        log.display()
    );
    std::fs::write(folder.join("git"), script).unwrap();
    std::fs::set_permissions(folder.join("git"), PermissionsExt::from_mode(0o700)).unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

/// The Git commands of one enqueue, by their subcommands.
fn commands(world: &World, path: &str, wanted: &serde_json::Value) -> Vec<String> {
    let log = world.beside("git.log");
    let _ = std::fs::remove_file(&log);
    let output = amiss(&[
        "outbox",
        "enqueue",
        "--host-root",
        world.root.to_str().unwrap(),
    ])
    .env("PATH", path)
    .write_stdin(json!({ "push": wanted }).to_string())
    .output()
    .unwrap();
    assert_eq!(status(&output), 0);
    let known = [
        "config",
        "cat-file",
        "update-ref",
        "rev-parse",
        "for-each-ref",
        "rev-list",
        "pack-objects",
        "fsck",
    ];
    std::fs::read_to_string(&log)
        .unwrap()
        .lines()
        .map(|line| {
            let subcommand = line.split(' ').find(|part| known.contains(part));
            subcommand.unwrap_or(line).to_owned()
        })
        .collect()
}

/// Many pins, due entries, intents of other tasks, and some history.
fn grow(world: &World, mirror: &Path, oid: &str, many: u64) {
    let good = std::fs::read_to_string(world.intent_path("web", "t1", &turn(1))).unwrap();
    let due = std::fs::read_to_string(world.due_path("t1", &turn(1))).unwrap();
    let mut refs = String::new();
    for number in 100..100 + many {
        let task = format!("task{number}");
        let here = |text: &str| {
            text.replace("\"t1\"", &format!("\"{task}\""))
                .replace(&turn(1), &turn(number))
        };
        let path = world.intent_path("web", &task, &turn(number));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, here(&good)).unwrap();
        std::fs::write(world.due_path(&task, &turn(number)), here(&due)).unwrap();
        let pin = format!("refs/mac-worker/delivery/{task}/{}", turn(number));
        refs.push_str(&["create ", &pin, " ", oid, "\n"].concat());
    }
    git_input(mirror, &["update-ref", "--stdin"], &refs);
    let mut parent = oid.to_owned();
    let tree = git_line(mirror, &["mktree"]);
    for _ in 0..20 {
        parent = git_line(mirror, &["commit-tree", "-m", "x", "-p", &parent, &tree]);
    }
    git_line(mirror, &["update-ref", "refs/heads/long", &parent]);
    git_line(mirror, &["pack-refs", "--all"]);
    git_line(mirror, &["repack", "-q", "-a", "-d"]);
}

#[test]
fn enqueue_asks_git_the_same_three_things_however_much_there_is() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let path = listening_git(&world);
    let first = commands(&world, &path, &push("web", "t1", &turn(1), &oid));
    assert_eq!(
        first
            .iter()
            .filter(|word| *word != "config")
            .collect::<Vec<_>>(),
        ["cat-file", "update-ref"]
    );
    let expected = ["config", "cat-file", "update-ref"];
    assert_eq!(
        commands(&world, &path, &push("web", "t1", &turn(2), &oid)),
        expected
    );
    grow(&world, &mirror, &oid, 400);
    assert_eq!(
        commands(&world, &path, &push("web", "t1", &turn(3), &oid)),
        expected
    );
}

#[test]
fn enqueue_makes_the_same_system_calls_however_much_there_is() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    git_line(&mirror, &["update-ref", "refs/heads/one", &oid]);
    git_line(&mirror, &["repack", "-q", "-a", "-d"]);
    let counts = |number: u64| {
        let run = Run {
            arguments: [
                "outbox",
                "enqueue",
                "--host-root",
                world.root.to_str().unwrap(),
            ]
            .map(str::to_owned)
            .to_vec(),
            input: json!({"push": push("web", "t1", &turn(number), &oid)}).to_string(),
        };
        run.calls(world.root.parent().unwrap()).len()
    };
    world.enqueue(&push("web", "t1", &turn(1), &oid));
    git_line(&mirror, &["pack-refs", "--all"]);
    let before = counts(2);
    grow(&world, &mirror, &oid, 400);
    // The packs of the new history are synced and noted once.
    counts(3);
    assert_eq!(counts(4), before);
}
