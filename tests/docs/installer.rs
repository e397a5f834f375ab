//! The installer of a release: checks before it installs, and installs nothing else.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::scene::{both, top};

/// A release in a folder: one archive for this machine, with a program that says its version.
fn release(folder: &Path) {
    let target = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("macos", "aarch64") => "aarch64-apple-darwin",
        ("macos", _) => "x86_64-apple-darwin",
        (_, "aarch64") => "aarch64-unknown-linux-musl",
        _ => "x86_64-unknown-linux-musl",
    };
    let name = format!("amiss-9.9.9-{target}");
    let script = format!(
        "mkdir {name}
         printf '#!/bin/sh\\necho amiss 9.9.9\\n' > {name}/amiss
         tar -czf {name}.tar.gz {name}
         if command -v sha256sum > /dev/null; then sha256sum {name}.tar.gz; else shasum -a 256 {name}.tar.gz; fi > SHA256SUMS"
    );
    let output = Command::new("sh")
        .args(["-eu", "-c", &script])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", both(&output));
}

fn installer(folder: &Path) -> Command {
    let mut command = Command::new("sh");
    command
        .arg(top().join(".github/install.sh"))
        .env("AMISS_RELEASES", format!("file://{}", folder.display()))
        .env("AMISS_VERSION", "9.9.9")
        .env("AMISS_BIN", folder.join("bin"));
    command
}

fn install(folder: &Path) -> Output {
    installer(folder).output().unwrap()
}

/// Fetching from a folder needs curl; a machine without it has nothing to try here.
fn has_curl() -> bool {
    crate::common::figures::has("curl", &["--version"])
}

#[test]
fn the_installer_puts_the_checked_program_into_its_place() {
    if !has_curl() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    release(folder.path());
    let output = install(folder.path());
    assert!(output.status.success(), "{}", both(&output));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("amiss 9.9.9 is in"),
        "{}",
        both(&output)
    );
    let installed: Vec<_> = fs::read_dir(folder.path().join("bin")).unwrap().collect();
    assert_eq!(installed.len(), 1);
}

#[test]
fn the_installer_refuses_an_archive_with_another_digest() {
    if !has_curl() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    release(folder.path());
    let sums = folder.path().join("SHA256SUMS");
    let line = fs::read_to_string(&sums).unwrap();
    let name = line.split_whitespace().last().unwrap();
    for wrong in [
        format!("{}  {name}\n", "0".repeat(64)),
        String::new(),
        format!("{}  other\n", &line[..64]),
    ] {
        fs::write(&sums, wrong).unwrap();
        let output = install(folder.path());
        assert_eq!(output.status.code(), Some(1), "{}", both(&output));
        assert!(!folder.path().join("bin").exists());
    }
}

#[test]
fn the_installer_says_what_it_misses_and_installs_nothing() {
    if !has_curl() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    release(folder.path());
    fs::remove_file(folder.path().join("SHA256SUMS")).unwrap();
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("uname"), "#!/bin/sh\necho Plan9\n").unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    for (mut command, words) in [
        (installer(folder.path()), "cannot fetch"),
        (installer(folder.path()), "no archive for Plan9 on Plan9"),
        (installer(folder.path()), "belongs to no release"),
    ] {
        match words {
            "belongs to no release" => {
                command.env_remove("AMISS_RELEASES");
            }
            "cannot fetch" => {}
            _ => {
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
                fs::set_permissions(elsewhere.join("uname"), mode).unwrap();
                command.env("PATH", format!("{}:{path}", elsewhere.display()));
            }
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", both(&output));
        assert!(both(&output).contains(words), "{}", both(&output));
        assert!(!folder.path().join("bin").exists());
    }
}

#[test]
fn the_release_notes_are_the_part_of_the_changelog_that_belongs_to_a_version() {
    let notes = |version: &str| {
        Command::new("sh")
            .arg(top().join(".github/release-notes.sh"))
            .arg(version)
            .output()
            .unwrap()
    };
    let found = notes("Unreleased");
    assert!(found.status.success());
    let text = String::from_utf8(found.stdout).unwrap();
    assert!(text.contains("Ingress") && !text.contains("## "), "{text}");
    assert_eq!(notes("0.0.0").status.code(), Some(1));
}
