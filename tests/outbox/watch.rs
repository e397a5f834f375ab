//! The watcher: when it works, when it sleeps, how it stops.

use std::os::unix::net::UnixDatagram;
use std::time::{Duration, Instant};

use crate::origins::bad::{BadOrigin, Manner};
use crate::process::{Watch, identity, identity_pid, signal, until};
use crate::scene::Scene;
use crate::world::turn;

#[test]
fn new_work_is_heard_of_and_pushed_without_the_slow_poll() {
    let scene = Scene::new();
    let watch = Watch::ready(&scene, &[]);
    watch.wait_for("idle", 1);
    let one = scene.commit("one", None);
    // The poll comes every 30 s; three pushes within the patience for one are notifications.
    for number in 1..=3 {
        let branch = format!("b{number}");
        scene.enqueue(&branch, number, &one);
        watch.wait_for("pushed", usize::try_from(number).unwrap());
        assert_eq!(scene.tip(&branch), one);
    }
    let event = &watch.events("pushed")[0];
    assert_eq!(event["delivery"]["turn_id"], turn(1).as_str());
    assert!(event["unix_millis"].is_i64());
    watch.wait_for("idle", 2);
}

#[test]
fn what_was_due_before_it_started_is_pushed_and_a_lost_due_entry_found_again() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    std::fs::remove_file(scene.world.due_path("t", &turn(1))).unwrap();
    let watch = Watch::ready(&scene, &[]);
    watch.wait_for("pushed", 1);
}

#[test]
fn a_failed_push_is_tried_again_after_its_wait() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.hook("pre-receive", "exit 1");
    let watch = Watch::ready(&scene, &[]);
    scene.enqueue("main", 1, &one);
    watch.wait_for("retrying", 2);
    let event = &watch.events("retrying")[0];
    assert_eq!(event["error"]["code"], "PUSH_REJECTED");
    assert_eq!(event["delivery"]["attempt"], 2);
    scene.no_hook("pre-receive");
    watch.wait_for("pushed", 1);
}

#[test]
fn a_retry_during_a_push_is_kept_and_its_twelve_start_afresh() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let (count, begun, go) = (
        scene.world.beside("count"),
        scene.world.beside("begun"),
        scene.world.beside("go"),
    );
    // The first push fails, the second waits and fails, the third arrives.
    scene.hook(
        "pre-receive",
        &format!(
            "echo x >> {0}; case $(wc -l < {0}) in 1) exit 1;; 2) touch {1}; \
             while [ ! -e {2} ]; do sleep 0.02; done; exit 1;; esac",
            count.display(),
            begun.display(),
            go.display()
        ),
    );
    let watch = Watch::ready(&scene, &[]);
    scene.enqueue("main", 1, &one);
    until("the second push is in flight", || begun.exists());
    assert_eq!(scene.intent(1)["attempt"], 2);
    let output = scene.run(&["retry", "--task", "t"]);
    assert!(output.status.success(), "{output:?}");
    std::fs::write(go, "").unwrap();
    watch.wait_for("pushed", 1);
    let kept = &watch.events("retrying")[1]["delivery"];
    assert_eq!(
        kept["attempt"], 0,
        "the failure of the push in flight takes nothing from it"
    );
    assert_eq!(
        scene.intent(1)["attempt"],
        1,
        "the push after a retry is the first"
    );
}

#[test]
fn a_second_watcher_ends_at_once_with_0_and_one_that_waits_takes_over() {
    let scene = Scene::new();
    let mut first = Watch::ready(&scene, &[]);
    let mut second = Watch::start(&scene, &[]);
    assert!(second.wait().success());
    assert!(second.events("ready").is_empty());
    let third = Watch::start(&scene, &["--wait"]);
    first.terminate();
    assert!(first.wait().success());
    first.wait_for("stopped", 1);
    third.wait_for("ready", 1);
    assert_eq!(identity_pid(&scene), Some(third.child.id()));
}

#[test]
fn a_waiting_watcher_stops_too() {
    let scene = Scene::new();
    let first = Watch::ready(&scene, &[]);
    let (_dir, address, socket) = notify_socket();
    let mut scene = scene;
    scene.env.insert("NOTIFY_SOCKET".into(), address);
    let mut second = Watch::start(&scene, &["--wait"]);
    // Started and well as far as the service manager is concerned: it must not be started again.
    until("it waits", || {
        heard(&socket).contains("waiting for the pump")
    });
    second.terminate();
    assert!(second.wait().success());
    drop(first);
}

#[test]
fn a_slow_origin_delays_no_other() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let hanging = BadOrigin::start(Manner::Hangs);
    let watch = Watch::ready(&scene, &[]);
    scene.enqueue_to(&hanging.url(), "main", 1, &one);
    until("it hangs", || hanging.connections() > 0);
    scene.enqueue("main", 2, &one);
    watch.wait_for("pushed", 1);
    assert_eq!(scene.state(1), "pending");
}

#[test]
fn a_stop_gives_a_push_in_flight_its_time_then_kills_it_and_it_costs_no_attempt() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let begun = scene.world.beside("begun");
    scene.hook(
        "pre-receive",
        &format!("touch {}; sleep 300", begun.display()),
    );
    let mut watch = Watch::ready(&scene, &[]);
    scene.enqueue("main", 1, &one);
    until("the push is in flight", || begun.exists());
    let started = Instant::now();
    watch.terminate();
    assert!(watch.wait().success());
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(scene.intent(1)["attempt"], 1);
    assert_eq!(scene.state(1), "pending");
    assert_eq!(identity(&scene), None, "the identity is taken away");
    // It is pushed by the next one.
    scene.no_hook("pre-receive");
    assert_eq!(scene.once()["pump"]["delivered"], 1);
}

#[test]
fn a_push_that_ends_within_the_time_of_a_stop_is_delivered() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let (begun, go) = (scene.world.beside("begun"), scene.world.beside("go"));
    scene.hook(
        "pre-receive",
        &format!(
            "touch {}; while [ ! -e {} ]; do sleep 0.02; done",
            begun.display(),
            go.display()
        ),
    );
    let mut watch = Watch::ready(&scene, &[]);
    scene.enqueue("main", 1, &one);
    until("the push is in flight", || begun.exists());
    signal(watch.child.id(), rustix::process::Signal::INT);
    std::fs::write(go, "").unwrap();
    assert!(watch.wait().success());
    assert_eq!(scene.state(1), "delivered");
    watch.wait_for("pushed", 1);
}

#[test]
fn an_interrupted_cycle_says_so_and_costs_no_attempt() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let begun = scene.world.beside("begun");
    scene.hook(
        "pre-receive",
        &format!("touch {}; sleep 300", begun.display()),
    );
    scene.enqueue("main", 1, &one);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_amiss"));
    command.args(["outbox", "once"]);
    let mut pump = Watch::spawn(&scene, command);
    until("the push is in flight", || begun.exists());
    pump.terminate();
    assert_eq!(pump.wait().code(), Some(75));
    assert_eq!(scene.intent(1)["attempt"], 1);
}

#[test]
fn a_push_of_one_cycle_that_ends_within_the_time_of_a_stop_is_delivered() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let (begun, go) = (scene.world.beside("begun"), scene.world.beside("go"));
    // Slower, from the stop on, than a pump that kills at once.
    scene.hook(
        "pre-receive",
        &format!(
            "touch {}; while [ ! -e {} ]; do sleep 0.02; done; sleep 1",
            begun.display(),
            go.display()
        ),
    );
    scene.enqueue("main", 1, &one);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_amiss"));
    command.args(["outbox", "once"]);
    let mut pump = Watch::spawn(&scene, command);
    until("the push is in flight", || begun.exists());
    pump.terminate();
    std::fs::write(go, "").unwrap();
    pump.wait();
    assert_eq!(scene.state(1), "delivered");
}

#[test]
fn unreadable_entries_and_intents_block_no_other_delivery() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.enqueue("a", 1, &one);
    scene.enqueue("b", 2, &one);
    std::fs::write(scene.world.intent_path("p", "t", &turn(1)), "{").unwrap();
    std::fs::write(scene.world.root.join("locks/outbox-due/junk"), "x").unwrap();
    let watch = Watch::ready(&scene, &[]);
    watch.wait_for("pushed", 1);
    assert_eq!(scene.tip("b"), one);
    let text = std::fs::read_to_string(scene.world.intent_path("p", "t", &turn(1)));
    assert_eq!(text.unwrap(), "{", "it is kept as it is");
}

#[test]
fn figures_are_written_as_open_metrics() {
    let scene = Scene::new();
    let file = scene.world.beside("amiss.prom");
    let one = scene.commit("one", None);
    scene.hook("update", "case $1 in *bad) exit 1;; esac");
    scene.enqueue("main", 1, &one);
    scene.enqueue("bad", 2, &one);
    let _watch = Watch::ready(&scene, &["--metrics", file.to_str().unwrap()]);
    let text = || std::fs::read_to_string(&file).unwrap_or_default();
    until("both are counted", || {
        text().contains("amiss_outbox_results_total{result=\"delivered\"} 1\n")
            && text().contains("amiss_outbox_failures_total{code=\"PUSH_REJECTED\"}")
            && text().contains("amiss_outbox_open_deliveries 1\n")
    });
    assert!(text().ends_with("# EOF\n"));
}

fn notify_socket() -> (tempfile::TempDir, String, UnixDatagram) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_nonblocking(true).unwrap();
    (dir, path.display().to_string(), socket)
}

fn heard(socket: &UnixDatagram) -> String {
    let mut buffer = [0_u8; 4096];
    match socket.recv(&mut buffer) {
        Ok(length) => String::from_utf8_lossy(&buffer[..length]).into_owned(),
        Err(_) => String::new(),
    }
}

#[test]
fn a_service_manager_is_told_ready_alive_and_stopping() {
    let mut scene = Scene::new();
    let (_dir, address, socket) = notify_socket();
    scene.env.insert("NOTIFY_SOCKET".into(), address);
    scene.env.insert("WATCHDOG_USEC".into(), "200000".into());
    let mut watch = Watch::start(&scene, &["--wait"]);
    until("ready", || heard(&socket).contains("READY=1"));
    until("alive", || heard(&socket).contains("WATCHDOG=1"));
    until("alive again", || heard(&socket).contains("WATCHDOG=1"));
    watch.terminate();
    until("stopping", || heard(&socket).contains("STOPPING=1"));
    assert!(watch.wait().success());
}

/// How often the threads of a process were woken so far.
fn wakeups(pid: u32) -> u64 {
    let mut sum = 0;
    for task in std::fs::read_dir(format!("/proc/{pid}/task")).unwrap() {
        let text = std::fs::read_to_string(task.unwrap().path().join("status")).unwrap_or_default();
        let line = text
            .lines()
            .find(|line| line.starts_with("voluntary_ctxt_switches"));
        sum += line
            .and_then(|line| line.split_whitespace().last())
            .and_then(|number| number.parse::<u64>().ok())
            .unwrap_or(0);
    }
    sum
}

#[test]
fn an_idle_watcher_starts_nothing_lists_nothing_and_hardly_wakes() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    let log = scene.world.beside("calls");
    let mut command = std::process::Command::new("strace");
    command
        .args([
            "-f",
            "-qq",
            "-e",
            "trace=execve,getdents64,inotify_add_watch",
            "-o",
        ])
        .arg(&log)
        .arg(env!("CARGO_BIN_EXE_amiss"))
        .args(["outbox", "watch"]);
    let watch = Watch::spawn(&scene, command);
    watch.wait_for("pushed", 1);
    watch.wait_for("idle", 1);
    // Its own change of the due folder is heard once more; then it sleeps.
    let pid = identity_pid(&scene).unwrap();
    let calls = || std::fs::read_to_string(&log).unwrap().lines().count();
    until("it sleeps", || {
        let before = (calls(), wakeups(pid));
        std::thread::sleep(Duration::from_millis(500));
        before == (calls(), wakeups(pid))
    });
    let (calls_before, woken_before) = (calls(), wakeups(pid));
    // The span is what is measured: fewer than one wake-up a second, and no call at all.
    std::thread::sleep(Duration::from_secs(5));
    assert!(
        wakeups(pid) - woken_before < 5,
        "{} wake-ups",
        wakeups(pid) - woken_before
    );
    assert_eq!(
        calls(),
        calls_before,
        "{}",
        std::fs::read_to_string(&log).unwrap()
    );
    signal(pid, rustix::process::Signal::KILL);
}

/// Kills a command of this scene when it is about to give a due entry its name: the intent is
/// written by then, and no due entry names it.
fn killed_before_its_due_entry(scene: &Scene, arguments: &[&str], input: &str) {
    let mut child = std::process::Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-P"])
        .arg(scene.world.root.join("locks/outbox-due"))
        .args([
            "-e",
            "trace=renameat",
            "-e",
            "inject=renameat:signal=KILL:when=1",
        ])
        .arg(env!("CARGO_BIN_EXE_amiss"))
        .arg("outbox")
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("AMISS_HOST_ROOT", &scene.world.root)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, input.as_bytes()).unwrap();
    drop(stdin);
    assert!(!child.wait().unwrap().success());
}

fn push_of(scene: &Scene, number: u64, oid: &str) -> String {
    serde_json::json!({"push": {"project": "p", "task": "t", "turn": crate::world::turn(number),
        "origin": scene.url(), "branch": format!("b{number}"), "oid": oid}})
    .to_string()
}

#[test]
fn an_enqueue_killed_before_its_due_entry_is_found_by_a_running_watcher_at_its_slow_poll() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let watch = Watch::ready(&scene, &[]);
    watch.wait_for("idle", 1);
    killed_before_its_due_entry(&scene, &["enqueue"], &push_of(&scene, 1, &one));
    assert_eq!(scene.state(1), "pending");
    assert!(!scene.world.due_path("t", &crate::world::turn(1)).exists());
    watch.wait_for("pushed", 1);
    assert_eq!(scene.tip("b1"), one);
}

#[test]
fn an_enqueue_or_retry_killed_before_its_due_entry_is_found_at_a_wake_and_by_doctor_and_once() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let watch = Watch::ready(&scene, &[]);
    killed_before_its_due_entry(&scene, &["enqueue"], &push_of(&scene, 1, &one));
    let doctor = scene.run(&["doctor"]);
    let text = String::from_utf8(doctor.stdout).unwrap();
    assert!(text.contains("has no due entry"), "{text}");
    assert!(scene.run(&["wake"]).status.success());
    watch.wait_for("pushed", 1);

    scene.hook("pre-receive", "exit 1");
    scene.enqueue("main", 2, &one);
    watch.wait_for("retrying", 1);
    drop(watch);
    scene.no_hook("pre-receive");
    let path = scene.world.intent_path("p", "t", &crate::world::turn(2));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"retrying\"", "\"failed\"")).unwrap();
    std::fs::remove_file(scene.world.due_path("t", &crate::world::turn(2))).unwrap();
    let watch = Watch::ready(&scene, &[]);
    killed_before_its_due_entry(&scene, &["retry", "--task", "t"], "");
    assert_eq!(scene.state(2), "retrying");
    assert!(scene.run(&["wake"]).status.success());
    watch.wait_for("pushed", 1);
    drop(watch);

    killed_before_its_due_entry(&scene, &["enqueue"], &push_of(&scene, 3, &one));
    assert_eq!(scene.once()["pump"]["delivered"], 1);
    let left = std::fs::read_dir(scene.world.root.join("locks/outbox-due")).unwrap();
    assert_eq!(left.count(), 0, "nothing is left of any of them");
}
