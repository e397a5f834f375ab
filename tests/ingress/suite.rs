//! The JSON parsing suite as command input, and as the body of a signed request.

use serde_json::Value;

use crate::common::receiver::{Receiver, fixture_bytes, github_request};
use crate::common::{run, status};
use crate::vectors::verdict;

fn cases() -> Vec<(String, String)> {
    let mut cases: Vec<(String, String)> =
        serde_json::from_slice(&fixture_bytes("json-suite/parsing.json")).unwrap();
    cases.push((
        "n_structure_100000_opening_arrays".into(),
        "[".repeat(100_000),
    ));
    cases.push((
        "n_structure_open_array_object".into(),
        "[{\"\":".repeat(50_000),
    ));
    cases.push((
        "i_structure_500_nested_arrays".into(),
        "[".repeat(500) + &"]".repeat(500),
    ));
    assert!(cases.len() > 290, "{}", cases.len());
    cases
}

#[test]
fn no_case_of_the_suite_is_taken_for_a_request() {
    let receiver = Receiver::github();
    for (name, input) in cases() {
        let output = receiver.verify(&input);
        assert_eq!(status(&output), 65, "{name}");
        let first = String::from_utf8(output.stdout).unwrap();
        let first: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
        let code = first["error"]["code"].as_str().unwrap();
        assert!(
            matches!(code, "INPUT_MALFORMED" | "INPUT_TOO_LARGE"),
            "{name}: {code}"
        );
    }
}

#[test]
fn as_an_envelope_every_bad_case_fails_and_every_good_object_passes() {
    let arguments = [
        "refresh",
        "--repository",
        "/nowhere",
        "--target",
        "refs/heads/main",
        "--candidate",
        "refs/heads/topic",
    ];
    for (name, input) in cases() {
        let output = run(&arguments, &input);
        let good = name.starts_with("y_")
            && input.trim_start().starts_with('{')
            && !name.contains("duplicated_key");
        if good {
            assert_eq!(status(&output), 0, "{name}: {output:?}");
        } else if !name.starts_with("i_") {
            assert_eq!(status(&output), 65, "{name}: {output:?}");
        }
    }
}

#[test]
fn as_a_signed_body_every_bad_case_is_no_payload_and_every_good_object_is_one() {
    let receiver = Receiver::github();
    for (name, input) in cases() {
        let said = verdict(&receiver.verify(github_request(input.as_bytes())));
        let object = input
            .trim_start_matches([' ', '\t', '\r', '\n'])
            .starts_with('{');
        if name.starts_with("y_") && object && !name.contains("duplicated_key") {
            assert_eq!(said, "ignored", "{name}");
        } else if name.starts_with("i_") {
            assert!(
                matches!(said.as_str(), "ignored" | "INGRESS_PAYLOAD"),
                "{name}: {said}"
            );
        } else {
            assert_eq!(said, "INGRESS_PAYLOAD", "{name}");
        }
    }
}
