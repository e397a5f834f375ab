//! docs/guarantees.md and the tests agree both ways: a promise names tests that are there, and every
//! test is on the page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::blocks::text_of;
use crate::common::assert_current;
use crate::common::scene::top;

const PAGE: &str = "docs/guarantees.md";
/// What stands below is made by this test.
const MARK: &str = "<!-- made from the tests -->\n";

/// The names of the tests in a file.
fn tests_in(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut marked = false;
    for line in text.lines().map(str::trim) {
        if line == "#[test]" || line == "#[tokio::test]" {
            marked = true;
        } else if let Some(rest) = line.strip_prefix("fn ") {
            if marked {
                found.extend(rest.split('(').next().map(str::to_owned));
            }
            marked = false;
        }
    }
    found
}

/// Every test by its group: the crate under tests/, or the folder for tests beside their module.
fn all_tests() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut waiting: Vec<PathBuf> = ["tests", "src", "commands"]
        .iter()
        .map(PathBuf::from)
        .collect();
    while let Some(path) = waiting.pop() {
        let full = top().join(&path);
        if full.is_dir() {
            waiting.extend(
                fs::read_dir(full)
                    .unwrap()
                    .map(|entry| path.join(entry.unwrap().file_name())),
            );
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let names = tests_in(&fs::read_to_string(full).unwrap());
            if !names.is_empty() {
                found.entry(group(&path)).or_default().extend(names);
            }
        }
    }
    found
}

fn group(path: &Path) -> String {
    let mut parts = path.iter().map(|part| part.to_str().unwrap());
    match parts.next() {
        Some("tests") => parts.next().unwrap().trim_end_matches(".rs").to_owned(),
        first => first.unwrap().to_owned(),
    }
}

#[test]
fn every_promise_names_tests_that_are_there() {
    let all = all_tests();
    let page = text_of(Path::new(PAGE));
    let (promises, _) = page.split_once(MARK).unwrap();
    let mut count = 0;
    for line in promises
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"))
    {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let [promise, proof] = cells[..] else {
            panic!("not two cells: {line}")
        };
        if promise.trim() == "promise" {
            continue;
        }
        let names: Vec<&str> = proof.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test for: {promise}");
        for name in names {
            let (group, test) = name
                .split_once("::")
                .unwrap_or_else(|| panic!("`{name}`: of which group?"));
            assert!(
                all.get(group).is_some_and(|tests| tests.contains(test)),
                "{promise}: no test `{name}`"
            );
        }
        count += 1;
    }
    crate::common::figures::tell(&format!("{count} promises"));
    assert!(count >= 40, "only {count} promises");
}

#[test]
fn every_test_is_on_the_page() {
    let page = text_of(Path::new(PAGE));
    let (promises, _) = page.split_once(MARK).unwrap();
    let mut text = format!(
        "{promises}{MARK}\n## Every test\n\nA test's name is a sentence of the contract.\n"
    );
    for (group, tests) in all_tests() {
        let place = match group.as_str() {
            "src" => "Beside the library's modules".to_owned(),
            "commands" => "Beside the commands".to_owned(),
            other => format!("tests/{other}"),
        };
        write!(text, "\n### {place}\n\n").unwrap();
        for test in tests {
            writeln!(text, "- {}", test.replace('_', " ")).unwrap();
        }
    }
    assert_current(PAGE, &text);
}
