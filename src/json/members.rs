//! An object of others: its members' order and exact text are kept.

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

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
