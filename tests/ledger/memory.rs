//! What the record's commands may use of memory (pages 3.3 and 6.1). The system holds the bound: with
//! less data than that to be had, a command that needed more would fail.

use std::fs;
use std::process::{Command, Output, Stdio};

use amiss::clock::UnixMillis;
use amiss::delivery::{AcceptedDelivery, Delivery};
use amiss::ledger::file::{Limits, seed};

use crate::common::{answer, status};
use crate::scene::{LEASE, NOW, Scene, bounded, check, envelope, path};

/// For a scan: its threads, nine at most, reserve two MiB each for a stack.
const SCAN_KIB: u64 = 26 * 1024;

/// `amiss ledger …` on the scene's root with at most this much private memory.
fn within(kib: u64, scene: &Scene, arguments: &[&str], input: &str) -> Output {
    let source = scene.folder.path().join("input.json");
    fs::write(&source, input).unwrap();
    Command::new("sh")
        .args(["-c", "ulimit -d \"$0\" && exec \"$@\""])
        .arg(kib.to_string())
        .arg(env!("CARGO_BIN_EXE_amiss"))
        .arg("ledger")
        .args(arguments)
        .args(["--root", path(&scene.root())])
        .args(["--now-unix-millis", &(NOW + 1).to_string()])
        .env_remove("AMISS_ROOT")
        .stdin(Stdio::from(fs::File::open(&source).unwrap()))
        .output()
        .unwrap()
}

#[test]
fn a_report_of_256_mib_is_staged_checked_and_published_in_a_tenth_of_that() {
    let scene = Scene::new(4);
    let report = vec![b'r'; 256 * 1024 * 1024];
    let claimed = answer(&scene.claim(NOW, &envelope("large")));
    let ready = scene.ready(&claimed, &report).to_string();
    drop(report);
    let staged = within(6 * 1024, &scene, &["stage"], &ready);
    assert_eq!(status(&staged), 0, "{staged:?}");
    let checked = within(SCAN_KIB, &scene, &["check"], "");
    assert_eq!(status(&checked), 0, "{checked:?}");
    assert_eq!(answer(&checked)["check"]["reports"], 1);
    let file = scene.check_file();
    let again = envelope("large").to_string();
    let published = within(6 * 1024, &scene, &["claim", "--check", path(&file)], &again);
    assert_eq!(answer(&published)["claim"]["result"], "publish");
}

/// 100,000 in the long form, as page 6 asks; a tenth of it tells a list that grows as well.
fn rows() -> u64 {
    if crate::common::figures::is_long() {
        100_000
    } else {
        10_000
    }
}

#[test]
fn many_rows_are_listed_checked_and_cleaned_in_constant_memory() {
    let scene = Scene::new(rows());
    let limits = Limits {
        lease_millis: LEASE,
        max_records: rows(),
        max_signed_age_millis: 300_000,
        max_queue_age_millis: 60_000,
    };
    let now = UnixMillis::new(NOW).unwrap();
    let binding = serde_json::from_value(check()).unwrap();
    for index in 0..rows() {
        // Every second one has ended.
        let end = if index % 2 == 0 { NOW - 1 } else { NOW + 1000 };
        let value = bounded(&format!("row-{index}"), end);
        let delivery: Delivery = serde_json::from_value(value["delivery"].clone()).unwrap();
        let delivery: AcceptedDelivery = delivery.accept(None).unwrap();
        let row = seed::done_row(&delivery, &binding, now).unwrap();
        fs::write(scene.file(&row.name), row.bytes).unwrap();
    }
    let count = seed::count(&limits, rows()).unwrap();
    fs::write(scene.file(&count.name), count.bytes).unwrap();
    let listed = within(SCAN_KIB, &scene, &["list"], "");
    assert_eq!(
        status(&listed),
        0,
        "{:?}",
        String::from_utf8_lossy(&listed.stderr)
    );
    let lines = listed
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    assert_eq!(u64::try_from(lines.count()).unwrap(), rows());
    let checked = within(SCAN_KIB, &scene, &["check"], "");
    assert_eq!(answer(&checked)["check"]["rows"], rows(), "{checked:?}");
    let cleaned = within(SCAN_KIB, &scene, &["cleanup"], "");
    assert_eq!(
        answer(&cleaned)["cleanup"]["removed_records"],
        rows() / 2,
        "{cleaned:?}"
    );
    assert_eq!(
        answer(&cleaned)["cleanup"]["kept"]["done_bounded"],
        rows() / 2
    );
}

#[test]
fn a_system_that_gives_no_thread_is_an_error_and_never_a_wait() {
    let scene = Scene::new(4);
    let checked = within(5 * 1024, &scene, &["check"], "");
    // It has what it needs, or says what it did not get; both at once.
    assert!([0, 74].contains(&status(&checked)), "{checked:?}");
}
