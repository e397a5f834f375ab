//! Why a request was refused, and why the operator's files cannot be used.

use std::path::PathBuf;

use crate::clock::{ClockError, UnixMillis};
use crate::code::{Code, Coded};
use crate::delivery::accepted::Label;

/// Why a request was refused (page 2.4). No form of it holds a secret, an expected digest or a
/// token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IngressError {
    /// Over a limit of the route.
    #[error("the request's {what} is over the route's limit of {limit}")]
    Limit {
        /// Body, headers, header bytes or a header name.
        what: &'static str,
        /// The limit, in bytes or headers.
        limit: u64,
    },
    /// A header breaks its form.
    #[error("header `{name}` {fault}")]
    Header {
        /// Which; of the sender's names at most 80 characters.
        name: String,
        /// What is wrong with it.
        fault: String,
    },
    /// No signature of the route's scheme.
    #[error("{0}")]
    Unsigned(Unsigned),
    /// Only a SHA-1 signature.
    #[error("only the SHA-1 header `X-Hub-Signature` came; looked for {wanted}")]
    WeakAlgorithm {
        /// The scheme's header.
        wanted: &'static str,
    },
    /// The signature does not hold.
    #[error(
        "the signature in `{header}` does not hold over the exact bytes ({bytes} signed bytes, keys tried: {tried})"
    )]
    Signature {
        /// The scheme's header.
        header: &'static str,
        /// How many bytes it should cover.
        bytes: usize,
        /// How many keys were tried.
        tried: usize,
    },
    /// No key counts at the time of receipt.
    #[error("no key of `{trust_set}` is active at the receipt, {received_at}")]
    NoActiveKey {
        /// The route's set.
        trust_set: Label,
        /// The time of receipt.
        received_at: UnixMillis,
    },
    /// The token names no pinned key.
    #[error("the token's `kid` names no pinned key, or is missing")]
    UnknownKid,
    /// Not the one accepted form of a token.
    #[error("the token in `Authorization` {0}")]
    Token(&'static str),
    /// A claim is not what the route allows.
    #[error("the token's `{claim}` {fault}")]
    Claims {
        /// Which claim, or `claims`.
        claim: &'static str,
        /// What is wrong with it.
        fault: String,
    },
    /// Authentic, and not for this route.
    #[error("{0}")]
    Route(String),
    /// Too old.
    #[error("{what} is {age} ms old; {limit} ms are allowed")]
    Stale {
        /// What is.
        what: &'static str,
        /// Its age in milliseconds.
        age: i64,
        /// The limit in milliseconds.
        limit: i64,
    },
    /// From the future.
    #[error("{what} is {ahead} ms ahead; {skew} ms are allowed")]
    Future {
        /// What is.
        what: &'static str,
        /// By how many milliseconds.
        ahead: i64,
        /// The skew in milliseconds.
        skew: i64,
    },
    /// Authentic, and not decodable.
    #[error("{0}")]
    Payload(String),
    /// A time that cannot be stored.
    #[error(transparent)]
    Clock(#[from] ClockError),
}

/// In which way a request is unsigned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsigned {
    /// Header missing; the text names what else is missing.
    #[error("no signature: {missing} missing{}", came(*instead))]
    Missing {
        /// The names.
        missing: String,
        /// A header of another scheme that came instead.
        instead: Option<&'static str>,
    },
    /// The header is empty, or is its bare prefix.
    #[error("the signature header `{header}` is empty{also}")]
    Empty {
        /// Which.
        header: &'static str,
        /// What else is missing, or nothing.
        also: String,
    },
    /// Only versions that nobody here knows.
    #[error("`{header}` holds no signature of version v1")]
    UnknownVersions {
        /// Which.
        header: &'static str,
    },
}

fn came(instead: Option<&str>) -> String {
    instead
        .map(|header| format!("; `{header}` came"))
        .unwrap_or_default()
}

impl IngressError {
    /// A fault of a named header; the name is shown short and escaped.
    #[must_use]
    pub fn header(name: &str, fault: impl Into<String>) -> IngressError {
        let name = name.chars().take(80).flat_map(char::escape_debug).collect();
        IngressError::Header {
            name,
            fault: fault.into(),
        }
    }

    /// A fault of a claim.
    #[must_use]
    pub fn claim(claim: &'static str, fault: impl Into<String>) -> IngressError {
        IngressError::Claims {
            claim,
            fault: fault.into(),
        }
    }
}

impl Coded for IngressError {
    fn code(&self) -> Code {
        match self {
            IngressError::Limit { .. } => Code::IngressLimits,
            IngressError::Header { .. } => Code::IngressHeaders,
            IngressError::Unsigned(_) => Code::IngressUnsigned,
            IngressError::WeakAlgorithm { .. } => Code::IngressWeakAlgorithm,
            IngressError::Signature { .. } => Code::IngressSignature,
            IngressError::NoActiveKey { .. } | IngressError::UnknownKid => Code::IngressKeys,
            IngressError::Token(_) => Code::IngressToken,
            IngressError::Claims { .. } => Code::IngressClaims,
            IngressError::Route(_) => Code::IngressRoute,
            IngressError::Stale { .. } => Code::IngressStale,
            IngressError::Future { .. } => Code::IngressFuture,
            IngressError::Payload(_) => Code::IngressPayload,
            IngressError::Clock(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<String> {
        let text = match self {
            IngressError::Unsigned(Unsigned::Empty { .. }) => "the hook has no secret: set one",
            IngressError::Unsigned(Unsigned::Missing { instead, .. }) => {
                return Some(match instead {
                    Some("X-Gitlab-Token") => {
                        "X-Gitlab-Token is a plain password and proves nothing about the body; \
                                               use a signing token"
                            .into()
                    }
                    Some(other) => {
                        format!("`{other}` came: the route's `scheme` is not this forge's")
                    }
                    None => "give the hook a secret".into(),
                });
            }
            IngressError::Unsigned(Unsigned::UnknownVersions { .. }) => {
                "the sender signs with another version than v1"
            }
            IngressError::WeakAlgorithm { .. } => {
                "let the forge, or the proxy before it, hand on the SHA-256 header"
            }
            IngressError::Signature { .. } => {
                "compare the secret at both ends, and check that nothing changes the body on its way"
            }
            IngressError::NoActiveKey { .. } => "compare the windows of the keyring with the clock",
            IngressError::UnknownKid => {
                "the pinned key set may be old: review the issuer's present keys and pin them"
            }
            IngressError::Stale { .. } | IngressError::Future { .. } => {
                "compare the clocks of both machines"
            }
            IngressError::Clock(error) => return error.hint(),
            _ => return None,
        };
        Some(text.into())
    }
}

/// Why a file of the operator's cannot be used. No form of it holds a byte of a secret.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Missing or unreadable.
    #[error("cannot read the {kind} {path}")]
    Unreadable {
        /// Route, keyring, key set or key.
        kind: &'static str,
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It breaks a rule.
    #[error("the {kind} {path} is wrong: {reason}")]
    Wrong {
        /// Route, keyring, key set or key.
        kind: &'static str,
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A secret file that cannot be read.
    #[error(transparent)]
    Secret(#[from] crate::secret::SecretError),
    /// The route's window is not the root's.
    #[error("the route {path}: `replay_window` is not the root's ({reason})")]
    RootWindow {
        /// Which route.
        path: PathBuf,
        /// Both windows.
        reason: String,
    },
}

impl Coded for ConfigError {
    fn code(&self) -> Code {
        match self {
            ConfigError::RootWindow { .. } => Code::RootConfiguration,
            _ => Code::ConfigInvalid,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            ConfigError::Secret(error) => error.hint().or_else(|| {
                Some("the keyring names it; names are relative to the file that holds them".into())
            }),
            ConfigError::Unreadable { kind: "route", .. } => None,
            ConfigError::Unreadable { .. } => {
                Some("the route names it; names are relative to the file that holds them".into())
            }
            ConfigError::Wrong { kind, .. } if matches!(*kind, "route" | "keyring") => {
                Some(format!("`amiss schema {kind}` prints its form"))
            }
            ConfigError::RootWindow { .. } => {
                Some("leave `replay_window` out of the route, or give the root's".into())
            }
            ConfigError::Wrong { .. } => None,
        }
    }
}
