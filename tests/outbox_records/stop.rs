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

    /// What it does to the disk under `place`, in order: the names it gives and takes, its syncs,
    /// each Git that it starts, and its answer. Temporary folders are left aside.
    pub fn steps(&self, place: &Path) -> Vec<String> {
        let changes = "mkdirat,fsync,renameat,renameat2,unlinkat,clone,clone3,vfork,write";
        let calls = self.list(place, changes, |line| !line.contains(" = -1 "));
        let mut steps: Vec<String> = Vec::new();
        for call in calls {
            let step = step(&call, place);
            // Git asks one thing after the other, and an answer may be written in parts.
            steps.extend(step.filter(|step| steps.last() != Some(step) || step.contains(' ')));
        }
        steps
    }

    /// The same of all its threads together, but only in the records under `place`: what Git does in
    /// a mirror and in the origin is Git's.
    pub fn steps_of_threads(&self, place: &Path) -> Vec<String> {
        let log = place.join("threads.log");
        let changes = "trace=fsync,renameat,renameat2,unlinkat";
        let options = [
            "-f",
            "-y",
            "-s",
            "0",
            "-e",
            "signal=none",
            "-e",
            changes,
            "-o",
        ];
        let mut options: Vec<String> = options.iter().map(ToString::to_string).collect();
        options.push(log.display().to_string());
        let output = self.strace(&options);
        assert!(output.status.success(), "{output:?}");
        let records =
            ["host/locks", "host/tasks"].map(|name| place.join(name).display().to_string());
        let text = std::fs::read_to_string(&log).unwrap();
        text.lines()
            .filter_map(|line| Some(line.split_once(' ')?.1.trim_start()))
            .filter(|line| records.iter().any(|path| line.contains(path)))
            .filter(|line| !line.contains(" = -1 ") && !line.starts_with("<... "))
            .filter_map(|line| {
                let name = line.split_once('(')?.0.to_owned();
                let line = line.to_owned();
                step(
                    &Call {
                        name,
                        number: 0,
                        line,
                    },
                    place,
                )
            })
            .collect()
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
            let answers = line.starts_with("write(1<") && set.ends_with("write");
            let here = line.contains(place.to_str().unwrap()) && wanted(line);
            if starts || answers || here {
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

/// One call as a step, by paths from `place`.
fn step(call: &Call, place: &Path) -> Option<String> {
    // The last descriptor is the directory that a name is given in.
    let folders: Vec<&str> = call
        .line
        .split('<')
        .skip(1)
        .filter_map(|rest| rest.split('>').next())
        .filter(|folder| !folder.starts_with("unfinished"))
        .collect();
    let names: Vec<&str> = call.line.split('"').skip(1).step_by(2).collect();
    let folder = Path::new(*folders.last().unwrap_or(&""));
    let path = match names.last() {
        Some(name) => folder.join(name),
        None => folder.to_owned(),
    };
    let shown = path.strip_prefix(place).unwrap_or(&path).display();
    let temporary = names
        .last()
        .is_some_and(|name| name.starts_with(".atomicwrite"));
    match call.name.as_str() {
        "fsync" => Some(format!("sync {shown}")),
        "mkdirat" if !temporary => Some(format!("make {shown}")),
        "renameat" | "renameat2" => Some(format!("name {shown}")),
        "unlinkat" if !temporary => Some(format!("remove {shown}")),
        "write" if call.line.starts_with("write(1<") => Some("answer".into()),
        // A thread shares its parent's memory for good; a Git only until it is started.
        "clone" | "clone3" | "vfork" if !call.line.contains("CLONE_THREAD") => Some("git".into()),
        _ => None,
    }
}

/// Whether this crate's killing tests can run here at all.
pub fn is_there() -> bool {
    crate::common::figures::has("strace", &["-V"])
}
