//! What `git push --porcelain` says, ref by ref, and the class of a failure (page 5.2, point 5).
//!
//! Nothing here looks for digits that may occur in an object id, and nothing that an origin's hook
//! prints (`remote: …`) decides a class: only Git's own words under `LC_ALL=C` do.

use std::ffi::OsString;
use std::path::Path;

use super::access::{Access, Trouble};
use crate::code::Code;
use crate::delivery::ObjectId;

/// Why a push did not arrive. The stored codes of page 5.2, point 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureClass {
    /// The origin refused the credentials, or asked for some.
    Auth,
    /// The origin could not be reached, or is no repository.
    Unreachable,
    /// The deadline passed and the whole process tree was killed.
    Timeout,
    /// A hook or a branch protection refused this branch.
    Rejected,
    /// The origin's branch holds commits that this push does not contain.
    NonFastForward,
    /// Anything else.
    Other,
}

impl FailureClass {
    /// The code that the intent stores.
    #[must_use]
    pub const fn code(self) -> Code {
        match self {
            FailureClass::Auth => Code::OriginAuthFailed,
            FailureClass::Unreachable => Code::OriginUnreachable,
            FailureClass::Timeout => Code::OriginTimeout,
            FailureClass::Rejected => Code::PushRejected,
            FailureClass::NonFastForward => Code::NonFastForward,
            FailureClass::Other => Code::PublishFailed,
        }
    }

    /// Whether it belongs to the origin as a whole, so that every branch meets it alike.
    #[must_use]
    pub const fn concerns_whole_origin(self) -> bool {
        matches!(
            self,
            FailureClass::Auth | FailureClass::Unreachable | FailureClass::Timeout
        )
    }

    /// Whether one branch's fault can be what another branch of the same push is blamed for: a
    /// pre-receive hook judges all together, and one broken object spoils the whole pack.
    #[must_use]
    pub const fn may_be_anothers(self) -> bool {
        matches!(self, FailureClass::Rejected | FailureClass::Other)
    }
}

/// One commit for one branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refspec {
    /// The commit.
    pub oid: ObjectId,
    /// The ref at the origin, in full.
    pub target: String,
}

impl Access {
    /// Pushes commits of `mirror`, each to its branch, in one call and without force. The report
    /// judges ref by ref; a ref that it does not name has the class that comes beside it, with
    /// Git's words.
    ///
    /// # Errors
    /// [`Trouble`] when Git ended before it could say anything of any ref.
    pub fn push(
        &self,
        mirror: &Path,
        origin: &str,
        refspecs: &[Refspec],
    ) -> Result<Pushed, Trouble> {
        let mut arguments: Vec<OsString> = [
            "push",
            "--porcelain",
            "--no-verify",
            "--no-signed",
            "--recurse-submodules=no",
            "--",
            origin,
        ]
        .map(OsString::from)
        .into();
        for refspec in refspecs {
            arguments.push(format!("{}:{}", refspec.oid, refspec.target).into());
        }
        let git = self.git(mirror);
        let (status, finished) = Access::call(&git, &arguments)?;
        let report = PushReport::parse(finished.stdout.bytes());
        if status != 0 && report.is_empty() {
            return Err(Trouble::failed(&finished));
        }
        Ok(Pushed {
            unnamed: classify_stderr(&finished.stderr.shown()),
            report,
            words: finished.stderr.text(),
        })
    }
}

/// A push that Git spoke of.
#[derive(Clone, Debug)]
pub struct Pushed {
    /// What became of each ref.
    pub report: PushReport,
    /// The class of a ref that Git did not name.
    pub unnamed: FailureClass,
    /// What Git and the origin said, unredacted.
    pub words: String,
}

impl Pushed {
    /// The push of nothing.
    #[must_use]
    pub fn nothing() -> Pushed {
        Pushed {
            report: PushReport::default(),
            unnamed: FailureClass::Other,
            words: String::new(),
        }
    }
}

/// What became of one ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefOutcome {
    /// The origin has the commit now.
    Updated,
    /// It had it before.
    UpToDate,
    /// It refused, or Git did before asking.
    Refused(FailureClass),
}

/// Every ref that a push spoke of, in the order that Git printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushReport(Vec<(String, RefOutcome)>);

impl PushReport {
    /// Reads the standard output of `git push --porcelain`. Lines of another shape (`To …`,
    /// `Done`, whatever a future Git adds) say nothing about a ref and are passed over.
    #[must_use]
    pub fn parse(stdout: &[u8]) -> PushReport {
        let text = String::from_utf8_lossy(stdout);
        PushReport(text.lines().filter_map(parse_line).collect())
    }

    /// What became of `target` (in full). `None` when Git did not say; the worst of what it said
    /// when it spoke twice.
    #[must_use]
    pub fn outcome(&self, target: &str) -> Option<RefOutcome> {
        let mut found = self.0.iter().filter(|(name, _)| name == target);
        let first = found.next()?.1;
        let refused = found
            .map(|(_, outcome)| *outcome)
            .find(|outcome| matches!(outcome, RefOutcome::Refused(_)));
        Some(match first {
            RefOutcome::Refused(_) => first,
            _ => refused.unwrap_or(first),
        })
    }

    /// Whether Git said nothing of any ref.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// `<flag>\t<from>:<to>\t<summary>`, the summary with the reason in brackets at its end.
fn parse_line(line: &str) -> Option<(String, RefOutcome)> {
    let mut columns = line.splitn(3, '\t');
    let (flag, names, summary) = (columns.next()?, columns.next()?, columns.next()?);
    let (_, target) = names.rsplit_once(':')?;
    if !target.starts_with("refs/") {
        return None;
    }
    let outcome = match flag {
        " " | "*" | "+" => RefOutcome::Updated,
        "=" => RefOutcome::UpToDate,
        "!" => RefOutcome::Refused(classify_refusal(summary)),
        _ => return None,
    };
    Some((target.to_owned(), outcome))
}

/// What a remote's report says when the refusal is the origin's own trouble and no judgement.
const ORIGIN_TROUBLE: [&str; 13] = [
    "failed",
    "cannot lock",
    "unable to",
    "unpacker error",
    "n/a",
    "missing necessary objects",
    "incorrect old value",
    "internal",
    "error",
    "reference already exists",
    "transaction",
    "atomic",
    "bad pack",
];

fn classify_refusal(summary: &str) -> FailureClass {
    let (kind, reason) = summary.split_once(" (").unwrap_or((summary, ""));
    let reason = reason.strip_suffix(')').unwrap_or(reason);
    match kind {
        "[rejected]" => match reason {
            "non-fast-forward" | "fetch first" | "remote ref updated since checkout" => {
                FailureClass::NonFastForward
            }
            _ => FailureClass::Other,
        },
        "[remote rejected]" => classify_remote_reason(reason),
        _ => FailureClass::Other,
    }
}

fn classify_remote_reason(reason: &str) -> FailureClass {
    let reason = reason.to_ascii_lowercase();
    if reason.starts_with("non-fast-forward") || reason.starts_with("fetch first") {
        FailureClass::NonFastForward
    } else if reason.is_empty() || ORIGIN_TROUBLE.iter().any(|word| reason.starts_with(word)) {
        FailureClass::Other
    } else {
        FailureClass::Rejected
    }
}

/// Words of Git, curl and ssh that mean: these credentials do not open the origin, or some were
/// asked for and nobody was there to ask.
const AUTH: [&str; 18] = [
    "unable to get password from user",
    "authentication failed",
    "could not read username",
    "could not read password",
    "terminal prompts disabled",
    "permission denied (",
    "host key verification failed",
    "too many authentication failures",
    "no supported authentication methods",
    "the requested url returned error: 401",
    "the requested url returned error: 403",
    "the requested url returned error: 407",
    "http 401 curl",
    "http 403 curl",
    "http 407 curl",
    "connect tunnel failed, response 407",
    "invalid credentials",
    "access denied",
];

/// Words of theirs that mean: no repository answered.
const UNREACHABLE: [&str; 34] = [
    "could not resolve",
    "couldn't resolve",
    "failed to connect",
    "couldn't connect",
    "could not connect",
    "unable to connect",
    "connection refused",
    "connection reset",
    "connection timed out",
    "connection closed",
    "operation timed out",
    "timeout was reached",
    "timed out",
    "network is unreachable",
    "no route to host",
    "broken pipe",
    "empty reply from server",
    "recv failure",
    "send failure",
    "transfer closed",
    "stream 0 was not closed cleanly",
    "http/2 stream",
    "early eof",
    "the remote end hung up",
    "unexpected disconnect",
    "the requested url returned error: 5",
    "the requested url returned error: 404",
    "the requested url returned error: 429",
    "connect tunnel failed",
    "ssl",
    "tls",
    "does not appear to be a git repository",
    "not valid: is this a git repository",
    "could not read from remote repository",
];

/// Words of theirs that mean: the origin was there and would not, whatever they say of the
/// connection that it then closed.
const ANSWERED: [(&str, FailureClass); 3] = [
    ("ref updates aborted by hook", FailureClass::Rejected),
    (
        "does not support this repository's hash algorithm",
        FailureClass::Other,
    ),
    ("mismatched algorithms", FailureClass::Other),
];

/// The class of a failure of the whole call (`git push`, `ls-remote` or `fetch`), from Git's own
/// standard error under `LC_ALL=C`.
#[must_use]
pub fn classify_stderr(stderr: &[u8]) -> FailureClass {
    let text = String::from_utf8_lossy(stderr);
    let mut class = FailureClass::Other;
    for line in text.split(['\n', '\r']) {
        let line = own_words(line).to_ascii_lowercase();
        if let Some((_, class)) = ANSWERED.iter().find(|(word, _)| line.contains(word)) {
            return *class;
        }
        if AUTH.iter().any(|word| line.contains(word)) {
            return FailureClass::Auth;
        }
        let not_found = line.starts_with("fatal: repository") && line.ends_with("not found");
        if not_found || UNREACHABLE.iter().any(|word| line.contains(word)) {
            class = FailureClass::Unreachable;
        }
    }
    class
}

/// A line without what others put into it: the origin's words, and quoted addresses and paths.
fn own_words(line: &str) -> String {
    if line.trim_start().starts_with("remote:") {
        return String::new();
    }
    let mut quoted = false;
    let mut text = String::with_capacity(line.len());
    let mut before = ' ';
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        // An apostrophe inside a word (`couldn't`) is none of the quotes that Git writes.
        let opens = !quoted && !before.is_alphanumeric();
        let closes = quoted && letters.peek().is_none_or(|next| !next.is_alphanumeric());
        if letter == '\'' && (opens || closes) {
            quoted = !quoted;
        } else if !quoted {
            text.push(letter);
        }
        before = letter;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const OID: &str = "7b7444109a8a40396f8f876cee82cb84b0eccf67";

    fn report(flag: &str, summary: &str) -> PushReport {
        let text = format!("To x\n{flag}\t{OID}:refs/heads/b\t{summary}\nDone\n");
        PushReport::parse(text.as_bytes())
    }

    #[test]
    fn f02_each_refusal_has_its_class() {
        for (summary, class) in [
            ("[rejected] (fetch first)", FailureClass::NonFastForward),
            (
                "[rejected] (non-fast-forward)",
                FailureClass::NonFastForward,
            ),
            (
                "[remote rejected] (non-fast-forward)",
                FailureClass::NonFastForward,
            ),
            (
                "[remote rejected] (pre-receive hook declined)",
                FailureClass::Rejected,
            ),
            ("[remote rejected] (hook declined)", FailureClass::Rejected),
            (
                "[remote rejected] (protected branch hook declined)",
                FailureClass::Rejected,
            ),
            (
                "[remote rejected] (push declined due to repository rule violations)",
                FailureClass::Rejected,
            ),
            (
                "[remote rejected] (branch is currently checked out)",
                FailureClass::Rejected,
            ),
            (
                "[remote rejected] (failed to update ref)",
                FailureClass::Other,
            ),
            ("[remote rejected] (unpacker error)", FailureClass::Other),
            (
                "[remote rejected] (cannot lock ref 'refs/heads/b': is at 1 but expected 2)",
                FailureClass::Other,
            ),
            (
                "[remote rejected] (Internal Server Error)",
                FailureClass::Other,
            ),
            ("[remote rejected]", FailureClass::Other),
            (
                "[remote failure] (remote failed to report status)",
                FailureClass::Other,
            ),
            ("[rejected] (atomic push failed)", FailureClass::Other),
            ("[no match]", FailureClass::Other),
        ] {
            assert_eq!(
                report("!", summary).outcome("refs/heads/b"),
                Some(RefOutcome::Refused(class)),
                "{summary}"
            );
        }
    }

    #[test]
    fn f02_an_origin_that_answers_and_will_not_is_not_unreachable() {
        for (text, class) in [
            (
                "remote: no\nfatal: ref updates aborted by hook\nsend-pack: unexpected disconnect while reading sideband packet\nfatal: the remote end hung up unexpectedly\n",
                FailureClass::Rejected,
            ),
            (
                "fatal: the receiving end does not support this repository's hash algorithm\nfatal: the remote end hung up unexpectedly\n",
                FailureClass::Other,
            ),
            (
                "fatal: mismatched algorithms: client sha1; server sha256\nfatal: the remote end hung up unexpectedly\n",
                FailureClass::Other,
            ),
            // The origin's own words decide nothing.
            (
                "remote: fatal: ref updates aborted by hook\nfatal: the remote end hung up unexpectedly\n",
                FailureClass::Unreachable,
            ),
        ] {
            assert_eq!(classify_stderr(text.as_bytes()), class, "{text}");
        }
    }

    #[test]
    fn f02_what_arrived_is_told_from_what_was_there() {
        for (flag, summary, outcome) in [
            (" ", "1234567..7b74441", RefOutcome::Updated),
            ("*", "[new branch]", RefOutcome::Updated),
            ("=", "[up to date]", RefOutcome::UpToDate),
        ] {
            assert_eq!(report(flag, summary).outcome("refs/heads/b"), Some(outcome));
        }
    }

    #[test]
    fn several_refs_are_judged_one_by_one_and_the_worst_word_counts() {
        let text = format!(
            "To x\n=\t{OID}:refs/heads/a\t[up to date]\n!\t{OID}:refs/heads/b\t[rejected] (fetch first)\n\
             *\t{OID}:refs/heads/c\t[new branch]\n!\t{OID}:refs/heads/c\t[remote rejected] (hook declined)\n"
        );
        let report = PushReport::parse(text.as_bytes());
        assert_eq!(report.outcome("refs/heads/a"), Some(RefOutcome::UpToDate));
        assert_eq!(
            report.outcome("refs/heads/b"),
            Some(RefOutcome::Refused(FailureClass::NonFastForward))
        );
        assert_eq!(
            report.outcome("refs/heads/c"),
            Some(RefOutcome::Refused(FailureClass::Rejected))
        );
        assert_eq!(report.outcome("refs/heads/d"), None);
    }

    #[test]
    fn output_that_speaks_of_no_ref_judges_none() {
        for text in [
            "",
            "Done\n",
            "To x\nEverything up-to-date\n",
            "\t\t\n",
            "*\tx\ty\n",
            "?\ta:refs/heads/b\tz\n",
        ] {
            assert!(PushReport::parse(text.as_bytes()).is_empty(), "{text:?}");
        }
        assert!(
            PushReport::parse(b"*\t\xff:refs/heads/\xfe\t[new branch]\n\xff")
                .outcome("refs/heads/b")
                .is_none()
        );
    }

    #[test]
    fn f01_a_question_that_nobody_answers_is_a_failed_authentication() {
        for text in [
            "fatal: could not read Username for 'https://h': terminal prompts disabled\n",
            "fatal: Authentication failed for 'http://127.0.0.1:8080/o.git/'\n",
            "u@h: Permission denied (publickey,password).\r\nfatal: Could not read from remote repository.\n",
            "Host key verification failed.\nfatal: Could not read from remote repository.\n",
            "fatal: unable to access 'https://h/': The requested URL returned error: 403\n",
            "error: RPC failed; HTTP 403 curl 22 The requested URL returned error: 403\n",
        ] {
            assert_eq!(
                classify_stderr(text.as_bytes()),
                FailureClass::Auth,
                "{text}"
            );
        }
    }

    #[test]
    fn f02_an_origin_that_does_not_answer_is_unreachable() {
        for text in [
            "fatal: unable to access 'http://127.0.0.1:1/x/': Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server\n",
            "fatal: unable to access 'https://nowhere.invalid/': Could not resolve host: nowhere.invalid\n",
            "fatal: '/nothere' does not appear to be a git repository\nfatal: Could not read from remote repository.\n",
            "ssh: connect to host 127.0.0.1 port 1: Connection refused\r\nfatal: Could not read from remote repository.\n",
            "fatal: repository 'http://h/x.git/' not found\n",
            "fatal: the remote end hung up unexpectedly\n",
            "fatal: unable to access 'http://h/': Empty reply from server\n",
            "error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502\n",
        ] {
            assert_eq!(
                classify_stderr(text.as_bytes()),
                FailureClass::Unreachable,
                "{text}"
            );
        }
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_of_a_report_is_read_without_a_panic() {
        let text = format!(
            "To x\n*\t{OID}:refs/heads/b\t[new branch]\n!\t{OID}:refs/heads/c\t[remote rejected] (hook declined)\nDone\n"
        );
        for length in 0..text.len() {
            // A report that was cut says nothing, or what it had said by then.
            let cut = PushReport::parse(&text.as_bytes()[..length]);
            assert_ne!(cut.outcome("refs/heads/c"), Some(RefOutcome::Updated));
        }
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let _ = PushReport::parse(&bytes);
                let _ = classify_stderr(&bytes);
            }
        }
    }

    #[test]
    fn neither_digits_of_an_object_id_nor_words_of_others_decide_a_class() {
        for text in [
            "fatal: bad object 4014034014034014034014034014034014034010\n",
            "remote: fatal: Authentication failed for 'x'\nerror: failed to push some refs to 'h'\n",
            "error: failed to push some refs to 'https://h/Authentication failed/ssl'\n",
            "fatal: unable to access 'https://h/the requested url returned error: 401/': weather\n",
            "",
        ] {
            assert_eq!(
                classify_stderr(text.as_bytes()),
                FailureClass::Other,
                "{text}"
            );
        }
    }
}
