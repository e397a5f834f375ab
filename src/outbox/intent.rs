//! The intent: what is to be pushed where, and how far that has come (page 5.3).

use serde::{Deserialize, Serialize};

use super::key::DeliveryKey;
use super::names::{Branch, MirrorPath, Project, Task, Turn};
use super::origin::Origin;
use super::record::{Record, RecordError};
use super::target::Target;
use crate::clock::UnixMillis;
use crate::code::Code;
use crate::delivery::ObjectId;
use crate::delivery::text::text;
use crate::durable::Dir;

/// How many pushes a delivery gets before it is `failed`; as many again after each retry.
pub const MAX_ATTEMPTS: u32 = 12;

/// How far a delivery has come.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Not pushed yet.
    Pending,
    /// A push failed, or a retry was asked for.
    Retrying,
    /// The origin has it, or (with `superseded_by`) a commit that contains it.
    Delivered,
    /// Twelve pushes failed.
    Failed,
}

impl State {
    /// Whether the pin must stay and a due entry exists.
    #[must_use]
    pub const fn retains_objects(self) -> bool {
        matches!(self, State::Pending | State::Retrying)
    }

    /// The stable text form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            State::Pending => "pending",
            State::Retrying => "retrying",
            State::Delivered => "delivered",
            State::Failed => "failed",
        }
    }
}

fn is_last_error(text: &str) -> bool {
    matches!(text.len(), 1..=4096)
}

text!(
    /// Why the last push failed: a code, or the free text of an earlier implementation.
    LastError, "last error", "1 to 4096 bytes", is_last_error
);

impl From<Code> for LastError {
    fn from(code: Code) -> LastError {
        LastError(code.name().to_owned())
    }
}

/// One delivery's record. The order of the members is that of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Intent {
    /// The project.
    pub project_id: Project,
    /// The task.
    pub task_id: Task,
    /// The turn.
    pub turn_id: Turn,
    /// Where it is pushed to.
    pub origin: Origin,
    /// The branch there, by its short name.
    pub branch: Branch,
    /// The commit.
    pub oid: ObjectId,
    /// How far it has come.
    pub state: State,
    /// The number of the push that comes next, from 1; 0 after a retry; the last one's number when
    /// none comes.
    pub attempt: u32,
    /// Not before this is it pushed again; 0 when it never was pushed.
    pub next_attempt_at_millis: UnixMillis,
    /// Why the last push failed.
    #[serde(deserialize_with = "present")]
    pub last_error: Option<LastError>,
    /// The commit at the origin that contains this one.
    #[serde(deserialize_with = "present")]
    pub superseded_by: Option<ObjectId>,
    /// When it was enqueued.
    pub created_at_millis: UnixMillis,
    /// When it last changed.
    pub updated_at_millis: UnixMillis,
    /// When somebody last asked for a retry; grows with every one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_requested_at_millis: Option<UnixMillis>,
    /// Its mirror, when that is not `mirrors/<project>.git`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirror: Option<MirrorPath>,
}

/// A nullable member that must be written.
fn present<'de, D, T>(input: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(input)
}

impl Record for Intent {
    const WHAT: &'static str = "delivery intent";
}

/// What lies at an intent's place.
#[derive(Debug)]
pub enum IntentFile {
    /// Nothing.
    Absent,
    /// A good intent.
    Good(Box<Intent>),
    /// Something that cannot be read: kept, blocks a discard, never another delivery.
    Unreadable(RecordError),
}

impl Intent {
    /// Which delivery it is.
    #[must_use]
    pub fn key(&self) -> DeliveryKey {
        DeliveryKey {
            project: self.project_id.clone(),
            task: self.task_id.clone(),
            turn: self.turn_id.clone(),
        }
    }

    /// Where it goes.
    #[must_use]
    pub fn target(&self) -> Target {
        Target {
            origin: self.origin.clone(),
            branch: self.branch.clone(),
        }
    }

    /// Whether `other` is the same delivery, whatever happened to it meanwhile: what a pump checks
    /// after it pushed without the lock.
    #[must_use]
    pub fn is_same_delivery(&self, other: &Intent) -> bool {
        self.key() == other.key()
            && self.oid == other.oid
            && self.created_at_millis == other.created_at_millis
    }

    /// Whether it says which commit its target's branch was given.
    #[must_use]
    pub fn proves_tip(&self) -> bool {
        self.state == State::Delivered && self.superseded_by.is_none()
    }

    /// The number of the push that comes next, from 1.
    #[must_use]
    pub fn next_push(&self) -> u32 {
        self.attempt.max(1)
    }

    /// Reads the intent of `key` from its task's `delivery` directory.
    #[must_use]
    pub fn read_from(delivery: &Dir, key: &DeliveryKey) -> IntentFile {
        let name = key.intent_name();
        match Intent::read(delivery, &name) {
            Ok(None) => IntentFile::Absent,
            Ok(Some(intent)) if intent.key() == *key => IntentFile::Good(Box::new(intent)),
            Ok(Some(intent)) => IntentFile::Unreadable(RecordError::Malformed {
                what: Intent::WHAT,
                path: delivery.path_of(name),
                reason: format!("it is of {}, another delivery", intent.key()),
            }),
            Err(error) => IntentFile::Unreadable(error),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) const TEXT: &str = concat!(
        r#"{"project_id":"p","task_id":"t","turn_id":"0123456789abcdef0123456789abcdef","#,
        r#""origin":"file:///srv/o.git","branch":"main","#,
        r#""oid":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","state":"pending","attempt":1,"#,
        r#""next_attempt_at_millis":0,"last_error":null,"superseded_by":null,"#,
        r#""created_at_millis":1,"updated_at_millis":1}"#
    );

    pub(in super::super) fn intent() -> Intent {
        Intent::decode(TEXT.as_bytes()).unwrap()
    }

    #[test]
    fn an_intent_is_read_and_written_byte_for_byte() {
        assert_eq!(intent().encode().unwrap(), TEXT.as_bytes());
        let retried = TEXT.replace(
            r#""updated_at_millis":1}"#,
            r#""updated_at_millis":1,"retry_requested_at_millis":5,"mirror":"/srv/m.git"}"#,
        );
        let read = Intent::decode(retried.as_bytes()).unwrap();
        assert_eq!(read.encode().unwrap(), retried.as_bytes());
    }

    #[test]
    fn every_other_form_of_an_intent_is_refused() {
        for bad in [
            TEXT.replace(r#""last_error":null,"#, ""),
            TEXT.replace(r#""attempt":1"#, r#""attempt":-1"#),
            TEXT.replace(r#""attempt":1"#, r#""attempt":1.0"#),
            TEXT.replace(r#""attempt":1"#, r#""attempt":"1""#),
            TEXT.replace(r#""attempt":1"#, r#""attempt":1,"attempt":1"#),
            TEXT.replace("pending", "superseded"),
            TEXT.replace("{\"project_id", "{ \"project_id"),
            TEXT.replace("\"t\"", "\"\\u0074\""),
            TEXT.replace(
                r#""updated_at_millis":1}"#,
                r#""updated_at_millis":1,"mirror":null}"#,
            ),
            TEXT.replace(
                r#""updated_at_millis":1}"#,
                r#""updated_at_millis":1,"more":1}"#,
            ),
            TEXT.replace(
                r#""created_at_millis":1"#,
                r#""created_at_millis":9007199254740992"#,
            ),
            format!("{TEXT}\n"),
            format!("{TEXT}{TEXT}"),
            String::new(),
            "null".into(),
        ] {
            assert!(Intent::decode(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_of_an_intent_is_refused_or_another_intent() {
        for length in 0..TEXT.len() {
            assert!(Intent::decode(&TEXT.as_bytes()[..length]).is_err());
        }
        for at in 0..TEXT.len() {
            for bit in 0..8 {
                let mut bytes = TEXT.as_bytes().to_vec();
                bytes[at] ^= 1 << bit;
                if let Ok(read) = Intent::decode(&bytes) {
                    assert_eq!(read.encode().unwrap(), bytes);
                    assert_ne!(read, intent());
                }
            }
        }
    }
}
