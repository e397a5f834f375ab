//! `amiss bench ingress`: every scheme that signs a body, in both sizes, in each way it is used.

use serde_json::Value;

use crate::common::{answer, code, run, status};

const SCHEMES: [&str; 3] = ["github", "gitea", "gitlab-webhook"];

fn measured(place: &std::path::Path, extra: &[&str]) -> std::process::Output {
    let dir = place.to_str().unwrap();
    let mut arguments = vec!["bench", "ingress", "--samples", "1", "--dir", dir];
    arguments.extend(extra);
    run(&arguments, "")
}

fn figure<'a>(bench: &'a Value, name: &str) -> &'a Value {
    let figures = bench["figures"].as_array().unwrap();
    figures
        .iter()
        .find(|figure| figure["operation"] == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn every_scheme_is_measured_in_units_of_the_plain_hmac_and_by_its_rate() {
    let place = tempfile::tempdir().unwrap();
    let output = measured(place.path(), &[]);
    assert_eq!(status(&output), 0, "{output:?}");
    let bench = &answer(&output)["bench"];
    assert_eq!(bench["part"], "ingress");
    assert!(bench["medium"].is_null(), "nothing of it is on a disk");
    for size in ["2 KiB", "1 MiB"] {
        assert!(figure(bench, &format!("plain HMAC {size}"))["bound"].is_null());
        for scheme in SCHEMES {
            let alone = figure(bench, &format!("{scheme} {size}"));
            assert!(alone["of_plain_hmac"].as_f64().unwrap() > 0.0, "{alone}");
            let fresh = figure(bench, &format!("{scheme} {size}, fresh process"));
            assert!(fresh["of_plain_hmac"].as_f64().unwrap() > 0.0, "{fresh}");
            assert_eq!(fresh["bound"]["of_plain_hmac"], 1.3, "{fresh}");
        }
    }
    for scheme in SCHEMES {
        let stream = figure(bench, &format!("{scheme} 2 KiB, many on one input"));
        assert!(stream["per_second"].as_f64().unwrap() > 0.0, "{stream}");
        assert_eq!(stream["bound"]["per_second"], 20_000.0, "{stream}");
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_part_that_keeps_nothing_takes_no_rows_and_no_answer_of_another_part() {
    let place = tempfile::tempdir().unwrap();
    let output = measured(place.path(), &["--rows", "5"]);
    assert_eq!(code(&output), "INPUT_MALFORMED");
    let dir = place.path().to_str().unwrap();
    let ledger = run(
        &["bench", "--dir", dir, "--rows", "2", "--samples", "1"],
        "",
    );
    let old = place.path().join("old.json");
    std::fs::write(&old, &ledger.stdout).unwrap();
    let output = measured(place.path(), &["--compare", old.to_str().unwrap()]);
    assert_eq!(code(&output), "CONFIG_INVALID");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains("it measured ledger"), "{words}");
}

#[test]
fn a_person_reads_only_the_columns_that_say_something() {
    let place = tempfile::tempdir().unwrap();
    let output = measured(place.path(), &["--format", "table"]);
    assert_eq!(status(&output), 0, "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    for word in ["of plain HMAC", "20000 a second", "This machine is"] {
        assert!(text.contains(word), "{word}\n{text}");
    }
    for word in ["of a replacement", "rows", "syncs"] {
        assert!(!text.contains(word), "{word}\n{text}");
    }
}
