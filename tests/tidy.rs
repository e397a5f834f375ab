//! The style of the house, held by a test: what the compiler's lints cannot say.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "a test that panics fails, as it should"
)]

use std::fs;
use std::path::PathBuf;

use amiss::code::Code;

/// No function has more lines than this.
const MAX_FUNCTION_LINES: usize = 70;

/// One source file, with its path from the top.
struct Source {
    path: String,
    text: String,
}

fn top() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every file under the folders whose name ends as said.
fn files(folders: &[&str], ending: &str) -> Vec<Source> {
    let mut waiting: Vec<PathBuf> = folders.iter().map(|folder| top().join(folder)).collect();
    let mut found = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.to_string_lossy().ends_with(ending) && path.is_file() {
            found.push(Source {
                path: path.strip_prefix(top()).unwrap().display().to_string(),
                text: fs::read_to_string(&path).unwrap(),
            });
        }
    }
    assert!(!found.is_empty(), "no {ending} under {folders:?}");
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn rust(folders: &[&str]) -> Vec<Source> {
    files(folders, ".rs")
}

/// The lines of a file that are not tests, with their numbers. Tests stand at the end of a file.
fn product_lines(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    let is_tests = source.path.ends_with("/tests.rs") || source.path.contains("/tests/");
    source
        .text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .take_while(move |(_, line)| !is_tests && line.trim() != "#[cfg(test)]")
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

fn none(faults: &[String], rule: &str) {
    assert!(faults.is_empty(), "{rule}:\n{}", faults.join("\n"));
}

/// The name of the function that starts on this line.
fn function_name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    loop {
        let word = ["pub ", "pub(crate) ", "pub(super) ", "const ", "async "]
            .iter()
            .find_map(|word| rest.strip_prefix(word));
        match word {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    let name = rest.strip_prefix("fn ")?;
    name.split(['(', '<']).next()
}

#[test]
fn no_function_is_longer_than_seventy_lines() {
    let mut faults = Vec::new();
    for source in rust(&["src", "commands", "tests", "build.rs"]) {
        let lines: Vec<&str> = source.text.lines().collect();
        for (start, line) in lines.iter().enumerate() {
            let Some(name) = function_name(line) else {
                continue;
            };
            // The formatter puts the closing brace under the first letter of the signature.
            let indent = &line[..line.len() - line.trim_start().len()];
            let close = format!("{indent}}}");
            let opens_here = line.ends_with('}') || line.ends_with(';');
            let end = if opens_here {
                start
            } else {
                start
                    + lines[start..]
                        .iter()
                        .position(|line| *line == close)
                        .unwrap_or(0)
            };
            let length = end - start + 1;
            if length > MAX_FUNCTION_LINES {
                faults.push(format!(
                    "{}:{}: {name} has {length} lines",
                    source.path,
                    start + 1
                ));
            }
        }
    }
    none(&faults, "functions of at most 70 lines");
}

#[test]
fn nothing_outside_tests_can_panic_by_word() {
    let words = [
        ".unwrap()",
        ".expect(",
        "panic!(",
        "unreachable!(",
        "assert!(",
    ];
    let mut faults = Vec::new();
    for source in rust(&["src", "commands", "build.rs"]) {
        for (number, line) in product_lines(&source) {
            if !is_comment(line) && words.iter().any(|word| line.contains(word)) {
                faults.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    none(&faults, "no unwrap, expect or panic outside tests");
}

#[test]
fn nothing_is_left_open() {
    // Put together here, so that this file is not its own finding.
    let words = ["TO", "FIX", "XX", "unimple", "to"];
    let ends = ["DO", "ME", "X", "mented!", "do!("];
    let words: Vec<String> = words
        .iter()
        .zip(ends)
        .map(|(one, end)| format!("{one}{end}"))
        .collect();
    let mut faults = Vec::new();
    let mut sources = rust(&["src", "commands", "tests", "build.rs"]);
    sources.extend(files(
        &["docs", "README.md", "CONTRIBUTING.md", "SECURITY.md"],
        ".md",
    ));
    for source in sources {
        for (index, line) in source.text.lines().enumerate() {
            let open = |word: &String| {
                line.split(|letter: char| {
                    !letter.is_alphanumeric() && letter != '!' && letter != '('
                })
                .any(|part| part == word)
            };
            if words.iter().any(open) {
                faults.push(format!("{}:{}: {}", source.path, index + 1, line.trim()));
            }
        }
    }
    none(&faults, "nothing left open");
}

#[test]
fn an_ignored_test_says_why() {
    let mut faults = Vec::new();
    for source in rust(&["src", "commands", "tests"]) {
        for (index, line) in source.text.lines().enumerate() {
            if line.trim() == "#[ignore]" {
                faults.push(format!("{}:{}", source.path, index + 1));
            }
        }
    }
    none(&faults, "an ignored test has its reason beside it");
}

#[test]
fn the_library_neither_prints_nor_exits() {
    let words = [
        "println!(",
        "eprintln!(",
        "print!(",
        "eprint!(",
        "process::exit",
        "io::stdout()",
        "io::stderr()",
    ];
    let mut faults = Vec::new();
    for source in rust(&["src"]) {
        for (number, line) in product_lines(&source) {
            if !is_comment(line) && words.iter().any(|word| line.contains(word)) {
                faults.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    none(&faults, "src/ never prints and never exits");
}

#[test]
fn only_clock_rs_reads_the_time() {
    let mut faults = Vec::new();
    for source in rust(&["src", "commands"]) {
        if source.path == "src/clock.rs" {
            continue;
        }
        for (number, line) in product_lines(&source) {
            if !is_comment(line) && line.contains("SystemTime::now") {
                faults.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    none(&faults, "src/clock.rs is the only code that reads the time");
}

#[test]
fn dependencies_run_one_way() {
    // What each folder may not name (page 7.1): the things above it, and its neighbours.
    let rules = [
        (
            "src/ingress/",
            &["crate::ledger", "crate::run", "crate::outbox"][..],
        ),
        ("src/ledger/", &["crate::ingress", "crate::outbox"][..]),
        (
            "src/outbox/",
            &["crate::ingress", "crate::ledger", "crate::run"][..],
        ),
        (
            "src/delivery/",
            &[
                "crate::ingress",
                "crate::ledger",
                "crate::outbox",
                "crate::run:",
            ][..],
        ),
        (
            "src/durable/",
            &[
                "crate::ingress",
                "crate::ledger",
                "crate::outbox",
                "crate::run",
                "crate::delivery",
            ][..],
        ),
    ];
    let mut faults = Vec::new();
    for source in rust(&["src"]) {
        let Some((_, barred)) = rules
            .iter()
            .find(|(folder, _)| source.path.starts_with(folder))
        else {
            continue;
        };
        for (number, line) in product_lines(&source) {
            if !is_comment(line) && barred.iter().any(|name| line.contains(name)) {
                faults.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    none(&faults, "dependencies run one way");
}

#[test]
fn a_command_file_is_found_by_the_commands_name() {
    for source in rust(&["commands"]) {
        let words = source
            .path
            .trim_start_matches("commands/")
            .trim_end_matches(".rs")
            .replace('_', "-")
            .replace('/', " ");
        let first = source.text.lines().next().unwrap_or_default().to_owned();
        let is_command =
            source.text.contains("pub struct Arguments") && source.text.contains("\npub fn run(");
        if is_command {
            assert!(
                first.starts_with(&format!("//! `amiss {words}`")),
                "{}: its first line is not \"//! `amiss {words}`…\" but {first:?}",
                source.path
            );
        }
    }
}

#[test]
fn every_error_code_is_in_the_reference() {
    let reference = fs::read_to_string(top().join("docs/reference/statuses.md")).unwrap();
    for code in Code::ALL {
        let row = reference
            .lines()
            .find(|line| line.starts_with(&format!("| `{code}` ")))
            .unwrap_or_else(|| panic!("docs/reference/statuses.md has no row for {code}"));
        assert!(
            row.contains(code.meaning()) && row.contains(code.remedy()),
            "{code}: {row}"
        );
        assert!(
            row.contains(&format!("| {} |", code.status())),
            "{code}: {row}"
        );
    }
}

#[test]
fn no_path_of_one_machine_is_left_in_the_text() {
    let places = ["/work/", "/root/."];
    let mut sources = rust(&["src", "commands", "build.rs"]);
    sources.extend(files(
        &[
            "docs",
            "README.md",
            "CONTRIBUTING.md",
            "SECURITY.md",
            "CHANGELOG.md",
        ],
        ".md",
    ));
    let mut faults = Vec::new();
    for source in &sources {
        for (index, line) in source.text.lines().enumerate() {
            if places.iter().any(|place| line.contains(place)) {
                faults.push(format!("{}:{}: {}", source.path, index + 1, line.trim()));
            }
        }
    }
    none(&faults, "no path of one machine");
}
