//! A program whose tree ends with this process, however this process ends: SIGKILL leaves nobody
//! who could kill it, so a warden stands between the two.

use std::io;
use std::path::Path;
use std::time::Instant;

use super::cancel::Cancel;
use super::error::ProcessError;
use super::program::{Limits, Program};
use super::run::{End, Finished};
use super::warden::{
    Caps, Cause, Containment, Ended, Input, Job, Leader, NotStarted, Stream, Supervision, Tree,
};

/// Runs a program like [`super::run`], under a warden; `binary` is the `amiss` that serves as one.
///
/// # Errors
/// As [`super::run`].
pub fn run_guarded(
    binary: &Path,
    program: &Program,
    input: &[u8],
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Finished, ProcessError> {
    let started = Instant::now();
    let half = limits.stderr_bytes.div_euclid(2);
    let job = Job {
        program,
        input: if input.is_empty() {
            Input::Null
        } else {
            Input::Bytes(input)
        },
        stdout: Stream::Keep {
            head: limits.stdout_bytes,
            tail: 0,
        },
        stderr: Stream::Keep {
            head: limits.stderr_bytes.saturating_sub(half),
            tail: half,
        },
        wall: limits.deadline,
        window: None,
        caps: &Caps::default(),
        held: None,
    };
    let supervision = Supervision {
        binary,
        cgroup: false,
        adoption: None,
    };
    let tree = Tree::start(&job, &supervision).map_err(|error| match error {
        NotStarted::Process(error) => error,
        NotStarted::Refused(reason) => ProcessError::Spawn {
            program: program.name(),
            source: io::Error::other(reason),
        },
    })?;
    let ended = tree.wait(cancel)?;
    Ok(Finished {
        end: end(program, &ended)?,
        stdout: ended.stdout,
        stderr: ended.stderr,
        wall: started.elapsed(),
    })
}

fn end(program: &Program, ended: &Ended) -> Result<End, ProcessError> {
    let undrained = |reason: &str| ProcessError::Undrained {
        program: program.name(),
        reason: reason.into(),
    };
    // A system without a subreaper cannot prove it of anybody.
    if !ended.empty && ended.containment != Containment::ProcessGroup {
        return Err(undrained("it outlives SIGKILL"));
    }
    match (ended.cause, ended.leader) {
        (Cause::Exit, Leader::Exited(status)) => Ok(End::Exited(status)),
        (Cause::Exit, Leader::Signalled(signal)) => Ok(End::Signalled(signal)),
        (Cause::Exit, Leader::Unknown) => Err(undrained("its status could not be had")),
        (Cause::WallLimit | Cause::Window, _) => Ok(End::TimedOut),
        (Cause::Told | Cause::OwnerGone, _) => Ok(End::Cancelled),
    }
}
