//! Git object ids and the format they belong to.

use serde::{Deserialize, Serialize};

use super::text::{TextError, text};

fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

text!(
    /// A Git object id, 40 (SHA-1) or 64 (SHA-256) lower-case hex digits.
    ObjectId, "object id", "40 or 64 lower-case hex digits", is_object_id
);

/// The object format of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ObjectFormat {
    /// 40 hex digits.
    Sha1,
    /// 64 hex digits.
    Sha256,
}

impl ObjectFormat {
    /// The name that Git and the record use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ObjectFormat::Sha1 => "sha1",
            ObjectFormat::Sha256 => "sha256",
        }
    }
}

impl ObjectId {
    /// The format that this id's length belongs to.
    #[must_use]
    pub fn format(&self) -> ObjectFormat {
        if self.as_str().len() == 40 {
            ObjectFormat::Sha1
        } else {
            ObjectFormat::Sha256
        }
    }

    /// An id of exactly this format.
    ///
    /// # Errors
    /// [`TextError`] when the text is no object id, or one of the other format.
    pub fn of_format(text: impl Into<String>, format: ObjectFormat) -> Result<ObjectId, TextError> {
        let id = ObjectId::new(text)?;
        if id.format() == format {
            Ok(id)
        } else {
            let rule = match format {
                ObjectFormat::Sha1 => "40 lower-case hex digits (sha1)",
                ObjectFormat::Sha256 => "64 lower-case hex digits (sha256)",
            };
            Err(TextError::new("object id", id.as_str(), rule))
        }
    }
}
