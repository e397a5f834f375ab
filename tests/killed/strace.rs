//! System calls of the real binary: listed, and tampered with one at a time.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The calls that change a disk or lock a file, and the opening ones.
const SET: &str = "openat,mkdirat,write,pwrite64,ftruncate,fsync,fdatasync,renameat,renameat2,\
                   linkat,symlinkat,unlinkat,fchmod,fchmodat,flock,mkdir,rmdir,rename,unlink";

/// One system call of a run.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// Which one of its name in its thread, from 1.
    pub number: usize,
    /// Whether it is of the main thread: what falls to another thread may differ from run to run.
    pub main: bool,
    /// How `strace` shows it.
    pub line: String,
}

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tamper {
    /// The process is killed before it is made.
    Kill,
    /// It fails with this error, and is not made.
    Fail(&'static str),
}

/// One run of the binary.
#[derive(Clone, Debug)]
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

    /// Runs undisturbed.
    pub fn plain(&self) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_amiss"));
        command.env_clear();
        self.start(command)
    }

    /// Runs with the writer of `short.c` in front of the system's.
    pub fn with_short_writes(&self, settings: &[(&str, String)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_amiss"));
        command.env_clear();
        command.env("LD_PRELOAD", shim());
        command.envs(settings.iter().map(|(name, value)| (*name, value)));
        self.start(command)
    }

    /// Runs undisturbed and lists the calls that name something under `place`.
    pub fn calls(&self, place: &Path, log: &Path) -> (Output, Vec<Call>) {
        let mut strace = Command::new("strace");
        strace
            .env_clear()
            .args(["-f", "-y", "-s", "0", "-e", "signal=none", "-e"])
            .arg(format!("trace={SET}"))
            .arg("-o")
            .arg(log)
            .arg(env!("CARGO_BIN_EXE_amiss"));
        let output = self.start(strace);
        let place = place.to_str().unwrap();
        let mut numbers: BTreeMap<(String, String), usize> = BTreeMap::new();
        let text = std::fs::read_to_string(log).unwrap();
        let thread = |line: &str| {
            line.split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        let main = thread(&text);
        let mut calls = Vec::new();
        for line in text.lines() {
            let Some((head, _)) = line.split_once('(') else {
                continue;
            };
            let name = head
                .split_whitespace()
                .last()
                .unwrap_or_default()
                .to_owned();
            if !SET.split(',').any(|known| known.trim() == name) {
                continue;
            }
            let of = thread(line);
            let number = numbers.entry((of.clone(), name.clone())).or_default();
            *number += 1;
            if line.contains(place) {
                calls.push(Call {
                    name,
                    number: *number,
                    main: of == main,
                    line: line.to_owned(),
                });
            }
        }
        (output, calls)
    }

    /// Runs with one call tampered with.
    pub fn tampered(&self, call: &Call, tamper: Tamper) -> Output {
        let what = match tamper {
            Tamper::Kill => "signal=KILL".to_owned(),
            Tamper::Fail(errno) => format!("error={errno}"),
        };
        let mut strace = Command::new("strace");
        strace
            .env_clear()
            .args(["-f", "-qq", "-e"])
            .arg(format!("trace={}", call.name))
            .arg("-e")
            .arg(format!("inject={}:{what}:when={}", call.name, call.number))
            .args(["-o", "/dev/null"])
            .arg(env!("CARGO_BIN_EXE_amiss"));
        self.start(strace)
    }
}

/// The library that makes writes short, built once.
fn shim() -> &'static Path {
    static BUILT: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();
    BUILT.get_or_init(|| {
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("short.so");
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(&library)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/killed/short.c"))
            .status()
            .unwrap();
        assert!(status.success());
        library
    })
}

/// Whether the tests of this crate can run here at all.
pub fn is_there() -> bool {
    crate::figures::has("strace", &["-V"])
}
