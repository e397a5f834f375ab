//! The result record of a bootstrap, and what the end of a run means: the table of page 4.3. Pure
//! functions of what was observed.

use crate::delivery::outcome::{Evaluation, MAX_REPORT_BYTES, NoVerdict};
use crate::process::warden::{Cause, Leader};

/// The longest result record that is read, in bytes.
pub const MAX_RECORD_BYTES: usize = 64;

/// The record's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// A verdict.
    Verdict(Evaluation),
    /// None, for this reason.
    None(NoVerdict),
}

/// Words and the exit status that belongs to each.
const WORDS: [(&[u8], Word, i32); 7] = [
    (b"pass", Word::Verdict(Evaluation::Pass), 0),
    (b"block", Word::Verdict(Evaluation::Block), 1),
    (b"missing-output", Word::None(NoVerdict::MissingOutput), 2),
    (b"timeout", Word::None(NoVerdict::TimedOut), 2),
    (
        b"oversized-output",
        Word::None(NoVerdict::OversizedOutput),
        2,
    ),
    (
        b"tampered-runtime",
        Word::None(NoVerdict::TamperedRuntime),
        2,
    ),
    (b"unavailable", Word::None(NoVerdict::Unavailable), 2),
];

/// Reads a record byte for byte: `amiss/bootstrap-result-v1 <word>` and one line feed. The word, and
/// the exit status that belongs to it; `None` for anything else.
#[must_use]
pub fn parse(record: &[u8]) -> Option<(Word, i32)> {
    let word = record
        .strip_prefix(b"amiss/bootstrap-result-v1 ")?
        .strip_suffix(b"\n")?;
    WORDS
        .iter()
        .find(|(name, _, _)| *name == word)
        .map(|(_, word, status)| (*word, *status))
}

/// What was observed of an ended run whose lease was never lost.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// Why it ended.
    pub cause: Cause,
    /// How the bootstrap itself ended.
    pub leader: Leader,
    /// Whether its tree is proved empty.
    pub empty: bool,
    /// Whether its memory ceiling killed something.
    pub out_of_memory: bool,
    /// The first bytes of the result record, at most one more than [`MAX_RECORD_BYTES`].
    pub record: &'a [u8],
    /// The report's length.
    pub report_bytes: u64,
    /// The wall limit, in milliseconds.
    pub wall_limit_millis: u64,
}

/// What it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A verdict, and a report within its bounds.
    Complete(Evaluation),
    /// None.
    None {
        /// Why.
        reason: NoVerdict,
        /// For the operator.
        detail: String,
    },
}

/// Classifies an ended run. Where several rows hold, the first of these does: what may still run, the
/// limit, a signal, a record that is wrong, the report's ceiling, what is missing.
#[must_use]
pub fn classify(observed: &Observed<'_>) -> Verdict {
    let none = |reason, detail: String| Verdict::None { reason, detail };
    if !observed.empty {
        let detail = "the process tree could not be proved empty within 2 s".into();
        return none(NoVerdict::Unavailable, detail);
    }
    match observed.cause {
        Cause::Exit => {}
        Cause::WallLimit => {
            let limit = observed.wall_limit_millis;
            let detail = format!("killed by the watchdog at the wall limit of {limit} ms");
            return none(NoVerdict::TimedOut, detail);
        }
        Cause::Told | Cause::Window | Cause::OwnerGone => {
            return none(NoVerdict::Unavailable, "killed by amiss".into());
        }
    }
    let status = match observed.leader {
        Leader::Exited(status) => status,
        Leader::Signalled(signal) => {
            return none(NoVerdict::Unavailable, of_signal(signal, observed));
        }
        Leader::Unknown => {
            let detail = "the bootstrap ended and its status could not be had".into();
            return none(NoVerdict::Unavailable, detail);
        }
    };
    of_record(observed, status)
}

fn of_record(observed: &Observed<'_>, status: i32) -> Verdict {
    let none = |reason, detail: String| Verdict::None { reason, detail };
    let oversized = observed.report_bytes > MAX_REPORT_BYTES;
    let bytes = observed.report_bytes;
    let too_long = format!("the report has {bytes} bytes, over its ceiling of {MAX_REPORT_BYTES}");
    if observed.record.is_empty() {
        if oversized {
            return none(NoVerdict::OversizedOutput, too_long);
        }
        let memory = if observed.out_of_memory {
            "; the memory limit killed a process of it"
        } else {
            ""
        };
        let detail = format!("no result record, exit status {status}{memory}");
        return none(NoVerdict::MissingOutput, detail);
    }
    if observed.record.len() > MAX_RECORD_BYTES {
        let detail = format!("the result record is over {MAX_RECORD_BYTES} bytes");
        return none(NoVerdict::TamperedRuntime, detail);
    }
    let Some((word, expected)) = parse(observed.record) else {
        let detail = "the result record is not one of `amiss/bootstrap-result-v1`".into();
        return none(NoVerdict::TamperedRuntime, detail);
    };
    if status != expected {
        let detail = format!(
            "the exit status {status} does not belong to the result record, which asks for {expected}"
        );
        return none(NoVerdict::TamperedRuntime, detail);
    }
    match word {
        Word::None(reason) => none(reason, "the result record says so".into()),
        Word::Verdict(_) if oversized => none(NoVerdict::OversizedOutput, too_long),
        Word::Verdict(_) if bytes == 0 => none(
            NoVerdict::MissingOutput,
            "a verdict with an empty report".into(),
        ),
        Word::Verdict(evaluation) => Verdict::Complete(evaluation),
    }
}

fn of_signal(signal: i32, observed: &Observed<'_>) -> String {
    const KILL: i32 = 9;
    if signal == KILL && observed.out_of_memory {
        return "killed by the memory limit".into();
    }
    match signal_name(signal) {
        Some(name) => format!("the bootstrap was killed by signal {signal} ({name}), not by amiss"),
        None => format!("the bootstrap was killed by signal {signal}, not by amiss"),
    }
}

/// The usual names; their numbers are the same on Linux and macOS.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ, the file size limit",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
