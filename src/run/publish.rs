//! Handing the frozen verdict to the operator's program (page 4.5).

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::clock::UnixMillis;
use crate::code::{Code, Coded};
use crate::delivery::{DeliveryKey, Staged};
use crate::json;
use crate::process::warden::{
    Caps, Cause, Ended, Input, Job, Leader, NotStarted, Stream, Supervision, Tree,
};
use crate::process::{Cancel, Program};

/// The longest answer of a publishing program, in bytes.
pub const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// One publication.
#[derive(Clone, Copy, Debug)]
pub struct Publisher<'a> {
    /// The operator's program, with the caller's environment.
    pub program: &'a Program,
    /// When it is killed.
    pub timeout: Duration,
    /// Who supervises it.
    pub supervision: Supervision<'a>,
    /// Ends it.
    pub cancel: &'a Cancel,
}

/// The `published` member.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The program, without its arguments.
    pub program: String,
    /// When it had ended.
    pub unix_millis: UnixMillis,
    /// The one JSON document that it printed, exactly, or null.
    #[schemars(with = "serde_json::Value")]
    pub answer: Option<Box<RawValue>>,
}

/// Why nothing is known to be published. The saved result stays for the next try.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// It was not started, failed, was too slow, or was not proved ended.
    #[error("the publishing program {program} {reason}")]
    Failed {
        /// Which.
        program: String,
        /// What it did.
        reason: String,
    },
    /// There is no such program, or it may not be run.
    #[error("the publishing program {program} {reason}")]
    NotStarted {
        /// Which.
        program: String,
        /// Why.
        reason: String,
    },
    /// SIGTERM or SIGINT.
    #[error("the publishing program was interrupted; whether it published is not known")]
    Interrupted,
}

impl Coded for PublishError {
    fn code(&self) -> Code {
        match self {
            PublishError::Failed { .. } | PublishError::NotStarted { .. } => Code::PublishFailed,
            PublishError::Interrupted => Code::Interrupted,
        }
    }
    fn hint(&self) -> Option<String> {
        Some(match self {
            PublishError::NotStarted { .. } => {
                "name it by its path, ./NAME for one in this folder, and make it executable; the \
                 saved result stays"
                    .into()
            }
            _ => "the saved result stays; run the same pipeline again".into(),
        })
    }
}

impl Publisher<'_> {
    /// Runs the program once with `envelope` on its standard input, and gives what it printed.
    /// Evaluation id, fence and delivery key are its repeat-safe keys.
    ///
    /// # Errors
    /// [`PublishError`].
    pub fn publish(
        &self,
        staged: &Staged,
        key: &DeliveryKey,
        envelope: &[u8],
    ) -> Result<Option<Box<RawValue>>, PublishError> {
        let program = self
            .program
            .clone()
            .env("AMISS_EVALUATION_ID", staged.evaluation_id.as_str())
            .env("AMISS_FENCE", staged.fence.to_string())
            .env("AMISS_DELIVERY_KEY", key.as_str());
        let job = Job {
            program: &program,
            input: Input::Bytes(envelope),
            stdout: Stream::Keep {
                head: MAX_ANSWER_BYTES,
                tail: 0,
            },
            stderr: Stream::Inherit,
            wall: self.timeout,
            window: None,
            caps: &Caps::default(),
            held: None,
        };
        if self.cancel.is_cancelled() {
            return Err(PublishError::Interrupted);
        }
        let ended = Tree::start(&job, &self.supervision)
            .map_err(|error| PublishError::NotStarted {
                program: self.program.name(),
                reason: chain(&error),
            })?
            .wait(self.cancel)
            .map_err(|error| self.failed(chain(&error.into())))?;
        if self.cancel.is_cancelled() {
            return Err(PublishError::Interrupted);
        }
        self.answer(&ended)
    }

    fn answer(&self, ended: &Ended) -> Result<Option<Box<RawValue>>, PublishError> {
        let failed = |reason: String| Err(self.failed(reason));
        match (ended.cause, ended.leader) {
            _ if !ended.empty => return failed("left processes that could not be ended".into()),
            (Cause::WallLimit, _) => {
                let limit = self.timeout.as_millis();
                return failed(format!("took longer than {limit} ms and was killed"));
            }
            (Cause::Exit, Leader::Exited(0)) => {}
            (Cause::Exit, Leader::Exited(status)) => {
                return failed(format!("failed with status {status}"));
            }
            (Cause::Exit, Leader::Signalled(signal)) => {
                return failed(format!("was killed by signal {signal}"));
            }
            _ => return failed("was ended".into()),
        }
        if !ended.stdout.is_whole() {
            let bytes = ended.stdout.total();
            return failed(format!(
                "printed {bytes} bytes, more than {MAX_ANSWER_BYTES}"
            ));
        }
        parse(ended.stdout.bytes()).or_else(|reason| failed(format!("printed {reason}")))
    }

    fn failed(&self, reason: String) -> PublishError {
        PublishError::Failed {
            program: self.program.name(),
            reason,
        }
    }
}

/// The one document in what was printed; nothing but blanks is none.
fn parse(printed: &[u8]) -> Result<Option<Box<RawValue>>, String> {
    let text = std::str::from_utf8(printed).map_err(|_| "what is not UTF-8".to_owned())?;
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    if text.is_empty() {
        return Ok(None);
    }
    let nested = format!("[[{text}]]");
    // As deep as it will be inside `published`, inside the envelope.
    json::check_depth(nested.as_bytes()).map_err(|error| error.to_string())?;
    let answer: Box<RawValue> =
        serde_json::from_str(text).map_err(|error| format!("no single JSON document: {error}"))?;
    Ok(Some(answer))
}

fn chain(error: &NotStarted) -> String {
    let reason = match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    format!("was not run to its end: {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_document_or_nothing() {
        assert!(parse(b" \n").unwrap().is_none());
        let answer = parse(b"\n{\"id\": 1.50}\n").unwrap().unwrap();
        assert_eq!(answer.get(), "{\"id\": 1.50}");
        for exact in ["1e400", "{\"a\":1,\"a\":2}", "\"\\u00e9\""] {
            assert_eq!(parse(exact.as_bytes()).unwrap().unwrap().get(), exact);
        }
        for bad in [&b"{} {}"[..], b"ok", b"{", b"]]{}[[", b"\xff"] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_answer_that_would_make_the_envelope_too_deep_is_refused() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(nested(62).as_bytes()).is_ok());
        assert!(parse(nested(63).as_bytes()).is_err());
    }
}
