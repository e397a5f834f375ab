//! No object with a member twice, anywhere in a text.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use super::extent::check_depth;
use super::{JsonError, MAX_DEPTH, Text};

/// Refuses a repeated member anywhere in a text, without building its values: for documents of
/// others of which only a few members are read.
///
/// # Errors
/// [`JsonError::TooDeep`] and [`JsonError::Malformed`]; `what` names the document in the message.
pub fn check_unique(text: &str, what: &str) -> Result<(), JsonError> {
    let mut input = serde_json::Deserializer::from_str(text);
    let walk = Unique {
        names: &mut Vec::new(),
        levels: MAX_DEPTH,
    };
    walk.deserialize(&mut input)
        .and_then(|()| input.end())
        .map_err(|error| {
            // Too deep comes first, whatever else is wrong with the text.
            let deep = check_depth(text.as_bytes()).err();
            deep.unwrap_or_else(|| JsonError::malformed(what, error))
        })
}

/// Walks one value and keeps nothing of it.
struct Unique<'n, 'de> {
    /// The names of the objects that the walk is inside of, the innermost last: one list for the
    /// whole walk, since a text may hold as many objects as it has bytes.
    names: &'n mut Vec<Cow<'de, str>>,
    /// How many more brackets may open.
    levels: usize,
}

impl<'de> Unique<'_, 'de> {
    /// The walk of what stands inside of one more bracket.
    fn inner<E: Error>(&mut self) -> Result<Unique<'_, 'de>, E> {
        let levels = self.levels.checked_sub(1);
        Ok(Unique {
            names: self.names,
            levels: levels.ok_or_else(|| E::custom(JsonError::TooDeep))?,
        })
    }
}

impl<'de> DeserializeSeed<'de> for Unique<'_, 'de> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_, 'de> {
    type Value = ();

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        let mut inner = self.inner()?;
        while items.next_element_seed(inner.again())?.is_some() {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let mut inner = self.inner()?;
        let first = inner.names.len();
        while let Some(Text(name)) = members.next_key()? {
            inner.names.push(name);
            members.next_value_seed(inner.again())?;
        }
        if let Some(name) = twice(inner.names.get_mut(first..).unwrap_or_default()) {
            return Err(Error::custom(format!("member `{name}` is there twice")));
        }
        inner.names.truncate(first);
        Ok(())
    }
}

impl<'de> Unique<'_, 'de> {
    /// The same walk for the next value at this level.
    fn again(&mut self) -> Unique<'_, 'de> {
        Unique {
            names: self.names,
            levels: self.levels,
        }
    }
}

/// Up to here comparing each name with each is quicker than sorting them.
const FEW_NAMES: usize = 12;

/// A name that is in the list twice.
fn twice<'a>(names: &'a mut [Cow<'_, str>]) -> Option<&'a str> {
    if names.len() <= FEW_NAMES {
        let mut rest = &*names;
        while let Some((name, others)) = rest.split_first() {
            if others.contains(name) {
                return Some(name);
            }
            rest = others;
        }
        return None;
    }
    names.sort_unstable();
    names.windows(2).find_map(|pair| match pair {
        [one, other] if one == other => Some(one.as_ref()),
        _ => None,
    })
}

/// Like [`super::parse`], and refuses a repeated member anywhere, also where the type would ignore
/// it.
///
/// # Errors
/// As [`super::parse`].
pub fn parse_value(text: &str, what: &str) -> Result<serde_json::Value, JsonError> {
    check_depth(text.as_bytes())?;
    let strict: Strict =
        serde_json::from_str(text).map_err(|error| JsonError::malformed(what, error))?;
    Ok(strict.0)
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
