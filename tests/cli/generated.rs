//! Pages that are made from the program are the ones that this build makes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use crate::common::{answer, assert_current, every_command, help_of, run, status};

fn top() -> std::path::PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

/// The names in a folder of the repository.
fn names(folder: &str) -> BTreeSet<String> {
    fs::read_dir(top().join(folder))
        .map(|entries| {
            entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect()
        })
        .unwrap_or_default()
}

#[test]
fn the_man_pages_are_current_one_a_command() {
    let scratch = tempfile::tempdir().unwrap();
    let made = scratch.path().join("man");
    let output = run(&["man", made.to_str().unwrap()], "");
    assert_eq!(status(&output), 0);
    let pages: Vec<String> = answer(&output)["man"]["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page.as_str().unwrap().to_owned())
        .collect();
    let wanted: Vec<String> = every_command()
        .iter()
        .map(|words| {
            let name: Vec<&str> = std::iter::once("amiss")
                .chain(words.iter().map(String::as_str))
                .collect();
            format!("{}.1", name.join("-"))
        })
        .collect();
    assert_eq!(pages, wanted);
    for page in &pages {
        let text = fs::read_to_string(made.join(page)).unwrap();
        assert_current(&format!("man/{page}"), &text);
    }
    let stand = names("man");
    let made: BTreeSet<String> = pages.into_iter().collect();
    assert_eq!(
        stand.difference(&made).collect::<Vec<_>>(),
        Vec::<&String>::new()
    );
}

#[test]
fn the_completions_are_current() {
    for (shell, file) in [
        ("bash", "amiss.bash"),
        ("zsh", "_amiss"),
        ("fish", "amiss.fish"),
        ("powershell", "amiss.ps1"),
    ] {
        let output = run(&["completions", shell], "");
        assert_eq!(status(&output), 0, "{shell}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("claim"), "{shell}");
        assert!(!text.contains("internal-warden"), "{shell}");
        assert_current(&format!("completions/{file}"), &text);
    }
}

#[test]
fn the_command_reference_is_the_whole_help_text() {
    let mut page = String::from(
        "# Commands\n\nThe help of every command, as it prints it. This page is made by the test \
         `the_command_reference_is_the_whole_help_text`, so that a change of the help text is seen \
         in review.\n",
    );
    for words in every_command() {
        let name: Vec<&str> = std::iter::once("amiss")
            .chain(words.iter().map(String::as_str))
            .collect();
        write!(
            page,
            "\n## {}\n\n```text\n{}```\n",
            name.join(" "),
            help_of(&words)
        )
        .unwrap();
    }
    assert_current("docs/reference/commands.md", &page);
}

/// Runs a checker of generated text where this machine has it.
fn checked_by(program: &str, arguments: &[&str]) {
    if !crate::common::figures::has(program, &["--version"]) {
        return;
    }
    let output = std::process::Command::new(program)
        .args(arguments)
        .current_dir(top())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.is_empty(),
        "{program} {arguments:?}: {said}"
    );
}

#[test]
fn each_shell_reads_its_completions() {
    checked_by("bash", &["-n", "completions/amiss.bash"]);
    checked_by("zsh", &["-n", "completions/_amiss"]);
    checked_by("fish", &["--no-execute", "completions/amiss.fish"]);
}

#[test]
fn groff_sets_every_man_page_without_a_warning() {
    for page in names("man") {
        checked_by(
            "groff",
            &[
                "-man",
                "-ww",
                "-Wbreak",
                "-Tutf8",
                "-z",
                &format!("man/{page}"),
            ],
        );
    }
}
