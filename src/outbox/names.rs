//! The identifiers of the outbox, each with its alphabet (page 5.1). Lengths are bytes.

use crate::delivery::text::text;

const fn name_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'-')
}

fn is_name(text: &str) -> bool {
    matches!(text.len(), 1..=64)
        && text.bytes().all(name_byte)
        && !text.starts_with('.')
        && !text.starts_with('-')
}

/// A task is also one part of the pin's ref name, where Git allows a little less.
fn is_task(text: &str) -> bool {
    is_name(text)
        && !text.contains("..")
        && !text.ends_with('.')
        && !text.as_bytes().ends_with(b".lock")
}

fn is_turn(text: &str) -> bool {
    text.len() == 32
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The rule of `git check-ref-format --branch`, without the forms that it expands (`@{-1}`).
fn is_branch(text: &str) -> bool {
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
    matches!(text.len(), 1..=1024)
        && text != "HEAD"
        && !text.starts_with('-')
        && !text.contains("..")
        && !text.contains("@{")
        && !text.ends_with('.')
        && !text.bytes().any(forbidden)
        && text.split('/').all(good)
}

fn is_mirror_path(text: &str) -> bool {
    matches!(text.len(), 2..=4096)
        && text.starts_with('/')
        && !text.chars().any(char::is_control)
        && text.split('/').all(|part| part != ".." && part != ".")
}

text!(
    /// The project that a mirror belongs to.
    Project, "project", "1 to 64 of a-z 0-9 . _ -, not starting with . or -", is_name
);
text!(
    /// The task that a turn belongs to; also one part of the pin's ref name.
    Task, "task",
    "1 to 64 of a-z 0-9 . _ -, not starting with . or -, without .., not ending with . or .lock",
    is_task
);
text!(
    /// One turn of a task: what is pushed once.
    Turn, "turn", "32 lower-case hex digits", is_turn
);
text!(
    /// The short name of a branch (`main`, not `refs/heads/main`), at most 1024 bytes.
    Branch, "branch", "a valid Git branch name (`git check-ref-format --branch`)", is_branch
);
text!(
    /// The absolute path of a mirror that is not `mirrors/<project>.git`.
    MirrorPath, "mirror", "an absolute path without . and .. parts", is_mirror_path
);

impl Branch {
    /// The full name of the ref at the origin.
    #[must_use]
    pub fn full(&self) -> String {
        format!("refs/heads/{}", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lower_case_and_do_not_start_with_a_dot_or_a_dash() {
        for good in ["a", "0", "_x", "a.b-c_d", &"a".repeat(64), "a..b", "a.lock"] {
            assert!(Project::new(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            ".a",
            "-a",
            "A",
            "a/b",
            "a b",
            "é",
            &"a".repeat(65),
            "..",
            "a\n",
        ] {
            assert!(Project::new(bad).is_err(), "{bad}");
            assert!(Task::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_task_that_git_cannot_name_a_ref_after_is_refused() {
        for bad in ["a..b", "a.lock", "a."] {
            assert!(Task::new(bad).is_err(), "{bad}");
        }
        for good in ["a.locks", "a.b", "lock", "_"] {
            assert!(Task::new(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn a_turn_is_thirty_two_lower_case_hex_digits() {
        assert!(Turn::new("0123456789abcdef0123456789abcdef").is_ok());
        for bad in [
            "",
            "0123456789ABCDEF0123456789ABCDEF",
            &"0".repeat(31),
            &"0".repeat(33),
        ] {
            assert!(Turn::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_mirror_path_is_absolute_and_plain() {
        assert!(MirrorPath::new("/srv/mirrors/a b.git").is_ok());
        for bad in ["", "/", "a", "./a", "/a/../b", "/a/./b", "/a\nb"] {
            assert!(MirrorPath::new(bad).is_err(), "{bad}");
        }
    }
}
