//! The answer: one document of `amiss/bench/v1`, with every operation, within its syncs.

use serde_json::Value;

use crate::common::{answer, run, status};

/// The operations of page 6.1 and the syncs that each may cost.
const SYNCS: [(&str, u64); 9] = [
    ("claim new", 5),
    ("claim busy", 0),
    ("renew", 3),
    ("claim reclaimed", 3),
    ("stage 10 KiB", 4),
    ("claim publish", 0),
    ("complete", 2),
    ("claim duplicate", 0),
    ("claim full", 0),
];

fn measured(extra: &[&str]) -> (tempfile::TempDir, Value) {
    let place = tempfile::tempdir().unwrap();
    let mut arguments = vec!["bench", "ledger", "--rows", "5,12", "--samples", "2"];
    let dir = place.path().to_str().unwrap().to_owned();
    arguments.extend(["--dir", &dir]);
    arguments.extend(extra);
    let output = run(&arguments, "");
    assert_eq!(status(&output), 0, "{output:?}");
    let value = answer(&output);
    (place, value)
}

fn figures(bench: &Value) -> &Vec<Value> {
    bench["figures"].as_array().unwrap()
}

#[test]
fn a_small_run_gives_every_operation_at_every_number_of_rows_within_its_syncs() {
    let (place, value) = measured(&[]);
    assert_eq!(value["schema"], "amiss/bench/v1");
    let bench = &value["bench"];
    assert_eq!(bench["part"], "ledger");
    for rows in [5, 12] {
        for (operation, most) in SYNCS {
            let figure = figures(bench)
                .iter()
                .find(|figure| figure["operation"] == operation && figure["rows"] == rows)
                .unwrap_or_else(|| panic!("no {operation} at {rows} rows"));
            assert!(figure["syncs"].as_u64().unwrap() <= most, "{figure}");
            assert_eq!(figure["bound"]["syncs"], most, "{figure}");
            assert!(figure["of_a_replacement"].is_number(), "{figure}");
            let samples = figure["samples_nanos"].as_array().unwrap();
            assert_eq!(samples.len(), 2, "{figure}");
            assert!(samples.contains(&figure["median_nanos"]), "{figure}");
            assert!(samples.contains(&figure["p95_nanos"]), "{figure}");
        }
    }
    assert_eq!(
        std::fs::read_dir(place.path()).unwrap().count(),
        0,
        "the folder that was measured in is gone"
    );
}

#[test]
fn the_answer_names_the_disk_the_machine_and_the_program() {
    let (_place, value) = measured(&[]);
    let bench = &value["bench"];
    assert!(
        bench["version"]
            .as_str()
            .unwrap()
            .starts_with(env!("CARGO_PKG_VERSION"))
    );
    assert!(bench["machine"]["cores"].as_u64().unwrap() >= 1);
    for times in [
        "replacement",
        "replacement_without_syncs",
        "file_sync",
        "folder_sync",
        "large_sync",
    ] {
        assert!(bench["medium"][times]["median_nanos"].is_u64(), "{times}");
    }
    assert!(bench["verdict"]["good_enough"].is_boolean());
}

#[test]
fn an_earlier_answer_gives_the_ratio_of_every_figure_with_its_spread() {
    let (place, value) = measured(&[]);
    let old = place.path().join("old.json");
    std::fs::write(&old, value.to_string()).unwrap();
    let (_other, again) = measured(&["--compare", old.to_str().unwrap()]);
    let ratios = again["bench"]["comparison"].as_array().unwrap();
    assert_eq!(ratios.len(), figures(&again["bench"]).len());
    for ratio in ratios {
        let number = |name: &str| ratio[name].as_f64().unwrap();
        assert!(number("spread_low") <= number("of_earlier"), "{ratio}");
        assert!(number("of_earlier") <= number("spread_high"), "{ratio}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_in_memory_is_never_good_enough() {
    let place = tempfile::tempdir_in("/dev/shm");
    crate::common::figures::may_skip(place.is_ok(), "no filesystem in memory at /dev/shm");
    let Ok(place) = place else {
        return;
    };
    let dir = place.path().to_str().unwrap();
    let output = run(
        &["bench", "--dir", dir, "--rows", "2", "--samples", "1"],
        "",
    );
    let bench = &answer(&output)["bench"];
    assert_eq!(bench["medium"]["syncing"], "memory");
    assert_eq!(bench["verdict"]["good_enough"], false);
    assert_eq!(bench["warnings"][0]["what"], "memory");
    assert!(String::from_utf8_lossy(&output.stderr).contains("in memory"));
}

#[test]
fn a_person_reads_a_table() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().to_str().unwrap();
    let output = run(
        &[
            "bench",
            "--dir",
            dir,
            "--rows",
            "2",
            "--samples",
            "1",
            "--format",
            "table",
        ],
        "",
    );
    assert_eq!(status(&output), 0);
    let text = String::from_utf8(output.stdout).unwrap();
    for word in [
        "replacement of 1.5 KiB",
        "claim new",
        "5 syncs",
        "of a replacement",
        "This disk is",
    ] {
        assert!(text.contains(word), "{word}\n{text}");
    }
}
