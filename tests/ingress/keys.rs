//! Several keys: which one counts, and when it cannot be told.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rsa::BoxedUint;
use rsa::pkcs8::EncodePublicKey as _;
use serde_json::{Value, json};

use crate::common::answer;
use crate::common::receiver::{Receiver, base64, fixture_bytes, hmac, request};
use crate::vectors::verdict;

/// A published RSA key of the vectors.
fn published(kid: &str) -> Value {
    let vectors: Value =
        serde_json::from_slice(&fixture_bytes("wycheproof/json_web_signature_test.json")).unwrap();
    let groups = vectors["testGroups"].as_array().unwrap();
    let group = groups.iter().find(|group| group["public"]["kid"] == kid);
    group.unwrap()["public"].clone()
}

fn pem(key: &Value) -> String {
    let number = |name: &str| {
        let bytes = URL_SAFE_NO_PAD.decode(key[name].as_str().unwrap()).unwrap();
        BoxedUint::from_be_slice_vartime(&bytes)
    };
    rsa::PublicKey::new(number("n"), number("e"))
        .unwrap()
        .to_public_key_pem(rsa::pkcs8::LineEnding::LF)
        .unwrap()
}

/// What a token route answers to any request, and why.
fn judged(receiver: &Receiver) -> (String, String) {
    let output = receiver.verify(request(&[("Authorization", "Bearer a.b.c")], b"{}"));
    let reason = answer(&output)["error"]["message"].to_string();
    (verdict(&output), reason)
}

#[test]
fn two_different_keys_for_one_id_are_a_wrong_configuration_in_a_key_set_and_in_pem_files() {
    let (one, mut other) = (published("kid-rsa-sign"), published("RS256_2048"));
    assert_ne!(one["n"], other["n"]);
    let set = |keys: &[&Value]| {
        let receiver = Receiver::fixture("gitlab-oidc");
        receiver.file("jwks.json", json!({ "keys": keys }).to_string().as_bytes());
        judged(&receiver)
    };
    // Under an id each, both are pinned, and only the token is at fault.
    assert_eq!(set(&[&one, &other]).0, "INGRESS_TOKEN");
    other["kid"] = one["kid"].clone();
    for keys in [[&one, &other], [&other, &one], [&one, &one]] {
        let (code, reason) = set(&keys);
        assert_eq!(code, "CONFIG_INVALID");
        assert!(reason.contains("`kid-rsa-sign` is there twice"), "{reason}");
    }
    let pinned = |pins: [[&str; 2]; 2]| {
        let receiver = Receiver::fixture("gitlab-oidc");
        receiver.file("one.pem", pem(&one).as_bytes());
        receiver.file("two.pem", pem(&other).as_bytes());
        receiver.edit("route.json", |route| {
            route["oidc"].as_object_mut().unwrap().remove("jwks_file");
            let [[first, a], [second, b]] = pins;
            route["oidc"]["keys"] = json!([
                {"kid": first, "anchor": a, "pem_file": "one.pem"},
                {"kid": second, "anchor": b, "pem_file": "two.pem"},
            ]);
        });
        judged(&receiver)
    };
    assert_eq!(pinned([["k1", "a"], ["k2", "b"]]).0, "INGRESS_TOKEN");
    for (pins, twice) in [
        ([["k1", "a"], ["k1", "b"]], "`k1` is there twice"),
        ([["k1", "a"], ["k2", "a"]], "`a` is there twice"),
    ] {
        let (code, reason) = pinned(pins);
        assert_eq!(code, "CONFIG_INVALID", "{pins:?}");
        assert!(reason.contains(twice), "{reason}");
    }
}

/// When the request is signed and judged.
const NOW: i64 = 1_800_000_000;

#[test]
fn of_several_keys_that_signed_one_request_the_newest_is_named() {
    let body = fixture_bytes("gitlab/merge_request.open.json");
    let secrets = [[1_u8; 24], [2; 24], [3; 24]];
    let signed = [
        b"message.".as_slice(),
        NOW.to_string().as_bytes(),
        b".",
        &body,
    ]
    .concat();
    let entry = |at: usize| format!("v1,{}", base64(&hmac(&secrets[at], &signed)));
    // The newest that is active is the second; the third begins later.
    let key = |at: usize, name: &str, from: i64| {
        json!({"anchor": name, "secret_file": format!("{at}.key"), "encoding": "whsec",
               "active_from_unix_millis": from, "active_until_unix_millis": null})
    };
    let keys = [
        key(0, "old", 0),
        key(1, "new", 1000),
        key(2, "next", NOW * 1000 + 1),
    ];
    let judge = |order: [usize; 3], signatures: &str| {
        let receiver = Receiver::fixture("gitlab");
        for (at, secret) in secrets.iter().enumerate() {
            let text = format!("whsec_{}\n", base64(secret));
            receiver.file(&format!("{at}.key"), text.as_bytes());
        }
        receiver.edit("keyring.json", |ring| {
            ring["keys"] = order.iter().map(|at| keys[*at].clone()).collect();
        });
        let time = NOW.to_string();
        let headers = [
            ("webhook-id", "message"),
            ("webhook-timestamp", &time),
            ("webhook-signature", signatures),
        ];
        let now = (NOW * 1000).to_string();
        let input = request(&headers, &body);
        let output = receiver.verify_with(&["--now-unix-millis", &now], input);
        assert_eq!(verdict(&output), "accepted", "{output:?}");
        answer(&output)["delivery"]["proof"]["anchor"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0], [2, 0, 1]] {
        for signatures in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let list = signatures.map(entry).join(" ");
            assert_eq!(judge(order, &list), "new", "{order:?} {signatures:?}");
        }
        // Only the older one signed: it counts, and it is the one that is named.
        assert_eq!(judge(order, &entry(0)), "old", "{order:?}");
    }
}
