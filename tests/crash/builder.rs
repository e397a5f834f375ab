//! The builder itself, on small traces: what it must and must not find possible.

use std::path::PathBuf;

use amiss::durable::{Dir, Step, Trace};

use super::medium::Medium;
use super::states::{States, Tree, states};

fn path(text: &str) -> PathBuf {
    PathBuf::from(text)
}

/// The states after the given steps, on a medium where `name` durably holds `old`.
fn after(steps: &[Step]) -> States {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("name"), "old").unwrap();
    let mut medium = Medium::of(folder.path());
    for step in steps {
        medium.apply(step);
    }
    states(&medium, 10_000)
}

/// What a path may hold in the states: its bytes, or `None` where it is not there.
fn values(states: &States, path: &str) -> Vec<Option<String>> {
    let mut list: Vec<Option<String>> = states
        .built
        .iter()
        .map(|tree| {
            let mut at = tree;
            for part in path.split('/') {
                let Tree::Directory(names) = at else {
                    return None;
                };
                at = names.get(std::ffi::OsStr::new(part))?;
            }
            match at {
                Tree::File(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
                Tree::Directory(_) => Some("directory".into()),
            }
        })
        .collect();
    list.sort();
    list.dedup();
    list
}

fn texts(list: &[&str]) -> Vec<Option<String>> {
    list.iter().map(|text| Some((*text).to_owned())).collect()
}

fn replacement(sync_file: bool, sync_dir: bool) -> Vec<Step> {
    let mut steps = vec![
        Step::Create(path("new")),
        Step::Append(path("new"), b"newest".to_vec()),
    ];
    if sync_file {
        steps.push(Step::SyncFile(path("new")));
    }
    steps.push(Step::Rename(path("new"), path("name")));
    if sync_dir {
        steps.push(Step::SyncDir(path("")));
    }
    steps
}

#[test]
fn a_replacement_with_both_syncs_leaves_the_new_bytes_only() {
    let found = after(&replacement(true, true));
    assert_eq!(values(&found, "name"), texts(&["newest"]));
    assert_eq!(values(&found, "new"), [None]);
    assert_eq!(found.all, 1);
}

#[test]
fn before_the_directory_is_synced_the_old_bytes_or_the_new_ones_are_there_and_nothing_else() {
    let found = after(&replacement(true, false));
    assert_eq!(values(&found, "name"), texts(&["newest", "old"]));
    // The old name of the file may come back, be gone, or never have been there.
    assert_eq!(values(&found, "new"), [None, Some("newest".to_owned())]);
    assert_eq!(found.all, 4);
}

#[test]
fn a_missing_file_sync_is_found_as_an_empty_a_half_and_a_zeroed_file_under_the_real_name() {
    let found = after(&replacement(false, true));
    assert_eq!(
        values(&found, "name"),
        texts(&["", "\0\0\0\0\0\0", "new", "newest"])
    );
}

#[test]
fn a_file_sync_does_not_make_the_name_durable() {
    let found = after(&[
        Step::Create(path("new")),
        Step::Append(path("new"), b"x".to_vec()),
        Step::SyncFile(path("new")),
    ]);
    assert_eq!(values(&found, "new"), [None, Some("x".to_owned())]);
}

#[test]
fn removals_of_different_names_keep_no_order_and_those_of_one_name_do() {
    let found = after(&[
        Step::Create(path("two")),
        Step::SyncDir(path("")),
        Step::Remove(path("name")),
        Step::Remove(path("two")),
    ]);
    let both: Vec<(bool, bool)> = found
        .built
        .iter()
        .map(|tree| {
            let Tree::Directory(names) = tree else {
                panic!("no directory")
            };
            (
                names.contains_key(std::ffi::OsStr::new("name")),
                names.contains_key(std::ffi::OsStr::new("two")),
            )
        })
        .collect();
    assert_eq!(found.all, 4);
    for pair in [(false, false), (false, true), (true, false), (true, true)] {
        assert!(both.contains(&pair), "{pair:?}");
    }
    // Removed and made again: old, absent or new, but after a sync only new.
    let again = [
        Step::Remove(path("name")),
        Step::Create(path("name")),
        Step::Append(path("name"), b"n".to_vec()),
        Step::SyncFile(path("name")),
    ];
    let mut expected = vec![None];
    expected.extend(texts(&["n", "old"]));
    assert_eq!(values(&after(&again), "name"), expected);
    let synced: Vec<Step> = again.into_iter().chain([Step::SyncDir(path(""))]).collect();
    assert_eq!(values(&after(&synced), "name"), texts(&["n"]));
}

#[test]
fn a_file_in_a_directory_is_lost_with_the_directorys_unsynced_name() {
    let steps = [
        Step::MakeDir(path("d")),
        Step::Create(path("d/f")),
        Step::Append(path("d/f"), b"x".to_vec()),
        Step::SyncFile(path("d/f")),
        Step::SyncDir(path("d")),
    ];
    assert_eq!(values(&after(&steps), "d/f"), [None, Some("x".to_owned())]);
    let synced: Vec<Step> = steps.into_iter().chain([Step::SyncDir(path(""))]).collect();
    assert_eq!(values(&after(&synced), "d/f"), texts(&["x"]));
}

#[test]
fn over_the_bound_every_pair_of_names_still_takes_every_pair_of_values() {
    let steps: Vec<Step> = (0..20)
        .map(|number| Step::Create(path(&number.to_string())))
        .collect();
    let mut medium = Medium::empty();
    for step in &steps {
        medium.apply(step);
    }
    let found = states(&medium, 900);
    assert_eq!(found.all, 1 << 20);
    assert!(found.built.len() <= 900, "{}", found.built.len());
    for one in 0..20_u32 {
        for two in 0..one {
            for wanted in [(false, false), (false, true), (true, false), (true, true)] {
                assert!(found.built.iter().any(|tree| {
                    let Tree::Directory(names) = tree else {
                        panic!("no directory")
                    };
                    let has =
                        |number: u32| names.contains_key(std::ffi::OsStr::new(&number.to_string()));
                    (has(one), has(two)) == wanted
                }));
            }
        }
    }
}

#[test]
fn what_durable_records_is_what_it_did() {
    let folder = tempfile::tempdir().unwrap();
    super::states::private(folder.path());
    let trace = Trace::default();
    let dir = Dir::open(folder.path()).unwrap().traced(trace.clone());
    dir.replace("name", b"one").unwrap();
    dir.replace("name", b"two").unwrap();
    let inner = dir.make_dir("inner").unwrap();
    inner.replace("deep", b"three").unwrap();
    dir.remove("name").unwrap();
    drop(dir.temporary().unwrap());
    let mut medium = Medium::empty();
    for step in trace.take() {
        medium.apply(&step);
    }
    // With a sync of everything the model holds exactly what the folder holds.
    for step in [Step::SyncDir(path("")), Step::SyncDir(path("inner"))] {
        medium.apply(&step);
    }
    let found = states(&medium, 10);
    assert_eq!(found.all, 1);
    let there = states(&Medium::of(folder.path()), 10);
    assert_eq!(found.built, there.built);
}

#[test]
fn a_state_that_is_laid_out_is_read_back_as_it_was() {
    for tree in after(&replacement(false, false)).built {
        let folder = tempfile::tempdir().unwrap();
        tree.lay_out(folder.path());
        let back = states(&Medium::of(folder.path()), 10);
        assert_eq!(back.built.first(), Some(&tree), "{}", tree.describe());
    }
}
