//! GitLab's signing tokens, which follow Standard Webhooks: `webhook-id`, `webhook-timestamp` and
//! `webhook-signature` over `id.timestamp.body`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::check::IngressCheck;
use super::super::error::{IngressError, Unsigned};
use super::super::keyring::{Keyring, TAG_BYTES};
use super::super::proof::{Authenticated, Issued};
use super::{beside_digest, unsigned, vouch};
use crate::delivery::text::DeliveryId;

/// The header of the message id.
pub const ID: &str = "webhook-id";
/// The header of the time.
pub const TIMESTAMP: &str = "webhook-timestamp";
/// The header of the signatures.
pub const SIGNATURE: &str = "webhook-signature";
/// The most signatures of version v1 in one header.
pub const MAX_SIGNATURES: usize = 8;
/// The most digits of a timestamp.
pub const MAX_DIGITS: usize = 19;

pub(super) fn authenticate<'r>(
    check: IngressCheck<'r>,
    keys: &'r Keyring,
) -> Result<Authenticated<'r>, IngressError> {
    let headers = check.request().headers();
    let id = headers.one(ID)?;
    let timestamp = headers.one(TIMESTAMP)?;
    let signature = headers.one(SIGNATURE)?;
    let blank = |value: Option<&[u8]>| value.is_none_or(<[u8]>::is_empty);
    let missing = [(ID, id), (TIMESTAMP, timestamp), (SIGNATURE, signature)]
        .into_iter()
        .filter(|(_, value)| blank(*value))
        .map(|(name, _)| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(" and ");
    let is = if missing.contains(" and ") {
        "are"
    } else {
        "is"
    };
    let signature = match signature {
        None => return Err(unsigned(&check, SIGNATURE, format!("{missing} {is}"))),
        Some(b"") => {
            return Err(IngressError::Unsigned(Unsigned::Empty {
                header: SIGNATURE,
                also: format!(" ({missing} {is} missing or empty)"),
            }));
        }
        Some(value) => value,
    };
    if !missing.is_empty() {
        let name = if blank(id) { ID } else { TIMESTAMP };
        let fault = format!("is missing or empty ({missing} {is})");
        return Err(IngressError::header(name, fault));
    }
    let (id, timestamp) = (id.unwrap_or_default(), timestamp.unwrap_or_default());
    let delivery = message_id(id)?;
    let seconds = seconds(timestamp)?;
    let tags = signatures(signature)?;
    let body = check.request().body.as_slice();
    let parts = [id, b".", timestamp, b".", body];
    let (anchor, digest) = beside_digest(body, || vouch(&check, keys, SIGNATURE, &parts, &tags));
    let anchor = anchor?;
    let issued = Issued::Seconds(seconds);
    Ok(Authenticated::message(
        check, anchor, delivery, issued, digest,
    ))
}

/// A message id that can be a replay identity. A dot would let two messages share one signature.
fn message_id(value: &[u8]) -> Result<DeliveryId, IngressError> {
    if value.contains(&b'.') {
        return Err(IngressError::header(ID, "has a dot"));
    }
    std::str::from_utf8(value)
        .ok()
        .and_then(|text| DeliveryId::new(text).ok())
        .ok_or_else(|| IngressError::header(ID, "is not 1 to 256 of A-Z a-z 0-9 _ : / @ + -"))
}

/// Canonical decimal seconds that fit a signed 64-bit number.
fn seconds(value: &[u8]) -> Result<i64, IngressError> {
    let canonical = matches!(value.len(), 1..=MAX_DIGITS)
        && value.iter().all(u8::is_ascii_digit)
        && (value.len() == 1 || value.first() != Some(&b'0'));
    std::str::from_utf8(value)
        .ok()
        .filter(|_| canonical)
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| IngressError::header(TIMESTAMP, "is not canonical decimal seconds"))
}

/// The signatures of version v1, in a list of `version,data` with one blank between.
fn signatures(value: &[u8]) -> Result<Vec<[u8; TAG_BYTES]>, IngressError> {
    let wrong = |fault: &str| IngressError::header(SIGNATURE, fault);
    let mut tags: Vec<[u8; TAG_BYTES]> = Vec::new();
    let mut seen: Vec<&[u8]> = Vec::new();
    for entry in value.split(|byte| *byte == b' ') {
        let comma = entry.iter().position(|byte| *byte == b',');
        let (version, data) = comma
            .and_then(|at| entry.split_at_checked(at))
            .and_then(|(version, rest)| Some((version, rest.strip_prefix(b",")?)))
            .filter(|(version, data)| !version.is_empty() && !data.is_empty())
            .ok_or_else(|| wrong("holds an entry that is not of the form version,data"))?;
        // A version that nobody here knows, whatever its data looks like; `V1` is one of them.
        if version != b"v1" {
            continue;
        }
        if seen.contains(&data) {
            return Err(wrong("holds a signature twice"));
        }
        seen.push(data);
        let tag = STANDARD
            .decode(data)
            .ok()
            .and_then(|bytes| <[u8; TAG_BYTES]>::try_from(bytes).ok())
            .ok_or_else(|| wrong("holds a v1 entry that is not canonical base64 of 32 bytes"))?;
        if tags.len() >= MAX_SIGNATURES {
            return Err(wrong("holds more than 8 signatures"));
        }
        tags.push(tag);
    }
    if tags.is_empty() {
        return Err(IngressError::Unsigned(Unsigned::UnknownVersions {
            header: SIGNATURE,
        }));
    }
    Ok(tags)
}
