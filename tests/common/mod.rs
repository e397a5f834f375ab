//! What every black-box test starts from: the real binary in a cleaned environment.
#![allow(dead_code, reason = "each test crate uses a part of it")]

pub mod figures;
pub mod receiver;
pub mod scene;

use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

/// The real binary. Nothing of the caller's environment reaches it but `PATH`.
pub fn amiss(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_amiss"));
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .args(arguments);
    command
}

/// Runs the binary on `input` and gives what it printed and its status.
pub fn run(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    amiss(arguments)
        .write_stdin(input.as_ref())
        .output()
        .unwrap()
}

/// The one JSON document on standard output.
pub fn answer(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "no single JSON answer ({error}): {:?}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

/// The exit status.
pub fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// `error.code` of the answer, or an empty text.
pub fn code(output: &Output) -> String {
    answer(output)["error"]["code"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// A file of the repository that is made from the program is the one that the program makes.
/// With `AMISS_BLESS=1` it is written instead.
pub fn assert_current(path: &str, text: &str) {
    let full = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("AMISS_BLESS").is_some() {
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(&full, text).unwrap();
        return;
    }
    let stands = std::fs::read_to_string(&full).unwrap_or_default();
    if stands != text {
        let line = stands
            .lines()
            .zip(text.lines())
            .position(|(one, other)| one != other);
        panic!(
            "{path} is not what this build makes (first difference in line {}); \
             AMISS_BLESS=1 cargo test writes it anew, and the difference belongs into the review",
            line.map_or_else(
                || "after the shorter one".into(),
                |line| (line + 1).to_string()
            ),
        );
    }
}

/// Every command, outer ones before inner ones, as the words after `amiss`; found by reading the
/// help. The first is `amiss` itself.
pub fn every_command() -> Vec<Vec<String>> {
    fn walk(words: &[String], found: &mut Vec<Vec<String>>) {
        found.push(words.to_vec());
        for name in inner_commands(&help_of(words)) {
            // `amiss help` is a command; the parser's own `amiss ledger help` says nothing new.
            if name != "help" || words.is_empty() {
                let mut inner = words.to_vec();
                inner.push(name);
                walk(&inner, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(&[], &mut found);
    found
}

/// Every command that does something: those that have no commands under them.
pub fn every_leaf() -> Vec<Vec<String>> {
    let mut all = every_command();
    let parents: Vec<Vec<String>> = all
        .iter()
        .filter_map(|words| words.split_last().map(|(_, parent)| parent.to_vec()))
        .collect();
    all.retain(|words| !parents.contains(words));
    all
}

/// What `--help` prints.
pub fn help_of(words: &[String]) -> String {
    let mut arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    arguments.push("--help");
    let output = run(&arguments, "");
    assert_eq!(status(&output), 0, "{words:?} --help");
    String::from_utf8(output.stdout).unwrap()
}

fn inner_commands(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}
