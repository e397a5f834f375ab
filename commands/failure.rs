//! One failure as it leaves the process: the `error` member, the line on standard error, the
//! status (page 1.3).

use amiss::code::{Code, Coded};
use serde::Serialize;

/// What a refused or failed step prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The code; the status follows from it.
    pub code: Code,
    /// What failed, on what, and why.
    pub message: String,
    /// What to do, where that helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// When trying again makes sense.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_at_unix_millis: Option<i64>,
}

impl Failure {
    /// A failure that no error of the library stands for.
    pub fn new(code: Code, message: impl Into<String>) -> Failure {
        Failure {
            code,
            message: message.into(),
            hint: None,
            retry_at_unix_millis: None,
        }
    }

    /// The same with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }
}

impl<E: Coded> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure {
            code: error.code(),
            message: chain(&error),
            hint: error.hint(),
            retry_at_unix_millis: error.retry_at_unix_millis(),
        }
    }
}

/// The error and its sources in one line; a source that the text already ends with is not said
/// twice.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let reason = source.to_string();
        if !text.ends_with(&reason) {
            text.push_str(": ");
            text.push_str(&reason);
        }
        next = source.source();
    }
    text.replace(['\n', '\r'], " ")
}
