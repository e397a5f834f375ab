//! The rules between a frame's members (page 3b): each one alone is broken, under a length and a
//! digest that are right.

use std::fs;

use amiss::delivery::digest::DomainHash;
use amiss::ledger::file::FrameKind;
use serde_json::{Value, json};

use crate::common::{answer, code, run};
use crate::scene::{LEASE, NOW, Scene, envelope, good, path};

const ROOT: (&str, &str) = ("AMISS-DELIVERY-ROOT", "amiss/controller-file-root-frame-v1");
const CAPACITY: (&str, &str) = (
    "AMISS-DELIVERY-CAPACITY",
    "amiss/controller-file-capacity-frame-v1",
);
const ROW: (&str, &str) = ("AMISS-DELIVERY-RECORD", "amiss/controller-file-record-v1");
/// Version, length and digest.
const HEADER: usize = 1 + 8 + 32;
const MAX: i64 = 9_007_199_254_740_991;

fn payload((magic, _): (&str, &str), bytes: &[u8]) -> String {
    String::from_utf8(bytes[magic.len() + HEADER..].to_vec()).unwrap()
}

fn seal((magic, domain): (&str, &str), payload: &str) -> Vec<u8> {
    let mut hash = DomainHash::new(domain);
    hash.update(payload.as_bytes());
    let mut bytes = magic.as_bytes().to_vec();
    bytes.push(1);
    bytes.extend((payload.len() as u64).to_be_bytes());
    bytes.extend(hash.finish_bytes());
    bytes.extend(payload.as_bytes());
    bytes
}

/// What is wrong with this frame once a member has another value. Rules come before the order of
/// members, which a changed value loses here.
fn fault(kind: FrameKind, form: (&str, &str), whole: &[u8], changes: &[(&str, Value)]) -> String {
    let mut value: Value = serde_json::from_str(&payload(form, whole)).unwrap();
    for (pointer, new) in changes {
        let slot = value.pointer_mut(pointer);
        *slot.unwrap_or_else(|| panic!("no {pointer}")) = new.clone();
    }
    let told = kind.reread(&seal(form, &value.to_string()));
    told.map_or_else(|error| error.to_string(), |_| String::new())
}

fn row_file(scene: &Scene, envelope: &Value) -> std::path::PathBuf {
    let identity = serde_json::from_value(envelope["delivery"]["identity"].clone()).unwrap();
    scene.file(&format!(
        "{}.state",
        amiss::delivery::DeliveryKey::of(&identity)
    ))
}

#[test]
fn a_good_frame_is_read_and_written_byte_for_byte() {
    let scene = Scene::new(4);
    good(&scene.claim(NOW, &envelope("one")));
    for (kind, file) in [
        (FrameKind::Root, scene.file(".amiss-root.state")),
        (FrameKind::Capacity, scene.file(".amiss-capacity.state")),
        (FrameKind::Row, row_file(&scene, &envelope("one"))),
    ] {
        let bytes = fs::read(file).unwrap();
        assert_eq!(kind.reread(&bytes).unwrap(), bytes);
    }
}

#[test]
fn a_root_frame_has_each_of_its_limits_in_range() {
    let scene = Scene::new(4);
    let whole = fs::read(scene.file(".amiss-root.state")).unwrap();
    for member in [
        "/lease_millis",
        "/max_signed_age_millis",
        "/max_queue_age_millis",
        "/max_records",
    ] {
        for (value, bad) in [(0, true), (1, false), (MAX, false), (MAX + 1, true)] {
            let told = fault(FrameKind::Root, ROOT, &whole, &[(member, json!(value))]);
            let rule = told.contains("one of its limits is out of range");
            assert_eq!(rule, bad, "{member} {value}: {told}");
        }
    }
}

#[test]
fn a_count_has_no_marker_over_nothing_nor_two_nor_more_rows_than_its_cap() {
    let scene = Scene::new(4);
    let whole = fs::read(scene.file(".amiss-capacity.state")).unwrap();
    let key = json!("a".repeat(64));
    let cap = "more rows than its cap";
    let both = "a pending key and a cleanup marker at once";
    let over = "a marker over no rows";
    for (cap_of, records, pending, marker, rule) in [
        (4, 0, Value::Null, false, ""),
        (4, 4, Value::Null, false, ""),
        (4, 5, Value::Null, false, cap),
        (0, 0, Value::Null, false, cap),
        (4, 1, key.clone(), false, ""),
        (4, 1, Value::Null, true, ""),
        (4, 1, key.clone(), true, both),
        (4, 0, key, false, over),
        (4, 0, Value::Null, true, over),
    ] {
        let changes = [
            ("/max_records", json!(cap_of)),
            ("/records", json!(records)),
            ("/pending_key", pending),
            ("/cleanup_pending", json!(marker)),
        ];
        let told = fault(FrameKind::Capacity, CAPACITY, &whole, &changes);
        if rule.is_empty() {
            assert!(!told.contains("it "), "{changes:?}: {told}");
        } else {
            assert!(told.contains(rule), "{changes:?}: {told}");
        }
    }
}

#[test]
fn a_saved_publication_is_bound_to_its_row_in_every_member() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"x")));
    let whole = fs::read(row_file(&scene, &envelope("one"))).unwrap();
    let told =
        |pointer: &str, value: Value| fault(FrameKind::Row, ROW, &whole, &[(pointer, value)]);
    let at = |member: &str| format!("/state/publication{member}");
    for (member, value) in [
        ("/provider_run/run_id", json!("another")),
        ("/evaluation_id", json!("another:1")),
        ("/check/required_status_name", json!("another")),
        ("/run/change/change", json!("43")),
        ("/run/object_format", json!("sha256")),
        ("/run/commits/candidate", json!("d".repeat(40))),
    ] {
        let said = told(&at(member), value);
        assert!(said.contains("is not bound to the row"), "{member}: {said}");
    }
    let long = json!("e".repeat(64));
    for member in ["/gate_commit", "/run/commits/base", "/run/trees/base"] {
        let said = told(&at(member), long.clone());
        assert!(
            said.contains("mixes two object formats"),
            "{member}: {said}"
        );
    }
    let length = at("/report/reference/length");
    let most = 256 * 1024 * 1024;
    assert!(!told(&length, json!(most)).contains("256 MiB"));
    assert!(told(&length, json!(most + 1)).contains("256 MiB"));
}

#[test]
fn a_row_agrees_with_itself() {
    let scene = Scene::new(4);
    good(&scene.claim(NOW, &envelope("one")));
    let whole = fs::read(row_file(&scene, &envelope("one"))).unwrap();
    let told =
        |pointer: &str, value: Value| fault(FrameKind::Row, ROW, &whole, &[(pointer, value)]);
    let said = told("/binding/provider_run/object_format", json!("sha256"));
    assert!(
        said.contains("the members of its binding disagree"),
        "{said}"
    );
    assert!(told("/state/fence", json!(2)).contains("above its generation"));
    let ended = "its deadline is not after the time of its last write";
    assert!(told("/state/expires_at_unix_millis", json!(NOW)).contains(ended));
    assert!(!told("/state/expires_at_unix_millis", json!(NOW + 1)).contains(ended));
}

/// A row's frame with another generation, in the order that its members have.
fn at_generation(whole: &[u8], generation: i64) -> Vec<u8> {
    let text = payload(ROW, whole);
    let (before, rest) = text.split_once(r#""generation":"#).unwrap();
    let (_, after) = rest.split_once(',').unwrap();
    seal(
        ROW,
        &format!(r#"{before}"generation":{generation},{after}"#),
    )
}

#[test]
fn a_row_that_can_be_written_no_more_says_what_to_do() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let file = row_file(&scene, &envelope("one"));
    let last = at_generation(&fs::read(&file).unwrap(), MAX);
    fs::write(&file, &last).unwrap();
    let output = scene.step(NOW + 1, "renew", &claimed);
    let hint = answer(&output)["error"]["hint"].to_string();
    assert!(hint.contains("a new event"), "{output:?}");
    assert_eq!(fs::read(&file).unwrap(), last);
    assert_eq!(
        code(&scene.claim(NOW + LEASE, &envelope("one"))),
        code(&output)
    );
}

#[test]
fn a_root_of_the_earlier_spelling_may_be_as_full_as_its_cap_and_no_fuller() {
    let scene = Scene::new(3);
    for id in ["one", "two", "three"] {
        good(&scene.claim(NOW, &envelope(id)));
    }
    let file = scene.file(".amiss-root.state");
    let now = payload(ROOT, &fs::read(&file).unwrap());
    let now = now.replace(r#""max_records":3"#, r#""max_records":2"#);
    let earlier = now.replace("controller-file-root-v2", "controller-file-root-v1");
    assert_ne!(now, earlier);
    fs::write(&file, seal(ROOT, &earlier)).unwrap();
    fs::remove_file(scene.file(".amiss-capacity.state")).unwrap();
    let checked = run(&["ledger", "check", "--root", path(&scene.root())], "");
    assert_eq!(code(&checked), "ROOT_NOT_PREPARED");
    let over = scene.init(2, NOW);
    assert_eq!(code(&over), "ROOT_CORRUPT");
    let message = answer(&over)["error"]["message"].to_string();
    assert!(
        message.contains("holds 3 rows, over the cap of 2"),
        "{message}"
    );
    fs::remove_file(row_file(&scene, &envelope("three"))).unwrap();
    assert_eq!(good(&scene.init(2, NOW))["root"]["migrated"], true);
    assert_eq!(payload(ROOT, &fs::read(&file).unwrap()), now);
    assert_eq!(good(&scene.init(2, NOW))["root"]["migrated"], false);
    let checked = good(&run(
        &["ledger", "check", "--root", path(&scene.root())],
        "",
    ));
    assert_eq!(checked["check"]["defects"], json!([]));
}
