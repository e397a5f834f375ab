//! docs/dependencies.md and Cargo.toml name the same crates.

use std::collections::BTreeSet;
use std::path::Path;

use crate::blocks::text_of;

/// The names of a table of Cargo.toml.
fn declared(table: &str) -> BTreeSet<String> {
    text_of(Path::new("Cargo.toml"))
        .lines()
        .skip_while(|line| *line != format!("[{table}]"))
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(" = ").map(|(name, _)| name.to_owned()))
        .collect()
}

/// The crates of the rows under a heading of the page.
fn described(heading: &str) -> BTreeSet<String> {
    text_of(Path::new("docs/dependencies.md"))
        .lines()
        .skip_while(|line| *line != format!("## {heading}"))
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| {
            line.strip_prefix("| `")?
                .split_once('`')
                .map(|(name, _)| name.to_owned())
        })
        .collect()
}

#[test]
fn every_dependency_has_its_reason_and_every_reason_its_dependency() {
    assert_eq!(described("The product"), declared("dependencies"));
    assert_eq!(described("Tests only"), declared("dev-dependencies"));
}
