//! A command that answers one envelope after the other, and that is killed now and then.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// Numbers that are the same for the same seed.
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// From 0 up to and without `sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// One running `amiss ledger …`.
struct Running {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// A place where a command runs; a new process takes over from a killed one.
pub struct Station {
    arguments: Vec<String>,
    running: Option<Running>,
    /// How many processes were killed here.
    pub killed: usize,
}

impl Station {
    /// `amiss ledger COMMAND …` on a root.
    pub fn new(root: &Path, command: &[&str]) -> Station {
        let mut arguments: Vec<String> = vec!["ledger".into()];
        arguments.extend(command.iter().map(|word| (*word).to_owned()));
        arguments.extend(["--root".into(), root.to_str().unwrap().to_owned()]);
        Station {
            arguments,
            running: None,
            killed: 0,
        }
    }

    fn running(&mut self) -> &mut Running {
        self.running.get_or_insert_with(|| {
            let mut child = Command::new(env!("CARGO_BIN_EXE_amiss"))
                .args(&self.arguments)
                .env_clear()
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            Running {
                input: child.stdin.take().unwrap(),
                output: BufReader::new(child.stdout.take().unwrap()),
                child,
            }
        })
    }

    /// The answer to an envelope; `None` when the process was killed before it gave one. With
    /// `kill` it is killed that long after the envelope was sent.
    pub fn ask(&mut self, envelope: &Value, kill: Option<Duration>) -> Option<Value> {
        let running = self.running();
        running
            .input
            .write_all(format!("{envelope}\n").as_bytes())
            .unwrap();
        running.input.flush().unwrap();
        if let Some(after) = kill {
            std::thread::sleep(after);
            running.child.kill().unwrap();
            running.child.wait().unwrap();
        }
        let mut line = String::new();
        let read = running.output.read_line(&mut line);
        let answer = match read {
            Ok(count) if count > 0 && line.ends_with('\n') => serde_json::from_str(&line).ok(),
            _ => None,
        };
        assert!(
            answer.is_some() || kill.is_some(),
            "{:?} ended by itself: {line:?}",
            self.arguments
        );
        if kill.is_some() {
            self.killed += 1;
            self.running = None;
        }
        answer
    }
}

impl Drop for Station {
    fn drop(&mut self) {
        if let Some(Running {
            mut child, input, ..
        }) = self.running.take()
        {
            drop(input);
            child.wait().unwrap();
        }
    }
}
