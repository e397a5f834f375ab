//! A reader that is gone, and a process that may have few files and no threads.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::common::figures::may_skip;
use crate::common::status;
use crate::scene::{NOW, Scene, envelope, path};

/// Many envelopes on one input.
fn many(count: usize) -> String {
    let lines = (0..count).map(|number| envelope(&format!("many-{number}")).to_string());
    lines.collect::<Vec<_>>().join("\n")
}

/// The words that claim on a scene's root at its time.
fn claim(scene: &Scene) -> Vec<String> {
    let (root, check) = (scene.root(), scene.check_file());
    let now = NOW.to_string();
    let words = [
        "ledger",
        "claim",
        "--root",
        path(&root),
        "--check",
        path(&check),
    ];
    let more = ["--now-unix-millis", &now];
    words.into_iter().chain(more).map(str::to_owned).collect()
}

/// A file beside the root.
fn beside(scene: &Scene, name: &str, content: &str) -> PathBuf {
    let file = scene.check_file().with_file_name(name);
    fs::write(&file, content).unwrap();
    file
}

/// Claims 600 deliveries on one input, and says how many rows there are then.
fn claimed_into(out: impl Into<Stdio>, wanted: i32) -> usize {
    let scene = Scene::new(1000);
    let before = scene.content().len();
    let input = beside(&scene, "many.ndjson", &many(600));
    let output = Command::new(env!("CARGO_BIN_EXE_amiss"))
        .args(claim(&scene))
        .stdin(fs::File::open(input).unwrap())
        .stdout(out)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(status(&output), wanted, "{output:?}");
    let after = scene.content();
    let rows = after
        .iter()
        .filter(|(name, _)| name.strip_suffix(".state").is_some());
    assert!(after.len() > before);
    rows.count() - 2
}

#[test]
fn e10_a_reader_that_is_gone_ends_the_command_before_leases_are_lost_to_nobody() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    // At most those that are answered together.
    assert_eq!(claimed_into(writer, 0), 64);
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    assert_eq!(claimed_into(full.unwrap(), 74), 64);
}

#[test]
fn a_process_that_may_open_few_files_answers_one_document_after_the_other_all_the_same() {
    let scene = Scene::new(1000);
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -n 20; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_amiss"))
        .args(claim(&scene))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 0..200 {
        writeln!(input, "{}", envelope(&format!("few-{number}"))).unwrap();
        let line = answers.next().unwrap().unwrap();
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["claim"]["result"], "execute", "{number}: {value}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// Runs the program as a user of its own, who may have one process and so no thread beside it.
/// `None` where this user may not become another.
fn alone(scene: &Scene, input: &str) -> Option<Output> {
    let file = beside(scene, "many.ndjson", input);
    let top = file.parent().unwrap().to_owned();
    let program = top.join("amiss");
    fs::copy(env!("CARGO_BIN_EXE_amiss"), &program).unwrap();
    let mut names = vec![top];
    while let Some(name) = names.pop() {
        if name.is_dir() {
            let inside = fs::read_dir(&name).unwrap();
            names.extend(inside.map(|entry| entry.unwrap().path()));
        }
        // The user without rights.
        let given = std::os::unix::fs::chown(&name, Some(65534), Some(65534));
        if !may_skip(given.is_ok(), "this user may not become another") {
            return None;
        }
    }
    let user = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let output = Command::new("setpriv")
        .args(user)
        .args(["prlimit", "--nproc=1"])
        .arg(&program)
        .args(claim(scene))
        .stdin(fs::File::open(&file).unwrap())
        .output()
        .expect("util-linux has it");
    Some(output)
}

#[test]
fn many_documents_are_answered_where_no_thread_can_be_had() {
    let scene = Scene::new(1000);
    if let Some(output) = alone(&scene, &many(60)) {
        assert_eq!(status(&output), 0, "{output:?}");
        let answers = String::from_utf8(output.stdout).unwrap();
        assert_eq!(answers.lines().count(), 60);
    }
}
