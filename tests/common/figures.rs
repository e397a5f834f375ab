//! The figures of a proof (page 8), and what it could not try. They are shown when the test passes
//! too, which `println!` is not.
#![allow(dead_code, reason = "each test crate uses a part of it")]

use std::io::Write;

/// Shows one line on standard error.
pub fn tell(line: &str) {
    // A standard error that is closed takes no figures; the test says its result all the same.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Whether the long form is asked for (`AMISS_LONG=1`).
pub fn is_long() -> bool {
    std::env::var_os("AMISS_LONG").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Whether this machine has a program of the tests. Under `.ci/run`, which installs them all, a
/// missing one is a failure; elsewhere what is not tried is said.
pub fn has(program: &str, arguments: &[&str]) -> bool {
    let started = std::process::Command::new(program)
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .output();
    may_skip(started.is_ok(), &format!("no {program} on this machine"))
}

/// The same for anything else that a test may find missing.
pub fn may_skip(there: bool, missing: &str) -> bool {
    assert!(
        there || std::env::var_os("AMISS_ALL_TOOLS").is_none(),
        "{missing}, and with AMISS_ALL_TOOLS nothing may be left out (.ci/run installs the tools)"
    );
    if !there {
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        tell(&format!("{test}: not tried, {missing}"));
    }
    there
}
