//! A CGI/1.1 request (RFC 3875): headers from the environment, the body from standard input
//! (page 2.1).

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;

use super::headers::Headers;
use super::limits::Limits;
use super::request::{Request, RequestError, read_bounded};

/// Reads one request. `variables` is the environment of the process; `input` its standard input.
///
/// # Errors
/// [`RequestError`]: a length that is no number, a body shorter than its length, a body over the
/// limit of the route (found without reading further).
pub fn read(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    input: impl Read,
    limits: &Limits,
) -> Result<Request, RequestError> {
    let mut length = None;
    let mut list: Vec<(String, Vec<u8>)> = Vec::new();
    let mut kind = None;
    for (name, value) in variables {
        let (Some(name), value) = (name.to_str(), value.into_vec()) else {
            continue;
        };
        match name {
            "CONTENT_LENGTH" => length = announced(&value, limits)?,
            "CONTENT_TYPE" => kind = Some(value),
            _ => {
                if let Some(header) = name.strip_prefix("HTTP_") {
                    list.push((header.replace('_', "-").to_ascii_lowercase(), value));
                }
            }
        }
    }
    if let Some(kind) = kind.filter(|kind| !kind.is_empty()) {
        // Some servers hand the same header on under both names.
        list.retain(|(name, _)| name != "content-type");
        list.push(("content-type".into(), kind));
    }
    // The environment has no order; the digest of the request needs one.
    list.sort_unstable();
    let mut headers = Headers::default();
    for (name, value) in list {
        headers.push(name, value);
    }
    let body = body(input, length, limits)?;
    Ok(Request::new(None, headers, body))
}

/// The announced length; an empty one is none (RFC 3875, 4.1.2).
fn announced(value: &[u8], limits: &Limits) -> Result<Option<u64>, RequestError> {
    if value.is_empty() {
        return Ok(None);
    }
    if !value.iter().all(u8::is_ascii_digit) {
        return Err(RequestError::Cgi(
            "CONTENT_LENGTH is not a decimal number of bytes",
        ));
    }
    let length = std::str::from_utf8(value)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(u64::MAX);
    limits.check_body(length)?;
    Ok(Some(length))
}

fn body(input: impl Read, length: Option<u64>, limits: &Limits) -> Result<Vec<u8>, RequestError> {
    let Some(wanted) = length else {
        return read_bounded(input, 0, limits, RequestError::Stream);
    };
    let body = read_bounded(input.take(wanted), wanted, limits, RequestError::Stream)?;
    let found = u64::try_from(body.len()).unwrap_or(u64::MAX);
    if found == wanted {
        Ok(body)
    } else {
        Err(RequestError::Short { found, wanted })
    }
}
