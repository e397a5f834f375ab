//! What supervision costs: the same bootstrap bare and under `run-bootstrap`, alternating.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use amiss::bench::Samples;
use anyhow::Context;
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use serde_json::{Value, json};

/// A bootstrap that does no more than it must.
const BOOTSTRAP: &str = "#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in --report) report=$2 ;; --result) result=$2 ;; esac
    shift
done
echo '{}' > \"$report\"
echo 'amiss/bootstrap-result-v1 pass' > \"$result\"
";

/// The names of the lines.
const NAMES: [&str; 4] = [
    "bare child",
    "run-bootstrap",
    "run-bootstrap --without-cgroup",
    "of which: an empty amiss",
];

/// What was measured, line by line.
pub struct Runs {
    lines: [Samples; 4],
}

/// Everything that one run needs.
struct Scene<'a> {
    program: &'a Path,
    folder: PathBuf,
    bootstrap: PathBuf,
    envelope: Vec<u8>,
}

/// Runs the bootstrap both ways, in turn.
pub fn measure(folder: &Path, program: &Path, samples: u64) -> anyhow::Result<Runs> {
    let scene = Scene::make(folder, program)?;
    let mut lines: [Samples; 4] = Default::default();
    for round in 0..samples {
        let start = usize::try_from(round % 4)?;
        for index in (0..4).cycle().skip(start).take(4) {
            let time = match index {
                0 => scene.bare()?,
                1 => scene.supervised(&[])?,
                2 => scene.supervised(&["--without-cgroup"])?,
                _ => timed(Command::new(program).arg("--version"))?,
            };
            lines[index].push(time);
        }
    }
    Ok(Runs { lines })
}

impl Runs {
    /// The table, in Markdown: times, and what is there beyond the bare child.
    pub fn table(&self) -> String {
        let mut table = Table::new();
        table.load_preset(ASCII_MARKDOWN).set_header([
            "runner",
            "p10",
            "median",
            "p95",
            "p10 beyond the bare child",
        ]);
        let bare = self.lines[0].percentile(10);
        for (index, (name, line)) in NAMES.into_iter().zip(&self.lines).enumerate() {
            let beyond = match index {
                1 | 2 => millis(line.percentile(10).saturating_sub(bare)),
                _ => String::new(),
            };
            let at = |percent| millis(line.percentile(percent));
            table.add_row([name.to_owned(), at(10), at(50), at(95), beyond]);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }

    /// All samples.
    pub fn json(&self) -> Vec<Value> {
        NAMES
            .into_iter()
            .zip(&self.lines)
            .map(|(name, line)| json!({"runner": name, "samples_nanos": line.nanos()}))
            .collect()
    }
}

fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

impl Scene<'_> {
    fn make<'a>(folder: &Path, program: &'a Path) -> anyhow::Result<Scene<'a>> {
        let (base, candidate) = repository(&folder.join("repository"))?;
        let action = repository(&folder.join("action"))?.0;
        let tree = git(&folder.join("action"), &["rev-parse", "HEAD^{tree}"])?;
        let bootstrap = folder.join("bootstrap");
        fs::write(&bootstrap, BOOTSTRAP)?;
        fs::set_permissions(&bootstrap, fs::Permissions::from_mode(0o700))?;
        let plan = json!({
            "schema": "amiss/plan/v1", "required_status_name": "amiss",
            "execution": {
                "bootstrap": bootstrap,
                "bootstrap_sha256": amiss::delivery::digest::Sha256Hex::of(BOOTSTRAP.as_bytes()),
                "wall_timeout_millis": 60_000,
                "action": {"commit": action, "tree": tree}
            },
            "controls": {}
        });
        fs::write(folder.join("plan.json"), plan.to_string())?;
        for name in ["root", "scratch", "bare"] {
            fs::create_dir(folder.join(name))?;
        }
        let mut scene = Scene {
            program,
            folder: folder.to_owned(),
            bootstrap,
            envelope: Vec::new(),
        };
        let root = scene.text("root");
        let limits = [
            "--lease-ms",
            "3600000",
            "--max-records",
            "10",
            "--max-signed-age-ms",
            "300000",
            "--max-queue-age-ms",
            "300000",
        ];
        scene.amiss(&[&["ledger", "init", "--root", &root][..], &limits].concat())?;
        let provider = json!({"namespace": "gitea", "instance": "forge.example.test"});
        scene.envelope = json!({"schema": "amiss/envelope/v1", "delivery": {
            "identity": {"provider": provider, "integration": "a", "delivery": "b"},
            "change": {
                "provider": provider, "change": "7",
                "repository": {"host": "forge.example.test", "owner": "o", "name": "n"}
            },
            "provider_run": {
                "run_id": "run-1", "attempt": 1, "object_format": "sha1",
                "candidate_commit": candidate
            },
            "replay": {"retention": "permanent"}
        }})
        .to_string()
        .into_bytes();
        let plan = scene.text("plan.json");
        scene.envelope = scene.amiss(&["ledger", "claim", "--root", &root, "--plan", &plan])?;
        let judged = scene.text("repository");
        scene.envelope = scene.amiss(&[
            "refresh",
            "--repository",
            &judged,
            "--target",
            "refs/heads/main",
            "--candidate",
            "refs/heads/topic",
        ])?;
        anyhow::ensure!(base != candidate, "the scene has no candidate");
        Ok(scene)
    }

    fn text(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }

    /// One step of the pipeline on the present envelope.
    fn amiss(&self, words: &[&str]) -> anyhow::Result<Vec<u8>> {
        let input = self.folder.join("input");
        fs::write(&input, &self.envelope)?;
        let output = Command::new(self.program)
            .args(words)
            .stdin(fs::File::open(&input)?)
            .output()?;
        anyhow::ensure!(output.status.success(), "{words:?}: {output:?}");
        Ok(output.stdout)
    }

    /// The bootstrap with the arguments that it gets, and nobody around it.
    fn bare(&self) -> anyhow::Result<Duration> {
        let at = |name: &str| self.folder.join("bare").join(name);
        let mut command = Command::new(&self.bootstrap);
        command
            .arg("exec")
            .arg("--scratch")
            .arg(at(""))
            .arg("--report")
            .arg(at("report"))
            .arg("--result")
            .arg(at("result"))
            .env_clear()
            .current_dir(at(""));
        timed(&mut command)
    }

    fn supervised(&self, more: &[&str]) -> anyhow::Result<Duration> {
        let input = self.folder.join("input");
        fs::write(&input, &self.envelope)?;
        let mut command = Command::new(self.program);
        command
            .arg("run-bootstrap")
            .args([
                "--root",
                &self.text("root"),
                "--plan",
                &self.text("plan.json"),
            ])
            .args(["--repository", &self.text("repository")])
            .args(["--action-repository", &self.text("action")])
            .args(["--scratch", &self.text("scratch")])
            .args(more)
            .stdin(fs::File::open(&input)?);
        let started = Instant::now();
        let output = command.output()?;
        let time = started.elapsed();
        let answer: Value = serde_json::from_slice(&output.stdout)?;
        anyhow::ensure!(answer["outcome"]["result"] == "complete", "{output:?}");
        Ok(time)
    }
}

/// From the spawn to the exit.
fn timed(command: &mut Command) -> anyhow::Result<Duration> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let status = command.status()?;
    let time = started.elapsed();
    anyhow::ensure!(status.success(), "{command:?}: {status}");
    Ok(time)
}

/// A repository with `main` and one commit more on `topic`: both tips.
fn repository(path: &Path) -> anyhow::Result<(String, String)> {
    fs::create_dir(path)?;
    git(path, &["init", "--quiet", "--initial-branch=main"])?;
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "one"];
    git(path, &commit)?;
    let base = git(path, &["rev-parse", "HEAD"])?;
    git(path, &["checkout", "--quiet", "-b", "topic"])?;
    fs::write(path.join("topic"), "topic")?;
    git(path, &["add", "--all"])?;
    git(path, &commit)?;
    let candidate = git(path, &["rev-parse", "HEAD"])?;
    git(path, &["checkout", "--quiet", "main"])?;
    Ok((base, candidate))
}

fn git(path: &Path, words: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.test", "-C"])
        .arg(path)
        .args(words)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .context("git")?;
    anyhow::ensure!(output.status.success(), "git {words:?}: {output:?}");
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
