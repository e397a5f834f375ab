//! The headers of a request, in their order, names as they came.

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};

use super::error::IngressError;
use super::limits::MAX_HEADERS;

/// Ordered pairs. More than the ceiling are counted and weighed, not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers {
    list: Vec<(String, Vec<u8>)>,
    count: u64,
    bytes: u64,
}

impl Headers {
    /// Adds one header.
    pub fn push(&mut self, name: String, value: Vec<u8>) {
        let weight = name.len().saturating_add(value.len());
        self.count = self.count.saturating_add(1);
        self.bytes = self
            .bytes
            .saturating_add(u64::try_from(weight).unwrap_or(u64::MAX));
        if self.count <= MAX_HEADERS {
            self.list.push((name, value));
        }
    }

    /// How many came.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// How many bytes their names and values have together.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Those that were kept, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.list
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// How often a name came; names compare without case.
    #[must_use]
    pub fn times(&self, name: &str) -> usize {
        self.iter()
            .filter(|(other, _)| other.eq_ignore_ascii_case(name))
            .count()
    }

    /// The one value of a header that a scheme reads.
    ///
    /// # Errors
    /// `INGRESS_HEADERS` when it is there more than once, even with equal values.
    pub fn one(&self, name: &str) -> Result<Option<&[u8]>, IngressError> {
        let mut values = self
            .iter()
            .filter(|(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value);
        let first = values.next();
        if values.next().is_some() {
            return Err(IngressError::header(name, "is there more than once"));
        }
        Ok(first)
    }

    /// Checks that every name is an HTTP token and no value holds NUL, CR or LF.
    ///
    /// # Errors
    /// `INGRESS_HEADERS`.
    pub fn check_form(&self) -> Result<(), IngressError> {
        for (name, value) in self.iter() {
            if name.is_empty() || !name.bytes().all(is_token_byte) {
                return Err(IngressError::header(name, "is no HTTP header name"));
            }
            if value.iter().any(|byte| matches!(byte, 0 | b'\r' | b'\n')) {
                return Err(IngressError::header(
                    name,
                    "has a NUL, CR or LF in its value",
                ));
            }
        }
        Ok(())
    }
}

const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

/// One value, or several of the same name.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "the value of a header is a text or a list of texts"
)]
enum Values {
    One(String),
    Several(Vec<String>),
}

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Headers;
            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("header pairs [[\"Name\",\"value\"], …] or an object of headers")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Headers, A::Error> {
                let mut headers = Headers::default();
                while let Some((name, value)) = items.next_element::<(String, String)>()? {
                    headers.push(name, value.into_bytes());
                }
                Ok(headers)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Headers, A::Error> {
                let mut headers = Headers::default();
                let mut known = std::collections::HashSet::new();
                while let Some((name, values)) = members.next_entry::<String, Values>()? {
                    if !known.insert(name.clone()) {
                        return Err(serde::de::Error::custom(format!(
                            "member `{name}` is there twice"
                        )));
                    }
                    let values = match values {
                        Values::One(value) => vec![value],
                        Values::Several(values) => values,
                    };
                    for value in values {
                        headers.push(name.clone(), value.into_bytes());
                    }
                }
                Ok(headers)
            }
        }
        deserializer.deserialize_any(Pairs)
    }
}
