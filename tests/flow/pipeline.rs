//! The pipeline of the quick start, whole or step by step, with what ran counted.

use std::process::Output;

use serde_json::Value;

use crate::common::scene::{Scene, both};

/// The steps, in order.
pub const STEPS: usize = 8;

/// A bootstrap that says `pass` and leaves a line for each time that it ran.
const BOOTSTRAP: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
        --report) report=$2 ;;
        --result) result=$2 ;;
    esac
    shift
done
echo ran >> "@WORK@/runs"
printf '{"greeting":"fine"}' > "$report"
printf 'amiss/bootstrap-result-v1 pass\n' > "$result"
"#;

/// A publisher that files the verdict under its key and leaves a line for each time that it ran.
const PUBLISHER: &str = r#"#!/bin/sh
set -eu
sed -n 's/.*"conclusion":"\([a-z]*\)".*/\1/p' > "published/$AMISS_EVALUATION_ID-$AMISS_FENCE"
cat "published/$AMISS_EVALUATION_ID-$AMISS_FENCE" >> publications
"#;

/// A scene with its own bootstrap and publisher.
pub struct Flow {
    /// Where it happens.
    pub scene: Scene,
}

impl Flow {
    /// Prepares one.
    pub fn prepare() -> Flow {
        let scene = Scene::prepare();
        let work = scene.path();
        let bootstrap = BOOTSTRAP.replace("@WORK@", work.to_str().unwrap());
        std::fs::write(work.join("counting-bootstrap"), bootstrap).unwrap();
        std::fs::write(work.join("publisher"), PUBLISHER).unwrap();
        scene.ok(
            r#"chmod +x publisher
            : > runs
            : > publications
            digest=$(sha256sum counting-bootstrap | cut -d ' ' -f 1)
            sed -i -e "s|\"bootstrap\":\"[^\"]*\"|\"bootstrap\":\"$PWD/counting-bootstrap\"|" \
                -e "s|\"bootstrap_sha256\":\"[0-9a-f]*\"|\"bootstrap_sha256\":\"$digest\"|" plan.json"#,
        );
        Flow { scene }
    }

    /// One step as shell text: flags, no input. `now` replaces the clock where the step reads it.
    fn step(index: usize, now: &str) -> String {
        let refs = "--repository repository --target refs/heads/main --candidate refs/heads/topic";
        match index {
            0 => "amiss ingress-verify --route route.json --seal-key seal.key".into(),
            1 => {
                format!("amiss ledger claim --root root --plan plan.json --seal-key seal.key {now}")
            }
            2 | 4 => format!("amiss refresh {refs}"),
            3 => format!(
                "amiss run-bootstrap --root root --plan plan.json --repository repository \
                 --action-repository action --scratch scratch --seal-key seal.key {now}"
            ),
            5 => format!("amiss ledger stage --root root --seal-key seal.key {now}"),
            6 => "amiss publish -- ./publisher".into(),
            _ => "amiss ledger complete --root root --seal-key seal.key".into(),
        }
    }

    /// Steps `from..to` joined by pipes, from a file to a file; the status of the last.
    pub fn steps(&self, from: usize, to: usize, input: &str, output: &str) -> Output {
        self.steps_at(from, to, input, output, "")
    }

    /// The same at another time.
    pub fn steps_at(&self, from: usize, to: usize, input: &str, output: &str, now: &str) -> Output {
        let line: Vec<String> = (from..to).map(|index| Flow::step(index, now)).collect();
        let line = line.join(" | ");
        self.scene.sh(&format!("cat {input} | {line} > {output}"))
    }

    /// The whole flow for the request; its answer, which must have status 0.
    pub fn deliver(&self) -> Value {
        let output = self.steps(0, STEPS, "request.json", "answer.json");
        assert_eq!(output.status.code(), Some(0), "{}", both(&output));
        self.json("answer.json")
    }

    /// The same a while later: after the lease of whoever claimed before.
    pub fn deliver_later(&self) -> Value {
        let output = self.steps_at(0, STEPS, "request.json", "answer.json", &later());
        assert_eq!(output.status.code(), Some(0), "{}", both(&output));
        self.json("answer.json")
    }

    /// A JSON file of the scene.
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.scene.ok(&format!("cat {name}"))).unwrap()
    }

    /// How often the bootstrap ran.
    pub fn runs(&self) -> usize {
        self.scene.ok("cat runs").lines().count()
    }

    /// The verdicts that were published, in order.
    pub fn publications(&self) -> Vec<String> {
        self.scene
            .ok("cat publications")
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// The state of the one row, or nothing.
    pub fn row(&self) -> Value {
        let list = self.scene.ok("amiss ledger list --root root --format json");
        list.lines().next().map_or(Value::Null, |line| {
            serde_json::from_str::<Value>(line).unwrap()["row"].clone()
        })
    }
}

/// The flag for a clock that is past the quick start's lease of a minute.
pub fn later() -> String {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis();
    format!("--now-unix-millis {}", now + 61_000)
}
