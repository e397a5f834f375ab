//! A repository with a target and a candidate, and envelopes about it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A repository in one of the two object formats.
pub struct Repository {
    pub path: PathBuf,
    pub format: &'static str,
}

impl Repository {
    pub fn new(path: PathBuf, format: &'static str) -> Repository {
        std::fs::create_dir_all(&path).unwrap();
        let repository = Repository { path, format };
        repository.git(&[
            "init",
            "--quiet",
            "--initial-branch=main",
            &format!("--object-format={format}"),
        ]);
        repository
    }

    /// Runs Git with a fixed identity and none of the machine's configuration.
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.try_git(arguments);
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub fn try_git(&self, arguments: &[&str]) -> Output {
        Command::new("git")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "a")
            .env("GIT_AUTHOR_EMAIL", "a@example.test")
            .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
            .env("GIT_COMMITTER_NAME", "a")
            .env("GIT_COMMITTER_EMAIL", "a@example.test")
            .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
            .arg("-C")
            .arg(&self.path)
            .args(arguments)
            .output()
            .unwrap()
    }

    /// Commits one file on the branch that is checked out.
    pub fn commit(&self, name: &str, content: &str) -> String {
        std::fs::write(self.path.join(name), content).unwrap();
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "-m", name]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn tree(&self, commit: &str) -> String {
        self.git(&["rev-parse", &format!("{commit}^{{tree}}")])
    }
}

/// `main` with one commit, `topic` with one more.
pub struct Scene {
    pub dir: TempDir,
    pub repository: Repository,
    pub base: String,
    pub candidate: String,
}

impl Scene {
    pub fn new() -> Scene {
        Scene::of("sha1")
    }

    pub fn of(format: &'static str) -> Scene {
        let dir = TempDir::new().unwrap();
        let repository = Repository::new(dir.path().join("repository"), format);
        let base = repository.commit("base.txt", "base");
        repository.git(&["checkout", "--quiet", "-b", "topic"]);
        let candidate = repository.commit("topic.txt", "topic");
        repository.git(&["checkout", "--quiet", "main"]);
        Scene {
            dir,
            repository,
            base,
            candidate,
        }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A delivery about the candidate.
    pub fn delivery(&self) -> Value {
        let provider = json!({"namespace": "gitea", "instance": "forge.example.test"});
        json!({
            "identity": {"provider": provider, "integration": "installation-7", "delivery": "delivery-9"},
            "change": {
                "provider": provider,
                "repository": {"host": "forge.example.test", "owner": "o", "name": "n"},
                "change": "7"
            },
            "provider_run": {
                "run_id": "run-1", "attempt": 1,
                "object_format": self.repository.format, "candidate_commit": self.candidate
            },
            "replay": {"retention": "permanent"}
        })
    }

    /// An envelope with a delivery and a lease that no ledger gave.
    pub fn envelope(&self) -> Value {
        let digest = format!("sha256:{}", "1".repeat(64));
        json!({
            "schema": "amiss/envelope/v1",
            "mine": {"kept": 1.50},
            "delivery": self.delivery(),
            "lease": {
                "evaluation_id": "evaluation-1",
                "check": {
                    "plan_digest": digest, "required_status_name": "amiss",
                    "execution_constraint_digest": digest
                },
                "fence": 1,
                "owner": "0".repeat(32),
                "expires_at_unix_millis": 9_000_000_000_000_i64
            }
        })
    }
}
