//! Pins: immutable, durable, and good whatever Git does to its refs and objects.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use amiss::outbox::Mirror;
use amiss::process::Cancel;

use crate::common::status;
use crate::world::{World, commit, git, git_line, pinned, push, turn};

/// Both ways of keeping refs, both object formats.
const KINDS: [(&str, &str); 4] = [
    ("sha1", "files"),
    ("sha1", "reftable"),
    ("sha256", "files"),
    ("sha256", "reftable"),
];

#[test]
fn a_pin_stays_good_after_gc_and_pack_refs_in_every_kind_of_mirror() {
    for (objects, refs) in KINDS {
        let world = World::new();
        let mirror = world.mirror_as("web", objects, refs);
        let oid = commit(&mirror, "one");
        let wanted = push("web", "t1", &turn(1), &oid);
        assert_eq!(status(&world.enqueue(&wanted)), 0, "{objects} {refs}");
        for tidy in [
            &["pack-refs", "--all"][..],
            &["gc", "-q", "--prune=now"][..],
        ] {
            git_line(&mirror, tidy);
            assert_eq!(
                status(&world.enqueue(&wanted)),
                0,
                "{objects} {refs} {tidy:?}"
            );
            assert_eq!(pinned(&mirror, "t1", &turn(1)), oid);
        }
    }
}

#[test]
fn f03_the_pinned_commit_survives_reset_reflog_expiry_and_prune() {
    let world = World::new();
    let mirror = world.mirror("web");
    let (one, two) = (commit(&mirror, "one"), commit(&mirror, "two"));
    git_line(&mirror, &["update-ref", "refs/heads/task/t1", &one]);
    assert_eq!(
        status(&world.enqueue(&push("web", "t1", &turn(1), &one))),
        0
    );
    git_line(&mirror, &["update-ref", "refs/heads/task/t1", &two]);
    git_line(&mirror, &["reflog", "expire", "--expire=now", "--all"]);
    git_line(&mirror, &["gc", "-q", "--prune=now"]);
    assert_eq!(git_line(&mirror, &["cat-file", "-t", &one]), "commit");
    assert_eq!(pinned(&mirror, "t1", &turn(1)), one);
}

#[test]
fn f03_the_pinned_commit_survives_every_other_way_to_tidy_a_mirror() {
    for (objects, refs) in KINDS {
        let world = World::new();
        let mirror = world.mirror_as("web", objects, refs);
        let oid = commit(&mirror, "one");
        assert_eq!(
            status(&world.enqueue(&push("web", "t1", &turn(1), &oid))),
            0
        );
        for tidy in [
            &["repack", "-q", "-a", "-d"][..],
            &["prune", "--expire=now"],
            &["prune-packed", "-q"],
            &["repack", "-q", "-a", "-d", "-l", "--unpack-unreachable=now"],
            &["multi-pack-index", "write"],
            &["multi-pack-index", "expire"],
            &["gc", "-q", "--aggressive", "--prune=now"],
            &["maintenance", "run", "--task=gc", "--quiet"],
            &["worktree", "prune", "--expire=now"],
        ] {
            git_line(&mirror, tidy);
            let place = format!("{objects} {refs} {tidy:?}");
            assert_eq!(
                git_line(&mirror, &["cat-file", "-t", &oid]),
                "commit",
                "{place}"
            );
            assert_eq!(pinned(&mirror, "t1", &turn(1)), oid, "{place}");
        }
    }
}

/// What `git clone --mirror` sets up says of every ref that the origin lacks that it may go. The
/// next look at the intent pins its commit again, long before a collection takes it.
#[test]
fn f03_a_pin_that_a_pruning_fetch_took_is_reported_and_pinned_again() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let upstream = world.beside("upstream.git");
    crate::world::init(&upstream, "sha1", "files");
    git_line(
        &mirror,
        &["config", "remote.origin.url", upstream.to_str().unwrap()],
    );
    git_line(
        &mirror,
        &["config", "remote.origin.fetch", "+refs/*:refs/*"],
    );
    let wanted = push("web", "t1", &turn(1), &oid);
    assert_eq!(status(&world.enqueue(&wanted)), 0);
    git_line(&mirror, &["fetch", "-q", "--prune", "origin"]);
    let pin = format!("refs/mac-worker/delivery/t1/{}", turn(1));
    assert!(
        !git(&mirror, &["rev-parse", "--verify", "-q", &pin])
            .status
            .success()
    );
    let looked = world.run(&["doctor"], "");
    let told = String::from_utf8_lossy(&looked.stdout).into_owned();
    assert!(told.contains("an intent has no pin"), "{told}");
    let mended = world.run(&["doctor", "--repair"], "");
    assert_eq!(status(&mended), 0, "{mended:?}");
    assert_eq!(pinned(&mirror, "t1", &turn(1)), oid);
    git_line(&mirror, &["fetch", "-q", "--prune", "origin"]);
    assert_eq!(status(&world.enqueue(&wanted)), 0);
    git_line(&mirror, &["gc", "-q", "--prune=now"]);
    assert_eq!(pinned(&mirror, "t1", &turn(1)), oid);
    // What the page of the outbox's design says to do about it.
    let keep = [
        "config",
        "--add",
        "remote.origin.fetch",
        "^refs/mac-worker/*",
    ];
    git_line(&mirror, &keep);
    git_line(&mirror, &["fetch", "-q", "--prune", "origin"]);
    assert_eq!(pinned(&mirror, "t1", &turn(1)), oid);
}

#[test]
fn f07_pack_refs_in_a_loop_while_enqueueing_hides_no_ref() {
    for refs in ["files", "reftable"] {
        let world = World::new();
        let mirror = world.mirror_as("web", "sha1", refs);
        let oid = commit(&mirror, "one");
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    // It may lose a lock to an enqueue; that is its own business.
                    git(&mirror, &["pack-refs", "--all"]);
                }
            });
            for number in 0..12 {
                let wanted = push("web", "t1", &turn(number), &oid);
                for _ in 0..2 {
                    let output = world.enqueue(&wanted);
                    assert_eq!(
                        status(&output),
                        0,
                        "{refs}: {}",
                        String::from_utf8_lossy(&output.stderr)
                    );
                }
                assert_eq!(pinned(&mirror, "t1", &turn(number)), oid);
            }
            done.store(true, Ordering::Relaxed);
        });
    }
}

#[test]
fn a_mirror_with_very_many_pins_is_read_to_the_last() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let mut packed = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    for number in 0..20_000 {
        let turn = turn(number);
        writeln!(packed, "{oid} refs/mac-worker/delivery/t1/{turn}").unwrap();
    }
    std::fs::write(mirror.join("packed-refs"), packed).unwrap();
    let opened = Mirror::at(&mirror, &Cancel::new()).unwrap();
    assert_eq!(opened.pins(None).unwrap().len(), 20_000);
}
