//! The `oidc` member of a route: whose tokens count, and for which job (page 2.2).

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::ConfigError;
use super::pinned::{PinFile, PinnedKeys};
use crate::clock::MAX_INTEGER;
use crate::delivery::ObjectId;
use crate::json::present;

/// A runner's id at the forge.
pub type RunnerId = u64;

/// The `oidc` member as the operator writes it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OidcFile {
    /// The `iss` that counts, `https://…`.
    issuer: String,
    /// The `aud` that counts.
    audience: String,
    /// The issuer's public keys as one reviewed file, relative to the route file.
    #[serde(default, deserialize_with = "present")]
    jwks_file: Option<PathBuf>,
    /// Or one PEM file a key.
    #[serde(default, deserialize_with = "present")]
    keys: Option<Vec<PinFile>>,
    /// The project of the job.
    project: ProjectFile,
    /// The protected configuration of the job.
    job_config: JobConfigFile,
    /// The runners that may hold such a token.
    runners: RunnersFile,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProjectFile {
    id: u64,
    path: String,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JobConfigFile {
    url: String,
    commit: ObjectId,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RunnersFile {
    #[serde(default)]
    hosted: bool,
    #[serde(default)]
    self_hosted: Vec<RunnerId>,
}

/// What a token must say, checked.
#[derive(Debug)]
pub struct OidcPolicy {
    pub(super) keys: PinnedKeys,
    pub(super) issuer: String,
    pub(super) audience: String,
    pub(super) project_id: u64,
    pub(super) project_path: String,
    pub(super) config_url: String,
    pub(super) config_commit: ObjectId,
    pub(super) hosted: bool,
    pub(super) self_hosted: Vec<RunnerId>,
}

impl OidcFile {
    /// The policy, with its keys read.
    ///
    /// # Errors
    /// `CONFIG_INVALID`.
    pub(super) fn load(&self, route: &Path) -> Result<OidcPolicy, ConfigError> {
        let wrong = |reason: &str| ConfigError::Wrong {
            kind: "route",
            path: route.to_owned(),
            reason: reason.to_owned(),
        };
        self.check().map_err(wrong)?;
        let keys = match (&self.jwks_file, &self.keys) {
            (Some(file), None) => PinnedKeys::load_jwks(route, file)?,
            (None, Some(files)) => PinnedKeys::load_pem(route, files)?,
            _ => {
                return Err(wrong(
                    "`oidc` has not exactly one of `jwks_file` and `keys`",
                ));
            }
        };
        Ok(OidcPolicy {
            keys,
            issuer: self.issuer.clone(),
            audience: self.audience.clone(),
            project_id: self.project.id,
            project_path: self.project.path.clone(),
            config_url: self.job_config.url.clone(),
            config_commit: self.job_config.commit.clone(),
            hosted: self.runners.hosted,
            self_hosted: self.runners.self_hosted.clone(),
        })
    }

    fn check(&self) -> Result<(), &'static str> {
        let is_https = |text: &str| {
            text.strip_prefix("https://")
                .is_some_and(|rest| !rest.is_empty())
        };
        let is_id = |id: &u64| (1..=MAX_INTEGER.unsigned_abs()).contains(id);
        if !is_https(&self.issuer) {
            return Err("`oidc.issuer` does not begin with https://");
        }
        if self.audience.is_empty() {
            return Err("`oidc.audience` is empty");
        }
        if !is_id(&self.project.id) {
            return Err("`oidc.project.id` is not 1 to 9007199254740991");
        }
        if super::decode::split_project(&self.project.path).is_err() {
            return Err("`oidc.project.path` is no path of group and project");
        }
        if !is_https(&self.job_config.url) {
            return Err("`oidc.job_config.url` does not begin with https://");
        }
        if !self.runners.self_hosted.iter().all(is_id) {
            return Err("`oidc.runners.self_hosted` holds what is no runner id");
        }
        if !self.runners.hosted && self.runners.self_hosted.is_empty() {
            return Err("`oidc.runners` allows no runner");
        }
        Ok(())
    }
}
