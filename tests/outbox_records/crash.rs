//! Every state that a crash of the machine may leave of the host root, on a medium that keeps only
//! what was synced: no intent is half there, no due entry is without its intent, an answer stands,
//! and the same command afterwards completes what was begun.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use amiss::clock::{FixedClock, UnixMillis};
use amiss::durable::{Step, Trace};
use amiss::outbox::{
    DeliveryKey, HostRoot, Intent, IntentFile, PushMember, PushRequest, Settled, State, Task,
    after_delivery,
};
use amiss::process::Cancel;
use serde_json::json;

use crate::medium::Medium;
use crate::states::{Tree, private, states};
use crate::world::{World, commit, init, push, turn};

/// States built for one moment.
const BOUND: usize = 400;
const TURN: u64 = 5;

fn open(path: &Path) -> HostRoot {
    HostRoot::open(path, Duration::from_secs(20)).unwrap()
}

/// A world whose mirror lies beside the root, and the push of its one commit.
fn scene() -> (World, PushRequest) {
    let world = World::new();
    let mirror = world.beside("mirror.git");
    init(&mirror, "sha1", "files");
    let oid = commit(&mirror, "one");
    let mut wanted = push("web", "t1", &turn(TURN), &oid);
    wanted["mirror"] = json!(mirror.to_str().unwrap());
    let member: PushMember = serde_json::from_value(wanted).unwrap();
    (world, PushRequest::try_from(member).unwrap())
}

fn enqueue(root: &HostRoot, request: &PushRequest) -> Intent {
    root.enqueue(request, &FixedClock(1000), &Cancel::new())
        .unwrap()
}

/// What one state holds of the delivery.
struct Seen {
    intent: Option<Box<Intent>>,
    due: bool,
}

fn look(root: &HostRoot, key: &DeliveryKey) -> Seen {
    let intent = match root.read_intent(key).unwrap() {
        IntentFile::Good(intent) => Some(intent),
        IntentFile::Absent => None,
        IntentFile::Unreadable(error) => panic!("half an intent: {error}"),
    };
    let due = root
        .find_due_registry()
        .unwrap()
        .is_some_and(|registry| registry.read(key).expect("half a due entry").is_some());
    Seen { intent, due }
}

/// Goes through every state of every moment of `steps`, each once, and counts them.
fn judge_all(
    mut medium: Medium,
    steps: &[Step],
    mut judge: impl FnMut(&HostRoot, bool),
) -> (usize, u128) {
    let mut known = HashSet::new();
    let (mut judged, mut all) = (0, 0_u128);
    for moment in 0..=steps.len() {
        let answered = moment == steps.len();
        let now = states(&medium, BOUND);
        all += now.all;
        for tree in now.built {
            let tree = tree.without_leftovers();
            if known.insert((tree.fingerprint(), answered)) {
                let place = lay_out(&tree);
                judge(&open(&place.1), answered);
                judged += 1;
            }
        }
        if let Some(step) = steps.get(moment) {
            medium.apply(step);
        }
    }
    (judged, all)
}

fn lay_out(tree: &Tree) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    private(&path);
    tree.lay_out(&path);
    (folder, path)
}

/// The steps of something done to a root.
fn steps_of(path: &Path, act: impl FnOnce(&HostRoot)) -> Vec<Step> {
    let trace = Trace::default();
    act(&open(path).traced(trace.clone()));
    trace.take()
}

#[test]
fn no_crash_loses_half_an_enqueue_or_an_answered_one() {
    let (world, request) = scene();
    let before = Medium::of(&world.root);
    let steps = steps_of(&world.root, |root| drop(enqueue(root, &request)));
    let (judged, all) = judge_all(before, &steps, |root, answered| {
        let seen = look(root, &request.key);
        assert!(
            !seen.due || seen.intent.is_some(),
            "a due entry without its intent"
        );
        assert!(!answered || seen.due, "answered, and not there");
        assert_eq!(enqueue(root, &request).state, State::Pending);
        let after = look(root, &request.key);
        assert!(after.intent.is_some() && after.due);
    });
    crate::common::figures::tell(&format!(
        "enqueue: {all} states, {judged} different ones judged"
    ));
    assert!(judged > 5);
}

#[test]
fn an_enqueue_that_takes_up_a_stopped_one_makes_durable_what_that_one_left() {
    let (world, request) = scene();
    let start = Medium::of(&world.root);
    let first = steps_of(&world.root, |root| drop(enqueue(root, &request)));
    let mut total = 0;
    for stopped in 0..first.len() {
        // The process was killed: everything it did is seen, and only what it synced is safe.
        let mut medium = start.clone();
        for step in &first[..stopped] {
            medium.apply(step);
        }
        let visible = visible(&medium);
        let place = lay_out(&visible);
        let second = steps_of(&place.1, |root| drop(enqueue(root, &request)));
        for step in &second {
            medium.apply(step);
        }
        for tree in states(&medium, BOUND).built {
            let left = lay_out(&tree.without_leftovers());
            let seen = look(&open(&left.1), &request.key);
            assert!(
                seen.intent.is_some() && seen.due,
                "stopped after {:?}",
                &first[..stopped].last()
            );
            total += 1;
        }
    }
    crate::common::figures::tell(&format!(
        "enqueue taken up after {} stops: {total} states",
        first.len()
    ));
}

/// What a running system sees of the medium: every name and byte at its newest.
fn visible(medium: &Medium) -> Tree {
    let mut synced = medium.clone();
    for node in &mut synced.nodes {
        match node {
            crate::medium::Node::File(content) => content.synced = content.bytes.len(),
            crate::medium::Node::Directory(names) => {
                for name in names.values_mut() {
                    name.history = vec![*name.history.last().unwrap()];
                }
            }
        }
    }
    states(&synced, 1).built.remove(0)
}

/// A root with the delivery in it.
fn enqueued() -> (World, PushRequest) {
    let (world, request) = scene();
    enqueue(&open(&world.root), &request);
    (world, request)
}

fn settle(root: &HostRoot, key: &DeliveryKey, change: impl FnOnce(&Intent) -> Intent) {
    let held = root.lock_intent(key).unwrap();
    let IntentFile::Good(current) = root.read_intent(key).unwrap() else {
        panic!("no intent")
    };
    let next = change(&current);
    root.update_intent(&held, &next).unwrap();
    root.finish_ledger(&next).unwrap();
    root.settle_due(&held, &next).unwrap();
}

fn delivered(current: &Intent) -> Intent {
    let ended = UnixMillis::new(2000).unwrap();
    match after_delivery(current, current, None, ended) {
        Settled::Write(next) => *next,
        Settled::Stale => panic!("stale"),
    }
}

#[test]
fn no_crash_separates_a_result_from_its_ledger_for_good() {
    let (world, request) = enqueued();
    let before = Medium::of(&world.root);
    let steps = steps_of(&world.root, |root| settle(root, &request.key, delivered));
    let (judged, all) = judge_all(before, &steps, |root, answered| {
        let seen = look(root, &request.key);
        let intent = seen.intent.unwrap();
        let ledger = root.read_ledger(&intent.target()).unwrap();
        let done = intent.state == State::Delivered;
        assert!(ledger.is_none() || done, "a ledger before its result");
        assert!(
            seen.due || (done && ledger.is_some()),
            "nobody would finish it"
        );
        assert!(!answered || (done && ledger.is_some()));
        root.recover(&Cancel::new()).unwrap();
        let after = look(root, &request.key);
        assert_eq!(after.due, !done);
        assert_eq!(root.read_ledger(&intent.target()).unwrap().is_some(), done);
    });
    crate::common::figures::tell(&format!(
        "result and ledger: {all} states, {judged} different ones judged"
    ));
}

#[test]
fn no_crash_loses_half_a_retry_or_an_answered_one() {
    let (world, request) = enqueued();
    settle(&open(&world.root), &request.key, |current| {
        let mut next = current.clone();
        next.state = State::Failed;
        next.attempt = 12;
        next
    });
    let before = Medium::of(&world.root);
    let task = Task::new("t1").unwrap();
    let retry = |root: &HostRoot| drop(root.retry(&task, None, &FixedClock(5000)).unwrap());
    let steps = steps_of(&world.root, retry);
    let (judged, all) = judge_all(before, &steps, |root, answered| {
        let seen = look(root, &request.key);
        let state = seen.intent.unwrap().state;
        assert!(
            !seen.due || state == State::Retrying,
            "a due entry before the retry"
        );
        assert!(!answered || seen.due);
        retry(root);
        let after = look(root, &request.key);
        assert!(after.due && after.intent.unwrap().state == State::Retrying);
    });
    crate::common::figures::tell(&format!(
        "retry: {all} states, {judged} different ones judged"
    ));
}

#[test]
fn no_crash_of_a_discard_leaves_work_without_its_intent() {
    let (world, request) = enqueued();
    settle(&open(&world.root), &request.key, delivered);
    let before = Medium::of(&world.root);
    let task = Task::new("t1").unwrap();
    let steps = steps_of(&world.root, |root| {
        root.discard(&task, &Cancel::new()).unwrap();
    });
    let (judged, all) = judge_all(before, &steps, |root, answered| {
        let seen = look(root, &request.key);
        assert!(!seen.due, "nothing is due of a delivered one");
        assert!(!answered || seen.intent.is_none());
        root.discard(&task, &Cancel::new()).unwrap();
        assert!(look(root, &request.key).intent.is_none());
    });
    crate::common::figures::tell(&format!(
        "discard: {all} states, {judged} different ones judged"
    ));
}
