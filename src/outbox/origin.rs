//! The address of an origin: what Git can push to without running a program of the address's
//! choice, and without a secret in it (page 5.1).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::code::{Code, Coded};
use crate::delivery::text::TextError;

/// The longest address, in bytes.
const MAX_BYTES: usize = 2048;

/// An `https`, `http`, `ssh`, scp-like or `file` address without a password.
#[derive(
    Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("description" = "an https, http, ssh, scp-like or file address without a password"))]
pub struct Origin(String);

/// Why an address was refused. No form of it shows the address's user part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    /// It carries a password or a token.
    #[error("the origin carries a password or a token, which would end up in files and logs")]
    Password,
    /// `ext::…` and the like, which let the address choose the program.
    #[error("the origin names a transport helper (`…::…`), which is never used")]
    Helper,
    /// Anything else.
    #[error(transparent)]
    Form(#[from] TextError),
}

impl Coded for OriginError {
    fn code(&self) -> Code {
        Code::InputMalformed
    }
    fn hint(&self) -> Option<String> {
        Some(match self {
            OriginError::Password => {
                "take it out of the address and let Git's credential helper give it \
                 (`git config --global credential.helper …`)"
                    .into()
            }
            OriginError::Helper => "use https://, ssh://, user@host:path or file:///path".into(),
            OriginError::Form(_) => {
                "examples: https://host/repo.git, git@host:repo.git, file:///srv/repo.git".into()
            }
        })
    }
}

impl Origin {
    /// A checked address.
    ///
    /// # Errors
    /// `OriginError`.
    pub fn new(text: impl Into<String>) -> Result<Origin, OriginError> {
        let text = text.into();
        check(&text)?;
        Ok(Origin(text))
    }

    /// The address as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address without its user part, for tables and messages.
    #[must_use]
    pub fn without_user(&self) -> String {
        let (scheme, rest) = match self.0.split_once("://") {
            Some((scheme, rest)) => (format!("{scheme}://"), rest),
            None => (String::new(), self.0.as_str()),
        };
        let authority = rest.split(['/', ':']).next().unwrap_or_default();
        match authority.rsplit_once('@') {
            Some((user, _)) => {
                let shown = rest.get(user.len().saturating_add(1)..).unwrap_or_default();
                format!("{scheme}{shown}")
            }
            None => format!("{scheme}{rest}"),
        }
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Origin({:?})", self.without_user())
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.without_user())
    }
}

impl TryFrom<String> for Origin {
    type Error = OriginError;
    fn try_from(text: String) -> Result<Origin, OriginError> {
        Origin::new(text)
    }
}

impl From<Origin> for String {
    fn from(origin: Origin) -> String {
        origin.0
    }
}

/// An error that shows what was given up to the first byte that could be a secret.
fn form(text: &str, rule: &'static str) -> OriginError {
    let shown = match text.rsplit_once('@') {
        Some((_, rest)) => format!("…@{rest}"),
        None => text.to_owned(),
    };
    OriginError::Form(TextError::new("origin", &shown, rule))
}

fn check(text: &str) -> Result<(), OriginError> {
    if text.is_empty() || text.len() > MAX_BYTES {
        return Err(form(text, "1 to 2048 bytes long"));
    }
    if text
        .chars()
        .any(|letter| letter.is_control() || letter == '\\')
    {
        return Err(form(text, "free of control characters and backslashes"));
    }
    if text.trim() != text {
        return Err(form(text, "free of blanks at its ends"));
    }
    if text.starts_with('-') {
        return Err(form(
            text,
            "an address; it starts with a dash like an option",
        ));
    }
    if names_helper(text) {
        return Err(OriginError::Helper);
    }
    match text.split_once("://") {
        Some((scheme, rest)) => check_url(text, scheme, rest),
        None => check_scp(text),
    }
}

/// Git's own test (`transport.c`), a little wider: scheme letters, then two colons.
fn names_helper(text: &str) -> bool {
    let rest = text.trim_start_matches(|letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.' | '_')
    });
    rest.starts_with("::")
}

fn check_url(text: &str, scheme: &str, rest: &str) -> Result<(), OriginError> {
    check_escapes(text)?;
    match scheme {
        "https" | "http" | "ssh" => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
            check_authority(text, authority)?;
            if scheme != "ssh" {
                check_web_path(text, path)?;
            }
            if path.len() < 2 || !path.starts_with('/') {
                return Err(form(text, "an address with a path to a repository"));
            }
            Ok(())
        }
        "file" if rest.starts_with('/') && rest.len() > 1 => Ok(()),
        "file" => Err(form(text, "file:// and an absolute path")),
        _ => Err(form(
            text,
            "an https, http, ssh, scp-like or file address (schemes in lower case)",
        )),
    }
}

/// A query is where tokens travel, and Git has no use for one; nor for a fragment or a blank.
fn check_web_path(text: &str, path: &str) -> Result<(), OriginError> {
    if path.contains('?') {
        return Err(OriginError::Password);
    }
    if path.contains(['#', ' ']) {
        return Err(form(text, "an address without a fragment or blanks"));
    }
    Ok(())
}

/// Percent signs must start an escape, and none may hide a control character.
fn check_escapes(text: &str) -> Result<(), OriginError> {
    for part in text.split('%').skip(1) {
        let byte = part
            .get(..2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte {
            Some(byte) if byte >= 0x20 && byte != 0x7f => {}
            _ => return Err(form(text, "free of broken or control-character %-escapes")),
        }
    }
    Ok(())
}

fn check_authority(text: &str, authority: &str) -> Result<(), OriginError> {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    if let Some(user) = user {
        check_user(text, user)?;
    }
    let (name, port) = if let Some(rest) = host.strip_prefix('[') {
        let (name, after) = rest.split_once(']').unwrap_or(("", rest));
        let good = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'));
        if !good {
            return Err(form(text, "an address with a legal host"));
        }
        (None, after)
    } else {
        let end = host.find(':').unwrap_or(host.len());
        let (name, after) = host.split_at_checked(end).unwrap_or((host, ""));
        (Some(name), after)
    };
    if !name.is_none_or(is_host) {
        return Err(form(text, "an address with a legal host"));
    }
    match port.strip_prefix(':') {
        None if port.is_empty() => Ok(()),
        Some(digits) if is_port(digits) => Ok(()),
        _ => Err(form(text, "an address with a port of 1 to 65535")),
    }
}

fn is_port(digits: &str) -> bool {
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<u16>().is_ok_and(|port| port > 0)
}

fn is_host(name: &str) -> bool {
    matches!(name.len(), 1..=255)
        && !name.starts_with('-')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

/// A user name alone is fine; a colon (also an escaped one) starts a password, and forges take
/// tokens in the user's place.
fn check_user(text: &str, user: &str) -> Result<(), OriginError> {
    const TOKENS: [&str; 10] = [
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "gldt-",
        "glcbt-",
        "ATBB",
    ];
    let escaped = user.to_ascii_lowercase();
    if user.contains(':') || escaped.contains("%3a") {
        return Err(OriginError::Password);
    }
    if TOKENS.iter().any(|token| user.starts_with(token)) {
        return Err(OriginError::Password);
    }
    if user.is_empty() || user.starts_with('-') || user.contains(['@', ' ']) {
        return Err(form(text, "an address with a legal user name"));
    }
    Ok(())
}

/// `[user@]host:path`, where no slash comes before the colon.
fn check_scp(text: &str) -> Result<(), OriginError> {
    let none = || {
        form(
            text,
            "an https, http, ssh, scp-like or file address; a local path is file:///path",
        )
    };
    let user_end = text.find(['/', ':', '[']).map_or(0, |end| {
        text.get(..end)
            .and_then(|head| head.rfind('@'))
            .map_or(0, |at| at.saturating_add(1))
    });
    let rest = text.get(user_end..).unwrap_or_default();
    let colon = if rest.starts_with('[') {
        rest.find("]:").map(|at| at.saturating_add(1))
    } else {
        rest.find([':', '/'])
            .filter(|at| rest.get(*at..).is_some_and(|tail| tail.starts_with(':')))
    };
    let colon = colon.ok_or_else(none)?;
    let (host, path) = rest.split_at_checked(colon).ok_or_else(none)?;
    let path = path.get(1..).unwrap_or_default();
    // `user:secret@host:path` reads as host `user` to Git; somebody meant a password.
    if path
        .split('/')
        .next()
        .is_some_and(|first| first.contains('@'))
    {
        return Err(OriginError::Password);
    }
    let authority = text
        .get(..user_end.saturating_add(host.len()))
        .unwrap_or_default();
    check_authority(text, authority)?;
    if path.is_empty() || path.starts_with('-') || path.starts_with(':') {
        return Err(form(text, "an address with a path to a repository"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_five_kinds_of_address_are_taken() {
        for good in [
            "https://example.test/repo.git",
            "https://user@example.test:8443/group/repo.git",
            "http://localhost:80/r",
            "ssh://git@example.test:22/r.git",
            "ssh://git@[::1]:2222/r.git",
            "ssh://example.test/~me/r.git",
            "git@example.test:group/repo.git",
            "example.test:repo.git",
            "git@[::1]:repo.git",
            "[::1]:repo.git",
            "file:///srv/repo.git",
            "file:///srv/with%20blank.git",
            "host:a/b@c.git",
        ] {
            assert!(Origin::new(good).is_ok(), "{good}: {:?}", Origin::new(good));
        }
    }

    #[test]
    fn a_password_or_token_in_the_address_is_refused() {
        for bad in [
            "https://user:secret@example.test/r.git",
            "https://user:@example.test/r.git",
            "https://:secret@example.test/r.git",
            "https://user%3Asecret@example.test/r.git",
            "https://ghp_abc@example.test/r.git",
            "ssh://git:secret@example.test/r.git",
            "user:secret@example.test:r.git",
            "https://example.test/r.git?private_token=secret",
        ] {
            let refused = Origin::new(bad).unwrap_err();
            assert_eq!(refused, OriginError::Password, "{bad}");
            assert!(!refused.to_string().contains("secret"));
            assert!(refused.hint().unwrap().contains("credential helper"));
        }
    }

    #[test]
    fn every_transport_helper_is_refused() {
        for bad in [
            "ext::sh -c true",
            "fd::17",
            "foo::bar",
            "https::https://x/y",
            "a.b+c-d::x",
            "EXT::x",
        ] {
            assert_eq!(Origin::new(bad).unwrap_err(), OriginError::Helper, "{bad}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for bad in [
            "",
            "/srv/repo.git",
            "./repo.git",
            "../a:b",
            "repo",
            "git://example.test/r.git",
            "git+ssh://example.test/r.git",
            "HTTPS://example.test/r.git",
            "ftp://example.test/r",
            "file://host/r.git",
            "file://",
            "file:///",
            "https://example.test",
            "https://example.test/",
            "https:///r.git",
            "https://-x/r.git",
            "https://a b/r.git",
            "https://example.test:0/r.git",
            "https://example.test:99999/r.git",
            "https://example.test:/r.git",
            "https://exa%0ample.test/r.git",
            "https://example.test/a%0ab.git",
            "https://example.test/a%zz.git",
            "https://a@b@example.test/r.git",
            "https://@example.test/r.git",
            "ssh://-oProxyCommand=x/r",
            "-oProxyCommand=x:r",
            "-x@host:r",
            "host:",
            "host:-r",
            ":r",
            "host:a\nb",
            "https://example.test/a\\b",
            "https://example.test/a#b",
            "https://example.test/a b",
            " https://example.test/a",
            "git@example.test:a ",
            &format!("https://example.test/{}", "a".repeat(2048)),
        ] {
            assert!(
                matches!(Origin::new(bad), Err(OriginError::Form(_))),
                "{bad}: {:?}",
                Origin::new(bad)
            );
        }
    }

    #[test]
    fn a_shown_address_has_no_user_part() {
        for (given, shown) in [
            (
                "https://me@example.test:8/r.git",
                "https://example.test:8/r.git",
            ),
            ("git@example.test:r@x.git/y", "example.test:r@x.git/y"),
            ("file:///a@b/c", "file:///a@b/c"),
        ] {
            assert_eq!(Origin(given.to_owned()).to_string(), shown);
            assert!(!format!("{:?}", Origin(given.to_owned())).contains("me@"));
        }
    }
}
