//! Tokens of GitLab's policy jobs (known faults, B; wycheproof).

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rsa::pkcs1v15::SigningKey;
use rsa::signature::{SignatureEncoding as _, Signer as _};
use rsa::{BoxedUint, PrivateKey};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::common::answer;
use crate::common::receiver::{Receiver, fixture_bytes, hmac, request};
use crate::vectors::verdict;

static WYCHEPROOF: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_slice(&fixture_bytes("wycheproof/json_web_signature_test.json")).unwrap()
});

fn groups() -> &'static Vec<Value> {
    WYCHEPROOF["testGroups"].as_array().unwrap()
}

/// The published key pair `kid-rsa-sign`.
static KEY: LazyLock<SigningKey<Sha256>> = LazyLock::new(|| {
    let jwk = &groups()
        .iter()
        .find(|group| group["comment"] == "rs256")
        .unwrap()["private"];
    let number = |name: &str| {
        let bytes = URL_SAFE_NO_PAD.decode(jwk[name].as_str().unwrap()).unwrap();
        BoxedUint::from_be_slice_vartime(&bytes)
    };
    let primes = vec![number("p"), number("q")];
    let key = PrivateKey::from_components(number("n"), number("e"), number("d"), primes);
    SigningKey::new(key.unwrap())
});

fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A compact JWS over exactly this header and these claims.
fn sign_text(header: &str, claims: impl AsRef<[u8]>) -> String {
    let signed = format!("{}.{}", b64(header), b64(claims));
    let signature = KEY.sign(signed.as_bytes()).to_vec();
    format!("{signed}.{}", b64(signature))
}

const HEADER: &str = r#"{"alg":"RS256","kid":"kid-rsa-sign","typ":"JWT"}"#;

fn sign(claims: &Value) -> String {
    sign_text(HEADER, claims.to_string())
}

const NOW: i64 = 1_800_000_000_000;

fn claims() -> Value {
    let seconds = NOW / 1000;
    json!({
        "iss": "https://gitlab.example.org",
        "aud": "https://gate.example.org",
        "sub": "project_path:group/sub/project:ref_type:branch:ref:analytical",
        "jti": "c82eeb0c-5c6f-4a33-abf5-4c474b92b558",
        "iat": seconds - 10, "nbf": seconds - 15, "exp": seconds + 3600,
        "job_project_id": "22", "job_project_path": "Group/Sub/Project",
        "pipeline_source": "merge_request_event", "job_source": "pipeline_execution_policy",
        "job_config": {
            "url": "https://gitlab.example.org/security/policies/-/blob/main/gate.yml",
            "sha": "fedcba9876543210fedcba9876543210fedcba98",
        },
        "runner_id": 7, "runner_environment": "self-hosted",
        "pipeline_id": "501", "job_id": "902",
        "sha": "2222222222222222222222222222222222222222",
        "user_login": "ada",
    })
}

fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut claims = claims();
    change(&mut claims);
    claims
}

const HINT: &[u8] = br#"{"merge_request_iid":12}"#;

fn judge_at(receiver: &Receiver, token: &str, body: &[u8], now: i64) -> std::process::Output {
    let input = request(&[("Authorization", &format!("Bearer {token}"))], body);
    receiver.verify_with(&["--now-unix-millis", &now.to_string()], input)
}

fn judge(token: &str) -> String {
    verdict(&judge_at(
        &Receiver::fixture("gitlab-oidc"),
        token,
        HINT,
        NOW,
    ))
}

fn judge_claims(change: impl FnOnce(&mut Value)) -> String {
    judge(&sign(&with(change)))
}

#[test]
fn a_policy_jobs_token_becomes_one_delivery() {
    let receiver = Receiver::fixture("gitlab-oidc");
    let output = judge_at(&receiver, &sign(&claims()), HINT, NOW);
    assert_eq!(verdict(&output), "accepted", "{output:?}");
    let delivery = &answer(&output)["delivery"];
    let provider = json!({"namespace": "gitlab", "instance": "gitlab.example.org"});
    assert_eq!(
        delivery["identity"],
        json!({
            "provider": provider,
            "integration": "policy-job",
            "delivery": "oidc/runner/7/jti/sha256:\
                         7391680574ceb66a38b960951763ec6c2687d82fdc1518f2460fb46a95dfe838",
        })
    );
    assert_eq!(
        delivery["change"],
        json!({
            "provider": provider,
            "repository": {
                "host": "gitlab.example.org", "owner": "group/sub", "name": "project",
            },
            "change": "project/22/merge-request/12",
        })
    );
    assert_eq!(
        delivery["provider_run"],
        json!({
            "run_id": "pipeline/501/job/902", "attempt": 1, "object_format": "sha1",
            "candidate_commit": "2222222222222222222222222222222222222222",
        })
    );
    let issued = NOW - 10_000;
    assert_eq!(
        delivery["replay"],
        json!({
            "retention": "keep-through", "unix_millis": issued + 7_200_000,
            "window": {"max_signed_age_millis": 3_600_000, "max_queue_age_millis": 3_600_000},
        })
    );
    assert_eq!(delivery["proof"]["issued_at_unix_millis"], issued);
    assert_eq!(delivery["proof"]["anchor"], "kid-rsa-sign");
}

#[test]
fn b01_the_audience_is_exactly_one() {
    let audience = "https://gate.example.org";
    for good in [json!(audience), json!([audience])] {
        assert_eq!(judge_claims(|claims| claims["aud"] = good), "accepted");
    }
    for bad in [
        json!([audience, "y"]),
        json!([audience, audience]),
        json!([]),
        json!([1]),
        json!({}),
        json!("https://gate.example.org "),
        json!(null),
        json!(1),
        json!([[audience]]),
        json!("HTTPS://gate.example.org"),
        json!(""),
    ] {
        assert_eq!(
            judge_claims(|claims| claims["aud"] = bad.clone()),
            "INGRESS_CLAIMS",
            "{bad}"
        );
    }
    let missing = |claims: &mut Value| {
        claims.as_object_mut().unwrap().remove("aud");
    };
    assert_eq!(judge_claims(missing), "INGRESS_CLAIMS");
}

#[test]
fn b03_every_algorithm_but_rs256_is_refused_before_a_key_is_looked_up() {
    let claims = claims().to_string();
    for alg in [
        "none", "None", "NONE", "nOnE", "HS256", "PS256", "ES256", "RS384", "rs256", "",
    ] {
        // An unknown key id would be INGRESS_KEYS, if a key were looked up.
        for kid in ["kid-rsa-sign", "unknown"] {
            let header = json!({"alg": alg, "kid": kid}).to_string();
            let signed = format!("{}.{}", b64(&header), b64(&claims));
            for signature in [String::new(), b64([0; 256])] {
                assert_eq!(
                    judge(&format!("{signed}.{signature}")),
                    "INGRESS_TOKEN",
                    "{alg}"
                );
            }
        }
    }
    for header in [
        json!({"kid": "kid-rsa-sign"}),
        json!({"alg": null}),
        json!({"alg": ["RS256"]}),
    ] {
        assert_eq!(
            judge(&sign_text(&header.to_string(), &claims)),
            "INGRESS_TOKEN"
        );
    }
}

#[test]
fn b03_hs256_keyed_with_the_public_key_in_any_encoding_is_refused() {
    let jwks: Value = serde_json::from_slice(&fixture_bytes("gitlab-oidc/jwks.json")).unwrap();
    let n = jwks["keys"][0]["n"].as_str().unwrap();
    let pem = public_pem();
    let modulus = URL_SAFE_NO_PAD.decode(n).unwrap();
    let header = r#"{"alg":"HS256","kid":"kid-rsa-sign"}"#;
    let signed = format!("{}.{}", b64(header), b64(claims().to_string()));
    for key in [
        n.as_bytes(),
        &modulus,
        pem.as_bytes(),
        pem.trim().as_bytes(),
        jwks["keys"][0].to_string().as_bytes(),
        jwks.to_string().as_bytes(),
        b"",
    ] {
        let token = format!("{signed}.{}", b64(hmac(key, signed.as_bytes())));
        assert_eq!(judge(&token), "INGRESS_TOKEN");
    }
}

#[test]
fn b04_keys_and_links_in_the_header_are_refused_and_nothing_is_fetched() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let link = format!("http://{}/keys", listener.local_addr().unwrap());
    let jwks: Value = serde_json::from_slice(&fixture_bytes("gitlab-oidc/jwks.json")).unwrap();
    for (member, value) in [
        ("jwk", jwks["keys"][0].clone()),
        ("jku", json!(link)),
        ("x5u", json!(link)),
        ("x5c", json!(["MIIB"])),
        ("crit", json!(["exp"])),
        ("crit", json!([])),
        ("jwk", json!(null)),
    ] {
        let mut header: Value = serde_json::from_str(HEADER).unwrap();
        header[member] = value;
        let token = sign_text(&header.to_string(), claims().to_string());
        assert_eq!(judge(&token), "INGRESS_TOKEN", "{member}");
    }
    let fetched = listener.accept().map_err(|error| error.kind());
    assert_eq!(fetched.err(), Some(std::io::ErrorKind::WouldBlock));
}

#[test]
fn b08_an_unknown_key_id_hints_at_an_old_key_set() {
    for header in [r#"{"alg":"RS256","kid":"next-year"}"#, r#"{"alg":"RS256"}"#] {
        let token = sign_text(header, claims().to_string());
        let output = judge_at(&Receiver::fixture("gitlab-oidc"), &token, HINT, NOW);
        assert_eq!(verdict(&output), "INGRESS_KEYS");
        assert!(
            answer(&output)["error"]["hint"]
                .as_str()
                .unwrap()
                .contains("may be old")
        );
    }
}

#[test]
fn b09_times_are_json_integers() {
    for claim in ["nbf", "exp", "iat"] {
        let whole = claims()[claim].as_i64().unwrap();
        for bad in [
            format!("\"{whole}\""),
            format!("{whole}.0"),
            format!("{whole}.5"),
            "-1".into(),
            "1e400".into(),
            "1.8e9".into(),
            "null".into(),
            "[]".into(),
            "true".into(),
            "9007199254740992".into(),
            "99999999999999999999999".into(),
            "-0".into(),
        ] {
            let text = with(|claims| claims[claim] = "HERE".into()).to_string();
            let text = text.replace("\"HERE\"", &bad);
            assert_eq!(
                judge(&sign_text(HEADER, text)),
                "INGRESS_CLAIMS",
                "{claim} {bad}"
            );
        }
        let missing = |claims: &mut Value| {
            claims.as_object_mut().unwrap().remove(claim);
        };
        assert_eq!(judge_claims(missing), "INGRESS_CLAIMS");
    }
    let ahead = NOW / 1000 + 3600;
    assert_eq!(
        judge_claims(|claims| claims["nbf"] = ahead.into()),
        "INGRESS_FUTURE"
    );
    // `nbf` and `iat` after `exp` are no claims at all.
    assert_eq!(
        judge_claims(|claims| claims["nbf"] = (ahead + 1).into()),
        "INGRESS_CLAIMS"
    );
    assert_eq!(
        judge_claims(|claims| claims["iat"] = (ahead + 1).into()),
        "INGRESS_CLAIMS"
    );
}

#[test]
fn b10_exp_and_nbf_are_inclusive_at_both_ends_with_any_skew() {
    let receiver = Receiver::fixture("gitlab-oidc");
    // Issued, not before and expiring at one moment: both boundaries are next to each other.
    let moment = NOW / 1000;
    let token = sign(&with(|claims| {
        for claim in ["iat", "nbf", "exp"] {
            claims[claim] = moment.into();
        }
    }));
    for skew in [0, 60_000] {
        receiver.edit("route.json", |route| {
            route["future_skew_millis"] = skew.into();
        });
        for (now, expected) in [
            (NOW - skew - 1, "INGRESS_FUTURE"),
            (NOW - skew, "accepted"),
            (NOW, "accepted"),
            (NOW + skew, "accepted"),
            (NOW + skew + 1, "INGRESS_STALE"),
        ] {
            assert_eq!(
                verdict(&judge_at(&receiver, &token, HINT, now)),
                expected,
                "{skew} {now}"
            );
        }
    }
}

#[test]
fn the_issue_time_obeys_the_routes_age() {
    let receiver = Receiver::fixture("gitlab-oidc");
    let token = sign(&claims());
    let issued = NOW - 10_000;
    let judge = |now: i64| verdict(&judge_at(&receiver, &token, HINT, now));
    assert_eq!(judge(issued + 300_000), "accepted");
    assert_eq!(judge(issued + 300_001), "INGRESS_STALE");
}

#[test]
fn every_claim_that_the_route_fixes_is_needed_and_exact() {
    for claim in [
        "iss",
        "sub",
        "jti",
        "job_project_id",
        "job_project_path",
        "pipeline_source",
        "job_source",
        "job_config",
        "runner_id",
        "runner_environment",
        "pipeline_id",
        "job_id",
        "sha",
    ] {
        for bad in [
            json!(null),
            json!(""),
            json!([]),
            json!({}),
            json!(-1),
            json!(1.5),
            json!("x y"),
        ] {
            if matches!(claim, "sub" | "jti") && bad == "x y" {
                continue;
            }
            assert_eq!(
                judge_claims(|claims| claims[claim] = bad.clone()),
                "INGRESS_CLAIMS",
                "{claim} {bad}"
            );
        }
        let missing = |claims: &mut Value| {
            claims.as_object_mut().unwrap().remove(claim);
        };
        assert_eq!(judge_claims(missing), "INGRESS_CLAIMS", "{claim}");
    }
    let wrong: [(&str, Value); 12] = [
        ("/iss", "https://gitlab.example.org/".into()),
        ("/job_project_id", 23.into()),
        ("/job_project_id", "022".into()),
        ("/job_project_id", "+22".into()),
        ("/job_project_path", "group/sub/project".into()),
        ("/pipeline_source", "push".into()),
        ("/job_source", "pipeline".into()),
        ("/job_config/url", "https://x.example".into()),
        ("/job_config/sha", "0".repeat(40).into()),
        ("/runner_id", 8.into()),
        ("/runner_environment", "gitlab-hosted".into()),
        ("/sha", "2".repeat(64).into()),
    ];
    for (pointer, value) in wrong {
        let change = |claims: &mut Value| *claims.pointer_mut(pointer).unwrap() = value;
        assert_eq!(judge_claims(change), "INGRESS_CLAIMS", "{pointer}");
    }
    assert_eq!(
        judge_claims(|claims| claims["job_project_id"] = 22.into()),
        "accepted"
    );
    assert_eq!(
        judge_claims(|claims| claims["runner_id"] = "7".into()),
        "accepted"
    );
    let twice = claims()
        .to_string()
        .replacen('{', "{\"iss\":\"https://gitlab.example.org\",", 1);
    assert_eq!(judge(&sign_text(HEADER, twice)), "INGRESS_CLAIMS");
}

#[test]
fn a_hosted_runner_counts_only_where_the_route_says_so() {
    let receiver = Receiver::fixture("gitlab-oidc");
    let token = sign(&with(|claims| {
        claims["runner_environment"] = "gitlab-hosted".into();
        claims["runner_id"] = 12_270_831.into();
    }));
    assert_eq!(
        verdict(&judge_at(&receiver, &token, HINT, NOW)),
        "INGRESS_CLAIMS"
    );
    receiver.edit("route.json", |route| {
        route["oidc"]["runners"]["hosted"] = true.into();
    });
    assert_eq!(verdict(&judge_at(&receiver, &token, HINT, NOW)), "accepted");
}

#[test]
fn the_body_is_the_hint_and_nothing_else() {
    let receiver = Receiver::fixture("gitlab-oidc");
    let token = sign(&claims());
    for body in [
        "",
        "{}",
        "[]",
        "12",
        r#"{"merge_request_iid":0}"#,
        r#"{"merge_request_iid":-1}"#,
        r#"{"merge_request_iid":1.0}"#,
        r#"{"merge_request_iid":"12"}"#,
        r#"{"merge_request_iid":12,"more":1}"#,
        r#"{"merge_request_iid":12,"merge_request_iid":12}"#,
        r#"{"merge_request_iid":9007199254740992}"#,
        r#"{"merge_request_iid":12} x"#,
    ] {
        let output = judge_at(&receiver, &token, body.as_bytes(), NOW);
        assert_eq!(verdict(&output), "INGRESS_PAYLOAD", "{body}");
    }
}

#[test]
fn a_token_has_one_form() {
    let good = sign(&claims());
    assert_eq!(judge(&good), "accepted");
    let parts: Vec<&str> = good.split('.').collect();
    let [head, body, signature] = [parts[0], parts[1], parts[2]];
    for bad in [
        format!("{head}.{body}"),
        format!("{head}.{body}."),
        format!("{good}."),
        format!("{good}.x"),
        format!("{head}.{body}.{signature}=="),
        format!(" {good}"),
        format!("{good} "),
        format!("{head}=.{body}.{signature}"),
        format!(".{body}.{signature}"),
        format!("{head} .{body}.{signature}"),
        String::new(),
        "..".into(),
        ".".into(),
        b64("{").clone() + ".e30.AAAA",
        b64("[]") + ".e30.AAAA",
        b64("\u{feff}{}") + ".e30.AAAA",
        b64(r#"{"alg":"RS256","alg":"RS256","kid":"kid-rsa-sign"}"#) + ".e30.AAAA",
        b64(r#"{"alg":"RS256","kid":7}"#) + ".e30.AAAA",
    ] {
        assert_eq!(judge(&bad), "INGRESS_TOKEN", "{bad}");
    }
    let receiver = Receiver::fixture("gitlab-oidc");
    let judge_header = |headers: &[(&str, &str)]| {
        let arguments = ["--now-unix-millis", &NOW.to_string()];
        verdict(&receiver.verify_with(&arguments, request(headers, HINT)))
    };
    let bearer = format!("Bearer {good}");
    assert_eq!(judge_header(&[("authorization", &bearer)]), "accepted");
    assert_eq!(
        judge_header(&[("Authorization", &bearer), ("authorization", &bearer)]),
        "INGRESS_HEADERS"
    );
    assert_eq!(judge_header(&[]), "INGRESS_TOKEN");
    for value in [
        "",
        "Bearer",
        "Bearer ",
        good.as_str(),
        "Basic YTpi",
        &format!("Bearer  {good}"),
    ] {
        assert_eq!(
            judge_header(&[("Authorization", value)]),
            "INGRESS_TOKEN",
            "{value}"
        );
    }
    let long = with(|claims| claims["more"] = "x".repeat(16 * 1024).into());
    assert_eq!(judge(&sign(&long)), "INGRESS_TOKEN");
}

#[test]
fn a_refused_token_says_which_of_its_forms_it_lacks() {
    let receiver = Receiver::fixture("gitlab-oidc");
    let said = |value: &str| {
        let arguments = ["--now-unix-millis", &NOW.to_string()];
        let input = request(&[("Authorization", value)], HINT);
        answer(&receiver.verify_with(&arguments, input))["error"]["message"].to_string()
    };
    for value in ["Basic YTpi", "Bearer ", "Bearer", "Basic "] {
        let message = said(value);
        assert!(message.contains("of the form `Bearer`"), "{message}");
    }
    let claimless = with(|claims| claims["jti"] = "".into());
    let output = judge_at(&receiver, &sign(&claimless), HINT, NOW);
    let message = answer(&output)["error"]["message"].to_string();
    assert!(message.contains("is empty"), "{message}");
    for (bytes, words) in [
        (16 * 1024, "is not three parts"),
        (16 * 1024 + 1, "is over 16384 bytes"),
    ] {
        let message = said(&format!("Bearer {}", "a".repeat(bytes)));
        assert!(message.contains(words), "{bytes}: {message}");
    }
}

#[test]
fn an_explanation_shows_what_a_token_says_of_itself() {
    let receiver = Receiver::fixture("gitlab-oidc");
    let explained = |token: &str| {
        let input = request(&[("Authorization", &format!("Bearer {token}"))], HINT);
        let arguments = ["--explain", "--now-unix-millis", &NOW.to_string()];
        answer(&receiver.verify_with(&arguments, input))["explain"]["token"].clone()
    };
    let input = request(&[("Authorization", "Bearer x")], HINT);
    let output = receiver.verify_with(&["--explain", "--now-unix-millis", &NOW.to_string()], input);
    assert_eq!(
        answer(&output)["explain"]["keys"][0]["anchor"],
        "kid-rsa-sign"
    );
    let seconds = NOW / 1000;
    assert_eq!(
        explained(&sign(&claims())),
        json!({"parts": 3, "alg": "RS256", "kid_is_pinned": true,
               "iat": seconds - 10, "nbf": seconds - 15, "exp": seconds + 3600})
    );
    let foreign = b64(r#"{"alg":"none","kid":"other"}"#) + ".e30";
    assert_eq!(
        explained(&foreign),
        json!({"parts": 2, "alg": "none", "kid_is_pinned": false,
               "iat": null, "nbf": null, "exp": null})
    );
}

#[test]
fn no_changed_token_is_accepted() {
    let token = sign(&claims());
    let changed = crate::sweeps::values(&token);
    // In one process, because there are thousands.
    let mut input = String::new();
    for text in &changed {
        let value = format!("Bearer {text}");
        input.push_str(&request(&[("Authorization", &value)], HINT));
    }
    let count = changed.len();
    let receiver = Receiver::fixture("gitlab-oidc");
    let output = receiver.verify_with(&["--now-unix-millis", &NOW.to_string()], input);
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines.lines().count(), count);
    assert!(
        lines
            .lines()
            .all(|line| line.contains("\"error\"") && !line.contains("\"delivery\""))
    );
    crate::common::figures::tell(&format!("{count} changed tokens, none accepted"));
}

/// A route that pins one public JWK.
fn pinning(jwk: &Value) -> Receiver {
    let receiver = Receiver::fixture("gitlab-oidc");
    receiver.file("jwks.json", json!({"keys": [jwk]}).to_string().as_bytes());
    receiver
}

#[test]
fn wycheproof_every_rs256_case_has_its_answer() {
    let (mut valid, mut invalid) = (0, 0);
    for group in groups() {
        let Some(key) = group.get("public").filter(|key| key["kty"] == "RSA") else {
            continue;
        };
        let of_rs256 = key.get("alg").is_none_or(|alg| alg == "RS256");
        if !of_rs256 {
            continue;
        }
        let receiver = pinning(key);
        for case in group["tests"].as_array().unwrap() {
            let Some(token) = case["jws"].as_str() else {
                panic!("case {} is no compact token", case["tcId"]);
            };
            let said = verdict(&judge_at(&receiver, token, HINT, NOW));
            let id = &case["tcId"];
            if case["result"] == "valid" {
                // The signature holds; the payloads of these vectors are no claims.
                assert_eq!(said, "INGRESS_CLAIMS", "case {id}");
                valid += 1;
            } else {
                let refused = [
                    "INGRESS_TOKEN",
                    "INGRESS_KEYS",
                    "INGRESS_SIGNATURE",
                    "CONFIG_INVALID",
                ];
                assert!(refused.contains(&said.as_str()), "case {id}: {said}");
                invalid += 1;
            }
        }
    }
    crate::common::figures::tell(&format!(
        "wycheproof RS256: {valid} valid, {invalid} invalid"
    ));
    assert_eq!((valid, invalid), (8, 227));
}

#[test]
fn wycheproof_every_case_of_another_algorithm_is_refused() {
    let receiver = Receiver::fixture("gitlab-oidc");
    let mut input = String::new();
    let mut count = 0;
    for group in groups() {
        let key = group.get("public").unwrap_or(&group["private"]);
        if key["alg"] == "RS256" || key.get("alg").is_none() {
            continue;
        }
        for case in group["tests"].as_array().unwrap() {
            let token = case["jws"].as_str().unwrap();
            input.push_str(&request(
                &[("Authorization", &format!("Bearer {token}"))],
                HINT,
            ));
            count += 1;
        }
        if key["kty"] != "oct" && key["kty"] != "EC" {
            assert_eq!(
                verdict(&pinning(key).verify("{}")),
                "CONFIG_INVALID",
                "{}",
                key["alg"]
            );
        }
    }
    let output = receiver.verify_with(&["--now-unix-millis", &NOW.to_string()], input);
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines.lines().count(), count);
    for line in lines.lines() {
        assert!(
            line.contains("INGRESS_TOKEN") || line.contains("INGRESS_KEYS"),
            "{line}"
        );
    }
}

fn public_pem() -> String {
    use rsa::pkcs8::EncodePublicKey as _;
    let jwks: Value = serde_json::from_slice(&fixture_bytes("gitlab-oidc/jwks.json")).unwrap();
    public_key(&jwks["keys"][0])
        .to_public_key_pem(rsa::pkcs8::LineEnding::LF)
        .unwrap()
}

fn public_key(jwk: &Value) -> rsa::PublicKey {
    let number = |name: &str| {
        let bytes = URL_SAFE_NO_PAD.decode(jwk[name].as_str().unwrap()).unwrap();
        BoxedUint::from_be_slice_vartime(&bytes)
    };
    rsa::PublicKey::new(number("n"), number("e")).unwrap()
}

#[test]
fn a_pem_file_pins_a_key_in_either_form() {
    use rsa::pkcs1::EncodeRsaPublicKey as _;
    let jwks: Value = serde_json::from_slice(&fixture_bytes("gitlab-oidc/jwks.json")).unwrap();
    let pkcs1 = public_key(&jwks["keys"][0])
        .to_pkcs1_pem(rsa::pkcs8::LineEnding::LF)
        .unwrap();
    let spki = public_pem();
    let pinned = |pem: &str| {
        let receiver = Receiver::fixture("gitlab-oidc");
        receiver.file("key.pem", pem.as_bytes());
        receiver.edit("route.json", |route| {
            route["oidc"].as_object_mut().unwrap().remove("jwks_file");
            route["oidc"]["keys"] =
                json!([{"kid": "kid-rsa-sign", "anchor": "gitlab-2026-a", "pem_file": "key.pem"}]);
        });
        judge_at(&receiver, &sign(&claims()), HINT, NOW)
    };
    for good in [&spki, &pkcs1, &spki.replace('\n', "\r\n")] {
        let output = pinned(good);
        assert_eq!(verdict(&output), "accepted", "{good}");
        assert_eq!(
            answer(&output)["delivery"]["proof"]["anchor"],
            "gitlab-2026-a"
        );
    }
    let private = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n";
    for bad in [
        "",
        "x",
        private,
        &format!("{spki}{spki}"),
        &format!("{spki}{private}"),
        &spki.replace("PUBLIC KEY", "CERTIFICATE"),
        &spki.replace("PUBLIC KEY", "RSA PUBLIC KEY"),
        &spki[..spki.len() / 2],
    ] {
        let output = pinned(bad);
        assert_eq!(verdict(&output), "CONFIG_INVALID", "{bad}");
        // Only a route and a keyring have a schema that could be shown.
        assert_eq!(answer(&output)["error"]["hint"], Value::Null, "{bad}");
    }
    for two in [format!("{spki}{spki}"), format!("x\n{spki}")] {
        let message = answer(&pinned(&two))["error"]["message"].to_string();
        assert!(message.contains("not one PEM block"), "{message}");
    }
}

#[test]
fn several_pem_files_are_pinned_under_different_ids_and_anchors() {
    let jwks: Value = serde_json::from_slice(&fixture_bytes("gitlab-oidc/jwks.json")).unwrap();
    let mut other = jwks["keys"][0].clone();
    let mut n = URL_SAFE_NO_PAD
        .decode(other["n"].as_str().unwrap())
        .unwrap();
    n[100] ^= 1;
    other["n"] = json!(b64(n));
    let second = {
        use rsa::pkcs8::EncodePublicKey as _;
        let key = public_key(&other);
        key.to_public_key_pem(rsa::pkcs8::LineEnding::LF).unwrap()
    };
    let pinned = |kid: &str, anchor: &str| {
        let receiver = Receiver::fixture("gitlab-oidc");
        receiver.file("one.pem", public_pem().as_bytes());
        receiver.file("two.pem", second.as_bytes());
        receiver.edit("route.json", |route| {
            route["oidc"].as_object_mut().unwrap().remove("jwks_file");
            route["oidc"]["keys"] = json!([
                {"kid": "kid-rsa-sign", "anchor": "a", "pem_file": "one.pem"},
                {"kid": kid, "anchor": anchor, "pem_file": "two.pem"},
            ]);
        });
        judge_at(&receiver, &sign(&claims()), HINT, NOW)
    };
    assert_eq!(verdict(&pinned("other", "b")), "accepted");
    for (kid, anchor, words) in [
        ("kid-rsa-sign", "b", "`kid` `kid-rsa-sign` is there twice"),
        ("other", "a", "anchor `a` is there twice"),
    ] {
        let output = pinned(kid, anchor);
        assert_eq!(verdict(&output), "CONFIG_INVALID");
        let message = answer(&output)["error"]["message"].to_string();
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_key_set_that_could_be_misread_is_a_wrong_configuration() {
    let jwks: Value = serde_json::from_slice(&fixture_bytes("gitlab-oidc/jwks.json")).unwrap();
    let key = jwks["keys"][0].clone();
    let changed = |member: &str, value: Value| {
        let mut key = key.clone();
        key[member] = value;
        key
    };
    let judge = |keys: Value| {
        let receiver = Receiver::fixture("gitlab-oidc");
        receiver.file("jwks.json", json!({"keys": keys}).to_string().as_bytes());
        verdict(&judge_at(&receiver, &sign(&claims()), HINT, NOW))
    };
    assert_eq!(judge(json!([key])), "accepted");
    assert_eq!(
        judge(json!([changed("key_ops", json!(["verify"]))])),
        "accepted"
    );
    let short = {
        // 1024 bits: the upper half of the modulus, made odd.
        let bytes = URL_SAFE_NO_PAD.decode(key["n"].as_str().unwrap()).unwrap();
        let mut half = bytes[..128].to_vec();
        half[127] |= 1;
        b64(half)
    };
    let many: Vec<Value> = (0..17)
        .map(|at| changed("kid", json!(format!("k{at}"))))
        .collect();
    for bad in [
        json!([]),
        json!([key, key]),
        json!([changed("d", json!("AQAB"))]),
        json!([changed("p", json!("AQAB"))]),
        json!([changed("kty", json!("EC"))]),
        json!([changed("kty", json!("oct"))]),
        json!([changed("use", json!("enc"))]),
        json!([changed("key_ops", json!(["sign"]))]),
        json!([changed("key_ops", json!([]))]),
        json!([changed("alg", json!("PS256"))]),
        json!([changed("n", json!(short))]),
        json!([changed(
            "n",
            json!(key["n"].as_str().unwrap().to_owned() + "=")
        )]),
        json!([changed("n", json!("AA"))]),
        json!([changed("e", json!("AQ"))]),
        json!([changed("e", json!("Ag"))]),
        json!([changed("kid", json!(""))]),
        json!([changed("kid", json!(null))]),
        json!(many),
        json!({}),
        json!([1]),
    ] {
        assert_eq!(judge(bad.clone()), "CONFIG_INVALID", "{bad}");
    }
}
