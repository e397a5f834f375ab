//! What every black-box test starts from: the real binary in a cleaned environment.
#![allow(dead_code, reason = "each test crate uses a part of it")]

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
