//! Faults that users of other receivers reported (known faults, A).

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::common::receiver::{
    Receiver, SECRET, base64, fixture_bytes, github_request, hmac, hmac_hex, request,
};
use crate::common::{answer, code, status};
use crate::vectors::{
    S_BODY, S_ID, S1, V13, V13_BODY, V14, V15, authentic, judge_s, sign_s, signed_github,
    signed_standard, v, verdict,
};

fn github(value: &str, body: &[u8]) -> std::process::Output {
    Receiver::github().verify(signed_github(value, body))
}

#[test]
fn a01_text_that_is_not_ascii_verifies_by_its_own_bytes() {
    let ((raw, raw_digest), (escaped, escaped_digest)) = (v("V8"), v("V9"));
    assert!(authentic(&github(&format!("sha256={raw_digest}"), raw)));
    assert!(authentic(&github(
        &format!("sha256={escaped_digest}"),
        escaped
    )));
    let crossed = github(&format!("sha256={raw_digest}"), escaped);
    assert_eq!(verdict(&crossed), "INGRESS_SIGNATURE");
}

#[test]
fn a01_a_body_given_as_text_is_its_utf_8_bytes() {
    let (body, digest) = v("V8");
    let document = json!({
        "headers": {"X-Hub-Signature-256": format!("sha256={digest}")},
        "body": std::str::from_utf8(body).unwrap(),
    });
    assert!(authentic(&Receiver::github().verify(document.to_string())));
}

#[test]
fn a03_a_body_that_is_not_utf_8_verifies_and_does_not_decode() {
    let (body, digest) = v("V7");
    let output = github(&format!("sha256={digest}"), body);
    assert_eq!(verdict(&output), "INGRESS_PAYLOAD");
    assert!(
        answer(&output)["error"]["message"]
            .as_str()
            .unwrap()
            .contains("UTF-8")
    );
}

#[test]
fn a03_latin_1_and_nul_verify_by_their_own_digest() {
    for body in [
        b"{\"name\":\"J\xFCrgen\"}".as_slice(),
        b"{\"a\":\"\0\"}",
        b"\0",
    ] {
        assert_eq!(
            verdict(&Receiver::github().verify(github_request(body))),
            "INGRESS_PAYLOAD"
        );
    }
}

#[test]
fn a04_a_body_serialised_anew_after_signing_is_refused() {
    let (_, digest) = v("V11");
    let (other, _) = v("V12");
    assert_eq!(
        verdict(&github(&format!("sha256={digest}"), other)),
        "INGRESS_SIGNATURE"
    );
}

#[test]
fn a05_a_github_form_is_signed_over_the_wire() {
    let (_, of_the_json) = v("V11");
    assert_eq!(
        verdict(&github(&format!("sha256={V13}"), V13_BODY)),
        "ignored"
    );
    let output = github(&format!("sha256={of_the_json}"), V13_BODY);
    assert_eq!(verdict(&output), "INGRESS_SIGNATURE");
}

fn form(text: &[u8]) -> Vec<u8> {
    let mut body = b"payload=".to_vec();
    body.extend(form_urlencoded::byte_serialize(text).flat_map(str::bytes));
    body
}

#[test]
fn a05_a_real_form_delivery_of_github_is_decoded_after_it_verified() {
    let body = form(&fixture_bytes("github/pull_request.opened.json"));
    let output = Receiver::github().verify(github_request(&body));
    assert_eq!(verdict(&output), "accepted");
    let id = answer(&output)["delivery"]["identity"]["delivery"].clone();
    let exact = amiss::delivery::Digest::of("amiss/controller-exact-delivery-v1", &body);
    assert_eq!(id, format!("body:{exact}"));
}

#[test]
fn a05_a_form_with_more_than_its_one_field_is_no_payload() {
    let json = fixture_bytes("github/pull_request.opened.json");
    let good = form(&json);
    for body in [
        [good.as_slice(), b"&payload=%7B%7D"].concat(),
        [good.as_slice(), b"&x=1"].concat(),
        [b"payload=%7", good.as_slice()].concat(),
        b"payload=".to_vec(),
        b"payload=%ZZ".to_vec(),
    ] {
        let output = Receiver::github().verify(github_request(&body));
        assert_eq!(verdict(&output), "INGRESS_PAYLOAD");
    }
}

#[test]
fn a05_a_gitea_form_is_signed_over_the_text_inside() {
    let receiver = Receiver::fixture("gitea");
    let json = fixture_bytes("gitea/pull_request.opened.json");
    let digest = hmac_hex(SECRET, &json);
    let headers = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("X-Gitea-Signature", digest.as_str()),
    ];
    let as_form = receiver.verify(request(&headers, &form(&json)));
    assert_eq!(verdict(&as_form), "accepted");
    let as_json = receiver.verify(request(&[("X-Gitea-Signature", &digest)], &json));
    // One event in two wrappings is one delivery: a captured body cannot come again as a form.
    assert_eq!(
        answer(&as_form)["delivery"]["identity"],
        answer(&as_json)["delivery"]["identity"]
    );
    let over_the_wire = hmac_hex(SECRET, &form(&json));
    let headers = [
        ("Content-Type", headers[0].1),
        ("X-Gitea-Signature", &over_the_wire),
    ];
    assert_eq!(
        verdict(&receiver.verify(request(&headers, &form(&json)))),
        "INGRESS_SIGNATURE"
    );
}

#[test]
fn a07_a_hook_without_a_secret_is_unsigned_with_a_hint() {
    let (body, _) = v("V11");
    for value in ["sha256=", ""] {
        let output = github(value, body);
        assert_eq!(verdict(&output), "INGRESS_UNSIGNED");
        assert!(
            answer(&output)["error"]["hint"]
                .as_str()
                .unwrap()
                .contains("no secret")
        );
    }
    let output = Receiver::fixture("gitea").verify(request(&[("X-Gitea-Signature", "")], body));
    assert_eq!(verdict(&output), "INGRESS_UNSIGNED");
    assert!(
        answer(&output)["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("no secret")
    );
}

#[test]
fn a08_the_schemes_own_header_decides() {
    let (body, digest) = v("V11");
    let gitea = Receiver::fixture("gitea");
    let prefixed = format!("sha256={digest}");
    // What a Gitea hook really sends: five headers of four families.
    let all = [
        ("X-Gitea-Signature", digest),
        ("X-Gogs-Signature", digest),
        (
            "X-Hub-Signature",
            "sha1=0123456789012345678901234567890123456789",
        ),
        ("X-Hub-Signature-256", prefixed.as_str()),
    ];
    assert!(authentic(&gitea.verify(request(&all, body))));
    assert!(authentic(&Receiver::github().verify(request(&all, body))));
    assert_eq!(verdict(&github(digest, body)), "INGRESS_HEADERS");
    assert_eq!(
        verdict(&gitea.verify(request(&[("X-Gitea-Signature", &prefixed)], body))),
        "INGRESS_HEADERS"
    );
    let sha1 = [(
        "X-Hub-Signature",
        "sha1=0123456789012345678901234567890123456789",
    )];
    for receiver in [&gitea, &Receiver::github()] {
        let output = receiver.verify(request(&sha1, body));
        assert_eq!(verdict(&output), "INGRESS_WEAK_ALGORITHM");
    }
    let output = gitea.verify(request(&[("X-Hub-Signature-256", &prefixed)], body));
    assert_eq!(verdict(&output), "INGRESS_UNSIGNED");
    assert!(
        answer(&output)["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("X-Hub-Signature-256")
    );
}

#[test]
fn a08_gitea_and_forgejo_twins_must_be_equal() {
    let (body, digest) = v("V11");
    let receiver = Receiver::fixture("gitea");
    let judge = |headers: &[(&str, &str)]| verdict(&receiver.verify(request(headers, body)));
    let other = "0".repeat(64);
    assert_eq!(judge(&[("X-Forgejo-Signature", digest)]), "ignored");
    assert_eq!(
        judge(&[
            ("X-Forgejo-Signature", digest),
            ("X-Gitea-Signature", digest)
        ]),
        "ignored"
    );
    for (one, two) in [
        (digest, other.as_str()),
        (&other, digest),
        (digest, ""),
        ("", digest),
    ] {
        let headers = [("X-Forgejo-Signature", one), ("X-Gitea-Signature", two)];
        assert_eq!(judge(&headers), "INGRESS_HEADERS", "{one} {two}");
    }
}

fn with_secret(forge: &str, encoding: &str, file: &[u8]) -> Receiver {
    let receiver = Receiver::fixture(forge);
    receiver.file("hook.key", file);
    receiver.edit("keyring.json", |ring| {
        ring["keys"][0]["encoding"] = encoding.into();
    });
    receiver
}

#[test]
fn a09_one_final_line_break_is_not_part_of_the_secret() {
    let (body, digest) = v("V1");
    for end in ["", "\n", "\r\n"] {
        let receiver = with_secret("github", "raw", &[SECRET, end.as_bytes()].concat());
        let good = receiver.verify(signed_github(&format!("sha256={digest}"), body));
        assert!(authentic(&good), "{end:?}");
        let bad = receiver.verify(signed_github(&format!("sha256={V14}"), body));
        assert_eq!(verdict(&bad), "INGRESS_SIGNATURE");
    }
}

#[test]
fn a09_two_final_line_breaks_or_a_nul_are_a_wrong_file() {
    for end in ["\n\n", "\r\n\r\n", "\n\r\n", "\r", "\0", "\0\n", "\nmore"] {
        let receiver = with_secret("github", "raw", &[SECRET, end.as_bytes()].concat());
        let output = receiver.verify(github_request(b"{}"));
        assert_eq!(verdict(&output), "CONFIG_INVALID", "{end:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("Everybody"));
    }
}

#[test]
fn a10_malformed_input_never_deploys() {
    let receiver = Receiver::github();
    for input in [
        "",
        " ",
        "{",
        "nonsense",
        "null",
        "[]",
        "{}",
        "\"x\"",
        "{\"headers\":[]}",
        "{\"headers\":[],\"body\":\"a\",\"body_base64\":\"YQ==\"}",
        "{\"headers\":[],\"body\":\"a\",\"more\":1}",
        "{\"headers\":[],\"body\":\"a\",\"body\":\"b\"}",
        "{\"headers\":[],\"body_base64\":\"YQ\"}",
        "{\"headers\":[],\"body_base64\":\"YR==\"}",
        "{\"headers\":[],\"body_base64\":\" YQ==\"}",
        "{\"headers\":[],\"body\":\"a\",\"received_at_unix_millis\":-1}",
        "{\"headers\":[],\"body\":\"a\",\"received_at_unix_millis\":1.5}",
        "{\"headers\":[],\"body\":\"a\",\"received_at_unix_millis\":null}",
        "{\"headers\":[],\"body\":\"a\",\"received_at_unix_millis\":9007199254740992}",
        "{\"headers\":[[\"a\"]],\"body\":\"a\"}",
        "{\"headers\":[[\"a\",\"b\",\"c\"]],\"body\":\"a\"}",
        "{\"headers\":{\"a\":1},\"body\":\"a\"}",
        "{\"headers\":{\"a\":\"1\",\"a\":\"1\"},\"body\":\"a\"}",
        "{\"headers\":null,\"body\":\"a\"}",
        "{\"headers\":[],\"body\":null}",
        "{\"schema\":\"amiss/envelope/v1\"}",
    ] {
        let output = receiver.verify(input);
        assert_eq!(status(&output), 65, "{input}");
        assert_eq!(code(&output), "INPUT_MALFORMED", "{input}");
    }
    let script = "\"$AMISS\" ingress-verify --route \"$ROUTE\" < \"$BAD\" && echo deployed";
    receiver.file("bad.json", b"{\"headers\":");
    let output = Command::new("sh")
        .args(["-c", script])
        .env("AMISS", env!("CARGO_BIN_EXE_amiss"))
        .env("ROUTE", receiver.route())
        .env("BAD", receiver.path("bad.json"))
        .output()
        .unwrap();
    assert_eq!(status(&output), 65);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("deployed"));
}

#[test]
fn a10_the_first_bad_request_of_a_stream_decides_the_status_and_the_good_ones_are_answered() {
    let good = github_request(&fixture_bytes("github/pull_request.opened.json"));
    let bad = signed_github("sha256=", b"{}");
    let output = Receiver::github().verify(format!("{good}{bad}\n{good}"));
    assert_eq!(status(&output), 77);
    let lines: Vec<serde_json::Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["delivery"], {
        let mut again = lines[2]["delivery"].clone();
        // Only the time of receipt, and what binds it, may differ.
        again["proof"] = lines[0]["delivery"]["proof"].clone();
        again
    });
    assert_eq!(lines[1]["error"]["code"], "INGRESS_UNSIGNED");
}

#[test]
fn a10_the_envelope_of_an_earlier_failure_passes_through_untouched() {
    let envelope =
        r#"{"schema":"amiss/envelope/v1","mine":1.50,"error":{"code":"BUSY","message":"m"}}"#;
    let output = Receiver::github().verify(envelope);
    assert_eq!(status(&output), 75);
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), envelope);
}

#[test]
fn a11_every_other_form_of_a_signature_is_malformed() {
    let (body, digest) = v("V1");
    let upper = digest.to_uppercase();
    for value in [
        format!("md5={digest}"),
        format!("bogus={digest}"),
        format!("SHA256={digest}"),
        format!("Sha256={digest}"),
        format!("sha256={}", &digest[1..]),
        format!("sha256={digest}0"),
        format!("sha256={upper}"),
        format!("sha256=={digest}"),
        format!("sha256= {digest}"),
        format!(" sha256={digest}"),
        format!("sha256={digest} "),
        format!("sha256={digest},sha256={digest}"),
        format!("sha256={digest}\t"),
        "sha256".into(),
        "=".into(),
        " ".into(),
        "sha256=é".into(),
    ] {
        assert_eq!(verdict(&github(&value, body)), "INGRESS_HEADERS", "{value}");
    }
}

#[test]
fn a12_every_subset_that_is_missing_or_empty_is_refused_by_name() {
    let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let values = [S_ID, "1614265330", S1];
    for subset in 1..8_usize {
        for empty in [false, true] {
            let gone: Vec<usize> = (0..3).filter(|at| subset & (1 << at) != 0).collect();
            let headers: Vec<(&str, &str)> = (0..3)
                .filter(|at| empty || !gone.contains(at))
                .map(|at| (names[at], if gone.contains(&at) { "" } else { values[at] }))
                .collect();
            let output = judge_s(&request(&headers, S_BODY));
            let expected = if gone.contains(&2) {
                "INGRESS_UNSIGNED"
            } else {
                "INGRESS_HEADERS"
            };
            assert_eq!(verdict(&output), expected, "{headers:?}");
            let message = answer(&output)["error"]["message"].to_string();
            for at in gone {
                assert!(
                    message.contains(names[at]),
                    "{message} does not name {}",
                    names[at]
                );
            }
        }
    }
    let input = signed_standard(S_ID, "1614265330", S1, S_BODY);
    let receiver = Receiver::fixture("gitlab");
    std::fs::remove_file(receiver.path("hook.key")).unwrap();
    let output = receiver.verify(&input);
    assert_eq!(verdict(&output), "CONFIG_INVALID");
    assert!(
        answer(&output)["error"]["message"]
            .to_string()
            .contains("hook.key")
    );
    assert_eq!(
        verdict(&with_secret("gitlab", "whsec", b"").verify(&input)),
        "CONFIG_INVALID"
    );
}

#[test]
fn a13_an_empty_key_never_verifies() {
    let (body, _) = v("V1");
    assert_eq!(
        verdict(&github(&format!("sha256={V15}"), body)),
        "INGRESS_SIGNATURE"
    );
    for file in ["", "\n", "\r\n", " ", "                    "] {
        let receiver = with_secret("github", "raw", file.as_bytes());
        let output = receiver.verify(signed_github(&format!("sha256={V15}"), body));
        assert_eq!(verdict(&output), "CONFIG_INVALID", "{file:?}");
    }
    for encoding in ["hex", "base64"] {
        assert_eq!(
            verdict(&with_secret("github", encoding, b"\n").verify(github_request(b"{}"))),
            "CONFIG_INVALID"
        );
    }
    let receiver = Receiver::github();
    receiver.edit("keyring.json", |ring| ring["keys"] = json!([]));
    assert_eq!(
        verdict(&receiver.verify(github_request(b"{}"))),
        "CONFIG_INVALID"
    );
}

#[test]
fn a14_header_names_have_no_case_and_are_there_once() {
    let (body, digest) = v("V1");
    let value = format!("sha256={digest}");
    let receiver = Receiver::github();
    for name in [
        "x-hub-signature-256",
        "X-HUB-SIGNATURE-256",
        "x-HuB-sIgNaTuRe-256",
    ] {
        assert!(authentic(
            &receiver.verify(request(&[(name, &value)], body))
        ));
        let twice = [("X-Hub-Signature-256", value.as_str()), (name, &value)];
        assert_eq!(
            verdict(&receiver.verify(request(&twice, body))),
            "INGRESS_HEADERS"
        );
    }
    let object =
        json!({"headers": {"X-Hub-Signature-256": [value, value]}, "body": "Hello, World!"});
    assert_eq!(
        verdict(&receiver.verify(object.to_string())),
        "INGRESS_HEADERS"
    );
    let object = json!({"headers": {"X-Hub-Signature-256": [value]}, "body": "Hello, World!"});
    assert!(authentic(&receiver.verify(object.to_string())));
    for name in ["webhook-id", "Webhook-Timestamp", "WEBHOOK-SIGNATURE"] {
        let mut headers = vec![
            ("webhook-id", S_ID),
            ("webhook-timestamp", "1614265330"),
            ("webhook-signature", S1),
        ];
        let (_, value) = headers
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name))
            .copied()
            .unwrap();
        headers.push((name, value));
        assert_eq!(
            verdict(&judge_s(&request(&headers, S_BODY))),
            "INGRESS_HEADERS"
        );
    }
}

#[test]
fn a17_bodies_that_look_alike_verify_with_their_own_digests_only() {
    let (_, of_v1) = v("V1");
    for id in ["V2", "V3", "V4"] {
        let (body, digest) = v(id);
        assert!(
            authentic(&github(&format!("sha256={digest}"), body)),
            "{id}"
        );
        let output = github(&format!("sha256={of_v1}"), body);
        assert_eq!(verdict(&output), "INGRESS_SIGNATURE", "{id}");
    }
}

const TOKEN: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

#[test]
fn a18_a_token_that_is_nearly_one_is_a_wrong_file_with_the_reason() {
    let rest = TOKEN.strip_prefix("whsec_").unwrap();
    for file in [
        format!("v1,{TOKEN}"),
        format!("whsec_{TOKEN}"),
        format!("WHSEC_{rest}"),
        format!("Whsec_{rest}"),
        format!(" {TOKEN}"),
        format!("\t{TOKEN}"),
        format!("{TOKEN} "),
        format!("whsec_ {rest}"),
        rest.to_owned(),
        "whsec_".into(),
        "v1,".into(),
    ] {
        let receiver = with_secret("gitlab", "whsec", file.as_bytes());
        let output = receiver.verify(signed_standard(S_ID, "1614265330", S1, S_BODY));
        assert_eq!(verdict(&output), "CONFIG_INVALID", "{file}");
        let shown = [output.stdout, output.stderr].concat();
        let shown = String::from_utf8_lossy(&shown).into_owned();
        assert!(!shown.contains("MfKQ9r8G"), "{shown}");
        assert!(
            shown.contains("whsec_") || shown.contains("empty"),
            "{shown}"
        );
    }
}

#[test]
fn a19_a_token_is_canonical_base64_of_24_to_64_bytes() {
    let of = |bytes: usize| format!("whsec_{}", base64(&vec![7; bytes]));
    let judge = |file: &str| {
        let receiver = with_secret("gitlab", "whsec", file.as_bytes());
        let arguments = ["--now-unix-millis", "1614265330000"];
        let input = signed_standard(S_ID, "1614265330", S1, S_BODY);
        verdict(&receiver.verify_with(&arguments, input))
    };
    for good in [of(24), of(25), of(64)] {
        assert_eq!(judge(&good), "INGRESS_SIGNATURE", "{good}");
    }
    for bad in [
        "whsec_!!!!".into(),
        "whsec_QQ==".into(),
        of(23),
        of(65),
        of(25).trim_end_matches('=').to_owned(),
        of(25).replace("==", "="),
        format!("whsec_{}", base64(&[7; 25]).replace("w==", "x==")),
        of(24).replace('B', "-"),
    ] {
        assert_eq!(judge(&bad), "CONFIG_INVALID", "{bad}");
    }
}

#[test]
fn a23_timestamps_have_one_form() {
    for time in [
        "+1614265330",
        "01614265330",
        " 1614265330",
        "1614265330 ",
        "1614265330.9",
        "1.6e9",
        "123abc",
        "-1614265330",
        "9223372036854775808",
        "00",
        "0x10",
        "",
        "１",
        "1_000",
        "16142653301614265330",
        "1614265330\t",
    ] {
        // Signed over its own bytes, so that only the form can refuse it.
        let signature = sign_s(S_ID, time, S_BODY);
        let output = judge_s(&signed_standard(S_ID, time, &signature, S_BODY));
        assert_eq!(verdict(&output), "INGRESS_HEADERS", "{time:?}");
        // And refused before any HMAC: a wrong signature gets the same answer.
        let output = judge_s(&signed_standard(S_ID, time, S1, S_BODY));
        assert_eq!(verdict(&output), "INGRESS_HEADERS", "{time:?}");
    }
    for (time, expected) in [
        ("0", "INGRESS_STALE"),
        ("9223372036854775807", "INGRESS_FUTURE"),
        ("9007199254740992", "INGRESS_FUTURE"),
    ] {
        let signature = sign_s(S_ID, time, S_BODY);
        let output = judge_s(&signed_standard(S_ID, time, &signature, S_BODY));
        assert_eq!(verdict(&output), expected, "{time:?}");
    }
}

#[test]
fn a24_freshness_has_two_inclusive_ends() {
    let receiver = Receiver::fixture("gitlab");
    let issued = 1_614_265_330_000_i64;
    let input = signed_standard(S_ID, "1614265330", S1, S_BODY);
    for (now, expected) in [
        (issued - 5001, "INGRESS_FUTURE"),
        (issued - 5000, "ignored"),
        (issued, "ignored"),
        (issued + 300_000, "ignored"),
        (issued + 300_001, "INGRESS_STALE"),
    ] {
        let output = receiver.verify_with(&["--now-unix-millis", &now.to_string()], &input);
        assert_eq!(verdict(&output), expected, "{now}");
    }
    let output = receiver.verify_with(&["--now-unix-millis", &(issued - 5001).to_string()], &input);
    assert!(
        answer(&output)["error"]["message"]
            .to_string()
            .contains("5001")
    );
}

#[test]
fn a24_receipt_is_within_the_queue_window_and_not_from_the_future() {
    let receiver = Receiver::github();
    let now = 1_800_000_000_000_i64;
    for (received, expected) in [
        (now - 3_600_001, "INGRESS_STALE"),
        (now - 3_600_000, "ignored"),
        (now, "ignored"),
        (now + 5000, "ignored"),
        (now + 5001, "INGRESS_FUTURE"),
    ] {
        let document = json!({
            "received_at_unix_millis": received,
            "headers": {"X-Hub-Signature-256": format!("sha256={}", hmac_hex(SECRET, b"{}"))},
            "body": "{}",
        });
        let arguments = ["--now-unix-millis", &now.to_string()];
        let output = receiver.verify_with(&arguments, document.to_string());
        assert_eq!(verdict(&output), expected, "{received}");
    }
}

#[test]
fn a24_age_counts_from_issue_to_receipt_and_the_future_against_both() {
    let receiver = Receiver::fixture("gitlab");
    let issued = 1_614_265_330_000_i64;
    let judge = |received: i64, now: i64| {
        let document = json!({
            "received_at_unix_millis": received,
            "headers": [["webhook-id", S_ID], ["webhook-timestamp", "1614265330"],
                        ["webhook-signature", S1]],
            "body": std::str::from_utf8(S_BODY).unwrap(),
        });
        let arguments = ["--now-unix-millis", &now.to_string()];
        verdict(&receiver.verify_with(&arguments, document.to_string()))
    };
    assert_eq!(judge(issued + 300_000, issued + 3_000_000), "ignored");
    assert_eq!(judge(issued - 5001, issued), "INGRESS_FUTURE");
    assert_eq!(judge(issued - 5000, issued), "ignored");
    assert_eq!(judge(issued - 1000, issued - 5001), "INGRESS_FUTURE");
}

#[test]
fn a24_without_a_trusted_time_nothing_is_judged() {
    for now in ["-1", "9007199254740992"] {
        let receiver = Receiver::github();
        let output = receiver.verify_with(&["--now-unix-millis", now], github_request(b"{}"));
        assert_eq!(verdict(&output), "CLOCK", "{now}");
        let hint = answer(&output)["error"]["hint"].to_string();
        assert!(hint.contains("--now-unix-millis"), "{hint}");
    }
}

#[test]
fn a27_a_valid_signature_a_year_old_is_stale() {
    let output = Receiver::fixture("gitlab").verify_with(
        &["--now-unix-millis", "1645801330000"],
        signed_standard(S_ID, "1614265330", S1, S_BODY),
    );
    assert_eq!(verdict(&output), "INGRESS_STALE");
}

fn rotating() -> Receiver {
    let receiver = Receiver::github();
    receiver.file("new.key", b"another secret of the hook\n");
    receiver.edit("keyring.json", |ring| {
        ring["keys"] = json!([
            {"anchor": "old", "secret_file": "hook.key", "encoding": "raw",
             "active_from_unix_millis": 1000, "active_until_unix_millis": 3000},
            {"anchor": "new", "secret_file": "new.key", "encoding": "raw",
             "active_from_unix_millis": 2000, "active_until_unix_millis": 4000},
        ]);
    });
    receiver
}

#[test]
fn a34_keys_overlap_end_and_begin_to_the_millisecond() {
    let receiver = rotating();
    let body = fixture_bytes("github/pull_request.opened.json");
    let by = |secret: &[u8]| signed_github(&format!("sha256={}", hmac_hex(secret, &body)), &body);
    let (old, new) = (by(SECRET), by(b"another secret of the hook"));
    let judge = |input: &str, now: &str| {
        let output = receiver.verify_with(&["--now-unix-millis", now], input);
        match verdict(&output).as_str() {
            "accepted" => answer(&output)["delivery"]["proof"]["anchor"]
                .as_str()
                .unwrap()
                .into(),
            code => code.to_owned(),
        }
    };
    assert_eq!(judge(&old, "999"), "INGRESS_KEYS");
    assert_eq!(judge(&old, "1000"), "old");
    assert_eq!(judge(&old, "2999"), "old");
    assert_eq!(judge(&old, "3000"), "INGRESS_SIGNATURE");
    assert_eq!(judge(&new, "1999"), "INGRESS_SIGNATURE");
    assert_eq!(judge(&new, "2000"), "new");
    assert_eq!(judge(&new, "3999"), "new");
    assert_eq!(judge(&new, "4000"), "INGRESS_KEYS");
}

#[test]
fn a34_rotation_does_not_change_the_replay_identity() {
    let receiver = rotating();
    let body = fixture_bytes("github/pull_request.opened.json");
    let identity = |secret: &[u8]| {
        let input = signed_github(&format!("sha256={}", hmac_hex(secret, &body)), &body);
        let output = receiver.verify_with(&["--now-unix-millis", "2500"], input);
        answer(&output)["delivery"]["identity"].clone()
    };
    assert_eq!(identity(SECRET), identity(b"another secret of the hook"));
}

#[test]
fn a36_brackets_up_to_the_limit_are_a_wrong_signature_or_a_wrong_payload() {
    let receiver = Receiver::github();
    let body = vec![b'['; 8 * 1024 * 1024];
    receiver.file("body", &body);
    let path = receiver.path("body");
    let judge = |digest: &str| {
        let document = json!({
            "headers": {"X-Hub-Signature-256": format!("sha256={digest}")},
            "body_path": path,
        });
        receiver.verify(document.to_string())
    };
    let bad = judge(&"0".repeat(64));
    assert_eq!(verdict(&bad), "INGRESS_SIGNATURE");
    let message = answer(&bad)["error"]["message"].to_string();
    for word in ["JSON", "nest", "level", "line", "column"] {
        assert!(!message.contains(word), "{message}");
    }
    assert_eq!(verdict(&judge(&hmac_hex(SECRET, &body))), "INGRESS_PAYLOAD");
}

#[test]
fn a36_sixty_four_levels_are_a_payload_and_sixty_five_are_not() {
    let nested = |levels: usize| {
        format!(
            "{{\"a\":{}{}}}",
            "[".repeat(levels - 1),
            "]".repeat(levels - 1)
        )
    };
    let receiver = Receiver::github();
    assert_eq!(
        verdict(&receiver.verify(github_request(nested(64).as_bytes()))),
        "ignored"
    );
    let output = receiver.verify(github_request(nested(65).as_bytes()));
    assert_eq!(verdict(&output), "INGRESS_PAYLOAD");
}

#[test]
fn a37_a_body_may_have_its_limit_and_not_one_byte_more() {
    let receiver = Receiver::github();
    let limit = 8 * 1024 * 1024_usize;
    for (bytes, expected) in [
        (limit - 1, "INGRESS_PAYLOAD"),
        (limit, "INGRESS_PAYLOAD"),
        (limit + 1, "INGRESS_LIMITS"),
    ] {
        let body = vec![b'x'; bytes];
        receiver.file("body", &body);
        let signature = format!("sha256={}", hmac_hex(SECRET, &body));
        let headers = json!({"X-Hub-Signature-256": signature});
        let by_path = json!({"headers": headers, "body_path": receiver.path("body")});
        let by_text = json!({"headers": headers, "body": String::from_utf8(body.clone()).unwrap()});
        let by_base64 = json!({"headers": headers, "body_base64": base64(&body)});
        for document in [by_path, by_text, by_base64] {
            assert_eq!(
                verdict(&receiver.verify(document.to_string())),
                expected,
                "{bytes}"
            );
        }
    }
}

#[test]
fn a37_a_route_may_lower_every_limit_and_raise_githubs_body_to_25_mib() {
    let receiver = Receiver::github();
    let judge = |limits: serde_json::Value, body: &[u8]| {
        receiver.edit("route.json", |route| route["limits"] = limits);
        verdict(&receiver.verify(github_request(body)))
    };
    assert_eq!(judge(json!({"body_bytes": 2}), b"{}"), "ignored");
    assert_eq!(judge(json!({"body_bytes": 1}), b"{}"), "INGRESS_LIMITS");
    assert_eq!(judge(json!({"headers": 3}), b"{}"), "ignored");
    assert_eq!(judge(json!({"headers": 2}), b"{}"), "INGRESS_LIMITS");
    assert_eq!(judge(json!({"name_bytes": 19}), b"{}"), "ignored");
    assert_eq!(judge(json!({"name_bytes": 18}), b"{}"), "INGRESS_LIMITS");
    let weight = 12 + 16 + 14 + 12 + 19 + 71;
    assert_eq!(judge(json!({"header_bytes": weight}), b"{}"), "ignored");
    assert_eq!(
        judge(json!({"header_bytes": weight - 1}), b"{}"),
        "INGRESS_LIMITS"
    );
    assert_eq!(
        judge(json!({"body_bytes": 25 * 1024 * 1024}), b"{}"),
        "ignored"
    );
    for wrong in [
        json!({"body_bytes": 25 * 1024 * 1024 + 1}),
        json!({"headers": 129}),
        json!({"header_bytes": 32769}),
        json!({"name_bytes": 129}),
        json!({"body_bytes": 0}),
        json!({"bodies": 1}),
        json!({"headers": "3"}),
        json!(null),
    ] {
        assert_eq!(judge(wrong.clone(), b"{}"), "CONFIG_INVALID", "{wrong}");
    }
    let gitea = Receiver::fixture("gitea");
    gitea.edit("route.json", |route| {
        route["limits"] = json!({"body_bytes": 8 * 1024 * 1024 + 1});
    });
    assert_eq!(verdict(&gitea.verify("{}")), "CONFIG_INVALID");
}

#[test]
fn a37_headers_have_a_number_a_weight_and_a_form() {
    let receiver = Receiver::github();
    let judge = |more: Vec<(String, String)>| {
        let signature = format!("sha256={}", hmac_hex(SECRET, b"{}"));
        let mut headers = vec![("X-Hub-Signature-256".to_owned(), signature)];
        headers.extend(more);
        let document = json!({"headers": headers, "body": "{}"});
        verdict(&receiver.verify(document.to_string()))
    };
    let numbered = |count: usize| {
        (0..count)
            .map(|at| (format!("h{at}"), String::new()))
            .collect()
    };
    assert_eq!(judge(numbered(127)), "ignored");
    assert_eq!(judge(numbered(128)), "INGRESS_LIMITS");
    assert_eq!(judge(numbered(5000)), "INGRESS_LIMITS");
    let weighing = |bytes: usize| vec![("h".to_owned(), "x".repeat(bytes - 1 - 19 - 71))];
    assert_eq!(judge(weighing(32 * 1024)), "ignored");
    assert_eq!(judge(weighing(32 * 1024 + 1)), "INGRESS_LIMITS");
    assert_eq!(judge(vec![("n".repeat(128), String::new())]), "ignored");
    assert_eq!(
        judge(vec![("n".repeat(129), String::new())]),
        "INGRESS_LIMITS"
    );
    for name in ["", " ", "a b", "a:", "é", "a\u{7f}", "(x)", "a\n"] {
        assert_eq!(
            judge(vec![(name.into(), String::new())]),
            "INGRESS_HEADERS",
            "{name:?}"
        );
    }
    for value in ["a\0", "a\r", "a\nb", "\n"] {
        assert_eq!(
            judge(vec![("x".into(), value.into())]),
            "INGRESS_HEADERS",
            "{value:?}"
        );
    }
}

#[test]
fn a37_a_body_that_never_ends_is_cut_off() {
    let receiver = Receiver::github();
    let mut child = Command::new(env!("CARGO_BIN_EXE_amiss"))
        .args(["ingress-verify", "--cgi", "--route", &receiver.route()])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let block = vec![b'x'; 64 * 1024];
    // Ends with a broken pipe, because the process stops reading and ends.
    while input.write_all(&block).is_ok() {}
    let output = child.wait_with_output().unwrap();
    assert_eq!(verdict(&output), "INGRESS_LIMITS");
}

#[test]
fn a38_gitlabs_plain_token_is_no_signature() {
    let output = judge_s(&request(&[("X-Gitlab-Token", "hunter2")], S_BODY));
    assert_eq!(verdict(&output), "INGRESS_UNSIGNED");
    let error = answer(&output)["error"].to_string();
    assert!(
        error.contains("X-Gitlab-Token") && !error.contains("hunter2"),
        "{error}"
    );
}

#[test]
fn a_body_beside_the_request_is_a_regular_file_that_is_there() {
    let receiver = Receiver::github();
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (body, digest) = v("V8");
    std::fs::write(place("body"), body).unwrap();
    let fifo = Command::new("mkfifo").arg(place("fifo")).status().unwrap();
    assert!(fifo.success());
    let judge = |path: &str| {
        let document = json!({
            "headers": {"X-Hub-Signature-256": format!("sha256={digest}")},
            "body_path": path,
        });
        receiver.verify(document.to_string())
    };
    assert!(authentic(&judge(&place("body"))));
    for (name, wanted) in [
        ("none", (66, "NOT_FOUND")),
        ("fifo", (65, "INPUT_MALFORMED")),
        (".", (65, "INPUT_MALFORMED")),
    ] {
        let output = judge(&place(name));
        assert_eq!((status(&output), code(&output).as_str()), wanted, "{name}");
    }
}

/// The same request would fail again for ever, and status 74 asks for another try.
#[test]
fn a_path_that_can_lead_to_no_body_is_an_error_of_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(place("body"), "{}").unwrap();
    std::os::unix::fs::symlink(place("ring"), place("ring")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place("socket")).unwrap();
    let long = "x".repeat(256);
    for name in ["body/none", "ring", "socket", "a\0b", long.as_str()] {
        let document = json!({"headers": {}, "body_path": place(name)});
        let output = Receiver::github().verify(document.to_string());
        let told = (status(&output), code(&output));
        assert_eq!(told, (65, "INPUT_MALFORMED".to_owned()), "{name:?}");
    }
}

#[test]
fn every_refusal_of_a_request_says_what_to_do_next() {
    let body = fixture_bytes("github/pull_request.opened.json");
    let ours = signed_github(&format!("sha256={}", hmac_hex(SECRET, &body)), &body);
    let foreign = signed_github(&format!("sha256={}", hmac_hex(b"other", &body)), &body);
    let weak = request(&[("X-Hub-Signature", "sha1=00")], &body);
    let standard = |now: &str, signature: &str| {
        let input = signed_standard(S_ID, "1614265330", signature, S_BODY);
        Receiver::fixture("gitlab").verify_with(&["--now-unix-millis", now], input)
    };
    for (output, wanted, words) in [
        (
            Receiver::github().verify(foreign),
            "INGRESS_SIGNATURE",
            "compare the secret",
        ),
        (
            Receiver::github().verify(weak),
            "INGRESS_WEAK_ALGORITHM",
            "SHA-256",
        ),
        (
            rotating().verify_with(&["--now-unix-millis", "999"], ours),
            "INGRESS_KEYS",
            "keyring",
        ),
        (
            standard("1614265330000", "v2,AAAA"),
            "INGRESS_UNSIGNED",
            "another version than v1",
        ),
        (standard("1645801330000", S1), "INGRESS_STALE", "clocks"),
        (standard("1614265000000", S1), "INGRESS_FUTURE", "clocks"),
    ] {
        assert_eq!(verdict(&output), wanted);
        let hint = answer(&output)["error"]["hint"].to_string();
        assert!(hint.contains(words), "{wanted}: {hint}");
    }
}

#[test]
fn a_secret_written_in_hex_is_the_bytes_that_its_digits_say() {
    use std::fmt::Write as _;
    let secret: Vec<u8> = (0..=255).map(|byte: u8| byte.rotate_left(3)).collect();
    let digits = secret.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    });
    let (body, _) = v("V8");
    // A quarter at a time, so that each digit stands in both halves of a byte.
    for part in 0..4 {
        let bytes = &secret[part * 64..][..64];
        let file = &digits[part * 128..][..128];
        let receiver = with_secret("github", "hex", file.as_bytes());
        let signed = signed_github(&format!("sha256={}", hmac_hex(bytes, body)), body);
        assert!(authentic(&receiver.verify(signed)), "{file}");
    }
}

#[test]
fn a34_of_several_keys_that_signed_the_newest_is_the_anchor() {
    const TIME: &str = "1614265330";
    let body = fixture_bytes("gitlab/merge_request.open.json");
    let signed = |key: &[u8]| {
        let parts = [S_ID.as_bytes(), b".", TIME.as_bytes(), b".", &body[..]].concat();
        format!("v1,{}", base64(&hmac(key, &parts)))
    };
    let secrets: [&[u8]; 2] = [&[7; 32], &[9; 32]];
    let signatures = secrets.map(signed).join(" ");
    for (from, anchor) in [([1000, 2000], "b"), ([2000, 1000], "a")] {
        let receiver = Receiver::fixture("gitlab");
        for (name, secret) in ["a.key", "b.key"].iter().zip(secrets) {
            receiver.file(name, format!("whsec_{}", base64(secret)).as_bytes());
        }
        receiver.edit("keyring.json", |ring| {
            let key = ring["keys"][0].clone();
            let keys = ["a", "b"].iter().zip(from).map(|(name, from)| {
                let mut key = key.clone();
                key["anchor"] = json!(name);
                key["secret_file"] = json!(format!("{name}.key"));
                key["active_from_unix_millis"] = json!(from);
                key
            });
            ring["keys"] = keys.collect();
        });
        let now = format!("{TIME}000");
        let input = signed_standard(S_ID, TIME, &signatures, &body);
        let output = receiver.verify_with(&["--now-unix-millis", &now], input);
        assert_eq!(verdict(&output), "accepted", "{output:?}");
        assert_eq!(answer(&output)["delivery"]["proof"]["anchor"], anchor);
    }
}

#[test]
fn a11_a_malformed_signature_says_what_is_wrong_with_its_digits() {
    for (digits, words) in [
        ("A".repeat(64), "upper-case hex digits"),
        ("A".repeat(63), "63 bytes where exactly 64"),
        ("z".repeat(64), "64 bytes where exactly 64"),
    ] {
        let output = github(&format!("sha256={digits}"), b"{}");
        assert_eq!(verdict(&output), "INGRESS_HEADERS");
        let message = answer(&output)["error"]["message"].to_string();
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn without_a_trusted_time_the_hint_says_how_to_give_one() {
    use amiss::clock::ClockError;
    use amiss::code::Coded;
    use amiss::ingress::IngressError;
    let error = amiss::clock::UnixMillis::new(-1).unwrap_err();
    let hint = ClockError::hint(&error);
    assert!(hint.is_some());
    assert_eq!(IngressError::Clock(error).hint(), hint);
}

#[test]
fn a08_a_missing_signature_says_which_other_header_came() {
    let digest = hmac_hex(SECRET, b"{}");
    let value = format!("sha256={digest}");
    let input = request(&[("X-Hub-Signature-256", &value)], b"{}");
    let said = |receiver: Receiver, input: &str| {
        let output = receiver.verify(input);
        assert_eq!(verdict(&output), "INGRESS_UNSIGNED");
        let message = &answer(&output)["error"]["message"];
        message.as_str().unwrap().to_owned()
    };
    let came = said(Receiver::fixture("gitlab"), &input);
    assert!(came.ends_with("; `X-Hub-Signature-256` came"), "{came}");
    let none = said(Receiver::fixture("gitlab"), &request(&[], b"{}"));
    assert!(none.ends_with("missing"), "{none}");
}

#[test]
fn a10_headers_of_another_form_are_told_which_forms_there_are() {
    let output = Receiver::github().verify(r#"{"headers":7,"body":""}"#);
    assert_eq!(verdict(&output), "INPUT_MALFORMED");
    let message = answer(&output)["error"]["message"].to_string();
    assert!(message.contains("header pairs"), "{message}");
    assert!(message.contains("or an object of headers"), "{message}");
}

#[test]
fn a37_a_body_over_its_limit_is_refused_before_it_is_unpacked() {
    use amiss::code::Coded;
    use amiss::ingress::{Request, Route};
    let receiver = Receiver::github();
    receiver.edit("route.json", |route| {
        route["limits"] = json!({"body_bytes": 4});
    });
    let route = Route::load(std::path::Path::new(&receiver.route()), None).unwrap();
    for (body, good) in [(&b"abcd"[..], true), (b"abcde", false), (b"abcdef", false)] {
        let text = String::from_utf8(body.to_vec()).unwrap();
        for document in [
            json!({"headers": [], "body": text}),
            json!({"headers": [], "body_base64": base64(body)}),
        ] {
            let parsed = Request::parse(&document.to_string(), route.limits());
            match parsed {
                Ok(_) => assert!(good, "{document}"),
                Err(error) => {
                    assert!(!good, "{document}");
                    assert_eq!(error.code().name(), "INGRESS_LIMITS");
                }
            }
        }
    }
}
