//! CGI input (RFC 3875).

use serde_json::Value;

use crate::common::receiver::{Receiver, SECRET, fixture_bytes, hmac_hex};
use crate::common::{amiss, answer};
use crate::vectors::{S_BODY, S_ID, S_NOW, S1, verdict};

fn cgi(receiver: &Receiver, variables: &[(&str, &str)], body: &[u8]) -> std::process::Output {
    let route = receiver.route();
    amiss(&[
        "ingress-verify",
        "--cgi",
        "--route",
        &route,
        "--now-unix-millis",
        S_NOW,
    ])
    .envs(variables.iter().copied())
    .write_stdin(body)
    .output()
    .unwrap()
}

fn signature(body: &[u8]) -> String {
    format!("sha256={}", hmac_hex(SECRET, body))
}

#[test]
fn a_request_by_cgi_is_the_same_delivery_as_by_document() {
    let receiver = Receiver::github();
    let body = fixture_bytes("github/pull_request.opened.json");
    let length = body.len().to_string();
    let variables = [
        ("GATEWAY_INTERFACE", "CGI/1.1"),
        ("REQUEST_METHOD", "POST"),
        ("CONTENT_TYPE", "application/json"),
        ("CONTENT_LENGTH", length.as_str()),
        ("HTTP_X_HUB_SIGNATURE_256", &signature(&body)),
        ("HTTP_X_GITHUB_EVENT", "pull_request"),
    ];
    let output = cgi(&receiver, &variables, &body);
    assert_eq!(verdict(&output), "accepted");
    let other = receiver.verify(crate::common::receiver::github_request(&body));
    for member in ["identity", "change", "provider_run", "replay"] {
        assert_eq!(
            answer(&output)["delivery"][member],
            answer(&other)["delivery"][member]
        );
    }
}

#[test]
fn with_a_length_exactly_that_many_bytes_are_read() {
    let receiver = Receiver::github();
    let judge = |length: &str, body: &[u8]| {
        let variables = [
            ("CONTENT_LENGTH", length),
            ("HTTP_X_HUB_SIGNATURE_256", &signature(b"{}")),
        ];
        verdict(&cgi(&receiver, &variables, body))
    };
    assert_eq!(judge("2", b"{}"), "ignored");
    // Servers may leave more on standard input; it is not part of this request.
    assert_eq!(judge("2", b"{} and the next request"), "ignored");
    assert_eq!(judge("", b"{}"), "ignored");
    assert_eq!(judge("3", b"{}"), "INPUT_MALFORMED");
    assert_eq!(judge("1", b"{}"), "INGRESS_SIGNATURE");
    for wrong in ["-1", "+2", "2.0", "0x2", " 2", "2 ", "two"] {
        assert_eq!(judge(wrong, b"{}"), "INPUT_MALFORMED", "{wrong:?}");
    }
    for large in ["8388609", "99999999999999999999999999"] {
        assert_eq!(judge(large, b"{}"), "INGRESS_LIMITS", "{large}");
    }
}

#[test]
fn without_a_length_all_is_read() {
    let receiver = Receiver::github();
    let variables = [("HTTP_X_HUB_SIGNATURE_256", signature(b"{}"))];
    let variables: Vec<(&str, &str)> = variables
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    assert_eq!(verdict(&cgi(&receiver, &variables, b"{}")), "ignored");
    assert_eq!(verdict(&cgi(&receiver, &[], b"")), "INGRESS_UNSIGNED");
}

#[test]
fn a_header_that_the_server_hands_on_under_both_names_is_one() {
    // nginx gives the content type as CONTENT_TYPE and as HTTP_CONTENT_TYPE.
    let receiver = Receiver::fixture("gitea");
    let digest = hmac_hex(SECRET, b"{}");
    let form = b"payload=%7B%7D";
    let kind = "application/x-www-form-urlencoded";
    let variables = [
        ("CONTENT_TYPE", kind),
        ("HTTP_CONTENT_TYPE", kind),
        ("HTTP_CONTENT_LENGTH", "14"),
        ("HTTP_X_GITEA_SIGNATURE", digest.as_str()),
    ];
    assert_eq!(verdict(&cgi(&receiver, &variables, form)), "ignored");
    assert_eq!(verdict(&cgi(&receiver, &variables[1..], form)), "ignored");
    // An empty one says nothing, and takes nothing away from the other name.
    let empty = [&[("CONTENT_TYPE", "")], &variables[1..]].concat();
    assert_eq!(verdict(&cgi(&receiver, &empty, form)), "ignored");
    // What is said to be JSON is signed as it came, even where it looks like a form.
    let wire = hmac_hex(SECRET, form);
    let json = [
        ("CONTENT_TYPE", "application/json"),
        ("HTTP_X_GITEA_SIGNATURE", wire.as_str()),
    ];
    assert_eq!(verdict(&cgi(&receiver, &json, form)), "INGRESS_PAYLOAD");
}

#[test]
fn the_three_headers_of_standard_webhooks_come_by_cgi_too() {
    let variables = [
        ("HTTP_WEBHOOK_ID", S_ID),
        ("HTTP_WEBHOOK_TIMESTAMP", "1614265330"),
        ("HTTP_WEBHOOK_SIGNATURE", S1),
    ];
    assert_eq!(
        verdict(&cgi(&Receiver::fixture("gitlab"), &variables, S_BODY)),
        "ignored"
    );
}

#[test]
fn a_value_that_is_no_text_is_a_header_like_any_other() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let receiver = Receiver::github();
    let route = receiver.route();
    let judge = |name: &str| {
        let output = amiss(&["ingress-verify", "--cgi", "--route", &route])
            .env("HTTP_X_HUB_SIGNATURE_256", signature(b"{}"))
            .env(name, OsStr::from_bytes(b"J\xFCrgen"))
            .write_stdin("{}")
            .output()
            .unwrap();
        verdict(&output)
    };
    assert_eq!(judge("HTTP_X_NAME"), "ignored");
    assert_eq!(judge("HTTP_X_HUB_SIGNATURE_256"), "INGRESS_HEADERS");
}

#[test]
fn the_answer_of_a_refusal_is_one_document_with_its_status() {
    let output = cgi(&Receiver::github(), &[], b"{}");
    let line = String::from_utf8(output.stdout).unwrap();
    assert_eq!(line.lines().count(), 1);
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["error"]["code"], "INGRESS_UNSIGNED");
}
