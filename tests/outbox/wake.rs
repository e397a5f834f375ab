//! `wake` and the handover to a newer program, under every race.

use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

use crate::common;
use crate::process::{Reaper, Watch, identity, identity_pid, signal, until, watchers};
use crate::scene::Scene;

fn wake(scene: &Scene, more: &[&str]) -> Output {
    let mut arguments = vec!["wake"];
    arguments.extend(more);
    scene.run(&arguments)
}

fn woken(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    common::answer(output)["wake"].as_str().unwrap().to_owned()
}

fn lock_is_held(scene: &Scene) -> bool {
    use rustix::fs::{FlockOperation, flock};
    let file = std::fs::File::open(scene.world.root.join("locks/outbox.lock")).unwrap();
    flock(&file, FlockOperation::NonBlockingLockExclusive).is_err()
}

#[test]
fn the_first_wake_starts_a_watcher_and_the_second_finds_it() {
    let scene = Scene::new();
    let _reaper = Reaper(&scene);
    assert_eq!(woken(&wake(&scene, &[])), "started");
    assert!(lock_is_held(&scene));
    let pid = identity_pid(&scene).unwrap();
    assert_eq!(watchers(&scene), [pid]);
    assert_eq!(woken(&wake(&scene, &[])), "running");
    assert_eq!(identity_pid(&scene), Some(pid));
    // It works, in a session of its own.
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    until("it is delivered", || scene.state(1) == "delivered");
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let session = stat
        .rsplit(") ")
        .next()
        .unwrap()
        .split(' ')
        .nth(3)
        .unwrap()
        .to_owned();
    assert_eq!(session, pid.to_string());
}

#[test]
fn a_started_watcher_holds_nothing_that_was_its_callers() {
    let mut scene = Scene::new();
    let (lock, socket) = (scene.world.beside("lock"), scene.world.beside("notify"));
    let manager = std::os::unix::net::UnixDatagram::bind(&socket).unwrap();
    manager.set_nonblocking(true).unwrap();
    scene
        .env
        .insert("NOTIFY_SOCKET".into(), socket.display().to_string());
    let _reaper = Reaper(&scene);
    let mut command = std::process::Command::new("flock");
    command.arg(&lock).arg(env!("CARGO_BIN_EXE_amiss")).args([
        "outbox",
        "wake",
        "--handshake",
        "60s",
    ]);
    let mut wake = Watch::spawn(&scene, command);
    assert!(wake.wait().success());
    let free = std::process::Command::new("flock")
        .arg("-n")
        .arg(&lock)
        .arg("true")
        .status();
    assert!(
        free.unwrap().success(),
        "the lock of the caller is free again"
    );
    assert!(
        manager.recv(&mut [0; 64]).is_err(),
        "the caller's manager hears nothing of it"
    );
}

#[test]
fn many_wakes_at_once_leave_one_watcher() {
    let scene = Scene::new();
    let _reaper = Reaper(&scene);
    let answers: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| woken(&wake(&scene, &["--handshake", "60s"]))))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(
        answers
            .iter()
            .all(|answer| answer == "started" || answer == "running"),
        "{answers:?}"
    );
    assert_eq!(
        answers.iter().filter(|answer| *answer == "started").count(),
        1,
        "{answers:?}"
    );
    until("the others ended", || watchers(&scene).len() == 1);
    assert_eq!(watchers(&scene), [identity_pid(&scene).unwrap()]);
}

#[test]
fn a_dead_identity_a_reused_pid_and_a_corrupt_file_fool_nobody() {
    let scene = Scene::new();
    let own = std::process::id();
    for text in [
        format!(r#"{{"identity":{{"pid":{own},"start_time":1}},"watch":true}}"#),
        r#"{"identity":{"pid":4194304,"start_time":1},"watch":true}"#.to_owned(),
        "{\"identity\":".to_owned(),
        String::new(),
    ] {
        let _reaper = Reaper(&scene);
        std::fs::create_dir_all(scene.world.root.join("locks")).unwrap();
        std::fs::write(scene.world.root.join("locks/outbox-worker.json"), &text).unwrap();
        assert_eq!(
            woken(&wake(&scene, &["--handshake", "60s"])),
            "started",
            "{text}"
        );
        assert_ne!(identity_pid(&scene), Some(own));
    }
}

#[test]
fn a_watcher_in_a_long_push_whose_identity_was_damaged_mends_it() {
    let scene = Scene::new();
    let begun = scene.world.beside("begun");
    scene.hook(
        "pre-receive",
        &format!("touch {}; sleep 300", begun.display()),
    );
    let one = scene.commit("one", None);
    let watch = Watch::ready(&scene, &[]);
    scene.enqueue("main", 1, &one);
    until("the push is in flight", || begun.exists());
    let file = scene.world.root.join("locks/outbox-worker.json");
    for damage in ["{", ""] {
        std::fs::write(&file, damage).unwrap();
        assert_eq!(woken(&wake(&scene, &["--handshake", "60s"])), "running");
        assert_eq!(identity_pid(&scene), Some(watch.child.id()));
    }
    std::fs::remove_file(&file).unwrap();
    assert_eq!(woken(&wake(&scene, &["--handshake", "60s"])), "running");
}

#[test]
fn a_killed_watcher_is_started_again() {
    let scene = Scene::new();
    let _reaper = Reaper(&scene);
    let mut watch = Watch::ready(&scene, &[]);
    watch.child.kill().unwrap();
    watch.wait();
    assert!(identity(&scene).is_some(), "its identity is still there");
    assert_eq!(woken(&wake(&scene, &["--handshake", "60s"])), "started");
}

#[test]
fn a_one_shot_pump_is_no_watcher() {
    let scene = Scene::new();
    let _reaper = Reaper(&scene);
    let (begun, go) = (scene.world.beside("begun"), scene.world.beside("go"));
    scene.hook(
        "pre-receive",
        &format!(
            "touch {}; while [ ! -e {} ]; do sleep 0.02; done",
            begun.display(),
            go.display()
        ),
    );
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    let mut command = scene.command(&["once"]);
    let pump = std::thread::spawn(move || command.output().unwrap());
    until("the push is in flight", || begun.exists());
    let output = wake(&scene, &["--handshake", "500ms"]);
    assert_eq!(common::status(&output), 69);
    assert_eq!(common::code(&output), "OUTBOX_WORKER_REQUIRED");
    let message = common::answer(&output)["error"]["message"].to_string();
    assert!(message.contains("another pump holds the lock"), "{message}");
    std::fs::write(go, "").unwrap();
    assert!(pump.join().unwrap().status.success());
    assert_eq!(woken(&wake(&scene, &["--handshake", "60s"])), "started");
}

#[test]
fn a_watcher_that_cannot_start_is_never_promised() {
    let scene = Scene::new();
    let _reaper = Reaper(&scene);
    scene.gitconfig("[broken");
    let output = wake(&scene, &["--handshake", "1s"]);
    assert_eq!(common::code(&output), "OUTBOX_WORKER_REQUIRED");
    let message = common::answer(&output)["error"]["message"].to_string();
    assert!(!message.contains("holds the lock"), "{message}");
    assert_eq!(common::status(&output), 69);
}

/// A program of its own that a test can replace.
fn own_program(scene: &Scene) -> PathBuf {
    let path = scene.world.beside("program");
    std::fs::copy(env!("CARGO_BIN_EXE_amiss"), &path).unwrap();
    path
}

/// What a package manager does: a new file under the old name.
fn replace(path: &PathBuf) {
    let newer = path.with_extension("newer");
    std::fs::copy(env!("CARGO_BIN_EXE_amiss"), &newer).unwrap();
    std::fs::rename(newer, path).unwrap();
}

fn inode(identity: &Value) -> u64 {
    identity["binary"]["inode"].as_u64().unwrap()
}

#[test]
fn a_newer_program_takes_over_from_an_idle_watcher_when_woken() {
    let scene = Scene::new();
    let _reaper = Reaper(&scene);
    let program = own_program(&scene);
    let watch = Watch::start_program(&scene, program.to_str().unwrap(), &[]);
    watch.wait_for("ready", 1);
    let before = identity(&scene).unwrap();
    replace(&program);
    assert_eq!(woken(&wake(&scene, &["--handshake", "60s"])), "restarted");
    let after = identity(&scene).unwrap();
    assert_ne!(inode(&before), inode(&after));
    assert_eq!(
        before["identity"], after["identity"],
        "the same process, as a service manager wants it"
    );
    watch.wait_for("ready", 2);
}

#[test]
fn a_newer_program_takes_over_after_the_present_push_and_not_before() {
    let scene = Scene::new();
    let _reaper = Reaper(&scene);
    let (begun, go) = (scene.world.beside("begun"), scene.world.beside("go"));
    scene.hook(
        "pre-receive",
        &format!(
            "touch {}; while [ ! -e {} ]; do sleep 0.02; done",
            begun.display(),
            go.display()
        ),
    );
    let program = own_program(&scene);
    let watch = Watch::start_program(&scene, program.to_str().unwrap(), &[]);
    watch.wait_for("ready", 1);
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    until("the push is in flight", || begun.exists());
    let before = identity(&scene).unwrap();
    replace(&program);
    assert_eq!(woken(&wake(&scene, &["--handshake", "2s"])), "running");
    assert_eq!(identity(&scene).unwrap(), before);
    std::fs::write(go, "").unwrap();
    watch.wait_for("pushed", 1);
    watch.wait_for("ready", 2);
    until("the newer one published itself", || {
        identity(&scene).is_some_and(|now| inode(&now) != inode(&before))
    });
    assert_eq!(scene.intent(1)["attempt"], 1);
    signal(watch.child.id(), rustix::process::Signal::TERM);
}

#[test]
fn a_newer_program_that_cannot_run_ends_nothing() {
    let scene = Scene::new();
    let program = own_program(&scene);
    let watch = Watch::start_program(&scene, program.to_str().unwrap(), &[]);
    watch.wait_for("ready", 1);
    let broken = program.with_extension("broken");
    std::fs::write(&broken, "no program").unwrap();
    std::fs::rename(broken, &program).unwrap();
    assert_eq!(woken(&wake(&scene, &["--handshake", "60s"])), "running");
    watch.wait_for("ready", 2);
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    watch.wait_for("pushed", 1);
    assert_eq!(identity_pid(&scene), Some(watch.child.id()));
}
