//! The part of the user's Git configuration that reaches an origin (page 5.2, point 14).
//!
//! It is read once and handed to Git in a private file, so that neither a helper's settings nor a
//! header nor a password in an `insteadOf` ever stands in the arguments of a process. Everything
//! else that the user configured stays out.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use base64::Engine;
use zeroize::{Zeroize, Zeroizing};

use super::command::{Git, GitError, Place};
use crate::code::{Code, Coded};
use crate::process::{self, Cancel, End, Limits, Program, Reach};

/// The largest configuration that is read, in bytes.
pub const MAX_CONFIG_BYTES: usize = 1024 * 1024;

/// Why the user's configuration could not be read.
#[derive(Debug, thiserror::Error)]
pub enum UserConfigError {
    /// Git refused it.
    #[error("Git cannot read the user's configuration: {0}")]
    Refused(String),
    /// It is over `MAX_CONFIG_BYTES`.
    #[error("the user's Git configuration is over {MAX_CONFIG_BYTES} bytes")]
    TooLarge,
    /// Git could not be asked.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl Coded for UserConfigError {
    fn code(&self) -> Code {
        match self {
            UserConfigError::Refused(_) | UserConfigError::TooLarge => Code::ConfigInvalid,
            UserConfigError::Git(error) => error.code(),
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            UserConfigError::Git(error) => error.hint(),
            _ => Some("`git config --list --show-origin` shows where it is wrong".into()),
        }
    }
}

/// One setting, as `git config --list --null` prints it. A key without `=` has no value.
#[derive(Clone, PartialEq, Eq)]
struct Setting {
    /// Lower-case.
    section: String,
    /// Exactly as written.
    subsection: Option<String>,
    /// Lower-case.
    key: String,
    value: Option<String>,
}

impl Drop for Setting {
    fn drop(&mut self) {
        self.value.zeroize();
        self.subsection.zeroize();
    }
}

/// What of the user's configuration is passed on. Its debug form shows keys and no values.
#[derive(Clone, Default)]
pub struct UserConfig {
    settings: Vec<Setting>,
    secrets: Vec<Zeroizing<String>>,
}

impl std::fmt::Debug for UserConfig {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let keys = self.settings.iter().map(|setting| &setting.key);
        out.debug_list().entries(keys).finish()
    }
}

impl UserConfig {
    /// Reads the configuration of the system and of the user, includes among them, as Git finds it
    /// from `HOME` and `XDG_CONFIG_HOME`, or from `GIT_CONFIG_GLOBAL` where that names a file.
    ///
    /// # Errors
    /// [`UserConfigError`]; `CONFIG_INVALID` when the configuration itself is wrong.
    pub fn read(cancel: &Cancel) -> Result<UserConfig, UserConfigError> {
        let mut program = Program::new("git").env("LC_ALL", "C").directory("/");
        for name in ["PATH", "HOME", "XDG_CONFIG_HOME"] {
            program = program.pass_env(name);
        }
        if let Some(file) = std::env::var_os("GIT_CONFIG_GLOBAL").filter(is_file) {
            program = program.env("GIT_CONFIG_GLOBAL", file);
        }
        let program = program.args(["config", "--list", "--null", "--show-scope", "--includes"]);
        let limits = Limits {
            stdout_bytes: MAX_CONFIG_BYTES,
            stderr_bytes: 4096,
            deadline: Duration::from_secs(30),
            reach: Reach::Itself,
        };
        let finished = process::run(&program, b"", &limits, cancel).map_err(GitError::from)?;
        match finished.end {
            End::Exited(0) if !finished.stdout.is_whole() => Err(UserConfigError::TooLarge),
            End::Exited(0) => Ok(UserConfig::from_list(finished.stdout.bytes())),
            End::Exited(_) => Err(UserConfigError::Refused(
                finished.stderr.text().trim().replace('\n', " "),
            )),
            _ => {
                let git = Git::new(&Place::Nowhere, limits.deadline, cancel);
                Err(git.failure("config".into(), &finished).into())
            }
        }
    }

    /// Keeps what concerns credentials, transport and addresses from the output of
    /// `git config --list --null --show-scope`, in its order: later settings win and an empty
    /// helper clears the list, as in Git. What a repository says is not the user's.
    #[must_use]
    pub fn from_list(list: &[u8]) -> UserConfig {
        let mut config = UserConfig::default();
        let mut records = list.split(|byte| *byte == 0);
        while let (Some(scope), Some(record)) = (records.next(), records.next()) {
            let ours = scope == b"system" || scope == b"global";
            let Some(setting) = parse_record(record).filter(|_| ours) else {
                continue;
            };
            if passes(&setting) {
                config.add(setting);
            }
        }
        config
    }

    /// Whether nothing is passed on.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    /// The text of a configuration file that says the same.
    #[must_use]
    pub fn to_file_text(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::new());
        for setting in &self.settings {
            text.push('[');
            text.push_str(&setting.section);
            if let Some(subsection) = &setting.subsection {
                text.push_str(" \"");
                push_escaped(&mut text, subsection);
                text.push('"');
            }
            text.push_str("]\n\t");
            text.push_str(&setting.key);
            if let Some(value) = &setting.value {
                text.push_str(" = \"");
                push_escaped(&mut text, value);
                text.push('"');
            }
            text.push('\n');
        }
        text
    }

    /// Texts that no log may show: headers' values and passwords.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().map(|secret| secret.as_str())
    }

    fn add(&mut self, setting: Setting) {
        if setting.section == "http" && setting.key == "extraheader" {
            self.remember_header(setting.value.as_deref().unwrap_or_default());
        }
        if setting.section == "http"
            && setting.key == "proxy"
            && let Some((_, login)) = setting.value.as_deref().and_then(split_login)
        {
            self.remember_login(&login);
        }
        let rewritten = match setting.subsection.as_deref() {
            Some(base) if setting.section == "url" => split_login(base),
            _ => None,
        };
        match rewritten {
            Some((base, login)) => self.add_rewritten(&setting, base, &login),
            None => self.settings.push(setting),
        }
    }

    /// `url.https://user:password@host/.insteadOf` would put the login into the arguments of
    /// `git-remote-https`. The same login as a header for that address, or as the name that the
    /// helpers are asked for, does not.
    fn add_rewritten(&mut self, setting: &Setting, base: String, login: &str) {
        // Settings for an address apply to whole parts of a path.
        let folder = base.rfind('/').and_then(|end| base.get(..=end));
        let folder = match folder {
            Some(folder) if !folder.ends_with("://") => folder.to_owned(),
            _ => base.clone(),
        };
        let (section, key, value) = match login.split_once(':') {
            Some((_, password)) if !password.is_empty() => {
                self.remember_login(login);
                let plain = percent_decoded(login);
                let encoded = Zeroizing::new(
                    base64::engine::general_purpose::STANDARD.encode(plain.as_bytes()),
                );
                let header = Zeroizing::new(format!("Authorization: Basic {}", encoded.as_str()));
                self.remember_header(&header);
                ("http", "extraheader", header)
            }
            _ => {
                let user = login.split_once(':').map_or(login, |(user, _)| user);
                ("credential", "username", percent_decoded(user))
            }
        };
        self.settings.push(Setting {
            section: section.into(),
            subsection: Some(folder),
            key: key.into(),
            value: Some(value.to_string()),
        });
        self.settings.push(Setting {
            section: "url".into(),
            subsection: Some(base),
            key: setting.key.clone(),
            value: setting.value.clone(),
        });
    }

    fn remember_header(&mut self, header: &str) {
        let value = header.split_once(':').map_or(header, |(_, value)| value);
        self.remember(value.trim());
        if let Some((_, credentials)) = value.trim().split_once(' ') {
            self.remember(credentials.trim());
        }
    }

    fn remember_login(&mut self, login: &str) {
        if let Some((_, password)) = login.split_once(':') {
            self.remember(password);
            self.remember(&percent_decoded(password));
        }
    }

    fn remember(&mut self, secret: &str) {
        // Shorter ones would blacken half of every log, and no credential is that short.
        if secret.len() >= 4 {
            self.secrets.push(Zeroizing::new(secret.to_owned()));
        }
    }
}

fn is_file(name: &OsString) -> bool {
    Path::new(name).is_file()
}

fn passes(setting: &Setting) -> bool {
    match setting.section.as_str() {
        // An interactive helper would wait for a person.
        "credential" => setting.key != "interactive",
        "http" => true,
        "url" => {
            setting.subsection.is_some()
                && matches!(setting.key.as_str(), "insteadof" | "pushinsteadof")
        }
        _ => false,
    }
}

fn parse_record(record: &[u8]) -> Option<Setting> {
    let text = std::str::from_utf8(record).ok()?;
    let (name, value) = match text.split_once('\n') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    let (section, rest) = name.split_once('.')?;
    let (subsection, key) = match rest.rsplit_once('.') {
        Some((subsection, key)) => (Some(subsection.to_owned()), key),
        None => (None, rest),
    };
    let plain = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    // Git's own alphabets: whatever is outside them could not be written back.
    if !plain(section)
        || !plain(key)
        || subsection
            .as_deref()
            .is_some_and(|text| text.contains('\n'))
    {
        return None;
    }
    Some(Setting {
        section: section.to_ascii_lowercase(),
        subsection,
        key: key.to_ascii_lowercase(),
        value,
    })
}

/// An http address without its login, and the login (`user`, or `user:password`). The user of an
/// ssh address is no secret and belongs to the address.
fn split_login(address: &str) -> Option<(String, Zeroizing<String>)> {
    let (scheme, rest) = address.split_once("://")?;
    if !matches!(scheme, "http" | "https") {
        return None;
    }
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (login, host) = authority.rsplit_once('@')?;
    Some((
        format!("{scheme}://{host}{path}"),
        Zeroizing::new(login.to_owned()),
    ))
}

fn percent_decoded(text: &str) -> Zeroizing<String> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len()));
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let digits = after
            .get(..2)
            .and_then(|pair| std::str::from_utf8(pair).ok());
        let decoded = digits
            .filter(|pair| pair.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match decoded {
            Some(value) if byte == b'%' => {
                bytes.push(value);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => bytes.push(byte),
        }
    }
    Zeroizing::new(String::from_utf8_lossy(&bytes).into_owned())
}

fn push_escaped(text: &mut String, value: &str) {
    for letter in value.chars() {
        match letter {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(records: &[&str]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for record in records {
            bytes.extend_from_slice(b"global\0");
            bytes.extend_from_slice(record.as_bytes());
            bytes.push(0);
        }
        bytes
    }

    #[test]
    fn only_what_concerns_credentials_transport_and_addresses_passes() {
        let config = UserConfig::from_list(&list(&[
            "user.name\nX",
            "core.sshcommand\nevil",
            "core.askpass\nasker",
            "alias.push\n!evil",
            "protocol.ext.allow\nalways",
            "credential.helper\nstore",
            "credential.interactive\ntrue",
            "credential.https://h:8443/a.b.usehttppath\ntrue",
            "http.https://h.extraheader\nX-T: 123456",
            "http.sslverify",
            "url.https://h/.insteadof\ngh:",
            "url.https://h/.other\nx",
        ]));
        assert_eq!(
            config.to_file_text().as_str(),
            "[credential]\n\thelper = \"store\"\n\
             [credential \"https://h:8443/a.b\"]\n\tusehttppath = \"true\"\n\
             [http \"https://h\"]\n\textraheader = \"X-T: 123456\"\n\
             [http]\n\tsslverify\n\
             [url \"https://h/\"]\n\tinsteadof = \"gh:\"\n"
        );
    }

    #[test]
    fn a_password_in_an_instead_of_becomes_a_header() {
        let config = UserConfig::from_list(&list(&[
            "url.https://me:p%40ssword@h:81/x.insteadof\nhttps://h/",
        ]));
        let text = config.to_file_text();
        assert!(!text.contains("ssword@"), "{}", text.as_str());
        assert!(text.contains("[url \"https://h:81/x\"]"));
        assert!(text.contains("Basic bWU6cEBzc3dvcmQ="), "{}", text.as_str());
        assert!(config.secrets().any(|secret| secret == "p@ssword"));
        assert!(!format!("{config:?}").contains("ssword"));
    }

    #[test]
    fn a_user_in_an_instead_of_becomes_the_name_that_helpers_are_asked_for() {
        let config = UserConfig::from_list(&list(&[
            "url.https://me@h/org-.insteadof\norg:",
            "url.ssh://git@h/.insteadof\ngit:",
        ]));
        assert_eq!(
            config.to_file_text().as_str(),
            "[credential \"https://h/\"]\n\tusername = \"me\"\n\
             [url \"https://h/org-\"]\n\tinsteadof = \"org:\"\n\
             [url \"ssh://git@h/\"]\n\tinsteadof = \"git:\"\n"
        );
    }

    #[test]
    fn a_value_is_written_so_that_git_reads_the_same() {
        let value = "!f() { echo \"a\\b\"; };\n\tf # ; \u{8}x";
        let config = UserConfig::from_list(&list(&[&format!("credential.helper\n{value}")]));
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config");
        std::fs::write(&file, config.to_file_text().as_bytes()).unwrap();
        let output = std::process::Command::new("git")
            .args(["config", "--null", "--file"])
            .arg(&file)
            .args(["--get", "credential.helper"])
            .output()
            .unwrap();
        assert_eq!(output.stdout, format!("{value}\0").as_bytes());
    }

    #[test]
    fn records_that_git_would_not_write_are_passed_over() {
        for record in [
            "",
            "credential",
            "credential.",
            ".helper\nx",
            "credential.he lper\nx",
        ] {
            assert!(
                UserConfig::from_list(&list(&[record])).is_empty(),
                "{record}"
            );
        }
    }
}
