//! A compact JWS with RS256 and a pinned key: the form, then the key, then the signature. What a
//! token may choose is nothing; `jsonwebtoken` does the RSA and decides nothing here.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Algorithm;
use serde_json::Value;

use super::super::error::IngressError;
use super::super::pinned::PinnedKeys;
use crate::delivery::accepted::Label;
use crate::json;

/// The most bytes of a token.
pub const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// Header members that name or carry a key, or change what is signed: none is ever followed.
const REFUSED: [(&str, &str); 6] = [
    ("crit", "has `crit` in its header: no extension is accepted"),
    ("jwk", "carries a key of its own (`jwk`)"),
    ("jku", "links to keys (`jku`); nothing is fetched"),
    ("x5u", "links to keys (`x5u`); nothing is fetched"),
    ("x5c", "carries keys of its own (`x5c`)"),
    ("b64", "has `b64` in its header: no extension is accepted"),
];

/// The bytes that a token signs, and the key that vouches for them.
pub(super) fn verify<'k>(
    token: &str,
    keys: &'k PinnedKeys,
) -> Result<(Vec<u8>, &'k Label), IngressError> {
    if token.len() > MAX_TOKEN_BYTES {
        return Err(IngressError::Token("is over 16384 bytes"));
    }
    let mut parts = token.split('.');
    let (Some(head), Some(claims), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(IngressError::Token("is not three parts with dots between"));
    };
    let header = decode(head)?;
    let kid = check_header(&header)?;
    let payload = decode(claims)?;
    if signature.is_empty() {
        return Err(IngressError::Token("has no signature"));
    }
    decode(signature)?;
    let (anchor, key) = keys.get(&kid).ok_or(IngressError::UnknownKid)?;
    let signed = token
        .get(..head.len().saturating_add(1).saturating_add(claims.len()))
        .unwrap_or_default();
    let holds = jsonwebtoken::crypto::verify(signature, signed.as_bytes(), key, Algorithm::RS256);
    match holds {
        Ok(true) => Ok((payload, anchor)),
        Ok(false) | Err(_) => Err(IngressError::Signature {
            header: super::oidc::HEADER,
            bytes: signed.len(),
            tried: 1,
        }),
    }
}

/// Canonical base64url without padding.
fn decode(part: &str) -> Result<Vec<u8>, IngressError> {
    URL_SAFE_NO_PAD
        .decode(part)
        .map_err(|_| IngressError::Token("has a part that is not canonical base64url"))
}

/// The key id, after the algorithm and everything that is refused.
fn check_header(bytes: &[u8]) -> Result<String, IngressError> {
    let header = std::str::from_utf8(bytes)
        .ok()
        .and_then(|text| json::parse_value(text, "header").ok())
        .ok_or(IngressError::Token("has a header that is no JSON object"))?;
    let header = header
        .as_object()
        .ok_or(IngressError::Token("has a header that is no JSON object"))?;
    if header.get("alg").and_then(Value::as_str) != Some("RS256") {
        return Err(IngressError::Token("has another `alg` than \"RS256\""));
    }
    for (member, fault) in REFUSED {
        if header.contains_key(member) {
            return Err(IngressError::Token(fault));
        }
    }
    match header.get("kid") {
        Some(Value::String(kid)) if !kid.is_empty() => Ok(kid.clone()),
        Some(Value::String(_)) | None => Err(IngressError::UnknownKid),
        Some(_) => Err(IngressError::Token("has a `kid` that is no text")),
    }
}
