//! The route: what the operator trusts, fixed before any request is read (page 2.2).

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::error::ConfigError;
use super::keyring::Keyring;
use super::limits::{DEFAULT_BODY_BYTES, Limits, LimitsFile, MAX_BODY_BYTES};
use super::oidc::{OidcFile, OidcPolicy};
use crate::delivery::accepted::{Label, Scheme};
use crate::delivery::text::{BranchRef, Host, IntegrationId};
use crate::delivery::{Provider, ReplayWindow};
use crate::json::{self, present};
use crate::plan::read_config;

/// The schema of a route file.
pub const ROUTE_SCHEMA: &str = "amiss/route/v1";
/// The skew of a route that names none, in milliseconds.
pub const DEFAULT_SKEW_MILLIS: i64 = 5000;
/// The largest skew, in milliseconds.
pub const MAX_SKEW_MILLIS: i64 = 300_000;

/// A route file.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RouteFile {
    /// `amiss/route/v1`.
    schema: String,
    /// The forge and its instance.
    provider: Provider,
    /// How a request is authenticated.
    scheme: Scheme,
    /// The set of keys that is trusted.
    trust_set: Label,
    /// The keyring file, relative to the route file.
    #[serde(default, deserialize_with = "present")]
    keyring: Option<PathBuf>,
    /// What the route asks of a signed time.
    signed_time: SignedTime,
    /// Which integration at the forge.
    #[serde(default, deserialize_with = "present")]
    integration: Option<IntegrationId>,
    /// The only target branch, by its short name.
    #[serde(default, deserialize_with = "present")]
    target_branch: Option<String>,
    /// The controller's ceilings; a root has them too.
    #[serde(default, deserialize_with = "present")]
    replay_window: Option<ReplayWindow>,
    /// How far a time may lie in the future, 0 to 300000.
    #[serde(default, deserialize_with = "present")]
    future_skew_millis: Option<i64>,
    /// What a token must say.
    #[serde(default, deserialize_with = "present")]
    oidc: Option<OidcFile>,
    /// Lower limits than the defaults.
    #[serde(default)]
    limits: LimitsFile,
}

/// What a route asks of a signed time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SignedTime {
    /// The scheme has none: the identity is kept for ever.
    ReplayOnly,
    /// It must be there and no older than this.
    Required {
        /// The largest age from issue to receipt, in milliseconds.
        max_age_millis: i64,
    },
}

/// How the requests of a route are authenticated.
#[derive(Debug)]
pub enum Lane {
    /// `X-Hub-Signature-256`; the integration is the signed installation.
    Github {
        /// Its keys.
        keys: Keyring,
    },
    /// Gitea and Forgejo.
    Gitea {
        /// Its keys.
        keys: Keyring,
        /// The operator's word.
        integration: IntegrationId,
    },
    /// Standard Webhooks.
    GitlabWebhook {
        /// Its keys.
        keys: Keyring,
        /// The operator's word.
        integration: IntegrationId,
        /// The largest signed age, in milliseconds.
        max_age: i64,
    },
    /// A policy job's ID token.
    GitlabOidc {
        /// What a token must say.
        policy: Box<OidcPolicy>,
        /// The operator's word.
        integration: IntegrationId,
        /// The largest signed age, in milliseconds.
        max_age: i64,
    },
}

impl Lane {
    /// The scheme's name.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        match self {
            Lane::Github { .. } => Scheme::Github,
            Lane::Gitea { .. } => Scheme::Gitea,
            Lane::GitlabWebhook { .. } => Scheme::GitlabWebhook,
            Lane::GitlabOidc { .. } => Scheme::GitlabOidc,
        }
    }
}

/// A route that holds all its rules.
#[derive(Debug)]
pub struct Route {
    pub(super) provider: Provider,
    pub(super) host: Host,
    pub(super) trust_set: Label,
    pub(super) lane: Lane,
    pub(super) target: Option<BranchRef>,
    pub(super) window: ReplayWindow,
    pub(super) skew: i64,
    pub(super) limits: Limits,
    /// The digest of the route file's text: part of what a proof binds.
    pub(super) digest: [u8; 32],
}

impl Route {
    /// Reads a route file and the files that it names. With a root, its window counts.
    ///
    /// # Errors
    /// [`ConfigError`]: `CONFIG_INVALID`, and `ROOT_CONFIGURATION` for another window than the
    /// root's.
    pub fn load(path: &Path, root: Option<ReplayWindow>) -> Result<Route, ConfigError> {
        let text = read_config(path).map_err(|source| ConfigError::Unreadable {
            kind: "route",
            path: path.to_owned(),
            source,
        })?;
        let wrong = |reason: String| ConfigError::Wrong {
            kind: "route",
            path: path.to_owned(),
            reason,
        };
        let file: RouteFile =
            json::parse(&text, "route").map_err(|error| wrong(error.to_string()))?;
        if file.schema != ROUTE_SCHEMA {
            return Err(wrong(format!("`schema` is not \"{ROUTE_SCHEMA}\"")));
        }
        let window = file.window(path, root)?;
        let host = Host::new(file.provider.instance.as_str())
            .map_err(|error| wrong(format!("`provider.instance` names no host: {error}")))?;
        let target = file.target().map_err(wrong)?;
        let skew = file.future_skew_millis.unwrap_or(DEFAULT_SKEW_MILLIS);
        if !(0..=MAX_SKEW_MILLIS).contains(&skew) {
            return Err(wrong("`future_skew_millis` is not 0 to 300000".into()));
        }
        let ceiling = match file.scheme {
            Scheme::Github => MAX_BODY_BYTES,
            _ => DEFAULT_BODY_BYTES,
        };
        let limits = file.limits.check(ceiling).map_err(wrong)?;
        let lane = file.lane(path, window)?;
        Ok(Route {
            provider: file.provider,
            host,
            trust_set: file.trust_set,
            lane,
            target,
            window,
            skew,
            limits,
            digest: Sha256::digest(text.as_bytes()).into(),
        })
    }

    /// The limits that a request is read under.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }
}

impl RouteFile {
    fn window(&self, path: &Path, root: Option<ReplayWindow>) -> Result<ReplayWindow, ConfigError> {
        let wrong = |reason: String| ConfigError::Wrong {
            kind: "route",
            path: path.to_owned(),
            reason,
        };
        if let Some(window) = self.replay_window {
            ReplayWindow::new(window.max_signed_age_millis, window.max_queue_age_millis)
                .map_err(|error| wrong(format!("`replay_window`: {error}")))?;
        }
        match (self.replay_window, root) {
            (Some(own), Some(root)) if own != root => Err(ConfigError::RootWindow {
                path: path.to_owned(),
                reason: format!(
                    "signed age {} and {} ms, queue age {} and {} ms",
                    own.max_signed_age_millis,
                    root.max_signed_age_millis,
                    own.max_queue_age_millis,
                    root.max_queue_age_millis
                ),
            }),
            (_, Some(window)) | (Some(window), None) => Ok(window),
            (None, None) => Err(wrong(
                "`replay_window` is missing; give it, or --root with a prepared root".into(),
            )),
        }
    }

    fn target(&self) -> Result<Option<BranchRef>, String> {
        let Some(name) = &self.target_branch else {
            return Ok(None);
        };
        if name.starts_with("refs/") {
            return Err("`target_branch` is a short name, for example \"main\"".into());
        }
        BranchRef::new(format!("refs/heads/{name}"))
            .map(Some)
            .map_err(|error| format!("`target_branch`: {error}"))
    }

    fn lane(&self, path: &Path, window: ReplayWindow) -> Result<Lane, ConfigError> {
        let wrong = |reason: &str| ConfigError::Wrong {
            kind: "route",
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        self.check_members().map_err(wrong)?;
        match self.scheme {
            Scheme::Github => {
                self.replay_only().map_err(wrong)?;
                let keys = self.keyring(path)?;
                Ok(Lane::Github { keys })
            }
            Scheme::Gitea => {
                self.replay_only().map_err(wrong)?;
                let integration = self.integration().map_err(wrong)?;
                let keys = self.keyring(path)?;
                Ok(Lane::Gitea { keys, integration })
            }
            Scheme::GitlabWebhook => {
                let max_age = self.max_age(window).map_err(wrong)?;
                let integration = self.integration().map_err(wrong)?;
                let keys = self.keyring(path)?;
                Ok(Lane::GitlabWebhook {
                    keys,
                    integration,
                    max_age,
                })
            }
            Scheme::GitlabOidc => {
                let max_age = self.max_age(window).map_err(wrong)?;
                let integration = self.integration().map_err(wrong)?;
                let file = self
                    .oidc
                    .as_ref()
                    .ok_or_else(|| wrong("`oidc` is missing"))?;
                Ok(Lane::GitlabOidc {
                    policy: Box::new(file.load(path)?),
                    integration,
                    max_age,
                })
            }
        }
    }

    /// Members that another scheme has: nothing that an operator wrote is ignored.
    fn check_members(&self) -> Result<(), &'static str> {
        if self.scheme == Scheme::Github && self.integration.is_some() {
            return Err(
                "`integration` is no member of a github route: it is the signed installation id",
            );
        }
        if self.scheme == Scheme::GitlabOidc {
            if self.keyring.is_some() {
                return Err("`keyring` is no member of a gitlab-oidc route; `oidc` is");
            }
            if self.target_branch.is_some() {
                return Err(
                    "`target_branch` is no member of a gitlab-oidc route: a token names no target",
                );
            }
        } else if self.oidc.is_some() {
            return Err("`oidc` is a member of gitlab-oidc routes only");
        }
        Ok(())
    }

    fn replay_only(&self) -> Result<(), &'static str> {
        match self.signed_time {
            SignedTime::ReplayOnly => Ok(()),
            SignedTime::Required { .. } => {
                Err("`signed_time` must be \"replay-only\": this scheme signs no time")
            }
        }
    }

    fn max_age(&self, window: ReplayWindow) -> Result<i64, &'static str> {
        match self.signed_time {
            SignedTime::ReplayOnly => Err(
                "`signed_time` must be {\"required\":{\"max_age_millis\":N}}: this scheme signs a time",
            ),
            SignedTime::Required { max_age_millis }
                if (1..=window.max_signed_age_millis).contains(&max_age_millis) =>
            {
                Ok(max_age_millis)
            }
            SignedTime::Required { .. } => Err(
                "`signed_time.required.max_age_millis` is not 1 to the window's `max_signed_age_millis`",
            ),
        }
    }

    fn integration(&self) -> Result<IntegrationId, &'static str> {
        self.integration
            .clone()
            .ok_or("`integration` is missing; this scheme signs none")
    }

    fn keyring(&self, path: &Path) -> Result<Keyring, ConfigError> {
        let wrong = |reason: String| ConfigError::Wrong {
            kind: "route",
            path: path.to_owned(),
            reason,
        };
        let Some(file) = &self.keyring else {
            return Err(wrong("`keyring` is missing".into()));
        };
        let keys = Keyring::load(&path.parent().unwrap_or(Path::new(".")).join(file))?;
        if *keys.trust_set() != self.trust_set {
            return Err(wrong(format!(
                "`trust_set` is `{}`, the keyring's is `{}`",
                self.trust_set,
                keys.trust_set()
            )));
        }
        Ok(keys)
    }
}
