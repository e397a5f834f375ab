//! Every known fault has its test, and `docs/known-faults.md` names it (page 8, part 7).

use std::path::{Path, PathBuf};

/// All sources that may hold tests, in one text.
fn sources() -> String {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut waiting: Vec<PathBuf> = vec![top.join("tests"), top.join("src")];
    let mut text = String::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|end| end == "rs") {
            text.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
    text
}

#[test]
fn every_known_fault_has_the_tests_that_the_page_names() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/known-faults.md");
    let page = std::fs::read_to_string(page).unwrap();
    let sources = sources();
    let mut faults = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (id, tests) = (cells[1], cells[3]);
        if id.len() != 3 || id == "---" {
            continue;
        }
        faults += 1;
        let named: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "{id} has no test");
        for test in named {
            let name = test.rsplit("::").next().unwrap();
            assert!(name.starts_with(&format!("{id}_")), "{id}: {test}");
            assert!(sources.contains(&format!("fn {name}(")), "{id}: {test}");
        }
    }
    assert_eq!(
        faults, FAULTS,
        "the list of known faults has so many entries"
    );
}

/// How many entries the list of known faults has.
const FAULTS: usize = 56;
