//! The schemes: each looks for its own header, in its one canonical form, and nothing else
//! (page 2.3).

pub mod gitea;
pub mod github;
pub mod oidc;
pub mod standard;
pub mod token;

use super::check::IngressCheck;
use super::error::{IngressError, Unsigned};
use super::keyring::{Keyring, NoMatch, TAG_BYTES};
use super::proof::Authenticated;
use super::route::Lane;
use crate::delivery::accepted::Label;
use crate::delivery::digest::{DomainHash, unhex};

/// The domain of replay identities that are the exact signed body.
pub const EXACT_BODY_DOMAIN: &str = "amiss/controller-exact-delivery-v1";

/// Authenticates a checked request by its route's scheme.
///
/// # Errors
/// [`IngressError`], before any member of the body was looked at.
pub fn authenticate(check: IngressCheck<'_>) -> Result<Authenticated<'_>, IngressError> {
    match &check.route().lane {
        Lane::Github { keys } => github::authenticate(check, keys),
        Lane::Gitea { keys, .. } => gitea::authenticate(check, keys),
        Lane::GitlabWebhook { keys, .. } => standard::authenticate(check, keys),
        Lane::GitlabOidc { policy, .. } => oidc::authenticate(check, policy),
    }
}

/// Bodies from here on are hashed beside their HMAC, in bytes: starting a thread costs about as
/// much as hashing this.
const LARGE_BODY: usize = 256 * 1024;

/// Does `work`, and hashes the exact body beside it where that saves time.
fn beside_digest<T>(body: &[u8], work: impl FnOnce() -> T) -> (T, [u8; 32]) {
    if body.len() < LARGE_BODY {
        return (work(), exact(body));
    }
    std::thread::scope(|scope| {
        let beside = std::thread::Builder::new().spawn_scoped(scope, || exact(body));
        let done = work();
        // Without a thread, or with one that died, the digest is made here.
        let digest = beside.ok().and_then(|thread| thread.join().ok());
        (done, digest.unwrap_or_else(|| exact(body)))
    })
}

/// H of the exact body.
pub(super) fn exact(body: &[u8]) -> [u8; 32] {
    let mut hash = DomainHash::new(EXACT_BODY_DOMAIN);
    hash.update(body);
    hash.finish_bytes()
}

/// The key that vouches for the joined parts.
fn vouch<'k>(
    check: &IngressCheck<'_>,
    keys: &'k Keyring,
    header: &'static str,
    parts: &[&[u8]],
    tags: &[[u8; TAG_BYTES]],
) -> Result<&'k Label, IngressError> {
    keys.find(check.received_at(), parts, tags)
        .map_err(|fault| match fault {
            NoMatch::NoneActive => IngressError::NoActiveKey {
                trust_set: keys.trust_set().clone(),
                received_at: check.received_at(),
            },
            NoMatch::Tried(tried) => IngressError::Signature {
                header,
                bytes: parts
                    .iter()
                    .fold(0, |sum, part| sum.saturating_add(part.len())),
                tried,
            },
        })
}

/// 32 bytes from exactly 64 lower-case hex digits.
fn hex_tag(header: &'static str, digits: &[u8]) -> Result<[u8; TAG_BYTES], IngressError> {
    std::str::from_utf8(digits)
        .ok()
        .and_then(unhex)
        .and_then(|bytes| <[u8; TAG_BYTES]>::try_from(bytes).ok())
        .ok_or_else(|| {
            let upper = digits.iter().any(u8::is_ascii_uppercase);
            let fault = if digits.len() == 64 && upper {
                "holds upper-case hex digits; lower-case ones are expected".to_owned()
            } else {
                format!(
                    "holds {} bytes where exactly 64 lower-case hex digits are expected",
                    digits.len()
                )
            };
            IngressError::header(header, fault)
        })
}

/// The refusal of a request without the scheme's signature header: what came instead decides.
fn unsigned(check: &IngressCheck<'_>, wanted: &'static str, missing: String) -> IngressError {
    let headers = check.request().headers();
    let came = |name: &str| headers.times(name) > 0;
    let filled = |name: &str| {
        headers
            .iter()
            .any(|(other, value)| other.eq_ignore_ascii_case(name) && !value.is_empty())
    };
    let others = [
        "X-Gitlab-Token",
        "X-Hub-Signature-256",
        "X-Gitea-Signature",
        "X-Forgejo-Signature",
        "webhook-signature",
    ];
    if filled("X-Hub-Signature") {
        return IngressError::WeakAlgorithm { wanted };
    }
    IngressError::Unsigned(Unsigned::Missing {
        missing,
        instead: others.into_iter().find(|name| came(name)),
    })
}
