//! The real binary, stopped or failed at one of its own system calls. Git's processes are not
//! touched: what amiss sees of them begins with a fork and ends with a wait.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The calls that change a disk, take a lock, start a process or say something.
const SET: &str = "openat,mkdirat,write,fsync,renameat,unlinkat,flock,clone,clone3,vfork";

/// One system call of a run.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: String,
    /// Which one of its name, from 1.
    pub number: usize,
    pub line: String,
}

/// One run of the binary.
pub struct Run {
    pub arguments: Vec<String>,
    pub input: String,
}

impl Run {
    fn start(&self, mut command: Command) -> Output {
        let mut child = command
            .args(&self.arguments)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A process that was killed at once reads nothing.
        let _ = child.stdin.take().unwrap().write_all(self.input.as_bytes());
        child.wait_with_output().unwrap()
    }

    fn strace(&self, options: &[String]) -> Output {
        let mut strace = Command::new("strace");
        strace
            .env_clear()
            .args(options)
            .arg(env!("CARGO_BIN_EXE_amiss"));
        self.start(strace)
    }

    /// Runs undisturbed.
    pub fn plain(&self) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_amiss"));
        command.env_clear();
        self.start(command)
    }

    /// Runs undisturbed and lists the calls: those that change something under `place`, and those
    /// that start a process.
    pub fn calls(&self, place: &Path) -> Vec<Call> {
        let changes = |line: &str| !line.starts_with("openat") || line.contains("O_CREAT");
        self.list(place, SET, changes)
    }

    /// Runs undisturbed and lists the calls that open, list or read something under `place`.
    pub fn reads(&self, place: &Path) -> Vec<Call> {
        self.list(place, "openat,getdents64,read,fstat,newfstatat", |_| true)
    }

    fn list(&self, place: &Path, set: &str, wanted: impl Fn(&str) -> bool) -> Vec<Call> {
        let log: PathBuf = place.join("strace.log");
        let options = [
            "-y",
            "-s",
            "0",
            "-e",
            "signal=none",
            "-e",
            &format!("trace={set}"),
            "-o",
        ];
        let mut options: Vec<String> = options.iter().map(ToString::to_string).collect();
        options.push(log.display().to_string());
        let output = self.strace(&options);
        assert!(output.status.success(), "{output:?}");
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut calls = Vec::new();
        for line in std::fs::read_to_string(&log).unwrap().lines() {
            let Some((name, _)) = line.split_once('(') else {
                continue;
            };
            let number = numbers.entry(name.to_owned()).or_default();
            *number += 1;
            let starts = matches!(name, "clone" | "clone3" | "vfork");
            let here = line.contains(place.to_str().unwrap()) && wanted(line);
            if starts || here {
                calls.push(Call {
                    name: name.to_owned(),
                    number: *number,
                    line: line.to_owned(),
                });
            }
        }
        calls
    }

    /// Runs until this call, at whose entry the process is killed.
    pub fn killed_at(&self, call: &Call) -> Output {
        self.injected(call, "signal=KILL")
    }

    /// Runs with this call failing with an error, not made.
    pub fn failing_at(&self, call: &Call, errno: &str) -> Output {
        self.injected(call, &format!("error={errno}"))
    }

    fn injected(&self, call: &Call, what: &str) -> Output {
        let options = [
            "-qq".to_owned(),
            "-e".to_owned(),
            format!("trace={}", call.name),
            "-e".to_owned(),
            format!("inject={}:{what}:when={}", call.name, call.number),
            "-o".to_owned(),
            "/dev/null".to_owned(),
        ];
        self.strace(&options)
    }
}

/// Whether this crate's killing tests can run here at all.
pub fn is_there() -> bool {
    crate::common::figures::has("strace", &["-V"])
}
