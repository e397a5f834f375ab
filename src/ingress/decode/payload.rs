//! Reading a payload: UTF-8, one JSON object of at most 64 levels, no member twice anywhere.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::error::IngressError;
use crate::clock::MAX_INTEGER;
use crate::json;

/// Checks the form of the whole payload and gives its text.
pub(super) fn object(bytes: &[u8]) -> Result<&str, IngressError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        wrong(format!(
            "the body is not UTF-8 after byte {}",
            error.valid_up_to()
        ))
    })?;
    let first = text
        .trim_start_matches([' ', '\t', '\r', '\n'])
        .bytes()
        .next();
    if first != Some(b'{') {
        return Err(wrong("the body is not a JSON object"));
    }
    json::check_unique(text, "the body").map_err(|error| wrong(error.to_string()))?;
    Ok(text)
}

/// The members that a type reads; all others are left. The text is one that [`object`] gave: its
/// depth and its members are checked already.
pub(super) fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, IngressError> {
    serde_json::from_str(text)
        .map_err(|error| wrong(format!("the body: {}", json::plain(&error.to_string()))))
}

/// One member of the body, read on its own.
pub(super) fn member<'a, T: Deserialize<'a>>(
    name: &str,
    text: Option<&'a RawValue>,
) -> Result<T, IngressError> {
    let text = text.ok_or_else(|| wrong(format!("`{name}` is missing")))?;
    serde_json::from_str(text.get())
        .map_err(|error| wrong(format!("`{name}`: {}", json::plain(&error.to_string()))))
}

/// A payload fault.
pub(super) fn wrong(reason: impl Into<String>) -> IngressError {
    IngressError::Payload(reason.into())
}

/// A positive integer up to 2^53 − 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u64")]
pub(in super::super) struct Id(u64);

impl TryFrom<u64> for Id {
    type Error = &'static str;
    fn try_from(number: u64) -> Result<Id, &'static str> {
        if number >= 1 && number <= MAX_INTEGER.unsigned_abs() {
            Ok(Id(number))
        } else {
            Err("an id is an integer from 1 to 9007199254740991")
        }
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}
