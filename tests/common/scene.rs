//! A scene to try things in: what `sh docs/quick-start.sh prepare` leaves, in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A root, a route, a plan, a repository with a candidate, a signed request.
pub struct Scene {
    folder: TempDir,
}

/// The top of the repository.
pub fn top() -> PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

impl Scene {
    /// Prepares one.
    pub fn prepare() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let scene = Scene { folder };
        std::fs::create_dir(scene.folder.path().join("bin")).unwrap();
        std::os::unix::fs::symlink(
            env!("CARGO_BIN_EXE_amiss"),
            scene.folder.path().join("bin/amiss"),
        )
        .unwrap();
        let output = Command::new("sh")
            .arg(top().join("docs/quick-start.sh"))
            .arg("prepare")
            .env("AMISS", env!("CARGO_BIN_EXE_amiss"))
            .env("QUICK_START_DIR", scene.path())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "the quick start cannot prepare:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        scene
    }

    /// Where everything is.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Runs shell text in it, with `amiss` in the `PATH` and nothing of the caller's environment.
    pub fn sh(&self, text: &str) -> Output {
        self.sh_in(&self.path(), text)
    }

    /// The same in another folder.
    pub fn sh_in(&self, folder: &Path, text: &str) -> Output {
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new("sh")
            .args(["-eu", "-c", text])
            .current_dir(folder)
            .env_clear()
            .env(
                "PATH",
                format!("{}:{path}", self.folder.path().join("bin").display()),
            )
            .env("HOME", self.path().join("home"))
            .env("AMISS", env!("CARGO_BIN_EXE_amiss"))
            .env("EVENT", "request.json")
            .env("FIXTURES", top().join("fixtures"))
            .env("QUICK_START_DIR", self.folder.path().join("again"))
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
    }

    /// The same, which must end with 0; what it printed.
    pub fn ok(&self, text: &str) -> String {
        let output = self.sh(text);
        assert!(output.status.success(), "{text}\n{}", both(&output));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Both streams, for a message.
pub fn both(output: &Output) -> String {
    format!(
        "status {:?}\n{}{}",
        output.status.code(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
