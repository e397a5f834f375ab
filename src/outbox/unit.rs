//! The files that let the system's service manager keep a watcher: a `LaunchAgent` plist, or a
//! systemd user unit. Both run `amiss outbox watch --wait`, so that a watcher which finds the lock
//! held waits for it instead of being started in a loop (page 5.2, point 12).

use std::path::Path;

use super::error::OutboxError;
use crate::code::{Code, Coded};
use crate::durable::{Dir, DiskError};

/// The `LaunchAgent`'s label and file name.
const LABEL: &str = "com.mac-worker.outbox";
/// The systemd unit's file name.
const UNIT: &str = "amiss-outbox.service";

/// Which service manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// macOS.
    LaunchAgent,
    /// Linux, a user unit.
    Systemd,
}

/// Why a file could not be formed.
#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    /// A path or `PATH` cannot be written into such a file.
    #[error("{what} is not UTF-8 or holds control characters, which no service file can hold")]
    Text {
        /// Which text.
        what: &'static str,
    },
    /// A `PATH` part that is not absolute would mean another place for the service.
    #[error("PATH has a part that is not absolute, {0:?}; a service runs elsewhere")]
    RelativePath(String),
}

impl Coded for UnitError {
    fn code(&self) -> Code {
        Code::ConfigInvalid
    }
    fn hint(&self) -> Option<String> {
        match self {
            UnitError::Text { .. } => None,
            UnitError::RelativePath(_) => Some("call it with a PATH of absolute folders".into()),
        }
    }
}

/// What the service runs.
struct Service {
    binary: String,
    host_root: String,
    path: String,
}

impl Agent {
    /// The file's name.
    #[must_use]
    pub const fn file_name(self) -> &'static str {
        match self {
            Agent::LaunchAgent => "com.mac-worker.outbox.plist",
            Agent::Systemd => UNIT,
        }
    }

    /// The file's text: the program, the host root, and the `PATH` under which Git and ssh are
    /// found.
    ///
    /// # Errors
    /// [`UnitError`].
    pub fn text(
        self,
        binary: &Path,
        host_root: &Path,
        search: &std::ffi::OsStr,
    ) -> Result<String, UnitError> {
        let service = Service {
            binary: plain(binary.as_os_str(), "the program's path")?,
            host_root: plain(host_root.as_os_str(), "the host root")?,
            path: plain(search, "PATH")?,
        };
        if let Some(part) = service.path.split(':').find(|part| !part.starts_with('/')) {
            return Err(UnitError::RelativePath(part.to_owned()));
        }
        Ok(match self {
            Agent::LaunchAgent => service.plist(),
            Agent::Systemd => service.unit(),
        })
    }

    /// Writes the file into `folder` and nowhere else.
    ///
    /// # Errors
    /// `NOT_FOUND`, `INPUT_MALFORMED` for something that is no folder, or the system's.
    pub fn write(self, folder: &Path, text: &str) -> Result<std::path::PathBuf, OutboxError> {
        let dir = match Dir::open(folder) {
            Err(DiskError::Kind { path, .. } | DiskError::Link { path }) => {
                return Err(OutboxError::NotFolder(path));
            }
            opened => opened?,
        };
        dir.replace(self.file_name(), text.as_bytes())?;
        Ok(dir.path_of(self.file_name()))
    }
}

fn plain(text: &std::ffi::OsStr, what: &'static str) -> Result<String, UnitError> {
    let text = text.to_str().ok_or(UnitError::Text { what })?;
    if text.is_empty()
        || text
            .chars()
            .any(|letter| letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}'))
    {
        return Err(UnitError::Text { what });
    }
    Ok(text.to_owned())
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// One word of a systemd command line or assignment: quoted, with what systemd would expand
/// doubled.
fn word(text: &str) -> String {
    let inner = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('%', "%%");
    format!("\"{inner}\"")
}

/// The same in a command line, where `$` starts a variable too.
fn argument(text: &str) -> String {
    word(text).replace('$', "$$")
}

impl Service {
    fn plist(&self) -> String {
        let arguments = [
            self.binary.as_str(),
            "outbox",
            "watch",
            "--wait",
            "--host-root",
            &self.host_root,
        ]
        .map(|argument| format!("        <string>{}</string>", xml(argument)))
        .join("\n");
        let path = xml(&self.path);
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
    <key>Label</key>
    <string>{LABEL}</string>
    <key>ProgramArguments</key>
    <array>
{arguments}
    </array>
    <key>EnvironmentVariables</key>
    <dict>
        <key>PATH</key>
        <string>{path}</string>
    </dict>
    <key>RunAtLoad</key>
    <true/>
    <key>KeepAlive</key>
    <true/>
    <key>ThrottleInterval</key>
    <integer>10</integer>
    <key>ExitTimeOut</key>
    <integer>20</integer>
    <key>ProcessType</key>
    <string>Background</string>
    <key>Umask</key>
    <integer>63</integer>
</dict>
</plist>
"#
        )
    }

    fn unit(&self) -> String {
        // systemd expands no variable in the program's own path.
        let binary = word(&self.binary);
        let root = argument(&self.host_root);
        let path = word(&format!("PATH={}", self.path));
        format!(
            "[Unit]
Description=amiss outbox: push results to their origins
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart={binary} outbox watch --wait --host-root {root}
Environment={path}
WatchdogSec=60
KillMode=mixed
TimeoutStopSec=20
Restart=always
RestartSec=10
UMask=0077

[Install]
WantedBy=default.target
"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn what_a_service_file_cannot_hold_is_refused() {
        let text = |agent: Agent, root: &str, path: &str| {
            agent.text(Path::new("/b"), Path::new(root), OsStr::new(path))
        };
        for agent in [Agent::LaunchAgent, Agent::Systemd] {
            assert!(text(agent, "/h", "/usr/bin:/bin").is_ok());
            assert!(text(agent, "/h\n", "/bin").is_err());
            assert!(text(agent, "/h", "").is_err());
            assert!(text(agent, "/h", "/bin::/usr/bin").is_err());
            assert!(text(agent, "/h", "/bin:.").is_err());
        }
    }

    #[test]
    fn what_systemd_expands_is_doubled() {
        assert_eq!(argument(r#"/a b/%h/$X/"q"\"#), r#""/a b/%%h/$$X/\"q\"\\""#);
    }
}
