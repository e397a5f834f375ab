//! The publishers of docs/publishing.md, taken from the page and tried on a loopback server.

mod forge;
mod post;

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};

use crate::common;
use crate::flow::Flow;
use crate::publishing::staged;
use forge::Forge;
use post::Post;

/// Writes the programs of the page into a directory, as its blocks do.
fn programs(directory: &Path) {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/publishing.md");
    let text = std::fs::read_to_string(page).unwrap();
    let blocks = text
        .split("```sh\n")
        .skip(1)
        .map(|rest| rest.split("\n```").next().unwrap());
    for block in blocks {
        let done = std::process::Command::new("/bin/sh")
            .args(["-eu", "-c", block])
            .current_dir(directory)
            .status()
            .unwrap();
        assert!(done.success(), "{block}");
    }
    for header in ["github.header", "gitea.header"] {
        std::fs::copy(directory.join("forge.header"), directory.join(header)).unwrap();
    }
}

/// A staged verdict and the programs beside it.
struct Desk {
    flow: Flow,
    envelope: Value,
}

impl Desk {
    fn new() -> Desk {
        let flow = Flow::new("review", &json!({}));
        let envelope = staged(&flow);
        programs(flow.scene.path());
        Desk { flow, envelope }
    }

    fn publish(&self, program: &str, variables: &[(&str, &str)]) -> Output {
        self.publish_other(&self.envelope, program, variables)
    }

    fn publish_other(&self, envelope: &Value, program: &str, variables: &[(&str, &str)]) -> Output {
        let mut command = common::amiss(&["publish", "--timeout", "30s", "--", program]);
        command.current_dir(self.flow.scene.path());
        for (name, value) in variables {
            command.env(name, value);
        }
        command.write_stdin(envelope.to_string()).output().unwrap()
    }

    /// The same evaluation with another verdict, which no record would ever give.
    fn contradicted(&self) -> Value {
        let mut envelope = self.envelope.clone();
        envelope["staged"]["publication"]["conclusion"] = json!("block");
        envelope
    }
}

fn answer(output: &Output) -> Value {
    assert_eq!(common::status(output), 0, "{output:?}");
    common::answer(output)["published"]["answer"].clone()
}

#[test]
fn the_github_check_run_is_created_once_and_never_contradicted() {
    let desk = Desk::new();
    let forge = Forge::start();
    let variables = [("GITHUB_API", forge.address.as_str())];
    let first = answer(&desk.publish("./github-check.sh", &variables));
    assert_eq!(first, json!({"id": 1}));
    let again = answer(&desk.publish("./github-check.sh", &variables));
    assert_eq!(again, json!({"id": 1, "repeated": true}));
    let made = forge.made("/repos/o/n/check-runs");
    assert_eq!(made.len(), 1);
    assert_eq!(made[0]["conclusion"], "success");
    assert_eq!(made[0]["head_sha"], desk.flow.scene.candidate);
    assert_eq!(
        made[0]["external_id"],
        desk.envelope["staged"]["evaluation_id"]
    );
    let other = desk.publish_other(&desk.contradicted(), "./github-check.sh", &variables);
    assert_eq!(common::code(&other), "PUBLISH_FAILED");
    assert_eq!(forge.made("/repos/o/n/check-runs").len(), 1);
}

#[test]
fn the_gitea_review_is_created_once_and_never_contradicted() {
    let desk = Desk::new();
    let forge = Forge::start();
    let variables = [("GITEA_API", forge.address.as_str())];
    let first = answer(&desk.publish("./gitea-review.sh", &variables));
    assert_eq!(first, json!({"id": 1}));
    let again = answer(&desk.publish("./gitea-review.sh", &variables));
    assert_eq!(again, json!({"id": 1, "repeated": true}));
    let made = forge.made("/repos/o/n/pulls/7/reviews");
    assert_eq!(made.len(), 1);
    assert_eq!(made[0]["event"], "APPROVED");
    assert_eq!(made[0]["commit_id"], desk.flow.scene.candidate);
    let other = desk.publish_other(&desk.contradicted(), "./gitea-review.sh", &variables);
    assert_eq!(common::code(&other), "PUBLISH_FAILED");
    assert_eq!(forge.made("/repos/o/n/pulls/7/reviews").len(), 1);
}

#[test]
fn the_commit_status_says_the_same_again() {
    let desk = Desk::new();
    let forge = Forge::start();
    let variables = [("FORGE_API", forge.address.as_str())];
    for _ in 0..2 {
        answer(&desk.publish("./commit-status.sh", &variables));
    }
    let path = format!("/repos/o/n/statuses/{}", desk.flow.scene.candidate);
    let made = forge.made(&path);
    assert_eq!(made[0], made[1]);
    assert_eq!(made[0]["state"], "success");
    assert_eq!(made[0]["context"], "amiss");
}

#[test]
fn no_verdict_but_a_pass_looks_like_one() {
    let desk = Desk::new();
    for (conclusion, failure) in [
        ("block", Value::Null),
        ("superseded", Value::Null),
        ("unavailable", json!("timeout")),
    ] {
        let forge = Forge::start();
        let mut envelope = desk.envelope.clone();
        envelope["staged"]["publication"]["conclusion"] = json!(conclusion);
        envelope["staged"]["publication"]["failure"] = failure;
        for (program, variable) in [
            ("./github-check.sh", "GITHUB_API"),
            ("./gitea-review.sh", "GITEA_API"),
            ("./commit-status.sh", "FORGE_API"),
        ] {
            let variables = [(variable, forge.address.as_str())];
            answer(&desk.publish_other(&envelope, program, &variables));
        }
        let all = forge.all();
        assert_eq!(all.len(), 3);
        for (_, body) in &all {
            let said = body.to_string();
            for word in ["success", "APPROVED", "neutral", "skipped"] {
                assert!(!said.contains(word), "{conclusion}: {said}");
            }
        }
    }
}

#[test]
fn a_forge_that_refuses_is_a_failed_publication() {
    let desk = Desk::new();
    let forge = Forge::refusing();
    for (program, variable) in [
        ("./github-check.sh", "GITHUB_API"),
        ("./gitea-review.sh", "GITEA_API"),
        ("./commit-status.sh", "FORGE_API"),
    ] {
        let variables = [(variable, forge.address.as_str())];
        let output = desk.publish(program, &variables);
        assert_eq!(common::code(&output), "PUBLISH_FAILED", "{program}");
    }
}

#[test]
fn the_mail_is_sent_once() {
    let desk = Desk::new();
    let post = Post::start();
    let sent = desk.flow.scene.path().join("sent");
    std::fs::create_dir(&sent).unwrap();
    let variables = [
        ("MAIL_SERVER", post.address.as_str()),
        ("SENDER", "amiss@example.test"),
        ("RECIPIENT", "team@example.test"),
        ("SENT", sent.to_str().unwrap()),
    ];
    assert!(answer(&desk.publish("./mail.sh", &variables)).is_null());
    let again = answer(&desk.publish("./mail.sh", &variables));
    assert_eq!(again, json!({"repeated": true}));
    let letters = post.letters();
    assert_eq!(letters.len(), 1);
    assert!(
        letters[0].contains("Subject: amiss: pass"),
        "{}",
        letters[0]
    );
    assert!(letters[0].contains("Message-ID: <0b320f59"));
    assert!(letters[0].contains(&desk.flow.scene.candidate));
}
