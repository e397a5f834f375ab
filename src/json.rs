//! The one reader of untrusted JSON: bounded before it allocates, strict about what it accepts.
//!
//! A stream of documents is cut at the first byte that makes the present one too large, too deep or
//! no JSON; nothing behind it is read (page 1.2). Values that amiss does not own stay text.

use std::io::{self, Read};

use serde::de::{DeserializeOwned, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

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
fn plain(reason: &str) -> String {
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

/// What the scanner is inside of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before a document.
    Between,
    /// Inside brackets, outside a string.
    Open,
    /// Inside a string; `escaped` after a backslash.
    Text { escaped: bool },
    /// Inside a bare word or number at the top level.
    Word,
}

/// Finds where one document ends, byte by byte, without keeping more than its depth. Whether the
/// bytes are JSON is for the parser to say; this only bounds what the parser gets.
struct Extent {
    place: Place,
    depth: usize,
}

/// What one byte did to the document.
enum Step {
    More,
    /// The document ends with this byte.
    Ends,
    /// The document ended before this byte.
    EndedBefore,
}

impl Extent {
    fn take(&mut self, byte: u8) -> Result<Step, JsonError> {
        match self.place {
            Place::Text { escaped } => {
                if escaped || byte == b'\\' {
                    self.place = Place::Text { escaped: !escaped };
                } else if byte == b'"' {
                    if self.depth == 0 {
                        return Ok(Step::Ends);
                    }
                    self.place = Place::Open;
                }
                Ok(Step::More)
            }
            Place::Word => match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b'{' | b'[' | b'"' | b'}' | b']' | b',' => {
                    Ok(Step::EndedBefore)
                }
                _ => Ok(Step::More),
            },
            Place::Between | Place::Open => self.take_structure(byte),
        }
    }

    fn take_structure(&mut self, byte: u8) -> Result<Step, JsonError> {
        match byte {
            b'{' | b'[' => {
                self.depth = self.depth.saturating_add(1);
                if self.depth > MAX_DEPTH {
                    return Err(JsonError::TooDeep);
                }
                self.place = Place::Open;
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Ok(Step::Ends);
                }
            }
            b'"' => self.place = Place::Text { escaped: false },
            _ if self.place == Place::Between => self.place = Place::Word,
            _ => {}
        }
        Ok(Step::More)
    }
}

/// What is asked of the input at a time: as much as a pipe holds.
const READ_BYTES: usize = 64 * 1024;

/// Whether more of the input may be asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    On,
    Not,
}

/// Cuts a stream into JSON documents, one after the other (NDJSON or any concatenation).
pub struct Documents<R> {
    input: R,
    ceiling: usize,
    buffer: Vec<u8>,
    /// How much of `buffer` earlier documents used up.
    start: usize,
    seen: usize,
    finished: bool,
}

impl<R: Read> Documents<R> {
    /// Documents of at most `ceiling` bytes each.
    pub const fn new(input: R, ceiling: usize) -> Documents<R> {
        Documents {
            input,
            ceiling,
            buffer: Vec::new(),
            start: 0,
            seen: 0,
            finished: false,
        }
    }

    /// The next document's text, or `None` at the end of the input. After an error nothing more is
    /// read: where the next document would start is not known.
    ///
    /// # Errors
    /// [`JsonError`]; `Empty` when the whole input has no document.
    pub fn next_document(&mut self) -> Result<Option<&str>, JsonError> {
        self.next(Reading::On)
    }

    /// The next document's text if all of it was read already: whoever waits for an answer before
    /// sending more is never waited for. `None` says nothing about the end of the input.
    ///
    /// # Errors
    /// As [`Documents::next_document`].
    pub fn next_at_hand(&mut self) -> Result<Option<&str>, JsonError> {
        self.next(Reading::Not)
    }

    fn next(&mut self, reading: Reading) -> Result<Option<&str>, JsonError> {
        if self.finished {
            return Ok(None);
        }
        match self.find(reading) {
            Ok(Some((from, to))) => {
                self.seen = self.seen.saturating_add(1);
                self.start = to;
                let bytes = self.buffer.get(from..to).unwrap_or_default();
                std::str::from_utf8(bytes).map(Some).map_err(|error| {
                    self.finished = true;
                    JsonError::malformed("the input", format!("not UTF-8: {error}"))
                })
            }
            Ok(None) if reading == Reading::Not => Ok(None),
            Ok(None) => {
                self.finished = true;
                if self.seen == 0 {
                    Err(JsonError::Empty)
                } else {
                    Ok(None)
                }
            }
            Err(error) => {
                self.finished = true;
                Err(error)
            }
        }
    }

    /// Where the next document lies in the buffer, reading on until it is whole.
    fn find(&mut self, reading: Reading) -> Result<Option<(usize, usize)>, JsonError> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let mut extent = Extent {
            place: Place::Between,
            depth: 0,
        };
        let mut from = 0;
        let mut at = 0;
        loop {
            while let Some(&byte) = self.buffer.get(at) {
                if extent.place == (Place::Text { escaped: false }) && !matches!(byte, b'"' | b'\\')
                {
                    // Most bytes are inside of texts: on to the next that means something.
                    let rest = self.buffer.get(at..).unwrap_or_default();
                    let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'));
                    at = at.saturating_add(plain.unwrap_or(rest.len()));
                    if at.saturating_sub(from) >= self.ceiling {
                        return Err(JsonError::TooLarge {
                            ceiling: self.ceiling,
                        });
                    }
                    continue;
                }
                if extent.place == Place::Between && matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                    at = at.saturating_add(1);
                    from = at;
                    continue;
                }
                let after = at.saturating_add(1);
                match extent.take(byte)? {
                    Step::Ends => return Ok(Some((from, after))),
                    Step::EndedBefore => return Ok(Some((from, at))),
                    Step::More => at = after,
                }
                if after.saturating_sub(from) >= self.ceiling {
                    return Err(JsonError::TooLarge {
                        ceiling: self.ceiling,
                    });
                }
            }
            // Blanks before a document are not kept, so that endless ones cost no memory.
            self.buffer.drain(..from);
            at = at.saturating_sub(from);
            from = 0;
            if reading == Reading::Not {
                return Ok(None);
            }
            if self.fill()? == 0 {
                return Ok((extent.place != Place::Between).then_some((from, at)));
            }
        }
    }

    fn fill(&mut self) -> Result<usize, JsonError> {
        let mut chunk = vec![0_u8; READ_BYTES];
        loop {
            match self.input.read(&mut chunk) {
                Ok(count) => {
                    self.buffer
                        .extend_from_slice(chunk.get(..count).unwrap_or_default());
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(JsonError::Io(error)),
            }
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

/// Like [`parse`], and refuses a repeated member anywhere, also where the type would ignore it.
///
/// # Errors
/// As [`parse`].
pub fn parse_value(text: &str, what: &str) -> Result<serde_json::Value, JsonError> {
    check_depth(text.as_bytes())?;
    let strict: Strict =
        serde_json::from_str(text).map_err(|error| JsonError::malformed(what, error))?;
    Ok(strict.0)
}

/// Refuses a repeated member anywhere in a text, without building its values: for documents of
/// others of which only a few members are read.
///
/// # Errors
/// As [`parse`].
pub fn check_unique(text: &str, what: &str) -> Result<(), JsonError> {
    check_depth(text.as_bytes())?;
    serde_json::from_str::<Unique>(text)
        .map(|Unique| ())
        .map_err(|error| JsonError::malformed(what, error))
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

/// Any value in which no object has a member twice; nothing of it is kept.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Walk;
        impl<'de> Visitor<'de> for Walk {
            type Value = Unique;
            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("a JSON value")
            }
            fn visit_unit<E>(self) -> Result<Unique, E> {
                Ok(Unique)
            }
            fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
                Ok(Unique)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
                Ok(Unique)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
                Ok(Unique)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
                Ok(Unique)
            }
            fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
                Ok(Unique)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Unique, A::Error> {
                while items.next_element::<Unique>()?.is_some() {}
                Ok(Unique)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Unique, A::Error> {
                let mut names = Vec::new();
                while let Some((name, Unique)) = members.next_entry::<Text<'de>, Unique>()? {
                    names.push(name);
                }
                names.sort_unstable();
                match names.windows(2).find(|pair| pair.first() == pair.last()) {
                    Some([name, ..]) => Err(serde::de::Error::custom(format!(
                        "member `{}` is there twice",
                        name.0
                    ))),
                    _ => Ok(Unique),
                }
            }
        }
        deserializer.deserialize_any(Walk)
    }
}

/// Refuses brackets nested deeper than [`MAX_DEPTH`], whatever else is wrong with the text.
///
/// # Errors
/// [`JsonError::TooDeep`].
pub fn check_depth(text: &[u8]) -> Result<(), JsonError> {
    // Nearly every document has fewer brackets than levels are allowed; counting is much cheaper.
    let opening = text.iter().filter(|byte| matches!(byte, b'{' | b'['));
    if opening.count() <= MAX_DEPTH {
        return Ok(());
    }
    let mut extent = Extent {
        place: Place::Between,
        depth: 0,
    };
    for &byte in text {
        match extent.take(byte)? {
            Step::More => {}
            // Another value follows; the parser will refuse it, its depth counts anew.
            Step::Ends | Step::EndedBefore => {
                extent = Extent {
                    place: Place::Between,
                    depth: 0,
                }
            }
        }
    }
    Ok(())
}

/// A JSON value in which no object has a member twice.
struct Strict(serde_json::Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StrictSeed.deserialize(deserializer).map(Strict)
    }
}

struct StrictSeed;

impl<'de> DeserializeSeed<'de> for StrictSeed {
    type Value = serde_json::Value;
    fn deserialize<D: serde::Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictSeed {
    type Value = serde_json::Value;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(serde_json::Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(value.into())
    }
    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(value.into())
    }
    fn visit_string<E>(self, value: String) -> Result<Self::Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(StrictSeed)? {
            list.push(item);
        }
        Ok(list.into())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut object = serde_json::Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(serde::de::Error::custom(format!(
                    "member `{name}` is there twice"
                )));
            }
            let value = members.next_value_seed(StrictSeed)?;
            object.insert(name, value);
        }
        Ok(object.into())
    }
}

/// An object whose members keep their order and their exact text.
#[derive(Debug, Default, Clone)]
pub struct Members(Vec<(String, Box<RawValue>)>);

impl Members {
    /// The text of a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, raw)| raw.get())
    }

    /// Sets a member in its old place, or at the end.
    pub fn set(&mut self, name: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(other, _)| other == name) {
            Some(slot) => slot.1 = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// Sets a member in front of all others, or in its old place.
    pub fn set_first(&mut self, name: &str, value: Box<RawValue>) {
        if self.get(name).is_none() {
            self.0.insert(0, (name.to_owned(), value));
        } else {
            self.set(name, value);
        }
    }

    /// Takes a member away.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(other, _)| other != name);
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl serde::Serialize for Members {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, raw)| (name, raw)))
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members;
            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<Members, A::Error> {
                let mut list: Vec<(String, Box<RawValue>)> = Vec::new();
                let mut known = std::collections::HashSet::new();
                while let Some((name, raw)) = input.next_entry::<String, Box<RawValue>>()? {
                    if !known.insert(name.clone()) {
                        return Err(serde::de::Error::custom(format!(
                            "member `{name}` is there twice"
                        )));
                    }
                    list.push((name, raw));
                }
                Ok(Members(list))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

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
