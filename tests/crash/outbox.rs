//! Every operation of the outbox on its records. The mirror lies beside the host root: what Git
//! writes there is Git's own, made durable by `core.fsync`, and is taken as done.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use amiss::clock::FixedClock;
use amiss::code::Code;
use amiss::durable::{Step, Trace};
use amiss::outbox::pump::Settings;
use amiss::outbox::{
    DueEntry, HostRoot, Intent, IntentFile, PushMember, PushRequest, Record, Settled, State,
    TargetLedger, after_failure, run_once,
};
use amiss::process::Cancel;
use serde_json::json;
use tempfile::TempDir;

use super::judge::{Verdict, bound, long};
use super::medium::Medium;
use super::play::scratch;
use super::states::{Tree, private, states};

const NOW: i64 = 1_800_000_000_000;
const PATIENCE: Duration = Duration::from_secs(10);

fn git(place: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(place)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([
            ("GIT_AUTHOR_NAME", "a"),
            ("GIT_AUTHOR_EMAIL", "a@example.test"),
            ("GIT_COMMITTER_NAME", "a"),
            ("GIT_COMMITTER_EMAIL", "a@example.test"),
        ])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn turn(number: usize) -> String {
    format!("{number:032x}")
}

/// The records of a host root, read by their types.
#[derive(Clone, Debug, Default, PartialEq)]
struct Records {
    intents: BTreeMap<String, Intent>,
    due: BTreeMap<String, DueEntry>,
    ledgers: BTreeMap<String, TargetLedger>,
}

/// Reads what lies there: every record that is there must be whole.
fn read(root: &Path) -> Result<Records, String> {
    let mut records = Records::default();
    let delivery = root.join("tasks/p/t/delivery");
    each(&delivery, |name, bytes| {
        records.intents.insert(name, Intent::decode(bytes)?);
        Ok(())
    })?;
    each(&root.join("locks/outbox-due"), |name, bytes| {
        records.due.insert(name, DueEntry::decode(bytes)?);
        Ok(())
    })?;
    each(&root.join("locks"), |name, bytes| {
        if name.starts_with("outbox-target-") {
            records.ledgers.insert(name, TargetLedger::decode(bytes)?);
        }
        Ok(())
    })?;
    Ok(records)
}

fn each(
    folder: &Path,
    mut visit: impl FnMut(String, &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_file() && path.extension().is_some_and(|end| end == "json") {
            visit(name.clone(), &std::fs::read(&path).unwrap())
                .map_err(|fault| format!("{}: {fault}", path.display()))?;
        }
    }
    Ok(())
}

/// A host root with a mirror and an origin beside it, and all that was done to it.
struct Play {
    folder: TempDir,
    commits: Vec<String>,
    trace: Trace,
    base: Medium,
    steps: Vec<Step>,
    /// What was certain after each answer, and its name.
    marks: Vec<(String, Records)>,
}

impl Play {
    fn new() -> Play {
        let folder = scratch();
        let root = folder.path().join("root");
        std::fs::create_dir(&root).unwrap();
        private(&root);
        for name in ["mirror.git", "origin.git"] {
            let place = folder.path().join(name);
            git(
                folder.path(),
                &["init", "-q", "--bare", place.to_str().unwrap()],
            );
            private(&place);
        }
        let mirror = folder.path().join("mirror.git");
        let tree = git(&mirror, &["mktree"]);
        let mut commits: Vec<String> = Vec::new();
        for number in 0..2 {
            let mut words = vec!["commit-tree", "-m", "one", &tree];
            let parent = commits.last().cloned();
            if let Some(parent) = &parent {
                words.extend(["-p", parent]);
            }
            let commit = git(&mirror, &words);
            git(
                &mirror,
                &["update-ref", &format!("refs/heads/b{number}"), &commit],
            );
            commits.push(commit);
        }
        Play {
            base: Medium::of(&root),
            folder,
            commits,
            trace: Trace::default(),
            steps: Vec::new(),
            marks: vec![("the start".into(), Records::default())],
        }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn request(&self, number: usize) -> PushRequest {
        let member: PushMember = serde_json::from_value(json!({
            "project": "p", "task": "t", "turn": turn(number),
            "origin": format!("file://{}", self.folder.path().join("origin.git").display()),
            "branch": "main", "oid": self.commits[number],
            "mirror": self.folder.path().join("mirror.git"),
        }))
        .unwrap();
        PushRequest::try_from(member).unwrap()
    }

    fn act(&mut self, label: &str, act: impl FnOnce(&Play, HostRoot)) {
        let root = HostRoot::open(&self.root(), PATIENCE)
            .unwrap()
            .traced(self.trace.clone());
        act(self, root);
        self.steps.extend(self.trace.take());
        self.steps.push(Step::Answer(label.into()));
        self.marks.push((label.into(), read(&self.root()).unwrap()));
    }

    fn enqueue(&mut self, number: usize) {
        self.act("enqueue", |play, root| {
            let request = play.request(number);
            root.enqueue(&request, &FixedClock(NOW), &Cancel::new())
                .unwrap();
        });
    }

    /// What a pump does with the result of a failed push.
    fn fail(&mut self, number: usize) {
        self.act("a failed push", |play, root| {
            let key = play.request(number).key;
            let held = root.lock_intent(&key).unwrap();
            let IntentFile::Good(intent) = root.read_intent(&key).unwrap() else {
                panic!("no intent")
            };
            let ended = amiss::clock::UnixMillis::new(NOW + 5).unwrap();
            let Settled::Write(next) =
                after_failure(&intent, &intent, Code::OriginUnreachable, ended)
            else {
                panic!("stale")
            };
            root.update_intent(&held, &next).unwrap();
            root.due_registry().unwrap().write(&held, &next).unwrap();
        });
    }

    fn once(&mut self, now: i64) {
        self.act("once", |_, root| {
            let held = root.lock_pump(PATIENCE).unwrap().unwrap();
            let (cycle, _) = run_once(root, &held, Arc::new(FixedClock(now)), settings()).unwrap();
            assert_eq!((cycle.due, cycle.delivered), (1, 1));
        });
    }

    fn retry(&mut self) {
        self.act("retry", |play, root| {
            let task = play.request(0).key.task;
            root.retry(&task, None, &FixedClock(NOW + 9)).unwrap();
        });
    }
}

fn settings() -> Settings {
    Settings {
        jobs: 1,
        push_timeout: Duration::from_secs(60),
        warden: env!("CARGO_BIN_EXE_amiss").into(),
        stop: Cancel::new(),
    }
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// Whether a state keeps every promise.
fn judge(play: &Play, tree: &Tree, answered: usize) -> Verdict {
    let folder = scratch();
    private(folder.path());
    tree.lay_out(folder.path());
    let seen = read(folder.path())?;
    let before = &play.marks[answered].1;
    let after = play.marks.get(answered + 1).map(|mark| &mark.1);
    for (name, intent) in &before.intents {
        let next = after.and_then(|after| after.intents.get(name));
        let there = seen.intents.get(name);
        ensure(
            there == Some(intent) || (there.is_some() && there == next),
            || format!("the intent {name} is {there:?}"),
        )?;
    }
    for (name, entry) in &before.due {
        let next = after.map(|after| after.due.get(name));
        let there = seen.due.get(name);
        ensure(there == Some(entry) || Some(there) == next, || {
            format!("the due entry {name} is {there:?}")
        })?;
    }
    for (name, ledger) in &before.ledgers {
        ensure(seen.ledgers.get(name) == Some(ledger), || {
            format!("the ledger {name} fell back")
        })?;
    }
    for (name, ledger) in &seen.ledgers {
        let known = before.ledgers.get(name) == Some(ledger)
            || after.is_some_and(|after| after.ledgers.get(name) == Some(ledger));
        // The result comes before the ledger that rests on it.
        let intent = seen.intents.get(&format!("{}.json", ledger.last_turn_id));
        let rests = intent.is_some_and(|intent| intent.state == State::Delivered);
        ensure(known && rests, || format!("{ledger:?} over {intent:?}"))?;
    }
    recovered(folder.path(), &seen, before)?;
    if long() {
        pushed(play, folder.path())?;
    }
    Ok(())
}

/// Recovery brings everything in line with the intents, and troubles nothing.
fn recovered(root: &Path, seen: &Records, before: &Records) -> Verdict {
    let host = HostRoot::open(root, PATIENCE).map_err(|error| error.to_string())?;
    let recovery = host
        .recover(&Cancel::new())
        .map_err(|error| error.to_string())?;
    ensure(recovery.troubled.is_empty(), || {
        format!("{:?}", recovery.troubled)
    })?;
    let records = read(root)?;
    ensure(records.intents == seen.intents, || {
        "recovery changed an intent".into()
    })?;
    ensure(records.intents.len() >= before.intents.len(), || {
        "an intent is lost".into()
    })?;
    let open: Vec<DueEntry> = records
        .intents
        .values()
        .filter(|intent| matches!(intent.state, State::Pending | State::Retrying))
        .map(DueEntry::of)
        .collect();
    let due: Vec<DueEntry> = records.due.values().cloned().collect();
    ensure(open == due, || format!("due {due:?}, open {open:?}"))?;
    let delivered = records
        .intents
        .values()
        .filter(|intent| intent.state == State::Delivered)
        .max_by_key(|intent| intent.updated_at_millis);
    match delivered {
        Some(last) => ensure(
            records
                .ledgers
                .values()
                .any(|ledger| ledger.last_oid == last.oid),
            || "the ledger was not finished".into(),
        ),
        None => Ok(()),
    }
}

/// The next cycle delivers what is open.
fn pushed(play: &Play, root: &Path) -> Verdict {
    let host = HostRoot::open(root, PATIENCE).map_err(|error| error.to_string())?;
    let held = host.lock_pump(PATIENCE).unwrap().unwrap();
    let late = Arc::new(FixedClock(NOW + 1_000_000));
    run_once(host, &held, late, settings()).map_err(|error| error.to_string())?;
    for (name, intent) in read(root)?.intents {
        ensure(intent.state == State::Delivered, || {
            format!("{name} is not delivered: {intent:?}")
        })?;
        let origin = play.folder.path().join("origin.git");
        git(
            &origin,
            &["merge-base", "--is-ancestor", intent.oid.as_str(), "main"],
        );
    }
    Ok(())
}

/// Judges every state after every one of the steps.
fn prove(play: &Play, steps: &[Step], first: usize, enough: usize) -> (String, Vec<String>) {
    let mut medium = play.base.clone();
    let (mut answered, mut built, mut all) = (0, 0, 0_u128);
    let mut judged = HashSet::new();
    let mut faults = Vec::new();
    for number in 0..=steps.len() {
        if let Some(step) = number.checked_sub(1).map(|index| &steps[index]) {
            medium.apply(step);
            answered += usize::from(matches!(step, Step::Answer(_)));
        }
        if number < first || faults.len() >= enough {
            continue;
        }
        let found = states(&medium, bound());
        all = all.saturating_add(found.all);
        built += found.built.len();
        for tree in found.built {
            // What differs in leftovers alone is one state to everything here.
            let plain = tree.without_leftovers();
            if faults.len() >= enough || !judged.insert((plain.fingerprint(), answered)) {
                continue;
            }
            if let Err(fault) = judge(play, &tree, answered) {
                faults.push(format!(
                    "after step {number}: {fault}\n  {}",
                    tree.describe()
                ));
            }
        }
    }
    let figures = format!(
        "{} steps, {built} states of {all} built, {} different ones judged, {} violations",
        steps.len(),
        judged.len(),
        faults.len()
    );
    (figures, faults)
}

fn hold(name: &str, play: &Play) {
    let (figures, faults) = prove(play, &play.steps, 0, usize::MAX);
    crate::figures::tell(&format!("crash states of {name}: {figures}"));
    let shown: Vec<String> = faults.iter().take(3).cloned().collect();
    assert!(faults.is_empty(), "{}", shown.join("\n"));
}

fn two_turns() -> Play {
    let mut play = Play::new();
    play.enqueue(0);
    play.enqueue(1);
    play
}

fn to_the_origin() -> Play {
    let mut play = Play::new();
    play.enqueue(0);
    play.fail(0);
    play.retry();
    play.once(NOW + 10);
    play
}

#[test]
fn every_crash_state_of_two_enqueues_keeps_what_was_answered() {
    hold("two enqueues", &two_turns());
}

#[test]
fn every_crash_state_of_a_failed_push_a_retry_and_a_delivery_is_taken_up_again() {
    hold("an outbox delivery", &to_the_origin());
}

/// The syncs of one operation that stand for one thing: a file's, or all of one directory.
fn groups(steps: &[Step]) -> Vec<(String, Vec<usize>)> {
    let mut list: Vec<(String, Vec<usize>)> = Vec::new();
    let mut start = 0;
    for (at, step) in steps.iter().enumerate() {
        let Step::Answer(label) = step else {
            continue;
        };
        for sync in start..at {
            let name = match &steps[sync] {
                Step::SyncDir(path) if path.as_os_str().is_empty() => "the root".to_owned(),
                Step::SyncDir(path) => path.display().to_string(),
                Step::SyncFile(path) => becomes(&steps[sync..at], path),
                _ => continue,
            };
            let name = format!("{label}: {name}");
            match list
                .iter_mut()
                .find(|(known, places)| *known == name && *places.last().unwrap() >= start)
            {
                Some((_, places)) => places.push(sync),
                None => list.push((name, vec![sync])),
            }
        }
        start = at + 1;
    }
    list
}

/// The name that a temporary file gets.
fn becomes(steps: &[Step], path: &Path) -> String {
    let name = steps.iter().find_map(|step| match step {
        Step::Rename(from, to) if from == path => to.file_name(),
        _ => None,
    });
    let name = name.map_or(String::new(), |name| name.to_string_lossy().into_owned());
    match name.as_str() {
        "" => "a file without a name of its own".into(),
        name if name.starts_with("outbox-target-") => "the ledger's bytes".into(),
        name if name.starts_with("t-") => "the due entry's bytes".into(),
        name if name.len() == turn(0).len() + 5 => "the intent's bytes".into(),
        other => other.to_owned(),
    }
}

/// What breaks no promise when it is left out, each with its reason.
const SYNCS_OF_NO_PROMISE: [(&str, &str); 3] = [
    (
        "two enqueues: enqueue: tasks/p/t",
        "the source page asks for it",
    ),
    (
        "a delivery: once: outbox-git-access.config",
        "no record: it is made anew for each pump and swept",
    ),
    (
        "a delivery: once: locks/outbox-due",
        "a due entry that comes back is dropped by recovery",
    ),
];

#[test]
fn with_the_syncs_of_one_thing_of_the_outbox_left_out_a_promise_is_broken() {
    let mut unnoticed = Vec::new();
    for (name, play) in [
        ("two enqueues", two_turns()),
        ("a delivery", to_the_origin()),
    ] {
        for (group, places) in groups(&play.steps) {
            let kept = |at: &usize| !places.contains(at);
            let without: Vec<Step> = (0..play.steps.len())
                .filter(kept)
                .map(|at| play.steps[at].clone())
                .collect();
            let (_, faults) = prove(&play, &without, places[0], 1);
            let place = format!("{name}: {group}");
            if let Some(fault) = faults.first() {
                let line: String = fault.lines().next().unwrap().chars().take(200).collect();
                println!("{place} -> {line}");
            } else {
                let reason = SYNCS_OF_NO_PROMISE
                    .iter()
                    .find(|(known, _)| *known == place);
                println!("{place} -> nothing: {}", reason.map_or("?", |(_, why)| why));
                unnoticed.push(place);
            }
        }
    }
    let expected: Vec<&str> = SYNCS_OF_NO_PROMISE.iter().map(|(name, _)| *name).collect();
    assert_eq!(unnoticed, expected);
}
