//! The proof doubts itself: with any one sync left out, or with two steps in the other order, some
//! crash state must break a promise. What breaks none has its reason here.

use amiss::durable::Step;

use super::batch::batches;
use super::by_hand::{abandoned, limits_changed, moved_out, upgrade};
use super::judge::{long, prove_steps};
use super::ledger::{Played, cleanup, first_init, one_flow, reclaims};

/// A step as `docs/durability.md` names it: random names and keys left out.
fn name_of(step: &Step) -> String {
    let plain = |path: &std::path::Path| {
        let text = path.display().to_string();
        if text.starts_with(".atomicwrite") {
            return "temporary".to_owned();
        }
        match text.split_once('.') {
            _ if text.is_empty() => "root".into(),
            Some((key, end)) if key.len() == 64 => format!("KEY.{end}"),
            _ => text,
        }
    };
    match step {
        Step::MakeDir(path) => format!("make {}", plain(path)),
        Step::Create(path) => format!("create {}", plain(path)),
        Step::Append(path, _) => format!("write {}", plain(path)),
        Step::SyncFile(path) => format!("sync {}", plain(path)),
        Step::Rename(_, to) => format!("rename to {}", plain(to)),
        Step::Remove(path) | Step::RemoveDir(path) => format!("remove {}", plain(path)),
        Step::SyncDir(path) => format!("sync directory {}", plain(path)),
        Step::Answer(label) => format!("answer {label}"),
    }
}

/// What a temporary file becomes, for the name of its sync.
fn becomes(steps: &[Step], at: usize) -> String {
    let Step::SyncFile(path) = &steps[at] else {
        let change = changes(&steps[..at]).last().map(|at| name_of(&steps[*at]));
        return format!("sync after {}", change.unwrap_or_default());
    };
    steps[at..]
        .iter()
        .find_map(|step| match step {
            Step::Rename(from, _) if from == path => Some(name_of(step)),
            _ => None,
        })
        .map_or("sync of what is dropped".into(), |to| {
            format!("sync before {to}")
        })
}

/// The operation that a step belongs to.
fn operation(steps: &[Step], at: usize) -> &str {
    steps[at..]
        .iter()
        .find_map(|step| match step {
            Step::Answer(label) => Some(label.as_str()),
            _ => None,
        })
        .unwrap_or("nothing")
}

fn plays() -> Vec<(&'static str, Played)> {
    let mut list = vec![
        ("a first init", first_init()),
        ("one flow", one_flow()),
        ("reclaims", reclaims()),
        ("a cleanup", cleanup()),
        ("an upgrade", upgrade()),
        ("limits changed", limits_changed()),
        ("rows abandoned", abandoned()),
        ("a damaged row moved out", moved_out()),
    ];
    // Their states are many, and row work takes the same steps for one request as for several.
    if long() {
        list.push(("batches", batches()));
    }
    list
}

/// Whether some crash state of the changed steps breaks a promise; what lies before the first
/// change was judged unchanged.
fn noticed((play, deliveries): &Played, steps: &[Step], first: usize) -> Option<String> {
    let (_, faults) = prove_steps(play, steps, deliveries, first, 1);
    faults.into_iter().next()
}

/// Tells what was tried and what was noticed, and holds what was not against its reasons.
fn judge(tried: Vec<(String, Option<String>)>, harmless: &[(&str, &str)]) {
    crate::figures::tell(&format!("{} changes tried", tried.len()));
    let mut unnoticed = Vec::new();
    for (place, fault) in tried {
        if let Some(fault) = fault {
            let line: String = fault.lines().next().unwrap().chars().take(300).collect();
            println!("{place} -> {line}");
        } else {
            let reason = harmless.iter().find(|(name, _)| *name == place);
            println!("{place} -> nothing: {}", reason.map_or("?", |(_, why)| why));
            unnoticed.push(place);
        }
    }
    let expected: Vec<&str> = harmless.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        unnoticed, expected,
        "what breaks no promise, and what is known to break none"
    );
}

#[test]
fn with_any_one_sync_left_out_a_promise_is_broken() {
    let mut tried = Vec::new();
    for (name, played) in plays() {
        let steps = &played.0.steps;
        for at in 0..steps.len() {
            if !matches!(steps[at], Step::SyncFile(_) | Step::SyncDir(_)) {
                continue;
            }
            let mut without = steps.clone();
            without.remove(at);
            let place = format!("{name}: {}: {}", operation(steps, at), becomes(steps, at));
            tried.push((place, noticed(&played, &without, at)));
        }
    }
    judge(tried, &SYNCS_OF_NO_PROMISE);
}

/// Syncs that the proof can spare, each with its reason.
const SYNCS_OF_NO_PROMISE: [(&str, &str); 3] = [
    (
        "a cleanup: cleanup: sync after rename to .amiss-root.state",
        "the marker's sync makes the high water durable too, before any row goes",
    ),
    (
        "a cleanup: cleanup: sync after rename to .amiss-capacity.state",
        "the marker that may stay is a safe upper bound; the next admission counts the rows",
    ),
    (
        "a damaged row moved out: quarantine: sync after rename to .amiss-capacity.state",
        "as above: the marker that may stay is a safe upper bound",
    ),
];

/// The places of all changes of real names, temporary ones left aside.
fn changes(steps: &[Step]) -> Vec<usize> {
    let real = |path: &std::path::Path| !path.to_string_lossy().starts_with(".atomicwrite");
    (0..steps.len())
        .filter(|at| match &steps[*at] {
            Step::Rename(_, path) | Step::Remove(path) => real(path),
            _ => false,
        })
        .collect()
}

/// The steps with the changes at `one` and `two` in the other order. What prepares the later one
/// moves in front with it; the temporary directories stay.
fn swapped(steps: &[Step], one: usize, two: usize) -> Vec<Step> {
    let source = |at: usize| match &steps[at] {
        Step::Rename(from, _) => from.parent().map(std::path::Path::to_owned),
        _ => None,
    };
    let (of_one, of_two) = (source(one), source(two));
    let touches = |step: &Step, folder: &Option<std::path::PathBuf>| match (step, folder) {
        (
            Step::MakeDir(path) | Step::Create(path) | Step::Append(path, _) | Step::SyncFile(path),
            Some(folder),
        ) => path.starts_with(folder),
        _ => false,
    };
    let goes = |step: &Step| match step {
        Step::RemoveDir(path) => [&of_one, &of_two].contains(&&Some(path.clone())),
        _ => false,
    };
    let mut list: Vec<Step> = steps[..one].to_vec();
    let between = &steps[one + 1..two];
    list.extend(
        between
            .iter()
            .filter(|step| touches(step, &of_two))
            .cloned(),
    );
    list.push(steps[two].clone());
    list.extend(
        between
            .iter()
            .filter(|step| !touches(step, &of_two) && !goes(step))
            .cloned(),
    );
    list.push(steps[one].clone());
    list.extend(steps[two + 1..].iter().filter(|step| !goes(step)).cloned());
    list
}

/// Every two changes of one operation, but for two removals: a batch has no order of its own.
fn pairs(steps: &[Step]) -> Vec<(usize, usize)> {
    let all = changes(steps);
    let answers = |at: usize| {
        let is_answer = |step: &&Step| matches!(step, Step::Answer(_));
        steps[..at].iter().filter(is_answer).count()
    };
    let removal = |at: usize| matches!(steps[at], Step::Remove(_));
    let mut list = Vec::new();
    for (index, one) in all.iter().enumerate() {
        for two in &all[index + 1..] {
            if answers(*one) == answers(*two) && !(removal(*one) && removal(*two)) {
                list.push((*one, *two));
            }
        }
    }
    list
}

#[test]
fn with_two_steps_in_the_other_order_a_promise_is_broken() {
    let mut tried = Vec::new();
    for (name, played) in plays() {
        let steps = &played.0.steps;
        for (one, two) in pairs(steps) {
            let place = format!(
                "{name}: {}: {} before {}",
                operation(steps, one),
                name_of(&steps[two]),
                name_of(&steps[one])
            );
            tried.push((place, noticed(&played, &swapped(steps, one, two), one)));
        }
    }
    judge(tried, &ORDERS_OF_NO_PROMISE);
}

/// Pairs whose order promises nothing, each with its reason.
const ORDERS_OF_NO_PROMISE: [(&str, &str); 3] = [
    (
        "reclaims: reclaim again: rename to KEY.state before rename to .amiss-root.state",
        "one directory sync makes both durable, and nothing is answered before it",
    ),
    (
        "a cleanup: cleanup: rename to .amiss-capacity.state before rename to .amiss-root.state",
        "the marker promises nothing about time; both are durable before the first row goes",
    ),
    (
        "rows abandoned: abandon: rename to KEY.state before rename to .amiss-root.state",
        "one directory sync makes both durable, and nothing is answered before it",
    ),
];
