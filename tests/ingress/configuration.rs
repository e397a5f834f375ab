//! A route or keyring that breaks a rule is found before any input is read.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::receiver::{Receiver, github_request};
use crate::common::{answer, run, status};
use crate::vectors::verdict;

fn routed(forge: &str, change: impl FnOnce(&mut Value)) -> String {
    let receiver = Receiver::fixture(forge);
    receiver.edit("route.json", change);
    verdict(&receiver.verify(github_request(b"{}")))
}

fn without(value: &mut Value, member: &str) {
    value.as_object_mut().unwrap().remove(member);
}

#[test]
fn every_required_member_of_a_route_is_required() {
    for member in [
        "schema",
        "provider",
        "scheme",
        "trust_set",
        "signed_time",
        "keyring",
        "replay_window",
    ] {
        assert_eq!(
            routed("github", |route| without(route, member)),
            "CONFIG_INVALID",
            "{member}"
        );
    }
    for forge in ["gitea", "gitlab", "gitlab-oidc"] {
        let said = routed(forge, |route| without(route, "integration"));
        assert_eq!(said, "CONFIG_INVALID", "{forge}");
    }
    assert_eq!(
        routed("gitlab-oidc", |route| without(route, "oidc")),
        "CONFIG_INVALID"
    );
}

#[test]
fn nothing_that_an_operator_wrote_is_ignored() {
    let changes: [(&str, &str, Value); 32] = [
        ("github", "/more", 1.into()),
        ("github", "/schema", "amiss/route/v2".into()),
        ("github", "/scheme", "GitHub".into()),
        ("github", "/scheme", "bitbucket".into()),
        ("github", "/trust_set", "another".into()),
        ("github", "/trust_set", "".into()),
        ("github", "/provider/namespace", "GitHub".into()),
        ("github", "/provider/instance", "a/b".into()),
        ("github", "/provider/instance", "".into()),
        ("github", "/provider/more", 1.into()),
        ("github", "/integration", "9".into()),
        ("github", "/oidc", json!({})),
        ("github", "/keyring", "nowhere.json".into()),
        (
            "github",
            "/signed_time",
            json!({"required": {"max_age_millis": 1000}}),
        ),
        (
            "gitea",
            "/signed_time",
            json!({"required": {"max_age_millis": 1000}}),
        ),
        ("gitea", "/integration", "a b".into()),
        ("gitlab", "/signed_time", "replay-only".into()),
        ("gitlab", "/signed_time", json!({"required": {}})),
        (
            "gitlab",
            "/signed_time/required/max_age_millis",
            3_600_001.into(),
        ),
        ("gitlab", "/signed_time/required/max_age_millis", 0.into()),
        (
            "gitlab",
            "/signed_time/required/max_age_millis",
            (-1).into(),
        ),
        ("gitlab-oidc", "/signed_time", "replay-only".into()),
        ("gitlab-oidc", "/keyring", "keyring.json".into()),
        ("gitlab-oidc", "/target_branch", "main".into()),
        ("github", "/target_branch", "a..b".into()),
        ("github", "/target_branch", "refs/heads/main".into()),
        ("github", "/target_branch", "".into()),
        ("github", "/future_skew_millis", 300_001.into()),
        ("github", "/future_skew_millis", (-1).into()),
        ("github", "/future_skew_millis", Value::Null),
        ("github", "/replay_window/max_signed_age_millis", 0.into()),
        (
            "github",
            "/replay_window/max_queue_age_millis",
            2_592_000_001_i64.into(),
        ),
    ];
    for (forge, pointer, value) in changes {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let change = |route: &mut Value| {
            route.pointer_mut(parent).unwrap()[name] = value.clone();
        };
        assert_eq!(
            routed(forge, change),
            "CONFIG_INVALID",
            "{forge} {pointer} {value}"
        );
    }
}

#[test]
fn a_token_route_says_all_that_a_token_must_say() {
    let changes: [(&str, Value); 15] = [
        ("/issuer", "http://gitlab.example.org".into()),
        ("/issuer", "https://".into()),
        ("/audience", "".into()),
        ("/jwks_file", "nowhere.json".into()),
        ("/keys", json!([])),
        ("/project/id", 0.into()),
        ("/project/id", "22".into()),
        ("/project/path", "alone".into()),
        ("/job_config/url", "http://x".into()),
        ("/job_config/commit", "main".into()),
        ("/runners", json!({})),
        ("/runners", json!({"hosted": false, "self_hosted": []})),
        ("/runners", json!({"self_hosted": [0]})),
        ("/runners/more", 1.into()),
        ("/more", 1.into()),
    ];
    for (pointer, value) in changes {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let change = |route: &mut Value| {
            route["oidc"].pointer_mut(parent).unwrap()[name] = value.clone();
        };
        assert_eq!(
            routed("gitlab-oidc", change),
            "CONFIG_INVALID",
            "{pointer} {value}"
        );
    }
    for member in [
        "issuer",
        "audience",
        "jwks_file",
        "project",
        "job_config",
        "runners",
    ] {
        let said = routed("gitlab-oidc", |route| without(&mut route["oidc"], member));
        assert_eq!(said, "CONFIG_INVALID", "{member}");
    }
}

fn ringed(change: impl FnOnce(&Receiver, &mut Value)) -> String {
    let receiver = Receiver::github();
    receiver.file("new.key", b"another secret of the hook");
    let path = receiver.path("keyring.json");
    let mut ring: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    change(&receiver, &mut ring);
    receiver.file("keyring.json", ring.to_string().as_bytes());
    verdict(&receiver.verify(github_request(b"{}")))
}

fn key(anchor: &str, file: &str, encoding: &str) -> Value {
    json!({"anchor": anchor, "secret_file": file, "encoding": encoding,
           "active_from_unix_millis": 0, "active_until_unix_millis": null})
}

#[test]
fn a_keyring_holds_one_to_eight_keys_of_different_names_and_secrets() {
    let eight = |count: usize| {
        ringed(|receiver, ring| {
            for at in 0..count {
                receiver.file(
                    &format!("{at}.key"),
                    format!("secret of the hook {at}").as_bytes(),
                );
                let file = format!("{at}.key");
                ring["keys"]
                    .as_array_mut()
                    .unwrap()
                    .push(key(&format!("k{at}"), &file, "raw"));
            }
        })
    };
    assert_eq!(eight(7), "ignored");
    assert_eq!(eight(8), "CONFIG_INVALID");
    let two = |second: Value| ringed(|_, ring| ring["keys"].as_array_mut().unwrap().push(second));
    assert_eq!(two(key("other", "new.key", "raw")), "ignored");
    assert_eq!(two(key("2026-a", "new.key", "raw")), "CONFIG_INVALID");
    assert_eq!(two(key("other", "hook.key", "raw")), "CONFIG_INVALID");
    assert_eq!(two(key("o ther", "new.key", "raw")), "CONFIG_INVALID");
    assert_eq!(two(key("other", "new.key", "Raw")), "CONFIG_INVALID");
}

#[test]
fn two_files_that_hmac_takes_for_one_key_are_one_secret() {
    use crate::common::receiver::{SECRET, base64};
    let same = |bytes: &[u8]| {
        ringed(|receiver, ring| {
            receiver.file("new.key", base64(bytes).as_bytes());
            ring["keys"]
                .as_array_mut()
                .unwrap()
                .push(key("other", "new.key", "base64"));
        })
    };
    assert_eq!(same(SECRET), "CONFIG_INVALID");
    // HMAC fills a short key up with zero bytes.
    assert_eq!(same(&[SECRET, &[0]].concat()), "CONFIG_INVALID");
    assert_eq!(same(&[SECRET, &[1]].concat()), "ignored");
}

#[test]
fn a_key_window_is_whole() {
    for (from, until, good) in [
        (json!(0), json!(null), true),
        (json!(5), json!(9_000_000_000_000_i64), true),
        (json!(5), json!(5), false),
        (json!(6), json!(5), false),
        (json!(-1), json!(null), false),
        (json!(null), json!(null), false),
        (json!("0"), json!(null), false),
        (json!(0.5), json!(null), false),
        (json!(0), json!("x"), false),
    ] {
        let said = ringed(|_, ring| {
            ring["keys"][0]["active_from_unix_millis"] = from.clone();
            ring["keys"][0]["active_until_unix_millis"] = until.clone();
        });
        assert_eq!(
            said,
            if good { "ignored" } else { "CONFIG_INVALID" },
            "{from} {until}"
        );
    }
    for member in [
        "anchor",
        "secret_file",
        "encoding",
        "active_from_unix_millis",
        "active_until_unix_millis",
    ] {
        let said = ringed(|_, ring| without(&mut ring["keys"][0], member));
        assert_eq!(said, "CONFIG_INVALID", "{member}");
    }
    assert_eq!(
        ringed(|_, ring| ring["keys"][0]["more"] = 1.into()),
        "CONFIG_INVALID"
    );
    assert_eq!(
        ringed(|_, ring| ring["schema"] = "amiss/keyring/v2".into()),
        "CONFIG_INVALID"
    );
    assert_eq!(
        ringed(|_, ring| ring["trust_set"] = "other".into()),
        "CONFIG_INVALID"
    );
}

#[test]
fn a_secret_has_its_length_in_every_encoding() {
    use crate::common::receiver::base64;
    use amiss::delivery::digest::hex;
    let judge = |encoding: &str, text: &str| {
        ringed(|receiver, ring| {
            receiver.file("hook.key", text.as_bytes());
            ring["keys"][0]["encoding"] = encoding.into();
        })
    };
    for (bytes, good) in [(15, false), (16, true), (1024, true), (1025, false)] {
        let expected = if good {
            "INGRESS_SIGNATURE"
        } else {
            "CONFIG_INVALID"
        };
        let secret = vec![b'k'; bytes];
        assert_eq!(judge("raw", &"k".repeat(bytes)), expected, "raw {bytes}");
        assert_eq!(judge("hex", &hex(&secret)), expected, "hex {bytes}");
        assert_eq!(
            judge("base64", &base64(&secret)),
            expected,
            "base64 {bytes}"
        );
    }
    for (encoding, text) in [
        ("hex", "0".repeat(33)),
        ("hex", "AB".repeat(16)),
        ("hex", "0x".to_owned() + &"0".repeat(32)),
        ("hex", " ".to_owned() + &"0".repeat(32)),
        ("hex", "0".repeat(32) + " "),
        ("base64", base64(&[7; 20]).trim_end_matches('=').to_owned()),
        ("base64", base64(&[0xff; 18]).replace('/', "_")),
        ("base64", base64(&[7; 16]).replace("w==", "x==")),
    ] {
        assert_eq!(
            judge(encoding, &text),
            "CONFIG_INVALID",
            "{encoding} {text}"
        );
    }
}

#[test]
fn a_secret_file_that_others_can_read_or_write_is_refused_by_name() {
    use std::os::unix::fs::PermissionsExt as _;
    let receiver = Receiver::github();
    for mode in [0o644, 0o640, 0o604, 0o620, 0o602, 0o660, 0o610] {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(receiver.path("hook.key"), permissions).unwrap();
        let output = receiver.verify(github_request(b"{}"));
        assert_eq!(verdict(&output), "CONFIG_INVALID", "{mode:o}");
        let error = answer(&output)["error"].clone();
        assert!(error["message"].as_str().unwrap().contains("hook.key"));
        assert!(error["hint"].as_str().unwrap().starts_with("chmod 600"));
    }
    for mode in [0o600, 0o400] {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(receiver.path("hook.key"), permissions).unwrap();
        assert_eq!(
            verdict(&receiver.verify(github_request(b"{}"))),
            "ignored",
            "{mode:o}"
        );
    }
}

#[test]
fn a_wrong_route_is_found_before_any_input_is_read() {
    // Nobody writes to this input and nobody closes it.
    let mut child = Command::new(env!("CARGO_BIN_EXE_amiss"))
        .args(["ingress-verify", "--route", "/nowhere/route.json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let held = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(held);
    assert_eq!(verdict(&output), "CONFIG_INVALID");
}

fn prepared(signed: &str, queue: &str) -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    std::fs::create_dir(&root).unwrap();
    std::fs::set_permissions(&root, std::fs::Permissions::from_mode(0o700)).unwrap();
    let output = run(
        &[
            "ledger",
            "init",
            "--root",
            root.to_str().unwrap(),
            "--lease-ms",
            "60000",
            "--max-records",
            "100",
            "--max-signed-age-ms",
            signed,
            "--max-queue-age-ms",
            queue,
        ],
        "",
    );
    assert_eq!(status(&output), 0, "{output:?}");
    dir
}

#[test]
fn with_a_root_its_window_counts_and_another_is_refused() {
    let dir = prepared("3600000", "3600000");
    let root = dir.path().join("root");
    let root = root.to_str().unwrap();
    let receiver = Receiver::github();
    let judge =
        |root: &str| verdict(&receiver.verify_with(&["--root", root], github_request(b"{}")));
    assert_eq!(judge(root), "ignored");
    receiver.edit("route.json", |route| without(route, "replay_window"));
    assert_eq!(judge(root), "ignored");
    assert_eq!(
        verdict(&receiver.verify(github_request(b"{}"))),
        "CONFIG_INVALID"
    );
    receiver.edit("route.json", |route| {
        route["replay_window"] =
            json!({"max_signed_age_millis": 3_600_000, "max_queue_age_millis": 3_599_999});
    });
    assert_eq!(judge(root), "ROOT_CONFIGURATION");
    let refused = receiver.verify_with(&["--root", root], github_request(b"{}"));
    let hint = crate::common::answer(&refused)["error"]["hint"].to_string();
    assert!(hint.contains("replay_window"), "{hint}");
    assert_eq!(judge("/nowhere"), "NOT_FOUND");
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(judge(empty.path().to_str().unwrap()), "ROOT_NOT_PREPARED");
}

#[test]
fn the_largest_age_is_at_most_the_roots() {
    let dir = prepared("299999", "1000");
    let root = dir.path().join("root");
    let receiver = Receiver::fixture("gitlab");
    receiver.edit("route.json", |route| without(route, "replay_window"));
    let output = receiver.verify_with(&["--root", root.to_str().unwrap()], "{}");
    assert_eq!(verdict(&output), "CONFIG_INVALID");
}
