//! What each command does to the disk, in order: what an answer or a removal rests on is durable
//! before it. The crash states see the host root alone; these lists see the mirror too. One step
//! more, one fewer, or two in the other order fails; docs/durability.md says what each is for.

use std::path::Path;

use serde_json::json;

use crate::stop::is_there;
use crate::syncs::{named, run, steps};
use crate::world::{World, commit, git_input, git_line, push, turn};

const DAY: u64 = 86_400_000;

/// Packs all that a ref of the mirror names.
fn pack(mirror: &Path, oid: &str) {
    git_line(mirror, &["update-ref", "refs/heads/base", oid]);
    git_line(mirror, &["repack", "-q", "-a", "-d"]);
    git_line(mirror, &["prune-packed", "-q"]);
}

/// The steps with what has a random name told by its kind, and what stands in the order of a
/// directory sorted. Directories of loose objects are named after their objects.
fn plain(steps: Vec<String>, mirror: &Path, loose: &[&str]) -> Vec<String> {
    let objects = format!(
        "sync host/mirrors/{}/objects",
        mirror.file_name().unwrap().display()
    );
    let mut list: Vec<String> = steps
        .into_iter()
        .map(|step| {
            let is_pack = step.starts_with(&format!("{objects}/pack/pack-"));
            let end = step.rsplit('.').next().unwrap_or_default().to_owned();
            if is_pack {
                format!("{objects}/pack/PACK.{end}")
            } else {
                step
            }
        })
        .collect();
    for (at, oid) in loose.iter().enumerate() {
        let (fanout, rest) = oid.split_at(2);
        for step in &mut list {
            *step = step
                .replace(
                    &format!("objects/{fanout}/{rest}"),
                    &format!("objects/DIR{at}/OBJECT"),
                )
                .replace(&format!("objects/{fanout}"), &format!("objects/DIR{at}"));
        }
    }
    // The two files of one pack come in either order.
    for at in 1..list.len() {
        if list[at].contains("/PACK.") && list[at - 1] > list[at] {
            list.swap(at - 1, at);
        }
    }
    list
}

/// What the receipt, the intent, the due entry and the pin of a delivery are, in that order.
const RECEIPT: [&str; 3] = [
    "sync host/mirrors/web.git/new/tmpfile.tmp",
    "name host/mirrors/web.git/mw-object-sync.json",
    "sync host/mirrors/web.git",
];
const RECORDS: [&str; 7] = [
    "sync host/tasks/web/t1/delivery/new/tmpfile.tmp",
    "name host/tasks/web/t1/delivery/TURN.json",
    "sync host/tasks/web/t1/delivery",
    "sync host/tasks/web/t1",
    "sync host/locks/outbox-due/new/tmpfile.tmp",
    "name host/locks/outbox-due/t1-TURN.json",
    "sync host/locks/outbox-due",
];
const PIN: [&str; 8] = [
    "git",
    "sync host/mirrors/web.git/refs/mac-worker/delivery/t1/TURN",
    "sync host/mirrors/web.git/refs/mac-worker/delivery/t1",
    "sync host/mirrors/web.git/refs/mac-worker/delivery",
    "sync host/mirrors/web.git/refs/mac-worker",
    "sync host/mirrors/web.git/refs",
    "sync host/mirrors/web.git",
    "answer",
];

#[test]
fn a_baseline_makes_every_object_durable_before_its_receipt_says_so() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    pack(&mirror, &commit(&mirror, "packed"));
    let loose = git_line(&mirror, &["hash-object", "-w", "--stdin"]);
    let baseline = ["baseline", "--mirror", mirror.to_str().unwrap()];
    let made = [
        "git",
        "sync host/mirrors/web.git/objects/DIR0/OBJECT",
        "sync host/mirrors/web.git/objects/DIR0",
        "sync host/mirrors/web.git/objects/pack/PACK.idx",
        "sync host/mirrors/web.git/objects/pack/PACK.pack",
        "sync host/mirrors/web.git/objects/pack",
        "sync host/mirrors/web.git/objects",
        "sync host/mirrors/web.git",
    ];
    assert_eq!(
        plain(steps(&world, &baseline, ""), &mirror, &[&loose]),
        [&made[..], &RECEIPT[..], &["answer"]].concat()
    );
}

#[test]
fn after_a_clock_that_was_set_back_the_whole_store_is_made_durable_anew() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    pack(&mirror, &commit(&mirror, "packed"));
    let baseline = ["baseline", "--mirror", mirror.to_str().unwrap()];
    world.good(&baseline);
    assert_eq!(
        steps(&world, &baseline, ""),
        ["git", "answer"],
        "nothing is new"
    );
    // A receipt of tomorrow: an object of today came after it, and looks older.
    let receipt = std::fs::File::open(mirror.join("mw-object-sync.json")).unwrap();
    let tomorrow = std::time::SystemTime::now() + std::time::Duration::from_secs(86_400);
    receipt.set_modified(tomorrow).unwrap();
    let packed = [
        "git",
        "sync host/mirrors/web.git/objects/pack/PACK.idx",
        "sync host/mirrors/web.git/objects/pack/PACK.pack",
        "sync host/mirrors/web.git/objects/pack",
        "sync host/mirrors/web.git/objects",
        "sync host/mirrors/web.git",
    ];
    assert_eq!(
        plain(steps(&world, &baseline, ""), &mirror, &[]),
        [&packed[..], &RECEIPT[..], &["answer"]].concat()
    );
    assert_eq!(
        steps(&world, &baseline, ""),
        ["git", "answer"],
        "and now it is"
    );
}

#[test]
fn an_enqueue_makes_new_objects_durable_before_its_intent_and_its_pin_before_its_answer() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let enqueue = |number: u64| {
        let push = json!({ "push": push("web", "t1", &turn(number), &oid) });
        steps(&world, &["enqueue"], &push.to_string())
    };
    // The first enqueue of a mirror makes the baseline.
    let first = enqueue(1);
    let receipt = first.iter().position(|step| step == RECEIPT[1]).unwrap();
    let intent = first.iter().position(|step| step == RECORDS[1]).unwrap();
    assert!(receipt < intent, "{first:#?}");
    // A pack that came since is synced, and the receipt knows it before an intent rests on it.
    pack(&mirror, &oid);
    let packed = [
        "git",
        "sync host/mirrors/web.git/objects/pack/PACK.idx",
        "sync host/mirrors/web.git/objects/pack/PACK.pack",
        "sync host/mirrors/web.git/objects/pack",
        // The first pack of a store: its directory may be new.
        "sync host/mirrors/web.git/objects",
    ];
    assert_eq!(
        plain(enqueue(2), &mirror, &[]),
        [&packed[..], &RECEIPT[..], &RECORDS[..], &PIN[..]].concat()
    );
    // So is a packed pin's file, which a `pack-refs` may have written meanwhile.
    git_line(&mirror, &["pack-refs", "--all"]);
    let mut pin: Vec<&str> = PIN.to_vec();
    pin.insert(6, "sync host/mirrors/web.git/packed-refs");
    assert_eq!(enqueue(3), [&["git"], &RECORDS[..], &pin[..]].concat());
}

#[test]
fn every_directory_of_loose_objects_that_is_newer_than_the_receipt_is_durable_before_the_intent() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    pack(&mirror, &commit(&mirror, "packed"));
    world.good(&["baseline", "--mirror", mirror.to_str().unwrap()]);
    // A commit with a file: its tree and its blob lie in directories of their own.
    let blob = git_line(&mirror, &["hash-object", "-w", "--stdin"]);
    git_input(&mirror, &["mktree"], &format!("100644 blob {blob}\tfile\n"));
    let tree = "df2b8fc99e1c1d4dbc0a854d9f72157f1d6ea078";
    let oid = git_line(&mirror, &["commit-tree", "-m", "one", tree]);
    let push = json!({ "push": push("web", "t1", &turn(1), &oid) }).to_string();
    let all = steps(&world, &["enqueue"], &push);
    let intent = all.iter().position(|step| step == RECORDS[1]).unwrap();
    for object in [&blob, tree, &oid] {
        let names = format!("sync host/mirrors/web.git/objects/{}", &object[..2]);
        let synced = all.iter().position(|step| *step == names);
        let stores = all
            .iter()
            .position(|step| step == "sync host/mirrors/web.git/objects");
        assert!(
            synced.is_some() && synced < stores && stores < Some(intent),
            "{object}: {all:#?}"
        );
    }
}

#[test]
fn an_enqueue_asked_again_makes_all_of_it_durable_again() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let push = json!({ "push": push("web", "t1", &turn(1), &oid) }).to_string();
    steps(&world, &["enqueue"], &push);
    // What made the pack may have removed the loose object for good, and the pack's name not.
    pack(&mirror, &oid);
    let objects = [
        "git",
        "sync host/mirrors/web.git/objects/pack/PACK.idx",
        "sync host/mirrors/web.git/objects/pack/PACK.pack",
        "sync host/mirrors/web.git/objects/pack",
        "sync host/mirrors/web.git/objects",
    ];
    // The due entry stands; its name may have come with a call that was killed.
    assert_eq!(
        plain(steps(&world, &["enqueue"], &push), &mirror, &[]),
        [&objects[..], &RECEIPT, &RECORDS[..4], &RECORDS[6..], &PIN].concat()
    );
}

#[test]
fn the_bytes_of_a_due_entry_are_written_before_its_intent_has_a_name() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let push = json!({ "push": push("web", "t1", &turn(1), &oid) }).to_string();
    let calls = run(&world, &["enqueue"], &push).calls(world.root.parent().unwrap());
    let first = |name: &str, part: &str| {
        let found = |call: &crate::stop::Call| call.name == name && call.line.contains(part);
        calls.iter().position(found).unwrap()
    };
    let written = first("write", "locks/outbox-due/.atomicwrite");
    assert!(written < first("renameat", "t1/delivery"), "{calls:#?}");
}

#[test]
fn an_enqueue_into_a_reftable_makes_its_tables_durable_before_its_answer() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let mirror = world.mirror_as("web", "sha1", "reftable");
    let oid = commit(&mirror, "one");
    let push = json!({ "push": push("web", "t1", &turn(1), &oid) });
    let all = steps(&world, &["enqueue"], &push.to_string());
    let pin = all.iter().rposition(|step| step == "git").unwrap();
    assert!(
        all[..pin].ends_with(&RECORDS.map(str::to_owned)),
        "{all:#?}"
    );
    let mut pinned = all[pin..].to_vec();
    let table = pinned.remove(1);
    let is_table = Path::new(&table)
        .extension()
        .is_some_and(|end| end == "ref");
    assert!(
        table.starts_with("sync host/mirrors/web.git/reftable/0x") && is_table,
        "{all:#?}"
    );
    assert_eq!(
        pinned,
        [
            "git",
            "sync host/mirrors/web.git/reftable/tables.list",
            "sync host/mirrors/web.git/reftable",
            "sync host/mirrors/web.git",
            "answer",
        ]
    );
}

/// A world with a delivered turn beside an open one of the same task.
fn delivered() -> World {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    for number in 1..=2 {
        world.enqueue(&push("web", "t1", &turn(number), &oid));
    }
    world.settle(&push("web", "t1", &turn(1), &oid), "delivered", 1, 1000);
    world
}

/// The ledger that a result of these tests has not reached yet, and its one target.
const LEDGER: [&str; 3] = [
    "sync host/locks/new/tmpfile.tmp",
    "name host/locks/outbox-target-TARGET.json",
    "sync host/locks",
];
const DUE_GOES: &str = "sync host/locks/outbox-due";
const INTENT_GOES: [&str; 2] = [
    "remove host/tasks/web/t1/delivery/TURN.json",
    "sync host/tasks/web/t1/delivery",
];
const UNPIN: [&str; 6] = [
    "git",
    "sync host/mirrors/web.git/refs/mac-worker/delivery/t1",
    "sync host/mirrors/web.git/refs/mac-worker/delivery",
    "sync host/mirrors/web.git/refs/mac-worker",
    "sync host/mirrors/web.git/refs",
    "sync host/mirrors/web.git",
];

fn collected(world: &World, now: u64) -> Vec<String> {
    steps(world, &["gc", "--now-unix-millis", &now.to_string()], "")
}

#[test]
fn a_collection_has_the_ledger_and_the_pins_own_record_durable_before_the_intent_goes() {
    if !is_there() {
        return;
    }
    let world = delivered();
    let ended = [
        "sync host/tasks/web/t1/delivery/new/tmpfile.tmp",
        "name host/tasks/web/t1/delivery/TURN.ended",
        "sync host/tasks/web/t1/delivery",
        DUE_GOES,
    ];
    assert_eq!(
        collected(&world, 1000 + 8 * DAY),
        [
            &LEDGER[..],
            &ended[..],
            &INTENT_GOES[..],
            &["git", "answer"]
        ]
        .concat()
    );
}

#[test]
fn a_pin_is_gone_for_good_before_what_says_whose_it_was() {
    if !is_there() {
        return;
    }
    // With its intent, after both retentions.
    let lock = "remove host/locks/outbox-t1-TURN.lock";
    let world = delivered();
    assert_eq!(
        collected(&world, 1000 + 31 * DAY),
        [
            &LEDGER[..],
            &UNPIN[..],
            &[DUE_GOES],
            &INTENT_GOES[..],
            &[lock, "git", "answer"]
        ]
        .concat()
    );
    // With the record that outlived the intent.
    let world = delivered();
    collected(&world, 1000 + 8 * DAY);
    let ended = [
        DUE_GOES,
        "sync host/tasks/web/t1/delivery",
        "remove host/tasks/web/t1/delivery/TURN.ended",
        "sync host/tasks/web/t1/delivery",
    ];
    assert_eq!(
        collected(&world, 1000 + 31 * DAY),
        [&UNPIN[..], &ended[..], &[lock, "git", "answer"]].concat()
    );
    // By a discard, with a pin that was packed.
    let world = delivered();
    let mirror = world.root.join("mirrors/web.git");
    let oid = crate::world::pinned(&mirror, "t1", &turn(2));
    world.settle(&push("web", "t1", &turn(2), &oid), "failed", 12, 1000);
    git_line(&mirror, &["pack-refs", "--all"]);
    let mut all = steps(&world, &["close", "--task", "t1", "--discard"], "");
    // Which of the empty directories Git leaves is its own.
    all.retain(|step| !step.starts_with("sync host/mirrors/web.git/refs/"));
    let gone = [
        "sync host/mirrors/web.git/refs",
        "sync host/mirrors/web.git/packed-refs",
        "sync host/mirrors/web.git",
        // The registry is empty, so its name may be new.
        "sync host/locks",
        DUE_GOES,
    ];
    let one = [&["git"], &gone[..], &INTENT_GOES[..], &[lock]].concat();
    assert_eq!(all, [&one[..], &one[..], &["answer"]].concat());
}

#[test]
fn the_mark_of_a_wanted_watcher_is_durable_before_the_answer_and_so_is_its_removal() {
    if !is_there() {
        return;
    }
    let world = World::new();
    world.good(&["enable"]);
    world.good(&["disable"]);
    let set = [
        "sync host/locks/new/tmpfile.tmp",
        "name host/locks/outbox-enabled.json",
        "sync host/locks",
        "answer",
    ];
    // An empty `locks` may be new itself.
    assert_eq!(
        steps(&world, &["enable"], ""),
        [&["sync host"], &set[..]].concat()
    );
    // Set by a call that was killed before its sync, it is made durable by the next.
    assert_eq!(
        steps(&world, &["enable"], ""),
        ["sync host/locks", "answer"]
    );
    assert_eq!(
        steps(&world, &["disable"], ""),
        [
            "remove host/locks/outbox-enabled.json",
            "sync host/locks",
            "answer"
        ]
    );
    assert_eq!(
        steps(&world, &["disable"], ""),
        ["sync host/locks", "answer"]
    );
}

/// A world with one enqueued push to an origin of this name.
fn enqueued(origin: &str) -> World {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let mut push = push("web", "t1", &turn(1), &oid);
    push["origin"] = json!(format!("file://{}", world.beside(origin).display()));
    assert_eq!(crate::common::status(&world.enqueue(&push)), 0);
    world
}

/// What a pump does to the records, the file through which Git gets its settings left aside: that
/// one is made anew for each pump, and swept.
fn pumped(world: &World) -> Vec<String> {
    let all = named(&run(world, &["once"], "").steps_of_threads(world.root.parent().unwrap()));
    let config = "name host/locks/outbox-git-access.config";
    let at = all.iter().position(|step| step == config).unwrap();
    let gone = all.len() - 1;
    assert_eq!(all[gone], config.replace("name", "remove"));
    all[at + 2..gone].to_vec()
}

const INTENT: [&str; 3] = [
    "sync host/tasks/web/t1/delivery/new/tmpfile.tmp",
    "name host/tasks/web/t1/delivery/TURN.json",
    "sync host/tasks/web/t1/delivery",
];

#[test]
fn a_delivery_is_durable_in_its_intent_then_in_its_ledger_and_then_no_longer_due() {
    if !is_there() {
        return;
    }
    let world = enqueued("origin.git");
    crate::world::init(&world.beside("origin.git"), "sha1", "files");
    let gone = ["remove host/locks/outbox-due/t1-TURN.json", DUE_GOES];
    assert_eq!(
        pumped(&world),
        [&INTENT[..], &LEDGER[..], &gone[..]].concat()
    );
}

#[test]
fn a_failed_push_is_durable_in_its_intent_before_it_is_due_again() {
    if !is_there() {
        return;
    }
    let world = enqueued("missing.git");
    let words = [
        "sync host/tasks/web/t1/delivery/new/tmpfile.tmp",
        "name host/tasks/web/t1/delivery/TURN.stderr",
        "sync host/tasks/web/t1/delivery",
    ];
    assert_eq!(
        pumped(&world),
        [&words[..], &INTENT[..], &RECORDS[4..]].concat()
    );
}

#[test]
fn a_recovery_that_pins_again_makes_the_objects_durable_before_the_pin() {
    if !is_there() {
        return;
    }
    let world = enqueued("missing.git");
    let mirror = world.root.join("mirrors/web.git");
    let pin = format!("refs/mac-worker/delivery/t1/{}", turn(1));
    let oid = crate::world::pinned(&mirror, "t1", &turn(1));
    pack(&mirror, &oid);
    git_line(&mirror, &["update-ref", "-d", &pin]);
    // The recovery is all that the first thread does in a mirror.
    let all = plain(steps(&world, &["once"], ""), &mirror, &[]);
    let recovery: Vec<&String> = all
        .iter()
        .filter(|step| step.contains("/web.git") || *step == "git")
        .collect();
    let objects = [
        "sync host/mirrors/web.git/objects/pack/PACK.idx",
        "sync host/mirrors/web.git/objects/pack/PACK.pack",
        "sync host/mirrors/web.git/objects/pack",
        "sync host/mirrors/web.git/objects",
    ];
    let pinned = [&["git"], &objects[..], &RECEIPT[..], &PIN[..7]].concat();
    assert_eq!(recovery[..pinned.len()], pinned);
}
