//! Options: flags, one document on standard input, and what is wrong with them.

use serde_json::json;

use crate::common::{answer, code, run, status};

#[test]
fn options_may_come_as_one_document_and_a_flag_wins_over_it() {
    let place = tempfile::tempdir().unwrap();
    let options = json!({"dir": place.path(), "rows": [3], "samples": 7}).to_string();
    let output = run(&["bench", "ledger", "--samples", "1"], options);
    assert_eq!(status(&output), 0, "{output:?}");
    let bench = &answer(&output)["bench"];
    let figure = &bench["figures"][0];
    assert_eq!(figure["rows"], 3);
    assert_eq!(figure["samples_nanos"].as_array().unwrap().len(), 1);
}

#[test]
fn options_that_are_wrong_are_malformed_and_nothing_is_made() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().to_str().unwrap();
    for text in [
        "{",
        "[]",
        r#"{"row":[1]}"#,
        r#"{"rows":[0]}"#,
        r#"{"rows":[]}"#,
        r#"{"samples":0}"#,
        r#"{"samples":1,"samples":1}"#,
        r#"{"samples":1}{"samples":1}"#,
        "\u{feff}{}",
    ] {
        let output = run(&["bench", "--dir", dir], text);
        assert_eq!(code(&output), "INPUT_MALFORMED", "{text}");
        assert_eq!(status(&output), 65, "{text}");
    }
    let deep = "[".repeat(100);
    assert_eq!(
        code(&run(&["bench", "--dir", dir], deep)),
        "INPUT_TOO_LARGE"
    );
    for flags in [
        ["--rows", "0"],
        ["--rows", "1,x"],
        ["--samples", "0"],
        ["--rows", "1000001"],
    ] {
        let output = run(&["bench", "--dir", dir, flags[0], flags[1]], "");
        assert_eq!(status(&output), 2, "{flags:?}");
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_is_not_there_is_not_found() {
    let place = tempfile::tempdir().unwrap();
    let missing = place.path().join("missing");
    let output = run(&["bench", "--dir", missing.to_str().unwrap()], "");
    assert_eq!(code(&output), "NOT_FOUND");
    assert_eq!(status(&output), 66);
    assert!(!missing.exists());
}

#[test]
fn an_earlier_answer_that_is_none_is_refused_before_anything_is_measured() {
    let place = tempfile::tempdir().unwrap();
    let old = place.path().join("old.json");
    let dir = place.path().to_str().unwrap();
    for text in [
        None,
        Some(""),
        Some("{}"),
        Some(r#"{"schema":"amiss/bench/v2","bench":{}}"#),
    ] {
        if let Some(text) = text {
            std::fs::write(&old, text).unwrap();
        }
        let output = run(
            &["bench", "--dir", dir, "--compare", old.to_str().unwrap()],
            "",
        );
        assert_eq!(code(&output), "CONFIG_INVALID", "{text:?}");
        assert_eq!(status(&output), 78, "{text:?}");
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1);
}
