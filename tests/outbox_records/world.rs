//! A host root with real mirrors, in a directory of its own.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

pub struct World {
    _directory: tempfile::TempDir,
    pub root: PathBuf,
}

/// Git as a person would run it, without the caller's setup.
pub fn git(place: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "a")
        .env("GIT_AUTHOR_EMAIL", "a@example.test")
        .env("GIT_COMMITTER_NAME", "a")
        .env("GIT_COMMITTER_EMAIL", "a@example.test")
        // The same commit is the same object, however long a test takes.
        .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        .arg("-C")
        .arg(place)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// A Git command with an input, which must succeed.
pub fn git_input(place: &Path, arguments: &[&str], input: &str) {
    let mut child = Command::new("git")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .arg("-C")
        .arg(place)
        .args(arguments)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

/// The one line that a Git command prints.
pub fn git_line(place: &Path, arguments: &[&str]) -> String {
    let output = git(place, arguments);
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A turn that is told apart by a small number.
pub fn turn(number: u64) -> String {
    format!("{number:032x}")
}

impl World {
    pub fn new() -> World {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap().join("host");
        std::fs::create_dir(&root).unwrap();
        std::fs::set_permissions(&root, PermissionsExt::from_mode(0o700)).unwrap();
        std::fs::create_dir(root.join("mirrors")).unwrap();
        World {
            _directory: directory,
            root,
        }
    }

    /// Beside the root, for mirrors elsewhere and origins.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.root.parent().unwrap().join(name)
    }

    /// A mirror of these formats.
    pub fn mirror_as(&self, project: &str, objects: &str, refs: &str) -> PathBuf {
        let path = self.root.join("mirrors").join(format!("{project}.git"));
        init(&path, objects, refs);
        path
    }

    pub fn mirror(&self, project: &str) -> PathBuf {
        self.mirror_as(project, "sha1", "files")
    }

    /// Runs `amiss outbox …` on this root.
    pub fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut all = vec!["outbox"];
        all.extend(arguments);
        all.extend(["--host-root", self.root.to_str().unwrap()]);
        crate::common::run(&all, input)
    }

    pub fn enqueue(&self, push: &Value) -> Output {
        self.run(&["enqueue"], &json!({ "push": push }).to_string())
    }

    pub fn intent_path(&self, project: &str, task: &str, turn: &str) -> PathBuf {
        self.root
            .join("tasks")
            .join(project)
            .join(task)
            .join("delivery")
            .join(format!("{turn}.json"))
    }

    pub fn due_path(&self, task: &str, turn: &str) -> PathBuf {
        self.root
            .join("locks/outbox-due")
            .join(format!("{task}-{turn}.json"))
    }

    /// Writes an intent (its members changed by `change`) as another program would have.
    pub fn change_intent(&self, push: &Value, change: impl FnOnce(&mut String)) {
        let text = |name: &str| push[name].as_str().unwrap().to_owned();
        let path = self.intent_path(&text("project"), &text("task"), &text("turn"));
        let mut content = std::fs::read_to_string(&path).unwrap();
        change(&mut content);
        std::fs::write(&path, content).unwrap();
    }

    /// Gives an enqueued delivery another state, as a pump would have, with its due entry.
    pub fn settle(&self, push: &Value, state: &str, attempt: u32, updated: u64) {
        self.change_intent(push, |text| {
            let created = text.split(r#""created_at_millis":"#).nth(1).unwrap();
            let created = created.split(',').next().unwrap().to_owned();
            let head = text.split(r#","state""#).next().unwrap().to_owned();
            let tail = text.find(r#","mirror""#).map_or("}", |at| &text[at..]);
            let error = if state == "delivered" { "null" } else { "\"ORIGIN_UNREACHABLE\"" };
            *text = format!(
                r#"{head},"state":"{state}","attempt":{attempt},"next_attempt_at_millis":0,"last_error":{error},"superseded_by":null,"created_at_millis":{created},"updated_at_millis":{updated}{tail}"#
            );
        });
        if matches!(state, "delivered" | "failed") {
            let text = |name: &str| push[name].as_str().unwrap().to_owned();
            std::fs::remove_file(self.due_path(&text("task"), &text("turn"))).unwrap();
        }
    }

    /// The one JSON answer of a command that ends with status 0.
    pub fn good(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments, "");
        assert_eq!(
            crate::common::status(&output),
            0,
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
        crate::common::answer(&output)
    }

    /// Every regular file of the root outside `mirrors`, by its path from the root.
    pub fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut waiting = vec![self.root.clone()];
        while let Some(path) = waiting.pop() {
            for entry in std::fs::read_dir(&path).unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_dir() {
                    if entry.file_name() != "mirrors" {
                        waiting.push(entry.path());
                    }
                } else {
                    let name = entry.path();
                    files.push(name.strip_prefix(&self.root).unwrap().display().to_string());
                }
            }
        }
        files.sort();
        files
    }
}

pub fn init(path: &Path, objects: &str, refs: &str) {
    std::fs::create_dir_all(path).unwrap();
    git_line(
        path,
        &[
            "init",
            "--quiet",
            "--bare",
            &format!("--object-format={objects}"),
            &format!("--ref-format={refs}"),
        ],
    );
}

/// A new commit in a mirror, named by no ref.
pub fn commit(mirror: &Path, message: &str) -> String {
    let tree = git_line(mirror, &["mktree"]);
    git_line(mirror, &["commit-tree", "-m", message, &tree])
}

/// A push of this commit.
pub fn push(project: &str, task: &str, turn: &str, oid: &str) -> Value {
    json!({
        "project": project, "task": task, "turn": turn,
        "origin": "file:///srv/origin.git", "branch": "main", "oid": oid,
    })
}

/// What the pin of a delivery names, or an empty text.
pub fn pinned(mirror: &Path, task: &str, turn: &str) -> String {
    let name = format!("refs/mac-worker/delivery/{task}/{turn}");
    let output = git(mirror, &["rev-parse", "--verify", "--quiet", &name]);
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
