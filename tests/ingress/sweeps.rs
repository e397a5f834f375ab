//! Every flipped bit, every truncation and foreign bytes, for signed requests of each scheme. Each
//! sweep is one process with thousands of documents.

use serde_json::Value;

use crate::common::receiver::{Receiver, SECRET, hmac_hex, request};
use crate::github::vector_payload;
use crate::vectors::{S_BODY, S_ID, S_NOW, S1};

/// Every body that differs in one bit, is cut, or has something more.
fn bodies(body: &[u8]) -> Vec<Vec<u8>> {
    let mut list = Vec::new();
    for at in 0..body.len() {
        for bit in 0..8 {
            let mut other = body.to_vec();
            other[at] ^= 1 << bit;
            list.push(other);
        }
        list.push(body[..at].to_vec());
    }
    for byte in 0..=255 {
        list.push([body, &[byte]].concat());
        list.push([&[byte], body].concat());
    }
    list
}

/// The same for a header's value; the eighth bit makes no text, so a document cannot hold it.
pub fn values(value: &str) -> Vec<String> {
    let mut list = Vec::new();
    for at in 0..value.len() {
        for bit in 0..7 {
            let mut other = value.as_bytes().to_vec();
            other[at] ^= 1 << bit;
            list.push(String::from_utf8(other).unwrap());
        }
        list.push(value[..at].to_owned());
    }
    for more in (0..=0x7f).map(char::from).chain(['\u{e9}']) {
        list.push(format!("{value}{more}"));
        list.push(format!("{more}{value}"));
    }
    list
}

/// Every scheme with the sweep of its signed requests.
const SWEPT: [(&str, &str); 4] = [
    ("github", "no_changed_github_request_is_accepted"),
    ("gitea", "no_changed_gitea_request_is_accepted"),
    ("gitlab-webhook", "no_changed_gitlab_request_is_accepted"),
    ("gitlab-oidc", "no_changed_token_is_accepted"),
];

#[test]
fn every_scheme_of_a_route_has_its_sweep() {
    let schema: Value = serde_json::from_str(include_str!("../../docs/schema/route.json")).unwrap();
    let schemes: Vec<&str> = schema["$defs"]["Scheme"]["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["const"].as_str().unwrap())
        .collect();
    let swept: Vec<&str> = SWEPT.iter().map(|(scheme, _)| *scheme).collect();
    assert_eq!(schemes, swept);
    let sources = [include_str!("sweeps.rs"), include_str!("tokens.rs")].concat();
    for (_, test) in SWEPT {
        assert!(sources.contains(&format!("fn {test}()")), "{test}");
    }
}

fn answers(receiver: &Receiver, requests: &[String]) -> Vec<Value> {
    let output = receiver.verify_with(&["--now-unix-millis", S_NOW], requests.concat());
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), requests.len());
    lines
}

fn none_is_accepted(receiver: &Receiver, good: &str, bad: &[String]) {
    let one = &answers(receiver, &[good.to_owned()])[0];
    assert!(one.get("error").is_none(), "{one}");
    for (input, answer) in bad.iter().zip(answers(receiver, bad)) {
        let code = answer["error"]["code"]
            .as_str()
            .unwrap_or_else(|| panic!("accepted: {input}"));
        assert!(code.starts_with("INGRESS_"), "{code}: {input}");
    }
    crate::common::figures::tell(&format!("{} changed requests, none accepted", bad.len()));
}

#[test]
fn no_changed_github_request_is_accepted() {
    let body = vector_payload().to_string().into_bytes();
    let signature = format!("sha256={}", hmac_hex(SECRET, &body));
    let with = |value: &str, body: &[u8]| request(&[("X-Hub-Signature-256", value)], body);
    let mut bad: Vec<String> = bodies(&body)
        .iter()
        .map(|body| with(&signature, body))
        .collect();
    bad.extend(values(&signature).iter().map(|value| with(value, &body)));
    none_is_accepted(&Receiver::github(), &with(&signature, &body), &bad);
}

#[test]
fn no_changed_github_form_is_accepted() {
    let mut form = b"payload=".to_vec();
    let text = vector_payload().to_string();
    form.extend(form_urlencoded::byte_serialize(text.as_bytes()).flat_map(str::bytes));
    let signature = format!("sha256={}", hmac_hex(SECRET, &form));
    let with = |body: &[u8]| {
        let headers = [
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("X-Hub-Signature-256", signature.as_str()),
        ];
        request(&headers, body)
    };
    let bad: Vec<String> = bodies(&form).iter().map(|body| with(body)).collect();
    none_is_accepted(&Receiver::github(), &with(&form), &bad);
}

#[test]
fn no_changed_gitea_request_is_accepted() {
    let body = vector_payload().to_string().into_bytes();
    let signature = hmac_hex(SECRET, &body);
    for header in ["X-Gitea-Signature", "X-Forgejo-Signature"] {
        let with = |value: &str, body: &[u8]| request(&[(header, value)], body);
        let mut bad: Vec<String> = bodies(&body)
            .iter()
            .map(|body| with(&signature, body))
            .collect();
        bad.extend(values(&signature).iter().map(|value| with(value, &body)));
        none_is_accepted(&Receiver::fixture("gitea"), &with(&signature, &body), &bad);
    }
}

#[test]
fn a_changed_gitea_form_is_refused_or_is_the_same_delivery() {
    let text = vector_payload().to_string();
    let signature = hmac_hex(SECRET, text.as_bytes());
    let mut form = b"payload=".to_vec();
    form.extend(form_urlencoded::byte_serialize(text.as_bytes()).flat_map(str::bytes));
    let headers = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("X-Gitea-Signature", signature.as_str()),
    ];
    let receiver = Receiver::fixture("gitea");
    let good = answers(&receiver, &[request(&headers, &form)])[0].clone();
    assert!(good["delivery"]["identity"].is_object());
    let changed: Vec<String> = bodies(&form)
        .iter()
        .map(|body| request(&headers, body))
        .collect();
    let mut same = 0;
    for answer in answers(&receiver, &changed) {
        // `%7b` and `%7B` are one text: the forge signs the text and not its wrapping.
        if answer.get("error").is_none() {
            for member in ["identity", "change", "provider_run", "replay"] {
                assert_eq!(answer["delivery"][member], good["delivery"][member]);
            }
            same += 1;
        }
    }
    assert!(same * 10 < changed.len(), "{same} of {}", changed.len());
}

#[test]
fn no_changed_gitlab_request_is_accepted() {
    let with = |id: &str, time: &str, signature: &str, body: &[u8]| {
        crate::vectors::signed_standard(id, time, signature, body)
    };
    let time = "1614265330";
    let mut bad: Vec<String> = bodies(S_BODY)
        .iter()
        .map(|body| with(S_ID, time, S1, body))
        .collect();
    bad.extend(values(S_ID).iter().map(|id| with(id, time, S1, S_BODY)));
    bad.extend(values(time).iter().map(|time| with(S_ID, time, S1, S_BODY)));
    bad.extend(
        values(S1)
            .iter()
            .map(|signature| with(S_ID, time, signature, S_BODY)),
    );
    none_is_accepted(
        &Receiver::fixture("gitlab"),
        &with(S_ID, time, S1, S_BODY),
        &bad,
    );
}
