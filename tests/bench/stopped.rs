//! A measurement that somebody ends.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// How many names lie in the one folder that is measured in.
fn names(place: &Path) -> usize {
    let folders = std::fs::read_dir(place).unwrap();
    let inside = folders.filter_map(|folder| {
        let root = folder.unwrap().path().join("rows-50000/root");
        Some(std::fs::read_dir(root).ok()?.count())
    });
    inside.sum()
}

#[test]
fn one_that_is_interrupted_takes_its_folder_away_and_says_so() {
    for signal in [Signal::INT, Signal::TERM] {
        let place = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_amiss"))
            .args([
                "bench",
                "ledger",
                "--rows",
                "50000",
                "--samples",
                "2",
                "--dir",
            ])
            .arg(place.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let started = Instant::now();
        while names(place.path()) < 1000 {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            assert!(started.elapsed() < Duration::from_secs(120), "no rows come");
            std::thread::yield_now();
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["error"]["code"], "INTERRUPTED", "{answer}");
        assert_eq!(output.status.code(), Some(75), "{output:?}");
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
