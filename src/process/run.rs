//! One program from start to end, with captured streams, a deadline and a killed tree.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use processkit::ProcessGroup;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;

use super::cancel::Cancel;
use super::capture::Captured;
use super::error::ProcessError;
use super::program::{Limits, Program, Reach};

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this status.
    Exited(i32),
    /// By this signal, which was not ours.
    Signalled(i32),
    /// Killed at its deadline.
    TimedOut,
    /// Killed because the caller said so.
    Cancelled,
}

/// An ended program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How.
    pub end: End,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// How long it ran.
    pub wall: Duration,
}

/// After the tree was killed, its streams end at once; a stream that a process outside the group
/// still holds is given up after this.
const DRAIN: Duration = Duration::from_millis(500);
/// How long a killed leader may take to be gone.
const REAP: Duration = Duration::from_secs(2);
/// How long "text file busy" is taken for a concurrent fork that has not reached its `exec` yet.
const BUSY: Duration = Duration::from_secs(2);

/// Runs a program with `input` on its standard input. What its limits reach is killed after every
/// end, a clean exit included.
///
/// # Errors
/// [`ProcessError::Spawn`] when it was not started, [`ProcessError::Undrained`] when it could not
/// be killed. A program that failed, was killed or was cancelled is a [`Finished`].
pub fn run(
    program: &Program,
    input: &[u8],
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Finished, ProcessError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| ProcessError::io("start a runtime", source))?;
    runtime.block_on(run_in(program, input, limits, cancel))
}

async fn run_in(
    program: &Program,
    input: &[u8],
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Finished, ProcessError> {
    heed_children();
    let group = match limits.reach {
        Reach::Tree => Some(ProcessGroup::new().map_err(|error| {
            ProcessError::io("make a process group", std::io::Error::other(error))
        })?),
        Reach::Itself => None,
    };
    let started = Instant::now();
    let mut child = spawn(program, group.as_ref()).await?;
    let mut stdin = child.stdin.take();
    let feed = async {
        if let Some(mut pipe) = stdin.take() {
            // A program that does not read its input is no fault of the input.
            let _ = pipe.write_all(input).await;
        }
        std::future::pending::<()>().await;
    };
    let half = limits.stderr_bytes.div_euclid(2);
    let mut stdout = Captured::new(limits.stdout_bytes, 0);
    let mut stderr = Captured::new(limits.stderr_bytes.saturating_sub(half), half);
    let end = {
        let out = pump(child.stdout.take(), &mut stdout);
        let error = pump(child.stderr.take(), &mut stderr);
        let streams = async { tokio::join!(out, error) };
        tokio::pin!(streams, feed);
        let mut open = true;
        let end = loop {
            tokio::select! {
                status = child.wait() => break ended(&status, program)?,
                () = cancel.cancelled() => break End::Cancelled,
                () = tokio::time::sleep(limits.deadline.saturating_sub(started.elapsed())) => {
                    break End::TimedOut;
                }
                _ = &mut streams, if open => open = false,
                () = &mut feed => {}
            }
        };
        kill(program, group.as_ref(), &mut child).await?;
        if open {
            let _ = tokio::time::timeout(DRAIN, &mut streams).await;
        }
        end
    };
    Ok(Finished {
        end,
        stdout,
        stderr,
        wall: started.elapsed(),
    })
}

/// A caller that ignores SIGCHLD hands that on, and then the kernel forgets how a child ended. A
/// handler takes its place.
pub(super) fn heed_children() {
    // Without one, the end of a child is told as unknown, which is an error and no success.
    let _ = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::child());
}

async fn spawn(program: &Program, group: Option<&ProcessGroup>) -> Result<Child, ProcessError> {
    let start = async || match group {
        Some(group) => group.spawn(command(program)).map_err(system_error),
        None => command(program).spawn(),
    };
    patiently(start)
        .await
        .map_err(|source| ProcessError::Spawn {
            program: program.name(),
            source,
        })
}

/// Starts a program. "Text file busy" is another thread's fork between our `close` of a program that
/// was just written and its own `exec`; it passes.
pub(super) async fn patiently<T>(
    mut start: impl AsyncFnMut() -> std::io::Result<T>,
) -> std::io::Result<T> {
    let started = Instant::now();
    loop {
        match start().await {
            Err(error)
                if error.kind() == std::io::ErrorKind::ExecutableFileBusy
                    && started.elapsed() < BUSY => {}
            end => return end,
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn command(program: &Program) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(&program.program);
    command
        .args(&program.arguments)
        .env_clear()
        .envs(
            program
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .kill_on_drop(true);
    if let Some(directory) = &program.directory {
        command.current_dir(directory);
    }
    command
}

/// The system's own reason inside a `ProcessKit` error, which callers match on.
pub(super) fn system_error(error: processkit::Error) -> std::io::Error {
    let mut next: Option<&dyn std::error::Error> = Some(&error);
    while let Some(source) = next {
        if let Some(number) = source
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::raw_os_error)
        {
            return std::io::Error::from_raw_os_error(number);
        }
        next = source.source();
    }
    std::io::Error::other(error)
}

fn ended(status: &std::io::Result<ExitStatus>, program: &Program) -> Result<End, ProcessError> {
    use std::os::unix::process::ExitStatusExt;
    let status = status.as_ref().map_err(|error| ProcessError::Undrained {
        program: program.name(),
        reason: error.to_string(),
    })?;
    Ok(match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, signal) => End::Signalled(signal.unwrap_or_default()),
    })
}

async fn kill(
    program: &Program,
    group: Option<&ProcessGroup>,
    child: &mut Child,
) -> Result<(), ProcessError> {
    let undrained = |reason: String| ProcessError::Undrained {
        program: program.name(),
        reason,
    };
    match group {
        Some(group) => group
            .kill_all()
            .map_err(|error| undrained(error.to_string()))?,
        // One that has ended cannot be killed, and need not be.
        None => child.start_kill().unwrap_or_default(),
    }
    match tokio::time::timeout(REAP, child.wait()).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(undrained(error.to_string())),
        Err(_) => Err(undrained("it outlives SIGKILL".into())),
    }
}

pub(super) async fn pump(stream: Option<impl AsyncRead + Unpin>, into: &mut Captured) {
    let Some(mut stream) = stream else { return };
    let mut chunk = vec![0_u8; 16 * 1024];
    loop {
        match stream.read(&mut chunk).await {
            // A stream that cannot be read has ended as far as anybody can tell.
            Ok(0) | Err(_) => return,
            Ok(count) => into.take(chunk.get(..count).unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests;
