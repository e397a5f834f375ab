//! The JSON parsing suite as the input of every command that reads JSON (page 8, part 5), from a
//! stream and from a file.

use std::process::Output;

use amiss::code::{Code, Coded};
use amiss::ingress::Route;
use amiss::ingress::keyring::Keyring;
use amiss::plan::LoadedPlan;
use serde_json::Value;

use crate::common::receiver::{Receiver, fixture_bytes};
use crate::common::scene::Scene;
use crate::common::{amiss, every_leaf, figures};

/// Commands that read JSON documents from standard input, with flags that are right in the scene.
const READERS: [(&str, &str); 11] = [
    ("ingress-verify", "--route route.json"),
    ("ledger claim", "--root root --plan plan.json"),
    ("ledger renew", "--root root"),
    (
        "refresh",
        "--repository repository --target refs/heads/main --candidate refs/heads/topic",
    ),
    (
        "run-bootstrap",
        "--root root --plan plan.json --repository repository --action-repository action --scratch scratch",
    ),
    ("ledger stage", "--root root"),
    ("publish", "-- cat"),
    ("ledger complete", "--root root"),
    ("ledger show", "--root root"),
    ("outbox enqueue", "--host-root host"),
    ("bench", "--dir . --rows 2 --samples 1"),
];

/// Commands that read no JSON from standard input. `ingress-sign` signs whatever bytes come.
const OTHERS: [&str; 28] = [
    "completions",
    "explain",
    "help",
    "ingress-sign",
    "ledger abandon",
    "ledger check",
    "ledger cleanup",
    "ledger init",
    "ledger list",
    "ledger quarantine",
    "ledger resize",
    "ledger retune",
    "ledger stats",
    "man",
    "outbox baseline",
    "outbox close",
    "outbox disable",
    "outbox doctor",
    "outbox enable",
    "outbox gc",
    "outbox once",
    "outbox retry",
    "outbox status",
    "outbox wake",
    "outbox watch",
    "outbox write-agent",
    "schema",
    "seal-key",
];

fn cases() -> Vec<(String, String)> {
    serde_json::from_slice(&fixture_bytes("json-suite/parsing.json")).unwrap()
}

/// Whether a text is one object that the suite calls right; a name twice is refused here.
fn is_object(name: &str, text: &str) -> bool {
    name.starts_with("y_") && text.trim_start().starts_with('{') && !name.contains("duplicated_key")
}

#[test]
fn every_command_either_reads_json_from_standard_input_or_is_known_to_read_none() {
    let mut known: Vec<&str> = READERS.iter().map(|(words, _)| *words).collect();
    known.extend(OTHERS);
    known.sort_unstable();
    let mut all: Vec<String> = every_leaf().iter().map(|words| words.join(" ")).collect();
    all.sort_unstable();
    assert_eq!(known, all);
}

/// The codes of an answer; the status must be that of the first, and nothing may have panicked.
fn judged(place: &str, output: &Output) -> Vec<Code> {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{place}\n{errors}");
    let codes: Vec<Code> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|answer| Code::parse(answer["error"]["code"].as_str()?))
        .collect();
    let wanted = codes.first().map_or(0, |code| i32::from(code.status()));
    assert_eq!(output.status.code(), Some(wanted), "{place}\n{errors}");
    codes
}

#[test]
fn no_command_takes_a_bad_case_of_the_suite_for_its_input() {
    let scene = Scene::prepare();
    scene.ok("mkdir -m 700 host");
    let cases = cases();
    std::thread::scope(|scope| {
        for (words, flags) in READERS {
            let (folder, cases) = (scene.path(), &cases);
            scope.spawn(move || {
                let host = folder.join("host").display().to_string();
                let mut arguments: Vec<&str> = words.split(' ').chain(flags.split(' ')).collect();
                for word in arguments.iter_mut().filter(|word| **word == "host") {
                    *word = &host;
                }
                for (name, text) in cases {
                    let output = amiss(&arguments)
                        .current_dir(&folder)
                        .write_stdin(text.as_bytes())
                        .output()
                        .unwrap();
                    let place = format!("amiss {words} on {name}");
                    let codes = judged(&place, &output);
                    // No input at all is no options.
                    let no_options = words == "bench" && text.trim().is_empty();
                    if is_object(name, text) || name.starts_with("i_") || no_options {
                        // Passed on, or nothing that this command can work on.
                        assert!(codes.iter().all(|code| code.status() == 65), "{place}");
                    } else {
                        // Behind a first document that is whole there may be one that is not.
                        assert!(codes.contains(&Code::InputMalformed), "{place}");
                    }
                }
            });
        }
    });
    figures::tell(&format!(
        "the JSON suite: {} cases for each of {} commands",
        cases.len(),
        READERS.len()
    ));
}

#[test]
fn no_case_of_the_suite_is_a_plan_a_route_a_keyring_a_key_set_or_a_check_binding() {
    let (github, oidc) = (Receiver::github(), Receiver::fixture("gitlab-oidc"));
    let scene = Scene::prepare();
    for (name, text) in cases() {
        let refused = |code: Option<Code>, what: &str| {
            assert_eq!(code, Some(Code::ConfigInvalid), "{name} as {what}");
        };
        let plan = github.path("plan.json");
        std::fs::write(&plan, &text).unwrap();
        refused(
            LoadedPlan::load(&plan).err().map(|error| error.code()),
            "a plan",
        );
        for file in ["route.json", "keyring.json"] {
            let (kept, path) = (std::fs::read(github.path(file)).unwrap(), github.path(file));
            std::fs::write(&path, &text).unwrap();
            let loaded = Route::load(&github.path("route.json"), None);
            refused(loaded.err().map(|error| error.code()), file);
            std::fs::write(&path, kept).unwrap();
        }
        std::fs::write(github.path("trial.json"), &text).unwrap();
        let ring = Keyring::load(&github.path("trial.json"));
        refused(ring.err().map(|error| error.code()), "a keyring");
        std::fs::write(oidc.path("jwks.json"), &text).unwrap();
        let loaded = Route::load(&oidc.path("route.json"), None);
        refused(loaded.err().map(|error| error.code()), "a key set");
        std::fs::write(scene.path().join("check.json"), &text).unwrap();
        let output = amiss(&["ledger", "claim", "--root", "root", "--check", "check.json"])
            .current_dir(scene.path())
            .write_stdin(r#"{"ignored":{"reason":"none"}}"#)
            .output()
            .unwrap();
        let place = format!("{name} as a check binding");
        assert_eq!(judged(&place, &output), [Code::ConfigInvalid], "{place}");
    }
}
