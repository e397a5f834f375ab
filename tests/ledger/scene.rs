//! A root in a temporary directory, and envelopes to work on it with.
#![allow(dead_code, reason = "each module uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{answer, run, status};

/// When every scene starts.
pub const NOW: i64 = 1_800_000_000_000;
/// The lease of a scene's root, in milliseconds.
pub const LEASE: i64 = 120_000;

/// A prepared root with a check binding beside it.
pub struct Scene {
    pub folder: TempDir,
}

impl Scene {
    /// A root of this cap.
    pub fn new(max_records: u64) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let scene = Scene { folder };
        std::fs::create_dir(scene.root()).unwrap();
        std::fs::write(scene.check_file(), check().to_string()).unwrap();
        let output = scene.init(max_records, NOW);
        assert_eq!(status(&output), 0, "{output:?}");
        scene
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub fn check_file(&self) -> PathBuf {
        self.folder.path().join("check.json")
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub fn init(&self, max_records: u64, now: i64) -> Output {
        let cap = max_records.to_string();
        self.at(
            now,
            &[
                "init",
                "--lease-ms",
                "120000",
                "--max-records",
                &cap,
                "--max-signed-age-ms",
                "300000",
                "--max-queue-age-ms",
                "60000",
            ],
            "",
        )
    }

    /// `amiss ledger …` on this root at this time.
    pub fn at(&self, now: i64, arguments: &[&str], input: &str) -> Output {
        let now = now.to_string();
        let root = self.root();
        let mut all = vec!["ledger"];
        all.extend_from_slice(arguments);
        all.extend_from_slice(&["--root", path(&root), "--now-unix-millis", &now]);
        run(&all, input)
    }

    /// `amiss ledger …` on this root, for commands that know no time.
    pub fn plain(&self, arguments: &[&str], input: &str) -> Output {
        let root = self.root();
        let mut all = vec!["ledger"];
        all.extend_from_slice(arguments);
        all.extend_from_slice(&["--root", path(&root)]);
        run(&all, input)
    }

    pub fn claim(&self, now: i64, envelope: &Value) -> Output {
        let check = self.check_file();
        self.at(
            now,
            &["claim", "--check", path(&check)],
            &envelope.to_string(),
        )
    }

    pub fn step(&self, now: i64, command: &str, envelope: &Value) -> Output {
        self.at(now, &[command], &envelope.to_string())
    }

    /// A claimed envelope that is ready to be staged, with a report of these bytes.
    pub fn ready(&self, claimed: &Value, report: &[u8]) -> Value {
        let file = self.folder.path().join("report.json");
        std::fs::write(&file, report).unwrap();
        let mut envelope = claimed.clone();
        envelope["run"] = run_facts();
        envelope["recheck"] = run_facts();
        envelope["outcome"] = json!({
            "result": "complete",
            "evaluation": "pass",
            "report": {
                "path": path(&file),
                "sha256": sha256(report),
                "bytes": report.len(),
            },
        });
        envelope
    }

    /// Every entry of the root with its bytes, locks left aside.
    pub fn content(&self) -> Vec<(String, Vec<u8>)> {
        content(&self.root())
    }
}

/// Every entry of a folder with its bytes, locks left aside.
pub fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut list: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_none_or(|end| end != "lock"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(&path).unwrap_or_default())
        })
        .collect();
    list.sort();
    list
}

pub fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub fn sha256(bytes: &[u8]) -> String {
    amiss::delivery::digest::Sha256Hex::of(bytes).to_string()
}

/// A permanent delivery of this id.
pub fn envelope(id: &str) -> Value {
    json!({"schema": "amiss/envelope/v1", "delivery": delivery(id, &json!({"retention": "permanent"}))})
}

/// A delivery that is remembered through this time.
pub fn bounded(id: &str, end: i64) -> Value {
    let replay = json!({
        "retention": "keep-through",
        "unix_millis": end,
        "window": {"max_signed_age_millis": 300_000, "max_queue_age_millis": 60_000},
    });
    json!({"schema": "amiss/envelope/v1", "delivery": delivery(id, &replay)})
}

fn delivery(id: &str, replay: &Value) -> Value {
    let provider = json!({"namespace": "gitea", "instance": "forge.example.test"});
    json!({
        "identity": {"provider": provider, "integration": "installation-7", "delivery": id},
        "change": {
            "provider": provider,
            "repository": {"host": "forge.example.test", "owner": "owner", "name": "amiss"},
            "change": "42",
        },
        "provider_run": {
            "run_id": "run-1",
            "attempt": 1,
            "object_format": "sha1",
            "candidate_commit": "b".repeat(40),
        },
        "replay": replay,
    })
}

pub fn check() -> Value {
    json!({
        "plan_digest": format!("sha256:{}", "1".repeat(64)),
        "required_status_name": "amiss",
        "execution_constraint_digest": format!("sha256:{}", "2".repeat(64)),
    })
}

pub fn run_facts() -> Value {
    json!({
        "state": "active",
        "gate_commit": "a".repeat(40),
        "refs": {
            "forge": "gitea",
            "candidate": "refs/heads/topic",
            "target": "refs/heads/main",
            "default_branch": "refs/heads/main",
        },
        "commits": {"base": "a".repeat(40), "candidate": "b".repeat(40)},
        "trees": {"base": "c".repeat(40), "candidate": "d".repeat(40)},
    })
}

/// The answer of a step that must succeed.
pub fn good(output: &Output) -> Value {
    assert_eq!(
        status(output),
        0,
        "{} {}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    answer(output)
}
