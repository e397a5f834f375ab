//! Where a run writes: outside of the record, and what is said where there is no room.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::common;
use crate::flow::Flow;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Every name in the root with its bytes.
fn content(root: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let mut list: Vec<_> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap()))
        .collect();
    list.sort();
    list
}

#[test]
fn what_a_run_writes_is_never_put_into_the_record_root() {
    let flow = Flow::way("child");
    let envelope = flow.refreshed();
    let inside = flow.root.join("inside");
    let link = flow.scene.path().join("link");
    let log = flow.scene.path().join("log");
    std::os::unix::fs::symlink(&flow.root, &link).unwrap();
    std::os::unix::fs::symlink(flow.root.join(".amiss-root.state"), &log).unwrap();
    std::fs::create_dir(&inside).unwrap();
    let before = content(&flow.root);
    let frame = flow.root.join(".amiss-root.state");
    let fresh = link.join("log");
    for (flag, place) in [
        ("--report-dir", &flow.root),
        ("--report-dir", &link),
        ("--report-dir", &inside),
        ("--log", &frame),
        ("--log", &fresh),
        ("--log", &log),
    ] {
        let output = flow.run_on(&envelope, &[flag, text(place)]);
        assert_eq!(common::code(&output), "ROOT_UNSAFE", "{flag} {place:?}");
        let hint = common::answer(&output)["error"]["hint"].clone();
        assert!(hint.as_str().unwrap().contains("outside of the root"));
    }
    for place in [&flow.root, &link, &inside] {
        let mut arguments = flow.arguments(&[]);
        *arguments.last_mut().unwrap() = text(place).to_owned();
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = common::run(&words, envelope.to_string());
        assert_eq!(common::code(&output), "ROOT_UNSAFE", "--scratch {place:?}");
    }
    assert_eq!(content(&flow.root), before);
    assert!(!flow.marks.join("child").exists(), "nothing was started");
    std::fs::remove_dir(&inside).unwrap();
    let checked = common::run(&["ledger", "check", "--root", text(&flow.root)], "");
    assert_eq!(common::status(&checked), 0, "{checked:?}");
}

/// A file that may not grow is as good as a full disk, and needs no mount.
#[test]
fn a_scratch_directory_without_room_is_an_error_of_the_system_and_not_of_the_bootstrap() {
    let flow = Flow::new("review", &json!({}));
    let mut script = b"#!/bin/sh\n".to_vec();
    script.resize(1024 * 1024, b'#');
    flow.use_bootstrap(&script);
    let input = flow.scene.path().join("input");
    std::fs::write(&input, flow.refreshed().to_string()).unwrap();
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_amiss"))
        .args(flow.arguments(&[]))
        .stdin(std::fs::File::open(&input).unwrap())
        .output()
        .unwrap();
    assert_eq!(common::code(&output), "IO", "{output:?}");
    assert_eq!(common::status(&output), 74);
    let told = common::answer(&output)["error"]["message"].to_string();
    let wanted = format!("cannot copy the bootstrap into {}", text(&flow.scratch));
    assert!(told.contains(&wanted), "{told}");
}

#[test]
fn a_log_is_a_file_or_what_standard_error_is_and_no_pipe_is_waited_for() {
    let flow = Flow::way("words");
    let envelope = flow.refreshed();
    let pipe = flow.scene.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let refused = |place: &str| {
        let output = flow.run_on(&envelope, &["--log", place]);
        assert_eq!(common::code(&output), "CONFIG_INVALID", "{place}");
        let hint = common::answer(&output)["error"]["hint"].clone();
        assert_eq!(hint, "name a file", "{place}");
    };
    refused(text(&pipe));
    // With a reader that never reads, the words would be waited for at the end.
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK;
    let reader = rustix::fs::open(&pipe, flags, rustix::fs::Mode::empty()).unwrap();
    refused(text(&pipe));
    drop(reader);
    // Standard error is a pipe here, longer than which the words are.
    let output = Command::new(env!("CARGO_BIN_EXE_amiss"))
        .args(flow.arguments(&["--log", "/dev/stderr"]))
        .stdin(input_of(&flow, &envelope))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(common::status(&output), 0, "{output:?}");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.trim_end().ends_with("last words"), "{}", words.len());
}

fn input_of(flow: &Flow, envelope: &serde_json::Value) -> std::fs::File {
    let input = flow.scene.path().join("input");
    std::fs::write(&input, envelope.to_string()).unwrap();
    std::fs::File::open(&input).unwrap()
}
