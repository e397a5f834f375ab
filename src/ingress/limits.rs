//! What a request may weigh, found before anything else is looked at (page 2.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::IngressError;
use super::headers::Headers;
use crate::json::present;

/// The default ceiling of a body, in bytes.
pub const DEFAULT_BODY_BYTES: u64 = 8 * 1024 * 1024;
/// The highest that a GitHub route may set, in bytes: what GitHub sends at most.
pub const MAX_BODY_BYTES: u64 = 25 * 1024 * 1024;
/// The ceiling of the number of headers.
pub const MAX_HEADERS: u64 = 128;
/// The ceiling of all header names and values together, in bytes.
pub const MAX_HEADER_BYTES: u64 = 32 * 1024;
/// The ceiling of one header name, in bytes.
pub const MAX_NAME_BYTES: u64 = 128;

/// The limits of a route. Each is at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the body.
    pub body_bytes: u64,
    /// Number of headers.
    pub headers: u64,
    /// Bytes of all header names and values.
    pub header_bytes: u64,
    /// Bytes of one header name.
    pub name_bytes: u64,
}

/// The `limits` member of a route file; what is left out has its default.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitsFile {
    #[serde(default, deserialize_with = "present")]
    body_bytes: Option<u64>,
    #[serde(default, deserialize_with = "present")]
    headers: Option<u64>,
    #[serde(default, deserialize_with = "present")]
    header_bytes: Option<u64>,
    #[serde(default, deserialize_with = "present")]
    name_bytes: Option<u64>,
}

impl LimitsFile {
    /// The limits, each within its ceiling; `body_ceiling` is the scheme's.
    pub(super) fn check(&self, body_ceiling: u64) -> Result<Limits, String> {
        let pick = |member: &str, given: Option<u64>, default: u64, ceiling: u64| {
            let value = given.unwrap_or(default);
            if (1..=ceiling).contains(&value) {
                Ok(value)
            } else {
                Err(format!("`limits.{member}` is not 1 to {ceiling}"))
            }
        };
        let body = self.body_bytes;
        Ok(Limits {
            body_bytes: pick("body_bytes", body, DEFAULT_BODY_BYTES, body_ceiling)?,
            headers: pick("headers", self.headers, MAX_HEADERS, MAX_HEADERS)?,
            header_bytes: pick(
                "header_bytes",
                self.header_bytes,
                MAX_HEADER_BYTES,
                MAX_HEADER_BYTES,
            )?,
            name_bytes: pick(
                "name_bytes",
                self.name_bytes,
                MAX_NAME_BYTES,
                MAX_NAME_BYTES,
            )?,
        })
    }
}

impl Limits {
    /// Whether a body of this many bytes may pass.
    ///
    /// # Errors
    /// `INGRESS_LIMITS`.
    pub fn check_body(&self, bytes: u64) -> Result<(), IngressError> {
        check("body", bytes, self.body_bytes)
    }

    /// Whether these headers may pass.
    ///
    /// # Errors
    /// `INGRESS_LIMITS`.
    pub fn check_headers(&self, headers: &Headers) -> Result<(), IngressError> {
        check("number of headers", headers.count(), self.headers)?;
        check("header bytes", headers.bytes(), self.header_bytes)?;
        for (name, _) in headers.iter() {
            let length = u64::try_from(name.len()).unwrap_or(u64::MAX);
            check("header name", length, self.name_bytes)?;
        }
        Ok(())
    }
}

const fn check(what: &'static str, found: u64, limit: u64) -> Result<(), IngressError> {
    if found > limit {
        Err(IngressError::Limit { what, limit })
    } else {
        Ok(())
    }
}
