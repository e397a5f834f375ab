//! What was looked for and what was found, for an operator with a failing hook (page 2.4). Nothing
//! here is a secret, an expected digest, a received signature or a token; nothing here is
//! authenticated, and nothing decides on it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::Serialize;

use super::request::Request;
use super::route::{Lane, Route};
use super::scheme::{gitea, github, oidc, standard};
use crate::clock::UnixMillis;
use crate::delivery::accepted::{Label, Scheme};
use crate::json;

/// The `explain` member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explanation {
    scheme: Scheme,
    headers: Vec<Looked>,
    /// Signature headers of other schemes that came.
    other_headers: Vec<&'static str>,
    body_bytes: usize,
    body_limit_bytes: u64,
    keys: Vec<KeyState>,
    clock: ClockState,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<TokenState>,
}

/// One header that the scheme reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Looked {
    name: &'static str,
    wanted: &'static str,
    times: usize,
    found: String,
}

/// One key of the route, and whether it counts at the receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct KeyState {
    anchor: Label,
    #[serde(skip_serializing_if = "Option::is_none")]
    active_from_unix_millis: Option<UnixMillis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    active_until_unix_millis: Option<UnixMillis>,
    active_at_receipt: bool,
}

#[allow(
    clippy::struct_field_names,
    reason = "every member that is a time says its unit"
)]
/// How far the times are apart. What the request says of itself is not authenticated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct ClockState {
    now_unix_millis: UnixMillis,
    received_at_unix_millis: UnixMillis,
    queued_millis: i64,
    queue_limit_millis: i64,
    future_skew_millis: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    says_issued_at_unix_millis: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    says_age_millis: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    age_limit_millis: Option<i64>,
}

/// What a token says of itself, not authenticated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
struct TokenState {
    parts: usize,
    alg: Option<String>,
    kid_is_pinned: bool,
    iat: Option<i64>,
    nbf: Option<i64>,
    exp: Option<i64>,
}

/// Every header that some scheme reads a signature from.
const SIGNATURE_HEADERS: [&str; 7] = [
    github::HEADER,
    "X-Hub-Signature",
    gitea::GITEA,
    gitea::FORGEJO,
    "X-Gitlab-Token",
    standard::SIGNATURE,
    oidc::HEADER,
];

impl Explanation {
    /// Looks at a request as the route's scheme does.
    #[must_use]
    pub fn of(route: &Route, request: &Request, now: UnixMillis) -> Explanation {
        let received_at = request.received_at.unwrap_or(now);
        let headers: Vec<Looked> = wanted(&route.lane)
            .iter()
            .map(|(name, wanted)| looked(request, name, wanted))
            .collect();
        let read = |name: &str| headers.iter().any(|looked| looked.name == name);
        let other_headers = SIGNATURE_HEADERS
            .into_iter()
            .filter(|name| !read(name) && request.headers.times(name) > 0)
            .collect();
        let token = token(route, request);
        let issued = issued(&route.lane, request, token.as_ref());
        let says = issued.map(|seconds| seconds.saturating_mul(1000));
        Explanation {
            scheme: route.lane.scheme(),
            headers,
            other_headers,
            body_bytes: request.body.len(),
            body_limit_bytes: route.limits.body_bytes,
            keys: keys(&route.lane, received_at),
            clock: ClockState {
                now_unix_millis: now,
                received_at_unix_millis: received_at,
                queued_millis: now.since(received_at),
                queue_limit_millis: route.window.max_queue_age_millis,
                future_skew_millis: route.skew,
                says_issued_at_unix_millis: says,
                says_age_millis: says.map(|millis| received_at.get().saturating_sub(millis)),
                age_limit_millis: max_age(&route.lane),
            },
            token,
        }
    }
}

const fn wanted(lane: &Lane) -> &'static [(&'static str, &'static str)] {
    match lane {
        Lane::Github { .. } => &[(github::HEADER, "sha256= and 64 lower-case hex digits")],
        Lane::Gitea { .. } => &[
            (gitea::GITEA, "64 lower-case hex digits"),
            (gitea::FORGEJO, "64 lower-case hex digits"),
        ],
        Lane::GitlabWebhook { .. } => &[
            (standard::ID, "1 to 256 of A-Z a-z 0-9 _ : / @ + -"),
            (standard::TIMESTAMP, "canonical decimal seconds"),
            (
                standard::SIGNATURE,
                "1 to 8 of v1, and canonical base64 of 32 bytes, one blank between",
            ),
        ],
        Lane::GitlabOidc { .. } => &[(oidc::HEADER, "Bearer, one blank and a JWT")],
    }
}

const fn max_age(lane: &Lane) -> Option<i64> {
    match lane {
        Lane::Github { .. } | Lane::Gitea { .. } => None,
        Lane::GitlabWebhook { max_age, .. } | Lane::GitlabOidc { max_age, .. } => Some(*max_age),
    }
}

fn value<'r>(request: &'r Request, name: &str) -> Option<&'r [u8]> {
    request
        .headers
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

fn looked(request: &Request, name: &'static str, wanted: &'static str) -> Looked {
    let times = request.headers.times(name);
    let found = match (times, value(request, name)) {
        (1, Some(value)) => shape(value),
        (0, _) | (_, None) => "nothing".to_owned(),
        _ => "the header more than once".to_owned(),
    };
    Looked {
        name,
        wanted,
        times,
        found,
    }
}

/// What a value looks like, without any of it.
fn shape(value: &[u8]) -> String {
    if value.is_empty() {
        return "an empty value".into();
    }
    let text = String::from_utf8_lossy(value);
    let prefix = ["sha256=", "sha1=", "v1,", "Bearer ", "Basic "]
        .into_iter()
        .find(|prefix| text.starts_with(prefix));
    let rest = text
        .strip_prefix(prefix.unwrap_or_default())
        .unwrap_or(&text);
    let letters = if rest.is_empty() {
        "nothing after it"
    } else if rest.bytes().all(|byte| byte.is_ascii_digit()) {
        "decimal digits"
    } else if rest
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    {
        "lower-case hex digits"
    } else if rest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        "hex digits, upper-case ones among them"
    } else {
        "other characters"
    };
    match prefix {
        Some(prefix) => format!(
            "`{}` and {} bytes: {letters}",
            prefix.trim_end(),
            rest.len()
        ),
        None => format!("{} bytes: {letters}", rest.len()),
    }
}

fn keys(lane: &Lane, at: UnixMillis) -> Vec<KeyState> {
    match lane {
        Lane::Github { keys } | Lane::Gitea { keys, .. } | Lane::GitlabWebhook { keys, .. } => keys
            .windows()
            .map(|(anchor, window)| KeyState {
                anchor: anchor.clone(),
                active_from_unix_millis: Some(window.from),
                active_until_unix_millis: window.until,
                active_at_receipt: window.holds(at),
            })
            .collect(),
        Lane::GitlabOidc { policy, .. } => policy
            .keys
            .anchors()
            .map(|anchor| KeyState {
                anchor: anchor.clone(),
                active_from_unix_millis: None,
                active_until_unix_millis: None,
                active_at_receipt: true,
            })
            .collect(),
    }
}

fn issued(lane: &Lane, request: &Request, token: Option<&TokenState>) -> Option<i64> {
    match lane {
        Lane::Github { .. } | Lane::Gitea { .. } => None,
        Lane::GitlabWebhook { .. } => {
            let text = std::str::from_utf8(value(request, standard::TIMESTAMP)?).ok()?;
            text.parse().ok()
        }
        Lane::GitlabOidc { .. } => token?.iat,
    }
}

/// What the token's own header and claims say, where they can be read at all.
fn token(route: &Route, request: &Request) -> Option<TokenState> {
    let Lane::GitlabOidc { policy, .. } = &route.lane else {
        return None;
    };
    let text = std::str::from_utf8(value(request, oidc::HEADER)?).ok()?;
    let (_, token) = text.split_once(' ')?;
    let mut parts = token.split('.');
    let mut part = || {
        let bytes = URL_SAFE_NO_PAD.decode(parts.next()?).ok()?;
        json::parse_value(std::str::from_utf8(&bytes).ok()?, "part").ok()
    };
    let header = part().unwrap_or_default();
    let claims = part().unwrap_or_default();
    let number = |name: &str| claims.get(name).and_then(serde_json::Value::as_i64);
    let word = |name: &str| header.get(name).and_then(serde_json::Value::as_str);
    Some(TokenState {
        parts: token.split('.').count(),
        alg: word("alg").map(|alg| alg.chars().take(16).collect()),
        kid_is_pinned: word("kid").is_some_and(|kid| policy.keys.get(kid).is_some()),
        iat: number("iat"),
        nbf: number("nbf"),
        exp: number("exp"),
    })
}
