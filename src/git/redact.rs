//! Words of Git and of an origin, fit to be kept and shown (page 5.2, point 5).

/// Takes user parts of addresses, authorization headers, tokens in queries and every known secret
/// out of `text`, and control characters with them; keeps the last `limit` bytes of the rest, cut
/// at a line where there is one.
#[must_use]
pub fn redact<'a>(text: &str, secrets: impl Iterator<Item = &'a str>, limit: usize) -> String {
    let mut text = text.to_owned();
    for secret in secrets.filter(|secret| !secret.is_empty()) {
        text = text.replace(secret, "[secret]");
    }
    let lines: Vec<String> = text.split(['\n', '\r']).map(redact_line).collect();
    let text = lines.join("\n");
    let text = text.trim();
    keep_tail(text, limit).to_owned()
}

/// Headers whose value opens something.
const HEADERS: [&str; 5] = [
    "authorization:",
    "proxy-authorization:",
    "cookie:",
    "private-token:",
    "x-api-key:",
];

/// Names of query and form members whose value opens something.
const MEMBERS: [&str; 8] = [
    "token=",
    "access_token=",
    "private_token=",
    "password=",
    "passwd=",
    "secret=",
    "api_key=",
    "sig=",
];

fn redact_line(line: &str) -> String {
    let plain: String = line
        .chars()
        .map(|letter| match letter {
            '\t' => ' ',
            // A tag separator of the terminal must not reach one.
            other if other.is_control() => '?',
            other => other,
        })
        .collect();
    let lower = plain.to_ascii_lowercase();
    if let Some((at, header)) = HEADERS
        .iter()
        .filter_map(|header| Some((lower.find(header)?, header)))
        .min()
    {
        let end = at.saturating_add(header.len());
        let before = plain.get(..end).unwrap_or_default();
        return format!("{} [redacted]", without_users(&without_members(before)));
    }
    without_users(&without_members(&plain))
}

/// `token=value` becomes `token=[redacted]`.
fn without_members(line: &str) -> String {
    let lower = line.to_ascii_lowercase();
    let mut text = String::with_capacity(line.len());
    let mut at = 0;
    while let Some(rest) = lower.get(at..) {
        let found = MEMBERS
            .iter()
            .filter_map(|member| Some((rest.find(member)?, member.len())))
            .min_by_key(|(place, length)| place.saturating_add(*length));
        let Some((place, length)) = found else { break };
        let value = at.saturating_add(place).saturating_add(length);
        text.push_str(line.get(at..value).unwrap_or_default());
        let tail = line.get(value..).unwrap_or_default();
        let end = tail
            .find(|letter: char| {
                letter.is_whitespace() || matches!(letter, '&' | '\'' | '"' | '<' | '>' | ';')
            })
            .unwrap_or(tail.len());
        if end > 0 {
            text.push_str("[redacted]");
        }
        at = value.saturating_add(end);
    }
    text.push_str(line.get(at..).unwrap_or_default());
    text
}

/// `scheme://user:password@host` and `user@host` lose what stands before the `@`.
fn without_users(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for word in line.split_inclusive(|letter: char| {
        letter.is_whitespace() || matches!(letter, '\'' | '"' | '<' | '>' | '`')
    }) {
        text.push_str(&without_user(word));
    }
    text
}

fn without_user(word: &str) -> String {
    if let Some((scheme, rest)) = word.split_once("://") {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
        return match authority.rsplit_once('@') {
            Some((_, host)) => format!("{scheme}://{host}{path}"),
            // A password with a slash in it: everything before the last `@` may be one.
            None if path.contains('@') && authority.contains(':') && !is_port(authority) => {
                let (_, host) = path.rsplit_once('@').unwrap_or(("", path));
                format!("{scheme}://{host}")
            }
            None => word.to_owned(),
        };
    }
    match word.split_once('@') {
        Some((user, host)) => {
            let start = user
                .rfind(['(', '[', '{', ',', ';', '=', '/'])
                .map_or(0, |at| at.saturating_add(1));
            format!("{}{host}", user.get(..start).unwrap_or_default())
        }
        None => word.to_owned(),
    }
}

fn is_port(authority: &str) -> bool {
    authority
        .rsplit_once(':')
        .is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()))
}

fn keep_tail(text: &str, limit: usize) -> &str {
    let mut from = text.len().saturating_sub(limit);
    if from == 0 {
        return text;
    }
    while !text.is_char_boundary(from) {
        from = from.saturating_add(1);
    }
    let tail = text.get(from..).unwrap_or_default();
    tail.split_once('\n').map_or(tail, |(_, lines)| lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        redact(text, ["s3cr3t-header"].into_iter(), 4096)
    }

    #[test]
    fn user_parts_of_addresses_do_not_stay() {
        for (given, kept) in [
            (
                "fatal: unable to access 'https://me:pw@h:8/x/': no",
                "fatal: unable to access 'https://h:8/x/': no",
            ),
            ("https://a:p@ss@h/x", "https://h/x"),
            ("https://tok@h", "https://h"),
            ("https://me:p/w@h/x", "https://h/x"),
            ("https://h:8/a@b", "https://h:8/a@b"),
            (
                "git@h: Permission denied (publickey).",
                "h: Permission denied (publickey).",
            ),
            ("To git@h:group/x.git", "To h:group/x.git"),
            ("see <https://u:p@h/x>", "see <https://h/x>"),
            ("mail a@b.c", "mail b.c"),
        ] {
            assert_eq!(of(given), kept);
        }
    }

    #[test]
    fn headers_tokens_and_known_secrets_do_not_stay() {
        assert_eq!(
            of("> Authorization: Basic abc"),
            "> Authorization: [redacted]"
        );
        assert_eq!(
            of("x?access_token=abc&y=1 z"),
            "x?access_token=[redacted]&y=1 z"
        );
        assert_eq!(of("a=1&PASSWORD=x"), "a=1&PASSWORD=[redacted]");
        assert_eq!(of("got s3cr3t-header back"), "got [secret] back");
        assert_eq!(
            of("https://u:p@h Authorization: Basic abc"),
            "https://h Authorization: [redacted]"
        );
    }

    #[test]
    fn control_characters_do_not_stay_and_the_last_lines_do() {
        assert_eq!(of("a\u{1b}[31mb\r\nc\td"), "a?[31mb\n\nc d");
        let long = format!("{}\n{}\nlast\n", "x".repeat(5000), "y".repeat(100));
        let kept = of(&long);
        assert!(
            kept.len() <= 4096 && kept.ends_with("last"),
            "{}",
            kept.len()
        );
        assert!(redact(&"é".repeat(3000), std::iter::empty(), 4095).len() <= 4095);
    }

    #[test]
    fn a_secret_is_taken_out_before_the_text_is_cut() {
        let text = format!("{}s3cr3t-header", "x".repeat(10));
        assert!(!redact(&text, ["s3cr3t-header"].into_iter(), 6).contains("3t"));
    }
}
