//! Gitea and Forgejo: hex of the HMAC in `X-Gitea-Signature`, `X-Forgejo-Signature`, or both.

use std::borrow::Cow;

use subtle::ConstantTimeEq as _;

use super::super::check::IngressCheck;
use super::super::decode::form;
use super::super::error::{IngressError, Unsigned};
use super::super::keyring::Keyring;
use super::super::proof::{Authenticated, Signed};
use super::{beside_digest, hex_tag, unsigned, vouch};

/// Gitea's header.
pub const GITEA: &str = "X-Gitea-Signature";
/// Forgejo's header.
pub const FORGEJO: &str = "X-Forgejo-Signature";

pub(super) fn authenticate<'r>(
    check: IngressCheck<'r>,
    keys: &'r Keyring,
) -> Result<Authenticated<'r>, IngressError> {
    let headers = check.request().headers();
    let (header, value) = match (headers.one(GITEA)?, headers.one(FORGEJO)?) {
        (None, None) => {
            let missing = format!("`{GITEA}` and `{FORGEJO}` are");
            return Err(unsigned(&check, GITEA, missing));
        }
        (Some(value), None) => (GITEA, value),
        (None, Some(value)) => (FORGEJO, value),
        (Some(gitea), Some(forgejo)) => {
            if !bool::from(gitea.ct_eq(forgejo)) {
                return Err(IngressError::header(
                    FORGEJO,
                    format!("is not equal to {GITEA}"),
                ));
            }
            (GITEA, gitea)
        }
    };
    if value.is_empty() {
        return Err(IngressError::Unsigned(Unsigned::Empty {
            header,
            also: String::new(),
        }));
    }
    let tag = hex_tag(header, value)?;
    let signed = signed_bytes(&check)?;
    let body = check.request().body.as_slice();
    let (anchor, digest) = beside_digest(body, || {
        vouch(&check, keys, header, &[signed.as_ref()], &[tag])
    });
    let anchor = anchor?;
    let signed = match signed {
        Cow::Borrowed(_) => Signed::Body,
        Cow::Owned(text) => Signed::Text(text),
    };
    Authenticated::exact_body(check, anchor, signed, digest)
}

/// What Gitea signs: the body, or in a form delivery the text inside the form. A body that claims
/// to be a form and is none is judged as it is: its signature cannot hold, and nothing is guessed.
fn signed_bytes<'c>(check: &'c IngressCheck<'_>) -> Result<Cow<'c, [u8]>, IngressError> {
    let body = check.request().body.as_slice();
    let says_form = match check.request().headers().one("Content-Type")? {
        Some(kind) => {
            let end = kind.iter().position(|byte| *byte == b';');
            let kind = kind.get(..end.unwrap_or(kind.len())).unwrap_or_default();
            kind.trim_ascii()
                .eq_ignore_ascii_case(b"application/x-www-form-urlencoded")
        }
        None => form::is_form(body),
    };
    let text = if says_form { form::payload(body) } else { None };
    Ok(text.map_or(Cow::Borrowed(body), Cow::Owned))
}
