//! One delivery through the real pipeline, up to the claimed and refreshed envelope.

use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};

use crate::common;
use crate::scene::{Repository, Scene};

/// A scene with an action repository, a plan, a record root and a scratch directory.
pub struct Flow {
    pub scene: Scene,
    pub action: Repository,
    pub plan: PathBuf,
    pub root: PathBuf,
    pub scratch: PathBuf,
    pub marks: PathBuf,
}

/// The fixture bootstrap of this name.
pub fn bootstrap(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/bootstrap")
        .join(name)
}

pub fn sha256(bytes: &[u8]) -> String {
    amiss::delivery::digest::Sha256Hex::of(bytes)
        .as_str()
        .to_owned()
}

impl Flow {
    /// With the bootstrap `name`, and `controls` for it.
    pub fn new(name: &str, controls: &Value) -> Flow {
        Flow::timed(name, controls, 60_000, 60_000)
    }

    /// `misbehave` in one way.
    pub fn way(way: &str) -> Flow {
        Flow::way_timed(way, 60_000, 60_000)
    }

    pub fn way_timed(way: &str, wall_millis: u64, lease_millis: u64) -> Flow {
        let flow = Flow::timed("misbehave", &json!({"way": way}), wall_millis, lease_millis);
        let marks = flow.marks.to_str().unwrap();
        flow.rewrite(|plan| plan["controls"]["marks"] = json!(marks));
        flow
    }

    pub fn timed(name: &str, controls: &Value, wall_millis: u64, lease_millis: u64) -> Flow {
        Flow::of(Scene::new(), name, controls, wall_millis, lease_millis)
    }

    pub fn of(
        scene: Scene,
        name: &str,
        controls: &Value,
        wall_millis: u64,
        lease_millis: u64,
    ) -> Flow {
        let action = Repository::new(scene.path().join("action"), "sha1");
        let commit = action.commit("action.yml", "runs");
        let path = bootstrap(name);
        let bytes = std::fs::read(&path).unwrap();
        let plan = json!({
            "schema": "amiss/plan/v1",
            "required_status_name": "amiss",
            "execution": {
                "bootstrap": path,
                "bootstrap_sha256": sha256(&bytes),
                "wall_timeout_millis": wall_millis,
                "action": {"commit": commit, "tree": action.tree(&commit)}
            },
            "controls": controls
        });
        let flow = Flow {
            action,
            plan: scene.path().join("plan.json"),
            root: scene.path().join("root"),
            scratch: scene.path().join("scratch"),
            marks: scene.path().join("marks"),
            scene,
        };
        std::fs::write(&flow.plan, plan.to_string()).unwrap();
        for directory in [&flow.root, &flow.scratch, &flow.marks] {
            std::fs::create_dir(directory).unwrap();
        }
        let lease = lease_millis.to_string();
        Flow::done(
            &[
                "ledger",
                "init",
                "--root",
                flow.root.to_str().unwrap(),
                "--lease-ms",
                &lease,
                "--max-records",
                "100",
                "--max-signed-age-ms",
                "300000",
                "--max-queue-age-ms",
                "300000",
            ],
            "",
        );
        flow
    }

    /// Changes the plan file.
    pub fn rewrite(&self, change: impl FnOnce(&mut Value)) {
        let mut plan: Value = serde_json::from_slice(&std::fs::read(&self.plan).unwrap()).unwrap();
        change(&mut plan);
        std::fs::write(&self.plan, plan.to_string()).unwrap();
    }

    /// Uses another bootstrap, with its right digest in the plan.
    pub fn use_bootstrap(&self, script: &[u8]) {
        let path = self.scene.path().join("bootstrap");
        std::fs::write(&path, script).unwrap();
        self.rewrite(|plan| {
            plan["execution"]["bootstrap"] = json!(path);
            plan["execution"]["bootstrap_sha256"] = json!(sha256(script));
        });
    }

    fn done(arguments: &[&str], input: &str) -> Value {
        let output = common::run(arguments, input);
        assert_eq!(common::status(&output), 0, "{arguments:?}: {output:?}");
        common::answer(&output)
    }

    /// Claims and refreshes the scene's delivery.
    pub fn refreshed(&self) -> Value {
        let envelope = json!({"schema": "amiss/envelope/v1", "delivery": self.scene.delivery()});
        let claimed = Flow::done(
            &[
                "ledger",
                "claim",
                "--root",
                self.root.to_str().unwrap(),
                "--plan",
                self.plan.to_str().unwrap(),
            ],
            &envelope.to_string(),
        );
        assert_eq!(claimed["claim"]["result"], "execute", "{claimed}");
        self.refresh(&claimed)
    }

    pub fn refresh(&self, envelope: &Value) -> Value {
        Flow::done(
            &[
                "refresh",
                "--repository",
                self.scene.repository.path.to_str().unwrap(),
                "--target",
                "refs/heads/main",
                "--candidate",
                "refs/heads/topic",
            ],
            &envelope.to_string(),
        )
    }

    /// The arguments of `run-bootstrap` for this flow, with more behind them.
    pub fn arguments(&self, more: &[&str]) -> Vec<String> {
        let text = |path: &PathBuf| path.to_str().unwrap().to_owned();
        let mut arguments = vec![
            "run-bootstrap".to_owned(),
            "--root".into(),
            text(&self.root),
            "--plan".into(),
            text(&self.plan),
            "--repository".into(),
            text(&self.scene.repository.path),
            "--action-repository".into(),
            text(&self.action.path),
            "--scratch".into(),
            text(&self.scratch),
        ];
        arguments.extend(more.iter().map(|&word| word.to_owned()));
        arguments
    }

    /// Runs the bootstrap on an envelope.
    pub fn run_on(&self, envelope: &Value, more: &[&str]) -> Output {
        let arguments = self.arguments(more);
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        common::run(&words, envelope.to_string())
    }

    /// Claims, refreshes and runs.
    pub fn run(&self, more: &[&str]) -> Output {
        self.run_on(&self.refreshed(), more)
    }

    /// The outcome of a run that must be one.
    pub fn outcome(&self, more: &[&str]) -> Value {
        let output = self.run(more);
        assert_eq!(common::status(&output), 0, "{output:?}");
        assert!(self.scratch_is_clean(), "a run left its directory");
        common::answer(&output)["outcome"].clone()
    }

    /// Whether no run's directory is left.
    pub fn scratch_is_clean(&self) -> bool {
        std::fs::read_dir(&self.scratch).unwrap().all(|entry| {
            let name = entry.unwrap().file_name();
            !name.to_str().unwrap().starts_with("amiss-run-")
        })
    }

    /// The pid that the bootstrap wrote under this name, once it is there.
    pub fn mark(&self, name: &str) -> i32 {
        common_wait(|| {
            let text = std::fs::read_to_string(self.marks.join(name)).ok()?;
            text.trim().parse().ok()
        })
    }
}

/// Asks until there is an answer; half a minute at most.
pub fn common_wait<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let started = std::time::Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(started.elapsed().as_secs() < 30, "never came");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// Whether a process lives; a zombie does not.
pub fn lives(pid: i32) -> bool {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return false;
    };
    let state = text.rsplit_once(')').unwrap().1.trim_start().chars().next();
    !matches!(state, Some('Z' | 'X'))
}

/// Whether any process has this path among its arguments: what a run started has its scratch
/// directory there, or the directory of its marks.
pub fn somebody_works_in(path: &std::path::Path) -> bool {
    let needle = path.to_str().unwrap().as_bytes().to_vec();
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let own = entry.file_name().to_str() == Some(&std::process::id().to_string());
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let place = std::fs::read_link(entry.path().join("cwd"));
        let inside = place.is_ok_and(|cwd| cwd.starts_with(path));
        !own && (inside || line.windows(needle.len()).any(|part| part == needle))
    })
}
