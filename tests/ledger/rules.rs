//! Rules of pages 3.2, 3.3 and 3.5 that are easy to get wrong.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::{answer, code, run, status};
use crate::scene::{LEASE, NOW, Scene, bounded, envelope, good, path};

fn key(envelope: &Value) -> String {
    let identity = serde_json::from_value(envelope["delivery"]["identity"].clone()).unwrap();
    amiss::delivery::DeliveryKey::of(&identity).to_string()
}

#[test]
fn a_root_behind_a_link_is_refused_however_it_is_spelled() {
    let scene = Scene::new(4);
    let link = scene.folder.path().join("link");
    symlink(scene.root(), &link).unwrap();
    for end in ["", "/", "/.", "/./", "//"] {
        let root = format!("{}{end}", link.display());
        let output = run(&["ledger", "stats", "--root", &root], "");
        assert_eq!(code(&output), "ROOT_UNSAFE", "{root}");
    }
    let missing = format!("{}/none", scene.folder.path().display());
    let output = run(&["ledger", "stats", "--root", &missing], "");
    assert_eq!((status(&output), code(&output).as_str()), (66, "NOT_FOUND"));
    let file = scene.check_file();
    let output = run(&["ledger", "stats", "--root", path(&file)], "");
    assert_eq!(code(&output), "ROOT_UNSAFE");
}

#[test]
fn a_root_that_others_can_write_is_refused() {
    let scene = Scene::new(4);
    for mode in [0o770, 0o702, 0o777] {
        fs::set_permissions(scene.root(), fs::Permissions::from_mode(mode)).unwrap();
        let output = scene.claim(NOW, &envelope("one"));
        assert_eq!(code(&output), "ROOT_UNSAFE", "{mode:o}");
    }
    fs::set_permissions(scene.root(), fs::Permissions::from_mode(0o755)).unwrap();
    good(&scene.claim(NOW, &envelope("one")));
}

#[test]
fn what_is_written_is_for_the_owner_alone() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"x")));
    for entry in fs::read_dir(scene.root()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", entry.file_name());
    }
}

#[test]
fn links_and_other_kinds_inside_a_root_are_corrupt_for_whoever_needs_them() {
    let scene = Scene::new(8);
    good(&scene.claim(NOW, &envelope("one")));
    let row = scene.file(&format!("{}.state", key(&envelope("one"))));
    let aside = scene.folder.path().join("aside");
    fs::rename(&row, &aside).unwrap();
    symlink(&aside, &row).unwrap();
    assert_eq!(code(&scene.claim(NOW, &envelope("one"))), "ROOT_CORRUPT");
    fs::remove_file(&row).unwrap();
    fs::hard_link(&aside, &row).unwrap();
    assert_eq!(code(&scene.claim(NOW, &envelope("one"))), "ROOT_CORRUPT");
    fs::remove_file(&row).unwrap();
    assert!(Command::new("mkfifo").arg(&row).status().unwrap().success());
    assert_eq!(code(&scene.claim(NOW, &envelope("one"))), "ROOT_CORRUPT");
    assert_eq!(code(&scene.at(NOW, &["cleanup"], "")), "ROOT_CORRUPT");
    fs::remove_file(&row).unwrap();
    fs::rename(&aside, &row).unwrap();
    assert_eq!(code(&scene.claim(NOW, &envelope("one"))), "BUSY");
}

#[test]
fn a_folder_that_was_never_prepared_says_so_and_stays_as_it_is() {
    let scene = Scene::new(4);
    let bare = scene.folder.path().join("bare");
    fs::create_dir(&bare).unwrap();
    let check = scene.check_file();
    let claim = [
        "ledger",
        "claim",
        "--root",
        path(&bare),
        "--check",
        path(&check),
    ];
    let output = run(&claim, envelope("one").to_string());
    assert_eq!(code(&output), "ROOT_NOT_PREPARED");
    let hint = answer(&output)["error"]["hint"].to_string();
    assert!(hint.contains("amiss ledger init"), "{hint}");
    for command in ["cleanup", "list", "stats", "check"] {
        let output = run(&["ledger", command, "--root", path(&bare)], "");
        assert_eq!(code(&output), "ROOT_NOT_PREPARED", "{command}");
    }
    assert_eq!(fs::read_dir(&bare).unwrap().count(), 0);
}

#[test]
fn init_repeated_with_other_limits_changes_nothing() {
    let scene = Scene::new(4);
    let before = scene.content();
    assert_eq!(code(&scene.init(5, NOW)), "ROOT_CONFIGURATION");
    assert_eq!(scene.content(), before);
    good(&scene.init(4, NOW));
    assert_eq!(scene.content(), before);
}

#[test]
fn expected_limits_that_differ_fail_before_anything_is_done() {
    let scene = Scene::new(4);
    let check = scene.check_file();
    let input = envelope("one").to_string();
    for (flag, wrong, right) in [
        ("--expect-lease-ms", "120001", "120000"),
        ("--expect-max-records", "5", "4"),
        ("--expect-max-signed-age-ms", "1", "300000"),
        ("--expect-max-queue-age-ms", "1", "60000"),
    ] {
        let claim = |value| {
            scene.at(
                NOW,
                &["claim", "--check", path(&check), flag, value],
                &input,
            )
        };
        assert_eq!(code(&claim(wrong)), "ROOT_CONFIGURATION", "{flag}");
        assert_ne!(code(&claim(right)), "ROOT_CONFIGURATION", "{flag}");
        for command in ["check", "list", "stats", "cleanup"] {
            let output = scene.at(NOW, &[command, flag, wrong], "");
            assert_eq!(status(&output), 78, "{command} {flag}");
            assert_eq!(code(&output), "ROOT_CONFIGURATION", "{command} {flag}");
            assert_eq!(status(&scene.at(NOW, &[command, flag, right], "")), 0);
        }
    }
}

#[test]
fn a_full_root_refuses_new_identities_before_their_row_exists_and_works_on() {
    let scene = Scene::new(1);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let before = scene.content();
    let full = scene.claim(NOW, &envelope("two"));
    assert_eq!((status(&full), code(&full).as_str()), (75, "FULL"));
    assert_eq!(answer(&full)["claim"]["result"], "full");
    assert_eq!(scene.content(), before);
    let renewed = good(&scene.step(NOW, "renew", &claimed));
    let staged = good(&scene.step(NOW, "stage", &scene.ready(&renewed, b"x")));
    good(&scene.step(NOW, "complete", &staged));
}

#[test]
fn a_bounded_delivery_past_its_end_without_a_row_is_expired_and_leaves_nothing() {
    let scene = Scene::new(4);
    let expired = scene.claim(NOW + 1001, &bounded("one", NOW + 1000));
    assert_eq!((status(&expired), code(&expired).as_str()), (77, "EXPIRED"));
    assert_eq!(answer(&expired)["claim"]["result"], "expired");
    let row = scene.file(&format!("{}.state", key(&envelope("one"))));
    assert!(!row.exists());
    // At its end it is still protected, but the answer above may not be taken back.
    assert_eq!(
        code(&scene.claim(NOW + 1000, &bounded("one", NOW + 1000))),
        "EXPIRED"
    );
    let other = Scene::new(4);
    good(&other.claim(NOW + 1000, &bounded("one", NOW + 1000)));
}

#[test]
fn a_clock_that_leaps_is_refused_until_it_is_taken_on_purpose() {
    let scene = Scene::new(4);
    let month = 30 * 24 * 3_600_000;
    good(&scene.claim(NOW + month, &envelope("one")));
    let scene = Scene::new(4);
    let leap = scene.claim(NOW + month + 1, &envelope("one"));
    assert_eq!((status(&leap), code(&leap).as_str()), (78, "CLOCK"));
    let check = scene.check_file();
    let step = ["claim", "--check", path(&check), "--max-clock-step", "1s"];
    let strict = scene.at(NOW + 1001, &step, &envelope("one").to_string());
    assert_eq!(code(&strict), "CLOCK");
}

/// A root that is worked on every day never meets its own leap guard, although the high water is
/// saved only where an answer rests on it.
#[test]
fn a_busy_roots_high_water_never_falls_a_whole_step_behind() {
    let scene = Scene::new(400);
    let day = 24 * 3_600_000;
    for index in 0..40 {
        good(&scene.claim(NOW + index * (day + 1), &envelope(&format!("d{index}"))));
    }
}

#[test]
fn claim_drops_what_was_made_under_an_old_fence_and_keeps_what_it_does_not_know() {
    let scene = Scene::new(4);
    let mut old = envelope("one");
    for member in [
        "run",
        "outcome",
        "recheck",
        "staged",
        "published",
        "completion",
    ] {
        old[member] = json!({"of": "an earlier try"});
    }
    old["mine"] = json!([1, 2]);
    let claimed = good(&scene.claim(NOW, &old));
    for member in [
        "run",
        "outcome",
        "recheck",
        "staged",
        "published",
        "completion",
    ] {
        assert!(claimed.get(member).is_none(), "{member}");
    }
    assert_eq!(claimed["mine"], json!([1, 2]));
    // The live lease claims again; without it, or with another owner's, the answer is busy.
    let again = good(&scene.claim(NOW + 1, &claimed));
    assert_eq!(again["lease"], claimed["lease"]);
    let mut stolen = claimed;
    stolen["lease"]["owner"] = "0".repeat(32).into();
    let busy = scene.claim(NOW + 1, &stolen);
    assert_eq!(code(&busy), "BUSY");
    assert!(answer(&busy).get("lease").is_none());
}

#[test]
fn steps_pass_on_what_is_not_for_them() {
    let scene = Scene::new(4);
    let bare = json!({"schema": "amiss/envelope/v1", "mine": 1});
    for command in ["renew", "stage", "complete"] {
        assert_eq!(good(&scene.step(NOW, command, &bare)), bare, "{command}");
    }
    let ignored = json!({"schema": "amiss/envelope/v1", "ignored": {"reason": "x"}});
    assert_eq!(good(&scene.claim(NOW, &ignored)), ignored);
    let none = scene.claim(NOW, &bare);
    assert_eq!(
        (status(&none), code(&none).as_str()),
        (65, "INPUT_INCOMPLETE")
    );
}

#[test]
fn a_report_that_is_not_the_one_named_is_refused_and_nothing_is_saved() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let ready = scene.ready(&claimed, b"report");
    let before = scene.content();
    let with = |pointer: &str, value: Value| {
        let mut other = ready.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        scene.step(NOW, "stage", &other)
    };
    let folder = scene.folder.path().to_str().unwrap().to_owned();
    for (pointer, value, wanted) in [
        (
            "/outcome/report/sha256",
            json!("0".repeat(64)),
            "REPORT_MISMATCH",
        ),
        ("/outcome/report/bytes", json!(5), "REPORT_MISMATCH"),
        ("/outcome/report/bytes", json!(7), "REPORT_MISMATCH"),
        (
            "/outcome/report/path",
            json!("/nowhere/x"),
            "REPORT_MISMATCH",
        ),
        ("/outcome/report/path", json!(folder), "REPORT_MISMATCH"),
        (
            "/outcome/report/bytes",
            json!(268_435_457),
            "REPORT_TOO_LARGE",
        ),
    ] {
        let output = with(pointer, value);
        assert_eq!(
            (status(&output), code(&output).as_str()),
            (65, wanted),
            "{pointer}"
        );
        assert_eq!(scene.content(), before, "{pointer}");
    }
    // A stage that was done before needs the file no more.
    good(&scene.step(NOW, "stage", &ready));
    fs::remove_file(scene.folder.path().join("report.json")).unwrap();
    good(&scene.step(NOW, "stage", &ready));
}

#[test]
fn a_lease_with_an_older_deadline_is_still_the_same_lease() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    good(&scene.step(NOW + 1000, "renew", &claimed));
    let again = good(&scene.step(NOW + LEASE + 500, "renew", &claimed));
    assert_eq!(
        again["lease"]["expires_at_unix_millis"],
        NOW + LEASE + 500 + LEASE
    );
    good(&scene.step(NOW + LEASE + 600, "stage", &scene.ready(&claimed, b"x")));
}

#[test]
fn a_dry_run_reports_the_same_counts_and_changes_nothing() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &bounded("one", NOW + 1000)));
    let staged = good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"x")));
    good(&scene.step(NOW, "complete", &staged));
    fs::write(scene.file(&format!("{}.report", "0".repeat(64))), b"dead").unwrap();
    fs::create_dir(scene.file(".atomicwrite")).unwrap();
    let before = scene.content();
    let dry = good(&scene.at(NOW + 1001, &["cleanup", "--dry-run"], ""));
    assert_eq!(scene.content(), before);
    let wet = good(&scene.at(NOW + 1001, &["cleanup"], ""));
    for member in ["removed_records", "removed_reports", "removed_temporary"] {
        assert_eq!(dry["cleanup"][member], 1, "{member}");
        assert_eq!(wet["cleanup"][member], 1, "{member}");
    }
}

#[test]
fn a_wait_for_a_lock_is_bounded_and_names_the_lock_and_its_holder() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let lock = fs::File::open(scene.file(".amiss-maintenance.lock")).unwrap();
    lock.lock().unwrap();
    let renew = |limit: &str| {
        scene.at(
            NOW,
            &["renew", "--lock-timeout", limit],
            &claimed.to_string(),
        )
    };
    let output = renew("200ms");
    assert_eq!((status(&output), code(&output).as_str()), (75, "BUSY"));
    let message = answer(&output)["error"]["message"].to_string();
    assert!(message.contains(".amiss-maintenance.lock"), "{message}");
    assert!(
        message.contains(&std::process::id().to_string()),
        "{message}"
    );
    let long = renew("2300ms");
    let words = String::from_utf8_lossy(&long.stderr).into_owned();
    assert!(words.contains("waiting for"), "{words}");
    lock.unlock().unwrap();
    good(&renew("200ms"));
}

/// Its cost with 100,000 rows is that of an empty root, because it never lists one.
#[test]
fn a_command_that_handles_one_delivery_never_lists_the_root() {
    let scene = Scene::new(4);
    let check = scene.check_file();
    let trace = scene.folder.path().join("trace");
    let traced = |arguments: &[&str], input: &Value| {
        use std::io::Write;
        let (root, now) = (scene.root(), NOW.to_string());
        let mut child = Command::new("strace")
            .args(["-f", "-e", "trace=getdents,getdents64", "-o", path(&trace)])
            .args([env!("CARGO_BIN_EXE_amiss"), "ledger"])
            .args(arguments)
            .args(["--root", path(&root), "--now-unix-millis", &now])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.to_string().as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let calls = fs::read_to_string(&trace).unwrap();
        assert!(!calls.contains("getdents"), "{arguments:?}: {calls}");
        good(&output)
    };
    let claimed = traced(&["claim", "--check", path(&check)], &envelope("one"));
    let renewed = traced(&["renew"], &claimed);
    let staged = traced(&["stage"], &scene.ready(&renewed, b"x"));
    traced(&["claim", "--check", path(&check)], &envelope("one"));
    traced(&["complete"], &staged);
    traced(&["show"], &envelope("one"));
}

#[test]
fn a_binding_conflict_names_every_member_that_differs() {
    let scene = Scene::new(4);
    good(&scene.claim(NOW, &envelope("one")));
    let mut other = bounded("one", NOW + 1000);
    other["delivery"]["change"]["change"] = "43".into();
    other["delivery"]["change"]["repository"]["name"] = "else".into();
    other["delivery"]["provider_run"]["attempt"] = 2.into();
    let before = scene.content();
    let output = scene.claim(NOW, &other);
    assert_eq!(
        (status(&output), code(&output).as_str()),
        (76, "BINDING_CONFLICT")
    );
    assert_eq!(answer(&output)["claim"]["result"], "binding-conflict");
    let message = answer(&output)["error"]["message"].to_string();
    for member in [
        "change.repository",
        "change.change",
        "provider_run.attempt",
        "replay",
    ] {
        assert!(message.contains(member), "{member}: {message}");
    }
    assert!(!message.contains("check."), "{message}");
    assert_eq!(scene.content(), before);
}
