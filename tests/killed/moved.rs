//! A quarantine has two folders, and the crash states see one: so here is all that it does to both,
//! in order. What is moved has its new name durable before the root forgets the old one, and the
//! count never understates. One step more, one fewer, or two in the other order fails.

use std::path::Path;

use super::ledger::Scene;
use super::oracle::DAMAGE;
use super::strace::{Run, is_there};

/// One line of `strace` as a step; temporary folders are left aside.
fn step(line: &str, root: &str, key: &str) -> Option<String> {
    if line.contains(" = -1 ") {
        return None;
    }
    let (_, call) = line.split_once(' ')?;
    let call = call.trim_start();
    let moved = root.replace("/root", "/moved");
    let at = |name: &str| call.contains(&format!("<{name}>"));
    let quoted: Vec<&str> = call.split('"').skip(1).step_by(2).collect();
    let name = quoted.last().map(|name| name.replace(key, "KEY"));
    match call.split('(').next()? {
        "fsync" if at(root) => Some("sync root".into()),
        "fsync" if at(&moved) => Some("sync moved".into()),
        "fsync" => Some("sync new".into()),
        "renameat" => Some(format!("name {}", name?)),
        "renameat2" => Some(format!("move {}", name?)),
        "unlinkat" if !name.as_ref()?.starts_with(".atomicwrite") => {
            Some(format!("remove {}", name?))
        }
        "write" if call.starts_with("write(1<") => Some("answer".into()),
        _ => None,
    }
}

/// What a quarantine of this name does in a root with one running and one saved row, after `change`
/// was made there.
fn quarantine(name: &str, change: impl FnOnce(&Path, &str)) -> Vec<String> {
    let mut scene = Scene::new();
    scene.saved("whole", None);
    let key = scene.claimed("damaged", None).0.key().to_string();
    let root = scene.root();
    change(&root, &key);
    let folder = root.parent().unwrap();
    let moved = folder.join("moved");
    std::fs::create_dir(&moved).unwrap();
    let name = name.replace("KEY", &key);
    let root = root.display().to_string();
    let words = ["ledger", "quarantine", &name, "--to"];
    let run = Run {
        arguments: words
            .map(str::to_owned)
            .into_iter()
            .chain([moved.display().to_string(), "--root".into(), root.clone()])
            .collect(),
        input: String::new(),
    };
    let log = folder.join("strace.log");
    let (output, _) = run.calls(folder, &log);
    assert!(output.status.success(), "{output:?}");
    let mut steps: Vec<String> = std::fs::read_to_string(&log)
        .unwrap()
        .lines()
        .filter_map(|line| step(line, &root, &key))
        .collect();
    // An answer may be written in parts.
    steps.dedup_by(|one, other| one == other && one == "answer");
    steps
}

const COUNT: [&str; 2] = ["sync new", "name .amiss-capacity.state"];

#[test]
fn a_quarantined_row_has_its_new_name_before_the_root_counts_one_less() {
    if !is_there() {
        return;
    }
    let steps = quarantine("KEY.state", |root, key| {
        std::fs::write(root.join(format!("{key}.state")), DAMAGE).unwrap();
        std::fs::write(root.join(format!("{key}.report")), "dead").unwrap();
    });
    let moved = [
        "sync root",
        "move KEY.state",
        "move KEY.report",
        "sync moved",
        "sync root",
    ];
    assert_eq!(
        steps,
        [&COUNT[..], &moved, &COUNT, &["sync root", "answer"]].concat()
    );
}

#[test]
fn anything_else_that_is_quarantined_has_its_new_name_before_the_root_forgets_the_old_one() {
    if !is_there() {
        return;
    }
    let gone = ["sync moved", "sync root", "answer"];
    let foreign = quarantine("foreign", |root, _| {
        std::fs::write(root.join("foreign"), "?").unwrap();
    });
    assert_eq!(foreign, [&["move foreign"], &gone[..]].concat());
    let report = quarantine("KEY.report", |root, key| {
        std::fs::write(root.join(format!("{key}.report")), "dead").unwrap();
    });
    assert_eq!(report, [&["move KEY.report"], &gone[..]].concat());
    let lock = quarantine(".amiss-maintenance.lock", |root, _| {
        let lock = root.join(".amiss-maintenance.lock");
        std::fs::remove_file(&lock).unwrap();
        std::fs::create_dir(lock).unwrap();
    });
    assert_eq!(
        lock,
        [&["move .amiss-maintenance.lock"], &gone[..]].concat()
    );
}

#[test]
fn a_count_made_anew_is_whole_before_the_damaged_one_goes() {
    if !is_there() {
        return;
    }
    let gone = ["sync moved", "sync root", "answer"];
    let damaged = quarantine(".amiss-capacity.state", |root, _| {
        std::fs::write(root.join(".amiss-capacity.state"), "damaged").unwrap();
    });
    let [sync, name] = COUNT;
    assert_eq!(
        damaged,
        [&[sync, "move .amiss-capacity.state", name], &gone[..]].concat()
    );
    let missing = quarantine(".amiss-capacity.state", |root, _| {
        std::fs::remove_file(root.join(".amiss-capacity.state")).unwrap();
    });
    assert_eq!(missing, [&COUNT[..], &gone[..]].concat());
}
