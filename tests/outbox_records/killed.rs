//! The real process, stopped before each of its calls that changes anything: no intent ever names
//! an object that the mirror does not durably have, the order of the writes holds, and the same
//! command afterwards ends as if nothing had happened.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::status;
use crate::stop::{Call, Run, is_there};
use crate::world::{World, commit, git, git_line, init, pinned, push, turn};

pub const TURN: u64 = 7;

/// A copy of a prepared world.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn of(world: &World) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let from = world.root.parent().unwrap().join(".");
        let copied = Command::new("cp")
            .arg("-a")
            .arg(from)
            .arg(folder.path())
            .status()
            .unwrap();
        assert!(copied.success());
        Place { folder }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn root(&self) -> PathBuf {
        self.path().join("host")
    }

    pub fn mirror(&self) -> PathBuf {
        self.root().join("mirrors/web.git")
    }

    pub fn origin(&self) -> PathBuf {
        self.path().join("origin.git")
    }

    pub fn run(&self, arguments: &[&str], input: &str) -> Run {
        let mut all = vec!["outbox".to_owned()];
        all.extend(arguments.iter().map(ToString::to_string));
        all.extend(["--host-root".to_owned(), self.root().display().to_string()]);
        Run {
            arguments: all,
            input: input.to_owned(),
        }
    }

    pub fn intent(&self) -> Option<Value> {
        let name = format!("tasks/web/t1/delivery/{}.json", turn(TURN));
        let text = std::fs::read(self.root().join(name)).ok()?;
        Some(serde_json::from_slice(&text).expect("an intent is whole or not there"))
    }

    pub fn due(&self) -> Option<Value> {
        let name = format!("locks/outbox-due/t1-{}.json", turn(TURN));
        let text = std::fs::read(self.root().join(name)).ok()?;
        Some(serde_json::from_slice(&text).expect("a due entry is whole or not there"))
    }

    pub fn pin(&self) -> String {
        pinned(&self.mirror(), "t1", &turn(TURN))
    }

    /// Makes the delivery's origin the one of this place.
    pub fn aim_at_its_origin(&self) {
        let name = format!("tasks/web/t1/delivery/{}.json", turn(TURN));
        let path = self.root().join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let origin = format!("file://{}", self.origin().display());
        let text = text.replace("file:///srv/origin.git", &origin);
        std::fs::write(path, text).unwrap();
    }

    /// Every file of the host root with its bytes, the mirrors left aside.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut waiting = vec![self.root().join("tasks"), self.root().join("locks")];
        while let Some(path) = waiting.pop() {
            for entry in std::fs::read_dir(&path).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    waiting.push(path);
                } else {
                    found.insert(path.clone(), std::fs::read(path).unwrap());
                }
            }
        }
        found
    }

    /// The receipt's inode: another one means that it was written anew.
    fn receipt(&self) -> Option<u64> {
        std::fs::metadata(self.mirror().join("mw-object-sync.json"))
            .ok()
            .map(|facts| facts.ino())
    }
}

/// Waits until no Git of a killed parent works on the mirror any more.
fn quiet(place: &Place) {
    let until = Instant::now() + Duration::from_secs(20);
    let mirror = place.mirror().display().to_string();
    loop {
        let busy = std::fs::read_dir("/proc").unwrap().any(|entry| {
            let line = entry.unwrap().path().join("cmdline");
            std::fs::read(line).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(&mirror))
        });
        if !busy {
            return;
        }
        assert!(Instant::now() < until, "a Git lives on");
        std::thread::yield_now();
    }
}

/// A world with one commit, partly packed, nothing enqueued.
pub fn prepared() -> (World, String) {
    let world = World::new();
    let mirror = world.mirror("web");
    let base = commit(&mirror, "base");
    git_line(&mirror, &["update-ref", "refs/heads/base", &base]);
    git_line(&mirror, &["repack", "-q", "-a", "-d"]);
    let oid = commit(&mirror, "one");
    init(&world.beside("origin.git"), "sha1", "files");
    (world, oid)
}

pub fn wanted(place: &Place, oid: &str) -> String {
    let mut push = push("web", "t1", &turn(TURN), oid);
    push["origin"] = json!(format!("file://{}", place.origin().display()));
    json!({ "push": push }).to_string()
}

/// Every call of an enqueue that changes the disk.
pub fn calls_of_enqueue(world: &World, oid: &str) -> Vec<Call> {
    let place = Place::of(world);
    place
        .run(&["enqueue"], &wanted(&place, oid))
        .calls(&place.path())
}

/// Whether every call is tried.
pub fn is_long() -> bool {
    crate::common::figures::is_long()
}

/// Every call of a run; in the short form of the test every fourth.
pub fn chosen(calls: Vec<Call>) -> Vec<Call> {
    let step = if is_long() { 1 } else { 4 };
    calls.into_iter().step_by(step).collect()
}

#[test]
fn an_enqueue_stopped_before_any_call_leaves_an_order_that_the_same_enqueue_completes() {
    if !is_there() {
        return;
    }
    let (world, oid) = prepared();
    let calls = calls_of_enqueue(&world, &oid);
    let named = |word: &str| calls.iter().filter(|call| call.name == word).count();
    assert!(
        named("fsync") > 12 && named("renameat") == 3 && named("flock") == 1,
        "{calls:#?}"
    );
    // The short form still stops at every rename and every start of a Git.
    let edges = |call: &Call| {
        matches!(
            call.name.as_str(),
            "renameat" | "clone3" | "clone" | "vfork"
        )
    };
    let mut at: Vec<Call> = calls.iter().filter(|call| edges(call)).cloned().collect();
    at.extend(chosen(
        calls.into_iter().filter(|call| !edges(call)).collect(),
    ));
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for call in &at {
        let place = Place::of(&world);
        let run = place.run(&["enqueue"], &wanted(&place, &oid));
        let output = run.killed_at(call);
        assert!(!output.status.success(), "{call:?}");
        quiet(&place);
        *seen.entry(point(&place, &oid, &call.line)).or_default() += 1;
        let receipt = place.receipt();
        let again = run.plain();
        assert_eq!(status(&again), 0, "{call:?}: {again:?}");
        assert_eq!(place.pin(), oid, "{call:?}");
        assert!(
            place.intent().is_some() && place.due().is_some(),
            "{call:?}"
        );
        if receipt.is_some() {
            assert_eq!(
                place.receipt(),
                receipt,
                "a kept receipt is not written again"
            );
        }
    }
    crate::common::figures::tell(&format!("enqueue stopped {} times: {seen:?}", at.len()));
    for point in [
        "before AfterOutboxObjectBaselinePacks",
        "AfterOutboxObjectBaselinePacks",
        "AfterOutboxObjectBaseline",
        "AfterOutboxIntent",
        "AfterOutboxPin",
    ] {
        assert!(seen.contains_key(point), "{point} was never met: {seen:?}");
    }
}

/// Which fault point a stopped enqueue is at, by what it left; and that this is a legal state.
fn point(place: &Place, oid: &str, line: &str) -> &'static str {
    let (intent, due, pin) = (place.intent(), place.due(), place.pin());
    if let Some(intent) = &intent {
        assert_eq!(intent["oid"], oid);
        assert!(
            place.receipt().is_some(),
            "an intent before its objects are durable: {line}"
        );
        assert_eq!(
            git_line(&place.mirror(), &["cat-file", "-t", oid]),
            "commit"
        );
    }
    assert!(
        due.is_none() || intent.is_some(),
        "a due entry without an intent: {line}"
    );
    assert!(
        pin.is_empty() || due.is_some(),
        "a pin before its due entry: {line}"
    );
    let temporary = std::fs::read_dir(place.mirror()).unwrap().any(|entry| {
        entry
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with(".atomicwrite")
    });
    match (place.receipt(), intent, pin.as_str()) {
        // The receipt is on its way: everything before it was synced.
        (None, _, _) if temporary => "AfterOutboxObjectBaselinePacks",
        (None, _, _) => "before AfterOutboxObjectBaselinePacks",
        (Some(_), None, _) => "AfterOutboxObjectBaseline",
        (Some(_), Some(_), "") => "AfterOutboxIntent",
        (Some(_), Some(_), _) => "AfterOutboxPin",
    }
}

#[test]
fn a_stopped_enqueue_is_delivered_exactly_once_or_was_never_recorded() {
    if !is_there() {
        return;
    }
    let (world, oid) = prepared();
    let calls = calls_of_enqueue(&world, &oid);
    // Around the three records and the pin; the long form stops everywhere.
    let at: Vec<Call> = calls
        .into_iter()
        .filter(|call| {
            is_long()
                || matches!(
                    call.name.as_str(),
                    "renameat" | "clone3" | "clone" | "vfork"
                )
        })
        .collect();
    for call in &at {
        let place = Place::of(&world);
        let hook = place.origin().join("hooks/post-receive");
        std::fs::write(&hook, "#!/bin/sh\ncat >> pushes\n").unwrap();
        std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .unwrap();
        let run = place.run(&["enqueue"], &wanted(&place, &oid));
        run.killed_at(call);
        quiet(&place);
        let recorded = place.intent().is_some();
        let once = place.run(&["once"], "");
        assert_eq!(status(&once.plain()), 0, "{call:?}");
        let tip = || {
            let output = git(
                &place.origin(),
                &["rev-parse", "--verify", "--quiet", "refs/heads/main"],
            );
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        assert_eq!(tip() == oid, recorded, "{call:?}: {:?}", place.intent());
        // The caller did not get its answer and asks again.
        assert_eq!(status(&run.plain()), 0, "{call:?}");
        assert_eq!(status(&once.plain()), 0);
        assert_eq!(tip(), oid);
        assert_eq!(place.intent().unwrap()["state"], "delivered");
        let pushes = std::fs::read_to_string(place.origin().join("pushes")).unwrap();
        assert_eq!(pushes.lines().count(), 1, "{call:?}: {pushes}");
    }
    crate::common::figures::tell(&format!(
        "enqueue stopped {} times, each delivered once",
        at.len()
    ));
}

#[test]
fn a_call_that_fails_during_an_enqueue_is_an_error_and_leaves_no_delivery() {
    if !is_there() {
        return;
    }
    let (world, oid) = prepared();
    let calls = calls_of_enqueue(&world, &oid);
    let may_fail = |call: &Call| {
        matches!(
            call.name.as_str(),
            "fsync" | "renameat" | "mkdirat" | "flock"
        )
    };
    let at = chosen(calls.into_iter().filter(may_fail).collect());
    let mut refused = 0;
    for call in &at {
        for errno in ["EIO", "ENOSPC"]
            .into_iter()
            .take(if is_long() { 2 } else { 1 })
        {
            let place = Place::of(&world);
            let run = place.run(&["enqueue"], &wanted(&place, &oid));
            let output = run.failing_at(call, errno);
            if status(&output) == 0 {
                assert!(place.intent().is_some() && place.due().is_some());
                assert_eq!(place.pin(), oid, "{call:?}");
                continue;
            }
            refused += 1;
            assert_eq!(status(&output), 74, "{call:?}: {output:?}");
            assert!(
                place.intent().is_none(),
                "{call:?}: an error, and it may be pushed"
            );
            assert!(place.due().is_none(), "{call:?}");
            assert_eq!(place.pin(), "", "{call:?}: a pin without an intent");
            assert_eq!(status(&run.plain()), 0, "{call:?}");
        }
    }
    crate::common::figures::tell(&format!(
        "enqueue failed {refused} times at {} calls",
        at.len()
    ));
    assert!(refused * 2 >= at.len());
}

/// A world with one delivery of this state.
pub fn with_delivery(state: &str) -> (World, String) {
    let (world, oid) = prepared();
    let push = push("web", "t1", &turn(TURN), &oid);
    assert_eq!(status(&world.enqueue(&push)), 0);
    world.settle(&push, state, 12, 1000);
    (world, oid)
}

#[test]
fn a_stopped_retry_is_made_or_not_made_and_the_same_retry_completes_it() {
    if !is_there() {
        return;
    }
    let (world, oid) = with_delivery("failed");
    let arguments = ["retry", "--task", "t1", "--now-unix-millis", "9000"];
    let first = Place::of(&world);
    let calls = first.run(&arguments, "").calls(&first.path());
    for call in &calls {
        let place = Place::of(&world);
        let run = place.run(&arguments, "");
        run.killed_at(call);
        let intent = place.intent().unwrap();
        match intent["state"].as_str() {
            Some("failed") => assert!(place.due().is_none(), "{call:?}"),
            Some("retrying") => assert_eq!(intent["attempt"], 0),
            other => panic!("{other:?}"),
        }
        assert_eq!(place.pin(), oid);
        assert_eq!(status(&run.plain()), 0, "{call:?}");
        assert_eq!(place.intent().unwrap()["state"], "retrying");
        assert_eq!(place.due().unwrap()["next_attempt_at_millis"], 9000);
    }
    crate::common::figures::tell(&format!("retry stopped {} times", calls.len()));
}

#[test]
fn a_stopped_discard_or_collection_leaves_no_orphan_and_is_finished_by_the_next() {
    if !is_there() {
        return;
    }
    let (world, oid) = with_delivery("delivered");
    let day = 86_400_000_u64;
    let month = (31 * day).to_string();
    for arguments in [
        &["close", "--task", "t1", "--discard"][..],
        &["gc", "--now-unix-millis", &month][..],
    ] {
        let first = Place::of(&world);
        let calls = first.run(arguments, "").calls(&first.path());
        for call in &calls {
            let place = Place::of(&world);
            let run = place.run(arguments, "");
            run.killed_at(call);
            quiet(&place);
            if place.intent().is_none() {
                assert_eq!(place.pin(), "", "{call:?}: a pin was left alone");
            } else {
                assert_eq!(place.intent().unwrap()["oid"], oid);
            }
            assert_eq!(status(&run.plain()), 0, "{call:?}");
            assert_eq!(place.pin(), "");
            let lock = format!("outbox-t1-{}.lock", turn(TURN));
            let rest = left(&place.root());
            let leaked = |name: &&String| name.contains(&turn(TURN)) && **name != lock;
            assert_eq!(rest.iter().find(leaked), None, "{call:?}");
        }
        crate::common::figures::tell(&format!("{} stopped {} times", arguments[0], calls.len()));
    }
}

/// The names under `tasks` and `locks`.
fn left(root: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut waiting = vec![root.join("tasks"), root.join("locks")];
    while let Some(path) = waiting.pop() {
        for entry in std::fs::read_dir(&path).into_iter().flatten() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                waiting.push(entry.path());
            } else {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
    }
    names
}
