//! A program whose whole life is measured: nothing between spawn and exit but the program.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::error::ProcessError;
use super::program::Program;

/// What fits into a pipe at once on every system, in bytes: that much is written without a thread
/// of its own.
const PIPE_BYTES: usize = 16 * 1024;

/// A measured life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed {
    /// From before the spawn until the exit was seen.
    pub wall: Duration,
    /// Its exit status; `None` after a signal.
    pub status: Option<i32>,
    /// Its standard output, all of it.
    pub stdout: Vec<u8>,
}

/// Runs a trusted program, one of our own, on `input` and measures it. Unlike [`super::run`] it has
/// no group, no deadline and no bound: those would be measured too.
///
/// # Errors
/// [`ProcessError::Spawn`] when it was not started, or the system's.
pub fn timed(program: &Program, input: &[u8]) -> Result<Timed, ProcessError> {
    let mut command = Command::new(&program.program);
    command
        .args(&program.arguments)
        .env_clear()
        .envs(
            program
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(directory) = &program.directory {
        command.current_dir(directory);
    }
    let started = Instant::now();
    let mut child = command.spawn().map_err(|source| ProcessError::Spawn {
        program: program.name(),
        source,
    })?;
    let stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        let feed = move || {
            if let Some(mut pipe) = stdin {
                // A program that does not read its input is no fault of the input.
                let _ = pipe.write_all(input);
            }
        };
        if input.len() <= PIPE_BYTES {
            feed();
        } else {
            scope.spawn(feed);
        }
        child.wait_with_output()
    })
    .map_err(|source| ProcessError::io("read the output of a program", source))?;
    Ok(Timed {
        wall: started.elapsed(),
        status: output.status.code(),
        stdout: output.stdout,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_larger_than_a_pipe_comes_back_whole() {
        let input = vec![b'x'; 1024 * 1024];
        let timed = timed(&Program::new("/bin/cat"), &input).unwrap();
        assert_eq!(timed.status, Some(0));
        assert_eq!(timed.stdout, input);
        assert!(timed.wall > Duration::ZERO);
    }
}
