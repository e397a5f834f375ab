//! Where an answer turns, to the millisecond and to the member: one step before, at, and after.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::{answer, code, run, status};
use crate::roots::descriptor::Descriptor;
use crate::scene::{LEASE, NOW, Scene, bounded, check, envelope, good, path};

fn key(envelope: &Value) -> String {
    let identity = serde_json::from_value(envelope["delivery"]["identity"].clone()).unwrap();
    amiss::delivery::DeliveryKey::of(&identity).to_string()
}

/// `init` with the scene's own limits and a clock that is taken on purpose.
fn accept(scene: &Scene, now: i64) -> Value {
    let limits = [
        "--lease-ms",
        "120000",
        "--max-records",
        "8",
        "--max-signed-age-ms",
        "300000",
        "--max-queue-age-ms",
        "60000",
    ];
    let mut arguments = vec!["init", "--accept-clock"];
    arguments.extend(limits);
    good(&scene.at(now, &arguments, ""))["root"]["accepted_clock"].clone()
}

#[test]
fn each_member_of_a_binding_alone_is_a_conflict_that_names_it_and_no_other() {
    const NAMES: [&str; 9] = [
        "change.repository",
        "change.change",
        "provider_run.run_id",
        "provider_run.attempt",
        "provider_run.candidate_commit",
        "replay",
        "check.plan_digest",
        "check.required_status_name",
        "check.execution_constraint_digest",
    ];
    let scene = Scene::new(4);
    good(&scene.claim(NOW, &envelope("one")));
    let other = format!("sha256:{}", "9".repeat(64));
    let delivery = |pointer: &str, value: Value| {
        let mut envelope = envelope("one");
        *envelope["delivery"].pointer_mut(pointer).unwrap() = value;
        (envelope, check())
    };
    let checked = |member: &str, value: &str| {
        let mut check = check();
        check[member] = value.into();
        (envelope("one"), check)
    };
    let mut sha256 = envelope("one");
    sha256["delivery"]["provider_run"]["object_format"] = "sha256".into();
    sha256["delivery"]["provider_run"]["candidate_commit"] = "b".repeat(64).into();
    for (name, (envelope, check)) in [
        (
            NAMES[0],
            delivery("/change/repository/owner", "else".into()),
        ),
        (NAMES[1], delivery("/change/change", "43".into())),
        (NAMES[2], delivery("/provider_run/run_id", "run-2".into())),
        (NAMES[3], delivery("/provider_run/attempt", 2.into())),
        (
            NAMES[4],
            delivery("/provider_run/candidate_commit", "c".repeat(40).into()),
        ),
        (NAMES[4], (sha256, check())),
        (NAMES[5], (bounded("one", NOW + 1000), check())),
        (NAMES[6], checked("plan_digest", &other)),
        (NAMES[7], checked("required_status_name", "else")),
        (NAMES[8], checked("execution_constraint_digest", &other)),
    ] {
        fs::write(scene.check_file(), check.to_string()).unwrap();
        let output = scene.claim(NOW, &envelope);
        assert_eq!(code(&output), "BINDING_CONFLICT", "{name}");
        let message = answer(&output)["error"]["message"].to_string();
        let told: Vec<&str> = NAMES
            .into_iter()
            .filter(|name| message.contains(name))
            .collect();
        assert_eq!(told, [name], "{message}");
    }
}

#[test]
fn a_lease_is_the_rows_own_only_in_every_member_but_its_deadline() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let before = scene.content();
    let check = |name: &str, value: &str| {
        let mut check = claimed["lease"]["check"].clone();
        check[name] = value.into();
        check
    };
    for (member, value) in [
        ("evaluation_id", json!("eval:another")),
        ("fence", json!(2)),
        ("owner", json!("0".repeat(32))),
        ("check", check("required_status_name", "else")),
    ] {
        let mut other = claimed.clone();
        other["lease"][member] = value;
        assert_eq!(code(&scene.claim(NOW + 1, &other)), "BUSY", "{member}");
        assert_eq!(
            code(&scene.step(NOW + 1, "renew", &other)),
            "LOST",
            "{member}"
        );
        let ready = scene.ready(&other, b"x");
        assert_eq!(
            code(&scene.step(NOW + 1, "stage", &ready)),
            "LOST",
            "{member}"
        );
        assert_eq!(scene.content(), before, "{member}");
    }
}

#[test]
fn a_lease_claimed_again_has_the_deadline_of_its_row() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let renewed = good(&scene.step(NOW + 1000, "renew", &claimed));
    let again = good(&scene.claim(NOW + 2000, &claimed));
    assert_eq!(again["lease"], renewed["lease"]);
}

#[test]
fn a_done_row_confirms_its_own_value_and_no_other() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let staged = good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"x")));
    good(&scene.step(NOW, "complete", &staged));
    for (member, value) in [
        ("digest", json!(format!("sha256:{}", "0".repeat(64)))),
        ("fence", json!(2)),
        ("evaluation_id", json!("eval:another")),
    ] {
        let mut other = staged.clone();
        other["staged"][member] = value;
        let output = scene.step(NOW, "complete", &other);
        assert_eq!(code(&output), "LOST", "{member}");
    }
    good(&scene.step(NOW, "complete", &staged));
}

#[test]
fn a_cleanup_counts_what_it_removes_and_what_it_keeps() {
    let scene = Scene::new(20);
    let finish = |envelope: &Value| {
        let claimed = good(&scene.claim(NOW, envelope));
        let staged = good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"x")));
        good(&scene.step(NOW, "complete", &staged));
    };
    for id in ["ended-1", "ended-2"] {
        finish(&bounded(id, NOW + 1000));
    }
    for id in ["kept-1", "kept-2", "kept-3"] {
        finish(&bounded(id, NOW + 1001));
    }
    finish(&envelope("for-good"));
    for id in ["saved-1", "saved-2"] {
        let saved = good(&scene.claim(NOW, &envelope(id)));
        good(&scene.step(NOW, "stage", &scene.ready(&saved, b"x")));
    }
    good(&scene.claim(NOW, &bounded("stuck", NOW)));
    let dead = ["0", "1"].map(|digit| scene.file(&format!("{}.report", digit.repeat(64))));
    for report in &dead {
        fs::write(report, b"dead").unwrap();
    }
    let leftovers = ["a", "b"].map(|end| scene.file(&format!(".atomicwrite{end}")));
    for leftover in &leftovers {
        fs::create_dir(leftover).unwrap();
    }
    let wanted = json!({"running": 1, "saved": 2, "done_permanent": 1, "done_bounded": 3});
    for arguments in [["cleanup", "--dry-run"].as_slice(), &["cleanup"]] {
        let cleaned = good(&scene.at(NOW + 1001, arguments, ""))["cleanup"].clone();
        assert_eq!(cleaned["removed_records"], 2);
        assert_eq!(cleaned["removed_reports"], 2);
        assert_eq!(cleaned["removed_temporary"], 2);
        assert_eq!(cleaned["kept"], wanted);
    }
    assert!(dead.iter().chain(&leftovers).all(|path| !path.exists()));
    let checked = good(&scene.at(NOW, &["check"], ""))["check"].clone();
    assert_eq!(
        (&checked["rows"], &checked["reports"]),
        (&json!(7), &json!(2))
    );
    assert_eq!(checked["notes"], json!([]));
}

#[test]
fn a_report_that_the_system_does_not_give_is_its_fault_and_no_other_report() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let mut ready = scene.ready(&claimed, b"x");
    let around = scene.folder.path().join("around");
    std::os::unix::fs::symlink(&around, &around).unwrap();
    ready["outcome"]["report"]["path"] = path(&around).into();
    let before = scene.content();
    let output = scene.step(NOW, "stage", &ready);
    assert_eq!((status(&output), code(&output).as_str()), (74, "IO"));
    assert_eq!(scene.content(), before);
}

#[test]
fn a_saved_result_is_confirmed_to_the_lease_it_was_saved_under_and_to_no_other() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"x")));
    let before = scene.content();
    let mut check = claimed["lease"]["check"].clone();
    check["required_status_name"] = "else".into();
    for (member, value) in [
        ("evaluation_id", json!("eval:another")),
        ("fence", json!(2)),
        ("check", check),
    ] {
        let mut other = claimed.clone();
        other["lease"][member] = value;
        let again = scene.step(NOW, "stage", &scene.ready(&other, b"x"));
        assert_eq!(code(&again), "LOST", "{member}");
        let message = answer(&again)["error"]["message"].to_string();
        let words = if member == "check" {
            "bound to another change, run, lifetime or check"
        } else {
            "under another evaluation id, fence or owner"
        };
        assert!(message.contains(words), "{member}: {message}");
    }
    for report in [b"y".as_slice(), b"longer"] {
        let again = scene.step(NOW, "stage", &scene.ready(&claimed, report));
        assert_eq!(code(&again), "LOST");
    }
    let mut other = scene.ready(&claimed, b"x");
    other["outcome"]["evaluation"] = "block".into();
    assert_eq!(code(&scene.step(NOW, "stage", &other)), "LOST");
    assert_eq!(scene.content(), before);
    good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"x")));
}

/// What `init --accept-clock` says that a clock does to the rows.
fn effects(told: &Value) -> [u64; 5] {
    [
        "reopened_leases",
        "ended_leases",
        "reopened_lifetimes",
        "ended_lifetimes",
        "running_ahead",
    ]
    .map(|member| told[member].as_u64().unwrap())
}

#[test]
fn a_clock_taken_on_purpose_says_which_leases_and_lifetimes_it_ends_and_opens_again() {
    let scene = Scene::new(8);
    good(&scene.claim(NOW, &bounded("stuck", NOW + 1000)));
    let deadline = NOW + LEASE;
    let mut now = NOW;
    // A lifetime protects through its end, a lease ends at its deadline.
    for (to, wanted) in [
        (NOW + 1000, [0, 0, 0, 0, 0]),
        (NOW + 1001, [0, 0, 0, 1, 0]),
        (NOW + 1002, [0, 0, 0, 0, 0]),
        (NOW + 1000, [0, 0, 1, 0, 0]),
        (deadline - 1, [0, 0, 0, 1, 0]),
        (deadline, [0, 1, 0, 0, 0]),
        (deadline + 1, [0, 0, 0, 0, 0]),
        (deadline - 1, [1, 0, 0, 0, 0]),
        (deadline, [0, 1, 0, 0, 0]),
        (NOW, [1, 0, 1, 0, 0]),
        (NOW - 1, [0, 0, 0, 0, 1]),
    ] {
        let told = accept(&scene, to);
        assert_eq!(told["from_unix_millis"], now, "{to}");
        assert_eq!(told["to_unix_millis"], to);
        assert_eq!(effects(&told), wanted, "{now} to {to}");
        now = to;
    }
    assert_eq!(accept(&scene, now), Value::Null, "the same time again");
}

#[test]
fn a_clock_taken_on_purpose_says_nothing_of_the_leases_of_rows_that_have_ended() {
    let scene = Scene::new(8);
    let done = good(&scene.claim(NOW, &envelope("done")));
    let done = good(&scene.step(NOW, "stage", &scene.ready(&done, b"x")));
    good(&scene.step(NOW, "complete", &done));
    let staged = good(&scene.claim(NOW, &envelope("saved")));
    good(&scene.step(NOW, "stage", &scene.ready(&staged, b"x")));
    assert_eq!(effects(&accept(&scene, NOW + LEASE)), [0; 5]);
    assert_eq!(effects(&accept(&scene, NOW - 1)), [0; 5]);
}

#[test]
fn a_lease_of_a_wrong_clock_is_abandoned_at_once_and_one_of_a_right_clock_never() {
    let scene = Scene::new(8);
    let ahead = NOW + 30 * 24 * 3_600_000;
    accept(&scene, ahead);
    good(&scene.claim(ahead, &envelope("one")));
    let row = key(&envelope("one"));
    let abandon = ["abandon", "--key", &row, "--reason", "gone"];
    // A whole lease left is what any live owner may have.
    let live = scene.at(ahead, &abandon, "");
    assert_eq!(code(&live), "BUSY");
    accept(&scene, ahead - 1);
    let done = good(&scene.at(ahead - 1, &abandon, ""));
    assert_eq!(done["abandoned"]["was"], "running");
}

#[test]
fn no_window_shrinks_under_a_bounded_row_and_each_time_changes_alone() {
    let scene = Scene::new(8);
    let retune = |flag: &str, value: &str| scene.plain(&["retune", flag, value], "");
    let limits = |output: &std::process::Output| {
        let to = &good(output)["retune"]["to"];
        json!([
            to["lease_millis"],
            to["max_records"],
            to["max_signed_age_millis"],
            to["max_queue_age_millis"]
        ])
    };
    assert_eq!(
        limits(&retune("--max-signed-age-ms", "299999")),
        json!([120_000, 8, 299_999, 60_000])
    );
    assert_eq!(
        limits(&retune("--max-queue-age-ms", "59999")),
        json!([120_000, 8, 299_999, 59_999])
    );
    assert_eq!(
        limits(&retune("--lease-ms", "1")),
        json!([1, 8, 299_999, 59_999])
    );
    good(&retune("--max-signed-age-ms", "300000"));
    good(&retune("--max-queue-age-ms", "60000"));
    good(&scene.claim(NOW, &bounded("one", NOW + 1000)));
    for (flag, less, same, more) in [
        ("--max-signed-age-ms", "299999", "300000", "300001"),
        ("--max-queue-age-ms", "59999", "60000", "60001"),
    ] {
        assert_eq!(code(&retune(flag, less)), "ROOT_CONFIGURATION", "{flag}");
        good(&retune(flag, same));
        good(&retune(flag, more));
    }
    good(&retune("--lease-ms", "2"));
}

#[test]
fn a_count_that_is_not_the_rows_is_a_defect_until_quarantine_counts_anew() {
    let scene = Scene::new(4);
    for id in ["one", "two", "three"] {
        good(&scene.claim(NOW, &envelope(id)));
    }
    let row = scene.file(&format!("{}.state", key(&envelope("two"))));
    let aside = scene.folder.path().join("aside");
    fs::rename(&row, &aside).unwrap();
    let checked = scene.at(NOW, &["check"], "");
    assert_eq!(status(&checked), 78);
    let defects = answer(&checked)["check"]["defects"].clone();
    assert_eq!(defects.as_array().map(Vec::len), Some(1), "{defects}");
    assert_eq!(defects[0]["file"], ".amiss-capacity.state");
    let problem = defects[0]["problem"].as_str().unwrap();
    assert_eq!(problem, "it counts 3 rows, the folder holds 2");
    assert_eq!(code(&scene.at(NOW, &["cleanup"], "")), "ROOT_CORRUPT");
    let resize = scene.plain(&["resize", "--max-records", "5"], "");
    assert_eq!(code(&resize), "ROOT_CORRUPT");
    let out = scene.folder.path().join("out");
    fs::create_dir(&out).unwrap();
    let count = ["quarantine", ".amiss-capacity.state", "--to", path(&out)];
    assert_eq!(good(&scene.plain(&count, ""))["quarantine"]["records"], 2);
    good(&scene.at(NOW, &["check"], ""));
    // The other way round: a row that nobody counted.
    fs::rename(&aside, &row).unwrap();
    let checked = scene.at(NOW, &["check"], "");
    let problem = answer(&checked)["check"]["defects"][0]["problem"].clone();
    assert_eq!(problem, "it counts 2 rows, the folder holds 3");
    assert_eq!(code(&scene.at(NOW, &["cleanup"], "")), "ROOT_CORRUPT");
}

#[test]
fn stats_tells_every_kind_of_row_and_warns_of_damaged_ones() {
    let scene = Scene::new(20);
    let finish = |envelope: &Value| {
        let claimed = good(&scene.claim(NOW, envelope));
        let staged = good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"x")));
        good(&scene.step(NOW, "complete", &staged));
    };
    finish(&envelope("for-good"));
    finish(&bounded("one", NOW + 1000));
    finish(&bounded("two", NOW + 1000));
    good(&scene.claim(NOW + 7, &envelope("later")));
    good(&scene.claim(NOW + 5, &envelope("sooner")));
    let stats = || good(&scene.at(NOW, &["stats"], ""))["stats"].clone();
    let whole = stats();
    assert_eq!(whole["done_permanent"], 1);
    assert_eq!(whole["done_bounded"], 2);
    assert_eq!(whole["running"], 2);
    assert_eq!(whole["damaged"], 0);
    assert_eq!(whole["clock_high_water_unix_millis"], NOW);
    assert_eq!(whole["oldest_running_unix_millis"], NOW + 5);
    let locks = fs::read_dir(scene.root())
        .unwrap()
        .filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().starts_with(".amiss-row-")
        })
        .count();
    assert_eq!(whole["row_locks"], locks);
    let row = scene.file(&format!("{}.state", key(&envelope("later"))));
    fs::write(row, b"AMISS").unwrap();
    let hurt = stats();
    assert_eq!((&hurt["damaged"], &hurt["running"]), (&json!(1), &json!(1)));
    assert_eq!(hurt["records"], 5);
    let warning = hurt["warnings"][0].as_str().unwrap();
    assert!(warning.contains("1 row is damaged"), "{warning}");
    assert!(warning.contains("amiss ledger check"), "{warning}");
}

#[test]
fn a_folder_with_nothing_but_what_a_stopped_init_leaves_is_new() {
    for leftover in ["lock", "empty", "half"] {
        let scene = Scene::new(4);
        let root = scene.root();
        fs::remove_dir_all(&root).unwrap();
        fs::create_dir(&root).unwrap();
        let folder = root.join(".atomicwriteAbCdEf");
        match leftover {
            "lock" => fs::write(root.join(".amiss-maintenance.lock"), "").unwrap(),
            _ => fs::create_dir(&folder).unwrap(),
        }
        if leftover == "half" {
            fs::write(folder.join("tmpfile.tmp"), "half").unwrap();
        }
        let made = good(&scene.init(4, NOW));
        assert_eq!(made["root"]["migrated"], false, "{leftover}");
        assert_eq!(made["root"]["records"], 0);
        let removed = u64::from(leftover != "lock");
        assert_eq!(made["root"]["cleanup"]["removed_temporary"], removed);
        assert!(!folder.exists());
        assert_eq!(good(&scene.init(4, NOW))["root"]["migrated"], false);
    }
}

#[test]
fn a_folder_that_lost_its_metadata_is_never_taken_for_a_new_one() {
    let scene = Scene::new(4);
    good(&scene.claim(NOW, &envelope("one")));
    fs::remove_file(scene.file(".amiss-root.state")).unwrap();
    let before = scene.content();
    assert_eq!(code(&scene.init(4, NOW)), "ROOT_CORRUPT");
    assert_eq!(scene.content(), before);
}

#[test]
fn a_temporary_folder_of_another_shape_is_nobodys_leftover() {
    type Make = fn(&std::path::Path);
    let shapes: [(&str, Make); 4] = [
        ("two files", |folder| {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("tmpfile.tmp"), "").unwrap();
            fs::write(folder.join("other"), "").unwrap();
        }),
        ("another name", |folder| {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("other"), "").unwrap();
        }),
        ("a folder inside", |folder| {
            fs::create_dir_all(folder.join("tmpfile.tmp")).unwrap();
        }),
        ("a file", |folder| fs::write(folder, "").unwrap()),
    ];
    for (shape, make) in shapes {
        let scene = Scene::new(4);
        make(&scene.file(".atomicwriteAbCdEf"));
        let before = scene.content();
        assert_eq!(
            code(&scene.at(NOW, &["cleanup"], "")),
            "ROOT_CORRUPT",
            "{shape}"
        );
        assert_eq!(status(&scene.at(NOW, &["check"], "")), 78, "{shape}");
        assert_eq!(code(&scene.init(4, NOW)), "ROOT_CORRUPT", "{shape}");
        assert_eq!(scene.content(), before, "{shape}");
    }
}

#[test]
fn a_name_that_is_nearly_a_lock_is_a_stray_file() {
    let scene = Scene::new(4);
    let names = [
        ".amiss-row-0.lock",
        ".amiss-row-000.lock",
        ".amiss-row-AA.lock",
        ".amiss-row-zz.lock",
        ".amiss-row-.lock",
    ];
    for name in names {
        fs::write(scene.file(name), "").unwrap();
    }
    let checked = answer(&scene.at(NOW, &["check"], ""));
    let mut told: Vec<&str> = checked["check"]["defects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|defect| defect["file"].as_str().unwrap())
        .collect();
    told.sort_unstable();
    let mut wanted = names;
    wanted.sort_unstable();
    assert_eq!(told, wanted);
}

#[test]
fn quarantine_moves_nothing_that_a_root_still_needs() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"x")));
    let out = scene.folder.path().join("out");
    fs::create_dir(&out).unwrap();
    let quarantine = |name: &str| scene.plain(&["quarantine", name, "--to", path(&out)], "");
    let report = format!("{}.report", key(&envelope("one")));
    let shard = format!(".amiss-row-{}.lock", &key(&envelope("one"))[..2]);
    let before = scene.content();
    for name in [
        report.as_str(),
        shard.as_str(),
        ".amiss-maintenance.lock",
        ".amiss-admission.lock",
        ".amiss-clock.lock",
        ".amiss-root.state",
        ".amiss-capacity.state",
    ] {
        assert_eq!(code(&quarantine(name)), "INPUT_MALFORMED", "{name}");
        assert!(scene.file(name).exists(), "{name}");
    }
    assert_eq!(code(&quarantine("none")), "NOT_FOUND");
    let inside = path(&scene.root()).to_owned();
    let itself = scene.plain(&["quarantine", &report, "--to", &inside], "");
    assert_eq!(code(&itself), "ROOT_UNSAFE");
    assert_eq!(scene.content(), before);
    // Damaged, the same report goes; so does a report that no saved row names.
    fs::write(scene.file(&report), b"other").unwrap();
    good(&quarantine(&report));
    let dead = format!("{}.report", "0".repeat(64));
    fs::write(scene.file(&dead), b"dead").unwrap();
    good(&quarantine(&dead));
    assert_eq!(fs::read(out.join(&dead)).unwrap(), b"dead");
    // A lock that is no file keeps nobody out.
    fs::remove_file(scene.file(&shard)).unwrap();
    fs::create_dir(scene.file(&shard)).unwrap();
    assert_eq!(good(&quarantine(&shard))["quarantine"]["records"], 1);
    assert!(out.join(&shard).is_dir());
}

#[test]
fn quarantine_moves_no_row_to_where_its_report_has_no_place() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"x")));
    let row = format!("{}.state", key(&envelope("one")));
    let report = format!("{}.report", key(&envelope("one")));
    fs::write(scene.file(&row), b"damaged").unwrap();
    let out = scene.folder.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join(&report), b"another").unwrap();
    let before = scene.content();
    let refused = scene.plain(&["quarantine", &row, "--to", path(&out)], "");
    let message = answer(&refused)["error"]["message"].to_string();
    assert!(
        message.contains(&format!("it has a {report} already")),
        "{message}"
    );
    assert_eq!(scene.content(), before);
    assert_eq!(fs::read(out.join(&report)).unwrap(), b"another");
}

#[test]
fn a_name_of_the_wrong_kind_is_told_by_the_kind_that_it_should_be() {
    let scene = Scene::new(4);
    let told = || {
        let checked = scene.plain(&["check"], "");
        answer(&checked)["check"]["defects"].to_string()
    };
    let file = scene.file(".atomicwriteabcdef");
    fs::write(&file, "").unwrap();
    assert!(told().contains("it is not a directory"), "{}", told());
    fs::remove_file(file).unwrap();
    fs::create_dir(scene.file(&format!("{}.state", "0".repeat(64)))).unwrap();
    assert!(told().contains("it is not a regular file"), "{}", told());
}

#[test]
fn a_lease_is_of_a_millisecond_to_a_day() {
    let scene = Scene::new(4);
    let retune = |lease: &str| scene.plain(&["retune", "--lease-ms", lease], "");
    for lease in ["1", "86400000"] {
        good(&retune(lease));
    }
    for lease in ["0", "86400001"] {
        assert_eq!(status(&retune(lease)), 2, "{lease}");
    }
}

#[test]
fn a_leftover_of_another_shape_stops_whatever_counts_the_names() {
    let scene = Scene::new(4);
    let folder = scene.file(".atomicwriteabcdef");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("tmpfile.tmp"), "").unwrap();
    let resize = |rows: &str| scene.plain(&["resize", "--max-records", rows], "");
    good(&resize("5"));
    fs::write(folder.join("more"), "").unwrap();
    assert_eq!(code(&resize("6")), "ROOT_CORRUPT");
}

#[test]
fn only_a_window_that_would_shrink_asks_every_row() {
    let scene = Scene::new(4);
    good(&scene.claim(NOW, &envelope("one")));
    let row = scene.file(&format!("{}.state", key(&envelope("one"))));
    fs::write(row, b"damaged").unwrap();
    let retune = |window: &str| {
        let arguments = ["retune", "--max-queue-age-ms", window];
        scene.plain(&arguments, "")
    };
    good(&retune("60001"));
    assert_eq!(code(&retune("60000")), "ROOT_CORRUPT");
}

#[test]
fn quarantine_makes_a_missing_count_anew_but_never_over_the_cap() {
    let scene = Scene::new(2);
    good(&scene.claim(NOW, &envelope("one")));
    good(&scene.claim(NOW, &envelope("two")));
    let out = scene.folder.path().join("out");
    fs::create_dir(&out).unwrap();
    let count = ["quarantine", ".amiss-capacity.state", "--to", path(&out)];
    fs::remove_file(scene.file(".amiss-capacity.state")).unwrap();
    let made = good(&scene.plain(&count, ""));
    assert_eq!(made["quarantine"]["records"], 2, "as many as the cap");
    assert_eq!(code(&scene.claim(NOW, &envelope("three"))), "FULL");
    let row = fs::read(scene.file(&format!("{}.state", key(&envelope("one"))))).unwrap();
    fs::write(scene.file(&format!("{}.state", "0".repeat(64))), row).unwrap();
    fs::remove_file(scene.file(".amiss-capacity.state")).unwrap();
    assert_eq!(code(&scene.plain(&count, "")), "ROOT_CONFIGURATION");
}

#[test]
fn every_refusal_of_the_ledger_says_what_to_do_next() {
    let scene = Scene::new(1);
    good(&scene.claim(NOW, &envelope("one")));
    let hint = |output: &std::process::Output| {
        let error = answer(output)["error"].clone();
        error["hint"].as_str().unwrap_or_default().to_owned()
    };
    let full = scene.claim(NOW, &envelope("two"));
    assert!(hint(&full).contains("amiss ledger cleanup"), "{full:?}");
    let leap = scene.claim(NOW + 31 * 24 * 3_600_000, &envelope("one"));
    assert!(hint(&leap).contains("--accept-clock"), "{leap:?}");
    let early = scene.claim(-1, &envelope("one"));
    assert!(hint(&early).contains("--now-unix-millis"), "{early:?}");
    let claimed = good(&scene.claim(NOW + LEASE, &envelope("one")));
    let mut other = scene.ready(&claimed, b"x");
    other["outcome"]["report"]["bytes"] = 2.into();
    let mismatch = scene.step(NOW + LEASE, "stage", &other);
    assert!(
        hint(&mismatch).contains("the file that the run wrote"),
        "{mismatch:?}"
    );
    let missing = format!("{}/none", scene.folder.path().display());
    let nowhere = run(&["ledger", "stats", "--root", &missing], "");
    assert!(hint(&nowhere).contains("mkdir -m 700"), "{nowhere:?}");
    fs::write(
        scene.file(&format!("{}.state", key(&envelope("one")))),
        b"x",
    )
    .unwrap();
    let corrupt = scene.claim(NOW, &envelope("one"));
    assert!(hint(&corrupt).contains("amiss ledger check"), "{corrupt:?}");
    let nowhere = scene.plain(&["quarantine", "x", "--to", &missing], "");
    assert_eq!(code(&nowhere), "NOT_FOUND", "{nowhere:?}");
    assert!(!hint(&nowhere).contains("cleanup"), "the disk is not full");
    let lock = fs::File::open(scene.file(".amiss-maintenance.lock")).unwrap();
    lock.lock().unwrap();
    let busy = scene.at(NOW, &["cleanup", "--lock-timeout", "1ms"], "");
    assert!(hint(&busy).contains("--lock-timeout"), "{busy:?}");
}

/// A whole root of the earlier implementation that was stopped in the middle is no damaged one.
#[test]
fn check_notes_an_interrupted_addition_or_batch_and_calls_nothing_a_defect() {
    for (name, wanted) in [
        ("v25-interrupted-add-row-missing", "the addition of "),
        ("v25-interrupted-add-row-present", "the addition of "),
        ("v25-interrupted-cleanup", "a batch is under way"),
    ] {
        let place = tempfile::tempdir().unwrap();
        Descriptor::read(name).unpack(place.path());
        let root = place.path().join("root");
        let checked = good(&run(&["ledger", "check", "--root", path(&root)], ""));
        assert_eq!(checked["check"]["defects"], json!([]), "{name}");
        let notes = checked["check"]["notes"].as_array().unwrap();
        let told = notes
            .iter()
            .find(|note| note["file"] == ".amiss-capacity.state")
            .unwrap();
        let words = told["note"].as_str().unwrap();
        assert!(words.starts_with(wanted), "{name}: {words}");
    }
}

#[test]
fn a_command_that_needs_the_root_alone_waits_for_the_others_says_so_once_and_gives_up_in_time() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let lock = fs::File::open(scene.file(".amiss-maintenance.lock")).unwrap();
    lock.lock_shared().unwrap();
    let resize = |limit: &str| {
        let arguments = ["resize", "--max-records", "5", "--lock-timeout", limit];
        scene.plain(&arguments, "")
    };
    let output = resize("3s");
    assert_eq!((status(&output), code(&output).as_str()), (75, "BUSY"));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(words.matches("waiting for").count(), 1, "{words}");
    assert!(words.contains(".amiss-maintenance.lock"), "{words}");
    for short in ["1ms", "500ms"] {
        let short = resize(short);
        assert!(!String::from_utf8_lossy(&short.stderr).contains("waiting for"));
    }
    // Those who share the root work on meanwhile.
    good(&scene.step(NOW, "renew", &claimed));
    let mut waiting = Command::new(env!("CARGO_BIN_EXE_amiss"))
        .args([
            "ledger",
            "resize",
            "--max-records",
            "5",
            "--lock-timeout",
            "10m",
        ])
        .args(["--root", path(&scene.root())])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = String::new();
    let mut lines = BufReader::new(waiting.stderr.take().unwrap());
    lines.read_line(&mut told).unwrap();
    assert!(told.contains("waiting for"), "{told}");
    lock.unlock().unwrap();
    good(&waiting.wait_with_output().unwrap());
}
