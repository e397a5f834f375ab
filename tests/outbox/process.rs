//! Long-running processes of a test: started, listened to, stopped by their own pid.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scene::Scene;

/// How long a condition may take to come about on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for a condition; the words say which when it never comes.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A running `amiss outbox watch`.
pub struct Watch {
    pub child: Child,
    events: Arc<Mutex<Vec<Value>>>,
}

impl Watch {
    pub fn start(scene: &Scene, more: &[&str]) -> Watch {
        Watch::start_program(scene, env!("CARGO_BIN_EXE_amiss"), more)
    }

    pub fn start_program(scene: &Scene, program: &str, more: &[&str]) -> Watch {
        let mut command = Command::new(program);
        command.args(["outbox", "watch"]).args(more);
        Watch::spawn(scene, command)
    }

    /// Starts any command that ends up as a watcher.
    pub fn spawn(scene: &Scene, mut command: Command) -> Watch {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &scene.home)
            .env("AMISS_HOST_ROOT", &scene.world.root)
            .envs(&scene.env)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let events = Arc::new(Mutex::new(Vec::new()));
        let (list, lines) = (events.clone(), child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in BufReader::new(lines).lines().map_while(Result::ok) {
                list.lock()
                    .unwrap()
                    .push(serde_json::from_str(&line).unwrap());
            }
        });
        Watch { child, events }
    }

    pub fn ready(scene: &Scene, more: &[&str]) -> Watch {
        let watch = Watch::start(scene, more);
        watch.wait_for("ready", 1);
        watch
    }

    pub fn events(&self, kind: &str) -> Vec<Value> {
        let events = self.events.lock().unwrap();
        events
            .iter()
            .filter(|event| event["event"] == kind)
            .cloned()
            .collect()
    }

    /// Waits until an event came so often.
    pub fn wait_for(&self, kind: &str, count: usize) {
        until(&format!("{count} {kind}"), || {
            self.events(kind).len() >= count
        });
    }

    pub fn terminate(&self) {
        signal(self.child.id(), rustix::process::Signal::TERM);
    }

    pub fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "it never ends");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let _ = rustix::process::kill_process(pid, signal);
}

/// The published identity of a scene's watcher, if there is a whole one.
pub fn identity(scene: &Scene) -> Option<Value> {
    let text = std::fs::read(scene.world.root.join("locks/outbox-worker.json")).ok()?;
    serde_json::from_slice(&text).ok()
}

pub fn identity_pid(scene: &Scene) -> Option<u32> {
    u32::try_from(identity(scene)?["identity"]["pid"].as_u64()?).ok()
}

/// Every process that watches this scene's root, by the arguments and environment of all.
pub fn watchers(scene: &Scene) -> Vec<u32> {
    let root = scene.world.root.to_str().unwrap().to_owned();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap() {
        let name = entry.unwrap().file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let arguments = String::from_utf8_lossy(&arguments).replace('\0', " ");
        if arguments.contains("outbox watch") && arguments.contains(&root) {
            found.push(pid);
        }
    }
    found
}

/// Ends the watchers that `wake` started, when the test is over.
pub struct Reaper<'s>(pub &'s Scene);

impl Drop for Reaper<'_> {
    fn drop(&mut self) {
        for pid in watchers(self.0) {
            signal(pid, rustix::process::Signal::KILL);
        }
        let deadline = Instant::now() + Duration::from_secs(10);
        while !watchers(self.0).is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
