//! Checked text: each identifier with its alphabet and length (page 3b.6). Lengths are bytes.

/// A text that breaks its rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} `{shown}` is not {rule}")]
pub struct TextError {
    kind: &'static str,
    shown: String,
    rule: &'static str,
}

impl TextError {
    /// An error that shows at most 80 characters of what was given, control characters escaped.
    #[must_use]
    pub fn new(kind: &'static str, given: &str, rule: &'static str) -> TextError {
        let shown = given
            .chars()
            .take(80)
            .flat_map(char::escape_debug)
            .collect();
        TextError { kind, shown, rule }
    }
}

macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $rule:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(
            Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String", extend("description" = $rule))]
        pub struct $name(String);

        impl $name {
            /// A checked value.
            ///
            /// # Errors
            /// `TextError` when the text breaks the rule of this type.
            pub fn new(text: impl Into<String>) -> Result<$name, $crate::delivery::text::TextError> {
                let text = text.into();
                let check: fn(&str) -> bool = $check;
                if check(&text) {
                    Ok($name(text))
                } else {
                    Err($crate::delivery::text::TextError::new($kind, &text, $rule))
                }
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::delivery::text::TextError;
            fn try_from(text: String) -> Result<Self, Self::Error> {
                $name::new(text)
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::delivery::text::TextError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $name::new(text)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(&self.0)
            }
        }
    };
}
pub(crate) use text;

const fn lower_or_digit(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_namespace(text: &str) -> bool {
    matches!(text.len(), 1..=64)
        && text
            .bytes()
            .all(|byte| lower_or_digit(byte) || matches!(byte, b'.' | b'-'))
        && text.bytes().next().is_some_and(lower_or_digit)
}

fn is_opaque_id(text: &str) -> bool {
    matches!(text.len(), 1..=256)
        && text.bytes().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'.' | b'_' | b':' | b'/' | b'@' | b'+' | b'-')
        })
}

fn is_host(text: &str) -> bool {
    matches!(text.len(), 1..=255) && !text.contains('/')
}

fn is_owner(text: &str) -> bool {
    let good = |segment: &str| {
        matches!(segment.len(), 1..=100)
            && segment
                .bytes()
                .all(|byte| lower_or_digit(byte) || matches!(byte, b'.' | b'_' | b'-'))
            && segment.bytes().next().is_some_and(lower_or_digit)
            && segment.bytes().next_back().is_some_and(lower_or_digit)
    };
    matches!(text.len(), 1..=255) && text.split('/').all(good)
}

fn is_repository_name(text: &str) -> bool {
    matches!(text.len(), 1..=100)
        && text
            .bytes()
            .all(|byte| lower_or_digit(byte) || matches!(byte, b'.' | b'_' | b'-'))
        && text != "."
        && text != ".."
}

fn is_branch_ref(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("refs/heads/") else {
        return false;
    };
    let forbidden = |byte: u8| {
        byte < 0x20
            || matches!(
                byte,
                0x7f | b' ' | b'~' | b'^' | b':' | b'?' | b'*' | b'[' | b'\\'
            )
    };
    let good = |part: &str| {
        !part.is_empty() && !part.starts_with('.') && !part.as_bytes().ends_with(b".lock")
    };
    matches!(rest.len(), 1..=255)
        && !rest.contains("..")
        && !rest.contains("@{")
        && !rest.ends_with('.')
        && !rest.bytes().any(forbidden)
        && rest.split('/').all(good)
}

fn is_status_name(text: &str) -> bool {
    matches!(text.len(), 1..=160)
        && text.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'.' | b'_' | b'/' | b'-')
        })
        && text
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphanumeric())
        && !text.ends_with(' ')
}

const OPAQUE_RULE: &str = "1 to 256 of A-Z a-z 0-9 . _ : / @ + -";

text!(
    /// The kind of forge a route belongs to, for example `github`.
    Namespace, "namespace", "1 to 64 of a-z 0-9 . -, first a letter or digit", is_namespace
);
text!(
    /// The forge's installation, for example `github.com`.
    Instance, "instance", "1 to 256 of A-Z a-z 0-9 . _ : / @ + -", is_opaque_id
);
text!(
    /// Which integration at the forge sent the delivery.
    IntegrationId, "integration", "1 to 256 of A-Z a-z 0-9 . _ : / @ + -", is_opaque_id
);
text!(
    /// The replay identity of a delivery (page 2.3).
    DeliveryId, "delivery id", "1 to 256 of A-Z a-z 0-9 . _ : / @ + -", is_opaque_id
);
text!(
    /// The change (pull or merge request) at the forge.
    ChangeId, "change id", "1 to 256 of A-Z a-z 0-9 . _ : / @ + -", is_opaque_id
);
text!(
    /// The provider's run that a delivery asks for.
    RunId, "run id", "1 to 256 of A-Z a-z 0-9 . _ : / @ + -", is_opaque_id
);
text!(
    /// The name of one evaluation; a row that was removed and made anew has another.
    EvaluationId, "evaluation id", "1 to 256 of A-Z a-z 0-9 . _ : / @ + -", is_opaque_id
);
text!(
    /// The host that serves a repository. Free text: the only one in the record.
    Host, "repository host", "1 to 255 bytes of UTF-8 without /", is_host
);
text!(
    /// The owner of a repository, groups joined by `/`.
    Owner, "repository owner",
    "1 to 255 bytes: segments of 1 to 100 a-z 0-9 . _ - joined by /, first and last a letter or digit",
    is_owner
);
text!(
    /// The name of a repository.
    RepositoryName, "repository name", "1 to 100 of a-z 0-9 . _ -, and not . or ..",
    is_repository_name
);
text!(
    /// A branch, in full (`refs/heads/…`), at most 266 bytes.
    BranchRef, "branch", "refs/heads/ and a legal branch name of at most 255 bytes", is_branch_ref
);
text!(
    /// The name of the status that the gate requires.
    StatusName, "status name",
    "1 to 160 of A-Z a-z 0-9 blank . _ / -, first a letter or digit, last not a blank",
    is_status_name
);

impl BranchRef {
    /// The name without `refs/heads/`.
    #[must_use]
    pub fn short(&self) -> &str {
        self.as_str()
            .strip_prefix("refs/heads/")
            .unwrap_or_default()
    }
}

/// The rule of the opaque identifiers, for other modules that check the same alphabet.
#[must_use]
pub fn opaque_rule() -> &'static str {
    OPAQUE_RULE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_follow_the_rule_of_the_format() {
        for good in ["@", "HEAD", "-x", "a./b", "é/\"q\"<>&@€", &"b".repeat(255)] {
            assert!(
                BranchRef::new(format!("refs/heads/{good}")).is_ok(),
                "{good}"
            );
        }
        for bad in [
            "", "a..b", "a@{b", "a.", ".a", "a/.b", "a.lock", "a.lock/b", "a//b", "a b", "a\u{7f}",
        ] {
            assert!(
                BranchRef::new(format!("refs/heads/{bad}")).is_err(),
                "{bad}"
            );
        }
        assert!(BranchRef::new("main").is_err());
        assert!(BranchRef::new(format!("refs/heads/{}", "b".repeat(256))).is_err());
    }

    #[test]
    fn owners_are_segments_and_names_may_start_with_a_dot() {
        for good in ["o/p.q_r-s/t0", "a"] {
            assert!(Owner::new(good).is_ok(), "{good}");
        }
        for bad in ["", "a/", "/a", "A", "-a", "a-", "a//b"] {
            assert!(Owner::new(bad).is_err(), "{bad}");
        }
        assert!(RepositoryName::new(".name-").is_ok());
        assert!(RepositoryName::new("..").is_err());
    }
}
