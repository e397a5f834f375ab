//! Puts the commit into `amiss --version`.
//!
//! Three places can know it: Git, where this directory is the top of a checkout; `.commit`, which
//! `git archive` fills in; nobody, and then the version stands alone. Cargo runs this again only
//! when the checkout moves to another commit.
#![allow(
    clippy::print_stdout,
    reason = "this is how a build script speaks to Cargo"
)]

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=.commit");
    let version = env!("CARGO_PKG_VERSION");
    let commit = archived().or_else(checked_out);
    let text = match commit {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo:rustc-env=AMISS_VERSION={text}");
}

/// The commit that `git archive` wrote; in a checkout the placeholder stands there still.
fn archived() -> Option<String> {
    let text = std::fs::read_to_string(".commit").ok()?;
    let commit = text.trim();
    commit
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| commit.chars().take(12).collect::<String>())
        .filter(|commit| !commit.is_empty())
}

/// The commit of this checkout. A tarball unpacked inside somebody else's repository has none.
fn checked_out() -> Option<String> {
    if !Path::new(".git").exists() {
        return None;
    }
    // What moves when the checkout moves. A path that is not there would make every build run
    // this again.
    for name in ["logs/HEAD", "HEAD"] {
        let path = git(&["rev-parse", "--git-path", name])?;
        if Path::new(&path).exists() {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}
