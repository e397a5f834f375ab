//! A disk that is really full: a small filesystem in memory, mounted for the test.

use std::path::{Path, PathBuf};
use std::process::Command;

use amiss::clock::FixedClock;
use amiss::ledger::file::{ClockPolicy, FileLedger, Mode, Options, Root};
use amiss::ledger::{DeliveryLedger, Renewal};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::case::kept_file;
use super::judge::{Draws, Judge};
use super::ledger::{CAP, INIT, Scene, check_file, envelope, facts_of_a_run};
use super::oracle::look;
use super::play::{Mark, limits, scratch};
use super::scene::{NOW, delivery, facts};
use super::states::{Tree, private};
use super::strace::Run;

/// A filesystem of its own with so many pages.
struct Disk {
    folder: TempDir,
}

const PAGE: usize = 4096;

impl Disk {
    /// `None` where nothing may be mounted.
    fn mount(pages: usize) -> Option<Disk> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o"])
            .arg(format!("size={},mode=700", pages * PAGE))
            .arg("none")
            .arg(folder.path())
            .status();
        let done = mounted.is_ok_and(|status| status.success());
        crate::figures::may_skip(done, "nothing may be mounted here").then_some(Disk { folder })
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// Leaves this many pages free.
    fn fill(&self, free: usize) {
        let fill = self.folder.path().join("fill");
        let mut bytes = Vec::new();
        let mut pages = 0;
        // A page that cannot be had any more ends it.
        loop {
            bytes.resize((pages + 1) * PAGE, 1_u8);
            if std::fs::write(&fill, &bytes).is_err() {
                break;
            }
            pages += 1;
        }
        bytes.truncate(pages.saturating_sub(free) * PAGE);
        std::fs::write(&fill, &bytes).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.folder.path()).status();
        assert!(unmounted.is_ok_and(|status| status.success()));
    }
}

/// What the commands of a full disk work on.
struct Full {
    base: Tree,
    before: Mark,
    commands: Vec<(&'static str, Vec<String>, Value, i32)>,
    known: Vec<amiss::delivery::AcceptedDelivery>,
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

fn full(keep: &Path) -> Full {
    let mut scene = Scene::new();
    scene.done("ended", Some(NOW + 1));
    let (running, lease) = scene.claimed("running", None);
    let (saved, staged) = scene.saved("saved", None);
    let staged = scene.at(NOW).staged(saved.key(), staged);
    let report = vec![b'r'; 20_000];
    let path = kept_file(keep, "report.json", &report);
    let outcome = json!({"result": "complete", "evaluation": "pass", "report": {
        "path": path, "sha256": facts(&report).sha256, "bytes": report.len()}});
    let ready = envelope(
        "running",
        None,
        &json!({"lease": lease, "outcome": outcome,
        "run": facts_of_a_run(), "recheck": facts_of_a_run()}),
    );
    let check = check_file(keep);
    let mut init = INIT.to_vec();
    init[4] = "4";
    assert_eq!(CAP, 4);
    Full {
        base: Tree::of(&scene.root()),
        before: Mark {
            label: "the setting".into(),
            seen: look(&scene.root()).unwrap(),
            now: NOW,
            limits: limits(CAP),
            offline: false,
        },
        commands: vec![
            (
                "claim",
                words(&["claim", "--check", &check]),
                envelope("new", None, &json!({})),
                0,
            ),
            (
                "renew",
                words(&["renew"]),
                envelope("running", None, &json!({"lease": lease})),
                0,
            ),
            ("stage", words(&["stage"]), ready, 0),
            (
                "complete",
                words(&["complete"]),
                envelope("saved", None, &json!({"staged": staged})),
                0,
            ),
            ("init", words(&init), Value::Null, 0),
            ("cleanup", words(&["cleanup"]), Value::Null, 0),
        ],
        known: vec![
            running,
            saved,
            delivery("new", None),
            delivery("ended", Some(NOW + 1)),
        ],
    }
}

/// Every file of a tree by name, locks and leftovers left aside.
fn unchanged(before: &Tree, after: &Tree) -> bool {
    before.without_leftovers() == after.without_leftovers()
}

#[test]
fn c10_on_a_full_disk_every_earlier_file_stays_and_no_part_of_one_is_seen() {
    let keep = scratch();
    let full = full(keep.path());
    let (mut refused, mut done) = (0, 0);
    for free in 0..14 {
        for (name, arguments, input, _) in &full.commands {
            let Some(disk) = Disk::mount(64) else {
                return;
            };
            std::fs::create_dir(disk.root()).unwrap();
            private(&disk.root());
            full.base.lay_out(&disk.root());
            disk.fill(free);
            let mut run = Run {
                arguments: words(&["ledger"]),
                input: input.to_string(),
            };
            run.arguments.extend(arguments.clone());
            run.arguments
                .extend(words(&["--root", disk.root().to_str().unwrap()]));
            if *name != "complete" {
                run.arguments
                    .extend(words(&["--now-unix-millis", &(NOW + 2).to_string()]));
            }
            let output = run.plain();
            let tree = Tree::of(&disk.root());
            let place = format!("{name} with {free} pages free: {output:?}");
            let seen = look(&disk.root()).unwrap_or_else(|fault| panic!("{place}: {fault}"));
            match output.status.code() {
                Some(0) => {
                    done += 1;
                    let mark = Mark {
                        seen,
                        ..full.before.clone()
                    };
                    judged(&full, &tree, &mark, &place);
                }
                Some(74) => {
                    refused += 1;
                    let code: Value = serde_json::from_slice(&output.stdout).unwrap();
                    assert_eq!(code["error"]["code"], "IO", "{place}");
                    if ["claim", "renew", "stage", "complete"].contains(name) {
                        assert!(unchanged(&full.base, &tree), "{place}: {}", tree.describe());
                    }
                    assert_eq!(seen.leftovers, 0, "{place}");
                    judged(&full, &tree, &full.before, &place);
                }
                other => panic!("{other:?}: {place}"),
            }
        }
    }
    crate::figures::tell(&format!(
        "full disk: {refused} commands refused with every file as it was, {done} done"
    ));
    assert!(refused > 10 && done > 10, "{refused} {done}");
}

fn judged(full: &Full, tree: &Tree, mark: &Mark, place: &str) {
    let mut judge = Judge::new(&full.known, Draws::Other);
    // What a cleanup removed before it was refused may be gone.
    let after = Mark {
        seen: {
            let mut seen = mark.seen.clone();
            seen.rows
                .retain(|_, row| row["replay_keep"]["unix_millis"].is_null());
            seen
        },
        now: NOW + 2,
        ..mark.clone()
    };
    judge
        .state(tree, mark, Some(&after))
        .unwrap_or_else(|fault| panic!("{place}: {fault}"));
}

#[test]
fn c10_a_cleanup_on_a_full_disk_makes_its_own_room() {
    let mut scene = Scene::new();
    scene.done("ended", Some(NOW + 1));
    let done = scene.done("done", None);
    let Some(disk) = Disk::mount(64) else {
        return;
    };
    std::fs::create_dir(disk.root()).unwrap();
    private(&disk.root());
    Tree::of(&scene.root()).lay_out(&disk.root());
    // What an earlier stage left when the disk became full.
    std::fs::write(
        disk.root().join(format!("{}.report", done.key())),
        vec![1; 3 * PAGE],
    )
    .unwrap();
    let folder = disk.root().join(".atomicwritedddddd");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("tmpfile.tmp"), vec![1; 2 * PAGE]).unwrap();
    disk.fill(0);
    let root = Root::open(&disk.root(), Options::default()).unwrap();
    let cleaned = root.cleanup(&FixedClock(NOW + 2), Mode::Act).unwrap();
    assert_eq!(
        (
            cleaned.removed_records,
            cleaned.removed_reports,
            cleaned.removed_temporary
        ),
        (1, 1, 1)
    );
    root.init(&limits(CAP), &FixedClock(NOW + 2), ClockPolicy::Guard)
        .unwrap();
}

#[test]
fn c10_a_nearly_full_disk_has_room_for_one_row_after_the_other() {
    let mut scene = Scene::new();
    let (running, mut lease) = scene.claimed("running", None);
    let Some(disk) = Disk::mount(64) else {
        return;
    };
    std::fs::create_dir(disk.root()).unwrap();
    private(&disk.root());
    Tree::of(&scene.root()).lay_out(&disk.root());
    let root = Root::open(&disk.root(), Options::default()).unwrap();
    let mut ledger = FileLedger::new(root, FixedClock(NOW + 2));
    disk.fill(1);
    // The row before is let go beside the work on the next, which needs just its room.
    for round in 0..500 {
        lease = match ledger.renew(&running, &lease) {
            Ok(Renewal::Renewed { lease, .. }) => lease,
            other => panic!("renewal {round}: {other:?}"),
        };
    }
}
