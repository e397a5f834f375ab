//! One Git command, on one named repository, with nothing of the caller's Git setup in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::code::{Code, Coded};
use crate::process::{self, Cancel, Captured, End, Finished, Limits, ProcessError, Program, Reach};

/// How many bytes of standard output a command may print unless the caller says otherwise.
const STDOUT_BYTES: usize = 1024 * 1024;
/// How much of standard error is kept for messages.
const STDERR_BYTES: usize = 64 * 1024;

/// Which repository a command works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// This directory is a repository, a work tree's top or bare. No parent is looked at.
    Repository(PathBuf),
    /// The repository around this directory, as Git finds it.
    Around(PathBuf),
    /// None: commands like `version`.
    Nowhere,
}

/// A prepared Git: place, deadline, cancellation, and settings that come before the repository's.
///
/// Its environment is `PATH`, `LC_ALL=C` and the switches that keep system and user configuration,
/// replace refs, grafts, prompts, lazy fetches and background maintenance out. What a push needs
/// beside that (`HOME`, `SSH_AUTH_SOCK`) the caller adds with [`Git::pass_env`].
#[derive(Clone, Debug)]
pub struct Git {
    program: Program,
    limits: Limits,
    cancel: Cancel,
    warden: Option<PathBuf>,
}

/// Why a Git command has no result.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Git was not started, or could not be ended.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// It failed.
    #[error("git {command} failed with status {status}: {message}")]
    Failed {
        /// The subcommand.
        command: String,
        /// Its status.
        status: i32,
        /// What it printed on standard error, the last lines.
        message: String,
    },
    /// It was killed by somebody.
    #[error("git {command} was killed by signal {signal}")]
    Signalled {
        /// The subcommand.
        command: String,
        /// The signal.
        signal: i32,
    },
    /// It passed its deadline and was killed.
    #[error("git {command} passed its deadline ({millis} ms) and was killed")]
    TimedOut {
        /// The subcommand.
        command: String,
        /// The deadline in milliseconds.
        millis: u64,
    },
    /// The caller cancelled it.
    #[error("git {command} was interrupted")]
    Cancelled {
        /// The subcommand.
        command: String,
    },
    /// It printed more than it may.
    #[error("git {command} printed {bytes} bytes, more than the {limit} that are read")]
    TooLarge {
        /// The subcommand.
        command: String,
        /// How many.
        bytes: u64,
        /// The limit.
        limit: usize,
    },
    /// It printed something that is not what this version of the code understands.
    #[error("git {command} printed what cannot be understood: {reason}")]
    Unexpected {
        /// The subcommand.
        command: String,
        /// What was expected.
        reason: String,
    },
}

impl Coded for GitError {
    fn code(&self) -> Code {
        match self {
            GitError::Process(error) => error.code(),
            GitError::Cancelled { .. } => Code::Interrupted,
            GitError::TimedOut { .. } => Code::ProviderUnavailable,
            GitError::Failed { .. }
            | GitError::Signalled { .. }
            | GitError::TooLarge { .. }
            | GitError::Unexpected { .. } => Code::Io,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            GitError::Process(error) => error.hint(),
            _ => None,
        }
    }
}

impl Git {
    /// A Git for one place, whose every command ends within `deadline`.
    #[must_use]
    pub fn new(place: &Place, deadline: Duration, cancel: &Cancel) -> Git {
        let mut program = hermetic(Program::new("git"));
        match place {
            Place::Repository(directory) => {
                program = program.env("GIT_CEILING_DIRECTORIES", ceiling(directory));
                program = program.arg("-C").arg(directory);
            }
            Place::Around(directory) => program = program.arg("-C").arg(directory),
            Place::Nowhere => {}
        }
        Git {
            program,
            limits: Limits {
                stdout_bytes: STDOUT_BYTES,
                stderr_bytes: STDERR_BYTES,
                deadline,
                reach: Reach::Tree,
            },
            cancel: cancel.clone(),
            warden: None,
        }
    }

    /// A setting that wins over the repository's own (`git -c NAME=VALUE`).
    #[must_use]
    pub fn setting(mut self, name: &str, value: &str) -> Git {
        self.program = self.program.arg("-c").arg(format!("{name}={value}"));
        self
    }

    /// An option before the subcommand, for example `--git-dir=…`.
    #[must_use]
    pub fn option(mut self, option: impl AsRef<OsStr>) -> Git {
        self.program = self.program.arg(option);
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Git {
        self.program = self.program.env(name, value);
        self
    }

    /// Hands a variable of the caller's on, if the caller has it. Never a `GIT_*` one.
    #[must_use]
    pub fn pass_env(mut self, name: &str) -> Git {
        self.program = self.program.pass_env(name);
        self
    }

    /// How many bytes of standard output are kept.
    #[must_use]
    pub const fn stdout_bytes(mut self, bytes: usize) -> Git {
        self.limits.stdout_bytes = bytes;
        self
    }

    /// For commands that start nothing of their own: they need no group that holds a tree.
    #[must_use]
    pub const fn alone(mut self) -> Git {
        self.limits.reach = Reach::Itself;
        self
    }

    /// Another deadline for the commands of this copy.
    #[must_use]
    pub const fn deadline(mut self, deadline: Duration) -> Git {
        self.limits.deadline = deadline;
        self
    }

    /// Holds every command's process tree by a warden, so that it ends with this process even when
    /// that is killed. `binary` is the `amiss` that serves as the warden.
    #[must_use]
    pub fn guarded_by(mut self, binary: &Path) -> Git {
        self.warden = Some(binary.to_owned());
        self
    }

    /// Runs one command to its end, whatever that is. `arguments` starts with the subcommand.
    ///
    /// # Errors
    /// [`GitError::Process`] when Git was not started or could not be ended.
    pub fn finish<A: AsRef<OsStr>>(
        &self,
        arguments: &[A],
        input: &[u8],
    ) -> Result<Finished, GitError> {
        let program = self.program.clone().args(arguments);
        let (limits, cancel) = (&self.limits, &self.cancel);
        Ok(match &self.warden {
            Some(binary) => process::run_guarded(binary, &program, input, limits, cancel)?,
            None => process::run(&program, input, limits, cancel)?,
        })
    }

    /// Runs one command that must succeed and whose output must be whole.
    ///
    /// # Errors
    /// [`GitError`] for every other end.
    pub fn output<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Vec<u8>, GitError> {
        self.output_of(arguments, b"")
    }

    /// The same with an input.
    ///
    /// # Errors
    /// [`GitError`] for every other end.
    pub fn output_of<A: AsRef<OsStr>>(
        &self,
        arguments: &[A],
        input: &[u8],
    ) -> Result<Vec<u8>, GitError> {
        let command = subcommand(arguments);
        let finished = self.finish(arguments, input)?;
        match finished.end {
            End::Exited(0) if !finished.stdout.is_whole() => Err(GitError::TooLarge {
                command,
                bytes: finished.stdout.total(),
                limit: self.limits.stdout_bytes,
            }),
            End::Exited(0) => Ok(finished.stdout.bytes().to_vec()),
            _ => Err(self.failure(command, &finished)),
        }
    }

    /// The error of an end that is not success.
    #[must_use]
    pub fn failure(&self, command: String, finished: &Finished) -> GitError {
        match finished.end {
            End::Exited(status) => GitError::Failed {
                command,
                status,
                message: last_words(&finished.stderr),
            },
            End::Signalled(signal) => GitError::Signalled { command, signal },
            End::TimedOut => GitError::TimedOut {
                command,
                millis: u64::try_from(self.limits.deadline.as_millis()).unwrap_or(u64::MAX),
            },
            End::Cancelled => GitError::Cancelled { command },
        }
    }
}

/// Everything that keeps the caller's Git setup out.
fn hermetic(program: Program) -> Program {
    program
        .pass_env("PATH")
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_ATTR_NOSYSTEM", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_GRAFT_FILE", "/dev/null")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_PAGER", "cat")
        .env("GIT_FLUSH", "0")
        .args([
            "--no-pager",
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.useReplaceRefs=false",
            "-c",
            "core.commitGraph=false",
            "-c",
            "gc.auto=0",
            "-c",
            "maintenance.auto=false",
            "-c",
            "protocol.ext.allow=never",
            "-c",
            "safe.directory=*",
        ])
}

/// The parent of the real directory: discovery stops before it.
fn ceiling(directory: &Path) -> PathBuf {
    let real = directory
        .canonicalize()
        .unwrap_or_else(|_| directory.to_owned());
    real.parent().map_or(real.clone(), Path::to_owned)
}

fn subcommand<A: AsRef<OsStr>>(arguments: &[A]) -> String {
    arguments.first().map_or_else(String::new, |first| {
        first.as_ref().to_string_lossy().into_owned()
    })
}

/// The last lines of standard error in one line, at most 400 characters.
fn last_words(stderr: &Captured) -> String {
    let text = stderr.text();
    let line = text.trim().replace(['\n', '\r'], "; ");
    let surplus = line.chars().count().saturating_sub(400);
    let words: String = line.chars().skip(surplus).collect();
    if words.is_empty() {
        "it printed no reason".into()
    } else {
        words
    }
}

#[cfg(test)]
mod tests;
