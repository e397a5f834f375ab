//! Roots on filesystems whose locks or syncs cannot be trusted (page 1.5). No such filesystem is at
//! hand: `strace` puts its number into what the system answers to `fstatfs`.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{answer, code, figures, status};
use crate::scene::{NOW, Scene, path};

/// Names as an operator knows them, with the `f_type` of `linux/magic.h` and of the filesystems'
/// own sources.
const REFUSED: [(&str, u32); 14] = [
    ("NFS", 0x6969),
    ("SMB", 0x517B),
    ("CIFS", 0xFF53_4D42),
    ("SMB2", 0xFE53_4D42),
    ("FUSE", 0x6573_5546),
    ("9P", 0x0102_1997),
    ("AFS", 0x5346_414F),
    ("Coda", 0x7375_7245),
    ("Ceph", 0x00C3_6400),
    ("Lustre", 0x0BD0_0BD0),
    ("GFS2", 0x0116_1970),
    ("OCFS2", 0x7461_636F),
    ("NCP", 0x564C),
    ("GPFS", 0x4750_4653),
];
/// Local ones, where the same injection changes nothing.
const TRUSTED: [u32; 4] = [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994];

const LIMITS: [&str; 8] = [
    "--lease-ms",
    "120000",
    "--max-records",
    "4",
    "--max-signed-age-ms",
    "300000",
    "--max-queue-age-ms",
    "60000",
];

/// The binary, told that every directory lies on a filesystem of this number.
fn on(magic: u32, arguments: &[&str]) -> Output {
    // `f_type` is the first word of the answer, in the machine's own order.
    let bytes = format!("{:016x}", u64::from(magic).to_be());
    Command::new("strace")
        .args(["-f", "-o", "/dev/null", "-e"])
        .arg(format!("inject=fstatfs:poke_exit=@arg2={bytes}"))
        .arg(env!("CARGO_BIN_EXE_amiss"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut list: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    list.sort();
    list
}

fn refused(output: &Output, name: &str, what: &str) {
    assert_eq!(
        (status(output), code(output).as_str()),
        (78, "ROOT_UNSAFE"),
        "{what} on {name}: {output:?}"
    );
    let message = answer(output)["error"]["message"].to_string();
    assert!(
        message.contains(&format!("is on {name},")),
        "{what}: {message}"
    );
}

#[test]
fn a_root_on_a_network_filesystem_is_refused_by_name_and_nothing_is_made() {
    if !figures::has("strace", &["-V"]) {
        return;
    }
    for (name, magic) in REFUSED {
        let folder = tempfile::tempdir().unwrap();
        let place = path(folder.path());
        let mut init = vec!["ledger", "init", "--root", place];
        init.extend(LIMITS);
        refused(&on(magic, &init), name, "init");
        let outbox = ["outbox", "once", "--host-root", place];
        refused(&on(magic, &outbox), name, "once");
        assert_eq!(names(folder.path()), [""; 0], "{name}");
    }
}

#[test]
fn a_prepared_root_that_now_lies_on_a_network_filesystem_is_left_as_it_is_by_every_command() {
    if !figures::has("strace", &["-V"]) {
        return;
    }
    let scene = Scene::new(4);
    let (root, now) = (scene.root(), NOW.to_string());
    let before = (names(&root), scene.content());
    for command in ["stats", "check", "list", "cleanup"] {
        let arguments = [
            "ledger",
            command,
            "--root",
            path(&root),
            "--now-unix-millis",
            &now,
        ];
        for (name, magic) in &REFUSED[..5] {
            refused(&on(*magic, &arguments), name, command);
            assert_eq!((names(&root), scene.content()), before, "{command}");
        }
        for magic in TRUSTED {
            let output = on(magic, &arguments);
            assert_eq!(status(&output), 0, "{command} on {magic:#x}: {output:?}");
        }
    }
}
