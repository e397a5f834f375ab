//! The long form: each target fuzzed for a minute.

use std::path::Path;
use std::process::Command;

use super::decoders::ALL;

#[test]
fn every_target_is_fuzzed_for_a_minute_in_the_long_form() {
    if std::env::var_os("AMISS_LONG").is_none() {
        println!("short form: the corpus is replayed, nothing is fuzzed");
        return;
    }
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let seconds = std::env::var("AMISS_FUZZ_SECONDS").unwrap_or_else(|_| "60".into());
    for (name, _) in ALL {
        let output = Command::new("cargo")
            .args(["+nightly", "fuzz", "run", name, "--"])
            .arg(format!("-max_total_time={seconds}"))
            .args(["-max_len=65536", "-timeout=10"])
            .current_dir(top.join("fuzz"))
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{name} (needs `cargo install cargo-fuzz` and a nightly toolchain):\n{told}"
        );
        let last = told.lines().rfind(|line| line.starts_with("Done"));
        println!("{name}: {}", last.unwrap_or_default());
    }
}
