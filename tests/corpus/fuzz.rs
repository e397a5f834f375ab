//! The long form: each target fuzzed for a minute, in a copy of the corpus.

use std::path::Path;
use std::process::Command;

use super::decoders::ALL;
use crate::figures;

/// The nightly toolchain's Cargo with cargo-fuzz, in the package of the targets.
fn cargo_fuzz() -> Command {
    let mut command = Command::new("cargo");
    command
        .args(["+nightly", "fuzz"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz"));
    command
}

#[test]
fn every_target_is_fuzzed_for_a_minute_in_the_long_form() {
    if !figures::is_long() {
        figures::tell("fuzzing: the short form replays the corpus and fuzzes nothing");
        return;
    }
    let version = cargo_fuzz().arg("--version").output();
    let there = version.is_ok_and(|output| output.status.success());
    let missing = "cargo-fuzz or a nightly toolchain is missing: `rustup toolchain install nightly`, \
                   `cargo install cargo-fuzz --locked`";
    if !figures::may_skip(there, missing) {
        return;
    }
    // What is found in a run stays out of the committed corpus; what makes a target fail is kept by
    // cargo-fuzz in `fuzz/artifacts`, and its report says how to repeat it.
    let found = tempfile::tempdir().unwrap();
    let seconds = std::env::var("AMISS_FUZZ_SECONDS").unwrap_or_else(|_| "60".into());
    for (name, _) in ALL {
        let place = found.path().join(name);
        std::fs::create_dir(&place).unwrap();
        let output = cargo_fuzz()
            .args(["run", name])
            .arg(&place)
            .arg(format!("corpus/{name}"))
            .arg("--")
            .arg(format!("-max_total_time={seconds}"))
            .args(["-max_len=65536", "-timeout=60", "-rss_limit_mb=2048"])
            .args(["-print_final_stats=1"])
            // A target that is stopped may leave the folder of its routes.
            .env("TMPDIR", found.path())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}:\n{told}");
        let last = |start: &str| told.lines().rfind(|line| line.contains(start));
        // `Done 1234 runs in 61 second(s)`, and of the line before it the edges that were covered.
        let runs = last("Done ").expect("a run says how it ended");
        let edges = last("cov: ").and_then(|line| line.split("cov: ").nth(1));
        let edges = edges.and_then(|rest| rest.split(' ').next());
        figures::tell(&format!("{name}: {runs}, {} edges", edges.unwrap_or("?")));
    }
}
