//! What is run, and within which bounds.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// A program with its arguments, directory and whole environment: nothing of the caller's
/// environment reaches it but what is named here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// A path, or a name that is looked up on the `PATH` of `environment`.
    pub program: OsString,
    /// Its arguments, without its own name.
    pub arguments: Vec<OsString>,
    /// Where it starts; `None` is the caller's directory.
    pub directory: Option<PathBuf>,
    /// All of its variables.
    pub environment: Vec<(OsString, OsString)>,
}

impl Program {
    /// A program without arguments and variables.
    #[must_use]
    pub fn new(program: impl Into<OsString>) -> Program {
        Program {
            program: program.into(),
            arguments: Vec::new(),
            directory: None,
            environment: Vec::new(),
        }
    }

    /// One more argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Program {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// More arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Program {
        self.arguments.extend(
            arguments
                .into_iter()
                .map(|argument| argument.as_ref().to_owned()),
        );
        self
    }

    /// Sets a variable, in the place of an earlier one of that name.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Program {
        let name = name.as_ref();
        self.environment.retain(|(other, _)| other != name);
        self.environment
            .push((name.to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Hands a variable of the caller's on, if the caller has it.
    #[must_use]
    pub fn pass_env(self, name: &str) -> Program {
        match std::env::var_os(name) {
            Some(value) => self.env(name, value),
            None => self,
        }
    }

    /// Where it starts.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Program {
        self.directory = Some(directory.into());
        self
    }

    /// Its name for messages: without arguments, which may hold what nobody should read.
    #[must_use]
    pub fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }
}

/// The bounds of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many bytes of standard output are kept; the rest is read and counted, never kept.
    pub stdout_bytes: usize,
    /// The same for standard error, whose last bytes are kept too.
    pub stderr_bytes: usize,
    /// When it is killed.
    pub deadline: Duration,
    /// What is killed with it.
    pub reach: Reach,
}

/// What is killed at a deadline, and after every end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The program and all that it started: `ProcessKit`'s group holds it.
    Tree,
    /// The program, which starts nothing. Nothing has to be made for it beforehand, and nothing can
    /// be left of that.
    Itself,
}
