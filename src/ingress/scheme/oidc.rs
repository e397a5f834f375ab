//! GitLab's ID token of a protected policy job (page 2.3).

use serde_json::{Map, Value};

use super::super::check::IngressCheck;
use super::super::error::IngressError;
use super::super::oidc::{OidcPolicy, RunnerId};
use super::super::proof::{Authenticated, Issued, Job};
use super::token;
use crate::clock::MAX_INTEGER;
use crate::delivery::text::DeliveryId;
use crate::delivery::{Digest, ObjectFormat, ObjectId};
use crate::json;

/// The header that is read.
pub const HEADER: &str = "Authorization";
/// The domain of the replay identity.
const JTI_DOMAIN: &str = "amiss/gitlab-oidc-jti-v1";

pub(super) fn authenticate<'r>(
    check: IngressCheck<'r>,
    policy: &'r OidcPolicy,
) -> Result<Authenticated<'r>, IngressError> {
    let token = bearer(&check)?;
    let (payload, anchor) = token::verify(token, &policy.keys)?;
    let claims = Claims::parse(&payload)?;
    let times = claims.check_registered(policy)?;
    let job = claims.check_job(policy)?;
    let jti = claims.text("jti")?;
    let delivery = format!(
        "oidc/runner/{}/jti/{}",
        job.runner,
        Digest::of(JTI_DOMAIN, jti.as_bytes())
    );
    let delivery =
        DeliveryId::new(delivery).map_err(|error| IngressError::claim("jti", error.to_string()))?;
    times.check(&check)?;
    let issued = Issued::Seconds(times.issued);
    Ok(Authenticated::job(check, anchor, delivery, issued, job))
}

fn bearer<'c>(check: &'c IngressCheck<'_>) -> Result<&'c str, IngressError> {
    let value = check
        .request()
        .headers()
        .one(HEADER)?
        .ok_or(IngressError::Token("is missing: there is no such header"))?;
    let text = std::str::from_utf8(value)
        .map_err(|_| IngressError::Token("is not of the form `Bearer` and a JWT"))?;
    match text.split_once(' ') {
        Some((kind, token)) if kind.eq_ignore_ascii_case("bearer") && !token.is_empty() => {
            Ok(token)
        }
        _ => Err(IngressError::Token("is not of the form `Bearer` and a JWT")),
    }
}

/// The token's times, in seconds since 1970.
struct Times {
    expires: i64,
    not_before: i64,
    issued: i64,
}

impl Times {
    /// Both ends are inclusive, each with the skew.
    fn check(&self, check: &IngressCheck<'_>) -> Result<(), IngressError> {
        let now = check.now().get();
        let skew = check.route().skew;
        let past = now.saturating_sub(self.expires.saturating_mul(1000));
        if past > skew {
            return Err(IngressError::Stale {
                what: "the end of the token (`exp`)",
                age: past,
                limit: skew,
            });
        }
        let ahead = self.not_before.saturating_mul(1000).saturating_sub(now);
        if ahead > skew {
            return Err(IngressError::Future {
                what: "the start of the token (`nbf`)",
                ahead,
                skew,
            });
        }
        Ok(())
    }
}

struct Claims(Map<String, Value>);

impl Claims {
    fn parse(payload: &[u8]) -> Result<Claims, IngressError> {
        let text = std::str::from_utf8(payload)
            .map_err(|_| IngressError::claim("claims", "are not UTF-8"))?;
        match json::parse_value(text, "they") {
            Ok(Value::Object(claims)) => Ok(Claims(claims)),
            Ok(_) => Err(IngressError::claim("claims", "are no JSON object")),
            Err(error) => Err(IngressError::claim(
                "claims",
                format!("cannot be read: {error}"),
            )),
        }
    }

    fn check_registered(&self, policy: &OidcPolicy) -> Result<Times, IngressError> {
        self.equals("iss", &policy.issuer)?;
        let audience = match self.0.get("aud") {
            Some(Value::Array(list)) => match list.as_slice() {
                [Value::String(one)] => Some(one),
                _ => None,
            },
            Some(Value::String(one)) => Some(one),
            _ => None,
        };
        if audience != Some(&policy.audience) {
            return Err(IngressError::claim(
                "aud",
                "is not exactly the route's audience",
            ));
        }
        self.text("sub")?;
        self.text("jti")?;
        let times = Times {
            expires: self.seconds("exp")?,
            not_before: self.seconds("nbf")?,
            issued: self.seconds("iat")?,
        };
        if times.issued > times.expires {
            return Err(IngressError::claim("iat", "is after `exp`"));
        }
        if times.not_before > times.expires {
            return Err(IngressError::claim("nbf", "is after `exp`"));
        }
        Ok(times)
    }

    fn check_job(&self, policy: &OidcPolicy) -> Result<Job, IngressError> {
        if self.id("job_project_id")? != policy.project_id {
            return Err(not_allowed("job_project_id"));
        }
        self.equals("job_project_path", &policy.project_path)?;
        self.equals("pipeline_source", "merge_request_event")?;
        self.equals("job_source", "pipeline_execution_policy")?;
        let config = self
            .0
            .get("job_config")
            .and_then(Value::as_object)
            .ok_or_else(|| IngressError::claim("job_config", "is missing or no object"))?;
        let member = |name: &str| config.get(name).and_then(Value::as_str);
        if member("url") != Some(policy.config_url.as_str()) {
            return Err(not_allowed("job_config.url"));
        }
        if member("sha") != Some(policy.config_commit.as_str()) {
            return Err(not_allowed("job_config.sha"));
        }
        let runner = self.runner(policy)?;
        let candidate = ObjectId::of_format(self.text("sha")?, ObjectFormat::Sha1)
            .map_err(|_| IngressError::claim("sha", "is not 40 lower-case hex digits"))?;
        Ok(Job {
            project: policy.project_id,
            path: policy.project_path.clone(),
            pipeline: self.id("pipeline_id")?,
            id: self.id("job_id")?,
            runner,
            candidate,
        })
    }

    fn runner(&self, policy: &OidcPolicy) -> Result<RunnerId, IngressError> {
        let runner = self.id("runner_id")?;
        let allowed = match self.text("runner_environment")? {
            "gitlab-hosted" => policy.hosted,
            "self-hosted" => policy.self_hosted.contains(&runner),
            _ => false,
        };
        if allowed {
            Ok(runner)
        } else {
            Err(not_allowed("runner"))
        }
    }

    fn text(&self, claim: &'static str) -> Result<&str, IngressError> {
        match self.0.get(claim) {
            Some(Value::String(text)) if !text.is_empty() => Ok(text),
            Some(Value::String(_)) => Err(IngressError::claim(claim, "is empty")),
            Some(_) => Err(IngressError::claim(claim, "is no text")),
            None => Err(IngressError::claim(claim, "is missing")),
        }
    }

    fn equals(&self, claim: &'static str, wanted: &str) -> Result<(), IngressError> {
        if self.text(claim)? == wanted {
            Ok(())
        } else {
            Err(not_allowed(claim))
        }
    }

    /// A JSON integer from 0 to 2^53 − 1.
    fn seconds(&self, claim: &'static str) -> Result<i64, IngressError> {
        let value = self
            .0
            .get(claim)
            .ok_or_else(|| IngressError::claim(claim, "is missing"))?;
        value
            .as_i64()
            .filter(|seconds| (0..=MAX_INTEGER).contains(seconds))
            .ok_or_else(|| IngressError::claim(claim, "is no JSON integer of seconds since 1970"))
    }

    /// A positive integer, or its canonical decimal text.
    fn id(&self, claim: &'static str) -> Result<u64, IngressError> {
        let number = match self.0.get(claim) {
            None => return Err(IngressError::claim(claim, "is missing")),
            Some(Value::String(text)) => text
                .parse::<u64>()
                .ok()
                .filter(|number| number.to_string() == *text),
            Some(value) => value.as_u64(),
        };
        number
            .filter(|number| (1..=MAX_INTEGER.unsigned_abs()).contains(number))
            .ok_or_else(|| IngressError::claim(claim, "is no id from 1 to 9007199254740991"))
    }
}

fn not_allowed(claim: &'static str) -> IngressError {
    IngressError::claim(claim, "is not what the route allows")
}
