//! The two deliberate ways out of supervision: a process that outlives this one, and one that takes
//! this one's place.

use std::os::unix::process::CommandExt;

use super::error::ProcessError;
use super::program::Program;

/// What stands between: descriptors that were handed to us without our wish (the lock file of a
/// `flock`, a pipe of a CI job) must not be held for as long as the new process lives, and a service
/// manager that started us did not start it. The shell becomes the program, so the pid stays.
const SHED: &str = "unset NOTIFY_SOCKET WATCHDOG_USEC WATCHDOG_PID; \
    exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; exec \"$0\" \"$@\"";

/// Starts a program in a session of its own, with its standard streams on the null device, that
/// outlives this process; its pid. It gets this process's environment: it does this process's work.
///
/// # Errors
/// [`ProcessError::Spawn`].
pub fn start_detached(program: &Program) -> Result<u32, ProcessError> {
    let mut command = processkit::Command::new("/bin/sh")
        .arg("-c")
        .arg(SHED)
        .arg(&program.program)
        .args(&program.arguments)
        .envs(program.environment.iter().cloned());
    if let Some(directory) = &program.directory {
        command = command.current_dir(directory);
    }
    let child = command
        .spawn_detached()
        .map_err(|error| ProcessError::Spawn {
            program: program.name(),
            source: std::io::Error::other(error),
        })?;
    Ok(child.pid())
}

/// Whether a process of this number runs; the number may be another's by now.
#[must_use]
pub fn is_running(pid: u32) -> bool {
    processkit::process_info(pid).is_ok_and(|info| info.is_some())
}

/// Puts a program in the place of this process: same pid, same standard streams, same environment.
/// Locks and other open files are let go. Comes back only with an error.
#[must_use]
pub fn replace_with(program: &Program) -> ProcessError {
    let mut command = std::process::Command::new(&program.program);
    command.args(&program.arguments).envs(
        program
            .environment
            .iter()
            .map(|(name, value)| (name, value)),
    );
    ProcessError::Spawn {
        program: program.name(),
        source: command.exec(),
    }
}
