//! Help, version and the parser's own errors (page 1.6).

use std::fs::OpenOptions;
use std::process::Stdio;

use crate::common::{amiss, every_command, help_of, run, status};

fn errors(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_mistyped_command_is_status_2_and_names_what_was_meant() {
    for (typed, meant) in [
        (&["ledgr"][..], "'ledger'"),
        (&["ledger", "clam"][..], "'claim'"),
        (&["outbox", "enqeue"][..], "'enqueue'"),
        (&["explain", "BUZY"][..], "'BUSY'"),
        (&["completions", "bsh"][..], "'bash'"),
    ] {
        let output = run(typed, "");
        assert_eq!(status(&output), 2, "{typed:?}");
        assert!(output.stdout.is_empty(), "{typed:?}");
        let said = errors(&output);
        assert!(
            said.contains("exist") && said.contains(meant),
            "{typed:?}: {said}"
        );
    }
}

#[test]
fn a_mistyped_flag_names_what_was_meant() {
    let output = run(&["--quite"], "");
    assert_eq!(status(&output), 2);
    assert!(errors(&output).contains("'--quiet'"), "{}", errors(&output));
}

#[test]
fn the_version_names_the_commit_where_one_is_known() {
    let output = run(&["--version"], "");
    assert_eq!(status(&output), 0);
    let text = String::from_utf8(output.stdout).unwrap();
    let rest = text
        .trim_end()
        .strip_prefix(concat!("amiss ", env!("CARGO_PKG_VERSION")))
        .unwrap_or_else(|| panic!("{text:?}"));
    let top = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    if top.join(".git").exists() {
        let commit = rest.trim().trim_start_matches('(').trim_end_matches(')');
        assert!(commit.len() >= 7, "{text:?}");
        assert!(
            commit.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{text:?}"
        );
    }
}

#[test]
fn every_command_has_help_with_an_example_of_itself() {
    for words in every_command() {
        let help = help_of(&words);
        let (_, example) = help
            .split_once("\nExample:\n")
            .unwrap_or_else(|| panic!("amiss {words:?} --help has no example"));
        let called = format!("amiss {}", words.join(" "));
        assert!(
            example.contains(&called),
            "the example of `{called}` does not call it"
        );
    }
}

#[test]
fn every_flag_of_every_command_says_what_it_does() {
    for words in every_command() {
        let help = help_of(&words);
        let lines: Vec<&str> = help
            .lines()
            .take_while(|line| !line.starts_with("Example"))
            .collect();
        for (index, line) in lines.iter().enumerate() {
            let text = line.trim_start();
            let indent = line.len() - text.len();
            if !(text.starts_with('-') && (2..=6).contains(&indent)) {
                continue;
            }
            // The meaning stands behind two blanks, or on the next line further in.
            let here = text.contains("  ");
            let below = lines.get(index + 1).is_some_and(|next| {
                let inner = next.trim_start();
                !inner.is_empty() && !inner.starts_with('-') && next.len() - inner.len() > indent
            });
            assert!(here || below, "amiss {words:?}: {line}");
        }
    }
}

#[test]
fn help_is_plain_text_and_an_answer_that_must_be_written() {
    let output = amiss(&["--help"]).env("CLICOLOR", "1").output().unwrap();
    assert!(!output.stdout.contains(&0x1b));
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["help", "statuses"],
        &["help", "ledger"],
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = std::process::Command::new(env!("CARGO_BIN_EXE_amiss"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), Some(74), "{arguments:?}");
        assert!(errors(&ended).contains("IO"), "{arguments:?}");
    }
}

#[test]
fn help_of_a_command_is_the_same_by_both_names() {
    let by_word = run(&["help", "ledger", "claim"], "");
    let by_flag = run(&["ledger", "claim", "--help"], "");
    assert_eq!(by_word.stdout, by_flag.stdout);
    assert_eq!(status(&run(&["help", "nothing"], "")), 2);
}

#[test]
fn quiet_and_verbose_exclude_each_other() {
    assert_eq!(status(&run(&["-q", "-v", "explain", "BUSY"], "")), 2);
}
