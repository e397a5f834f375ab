//! The real pump stopped before and after everything that it does to the disk and with Git, and
//! taken up again: the delivery is made exactly once, or is still there to be made (page 5.4).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::scene::Scene;
use crate::world::turn;

/// The calls that change names; between two of them nothing changes that a killed process leaves.
const CALLS: [&str; 5] = ["mkdirat", "openat", "renameat", "unlinkat", "flock"];

/// A scene with one delivery to push, and a log of what really changed at the origin.
struct Case {
    scene: Scene,
    oid: String,
    updates: PathBuf,
}

impl Case {
    fn new() -> Case {
        let scene = Scene::new();
        let oid = scene.commit("one", None);
        let updates = scene.world.beside("updates");
        scene.hook("post-receive", &format!("cat >> {}", updates.display()));
        scene.enqueue("main", 1, &oid);
        Case {
            scene,
            oid,
            updates,
        }
    }

    fn updates(&self) -> usize {
        let text = std::fs::read_to_string(&self.updates).unwrap_or_default();
        text.lines().count()
    }

    /// Runs `once` under `strace`, which does `what` to the calls that go through the directory
    /// `place`. Whether it was killed.
    fn disturbed(&self, call: &str, what: &str, place: &Path) -> bool {
        self.disturbed_command(&["once"], call, what, place)
    }

    fn disturbed_command(&self, arguments: &[&str], call: &str, what: &str, place: &Path) -> bool {
        let output = Command::new("strace")
            .args(["-f", "-qq", "-o", "/dev/null", "-P"])
            .arg(place)
            .args([
                "-e",
                &format!("trace={call}"),
                "-e",
                &format!("inject={call}:{what}"),
            ])
            .arg(env!("CARGO_BIN_EXE_amiss"))
            .arg("outbox")
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.scene.home)
            .env("AMISS_HOST_ROOT", &self.scene.world.root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        output.code().is_none_or(|code| code == 137)
    }

    /// What must hold after any stop, and what the next cycle makes of it.
    fn take_up(&self, point: &str) {
        let state = self.scene.state(1);
        assert!(
            state == "pending" || state == "delivered",
            "{point}: {state}"
        );
        if state == "delivered" {
            assert_eq!(
                self.scene.tip("main"),
                self.oid,
                "{point}: delivered and not there"
            );
        }
        self.scene.once();
        assert_eq!(self.scene.state(1), "delivered", "{point}");
        assert_eq!(
            self.scene.intent(1)["attempt"],
            1,
            "{point}: a stop costs no attempt"
        );
        assert_eq!(self.updates(), 1, "{point}: made exactly once");
        assert_eq!(
            self.scene.ledgers()[0]["last_oid"],
            self.oid.as_str(),
            "{point}"
        );
        assert_eq!(self.scene.ledgers()[0]["generation"], 1, "{point}");
        assert!(
            !self.scene.world.due_path("t", &turn(1)).exists(),
            "{point}"
        );
        let locks = std::fs::read_dir(self.scene.world.root.join("locks")).unwrap();
        for entry in locks {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(!name.contains("git-access"), "{point}: {name} stays");
        }
    }
}

/// Stops the pump at each call that goes through `place`, one after the other.
fn stop_at_each(place: impl Fn(&Scene) -> PathBuf) {
    let mut points = 0;
    for call in CALLS {
        for number in 1.. {
            let case = Case::new();
            let killed = case.disturbed(
                call,
                &format!("signal=KILL:when={number}"),
                &place(&case.scene),
            );
            case.take_up(&format!("{call} {number}"));
            if !killed {
                break;
            }
            points += 1;
            let errors = ["EIO", "ENOSPC", "EINTR"];
            let long = crate::common::figures::is_long();
            for (index, errno) in errors.iter().enumerate() {
                // The short form of the test lets each call fail in one way.
                if long || index == number % errors.len() {
                    let case = Case::new();
                    let what = format!("error={errno}:when={number}");
                    case.disturbed(call, &what, &place(&case.scene));
                    case.fails_softly(&format!("{call} {number} {errno}"));
                }
            }
        }
    }
    crate::common::figures::tell(&format!("stopped at {points} points"));
    assert!(points > 0, "nothing was stopped");
}

impl Case {
    /// After a failed call: nothing is lost, and the next cycles bring it there.
    fn fails_softly(&self, point: &str) {
        for _ in 0..3 {
            if self.scene.state(1) == "retrying" {
                self.scene.make_due(1);
            }
            self.scene.once();
        }
        assert_eq!(self.scene.state(1), "delivered", "{point}");
        assert_eq!(self.updates(), 1, "{point}");
    }
}

#[test]
fn a_pump_stopped_at_any_change_of_an_intent_makes_the_delivery_exactly_once() {
    stop_at_each(|scene| scene.world.root.join("tasks/p/t/delivery"));
}

#[test]
fn a_pump_stopped_at_any_change_of_locks_and_ledgers_makes_the_delivery_exactly_once() {
    stop_at_each(|scene| scene.world.root.join("locks"));
}

#[test]
fn a_pump_stopped_at_any_change_of_the_due_registry_makes_the_delivery_exactly_once() {
    stop_at_each(|scene| scene.world.root.join("locks/outbox-due"));
}

/// A `git` that, at its `number`th call, kills the pump that it works for: before or after the real
/// one ran. Between the two may stand a warden.
fn deadly_git(scene: &Scene, number: usize, after: bool) -> String {
    let folder = scene.world.beside(&format!("deadly-{number}-{after}"));
    std::fs::create_dir_all(&folder).unwrap();
    let path = std::env::var("PATH").unwrap();
    let (count, mark) = (folder.join("count"), folder.join("mark"));
    let work = if after { "git \"$@\"; " } else { "" };
    let script = format!(
        "#!/bin/sh\nPATH='{path}'\necho x >> {0}\nif [ $(wc -l < {0}) -eq {number} ]; then touch {1}; \
         pump=$PPID; if grep -q internal-warden /proc/$pump/cmdline; then \
         pump=$(cut -d' ' -f4 /proc/$pump/stat); fi; \
         {work}kill -9 $pump; exit 1; fi\nexec git \"$@\"\n",
        count.display(),
        mark.display()
    );
    std::fs::write(folder.join("git"), script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.join("git"), mode).unwrap();
    format!("{}:{path}", folder.display())
}

#[test]
fn a_pump_stopped_before_or_after_any_git_call_makes_the_delivery_exactly_once() {
    for after in [false, true] {
        for number in 1.. {
            let case = Case::new();
            let path = deadly_git(&case.scene, number, after);
            let output = case
                .scene
                .command(&["once"])
                .env("PATH", &path)
                .output()
                .unwrap();
            let killed = output.status.code().is_none();
            let mark = case
                .scene
                .world
                .beside(&format!("deadly-{number}-{after}/mark"));
            assert_eq!(killed, mark.exists(), "{output:?}");
            case.take_up(&format!("git {number}, after: {after}"));
            if !killed {
                assert!(number > 2, "the configuration and the push are calls");
                break;
            }
        }
    }
}

#[test]
fn a_failed_push_stopped_at_any_change_of_its_intent_is_still_there_to_be_made() {
    for number in 1.. {
        let case = Case::new();
        case.scene.hook("pre-receive", "exit 1");
        let place = case.scene.world.root.join("tasks/p/t/delivery");
        let killed = case.disturbed("renameat", &format!("signal=KILL:when={number}"), &place);
        let intent = case.scene.intent(1);
        let attempt = intent["attempt"].as_u64().unwrap();
        assert!((1..=2).contains(&attempt), "{number}: {intent}");
        case.scene.no_hook("pre-receive");
        case.scene.once();
        case.scene.make_due(1);
        case.fails_softly(&format!("renameat {number}"));
        if !killed {
            break;
        }
    }
}

#[test]
fn a_retry_stopped_at_any_change_leaves_the_delivery_failed_or_due_and_can_be_given_again() {
    for place in ["tasks/p/t/delivery", "locks/outbox-due"] {
        for call in CALLS {
            for number in 1.. {
                let case = failed_case();
                let folder = case.scene.world.root.join(place);
                let what = format!("signal=KILL:when={number}");
                let killed =
                    case.disturbed_command(&["retry", "--task", "t"], call, &what, &folder);
                let state = case.scene.state(1);
                assert!(
                    state == "failed" || state == "retrying",
                    "{call} {number}: {state}"
                );
                let again = case.scene.run(&["retry", "--task", "t"]);
                assert!(again.status.success(), "{call} {number}: {again:?}");
                assert_eq!(case.scene.intent(1)["attempt"], 0, "{call} {number}");
                case.scene.once();
                assert_eq!(case.scene.state(1), "delivered", "{call} {number}");
                assert_eq!(case.updates(), 1);
                if !killed {
                    break;
                }
            }
        }
    }
}

/// A delivery whose twelve pushes failed, at an origin that would take it by now.
fn failed_case() -> Case {
    let case = Case::new();
    case.scene.hook("pre-receive", "exit 1");
    case.scene.once();
    case.scene.no_hook("pre-receive");
    let path = case.scene.world.intent_path("p", "t", &turn(1));
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text
        .replace("\"retrying\"", "\"failed\"")
        .replace("\"attempt\":2", "\"attempt\":12");
    std::fs::write(path, text).unwrap();
    std::fs::remove_file(case.scene.world.due_path("t", &turn(1))).unwrap();
    case
}

/// The processes that still run of those whose ids a hook wrote down.
fn running(pids: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(pids).unwrap_or_default();
    let runs = |pid: &&str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit(") ").next().unwrap_or_default().chars().next();
        !matches!(state, None | Some('Z'))
    };
    text.lines().filter(runs).map(str::to_owned).collect()
}

/// An origin whose hook waits until `go` is there, and writes down its own id, that of a child which
/// left its session, and that of the Git that pushes.
fn hanging(case: &Case, pids: &Path, go: &Path) {
    case.scene.hook(
        "pre-receive",
        &format!(
            "echo $PPID >> {0}; setsid sleep 300 & echo $! >> {0}; echo $$ >> {0}; \
             while [ ! -e {1} ]; do sleep 0.02; done",
            pids.display(),
            go.display()
        ),
    );
}

fn lines(file: &Path) -> usize {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().count()
}

#[test]
fn a_killed_watcher_or_once_leaves_nothing_of_its_push_behind() {
    for watch in [true, false] {
        let case = Case::new();
        let (pids, go) = (
            case.scene.world.beside("pids"),
            case.scene.world.beside("go"),
        );
        hanging(&case, &pids, &go);
        let mut pump = if watch {
            crate::process::Watch::ready(&case.scene, &[])
        } else {
            let mut command = Command::new(env!("CARGO_BIN_EXE_amiss"));
            command.args(["outbox", "once"]);
            crate::process::Watch::spawn(&case.scene, command)
        };
        crate::process::until("the push is in flight", || lines(&pids) == 3);
        assert_eq!(running(&pids).len(), 3, "the hook, its child, receive-pack");
        pump.child.kill().unwrap();
        pump.wait();
        crate::process::until("nothing of the push is left", || running(&pids).is_empty());
        let root = case.scene.world.root.display().to_string();
        crate::process::until("no process names the root any more", || {
            processes_naming(&root).is_empty()
        });
        case.scene.no_hook("pre-receive");
        case.take_up("killed in a push");
    }
}

/// The processes whose arguments name a path.
fn processes_naming(path: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap() {
        let line = std::fs::read(entry.unwrap().path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(path) {
            found.push(line);
        }
    }
    found
}

#[test]
fn a_killed_warden_costs_one_attempt_and_leaves_nothing_of_its_push() {
    let case = Case::new();
    let (pids, go) = (
        case.scene.world.beside("pids"),
        case.scene.world.beside("go"),
    );
    hanging(&case, &pids, &go);
    let watch = crate::process::Watch::ready(&case.scene, &[]);
    crate::process::until("the push is in flight", || lines(&pids) == 3);
    let wardens = children_of(watch.child.id());
    assert_eq!(wardens.len(), 1, "{wardens:?}");
    case.scene.no_hook("pre-receive");
    crate::process::signal(wardens[0], rustix::process::Signal::KILL);
    watch.wait_for("retrying", 1);
    watch.wait_for("pushed", 1);
    assert_eq!(case.scene.tip("main"), case.oid);
    assert_eq!(case.updates(), 1);
    // What left the session of the push is found by nobody but its warden.
    for pid in running(&pids) {
        crate::process::signal(pid.parse().unwrap(), rustix::process::Signal::KILL);
    }
}

fn children_of(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for task in std::fs::read_dir(format!("/proc/{pid}/task")).unwrap() {
        let list = std::fs::read_to_string(task.unwrap().path().join("children"));
        let list = list.unwrap_or_default();
        found.extend(
            list.split_whitespace()
                .map(|word| word.parse::<u32>().unwrap()),
        );
    }
    found
}
