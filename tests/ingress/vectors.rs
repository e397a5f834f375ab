//! The vectors V and S: digests that others published or computed.

use crate::common::receiver::{Receiver, request};
use crate::common::{answer, status};

/// Accepted, ignored, or the code of the refusal; the status and the answer must agree.
pub fn verdict(output: &std::process::Output) -> String {
    let answer = answer(output);
    let said = if answer.get("delivery").is_some() {
        "accepted".to_owned()
    } else if answer.get("ignored").is_some() {
        "ignored".to_owned()
    } else {
        answer["error"]["code"].as_str().unwrap().to_owned()
    };
    let expected = match said.as_str() {
        "accepted" | "ignored" => 0,
        code => i32::from(amiss::code::Code::parse(code).unwrap().status()),
    };
    assert_eq!(status(output), expected, "{said}");
    said
}

/// Whether the signature held: what comes after it is not this test's business.
pub fn authentic(output: &std::process::Output) -> bool {
    matches!(
        verdict(output).as_str(),
        "accepted" | "ignored" | "INGRESS_PAYLOAD"
    )
}

/// A request to GitHub's route with this signature header.
pub fn signed_github(value: &str, body: &[u8]) -> String {
    request(&[("X-Hub-Signature-256", value)], body)
}

pub const V: [(&str, &[u8], &str); 9] = [
    (
        "V1",
        b"Hello, World!",
        "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    ),
    (
        "V2",
        b"Hello, World!\n",
        "8fde2e970f9163923fb1cb61bb945626ff2b4091d87e622ee3ad600160592325",
    ),
    (
        "V3",
        b"Hello, World!\r\n",
        "7b1f7ebf33bc0c52ec3b2b45c2dd6611cdb425f92c4a4aa27ce1ef5cca9589e7",
    ),
    (
        "V4",
        b"\xEF\xBB\xBFHello, World!",
        "80ee6e59c2c455a62ca908d9fca9167a761193b44e028fa717a67a15f68a8f0d",
    ),
    (
        "V7",
        b"\xFF\xFE",
        "ef27d5131fb55930ff2e45e326d41474997a2475124f05fef83c9729e5b0b6c1",
    ),
    (
        "V8",
        b"{\"msg\":\"\xF0\x9F\x98\x8A\"}",
        "927c109a639866a92e8c9a99438e490e2f4b8f2e84a152e271d1953d778bad19",
    ),
    (
        "V9",
        b"{\"msg\":\"\\ud83d\\ude0a\"}",
        "9a6742013a39c9821a67b1e7f1d24c4f66a5da66fc48b2479e20f9bdad4ecaf5",
    ),
    (
        "V11",
        b"{\"a\":1}",
        "3aea7d9882012d69ea49b8443b94e755179f85ee830bfa901efb5dc673af63a3",
    ),
    (
        "V12",
        b"{\"a\": 1}",
        "7388c7c160ec53bd8adea147df9d7e672295565e7cb6178c9b58f550e92a553d",
    ),
];
pub const V13_BODY: &[u8] = b"payload=%7B%22a%22%3A1%7D";
pub const V13: &str = "866d7eddb21f3c75ba35c06e5b89f15a9043060c50941fceecc448035cff0a85";
pub const V14: &str = "59105a2da8182e5e7d6b699ca7f738081e03db4f55149c9af1ec7d424ca3e19c";
pub const V15: &str = "2bbcfa9524f3218c7a34b30e6936f8b1a4516cb097f1a85a1c7d98b5977ec769";

/// Body and digest of a vector.
pub fn v(id: &str) -> (&'static [u8], &'static str) {
    let (_, body, digest) = V.iter().find(|(name, _, _)| *name == id).unwrap();
    (body, digest)
}

#[test]
fn every_v_vector_verifies_with_its_own_digest_and_no_other() {
    let github = Receiver::github();
    let gitea = Receiver::fixture("gitea");
    for (one, body, _) in V {
        for (two, _, digest) in V {
            let output = github.verify(signed_github(&format!("sha256={digest}"), body));
            assert_eq!(
                authentic(&output),
                one == two,
                "body of {one}, digest of {two}"
            );
        }
    }
    for (name, body, digest) in V {
        let output = gitea.verify(request(&[("X-Gitea-Signature", digest)], body));
        assert!(authentic(&output), "{name}");
    }
}

pub const S_ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
pub const S_BODY: &[u8] = b"{\"test\": 2432232314}";
pub const S1: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
pub const S_NOW: &str = "1614265330000";

/// A request with the three headers of Standard Webhooks.
pub fn signed_standard(id: &str, time: &str, signature: &str, body: &[u8]) -> String {
    request(
        &[
            ("webhook-id", id),
            ("webhook-timestamp", time),
            ("webhook-signature", signature),
        ],
        body,
    )
}

/// Judges a request at the time of the S vectors.
pub fn judge_s(input: &str) -> std::process::Output {
    Receiver::fixture("gitlab").verify_with(&["--now-unix-millis", S_NOW], input)
}

#[test]
fn s1_the_published_vector_verifies() {
    assert_eq!(
        verdict(&judge_s(&signed_standard(S_ID, "1614265330", S1, S_BODY))),
        "ignored"
    );
}

#[test]
fn s3_an_entry_that_is_not_version_and_data_is_refused_and_unknown_versions_are_skipped() {
    let judge = |list: String| {
        verdict(&judge_s(&signed_standard(
            S_ID,
            "1614265330",
            &list,
            S_BODY,
        )))
    };
    assert_eq!(judge(format!("junk {S1}")), "INGRESS_HEADERS");
    assert_eq!(judge(format!("v2,AAAA {S1}")), "ignored");
    assert_eq!(judge(format!("v1a,AAAA {S1}")), "ignored");
    assert_eq!(judge("v2,AAAA v1a,AAAA".into()), "INGRESS_UNSIGNED");
    let upper = S1.replacen('v', "V", 1);
    assert_eq!(judge(upper.clone()), "INGRESS_UNSIGNED");
    assert_eq!(judge(format!("{upper} {S1}")), "ignored");
    let other = "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    assert_eq!(judge(format!("{other} {S1}")), "ignored");
    for bad in [
        format!("{S1} {S1}"),
        format!(" {S1}"),
        format!("{S1} "),
        format!("{other}  {S1}"),
        format!(",AAAA {S1}"),
        format!("v1, {S1}"),
        format!("v1,AAAA {S1}"),
        format!("v1,{} {S1}", "A".repeat(43)),
        format!("{S1},"),
        format!("{S1}\t{other}"),
        "v1".into(),
    ] {
        assert_eq!(judge(bad.clone()), "INGRESS_HEADERS", "{bad}");
    }
}

#[test]
fn eight_signatures_are_read_and_a_ninth_is_refused() {
    use crate::common::receiver::base64;
    let list = |others: u8| {
        let entries = (0..others).map(|at| format!("v1,{}", base64(&[at; 32])));
        let entries: Vec<String> = entries.chain([S1.to_owned()]).collect();
        verdict(&judge_s(&signed_standard(
            S_ID,
            "1614265330",
            &entries.join(" "),
            S_BODY,
        )))
    };
    assert_eq!(list(7), "ignored");
    assert_eq!(list(8), "INGRESS_HEADERS");
}

#[test]
fn s6_a_signed_timestamp_that_is_not_canonical_is_refused() {
    let signature = "v1,JQsSpSSK1m9NI2FueDRZN3FL/jU9336idQcq6VmF+c8=";
    let output = judge_s(&signed_standard(S_ID, "+1614265330", signature, S_BODY));
    assert_eq!(verdict(&output), "INGRESS_HEADERS");
}

#[test]
fn s11_a_body_that_is_no_text_verifies() {
    let signature = "v1,dnDi5GZ3Te6lvRJ+A/l7mt41DfmU9c0vC3pjxJYxUg8=";
    let output = judge_s(&signed_standard(S_ID, "1614265330", signature, b"\xFF\xFE"));
    assert_eq!(verdict(&output), "INGRESS_PAYLOAD");
}

#[test]
fn s12_an_id_with_a_dot_is_refused() {
    use crate::common::receiver::{base64, hmac};
    let key = amiss_key();
    for id in ["msg.with.dots", "a.1"] {
        let message = [id.as_bytes(), b".1614265330.", S_BODY].concat();
        let signature = format!("v1,{}", base64(&hmac(&key, &message)));
        let output = judge_s(&signed_standard(id, "1614265330", &signature, S_BODY));
        assert_eq!(verdict(&output), "INGRESS_HEADERS");
    }
}

/// The secret of the S vectors, decoded.
pub fn amiss_key() -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD
        .decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        .unwrap()
}

/// A v1 signature of the S vectors' key.
pub fn sign_s(id: &str, time: &str, body: &[u8]) -> String {
    use crate::common::receiver::{base64, hmac};
    let message = [id.as_bytes(), b".", time.as_bytes(), b".", body].concat();
    format!("v1,{}", base64(&hmac(&amiss_key(), &message)))
}
