//! Every link of the documentation leads somewhere.

use std::path::{Path, PathBuf};

use crate::blocks::{pages, prose, text_of};
use crate::common::scene::top;

/// The targets of `[text](target)` in a line.
fn targets(line: &str) -> Vec<&str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
        .collect()
}

/// The anchors that the headings of a page make.
fn anchors(page: &Path) -> Vec<String> {
    prose(page)
        .into_iter()
        .filter_map(|(_, line)| {
            let title = line.trim_start_matches('#');
            (title.len() < line.len()).then(|| {
                title
                    .trim()
                    .to_lowercase()
                    .chars()
                    .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
                    .map(|letter| if letter == ' ' { '-' } else { letter })
                    .collect()
            })
        })
        .collect()
}

#[test]
fn every_link_leads_to_a_page_and_a_heading_that_are_there() {
    let mut faults = Vec::new();
    for page in pages() {
        let folder = page.parent().unwrap_or(Path::new("")).to_path_buf();
        for line in text_of(&page).lines() {
            for target in targets(line) {
                if target.starts_with("https://") {
                    continue;
                }
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                let path: PathBuf = if file.is_empty() {
                    page.clone()
                } else {
                    folder.join(file)
                };
                if !top().join(&path).exists() {
                    faults.push(format!("{}: {target}", page.display()));
                } else if !anchor.is_empty() && !anchors(&path).iter().any(|one| one == anchor) {
                    faults.push(format!("{}: {target}: no such heading", page.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_page_is_in_the_index() {
    let index = text_of(Path::new("docs/README.md"));
    for page in pages() {
        if let Ok(name) = page.strip_prefix("docs") {
            let name = name.to_str().unwrap();
            assert!(
                name == "README.md" || index.contains(&format!("({name})")),
                "docs/README.md does not name {name}"
            );
        }
    }
}
