//! Decoding: what makes work, what is ignored, and what is no payload.

use serde_json::{Value, json};

use crate::common::answer;
use crate::common::receiver::{Receiver, SECRET, fixture_bytes, github_request, hmac_hex, request};
use crate::github::vector_payload;
use crate::vectors::{sign_s, signed_standard, verdict};

fn github(change: impl FnOnce(&mut Value)) -> String {
    let mut payload = vector_payload();
    change(&mut payload);
    verdict(&Receiver::github().verify(github_request(payload.to_string().as_bytes())))
}

fn set(pointer: &str, value: Value) -> impl FnOnce(&mut Value) {
    move |payload| {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        payload.pointer_mut(parent).unwrap()[name] = value;
    }
}

#[test]
fn github_actions_that_make_work_are_four() {
    for action in ["opened", "reopened", "synchronize"] {
        assert_eq!(
            github(set("/action", action.into())),
            "accepted",
            "{action}"
        );
    }
    for action in ["closed", "labeled", "synchronized", "Opened", "edited", ""] {
        assert_eq!(github(set("/action", action.into())), "ignored", "{action}");
    }
    let edited = |changes: Value| {
        github(|payload| {
            payload["action"] = "edited".into();
            payload["changes"] = changes;
        })
    };
    assert_eq!(
        edited(json!({"base": {"ref": {"from": "dev"}, "sha": {"from": "x"}}})),
        "accepted"
    );
    assert_eq!(edited(json!({"title": {"from": "x"}})), "ignored");
    assert_eq!(edited(json!({"base": {}})), "ignored");
    // Gitea's spelling is not GitHub's.
    assert_eq!(edited(json!({"ref": {"from": "dev"}})), "ignored");
}

#[test]
fn events_that_only_carry_a_pull_request_are_ignored() {
    for member in ["review", "comment", "thread", "issue"] {
        assert_eq!(
            github(|payload| payload[member] = json!({"id": 1})),
            "ignored",
            "{member}"
        );
        assert_eq!(
            github(|payload| payload[member] = Value::Null),
            "accepted",
            "{member}"
        );
    }
    assert_eq!(
        github(|payload| payload["pull_request"] = Value::Null),
        "ignored"
    );
}

#[test]
fn what_the_payload_says_twice_must_agree() {
    for (pointer, value) in [
        ("/repository/full_name", json!("Octo-Org/Other")),
        ("/repository/name", json!("Other")),
        ("/repository/owner/login", json!("Other")),
        ("/repository/id", json!(9)),
        ("/pull_request/base/repo/full_name", json!("Octo-Org/Other")),
        ("/pull_request/base/repo/name", json!("Other")),
        ("/pull_request/base/repo/owner/login", json!("Other")),
        ("/pull_request/base/repo/id", json!(9)),
        ("/pull_request/number", json!(8)),
        ("/number", json!(8)),
        ("/pull_request/base/sha", json!("8".repeat(64))),
    ] {
        assert_eq!(
            github(set(pointer, value.clone())),
            "INGRESS_PAYLOAD",
            "{pointer} {value}"
        );
    }
    assert_eq!(
        github(set("/repository/full_name", json!("OCTO-ORG/hello-world"))),
        "accepted"
    );
}

#[test]
fn ids_are_positive_integers_and_nothing_else() {
    for pointer in [
        "/number",
        "/repository/id",
        "/pull_request/id",
        "/installation/id",
    ] {
        for bad in [
            json!(0),
            json!(-1),
            json!(1.0),
            json!(1.5),
            json!("7"),
            json!(null),
            json!(true),
            json!(9_007_199_254_740_992_u64),
            json!([]),
            json!(1e3),
        ] {
            assert_eq!(
                github(set(pointer, bad.clone())),
                "INGRESS_PAYLOAD",
                "{pointer} {bad}"
            );
        }
    }
    let largest = github(set("/installation/id", json!(9_007_199_254_740_991_u64)));
    assert_eq!(largest, "accepted");
    let missing = |payload: &mut Value| {
        payload.as_object_mut().unwrap().remove("installation");
    };
    assert_eq!(github(missing), "INGRESS_PAYLOAD");
}

#[test]
fn object_ids_and_refs_are_legal() {
    for bad in [
        json!("0123456789ABCDEF0123456789abcdef01234567"),
        json!("0123"),
        json!("0".repeat(41)),
        json!("g".repeat(40)),
        json!(""),
        json!(null),
        json!("HEAD"),
        json!("0".repeat(39)),
    ] {
        for pointer in ["/pull_request/head/sha", "/pull_request/base/sha"] {
            assert_eq!(
                github(set(pointer, bad.clone())),
                "INGRESS_PAYLOAD",
                "{pointer} {bad}"
            );
        }
    }
    for bad in [
        "",
        "a..b",
        "a b",
        "-\u{7f}",
        "a\nb",
        "a~1",
        "a^",
        "a:b",
        "a?",
        "*",
        "[",
        "\\",
        "a.lock",
        "/a",
        "a/",
        "a//b",
        ".a",
        "a.",
        "a@{1}",
        "refs/heads/main",
    ] {
        for pointer in ["/pull_request/head/ref", "/pull_request/base/ref"] {
            assert_eq!(
                github(set(pointer, bad.into())),
                "INGRESS_PAYLOAD",
                "{pointer} {bad:?}"
            );
        }
    }
    for good in ["feature/x", "-x", "é", "a'$(b)", "v1.2"] {
        assert_eq!(
            github(set("/pull_request/head/ref", good.into())),
            "accepted",
            "{good}"
        );
    }
    let sha256 = |payload: &mut Value| {
        payload["pull_request"]["head"]["sha"] = "a".repeat(64).into();
        payload["pull_request"]["base"]["sha"] = "b".repeat(64).into();
    };
    let mut payload = vector_payload();
    sha256(&mut payload);
    let output = Receiver::github().verify(github_request(payload.to_string().as_bytes()));
    assert_eq!(
        answer(&output)["delivery"]["provider_run"]["object_format"],
        "sha256"
    );
}

#[test]
fn repository_names_are_lower_cased_and_legal() {
    for (pointer, bad) in [
        ("/name", ".."),
        ("/name", "a/b"),
        ("/name", ""),
        ("/name", "a b"),
        ("/name", "é"),
        ("/owner/login", ""),
        ("/owner/login", "-a"),
        ("/owner/login", "a b"),
    ] {
        let said = github(|payload| {
            for place in ["/repository", "/pull_request/base/repo"] {
                let repository = payload.pointer_mut(place).unwrap();
                *repository.pointer_mut(pointer).unwrap() = bad.into();
                let full = format!(
                    "{}/{}",
                    repository["owner"]["login"].as_str().unwrap(),
                    repository["name"].as_str().unwrap()
                );
                repository["full_name"] = full.into();
            }
        });
        assert_eq!(said, "INGRESS_PAYLOAD", "{pointer} {bad}");
    }
}

#[test]
fn a_repeated_member_anywhere_is_no_payload() {
    let payload = vector_payload().to_string();
    for (from, to) in [
        ("{\"action\"", "{\"action\":\"closed\",\"action\""),
        ("\"sha\":", "\"sha\":\"x\",\"sha\":"),
        ("{\"action\"", "{\"x\":[{\"a\":1,\"a\":1}],\"action\""),
        ("{\"action\"", "{\"\\u0061ction\":\"closed\",\"action\""),
    ] {
        let text = payload.replacen(from, to, 1);
        assert_ne!(text, payload);
        let output = Receiver::github().verify(github_request(text.as_bytes()));
        assert_eq!(verdict(&output), "INGRESS_PAYLOAD", "{to}");
    }
    // Also in an event that would be ignored.
    let output = Receiver::github().verify(github_request(br#"{"zen":1,"zen":2}"#));
    assert_eq!(verdict(&output), "INGRESS_PAYLOAD");
    for body in [
        "",
        "[]",
        "12",
        "null",
        "\"x\"",
        "{} {}",
        "{}x",
        "\u{feff}{}",
        "{",
        "<xml/>",
    ] {
        let output = Receiver::github().verify(github_request(body.as_bytes()));
        assert_eq!(verdict(&output), "INGRESS_PAYLOAD", "{body:?}");
    }
}

#[test]
fn a_route_with_a_target_branch_takes_no_other() {
    let receiver = Receiver::github();
    receiver.edit("route.json", |route| route["target_branch"] = "main".into());
    let judge = |branch: &str, action: &str| {
        let mut payload = vector_payload();
        payload["pull_request"]["base"]["ref"] = branch.into();
        payload["action"] = action.into();
        verdict(&receiver.verify(github_request(payload.to_string().as_bytes())))
    };
    assert_eq!(judge("main", "opened"), "accepted");
    assert_eq!(judge("Main", "opened"), "INGRESS_ROUTE");
    assert_eq!(judge("main2", "opened"), "INGRESS_ROUTE");
    assert_eq!(judge("dev", "closed"), "ignored");
}

#[test]
fn provider_facts_come_from_the_route_and_the_signed_body_and_no_header() {
    let body = vector_payload().to_string();
    let signature = format!("sha256={}", hmac_hex(SECRET, body.as_bytes()));
    for event in ["push", "ping", "pull_request", ""] {
        let headers = [
            ("X-GitHub-Event", event),
            ("X-GitHub-Hook-Installation-Target-ID", "999"),
            ("Host", "evil.example"),
            ("X-Hub-Signature-256", &signature),
        ];
        let output = Receiver::github().verify(request(&headers, body.as_bytes()));
        assert_eq!(
            answer(&output)["delivery"]["identity"]["integration"],
            "234"
        );
        assert_eq!(
            answer(&output)["delivery"]["change"]["repository"]["host"],
            "github.com"
        );
    }
}

fn gitea(payload: &Value) -> std::process::Output {
    let body = payload.to_string();
    let digest = hmac_hex(SECRET, body.as_bytes());
    Receiver::fixture("gitea").verify(request(&[("X-Gitea-Signature", &digest)], body.as_bytes()))
}

#[test]
fn the_gitea_vector_of_page_2_holds() {
    let mut payload = vector_payload();
    payload.as_object_mut().unwrap().remove("installation");
    let output = gitea(&payload);
    let delivery = &answer(&output)["delivery"];
    assert_eq!(
        delivery["provider_run"]["run_id"],
        "pr:sha256:b7a16150cf74653ddbec8b24d3cb600e7bc364fdc3e84283b87952d09241aaf6"
    );
    assert_eq!(delivery["identity"]["integration"], "9");
    assert_eq!(delivery["replay"], json!({"retention": "permanent"}));
}

#[test]
fn a_gitea_pull_request_becomes_one_delivery_and_its_actions_are_four() {
    let payload: Value =
        serde_json::from_slice(&fixture_bytes("gitea/pull_request.opened.json")).unwrap();
    let output = gitea(&payload);
    let delivery = answer(&output)["delivery"].clone();
    assert_eq!(
        delivery["change"]["change"],
        "repository/31/pull/77/number/4"
    );
    assert_eq!(
        delivery["change"]["repository"],
        json!({"host": "git.example.org", "owner": "ada", "name": "engine"})
    );
    let act = |action: &str, changes: Value| {
        let mut payload = payload.clone();
        payload["action"] = action.into();
        payload["changes"] = changes;
        verdict(&gitea(&payload))
    };
    for action in ["opened", "reopened", "synchronized"] {
        assert_eq!(act(action, Value::Null), "accepted", "{action}");
    }
    for action in [
        "closed",
        "synchronize",
        "reviewed",
        "label_updated",
        "edited",
    ] {
        assert_eq!(act(action, Value::Null), "ignored", "{action}");
    }
    assert_eq!(act("edited", json!({"ref": {"from": "dev"}})), "accepted");
    assert_eq!(act("edited", json!({"title": {"from": "x"}})), "ignored");
    // GitHub's spelling is not Gitea's.
    assert_eq!(
        act("edited", json!({"base": {"ref": {"from": "dev"}}})),
        "ignored"
    );
}

const NOW: i64 = 1_800_000_000_000;

fn gitlab(payload: &Value, id: &str) -> std::process::Output {
    let body = payload.to_string();
    let time = (NOW / 1000 - 60).to_string();
    let signature = sign_s(id, &time, body.as_bytes());
    let input = signed_standard(id, &time, &signature, body.as_bytes());
    Receiver::fixture("gitlab").verify_with(&["--now-unix-millis", &NOW.to_string()], input)
}

fn merge_request() -> Value {
    serde_json::from_slice(&fixture_bytes("gitlab/merge_request.open.json")).unwrap()
}

#[test]
fn a_gitlab_merge_request_becomes_one_delivery_that_is_kept_through_its_window() {
    let output = gitlab(&merge_request(), "msg_1");
    assert_eq!(verdict(&output), "accepted", "{output:?}");
    let delivery = answer(&output)["delivery"].clone();
    assert_eq!(delivery["identity"]["delivery"], "msg_1");
    assert_eq!(delivery["identity"]["integration"], "group-hook-3");
    assert_eq!(
        delivery["change"]["repository"],
        json!({"host": "gitlab.example.org", "owner": "group/sub", "name": "project"})
    );
    assert_eq!(delivery["change"]["change"], "project/22/merge-request/12");
    let list = json!([
        "group-hook-3",
        "gitlab.example.org",
        "group/sub",
        "project",
        "project/22/merge-request/12",
        "2222222222222222222222222222222222222222",
        "refs/heads/analytical",
        "refs/heads/main",
    ]);
    let digest = amiss::delivery::Digest::of(
        "amiss/controller-gitlab-merge-request-v1",
        list.to_string().as_bytes(),
    );
    assert_eq!(delivery["provider_run"]["run_id"], format!("mr:{digest}"));
    let issued = NOW - 60_000;
    assert_eq!(delivery["proof"]["issued_at_unix_millis"], issued);
    // Issue, signed age and queue age of the window, whatever the route's own largest age is.
    assert_eq!(delivery["replay"]["unix_millis"], issued + 2 * 3_600_000);
}

#[test]
fn gitlab_actions_that_make_work_are_three() {
    let act = |action: &str, oldrev: Value| {
        let mut payload = merge_request();
        payload["object_attributes"]["action"] = action.into();
        payload["object_attributes"]["oldrev"] = oldrev;
        verdict(&gitlab(&payload, "msg_1"))
    };
    assert_eq!(act("open", Value::Null), "accepted");
    assert_eq!(act("reopen", Value::Null), "accepted");
    assert_eq!(act("update", Value::Null), "ignored");
    assert_eq!(act("update", json!("1".repeat(40))), "accepted");
    assert_eq!(act("update", json!("x")), "INGRESS_PAYLOAD");
    for action in ["close", "merge", "approved", "opened"] {
        assert_eq!(act(action, Value::Null), "ignored", "{action}");
    }
    for kind in [json!("push"), json!("note"), json!(null)] {
        let mut payload = merge_request();
        payload["object_kind"] = kind;
        assert_eq!(verdict(&gitlab(&payload, "msg_1")), "ignored");
    }
    for (pointer, value) in [
        ("/project/id", json!(23)),
        ("/project/path_with_namespace", json!("Group/Other")),
        ("/project/path_with_namespace", json!("alone")),
        ("/object_attributes/target_project_id", json!(23)),
        (
            "/object_attributes/target/path_with_namespace",
            json!("Other/Project"),
        ),
        ("/object_attributes/iid", json!("12")),
        ("/object_attributes/last_commit/id", json!("x")),
        ("/object_attributes/source_branch", json!("a..b")),
    ] {
        let mut payload = merge_request();
        *payload.pointer_mut(pointer).unwrap() = value;
        assert_eq!(
            verdict(&gitlab(&payload, "msg_1")),
            "INGRESS_PAYLOAD",
            "{pointer}"
        );
    }
}

#[test]
fn a_message_id_has_its_length_and_its_alphabet() {
    for (id, expected) in [
        ("a".repeat(256), "accepted"),
        ("a".repeat(257), "INGRESS_HEADERS"),
        ("A-z0_9:/@+".into(), "accepted"),
        ("a b".into(), "INGRESS_HEADERS"),
        ("é".into(), "INGRESS_HEADERS"),
        ("a.b".into(), "INGRESS_HEADERS"),
    ] {
        assert_eq!(verdict(&gitlab(&merge_request(), &id)), expected, "{id}");
    }
}
