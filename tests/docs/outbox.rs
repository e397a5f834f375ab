//! What the outbox's commands print, and what they leave on the disk, fits the schemas.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use crate::common::{amiss, answer};
use crate::validator::faults;

const TURN: &str = "0123456789abcdef0123456789abcdef";
const DAY: u64 = 86_400_000;

/// A host root with one mirror and a bare origin, and everything that was printed about it.
struct Host {
    folder: tempfile::TempDir,
    schemas: Map<String, Value>,
}

impl Host {
    fn new() -> Host {
        let folder = tempfile::tempdir().unwrap();
        let host = Host {
            folder,
            schemas: answer(&crate::common::run(&["schema"], ""))
                .as_object()
                .unwrap()
                .clone(),
        };
        std::fs::create_dir_all(host.root().join("mirrors")).unwrap();
        std::fs::create_dir(host.path().join("home")).unwrap();
        std::fs::set_permissions(host.root(), PermissionsExt::from_mode(0o700)).unwrap();
        for place in [host.mirror(), host.path().join("origin.git")] {
            Host::git(&["init", "-q", "--bare", place.to_str().unwrap()]);
        }
        host
    }

    fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn root(&self) -> PathBuf {
        self.path().join("host")
    }

    fn mirror(&self) -> PathBuf {
        self.root().join("mirrors/web.git")
    }

    fn git(arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "a")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "a@b.test")))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A new commit in the mirror.
    fn commit(&self) -> String {
        let mirror = self.mirror();
        let inside = |words: &[&str]| {
            let mut all = vec!["--git-dir", mirror.to_str().unwrap()];
            all.extend(words);
            Host::git(&all)
        };
        let tree = inside(&["mktree"]);
        inside(&["commit-tree", "-m", "one", &tree])
    }

    /// The value fits the schema of this name.
    fn fits(&self, name: &str, value: &Value) {
        let schema = &self.schemas[name];
        assert_eq!(
            faults(schema, value),
            Vec::<String>::new(),
            "{name}: {value}"
        );
        // A schema that takes anything proves nothing.
        assert_ne!(faults(schema, &json!([1])), Vec::<String>::new(), "{name}");
    }

    /// What `amiss outbox …` prints fits the schema; its answer.
    fn prints(&self, name: &str, arguments: &[&str]) -> Value {
        self.prints_of(name, arguments, "")
    }

    fn prints_of(&self, name: &str, arguments: &[&str], input: &str) -> Value {
        let mut all = vec!["outbox"];
        all.extend(arguments);
        let root = self.root();
        all.extend(["--host-root", root.to_str().unwrap()]);
        let output = amiss(&all)
            .env("HOME", self.path().join("home"))
            .write_stdin(input)
            .output()
            .unwrap();
        let value = answer(&output);
        self.fits(name, &value);
        value
    }

    fn enqueue(&self, turn: &str, origin: &Path) {
        let push = json!({"push": {"project": "web", "task": "t1", "turn": turn,
            "origin": format!("file://{}", origin.display()), "branch": "main",
            "oid": self.commit()}});
        let value = self.prints_of("envelope", &["enqueue"], &push.to_string());
        assert!(value["error"].is_null(), "{value}");
        self.fits("origin-delivery", &value["origin_delivery"]);
    }

    /// A record of the host root.
    fn record(&self, name: &str, path: &str) {
        let bytes = std::fs::read(self.root().join(path)).unwrap_or_else(|_| panic!("no {path}"));
        self.fits(name, &serde_json::from_slice(&bytes).unwrap());
    }
}

#[test]
fn what_the_outbox_commands_print_and_leave_fits_the_schemas() {
    let host = Host::new();
    let origin = host.path().join("origin.git");
    let mirror = host.mirror();
    host.prints(
        "outbox-baseline",
        &["baseline", "--mirror", mirror.to_str().unwrap()],
    );
    host.record("object-sync", "mirrors/web.git/mw-object-sync.json");
    host.prints("outbox-status", &["status"]);
    host.enqueue(TURN, &origin);
    host.record(
        "outbox-intent",
        &format!("tasks/web/t1/delivery/{TURN}.json"),
    );
    host.record("outbox-due", &format!("locks/outbox-due/t1-{TURN}.json"));
    host.prints("outbox-close", &["close", "--task", "t1"]);
    let once = host.prints("outbox-once", &["once"]);
    assert_eq!(once["pump"]["delivered"], 1);
    let ledger = std::fs::read_dir(host.root().join("locks"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .find(|name| name.starts_with("outbox-target-") && name.contains(".json"))
        .unwrap();
    host.record("outbox-target", &format!("locks/{ledger}"));

    // One that fails, and one that nobody can read.
    let other = "f".repeat(32);
    host.enqueue(&other, Path::new("/nowhere/at/all.git"));
    let failed = host.prints("outbox-once", &["once", "--fail-on", "retrying"]);
    assert_eq!(failed["error"]["code"], "TASK_BUSY");
    let retried = host.prints("outbox-retry", &["retry", "--task", "t1"]);
    assert_eq!(retried["deliveries"][0]["state"], "retrying");
    let unreadable = host
        .root()
        .join(format!("tasks/web/t1/delivery/{}.json", "e".repeat(32)));
    std::fs::write(unreadable, "{").unwrap();
    let status = host.prints("outbox-status", &["status", "--verbose"]);
    assert_eq!(status["deliveries"].as_array().unwrap().len(), 3);
    let examined = host.prints("outbox-doctor", &["doctor"]);
    assert_eq!(examined["error"]["code"], "ROOT_CORRUPT");

    let mark = host.prints("outbox-mark", &["enable"]);
    assert_eq!(mark["enabled"], true);
    host.record("outbox-enabled", "locks/outbox-enabled.json");
    host.prints("outbox-mark", &["disable"]);
    let home = host.path().join("home");
    for more in [&[][..], &["--systemd"]] {
        let mut words = vec!["write-agent", home.to_str().unwrap()];
        words.extend(more);
        host.prints("outbox-agent", &words);
    }
    let later = (now_millis() + u128::from(8 * DAY)).to_string();
    let collected = host.prints("outbox-gc", &["gc", "--now-unix-millis", &later]);
    assert!(!collected["gc"]["removed"].as_array().unwrap().is_empty());
    host.record(
        "outbox-ended",
        &format!("tasks/web/t1/delivery/{TURN}.ended"),
    );
}

fn now_millis() -> u128 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap().as_millis()
}

#[test]
fn every_line_of_a_watcher_and_the_answer_of_wake_fit_the_schemas() {
    let host = Host::new();
    let mut watch = Command::new(env!("CARGO_BIN_EXE_amiss"))
        .args(["outbox", "watch", "--host-root"])
        .arg(host.root())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", host.path().join("home"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let mut seen = Vec::new();
    let mut until = |kind: &str| {
        loop {
            let line = lines.next().expect("the watcher ended").unwrap();
            let event: Value = serde_json::from_str(&line).unwrap();
            host.fits("outbox-event", &event);
            let word = event["event"].as_str().unwrap().to_owned();
            seen.push(word.clone());
            if word == kind {
                return;
            }
        }
    };
    until("ready");
    host.record("outbox-worker", "locks/outbox-worker.json");
    let wake = host.prints("outbox-wake", &["wake"]);
    assert_eq!(wake["wake"], "running");
    let running = host.prints("outbox-status", &["status"]);
    assert_eq!(running["watcher"]["state"], "running");
    host.enqueue(TURN, &host.path().join("origin.git"));
    until("pushed");
    host.enqueue(&"f".repeat(32), Path::new("/nowhere/at/all.git"));
    until("retrying");
    let pid = rustix::process::Pid::from_child(&watch);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    until("stopped");
    assert!(watch.wait().unwrap().success());
    assert!(seen.iter().any(|word| word == "idle"), "{seen:?}");
}
