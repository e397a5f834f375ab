//! The envelope: one JSON object that grows as it passes through the commands (page 1.2).

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::code::{Code, Coded};
use crate::json::{self, JsonError, Members};

/// The schema of an envelope.
pub const ENVELOPE_SCHEMA: &str = "amiss/envelope/v1";

/// An envelope. Members that no command asks for stay the text that came in.
#[derive(Debug, Default, Clone)]
pub struct Envelope(Members);

/// Why an envelope or one of its members was refused.
#[derive(Debug, thiserror::Error)]
pub enum EnvelopeError {
    /// Not an object, or a member that breaks its type.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// Another schema.
    #[error("`schema` is \"{0}\", not \"{ENVELOPE_SCHEMA}\"")]
    Schema(String),
    /// A member that this step needs is not there.
    #[error("the envelope has no `{0}`, which this step needs")]
    Incomplete(&'static str),
}

impl Coded for EnvelopeError {
    fn code(&self) -> Code {
        match self {
            EnvelopeError::Json(error) => error.code(),
            EnvelopeError::Schema(_) => Code::InputMalformed,
            EnvelopeError::Incomplete(_) => Code::InputIncomplete,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            EnvelopeError::Json(error) => error.hint(),
            EnvelopeError::Schema(_) => Some(
                "an envelope is what `amiss ingress-verify` and the steps after it print".into(),
            ),
            EnvelopeError::Incomplete(member) => Some(match *member {
                "delivery" => "`amiss ingress-verify` adds it".into(),
                "lease" => "`amiss ledger claim` adds it".into(),
                "run" | "recheck" => "`amiss refresh` adds it".into(),
                "outcome" => "`amiss run-bootstrap` adds it".into(),
                "staged" => "`amiss ledger claim` or `amiss ledger stage` adds it".into(),
                _ => format!("add `{member}` with jq"),
            }),
        }
    }
}

impl Envelope {
    /// An empty envelope with its schema.
    #[must_use]
    pub fn new() -> Envelope {
        let mut envelope = Envelope(Members::default());
        envelope.mark();
        envelope
    }

    /// Parses one document. A missing `schema` is added: people write small envelopes by hand.
    ///
    /// # Errors
    /// [`EnvelopeError`] when the text is no object, has a member twice, or another schema.
    pub fn parse(text: &str) -> Result<Envelope, EnvelopeError> {
        let mut envelope = Envelope(json::parse_borrowed(text, "the envelope")?);
        match envelope.member::<String>("schema")? {
            Some(schema) if schema == ENVELOPE_SCHEMA => {}
            Some(schema) => return Err(EnvelopeError::Schema(schema.chars().take(80).collect())),
            None => envelope.mark(),
        }
        Ok(envelope)
    }

    fn mark(&mut self) {
        if let Ok(schema) = json::to_raw(ENVELOPE_SCHEMA) {
            self.0.set_first("schema", schema);
        }
    }

    /// Whether a member is there. A member that is `null` is not.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|text| text.trim() != "null")
    }

    /// A member that amiss owns, checked by its type.
    ///
    /// # Errors
    /// [`EnvelopeError::Json`] when it breaks its type; the message names it.
    pub fn member<T: DeserializeOwned + Serialize>(
        &self,
        name: &str,
    ) -> Result<Option<T>, EnvelopeError> {
        if !self.has(name) {
            return Ok(None);
        }
        let text = self.0.get(name).unwrap_or_default();
        Ok(Some(json::parse(text, &format!("member `{name}`"))?))
    }

    /// A member that this step cannot do without.
    ///
    /// # Errors
    /// [`EnvelopeError::Incomplete`] when it is not there, [`EnvelopeError::Json`] as in `member`.
    pub fn need<T: DeserializeOwned + Serialize>(
        &self,
        name: &'static str,
    ) -> Result<T, EnvelopeError> {
        self.member(name)?.ok_or(EnvelopeError::Incomplete(name))
    }

    /// Adds or replaces a member.
    ///
    /// # Errors
    /// [`EnvelopeError::Json`] when the value has no JSON form; amiss has no such type.
    pub fn set<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), EnvelopeError> {
        self.0.set(name, json::to_raw(value)?);
        Ok(())
    }

    /// Takes members away.
    pub fn drop_members(&mut self, names: &[&str]) {
        for name in names {
            self.0.remove(name);
        }
    }

    /// How many bytes the envelope takes as one line without these members.
    #[must_use]
    pub fn bytes_without(&self, names: &[&str]) -> usize {
        let members = self
            .0
            .names()
            .filter(|name| !names.contains(name))
            .map(|name| {
                let value = self.0.get(name).map_or(0, str::len);
                // Quotes, a colon and a comma; a name with escapes is a little longer.
                name.len().saturating_add(value).saturating_add(4)
            });
        // Two braces, and no comma behind the last member.
        members.fold(1, usize::saturating_add)
    }

    /// The names of all members, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.names()
    }
}

impl Serialize for Envelope {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
