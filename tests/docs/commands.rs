//! Every command block runs and ends with the status that the page gives it.

use std::path::Path;

use crate::blocks::{Block, blocks, pages, prose};
use crate::common::scene::{Scene, both, top};

/// Blocks that cannot run inside a test, because they are what runs it.
const RUN_ELSEWHERE: &[(&str, &str)] = &[
    ("README.md", "cargo test\n"),
    ("CONTRIBUTING.md", "cargo test\n"),
    ("CONTRIBUTING.md", ".ci/run\n"),
    ("CONTRIBUTING.md", "AMISS_LONG=1 cargo test --test ledger\n"),
];

/// Pages whose blocks are files and settings around other programs; each is tried by the test that
/// stands here, with those programs.
const TRIED_ELSEWHERE: &[(&str, &str)] = &[
    ("docs/receivers.md", "tests/ingress/receivers.rs"),
    ("docs/publishing.md", "tests/run"),
];

/// The shell text of a block: the block itself, the command of a crontab line, the script of a job.
fn shell(block: &Block) -> Option<String> {
    match block.language() {
        "sh" | "run" => Some(block.text.clone()),
        "crontab" => Some(
            block
                .text
                .lines()
                .map(|line| {
                    line.split_whitespace()
                        .skip(5)
                        .collect::<Vec<_>>()
                        .join(" ")
                        + "\n"
                })
                .collect(),
        ),
        "yaml" => Some(job_script(&block.text)),
        _ => None,
    }
}

/// What stands behind `run: |` or `- |` in a job, with its indent taken off.
fn job_script(yaml: &str) -> String {
    let mut lines = yaml.lines();
    let mut script = String::new();
    while let Some(line) = lines.next() {
        let key = line.trim_start();
        if !(key == "run: |" || key == "- |") {
            continue;
        }
        let outer = line.len() - key.len();
        for inner in lines.by_ref() {
            let text = inner.trim_start();
            if !text.is_empty() && inner.len() - text.len() <= outer {
                break;
            }
            script.push_str(text);
            script.push('\n');
        }
    }
    assert!(!script.is_empty(), "a job without a script:\n{yaml}");
    script
}

/// Runs all blocks of a page, in order, in one scene.
fn run_page(page: &Path) -> usize {
    let mut scene = None;
    let mut count = 0;
    let mut printed = String::new();
    for block in blocks(page) {
        if block.info == ["text", "shown"] {
            let place = format!("{}:{}", page.display(), block.line);
            assert_shown(&place, &block.text, &printed);
            continue;
        }
        let Some(text) = shell(&block) else { continue };
        if RUN_ELSEWHERE.contains(&(page.to_str().unwrap(), text.as_str())) {
            continue;
        }
        let scene = scene.get_or_insert_with(Scene::prepare);
        // What starts from the top of a checkout says so by the paths that it names.
        let folder = if text.starts_with("sh docs/") {
            top()
        } else {
            scene.path()
        };
        let output = scene.sh_in(&folder, &text);
        let wanted: i32 = block
            .value("status")
            .map_or(0, |status| status.parse().unwrap());
        assert_eq!(
            output.status.code(),
            Some(wanted),
            "{}:{}\n{text}\n{}",
            page.display(),
            block.line,
            both(&output)
        );
        printed = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        count += 1;
    }
    count
}

/// A `text shown` block holds what the block before it prints, standard output first, where `…`
/// stands for any text within a line.
fn assert_shown(place: &str, shown: &str, printed: &str) {
    let fits = shown.lines().count() == printed.lines().count()
        && shown.lines().zip(printed.lines()).all(|(shown, printed)| {
            let mut parts = shown.trim_end().split('…');
            let Some(mut rest) = printed
                .trim_end()
                .strip_prefix(parts.next().unwrap_or_default())
            else {
                return false;
            };
            let parts: Vec<&str> = parts.collect();
            let Some((last, middle)) = parts.split_last() else {
                return rest.is_empty();
            };
            for part in middle {
                let Some((_, behind)) = rest.split_once(part) else {
                    return false;
                };
                rest = behind;
            }
            rest.ends_with(last)
        });
    assert!(fits, "{place} shows\n{shown}\nbut it is\n{printed}");
}

#[test]
fn every_command_block_of_the_cookbook_runs() {
    assert!(run_page(Path::new("docs/cookbook.md")) > 20);
}

#[test]
fn every_command_block_of_the_other_pages_runs() {
    for page in pages() {
        let elsewhere = TRIED_ELSEWHERE
            .iter()
            .find(|(name, _)| page == Path::new(name));
        if let Some((_, tests)) = elsewhere {
            assert!(top().join(tests).exists(), "{tests}");
        } else if page != Path::new("docs/cookbook.md") {
            let count = run_page(&page);
            crate::common::figures::tell(&format!("{}: {count} blocks", page.display()));
        }
    }
}

#[test]
fn no_command_hides_outside_a_block_that_runs() {
    let mut faults = Vec::new();
    for page in pages() {
        for (number, line) in prose(&page) {
            let indented = line.starts_with("    ");
            let command = ["amiss ", "sh ", "cargo ", "cat ", "git "]
                .iter()
                .any(|word| line.trim_start().starts_with(word));
            if indented && command {
                faults.push(format!("{}:{number}: {line}", page.display()));
            }
        }
        for block in blocks(&page) {
            let known = [
                "sh", "run", "crontab", "yaml", "json", "text", "ini", "nginx", "rust",
            ];
            if !known.contains(&block.language()) {
                faults.push(format!(
                    "{}:{}: a block of what?",
                    page.display(),
                    block.line
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
