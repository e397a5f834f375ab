//! Known faults of files, locks and leases (`known-faults.md`, C, D and g05), through the real
//! binary.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{answer, code, status};
use crate::scene::{LEASE, NOW, Scene, bounded, envelope, good, path};

fn key(envelope: &Value) -> String {
    let identity = serde_json::from_value(envelope["delivery"]["identity"].clone()).unwrap();
    amiss::delivery::DeliveryKey::of(&identity).to_string()
}

fn row(scene: &Scene, id: &str) -> std::path::PathBuf {
    scene.file(&format!("{}.state", key(&envelope(id))))
}

/// The binary on this scene's root, with one kind of system call answered by `strace`.
pub fn injected(
    scene: &Scene,
    inject: &str,
    arguments: &[&str],
    input: &str,
) -> std::process::Output {
    use std::io::Write;
    let root = scene.root();
    let now = NOW.to_string();
    let mut child = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "-e", &format!("inject={inject}")])
        .arg(env!("CARGO_BIN_EXE_amiss"))
        .arg("ledger")
        .args(arguments)
        .args(["--root", path(&root), "--now-unix-millis", &now])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("strace is one of the test's tools (.ci/run installs it)");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn c03_a_lock_call_that_fails_is_an_error_and_never_go_on_without() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let before = scene.content();
    for errno in ["ENOLCK", "EOPNOTSUPP", "ESTALE"] {
        // The turnstile, the maintenance lock, the row lock; the third call lets the turnstile go.
        for call in [1, 2, 4] {
            let output = injected(
                &scene,
                &format!("flock:error={errno}:when={call}"),
                &["renew"],
                &claimed.to_string(),
            );
            assert_eq!(
                (status(&output), code(&output).as_str()),
                (74, "IO"),
                "{errno} at {call}"
            );
            assert_eq!(scene.content(), before, "{errno} at {call}");
        }
    }
}

#[test]
fn a_lock_that_cannot_be_let_go_is_closed_and_keeps_nobody_out() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    // The third call lets the turnstile go.
    let output = injected(
        &scene,
        "flock:error=EIO:when=3",
        &["renew"],
        &claimed.to_string(),
    );
    assert_eq!(status(&output), 0, "{output:?}");
    let cleaned = scene.at(NOW, &["cleanup", "--lock-timeout", "1s"], "");
    assert_eq!(status(&cleaned), 0, "{cleaned:?}");
}

#[test]
fn c06_a_row_of_zeroes_of_nothing_or_of_half_is_corrupt_and_others_work() {
    let scene = Scene::new(4);
    good(&scene.claim(NOW, &envelope("one")));
    good(&scene.claim(NOW, &envelope("two")));
    let whole = fs::read(row(&scene, "one")).unwrap();
    for bytes in [
        vec![0; whole.len()],
        Vec::new(),
        whole[..whole.len() / 2].to_vec(),
    ] {
        fs::write(row(&scene, "one"), &bytes).unwrap();
        let output = scene.claim(NOW, &envelope("one"));
        assert_eq!(
            (status(&output), code(&output).as_str()),
            (78, "ROOT_CORRUPT")
        );
        let message = answer(&output)["error"]["message"].to_string();
        assert!(message.contains(&key(&envelope("one"))), "{message}");
        assert_eq!(code(&scene.claim(NOW, &envelope("two"))), "BUSY");
        let checked = answer(&scene.at(NOW, &["check"], ""));
        let defects = checked["check"]["defects"].as_array().unwrap();
        assert_eq!(defects.len(), 1, "{checked}");
        assert!(
            defects[0]["file"]
                .as_str()
                .unwrap()
                .contains(&key(&envelope("one")))
        );
    }
    good(&scene.claim(NOW, &envelope("three")));
}

#[test]
fn c07_a_sync_that_fails_once_fails_the_operation_and_repeating_converges() {
    for call in 1..=5 {
        let scene = Scene::new(4);
        let check = scene.check_file();
        let arguments = ["claim", "--check", path(&check)];
        let input = envelope("one").to_string();
        let output = injected(
            &scene,
            &format!("fsync:error=EIO:when={call}"),
            &arguments,
            &input,
        );
        assert_eq!(
            (status(&output), code(&output).as_str()),
            (74, "IO"),
            "sync {call}"
        );
        // What it wrote is not taken for written: whatever is visible, the next command goes on.
        let next = scene.claim(NOW + LEASE, &envelope("one"));
        let fence = good(&next)["lease"]["fence"].as_u64().unwrap();
        assert!(fence <= 2, "sync {call}");
        good(&scene.init(4, NOW + LEASE));
        let checked = good(&scene.at(NOW + LEASE, &["check"], ""));
        assert_eq!(checked["check"]["rows"], 1);
    }
}

#[test]
fn c07_a_directory_sync_that_fails_says_that_the_row_may_be_visible() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let output = injected(
        &scene,
        "fsync:error=EIO:when=2",
        &["renew"],
        &claimed.to_string(),
    );
    assert_eq!(code(&output), "IO");
    let told = answer(&output)["error"].clone();
    assert!(told["message"].as_str().unwrap().contains("may be visible"));
    assert!(told["hint"].as_str().unwrap().contains("repeat"));
    good(&scene.step(NOW, "renew", &claimed));
}

#[test]
fn c11_leftovers_are_never_rows_and_go_with_the_next_cleanup_and_unknown_files_never_do() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    for _ in 0..3 {
        // Killed on entry to the rename: the temporary file is complete.
        injected(
            &scene,
            "renameat,renameat2,rename:signal=KILL:when=1",
            &["renew"],
            &claimed.to_string(),
        );
    }
    for index in 0..1000 {
        let folder = scene.file(&format!(".atomicwrite{index:06}"));
        fs::create_dir(&folder).unwrap();
        if index % 2 == 0 {
            fs::write(folder.join("tmpfile.tmp"), b"half a frame").unwrap();
        }
    }
    let listed = scene.at(NOW, &["list"], "");
    assert_eq!(String::from_utf8_lossy(&listed.stdout).lines().count(), 1);
    let cleaned = good(&scene.at(NOW, &["cleanup"], ""));
    assert_eq!(cleaned["cleanup"]["removed_temporary"], 1003);
    fs::write(scene.file("notes.txt"), b"mine").unwrap();
    assert_eq!(code(&scene.at(NOW, &["cleanup"], "")), "ROOT_CORRUPT");
    assert_eq!(fs::read(scene.file("notes.txt")).unwrap(), b"mine");
}

#[test]
fn c13_a_clock_of_1969_2000_or_2106_is_answered_and_changes_nothing() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let before = scene.content();
    let century = 4_291_747_200_000;
    for command in ["renew", "stage"] {
        let input = scene.ready(&claimed, b"report");
        for now in [-1, century] {
            let output = scene.step(now, command, &input);
            assert_eq!(
                (status(&output), code(&output).as_str()),
                (78, "CLOCK"),
                "{command} at {now}"
            );
        }
    }
    for now in [-1, century] {
        assert_eq!(code(&scene.claim(now, &envelope("one"))), "CLOCK");
        assert_eq!(code(&scene.claim(now, &envelope("new"))), "CLOCK");
        assert_eq!(code(&scene.at(now, &["cleanup"], "")), "CLOCK");
        assert_eq!(code(&scene.init(4, now)), "CLOCK");
    }
    assert_eq!(scene.content(), before);
    // In 2000 the root's own time counts.
    let old = scene.claim(946_684_800_000, &envelope("one"));
    assert_eq!(code(&old), "BUSY");
}

#[test]
fn c13_a_clock_ten_seconds_back_neither_shortens_a_lease_nor_revives_one() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let renewed = good(&scene.step(NOW - 10_000, "renew", &claimed));
    assert_eq!(renewed["lease"]["expires_at_unix_millis"], NOW + LEASE);
    assert_eq!(code(&scene.step(NOW + LEASE, "renew", &renewed)), "LOST");
    // The answer is not undone by a clock that goes back.
    assert_eq!(code(&scene.step(NOW - 10_000, "renew", &renewed)), "LOST");
    good(&scene.claim(NOW - 10_000, &envelope("one")));
}

#[test]
fn c13_a_poisoned_clock_is_taken_back_on_purpose() {
    let scene = Scene::new(4);
    let century = 4_291_747_200_000;
    let init = |now: i64, extra: &[&str]| {
        let mut arguments = vec![
            "init",
            "--lease-ms",
            "120000",
            "--max-records",
            "4",
            "--max-signed-age-ms",
            "300000",
            "--max-queue-age-ms",
            "60000",
        ];
        arguments.extend_from_slice(extra);
        scene.at(now, &arguments, "")
    };
    good(&init(century, &["--accept-clock"]));
    assert_eq!(
        code(&scene.claim(NOW, &bounded("one", NOW + 1000))),
        "EXPIRED"
    );
    let told = init(NOW, &["--accept-clock"]);
    let words = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(words.contains("may be accepted again"), "{words}");
    let back = good(&told);
    assert_eq!(back["root"]["accepted_clock"]["from_unix_millis"], century);
    assert_eq!(back["root"]["clock_high_water_unix_millis"], NOW);
    good(&scene.claim(NOW, &bounded("one", NOW + 1000)));
    let on = good(&init(NOW + LEASE, &["--accept-clock"]));
    assert_eq!(on["root"]["accepted_clock"]["ended_leases"], 1);
    assert_eq!(on["root"]["accepted_clock"]["ended_lifetimes"], 1);
}

#[test]
fn d01_a_stale_owner_changes_nothing_and_is_told_lost() {
    let scene = Scene::new(4);
    let first = good(&scene.claim(NOW, &envelope("one")));
    let second = good(&scene.claim(NOW + LEASE, &envelope("one")));
    assert_eq!(second["lease"]["fence"], 2);
    let staged_by_first = scene.ready(&first, b"first");
    let before = scene.content();
    let now = NOW + LEASE;
    assert_eq!(code(&scene.step(now, "renew", &first)), "LOST");
    assert_eq!(code(&scene.step(now, "stage", &staged_by_first)), "LOST");
    // A value that would have been right under the old fence.
    let staged = good(&scene.step(now, "stage", &scene.ready(&second, b"second")));
    let after = scene.content();
    let mut stale = staged.clone();
    stale["staged"]["fence"] = 1.into();
    assert_eq!(code(&scene.step(now, "complete", &stale)), "LOST");
    assert_eq!(scene.content(), after);
    assert_ne!(before, after);
}

#[test]
fn d03_a_dead_owners_row_is_free_at_the_deadline_and_not_one_millisecond_before() {
    let scene = Scene::new(4);
    good(&scene.claim(NOW, &envelope("one")));
    let early = scene.claim(NOW + LEASE - 1, &envelope("one"));
    assert_eq!(code(&early), "BUSY");
    let on_time = good(&scene.claim(NOW + LEASE, &envelope("one")));
    assert_eq!(on_time["lease"]["fence"], 2);
}

#[test]
fn d05_a_row_made_anew_has_another_evaluation_id_that_no_old_token_matches() {
    let scene = Scene::new(4);
    let delivery = bounded("one", NOW + 1000);
    let first = good(&scene.claim(NOW, &delivery));
    let staged = good(&scene.step(NOW, "stage", &scene.ready(&first, b"x")));
    good(&scene.step(NOW, "complete", &staged));
    let cleaned = good(&scene.at(NOW + 1001, &["cleanup"], ""));
    assert_eq!(cleaned["cleanup"]["removed_records"], 1);
    // Only a clock that was taken back on purpose lets the same delivery in again.
    assert_eq!(code(&scene.claim(NOW + 1000, &delivery)), "EXPIRED");
    good(&scene.at(
        NOW,
        &[
            "init",
            "--lease-ms",
            "120000",
            "--max-records",
            "4",
            "--max-signed-age-ms",
            "300000",
            "--max-queue-age-ms",
            "60000",
            "--accept-clock",
        ],
        "",
    ));
    let again = good(&scene.claim(NOW, &delivery));
    assert_ne!(
        again["lease"]["evaluation_id"],
        first["lease"]["evaluation_id"]
    );
    for (command, old) in [
        ("renew", &first),
        ("stage", &scene.ready(&first, b"x")),
        ("complete", &staged),
    ] {
        assert_eq!(code(&scene.step(NOW, command, old)), "LOST", "{command}");
    }
}

#[test]
fn d09_completing_with_any_other_value_than_the_saved_one_is_lost() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let staged = good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"report")));
    let mut others = Vec::new();
    for (pointer, value) in [
        ("/staged/publication/conclusion", Value::from("block")),
        ("/staged/publication/gate_commit", "e".repeat(40).into()),
        ("/staged/publication/run/trees/base", "e".repeat(40).into()),
        ("/staged/publication/provider_run/attempt", 2.into()),
        (
            "/staged/publication/check/required_status_name",
            "else".into(),
        ),
        ("/staged/fence", 2.into()),
        ("/staged/evaluation_id", "eval:other".into()),
        (
            "/staged/digest",
            format!("sha256:{}", "0".repeat(64)).into(),
        ),
        ("/staged/report/sha256", "0".repeat(64).into()),
        ("/staged/report/bytes", 7.into()),
        ("/staged/report", Value::Null),
    ] {
        let mut other = staged.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        others.push((pointer, other));
    }
    let before = scene.content();
    for (pointer, other) in others {
        assert_eq!(
            code(&scene.step(NOW, "complete", &other)),
            "LOST",
            "{pointer}"
        );
        assert_eq!(scene.content(), before, "{pointer}");
    }
    // The path is where the bytes are now; it is no part of the value.
    let mut elsewhere = staged;
    elsewhere["staged"]["report"]["path"] = "/elsewhere".into();
    good(&scene.step(NOW, "complete", &elsewhere));
}

#[test]
fn g05_two_cleanups_at_once_both_say_one_line_or_one_is_busy() {
    let scene = Scene::new(400);
    for index in 0..60 {
        let delivery = bounded(&format!("d{index}"), NOW + 1000);
        let claimed = good(&scene.claim(NOW, &delivery));
        let staged = good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"x")));
        good(&scene.step(NOW, "complete", &staged));
    }
    let now = (NOW + 2000).to_string();
    let root = scene.root();
    let spawn = || {
        Command::new(env!("CARGO_BIN_EXE_amiss"))
            .args(["ledger", "cleanup", "--root", path(&root)])
            .args(["--now-unix-millis", &now])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let running = [spawn(), spawn()];
    let mut removed = 0;
    for child in running {
        let output = child.wait_with_output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(printed.lines().count(), 1, "{printed}");
        match status(&output) {
            0 => {
                assert!(output.stderr.is_empty(), "silent for cron");
                removed += answer(&output)["cleanup"]["removed_records"]
                    .as_u64()
                    .unwrap();
            }
            75 => assert_eq!(code(&output), "BUSY"),
            other => panic!("{other}: {printed}"),
        }
    }
    assert_eq!(removed, 60);
    assert_eq!(
        good(&scene.at(NOW + 2000, &["check"], ""))["check"]["rows"],
        0
    );
}

#[test]
fn lock_files_are_never_replaced() {
    let scene = Scene::new(4);
    let inodes = || -> Vec<(String, u64)> {
        let mut list: Vec<_> = fs::read_dir(scene.root())
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.path().extension().is_some_and(|end| end == "lock"))
            .map(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                (name, entry.metadata().unwrap().ino())
            })
            .collect();
        list.sort();
        list
    };
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    good(&scene.claim(NOW + LEASE, &envelope("one")));
    let before = inodes();
    assert!(before.len() >= 4, "{before:?}");
    scene.step(NOW + LEASE, "renew", &claimed);
    good(&scene.at(NOW + LEASE, &["cleanup"], ""));
    good(&scene.init(4, NOW + LEASE));
    assert_eq!(inodes(), before);
}
