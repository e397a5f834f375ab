//! `--explain` and `ingress-sign`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::receiver::{Receiver, SECRET, fixture_bytes, github_request, hmac_hex, request};
use crate::common::{answer, status};
use crate::vectors::{S_BODY, S_ID, S1, signed_github, signed_standard, verdict};

fn explained(receiver: &Receiver, now: &str, input: &str) -> (std::process::Output, Value) {
    let output = receiver.verify_with(&["--explain", "--now-unix-millis", now], input);
    let explain = answer(&output)["explain"].clone();
    (output, explain)
}

#[test]
fn it_says_which_header_was_looked_for_and_what_was_found() {
    let receiver = Receiver::github();
    let digest = hmac_hex(SECRET, b"{}");
    for (value, found) in [
        ("sha256=", "`sha256=` and 0 bytes: nothing after it"),
        ("", "an empty value"),
        (digest.as_str(), "64 bytes: lower-case hex digits"),
    ] {
        let (output, explain) = explained(&receiver, "1000", &signed_github(value, b"{}"));
        assert_eq!(status(&output), 77);
        let header = &explain["headers"][0];
        assert_eq!(header["name"], "X-Hub-Signature-256");
        assert_eq!(header["times"], 1);
        assert_eq!(header["found"], found);
    }
    let headers = [
        ("X-Gitea-Signature", digest.as_str()),
        ("X-Hub-Signature", "sha1=00"),
    ];
    let (_, explain) = explained(&receiver, "1000", &request(&headers, b"{}"));
    assert_eq!(explain["headers"][0]["found"], "nothing");
    assert_eq!(
        explain["other_headers"],
        json!(["X-Hub-Signature", "X-Gitea-Signature"])
    );
}

#[test]
fn it_says_which_key_windows_were_active_and_how_far_the_clock_is_off() {
    let receiver = Receiver::fixture("gitlab");
    receiver.edit("keyring.json", |ring| {
        ring["keys"][0]["active_until_unix_millis"] = 1_614_265_000_000_i64.into();
    });
    let input = signed_standard(S_ID, "1614265330", S1, S_BODY);
    let (output, explain) = explained(&receiver, "1614272530000", &input);
    assert_eq!(verdict(&output), "INGRESS_KEYS");
    assert_eq!(explain["keys"][0]["anchor"], "2026-a");
    assert_eq!(explain["keys"][0]["active_at_receipt"], false);
    assert_eq!(explain["clock"]["says_age_millis"], 7_200_000);
    assert_eq!(explain["clock"]["age_limit_millis"], 300_000);
}

#[test]
fn it_shows_no_secret_no_expected_digest_no_signature_and_no_token() {
    let digest = hmac_hex(SECRET, b"{}");
    let token = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImtpZC1yc2Etc2lnbiJ9.e30.c2lnbmF0dXJl";
    let bearer = format!("Bearer {token}");
    let cases = [
        (Receiver::github(), github_request(b"{}")),
        (Receiver::github(), signed_github(&digest, b"{}")),
        (Receiver::github(), signed_github("sha256=00", b"{}")),
        (
            Receiver::fixture("gitea"),
            request(&[("X-Gitea-Signature", &digest)], b"{}"),
        ),
        (
            Receiver::fixture("gitlab"),
            signed_standard(S_ID, "1614265330", S1, S_BODY),
        ),
        (
            Receiver::fixture("gitlab-oidc"),
            request(&[("Authorization", &bearer)], b"{}"),
        ),
        (
            Receiver::github(),
            request(
                &[("Authorization", &bearer), ("X-Gitlab-Token", "hunter2")],
                b"{}",
            ),
        ),
    ];
    for (receiver, input) in cases {
        for arguments in [vec!["-v", "--explain"], vec!["-v"]] {
            let output = receiver.verify_with(&arguments, &input);
            let shown = [output.stdout.clone(), output.stderr.clone()].concat();
            let shown = String::from_utf8(shown).unwrap();
            for secret in [
                "Everybody",
                "MfKQ9r8G",
                &digest,
                "g0hM9SsE",
                token,
                "c2lnbmF0dXJl",
                "hunter2",
            ] {
                assert!(!shown.contains(secret), "{secret}: {shown}");
            }
        }
    }
}

#[test]
fn the_parts_that_hold_secrets_have_no_debug_form_of_them() {
    use amiss::ingress::{Headers, Request, Route};
    let route = Route::load(std::path::Path::new(&Receiver::github().route()), None);
    let shown = format!("{:?}", route.unwrap());
    assert!(
        !shown.contains("Everybody") && !shown.contains("73, 116, 39, 115"),
        "{shown}"
    );
    let mut headers = Headers::default();
    headers.push("Authorization".into(), b"Bearer abc".to_vec());
    let shown = format!("{:?}", Request::new(None, headers, b"hunter2".to_vec()));
    assert!(
        !shown.contains("abc") && !shown.contains("hunter2"),
        "{shown}"
    );
    let key = amiss::delivery::SealKey::from_file_text(format!("{}\n", "ab".repeat(32)).as_bytes());
    let shown = format!("{:?}", key.unwrap());
    assert!(!shown.contains("ab") && !shown.contains("171"), "{shown}");
}

fn sign(receiver: &Receiver, more: &[&str], body: &[u8]) -> std::process::Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_amiss"))
        .args(["ingress-sign", "--route", &receiver.route()])
        .args(more)
        .env_remove("AMISS_ROOT")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(body).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_signed_test_request_verifies_for_every_forge_and_shape() {
    for (forge, payload) in [
        ("github", "github/pull_request.opened.json"),
        ("gitea", "gitea/pull_request.opened.json"),
        ("gitlab", "gitlab/merge_request.open.json"),
    ] {
        let receiver = Receiver::fixture(forge);
        let body = fixture_bytes(payload);
        let signed = sign(&receiver, &[], &body);
        assert_eq!(
            verdict(&receiver.verify(&signed.stdout)),
            "accepted",
            "{forge}"
        );
        if forge != "gitlab" {
            let signed = sign(&receiver, &["--form"], &body);
            assert_eq!(
                verdict(&receiver.verify(&signed.stdout)),
                "accepted",
                "{forge} form"
            );
        }
        let signed = sign(&receiver, &[], b"\xFF\x00");
        assert_eq!(
            verdict(&receiver.verify(&signed.stdout)),
            "INGRESS_PAYLOAD",
            "{forge}"
        );
    }
}

#[test]
fn signing_needs_a_keyring_and_an_active_key() {
    let hint = |output: &std::process::Output| answer(output)["error"]["hint"].clone();
    let output = sign(&Receiver::fixture("gitlab-oidc"), &[], b"{}");
    assert_eq!(verdict(&output), "CONFIG_INVALID");
    assert_eq!(hint(&output), "take a token from a real policy job");
    let receiver = Receiver::github();
    let output = sign(&receiver, &["--anchor", "none"], b"{}");
    assert_eq!(verdict(&output), "CONFIG_INVALID");
    assert_eq!(
        hint(&output),
        "compare the windows of the keyring with the clock"
    );
    receiver.edit("keyring.json", |ring| {
        ring["keys"][0]["active_until_unix_millis"] = 1000.into();
    });
    assert_eq!(verdict(&sign(&receiver, &[], b"{}")), "CONFIG_INVALID");
    let output = sign(
        &receiver,
        &["--now-unix-millis", "999", "--anchor", "2026-a"],
        b"{}",
    );
    assert_eq!(status(&output), 0);
}
