//! Every sync of an enqueue and a retry, by what it makes durable. A list grows only on purpose:
//! each line is explained in docs/durability.md.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime};

use regex::Regex;
use serde_json::json;

use crate::common::status;
use crate::stop::{Run, is_there};
use crate::world::{World, commit, git_line, push, turn};

/// One command on a world.
pub fn run(world: &World, arguments: &[&str], input: &str) -> Run {
    let mut all = vec!["outbox".to_owned()];
    all.extend(arguments.iter().map(ToString::to_string));
    all.extend(["--host-root".into(), world.root.display().to_string()]);
    Run {
        arguments: all,
        input: input.to_owned(),
    }
}

/// What one command of amiss itself does to the disk, in order, by paths from the folder of the
/// world.
pub fn steps(world: &World, arguments: &[&str], input: &str) -> Vec<String> {
    named(&run(world, arguments, input).steps(world.root.parent().unwrap()))
}

/// The names of turns and temporary folders told by their kind.
pub fn named(steps: &[String]) -> Vec<String> {
    let turn = Regex::new(r"\b[0-9a-f]{32}\b").unwrap();
    let target = Regex::new("target-[0-9a-f]{64}").unwrap();
    let temporary = Regex::new(r"\.atomicwrite[a-z0-9]+").unwrap();
    let name = |step: &String| {
        let step = turn.replace_all(step, "TURN");
        let step = target.replace_all(&step, "target-TARGET");
        temporary.replace_all(&step, "new").into_owned()
    };
    steps.iter().map(name).collect()
}

/// The syncs alone.
fn syncs(world: &World, arguments: &[&str], input: &str) -> Vec<String> {
    steps(world, arguments, input)
        .iter()
        .filter_map(|step| step.strip_prefix("sync ").map(str::to_owned))
        .collect()
}

fn enqueue(world: &World, task: &str, number: u64, oid: &str) -> Vec<String> {
    let push = json!({ "push": push("web", task, &turn(number), oid) });
    syncs(world, &["enqueue"], &push.to_string())
}

/// The records and the pin of a delivery of a task that has others.
const RECORDS: [&str; 11] = [
    "host/tasks/web/t1/delivery/new/tmpfile.tmp",
    "host/tasks/web/t1/delivery",
    "host/tasks/web/t1",
    "host/locks/outbox-due/new/tmpfile.tmp",
    "host/locks/outbox-due",
    "host/mirrors/web.git/refs/mac-worker/delivery/t1/TURN",
    "host/mirrors/web.git/refs/mac-worker/delivery/t1",
    "host/mirrors/web.git/refs/mac-worker/delivery",
    "host/mirrors/web.git/refs/mac-worker",
    "host/mirrors/web.git/refs",
    "host/mirrors/web.git",
];

#[test]
fn an_enqueue_syncs_what_its_answer_rests_on_and_nothing_else() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    let packed = commit(&mirror, "packed");
    git_line(&mirror, &["update-ref", "refs/heads/one", &packed]);
    git_line(&mirror, &["repack", "-q", "-a", "-d"]);
    git_line(&mirror, &["prune-packed", "-q"]);
    assert_eq!(
        status(&world.run(&["baseline", "--mirror", mirror.to_str().unwrap()], "")),
        0
    );
    // Directories that are made get their names at once.
    let first = enqueue(&world, "t1", 1, &packed);
    let made = [
        "host",
        "host/locks",
        "host",
        "host/tasks",
        "host/tasks/web",
        "host/tasks/web/t1",
    ];
    assert_eq!(first, [&made[..], &RECORDS[..]].concat());
    assert_eq!(enqueue(&world, "t1", 2, &packed), RECORDS);
    // A new task is two directories.
    let other: Vec<String> = RECORDS
        .iter()
        .map(|path| path.replace("t1", "t2"))
        .collect();
    let made = ["host/tasks/web", "host/tasks/web/t2"].map(str::to_owned);
    assert_eq!(
        enqueue(&world, "t2", 3, &packed),
        [&made[..], &other[..]].concat()
    );
    // A loose commit is a file, its directory, and the names of such directories.
    let loose = commit(&mirror, "loose");
    let (fanout, rest) = loose.split_at(2);
    let objects = "host/mirrors/web.git/objects";
    let made = [
        format!("{objects}/{fanout}/{rest}"),
        format!("{objects}/{fanout}"),
        objects.to_owned(),
    ];
    let records = RECORDS.map(str::to_owned);
    assert_eq!(
        enqueue(&world, "t1", 4, &loose),
        [&made[..], &records[..]].concat()
    );
}

#[test]
fn a_retry_syncs_its_intent_and_its_due_entry_and_nothing_else() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    for number in 1..=2 {
        world.enqueue(&push("web", "t1", &turn(number), &oid));
    }
    world.settle(&push("web", "t1", &turn(1), &oid), "failed", 12, 1000);
    let turn = turn(1);
    let retry = ["retry", "--task", "t1", "--turn", &turn];
    assert_eq!(
        syncs(&world, &retry, ""),
        [
            "host/tasks/web/t1/delivery/new/tmpfile.tmp",
            "host/tasks/web/t1/delivery",
            "host/locks/outbox-due/new/tmpfile.tmp",
            "host/locks/outbox-due",
        ]
    );
}

/// A loose object that no ref and no commit names.
fn blob(mirror: &Path, text: &str) -> String {
    let file = mirror.join("blob");
    std::fs::write(&file, text).unwrap();
    let oid = git_line(mirror, &["hash-object", "-w", file.to_str().unwrap()]);
    std::fs::remove_file(file).unwrap();
    oid
}

fn baseline(world: &World, mirror: &Path) -> BTreeSet<String> {
    let ask = ["baseline", "--mirror", mirror.to_str().unwrap()];
    let paths = syncs(world, &ask, "");
    paths.into_iter().collect()
}

/// Files and folders of the mirror's object store, by paths from the folder of the world.
fn in_objects(names: &[String]) -> BTreeSet<String> {
    let path = |name: &String| format!("host/mirrors/web.git/objects{name}");
    names.iter().map(path).collect()
}

#[test]
fn a_first_baseline_syncs_every_pack_and_loose_object_with_its_folder_and_nothing_else() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    let packed = commit(&mirror, "packed");
    git_line(&mirror, &["update-ref", "refs/heads/one", &packed]);
    git_line(&mirror, &["repack", "-q", "-a", "-d"]);
    git_line(&mirror, &["prune-packed", "-q"]);
    let mut wanted = vec![String::new(), "/pack".into()];
    for name in std::fs::read_dir(mirror.join("objects/pack")).unwrap() {
        let name = name.unwrap().file_name().into_string().unwrap();
        if matches!(name.rsplit_once('.'), Some((_, "pack" | "idx"))) {
            wanted.push(format!("/pack/{name}"));
        }
    }
    assert_eq!(wanted.len(), 4, "one pack with its index");
    for oid in [blob(&mirror, "one"), blob(&mirror, "two")] {
        let (fanout, rest) = oid.split_at(2);
        wanted.push(format!("/{fanout}"));
        wanted.push(format!("/{fanout}/{rest}"));
    }
    // Neither a folder of objects nor one: Git gives no object such a place.
    for foreign in ["abc", "zz"] {
        let folder = mirror.join("objects").join(foreign);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("0123"), "").unwrap();
    }
    std::fs::write(mirror.join("objects/pack/notes.txt"), "").unwrap();
    let mut wanted = in_objects(&wanted);
    wanted.insert("host/mirrors/web.git".into());
    wanted.insert("host/mirrors/web.git/new/tmpfile.tmp".into());
    assert_eq!(baseline(&world, &mirror), wanted);
}

#[test]
fn a_later_baseline_syncs_the_names_of_loose_objects_that_came_since_and_no_others() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    let old = blob(&mirror, "old");
    baseline(&world, &mirror);
    // Long before the receipt, as if it had been made of an older store.
    let folder = |oid: &str| mirror.join("objects").join(&oid[..2]);
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    let made = std::fs::File::open(folder(&old)).unwrap();
    made.set_modified(long_ago).unwrap();
    assert_eq!(baseline(&world, &mirror), BTreeSet::new(), "nothing came");
    let new = blob(&mirror, "new");
    assert_ne!(folder(&old), folder(&new));
    let wanted = in_objects(&[String::new(), format!("/{}", &new[..2])]);
    assert_eq!(baseline(&world, &mirror), wanted);
}

#[test]
fn a_pin_in_a_reftable_mirror_syncs_every_table_their_list_and_both_folders() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror_as("web", "sha1", "reftable");
    let oid = commit(&mirror, "one");
    world.enqueue(&push("web", "t1", &turn(1), &oid));
    let synced = enqueue(&world, "t1", 2, &oid);
    let list = std::fs::read_to_string(mirror.join("reftable/tables.list")).unwrap();
    let mut wanted: Vec<String> = list
        .lines()
        .map(|table| format!("host/mirrors/web.git/reftable/{table}"))
        .collect();
    assert!(!wanted.is_empty());
    wanted.push("host/mirrors/web.git/reftable/tables.list".into());
    wanted.push("host/mirrors/web.git/reftable".into());
    wanted.push("host/mirrors/web.git".into());
    assert!(synced.ends_with(&wanted), "{synced:?}");
}
