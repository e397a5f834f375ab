//! The one reader of untrusted JSON: bounded before it allocates, strict about what it accepts.
//!
//! A stream of documents ends at the first byte that makes the present one too large or too deep:
//! where it would end is not known then, and nothing behind it is read (page 1.2). A text that is
//! no JSON and leaves nothing open is refused alone, and the next one is answered. Values that amiss does not own stay text.

mod documents;
mod extent;
mod members;
mod unique;

use std::io;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use documents::Documents;
pub use extent::check_depth;
pub use members::Members;
pub use unique::{check_unique, parse_value};

use crate::code::{Code, Coded};

/// Nesting that any document may have, in levels (page 1.2).
pub const MAX_DEPTH: usize = 64;
/// The ceiling of an envelope, in bytes (page 1.2).
pub const MAX_ENVELOPE_BYTES: usize = 1024 * 1024;
/// The ceiling of an ingress request, in bytes (page 1.2).
pub const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;
/// The ceiling of a configuration file, in bytes.
pub const MAX_CONFIG_BYTES: usize = 1024 * 1024;

/// Why a document was refused.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// The input ended without any document.
    #[error("the input holds no JSON document, so nothing was done")]
    Empty,
    /// More bytes than the ceiling.
    #[error("the document is over its ceiling of {ceiling} bytes")]
    TooLarge {
        /// The ceiling in bytes.
        ceiling: usize,
    },
    /// More levels than [`MAX_DEPTH`].
    #[error("the document nests deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// Not JSON, or not the shape asked for.
    #[error("{what}: {reason}")]
    Malformed {
        /// Which document or member.
        what: String,
        /// What the parser found.
        reason: String,
    },
    /// The stream itself failed.
    #[error("cannot read the input")]
    Io(#[from] io::Error),
}

impl JsonError {
    fn malformed(what: impl Into<String>, reason: impl std::fmt::Display) -> JsonError {
        JsonError::Malformed {
            what: what.into(),
            reason: plain(&reason.to_string()),
        }
    }
}

/// The parser's reason without the names of its types, which say nothing to whoever wrote the
/// document.
pub(crate) fn plain(reason: &str) -> String {
    if reason == "EOF while parsing a value at line 1 column 0" {
        return "there is nothing in it".to_owned();
    }
    if let Some(place) = reason.strip_prefix("EOF while parsing ") {
        return format!("it ends in the middle of {place}");
    }
    match reason.split_once(", expected struct ") {
        Some((found, rest)) => {
            let place = rest.find(" at line").and_then(|at| rest.get(at..));
            format!("{found}, expected an object{}", place.unwrap_or_default())
        }
        None => reason.to_owned(),
    }
}

impl Coded for JsonError {
    fn code(&self) -> Code {
        match self {
            JsonError::TooLarge { .. } | JsonError::TooDeep => Code::InputTooLarge,
            JsonError::Empty | JsonError::Malformed { .. } => Code::InputMalformed,
            JsonError::Io(_) => Code::Io,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            JsonError::Empty => Some("an earlier command printed nothing; see its error".into()),
            _ => None,
        }
    }
}

/// Parses text that came from outside into a typed value: bounded in depth, and unknown, missing
/// and repeated members are refused by the type's own rules. A derived type would also take a list
/// of its members' values for an object; here that is a wrong type (page 1.2).
///
/// # Errors
/// [`JsonError::TooDeep`] and [`JsonError::Malformed`]; `what` names the document in the message.
pub fn parse<T: DeserializeOwned + Serialize>(text: &str, what: &str) -> Result<T, JsonError> {
    let value: T = parse_borrowed(text, what)?;
    if text.contains('[') {
        let given: serde_json::Value =
            serde_json::from_str(text).map_err(|error| JsonError::malformed(what, error))?;
        let taken =
            serde_json::to_value(&value).map_err(|error| JsonError::malformed(what, error))?;
        if let Some(place) = list_for_object(&given, &taken) {
            let reason = format!("{place}a list where an object belongs");
            return Err(JsonError::malformed(what, reason));
        }
    }
    Ok(value)
}

/// Like [`parse`], for types whose own rules tell a list from an object, and that borrow.
///
/// # Errors
/// As [`parse`].
pub fn parse_borrowed<'a, T: Deserialize<'a>>(text: &'a str, what: &str) -> Result<T, JsonError> {
    check_depth(text.as_bytes())?;
    if text.trim_start().starts_with('[') {
        return Err(JsonError::malformed(what, "a list where an object belongs"));
    }
    serde_json::from_str(text).map_err(|error| JsonError::malformed(what, error))
}

/// Like [`parse_borrowed`], for types that keep no text of others: what they accept is never deeper
/// than they are, so the depth is looked at only to say what is wrong.
///
/// # Errors
/// As [`parse`].
pub fn parse_closed<'a, T: Deserialize<'a>>(text: &'a str, what: &str) -> Result<T, JsonError> {
    if text.trim_start().starts_with('[') {
        return parse_borrowed(text, what);
    }
    serde_json::from_str(text).map_err(|error| {
        let deep = check_depth(text.as_bytes()).err();
        deep.unwrap_or_else(|| JsonError::malformed(what, error))
    })
}

/// Where a list was taken for an object, if anywhere: the members that lead there.
fn list_for_object(given: &serde_json::Value, taken: &serde_json::Value) -> Option<String> {
    use serde_json::Value::{Array, Object};
    match (given, taken) {
        (Array(_), Object(_)) => Some(String::new()),
        (Object(given), Object(taken)) => given.iter().find_map(|(name, value)| {
            let place = list_for_object(value, taken.get(name)?)?;
            Some(format!("`{name}` {place}"))
        }),
        (Array(given), Array(taken)) => given
            .iter()
            .zip(taken)
            .find_map(|(given, taken)| list_for_object(given, taken)),
        _ => None,
    }
}

/// A member that is there and has a value of its type: `null` is not the same as absent. For use
/// with `#[serde(default, deserialize_with = "json::present")]`.
///
/// # Errors
/// The type's own.
pub fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Text that stays in the document where it has no escapes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Text<'a>(#[serde(borrow)] pub std::borrow::Cow<'a, str>);

/// The text of a value, for a member of an envelope.
///
/// # Errors
/// [`JsonError::Malformed`] when the value has no JSON form; amiss has no such type.
pub fn to_raw<T: serde::Serialize + ?Sized>(value: &T) -> Result<Box<RawValue>, JsonError> {
    serde_json::value::to_raw_value(value).map_err(|error| JsonError::malformed("output", error))
}

/// RFC 8785 canonical JSON of a value.
///
/// # Errors
/// [`JsonError::Malformed`] when the value has no canonical form.
pub fn canonical<T: serde::Serialize>(value: &T) -> Result<Vec<u8>, JsonError> {
    serde_json_canonicalizer::to_vec(value)
        .map_err(|error| JsonError::malformed("canonical JSON", error))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn all(text: &[u8], ceiling: usize) -> Result<Vec<String>, JsonError> {
        let mut documents = Documents::new(text, ceiling);
        let mut list = Vec::new();
        while let Some(text) = documents.next_document()? {
            list.push(text.to_owned());
        }
        Ok(list)
    }

    #[test]
    fn documents_may_follow_each_other_with_or_without_blanks() {
        let list = all(br#" {"a":"}"}{"b":[1]} 12 "x\"y" true"#, 100).unwrap();
        assert_eq!(
            list,
            [r#"{"a":"}"}"#, r#"{"b":[1]}"#, "12", r#""x\"y""#, "true"]
        );
    }

    #[test]
    fn documents_at_hand_are_given_without_reading_on() {
        struct Once(Option<&'static [u8]>);
        impl Read for Once {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let text = self.0.take().expect("nothing is read twice");
                buffer[..text.len()].copy_from_slice(text);
                Ok(text.len())
            }
        }
        let mut documents = Documents::new(Once(Some(br#"{"a":1} {"b":2}{"c":"#)), 100);
        assert_eq!(documents.next_document().unwrap(), Some(r#"{"a":1}"#));
        assert_eq!(documents.next_at_hand().unwrap(), Some(r#"{"b":2}"#));
        assert_eq!(documents.next_at_hand().unwrap(), None);
        assert_eq!(documents.next_at_hand().unwrap(), None);
    }

    #[test]
    fn an_input_without_a_document_is_an_error() {
        assert!(matches!(all(b" \n\t ", 100), Err(JsonError::Empty)));
    }

    #[test]
    fn a_document_over_its_ceiling_is_found_without_reading_further() {
        struct Endless;
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                buffer.fill(b'"');
                buffer[1..].fill(b'x');
                Ok(buffer.len())
            }
        }
        let mut documents = Documents::new(Endless, 1000);
        let mut outcome = Ok(Some(""));
        for _ in 0..3 {
            outcome = documents.next_document();
            if outcome.is_err() {
                break;
            }
        }
        assert!(matches!(
            outcome,
            Err(JsonError::TooLarge { ceiling: 1000 })
        ));
    }

    #[test]
    fn a_document_of_exactly_the_ceiling_is_read() {
        assert_eq!(all(br#"{"a":1}"#, 7).unwrap().len(), 1);
        assert!(matches!(
            all(br#"{"a":1}"#, 6),
            Err(JsonError::TooLarge { .. })
        ));
    }

    #[test]
    fn sixty_four_levels_are_read_and_sixty_five_are_not() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(all(nested(64).as_bytes(), 1000).is_ok());
        assert!(matches!(
            all(nested(65).as_bytes(), 1000),
            Err(JsonError::TooDeep)
        ));
        assert!(matches!(
            check_depth(nested(65).as_bytes()),
            Err(JsonError::TooDeep)
        ));
    }

    #[test]
    fn a_repeated_member_is_refused_at_any_depth() {
        assert!(parse_value(r#"{"a":{"b":1,"b":2}}"#, "x").is_err());
        assert!(parse::<Members>(r#"{"a":1,"a":1}"#, "x").is_err());
    }

    #[test]
    fn members_keep_their_order_and_their_text() {
        let mut members: Members = parse(r#"{"z":1.50,"a":1e400}"#, "x").unwrap();
        members.set("z", to_raw(&2).unwrap());
        assert_eq!(
            serde_json::to_string(&members).unwrap(),
            r#"{"z":2,"a":1e400}"#
        );
    }

    #[test]
    fn a_list_of_values_is_never_taken_for_an_object() {
        #[derive(serde::Serialize, serde::Deserialize)]
        struct Inner {
            number: u8,
        }
        #[derive(serde::Serialize, serde::Deserialize)]
        struct Outer {
            inner: Inner,
            list: Vec<Inner>,
        }
        let good = r#"{"inner":{"number":1},"list":[{"number":2}]}"#;
        assert!(parse::<Outer>(good, "x").is_ok());
        for bad in [
            r#"[{"number":1},[]]"#,
            r#"{"inner":[1],"list":[]}"#,
            r#"{"inner":{"number":1},"list":[[2]]}"#,
        ] {
            assert!(parse::<Outer>(bad, "x").is_err(), "{bad}");
        }
    }
}
