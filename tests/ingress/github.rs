//! GitHub's deliveries.

use serde_json::{Value, json};

use crate::common::receiver::{Receiver, SECRET, fixture_bytes, github_request, hmac_hex, request};
use crate::common::{answer, code, status};

#[test]
fn a_real_pull_request_becomes_one_delivery() {
    let receiver = Receiver::github();
    let body = fixture_bytes("github/pull_request.opened.json");
    let output = receiver.verify(github_request(&body));
    assert_eq!(status(&output), 0, "{output:?}");
    let answer = answer(&output);
    assert_eq!(answer["schema"], "amiss/envelope/v1");
    let delivery = &answer["delivery"];
    let provider = json!({"namespace": "github", "instance": "github.com"});
    assert_eq!(delivery["identity"]["provider"], provider);
    assert_eq!(delivery["identity"]["integration"], "1");
    assert_eq!(
        delivery["change"],
        json!({
            "provider": provider,
            "repository": {"host": "github.com", "owner": "codertocat", "name": "hello-world"},
            "change": "repository/186853002/pull/279147437/number/2",
        })
    );
    assert_eq!(delivery["provider_run"]["attempt"], 1);
    assert_eq!(delivery["provider_run"]["object_format"], "sha1");
    assert_eq!(
        delivery["provider_run"]["candidate_commit"],
        "ec26c3e57ca3a959ca5aad62de7213c562f8c821"
    );
    assert_eq!(delivery["replay"], json!({"retention": "permanent"}));
    assert_eq!(delivery["proof"]["scheme"], "github");
    assert_eq!(delivery["proof"]["anchor"], "2026-a");
    assert_eq!(delivery["proof"]["issued_at_unix_millis"], Value::Null);
    assert!(delivery.get("seal").is_none());
}

/// The payload of the vector of page 2.4.
pub fn vector_payload() -> Value {
    let repository = json!({
        "id": 1, "name": "Hello-World", "full_name": "Octo-Org/Hello-World",
        "owner": {"login": "Octo-Org"},
    });
    json!({
        "action": "opened", "number": 7, "installation": {"id": 234}, "repository": repository,
        "pull_request": {
            "id": 2, "number": 7,
            "head": {"ref": "feature", "sha": "0123456789abcdef0123456789abcdef01234567"},
            "base": {"ref": "main", "sha": "89abcdef0123456789abcdef0123456789abcdef",
                     "repo": repository},
        },
    })
}

#[test]
fn the_run_id_vector_of_page_2_holds() {
    let output = Receiver::github().verify(github_request(vector_payload().to_string().as_bytes()));
    assert_eq!(
        answer(&output)["delivery"]["provider_run"]["run_id"],
        "pr:sha256:6465e0e885b32c7dcb351363191c08cab35d7f1fdd8c52aa3553fd9fbc8ffc24"
    );
}

#[test]
fn the_replay_identity_is_the_digest_of_the_exact_body_and_no_header() {
    let receiver = Receiver::github();
    let body = vector_payload().to_string();
    let signature = format!("sha256={}", hmac_hex(SECRET, body.as_bytes()));
    let identity = |id: &str| {
        let headers = [
            ("X-GitHub-Delivery", id),
            ("X-Hub-Signature-256", &signature),
        ];
        let output = receiver.verify(request(&headers, body.as_bytes()));
        answer(&output)["delivery"]["identity"].clone()
    };
    assert_eq!(identity("a"), identity("b"));
    let expected =
        amiss::delivery::Digest::of("amiss/controller-exact-delivery-v1", body.as_bytes());
    assert_eq!(identity("a")["delivery"], format!("body:{expected}"));
}

#[test]
fn documented_vector_verifies_and_its_payload_is_refused() {
    let headers = [(
        "X-Hub-Signature-256",
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    )];
    let output = Receiver::github().verify(request(&headers, b"Hello, World!"));
    assert_eq!(
        (status(&output), code(&output).as_str()),
        (77, "INGRESS_PAYLOAD")
    );
}

#[test]
fn any_other_authentic_event_is_ignored_with_its_reason() {
    let receiver = Receiver::github();
    for body in [
        fixture_bytes("github/pull_request.closed.json"),
        br#"{"zen":"Keep it logically awesome.","hook_id":1}"#.to_vec(),
    ] {
        let output = receiver.verify(github_request(&body));
        assert_eq!(status(&output), 0);
        let answer = answer(&output);
        assert!(answer["ignored"]["reason"].is_string());
        assert!(answer.get("delivery").is_none());
    }
}
