//! What `check` says to do is what helps: each remedy is done here as it is printed.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{answer, code, status};
use crate::scene::{NOW, Scene, envelope, good, path};

/// The only defect that a check finds.
fn defect(scene: &Scene) -> Value {
    let checked = scene.at(NOW, &["check"], "");
    assert_eq!(status(&checked), 78, "{checked:?}");
    let defects = answer(&checked)["check"]["defects"].clone();
    assert_eq!(defects.as_array().unwrap().len(), 1, "{defects}");
    defects[0].clone()
}

/// Does what stands last in a remedy, in a shell, with a folder for what is moved out.
fn follow(remedy: &Value, aside: &std::path::Path) -> Output {
    let remedy = remedy.as_str().unwrap();
    let command = remedy.rsplit_once(": ").map_or(remedy, |(_, last)| last);
    let command = command
        .replace("amiss ledger", "\"$AMISS\" ledger")
        .replace("DIR", "\"$ASIDE\"");
    Command::new("sh")
        .args(["-c", &command])
        .env("AMISS", env!("CARGO_BIN_EXE_amiss"))
        .env_remove("AMISS_ROOT")
        .env("ASIDE", aside)
        .output()
        .unwrap()
}

/// The name of a row's file.
fn first_row(scene: &Scene) -> String {
    let names = scene.content().into_iter().map(|(name, _)| name);
    let mut rows = names.filter(|name| {
        name.strip_suffix(".state")
            .is_some_and(|key| !key.starts_with('.'))
    });
    rows.next().unwrap()
}

#[test]
fn a_lock_that_is_no_file_is_moved_out_and_the_rows_are_still_counted() {
    for name in [
        ".amiss-admission.lock",
        ".amiss-maintenance.lock",
        ".amiss-clock.lock",
    ] {
        for linked in [false, true] {
            let scene = Scene::new(8);
            good(&scene.claim(NOW, &envelope("one")));
            fs::remove_file(scene.file(name)).unwrap();
            if linked {
                symlink("elsewhere", scene.file(name)).unwrap();
            } else {
                fs::create_dir(scene.file(name)).unwrap();
            }
            let aside = tempfile::tempdir().unwrap();
            let moved = good(&follow(&defect(&scene)["remedy"], aside.path()));
            assert_eq!(moved["quarantine"]["records"], 1, "{name}");
            good(&scene.at(NOW, &["check"], ""));
            good(&scene.claim(NOW, &envelope("two")));
        }
    }
}

#[test]
fn rows_without_the_root_frame_need_it_back_and_no_command_says_to_prepare_anew() {
    let scene = Scene::new(8);
    good(&scene.claim(NOW, &envelope("one")));
    let frame = fs::read(scene.file(".amiss-root.state")).unwrap();
    fs::remove_file(scene.file(".amiss-root.state")).unwrap();
    for (output, wanted) in [
        (scene.claim(NOW, &envelope("one")), "ROOT_NOT_PREPARED"),
        (scene.at(NOW, &["stats"], ""), "ROOT_NOT_PREPARED"),
        (scene.at(NOW, &["check"], ""), "ROOT_NOT_PREPARED"),
        (scene.init(8, NOW), "ROOT_CORRUPT"),
    ] {
        assert_eq!(code(&output), wanted);
        let hint = answer(&output)["error"]["hint"].to_string();
        let restore = "restore `.amiss-root.state` from a backup";
        assert!(hint.contains(restore), "{hint}");
        assert!(!hint.contains("amiss ledger"), "{hint}");
    }
    fs::write(scene.file(".amiss-root.state"), frame).unwrap();
    good(&scene.at(NOW, &["check"], ""));
}

#[test]
fn a_count_that_is_wrong_damaged_or_gone_is_made_anew_by_what_the_remedy_says_last() {
    const COUNT: &str = ".amiss-capacity.state";
    for harm in [
        |scene: &Scene| fs::remove_file(scene.file(COUNT)).unwrap(),
        |scene: &Scene| fs::write(scene.file(COUNT), "AMISS").unwrap(),
        |scene: &Scene| {
            fs::remove_file(scene.file(&first_row(scene))).unwrap();
        },
    ] {
        let scene = Scene::new(8);
        good(&scene.claim(NOW, &envelope("one")));
        harm(&scene);
        let aside = tempfile::tempdir().unwrap();
        good(&follow(&defect(&scene)["remedy"], aside.path()));
        good(&scene.at(NOW, &["check"], ""));
    }
}

#[test]
fn a_damaged_row_is_moved_out_by_what_the_remedy_says_last() {
    let scene = Scene::new(8);
    good(&scene.claim(NOW, &envelope("one")));
    let row = first_row(&scene);
    fs::write(scene.file(&row), "AMISS").unwrap();
    let aside = tempfile::tempdir().unwrap();
    good(&follow(&defect(&scene)["remedy"], aside.path()));
    assert!(aside.path().join(&row).exists());
    good(&scene.at(NOW, &["check"], ""));
}

#[test]
fn a_name_that_is_no_text_is_spelled_so_that_a_shell_finds_it() {
    for name in [&b"\xffx"[..], b"-\xfe%s\\7", b"a b'\xc3(\""] {
        let scene = Scene::new(8);
        let name = std::ffi::OsStr::from_bytes(name);
        fs::write(scene.root().join(name), "stray").unwrap();
        let aside = tempfile::tempdir().unwrap();
        good(&follow(&defect(&scene)["remedy"], aside.path()));
        assert!(aside.path().join(name).exists(), "{name:?}");
        good(&scene.at(NOW, &["check"], ""));
    }
}

#[test]
fn the_other_name_of_a_file_is_found_by_its_remedy_and_the_file_is_not_moved() {
    let scene = Scene::new(8);
    good(&scene.claim(NOW, &envelope("one")));
    let other = scene.folder.path().join("other");
    let row = first_row(&scene);
    fs::hard_link(scene.file(&row), &other).unwrap();
    let told = defect(&scene);
    let remedy = told["remedy"].as_str().unwrap();
    let (words, find) = remedy.split_once(": ").unwrap();
    assert!(words.starts_with("remove its other name"), "{remedy}");
    assert!(
        find.starts_with("find /") && find.ends_with(path(&scene.file(&row))),
        "{find}"
    );
    fs::remove_file(&other).unwrap();
    good(&scene.at(NOW, &["check"], ""));
}

#[test]
fn what_is_wrong_inside_a_leftover_is_named_with_it() {
    let scene = Scene::new(8);
    fs::create_dir(scene.file(".atomicwriteAbCdEf")).unwrap();
    fs::write(scene.file(".atomicwriteAbCdEf").join("b"), "x").unwrap();
    let told = defect(&scene);
    assert_eq!(told["file"], ".atomicwriteAbCdEf");
    assert!(
        told["problem"].as_str().unwrap().starts_with("`b` in it: "),
        "{told}"
    );
}
