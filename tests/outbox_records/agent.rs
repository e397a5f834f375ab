//! `write-agent`: files that a service manager reads as they were meant.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::{amiss, code};
use crate::world::World;

/// A host root whose name needs care in XML and in a unit.
fn odd_root(world: &World) -> std::path::PathBuf {
    let root = world.beside("a & b <%h> $X \"q\"");
    std::fs::create_dir(&root).unwrap();
    std::fs::set_permissions(&root, PermissionsExt::from_mode(0o700)).unwrap();
    root
}

fn write(root: &Path, folder: &Path, more: &[&str]) -> std::process::Output {
    let mut arguments = vec![
        "outbox",
        "write-agent",
        folder.to_str().unwrap(),
        "--host-root",
        root.to_str().unwrap(),
    ];
    arguments.extend(more);
    amiss(&arguments)
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap()
}

#[test]
fn the_launch_agent_is_xml_that_says_what_to_run_and_keeps_it_alive() {
    let world = World::new();
    let root = odd_root(&world);
    let folder = world.beside("agents");
    std::fs::create_dir(&folder).unwrap();
    let output = write(&root, &folder, &[]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let names: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["com.mac-worker.outbox.plist"]);
    let text = std::fs::read_to_string(folder.join("com.mac-worker.outbox.plist")).unwrap();
    let list = plist(&text);
    // Every key with the type that launchd.plist(5) gives it.
    assert_eq!(
        list,
        json!({
            "Label": "com.mac-worker.outbox",
            "ProgramArguments": [
                list["ProgramArguments"][0], "outbox", "watch", "--wait", "--host-root",
                root.to_str().unwrap(),
            ],
            "EnvironmentVariables": {"PATH": "/usr/bin:/bin"},
            "RunAtLoad": true,
            "KeepAlive": true,
            "ThrottleInterval": 10,
            "ExitTimeOut": 20,
            "ProcessType": "Background",
            "Umask": 0o077,
        })
    );
    let program = list["ProgramArguments"][0].as_str().unwrap();
    assert!(Path::new(program).is_absolute());
    // Where Python is installed, its own reader of such files judges it too.
    let script = "import json, plistlib, sys; print(json.dumps(plistlib.load(sys.stdin.buffer)))";
    let judged = Command::new("python3")
        .args(["-c", script])
        .stdin(std::fs::File::open(folder.join("com.mac-worker.outbox.plist")).unwrap())
        .output();
    if let Ok(judged) = judged {
        let read: Value = serde_json::from_slice(&judged.stdout).unwrap();
        assert_eq!(read, list);
    }
}

/// A property list in XML as launchd reads it.
fn plist(text: &str) -> Value {
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    let document = roxmltree::Document::parse_with_options(text, options).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "plist");
    assert_eq!(root.attribute("version"), Some("1.0"));
    plist_value(root.first_element_child().unwrap())
}

fn plist_value(node: roxmltree::Node<'_, '_>) -> Value {
    let inner = || node.children().filter(roxmltree::Node::is_element);
    let text = node.text().unwrap_or_default();
    match node.tag_name().name() {
        "string" => text.into(),
        "integer" => text.parse::<i64>().unwrap().into(),
        "true" => true.into(),
        "false" => false.into(),
        "array" => inner().map(plist_value).collect(),
        "dict" => {
            let all: Vec<_> = inner().collect();
            all.chunks(2)
                .map(|pair| {
                    assert_eq!(pair[0].tag_name().name(), "key");
                    let key = pair[0].text().unwrap().to_owned();
                    (key, plist_value(pair[1]))
                })
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        other => panic!("no property list has <{other}>"),
    }
}

#[test]
fn the_systemd_unit_has_a_watchdog_and_gives_the_watcher_its_time_to_stop() {
    let world = World::new();
    let root = odd_root(&world);
    let folder = world.beside("units");
    std::fs::create_dir(&folder).unwrap();
    assert!(write(&root, &folder, &["--systemd"]).status.success());
    let path = folder.join("amiss-outbox.service");
    let text = std::fs::read_to_string(&path).unwrap();
    for line in [
        "Type=notify",
        "KillMode=mixed",
        "TimeoutStopSec=20",
        "WatchdogSec=60",
        // One that cannot start is no respawn storm (case g02).
        "Restart=always",
        "RestartSec=10",
        "Environment=\"PATH=/usr/bin:/bin\"",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}: {text}");
    }
    assert!(
        text.contains(r#"outbox watch --wait --host-root ""#),
        "{text}"
    );
    assert!(text.contains(r#"a & b <%%h> $$X \"q\"""#), "{text}");
    // Where systemd is installed, its own reader judges the file too.
    if let Ok(judged) = Command::new("systemd-analyze")
        .args(["--user", "verify"])
        .arg(&path)
        .output()
    {
        let words = String::from_utf8_lossy(&judged.stderr).into_owned();
        assert!(!words.contains("amiss-outbox.service:"), "{words}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let world = World::new();
    let folder = world.beside("nowhere");
    let output = write(&world.root, &folder, &[]);
    assert_eq!(code(&output), "NOT_FOUND");
    assert!(!folder.exists());
}
