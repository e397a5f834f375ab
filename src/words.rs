//! Words for people that more than one message is made of.

use std::path::Path;

/// A number with its noun: `1 row`, `2 rows`.
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!("{number} {many}")
    }
}

/// A path as a shell reads it: plain where that is safe, in single quotes elsewhere, and spelled by
/// `printf` where it is no text.
#[must_use]
pub fn shell(path: &Path) -> String {
    let Some(text) = path.to_str() else {
        return format!("\"$(printf '{}')\"", spelled(path));
    };
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:@%".contains(letter);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A path as a format of `printf` that means its bytes.
fn spelled(path: &Path) -> String {
    use std::fmt::Write as _;
    let mut format = String::new();
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._".contains(&byte) {
            format.push(char::from(byte));
        } else {
            // Writing into a text cannot fail.
            let _ = write!(format, "\\{byte:03o}");
        }
    }
    format
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_told_in_the_plural() {
        assert_eq!(counted(0, "row", "rows"), "0 rows");
        assert_eq!(counted(1, "row", "rows"), "1 row");
        assert_eq!(counted(2, "row", "rows"), "2 rows");
    }

    #[test]
    fn a_path_can_be_copied_into_a_shell() {
        assert_eq!(shell(Path::new("/var/lib/amiss")), "/var/lib/amiss");
        assert_eq!(shell(Path::new("my root")), "'my root'");
        assert_eq!(shell(Path::new("it's")), r"'it'\''s'");
        assert_eq!(shell(Path::new("$HOME")), "'$HOME'");
        let bytes = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"-\xffa%s7");
        assert_eq!(shell(Path::new(bytes)), r#""$(printf '\055\377a\045s7')""#);
    }
}
