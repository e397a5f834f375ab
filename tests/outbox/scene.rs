//! A host root with one mirror, an origin, and what a pump needs to reach it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};

use crate::world::{World, git_line, init, turn};

/// Runs Git where it must succeed.
pub fn git(place: &Path, arguments: &[&str]) -> String {
    git_line(place, arguments)
}

pub struct Scene {
    pub world: World,
    pub mirror: PathBuf,
    /// A bare repository beside the host root.
    pub origin: PathBuf,
    /// The user's home, for configuration.
    pub home: PathBuf,
    pub env: BTreeMap<String, String>,
}

impl Scene {
    pub fn new() -> Scene {
        Scene::of("sha1", "files")
    }

    /// Mirror and origin of this object format, the mirror with this ref storage.
    pub fn of(objects: &str, refs: &str) -> Scene {
        let world = World::new();
        let mirror = world.mirror_as("p", objects, refs);
        let origin = world.beside("origins").join("repo.git");
        init(&origin, objects, "files");
        git(&origin, &["config", "http.receivepack", "true"]);
        let home = world.beside("home");
        std::fs::create_dir(&home).unwrap();
        Scene {
            mirror,
            origin,
            home,
            env: BTreeMap::new(),
            world,
        }
    }

    /// The address of the origin as a file.
    pub fn url(&self) -> String {
        format!("file://{}", self.origin.display())
    }

    /// The directory that servers serve.
    pub fn served(&self) -> &Path {
        self.origin.parent().unwrap()
    }

    /// A new commit in the mirror on top of `parent`.
    pub fn commit(&self, message: &str, parent: Option<&str>) -> String {
        commit_in(&self.mirror, message, parent)
    }

    pub fn enqueue_to(&self, url: &str, branch: &str, number: u64, oid: &str) {
        let push = json!({"project": "p", "task": "t", "turn": turn(number), "origin": url,
                          "branch": branch, "oid": oid});
        let output = self.world.enqueue(&push);
        assert!(output.status.success(), "{output:?}");
    }

    pub fn enqueue(&self, branch: &str, number: u64, oid: &str) {
        self.enqueue_to(&self.url(), branch, number, oid);
    }

    /// `amiss outbox …` on this root with the user's home, not yet run.
    pub fn command(&self, arguments: &[&str]) -> assert_cmd::Command {
        let mut all = vec!["outbox"];
        all.extend(arguments);
        let mut command = crate::common::amiss(&all);
        command
            .env("HOME", &self.home)
            .env("AMISS_HOST_ROOT", &self.world.root);
        for (name, value) in &self.env {
            command.env(name, value);
        }
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// One cycle that must have run; its answer.
    pub fn once(&self) -> Value {
        self.once_with(&[])
    }

    pub fn once_with(&self, more: &[&str]) -> Value {
        let mut arguments = vec!["once"];
        arguments.extend(more);
        let output = self.run(&arguments);
        assert!(output.status.success(), "{output:?}");
        crate::common::answer(&output)
    }

    /// The intent of a turn as it stands.
    pub fn intent(&self, number: u64) -> Value {
        let path = self.world.intent_path("p", "t", &turn(number));
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    /// Changes a member of an intent and of its due entry, as time would.
    pub fn make_due(&self, number: u64) {
        let path = self.world.intent_path("p", "t", &turn(number));
        let due = self.world.due_path("t", &turn(number));
        let next = self.intent(number)["next_attempt_at_millis"].to_string();
        for path in [path, due] {
            // A delivery that ended has no due entry.
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            let member = "\"next_attempt_at_millis\":";
            let text = text.replace(&format!("{member}{next}"), &format!("{member}1"));
            std::fs::write(&path, text).unwrap();
        }
    }

    pub fn state(&self, number: u64) -> String {
        self.intent(number)["state"].as_str().unwrap().to_owned()
    }

    pub fn last_error(&self, number: u64) -> String {
        self.intent(number)["last_error"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// What the origin's branch names, or an empty text.
    pub fn tip(&self, branch: &str) -> String {
        tip_of(&self.origin, branch)
    }

    /// The redacted words beside an intent.
    pub fn note(&self, number: u64) -> String {
        let path = self.world.intent_path("p", "t", &turn(number));
        std::fs::read_to_string(path.with_extension("stderr")).unwrap_or_default()
    }

    pub fn ledgers(&self) -> Vec<Value> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(self.world.root.join("locks")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.starts_with("outbox-target-") && !name.contains(".lock") {
                found.push(serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap());
            }
        }
        found
    }

    /// A hook of the origin.
    pub fn hook(&self, name: &str, script: &str) {
        let path = self.origin.join("hooks").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    pub fn no_hook(&self, name: &str) {
        std::fs::remove_file(self.origin.join("hooks").join(name)).unwrap();
    }

    /// Lets every call of Git write a line into the file that is given back: its languages and its
    /// words. The file is there once Git was called.
    pub fn log_git(&mut self) -> PathBuf {
        let (log, folder) = (self.world.beside("git-calls"), self.world.beside("git-bin"));
        std::fs::create_dir(&folder).unwrap();
        let found = std::env::var("PATH").unwrap();
        let real = found
            .split(':')
            .map(|folder| Path::new(folder).join("git"))
            .find(|path| path.is_file())
            .unwrap();
        let script = format!(
            "#!/bin/sh\necho \"$LC_ALL|$LANGUAGE|$*\" >> '{}'\nexec '{}' \"$@\"\n",
            log.display(),
            real.display()
        );
        std::fs::write(folder.join("git"), script).unwrap();
        std::fs::set_permissions(folder.join("git"), PermissionsExt::from_mode(0o755)).unwrap();
        self.env
            .insert("PATH".into(), format!("{}:{found}", folder.display()));
        log
    }

    /// Puts shell words before every call of Git, which see its arguments in `$*`.
    pub fn git_after(&mut self, words: &str) {
        let folder = self.world.beside("git-before");
        std::fs::create_dir(&folder).unwrap();
        let found = std::env::var("PATH").unwrap();
        let script = format!("#!/bin/sh\nPATH='{found}'\n{words}\nexec git \"$@\"\n");
        std::fs::write(folder.join("git"), script).unwrap();
        std::fs::set_permissions(folder.join("git"), PermissionsExt::from_mode(0o755)).unwrap();
        self.env
            .insert("PATH".into(), format!("{}:{found}", folder.display()));
    }

    /// The user's `~/.gitconfig`.
    pub fn gitconfig(&self, text: &str) {
        std::fs::write(self.home.join(".gitconfig"), text).unwrap();
    }
}

/// What a branch of a repository names, or an empty text.
pub fn tip_of(repository: &Path, branch: &str) -> String {
    let name = format!("refs/heads/{branch}");
    let output = crate::world::git(repository, &["rev-parse", "--verify", "--quiet", &name]);
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A commit of an empty tree in a bare repository.
pub fn commit_in(repository: &Path, message: &str, parent: Option<&str>) -> String {
    let tree = git(repository, &["mktree"]);
    let mut arguments = vec!["commit-tree", "-m", message, tree.as_str()];
    if let Some(parent) = parent {
        arguments.extend(["-p", parent]);
    }
    git(repository, &arguments)
}
