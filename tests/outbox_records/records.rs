//! The decoders of the records: exactly one form, and nothing else; and names as Git sees them.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use amiss::outbox::{
    Branch, DueEntry, EnabledMarker, ObjectSyncReceipt, Record, TargetLedger, Task, WorkerIdentity,
};

use crate::common::status;
use crate::world::{World, commit, git, push, turn};

/// Every truncation is refused, every foreign byte at the end too; a flipped bit is refused or is
/// another record in its one form; members in another order, twice, or unknown ones are refused.
fn one_form<R: Record>(text: &str) {
    let bytes = text.as_bytes();
    assert_eq!(R::decode(bytes).unwrap().encode().unwrap(), bytes, "{text}");
    for length in 0..bytes.len() {
        assert!(R::decode(&bytes[..length]).is_err(), "{}", &text[..length]);
    }
    for last in 0..=255_u8 {
        assert!(
            R::decode(&[bytes, &[last]].concat()).is_err(),
            "{text} and {last}"
        );
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.to_vec();
            flipped[at] ^= 1 << bit;
            if let Ok(record) = R::decode(&flipped) {
                assert_eq!(record.encode().unwrap(), flipped);
            }
        }
    }
    for bad in [
        text.replacen('{', "{\"more\":1,", 1),
        text.replacen(':', ": ", 1),
        text.replacen('}', ",\"more\":null}", 1),
        format!("\u{feff}{text}"),
        format!("[{text}]"),
        "[".repeat(100_000),
    ] {
        assert!(R::decode(bad.as_bytes()).is_err(), "{bad:.200}");
    }
}

#[test]
fn each_record_has_exactly_one_form() {
    let (turn, oid) = (turn(1), "a".repeat(40));
    one_form::<DueEntry>(&format!(
        r#"{{"project_id":"web","task_id":"t1","turn_id":"{turn}","next_attempt_at_millis":0}}"#
    ));
    one_form::<TargetLedger>(&format!(
        r#"{{"origin":"file:///srv/o.git","branch":"main","generation":1,"last_oid":"{oid}","last_task_id":"t1","last_turn_id":"{turn}","updated_at_millis":1}}"#
    ));
    one_form::<ObjectSyncReceipt>(
        r#"{"fsync":"objects,derived-metadata,reference","fsync_method":"fsync","packs":["pack-a.idx","pack-a.pack"]}"#,
    );
    one_form::<WorkerIdentity>(
        r#"{"identity":{"pid":4,"start_time":9,"boot_id":"b"},"watch":true,"binary":{"path":"/x","inode":1,"size":2,"mtime_millis":3}}"#,
    );
    one_form::<EnabledMarker>(r#"{"watch":true}"#);
}

#[test]
fn a_branch_is_valid_exactly_when_git_says_so() {
    let pieces = [
        "a",
        "B",
        "/",
        ".",
        "..",
        "@",
        "{",
        "-",
        "~",
        "^",
        ":",
        "?",
        "*",
        "[",
        "\\",
        " ",
        "\u{7f}",
        ".lock",
        "é",
        "HEAD",
        "refs/heads/",
    ];
    let mut names: Vec<String> = pieces.iter().map(ToString::to_string).collect();
    for one in pieces {
        for two in pieces {
            names.push(format!("{one}{two}"));
            names.push(format!("x{one}{two}y"));
            names.push(format!("x/{one}{two}"));
        }
    }
    names.extend([
        String::new(),
        "a\nb".into(),
        "@{-1}".into(),
        "@{u}".into(),
        "x".repeat(200),
    ]);
    for name in names {
        let judged = git(Path::new("/"), &["check-ref-format", "--branch", &name]);
        assert_eq!(
            Branch::new(name.as_str()).is_ok(),
            judged.status.success(),
            "{name:?}"
        );
    }
}

#[test]
fn every_task_is_one_part_of_a_ref_name() {
    for name in [
        "a", "0", "_", "a.b", "a-b_c.d", "a.lock.x", "a..b", "a.", "a.lock", "lock", "a-",
    ] {
        let full = format!("refs/mac-worker/delivery/{name}/{}", turn(1));
        let judged = git(Path::new("/"), &["check-ref-format", &full]);
        // Git takes a part that ends with a dot; it is refused here all the same.
        let expected = judged.status.success() && !name.ends_with('.');
        assert_eq!(Task::new(name).is_ok(), expected, "{name:?}");
    }
}

#[test]
fn a_record_that_others_can_write_is_not_believed() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    assert_eq!(
        status(&world.enqueue(&push("web", "t1", &turn(1), &oid))),
        0
    );
    let path = world.intent_path("web", "t1", &turn(1));
    for mode in [0o620, 0o602, 0o666] {
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        let report = world.good(&["status"]);
        assert_eq!(report["deliveries"][0]["state"], "unreadable", "{mode:o}");
        let next = report["details"][0]["next"].as_str().unwrap();
        assert!(next.contains("others can write it"), "{next}");
        assert_eq!(
            status(&world.run(&["close", "--task", "t1", "--discard"], "")),
            75
        );
    }
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(world.good(&["status"])["deliveries"][0]["state"], "pending");
}
