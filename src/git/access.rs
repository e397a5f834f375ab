//! How Git reaches an origin: the user's credentials, nobody to ask, a deadline (page 5.2, points
//! 3, 7 and 14). Push, `ls-remote` and `fetch` all go through here, so that they see the same.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::command::{Git, GitError, Place};
use super::push::{FailureClass, classify_stderr};
use crate::process::{Cancel, End, Finished};

/// The transports that Git may use, whatever an address or an `insteadOf` says.
const PROTOCOLS: &str = "file:http:https:ssh";

/// What a credential helper or ssh needs of the caller's environment: where the user's files and
/// agents are. No `GIT_*` variable, and nothing that could make one of them ask on a screen.
const PASSED: [&str; 11] = [
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "SSH_AUTH_SOCK",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "GNUPGHOME",
];

/// The longest that a question (`ls-remote`) may take; a push or fetch takes its own deadline.
const QUESTION: Duration = Duration::from_secs(60);

/// The way to the origins of one pump.
#[derive(Clone, Debug)]
pub struct Access {
    config: PathBuf,
    warden: PathBuf,
    deadline: Duration,
    cancel: Cancel,
}

/// Why a call to an origin has no answer.
#[derive(Debug)]
pub enum Trouble {
    /// The caller stopped it; nothing is known and nothing is anybody's fault.
    Interrupted,
    /// It failed.
    Failed {
        /// How.
        class: FailureClass,
        /// What Git and the origin said, unredacted.
        words: String,
    },
}

impl Access {
    /// `config` is the private file that holds the user's settings, `warden` the `amiss` that holds
    /// what is started; a push takes at most `deadline` and ends at once when `cancel` says so, or
    /// when this process is killed.
    #[must_use]
    pub fn new(
        config: impl Into<PathBuf>,
        warden: impl Into<PathBuf>,
        deadline: Duration,
        cancel: &Cancel,
    ) -> Access {
        Access {
            config: config.into(),
            warden: warden.into(),
            deadline,
            cancel: cancel.clone(),
        }
    }

    /// A Git on `mirror` that can reach origins.
    pub(super) fn git(&self, mirror: &Path) -> Git {
        let mut git = Git::new(
            &Place::Repository(mirror.to_owned()),
            self.deadline,
            &self.cancel,
        )
        .guarded_by(&self.warden);
        for (name, value) in [
            ("core.fsync", "objects,derived-metadata,reference"),
            ("core.fsyncMethod", "fsync"),
            ("credential.interactive", "false"),
            ("advice.graftFileDeprecated", "false"),
            ("push.followTags", "false"),
            ("push.gpgSign", "false"),
            ("fetch.recurseSubmodules", "false"),
        ] {
            git = git.setting(name, value);
        }
        for name in PASSED {
            git = git.pass_env(name);
        }
        git.env("GIT_CONFIG_GLOBAL", &self.config)
            .env("GIT_ADVICE", "0")
            .env("GIT_ALLOW_PROTOCOL", PROTOCOLS)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "")
            .env("SSH_ASKPASS", "")
            .env("SSH_ASKPASS_REQUIRE", "never")
            .env("GCM_INTERACTIVE", "never")
            .env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
    }

    /// A Git on `mirror` for a question, which is answered soon or not at all.
    pub(super) fn asking(&self, mirror: &Path) -> Git {
        self.git(mirror).deadline(self.deadline.min(QUESTION))
    }

    /// Runs a call to an origin and tells an interruption and a passed deadline from an end that
    /// Git chose; the status is then the caller's to read.
    pub(super) fn call(git: &Git, arguments: &[OsString]) -> Result<(i32, Finished), Trouble> {
        let finished = git
            .finish(arguments, b"")
            .map_err(|error| Trouble::of(&error))?;
        match finished.end {
            End::Exited(status) => Ok((status, finished)),
            End::Cancelled => Err(Trouble::Interrupted),
            End::TimedOut => Err(Trouble::Failed {
                class: FailureClass::Timeout,
                words: format!(
                    "{}\nthe deadline passed after {} s; git was killed",
                    finished.stderr.text(),
                    finished.wall.as_secs()
                ),
            }),
            End::Signalled(signal) => Err(Trouble::Failed {
                class: FailureClass::Other,
                words: format!(
                    "{}\ngit was killed by signal {signal}",
                    finished.stderr.text()
                ),
            }),
        }
    }

    /// A call to an origin that must succeed; what it printed.
    pub(super) fn answer(git: &Git, arguments: &[OsString]) -> Result<Vec<u8>, Trouble> {
        let (status, finished) = Access::call(git, arguments)?;
        if status != 0 {
            return Err(Trouble::failed(&finished));
        }
        if !finished.stdout.is_whole() {
            return Err(Trouble::Failed {
                class: FailureClass::Other,
                words: "the origin's answer is too long".into(),
            });
        }
        Ok(finished.stdout.bytes().to_vec())
    }
}

impl Trouble {
    /// A call that ended with a status of failure.
    pub(super) fn failed(finished: &Finished) -> Trouble {
        Trouble::Failed {
            class: classify_stderr(&finished.stderr.shown()),
            words: finished.stderr.text(),
        }
    }

    pub(super) fn of(error: &GitError) -> Trouble {
        if matches!(error, GitError::Cancelled { .. }) {
            return Trouble::Interrupted;
        }
        Trouble::Failed {
            class: FailureClass::Other,
            words: error.to_string(),
        }
    }
}
