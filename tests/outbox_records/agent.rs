//! `write-agent`: files that a service manager reads as they were meant.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

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
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    let document = roxmltree::Document::parse_with_options(&text, options).unwrap();
    let dict = document.root_element().first_element_child().unwrap();
    assert_eq!(
        (
            document.root_element().tag_name().name(),
            dict.tag_name().name()
        ),
        ("plist", "dict")
    );
    let members: Vec<_> = dict
        .children()
        .filter(roxmltree::Node::is_element)
        .collect();
    let value = |name: &str| {
        let at = members
            .iter()
            .position(|node| node.tag_name().name() == "key" && node.text() == Some(name))
            .unwrap();
        members[at + 1]
    };
    assert_eq!(value("Label").text(), Some("com.mac-worker.outbox"));
    assert_eq!(value("KeepAlive").tag_name().name(), "true");
    // A watcher that cannot start is no respawn storm (case g02).
    assert_eq!(value("ThrottleInterval").text(), Some("10"));
    let arguments: Vec<&str> = value("ProgramArguments")
        .children()
        .filter(roxmltree::Node::is_element)
        .map(|node| node.text().unwrap())
        .collect();
    assert!(Path::new(arguments[0]).is_absolute());
    assert_eq!(
        arguments[1..],
        [
            "outbox",
            "watch",
            "--wait",
            "--host-root",
            root.to_str().unwrap()
        ]
    );
    let environment: Vec<&str> = value("EnvironmentVariables")
        .children()
        .filter(roxmltree::Node::is_element)
        .map(|node| node.text().unwrap())
        .collect();
    assert_eq!(environment, ["PATH", "/usr/bin:/bin"]);
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
