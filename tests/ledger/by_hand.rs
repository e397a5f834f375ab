//! What an operator does by hand: show, list, stats, check, quarantine, abandon, resize, retune.

use std::fs;

use serde_json::{Value, json};

use crate::common::{answer, code, status};
use crate::scene::{LEASE, NOW, Scene, bounded, envelope, good, path};

fn lines(output: &std::process::Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn key(envelope: &Value) -> String {
    let identity = serde_json::from_value(envelope["delivery"]["identity"].clone()).unwrap();
    amiss::delivery::DeliveryKey::of(&identity).to_string()
}

/// One row in each state: `run` is running, `save` is staged, `done` is done.
fn three_rows(scene: &Scene) {
    good(&scene.claim(NOW, &envelope("run")));
    let saved = good(&scene.claim(NOW, &envelope("save")));
    good(&scene.step(NOW, "stage", &scene.ready(&saved, b"saved")));
    let done = good(&scene.claim(NOW, &bounded("done", NOW + 10_000)));
    let done = good(&scene.step(NOW, "stage", &scene.ready(&done, b"done")));
    good(&scene.step(NOW, "complete", &done));
}

#[test]
fn show_says_what_each_command_would_answer_now() {
    let scene = Scene::new(8);
    three_rows(&scene);
    let show = |now: i64, id: &Value| good(&scene.at(now, &["show", "--key", &key(id)], ""));
    let running = show(NOW, &envelope("run"));
    assert_eq!(running["row"]["state"], "running");
    assert_eq!(
        running["row"]["owner"].as_str().map(str::len),
        Some(32),
        "{running}"
    );
    assert_eq!(running["row"]["next"]["claim"], "busy");
    let ended = show(NOW + LEASE, &envelope("run"));
    assert_eq!(ended["row"]["next"]["claim"], "execute");
    assert_eq!(ended["row"]["next"]["renew"], "LOST");
    let saved = show(NOW, &envelope("save"));
    assert_eq!(saved["row"]["next"]["claim"], "publish");
    assert_eq!(saved["row"]["publication"]["conclusion"], "pass");
    assert_eq!(saved["row"]["report"]["bytes"], 5);
    let done = show(NOW + 10_000, &bounded("done", NOW));
    assert_eq!(done["row"]["next"]["claim"], "duplicate");
    assert_eq!(done["row"]["next"]["cleanup"], "kept");
    let past = show(NOW + 10_001, &bounded("done", NOW));
    assert_eq!(past["row"]["next"]["cleanup"], "removed");
}

#[test]
fn show_finds_a_row_by_key_by_identity_or_from_a_delivery() {
    let scene = Scene::new(8);
    three_rows(&scene);
    let by_identity = good(&scene.at(
        NOW,
        &[
            "show",
            "--namespace",
            "gitea",
            "--instance",
            "forge.example.test",
            "--integration",
            "installation-7",
            "--delivery",
            "run",
        ],
        "",
    ));
    let from_delivery = good(&scene.at(NOW, &["show"], &envelope("run").to_string()));
    assert_eq!(by_identity["row"], from_delivery["row"]);
    let missing = scene.at(NOW, &["show", "--key", &"0".repeat(64)], "");
    assert_eq!(
        (status(&missing), code(&missing).as_str()),
        (66, "NOT_FOUND")
    );
}

#[test]
fn list_streams_one_line_a_row_and_goes_on_past_a_damaged_one() {
    let scene = Scene::new(8);
    three_rows(&scene);
    let all = scene.at(NOW, &["list"], "");
    assert_eq!(status(&all), 0);
    assert_eq!(lines(&all).len(), 3);
    let staged = lines(&scene.at(NOW, &["list", "--state", "staged"], ""));
    assert_eq!(staged.len(), 1);
    assert_eq!(staged[0]["row"]["key"], key(&envelope("save")));
    assert!(staged[0]["row"].get("next").is_none());
    assert!(lines(&scene.at(NOW, &["list", "--expired"], "")).is_empty());
    assert_eq!(
        lines(&scene.at(NOW + 10_001, &["list", "--expired"], "")).len(),
        1
    );
    assert!(lines(&scene.at(NOW, &["list", "--provider", "github"], "")).is_empty());
    let table = scene.at(NOW, &["list", "--format", "table"], "");
    let table = String::from_utf8(table.stdout).unwrap();
    for state in ["running", "staged"] {
        assert_eq!(table.matches(state).count(), 1, "{state}: {table}");
    }

    let file = scene.file(&format!("{}.state", key(&envelope("run"))));
    fs::write(&file, b"AMISS").unwrap();
    let damaged = scene.at(NOW, &["list"], "");
    assert_eq!(status(&damaged), 78);
    let rows = lines(&damaged);
    assert_eq!(rows.len(), 3);
    let told = rows.iter().find(|line| line["row"]["damaged"].is_string());
    assert_eq!(told.unwrap()["row"]["key"], key(&envelope("run")));
}

#[test]
fn list_stuck_names_bounded_rows_that_never_finished() {
    let scene = Scene::new(8);
    good(&scene.claim(NOW, &bounded("stuck", NOW + 1000)));
    good(&scene.claim(NOW, &envelope("fine")));
    let stuck = |now| lines(&scene.at(now, &["list", "--stuck"], ""));
    assert!(stuck(NOW + 1000).is_empty());
    let told = stuck(NOW + 1001);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["row"]["identity"]["delivery"], "stuck");
}

#[test]
fn stats_counts_and_warns_at_eighty_and_ninety_five_percent_of_the_cap() {
    let scene = Scene::new(20);
    three_rows(&scene);
    let stats = good(&scene.at(NOW, &["stats"], ""))["stats"].clone();
    for (member, wanted) in [
        ("records", 3),
        ("max_records", 20),
        ("running", 1),
        ("staged", 1),
        ("done_permanent", 0),
        ("done_bounded", 1),
        ("reports", 1),
        ("report_bytes", 5),
        ("lease_millis", LEASE),
        ("max_signed_age_millis", 300_000),
        ("max_queue_age_millis", 60_000),
    ] {
        assert_eq!(stats[member], wanted, "{member}");
    }
    assert_eq!(stats["oldest_running_unix_millis"], NOW);
    assert_eq!(stats["warnings"], json!([]));
    for index in 3..16 {
        good(&scene.claim(NOW, &envelope(&format!("d{index}"))));
    }
    let warned = good(&scene.at(NOW, &["stats"], ""))["stats"]["warnings"].clone();
    assert!(
        warned[0].as_str().unwrap().contains("over 80 %"),
        "{warned}"
    );
    for index in 16..19 {
        good(&scene.claim(NOW, &envelope(&format!("d{index}"))));
    }
    let warned = good(&scene.at(NOW, &["stats"], ""))["stats"]["warnings"].clone();
    assert!(
        warned[0].as_str().unwrap().contains("over 95 %"),
        "{warned}"
    );
}

#[test]
fn stats_warns_of_a_last_known_time_ahead_of_the_clock() {
    let scene = Scene::new(20);
    good(&scene.claim(NOW, &envelope("one")));
    good(&scene.at(NOW + 90_000, &["cleanup"], ""));
    let warnings = |now: i64| good(&scene.at(now, &["stats"], ""))["stats"]["warnings"].clone();
    assert_eq!(warnings(NOW + 90_000), json!([]));
    assert_eq!(warnings(NOW + 30_000), json!([]), "60 s is in good order");
    let warned = warnings(NOW + 29_999);
    assert!(
        warned[0].as_str().unwrap().contains("--accept-clock"),
        "{warned}"
    );
}

#[test]
fn check_reports_every_defect_with_its_remedy_and_changes_nothing() {
    let scene = Scene::new(8);
    three_rows(&scene);
    let clean = good(&scene.at(NOW, &["check"], ""));
    assert_eq!(clean["check"]["defects"], json!([]));
    assert_eq!(clean["check"]["rows"], 3);

    let row = format!("{}.state", key(&envelope("run")));
    let report = format!("{}.report", key(&envelope("save")));
    fs::write(scene.file(&row), b"").unwrap();
    fs::write(scene.file(&report), b"other").unwrap();
    fs::write(scene.file(".DS_Store"), b"x").unwrap();
    fs::write(scene.file(&format!("{}.report", "0".repeat(64))), b"dead").unwrap();
    fs::create_dir(scene.file(".atomicwriteAbCdEf")).unwrap();
    let before = scene.content();
    let output = scene.at(NOW, &["check"], "");
    assert_eq!(status(&output), 78);
    let checked = answer(&output)["check"].clone();
    let files: Vec<&str> = checked["defects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|defect| defect["file"].as_str().unwrap())
        .collect();
    let mut wanted = [".DS_Store", row.as_str(), report.as_str()];
    wanted.sort_unstable();
    assert_eq!(files, wanted, "{checked}");
    for defect in checked["defects"].as_array().unwrap() {
        assert!(!defect["problem"].as_str().unwrap().is_empty());
        assert!(!defect["remedy"].as_str().unwrap().is_empty());
    }
    let noted: Vec<&str> = checked["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| note["file"].as_str().unwrap())
        .collect();
    let dead = format!("{}.report", "0".repeat(64));
    assert_eq!(noted, [".atomicwriteAbCdEf", dead.as_str()], "{checked}");
    assert_eq!(scene.content(), before);
}

#[test]
fn quarantine_moves_a_damaged_row_out_and_keeps_the_count_right() {
    let scene = Scene::new(3);
    three_rows(&scene);
    let out = scene.folder.path().join("out");
    fs::create_dir(&out).unwrap();
    let row = format!("{}.state", key(&envelope("run")));
    // A whole row is not for quarantine.
    let whole = scene.plain(&["quarantine", &row, "--to", path(&out)], "");
    assert_eq!(code(&whole), "INPUT_MALFORMED");
    fs::write(scene.file(&row), b"half").unwrap();
    let cleanup = scene.at(NOW, &["cleanup"], "");
    assert_eq!(code(&cleanup), "ROOT_CORRUPT");
    assert!(
        answer(&cleanup)["error"]["message"]
            .as_str()
            .unwrap()
            .contains(&row)
    );
    let moved = good(&scene.plain(&["quarantine", &row, "--to", path(&out)], ""));
    assert_eq!(moved["quarantine"]["records"], 2);
    assert_eq!(fs::read(out.join(&row)).unwrap(), b"half");
    good(&scene.at(NOW, &["cleanup"], ""));
    good(&scene.claim(NOW, &envelope("one-more")));
    assert_eq!(code(&scene.claim(NOW, &envelope("no-other"))), "FULL");
}

#[test]
fn quarantine_mends_a_damaged_count() {
    let scene = Scene::new(8);
    three_rows(&scene);
    let out = scene.folder.path().join("out");
    fs::create_dir(&out).unwrap();
    let name = ".amiss-capacity.state";
    let right = scene.plain(&["quarantine", name, "--to", path(&out)], "");
    assert_eq!(code(&right), "INPUT_MALFORMED");
    fs::write(scene.file(name), b"half").unwrap();
    assert_eq!(code(&scene.claim(NOW, &envelope("new"))), "ROOT_CORRUPT");
    good(&scene.plain(&["quarantine", name, "--to", path(&out)], ""));
    good(&scene.claim(NOW, &envelope("new")));
    assert_eq!(good(&scene.at(NOW, &["check"], ""))["check"]["rows"], 4);
    // The metadata itself has no such way out.
    let root = scene.plain(&["quarantine", ".amiss-root.state", "--to", path(&out)], "");
    assert_eq!(code(&root), "INPUT_MALFORMED");
}

#[test]
fn a_stray_file_stops_neither_deliveries_nor_its_own_removal() {
    let scene = Scene::new(8);
    fs::write(scene.file(".DS_Store"), b"x").unwrap();
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    good(&scene.step(NOW, "renew", &claimed));
    assert_eq!(code(&scene.init(8, NOW)), "ROOT_CORRUPT");
    let out = scene.folder.path().join("out");
    fs::create_dir(&out).unwrap();
    good(&scene.plain(&["quarantine", ".DS_Store", "--to", path(&out)], ""));
    good(&scene.init(8, NOW));
}

#[test]
fn a_running_row_is_abandoned_only_after_its_lease_ended_and_stays_a_duplicate() {
    let scene = Scene::new(8);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let row = key(&envelope("one"));
    let abandon = |now| scene.at(now, &["abandon", "--key", &row, "--reason", "gone"], "");
    let early = abandon(NOW + LEASE - 1);
    assert_eq!((status(&early), code(&early).as_str()), (75, "BUSY"));
    assert_eq!(answer(&early)["error"]["retry_at_unix_millis"], NOW + LEASE);
    let done = good(&abandon(NOW + LEASE));
    assert_eq!(done["abandoned"]["was"], "running");
    let canonical = json!({
        "evaluation_id": claimed["lease"]["evaluation_id"],
        "fence": 1,
        "reason": "gone",
    })
    .to_string();
    let digest = amiss::delivery::Digest::of("amiss/abandoned/v1", canonical.as_bytes());
    assert_eq!(done["row"]["digest"], digest.as_str());
    let again = good(&scene.claim(NOW + LEASE, &envelope("one")));
    assert_eq!(again["claim"]["result"], "duplicate");
    assert_eq!(code(&scene.step(NOW + LEASE, "renew", &claimed)), "LOST");
    assert_eq!(good(&abandon(NOW + LEASE))["abandoned"]["was"], "done");
}

#[test]
fn a_staged_row_is_abandoned_only_on_purpose_and_keeps_its_digest() {
    let scene = Scene::new(8);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    let staged = good(&scene.step(NOW, "stage", &scene.ready(&claimed, b"report")));
    let row = key(&envelope("one"));
    let plain = scene.at(NOW, &["abandon", "--key", &row, "--reason", "gone"], "");
    assert_eq!(code(&plain), "INPUT_MALFORMED");
    let done = good(&scene.at(
        NOW,
        &["abandon", "--key", &row, "--reason", "gone", "--staged"],
        "",
    ));
    assert_eq!(done["row"]["digest"], staged["staged"]["digest"]);
    assert!(!scene.file(&format!("{row}.report")).exists());
    // Whoever published it before may still say so.
    good(&scene.step(NOW, "complete", &staged));
}

#[test]
fn resize_changes_the_cap_up_and_down_to_the_rows() {
    let scene = Scene::new(3);
    three_rows(&scene);
    assert_eq!(code(&scene.claim(NOW, &envelope("four"))), "FULL");
    let up = good(&scene.plain(&["resize", "--max-records", "5"], ""));
    assert_eq!(up["resize"]["from"]["max_records"], 3);
    assert_eq!(up["resize"]["to"]["max_records"], 5);
    good(&scene.claim(NOW, &envelope("four")));
    let down = scene.plain(&["resize", "--max-records", "3"], "");
    assert_eq!(code(&down), "ROOT_CONFIGURATION");
    good(&scene.plain(&["resize", "--max-records", "4"], ""));
    assert_eq!(code(&scene.init(5, NOW)), "ROOT_CONFIGURATION");
    good(&scene.init(4, NOW));
}

#[test]
fn retune_lets_a_window_only_grow_while_bounded_rows_exist() {
    let scene = Scene::new(8);
    good(&scene.claim(NOW, &bounded("one", NOW + 1000)));
    let shrink = ["retune", "--max-queue-age-ms", "59999"];
    assert_eq!(code(&scene.plain(&shrink, "")), "ROOT_CONFIGURATION");
    let grown = good(&scene.plain(
        &[
            "retune",
            "--max-queue-age-ms",
            "60001",
            "--lease-ms",
            "1000",
        ],
        "",
    ));
    assert_eq!(grown["retune"]["to"]["lease_millis"], 1000);
    // A delivery verified under the old window is verified again.
    let old = scene.claim(NOW, &bounded("two", NOW + 1000));
    assert_eq!(code(&old), "ROOT_CONFIGURATION");
    let claimed = good(&scene.claim(NOW, &envelope("three")));
    assert_eq!(claimed["lease"]["expires_at_unix_millis"], NOW + 1000);
}

#[test]
fn a_name_full_of_tricks_is_one_line_and_its_remedy_can_be_copied_into_a_shell() {
    let scene = Scene::new(8);
    let aside = tempfile::tempdir().unwrap();
    for name in ["-x", "it's", "a\nb\u{1b}[31m"] {
        fs::write(scene.file(name), "stray").unwrap();
        let checked = scene.at(NOW, &["check"], "");
        assert_eq!(status(&checked), 78);
        let words = String::from_utf8(checked.stderr.clone()).unwrap();
        assert_eq!(words.lines().count(), 1, "{words:?}");
        assert!(!words.trim_end().contains(char::is_control), "{words:?}");
        let defect = &answer(&checked)["check"]["defects"][0];
        assert_eq!(defect["file"], name);
        let remedy = defect["remedy"].as_str().unwrap();
        let command = remedy
            .replace("amiss", "\"$AMISS\"")
            .replace("DIR", "\"$ASIDE\"");
        let done = std::process::Command::new("sh")
            .args(["-c", &command])
            .env("AMISS", env!("CARGO_BIN_EXE_amiss"))
            .env_remove("AMISS_ROOT")
            .env("ASIDE", aside.path())
            .output()
            .unwrap();
        good(&done);
        assert!(aside.path().join(name).exists(), "{command}");
    }
}

#[test]
fn quarantine_moves_nothing_into_the_root_into_a_file_or_over_another_entry() {
    let scene = Scene::new(8);
    fs::write(scene.file(".DS_Store"), b"x").unwrap();
    let aside = scene.folder.path().join("aside");
    let inside = scene.file("inside");
    let taken = scene.folder.path().join("taken");
    for folder in [&inside, &taken] {
        fs::create_dir(folder).unwrap();
    }
    fs::write(taken.join(".DS_Store"), b"an older one").unwrap();
    fs::write(scene.folder.path().join("file"), b"").unwrap();
    let before = scene.content();
    let refused = |name: &str, to: &std::path::Path| {
        let output = scene.plain(&["quarantine", name, "--to", path(to)], "");
        let error = answer(&output)["error"].clone();
        assert!(error["hint"].is_string(), "{error}");
        assert_eq!(scene.content(), before, "{error}");
        (status(&output), code(&output))
    };
    let wrong = (65, "INPUT_MALFORMED".to_owned());
    let own = (78, "ROOT_UNSAFE".to_owned());
    assert_eq!(refused(".DS_Store", &scene.root()), own);
    assert_eq!(refused(".DS_Store", &inside), own);
    assert_eq!(refused(".DS_Store", &inside.join("../inside")), own);
    assert_eq!(
        refused(".DS_Store", &scene.folder.path().join("file")),
        wrong
    );
    assert_eq!(refused(".DS_Store", &taken), wrong);
    assert_eq!(refused("root/.DS_Store", &taken), wrong);
    let missing = (66, "NOT_FOUND".to_owned());
    assert_eq!(refused(".DS_Store", &aside), missing);
    assert_eq!(refused("nothing", &taken), missing);
}

#[test]
fn to_abandon_a_row_that_was_completed_changes_nothing_and_says_so() {
    let scene = Scene::new(8);
    three_rows(&scene);
    let row = key(&envelope("done"));
    let before = scene.content();
    let done = scene.at(NOW, &["abandon", "--key", &row, "--reason", "gone"], "");
    assert_eq!(good(&done)["abandoned"]["was"], "done");
    let words = String::from_utf8(done.stderr).unwrap();
    assert!(words.contains("nothing was changed"), "{words}");
    assert_eq!(scene.content(), before);
    // What these very words ended before is only repeated.
    let ended = key(&envelope("run"));
    let abandon = || {
        scene.at(
            NOW + LEASE,
            &["abandon", "--key", &ended, "--reason", "gone"],
            "",
        )
    };
    good(&abandon());
    let again = abandon();
    assert_eq!(good(&again)["abandoned"]["was"], "done");
    assert!(again.stderr.is_empty(), "{again:?}");
}

#[test]
fn a_delivery_that_a_grown_window_caught_is_told_what_to_do() {
    let scene = Scene::new(8);
    good(&scene.claim(NOW, &bounded("one", NOW + 1000)));
    let grown = scene.plain(&["retune", "--max-queue-age-ms", "60001"], "");
    good(&grown);
    let words = String::from_utf8(grown.stderr).unwrap();
    assert!(words.contains("1 unfinished bounded row was"), "{words}");
    // As it was verified before, it is to be verified again; then its row is in the way.
    let old = scene.claim(NOW, &bounded("one", NOW + 1000));
    assert_eq!(code(&old), "ROOT_CONFIGURATION");
    let hint = |output: &std::process::Output| answer(output)["error"]["hint"].to_string();
    assert!(hint(&old).contains("amiss ingress-verify --root"));
    let mut again = bounded("one", NOW + 1001);
    again["delivery"]["replay"]["window"]["max_queue_age_millis"] = json!(60_001);
    let caught = scene.claim(NOW, &again);
    assert_eq!(code(&caught), "BINDING_CONFLICT");
    assert!(hint(&caught).contains("amiss ledger abandon"));
    // Nothing to say where nothing is caught.
    let lease = scene.plain(&["retune", "--lease-ms", "1000"], "");
    good(&lease);
    assert!(lease.stderr.is_empty(), "{lease:?}");
}
