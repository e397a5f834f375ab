//! Documents in, answers out: how every command reads standard input and ends (page 1.2, 1.3).

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use amiss::clock::UnixMillis;
use amiss::code::Code;
use amiss::delivery::Envelope;
use amiss::json::{Documents, MAX_ENVELOPE_BYTES, MAX_REQUEST_BYTES};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// The exit status of a whole call: that of the first document that failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Status(u8);

impl Status {
    /// Done, or nothing to do.
    pub const OK: Status = Status(0);

    /// The command line is wrong.
    pub const USAGE: Status = Status(2);

    /// The status of a code.
    pub const fn of(code: Code) -> Status {
        Status(code.status())
    }

    /// Keeps the first that is not 0.
    pub fn keep_first(&mut self, other: Status) {
        if self.0 == 0 {
            *self = other;
        }
    }
}

impl From<Status> for std::process::ExitCode {
    fn from(status: Status) -> std::process::ExitCode {
        std::process::ExitCode::from(status.0)
    }
}

/// What a step did with one envelope.
#[derive(Debug)]
pub struct Answer {
    /// What is handed on.
    pub envelope: Envelope,
    /// Why it was refused, if it was.
    pub failure: Option<Failure>,
}

impl Answer {
    /// Done, or passed on.
    pub const fn done(envelope: Envelope) -> Answer {
        Answer {
            envelope,
            failure: None,
        }
    }

    /// Refused, with the envelope as it then is.
    pub const fn refused(envelope: Envelope, failure: Failure) -> Answer {
        Answer {
            envelope,
            failure: Some(failure),
        }
    }
}

/// Standard output, which can break in two ways that must not be confused.
pub struct Output {
    out: io::Stdout,
    indented: bool,
    /// Somebody closed the pipe: nothing more is written, nothing is complained about.
    closed: bool,
}

impl Output {
    pub fn new() -> Output {
        let out = io::stdout();
        Output {
            indented: out.is_terminal(),
            out,
            closed: false,
        }
    }

    /// A person reads the answer.
    pub const fn is_terminal(&self) -> bool {
        self.indented
    }

    /// Prints one value: indented on a terminal, one line elsewhere. The status is 74 when it
    /// could not be written, and 0 for a closed pipe.
    pub fn print<T: Serialize>(&mut self, value: &T) -> Status {
        let text = if self.indented {
            // Through a value, so that the raw text of foreign members is indented too; a number
            // that a value cannot hold exactly is printed as it came, in one line.
            serde_json::to_string(value).map(|line| indent(&line))
        } else {
            serde_json::to_string(value)
        };
        match text {
            Ok(text) => self.write_line(&text),
            Err(error) => {
                complain(&Failure::new(
                    Code::Internal,
                    format!("cannot form the answer: {error}"),
                ));
                Status::of(Code::Internal)
            }
        }
    }

    /// Prints one line of text and flushes it.
    pub fn write_line(&mut self, text: &str) -> Status {
        if self.closed {
            return Status::OK;
        }
        let mut out = self.out.lock();
        let written = out
            .write_all(text.as_bytes())
            .and_then(|()| out.write_all(b"\n"))
            .and_then(|()| out.flush());
        match written {
            Ok(()) => Status::OK,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Status::OK
            }
            Err(error) => {
                self.closed = true;
                let message = format!("cannot write the answer to standard output: {error}");
                complain(&Failure::new(Code::Io, message));
                Status::of(Code::Io)
            }
        }
    }
}

/// Puts line breaks and two blanks a level into JSON text, leaving every token as it is.
fn indent(line: &str) -> String {
    let mut text = String::with_capacity(line.len().saturating_mul(2));
    let mut depth = 0_usize;
    let mut inside = false;
    let mut escaped = false;
    let mut rest = line.chars().peekable();
    while let Some(letter) = rest.next() {
        if inside {
            text.push(letter);
            inside = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            continue;
        }
        match letter {
            '"' => {
                inside = true;
                text.push(letter);
            }
            '{' | '[' => {
                text.push(letter);
                if let Some(end) = rest.next_if(|next| matches!(next, '}' | ']')) {
                    text.push(end);
                } else {
                    depth = depth.saturating_add(1);
                    break_line(&mut text, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut text, depth);
                text.push(letter);
            }
            ',' => {
                text.push(letter);
                break_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            ' ' | '\t' | '\r' | '\n' => {}
            other => text.push(other),
        }
    }
    text
}

fn break_line(text: &mut String, depth: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
}

/// How much a person wants to read on standard error: `-q`, neither, `-v`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Errors.
    Few,
    /// And notes and progress.
    Usual,
    /// And each document, and what each code means.
    Many,
}

static WORDS: OnceLock<Words> = OnceLock::new();

/// Sets the words of this call, once.
pub fn speak(words: Words) {
    // `amiss help` reads a second command line; the first one's flags stand.
    let _ = WORDS.set(words);
}

/// The words of this call.
pub fn words() -> Words {
    WORDS.get().copied().unwrap_or(Words::Usual)
}

/// One line on standard error: what failed and what to do. A standard error that cannot be written
/// changes nothing.
pub fn complain(failure: &Failure) {
    let mut line = format!("amiss: {}: {}", failure.code, failure.message);
    if let Some(hint) = &failure.hint {
        line.push_str(" (");
        line.push_str(hint);
        line.push(')');
    }
    say(&line);
    if words() == Words::Many {
        say(&format!(
            "amiss: {}: {}",
            failure.code,
            failure.code.meaning()
        ));
        say(&format!(
            "amiss: {}: what to do: {}",
            failure.code,
            failure.code.remedy()
        ));
    }
}

/// A line for a person on standard error, unless they asked for few words.
pub fn note(line: &str) {
    if words() != Words::Few {
        say(line);
    }
}

/// What became of one document, for a person who asked for many words.
fn detail(count: u64, status: Status) {
    if words() == Words::Many {
        say(&format!(
            "amiss: document {count} ends with status {}",
            status.0
        ));
    }
}

fn say(line: &str) {
    let line = one_line(line);
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// A message may hold a file's name or a forge's text: what would end the line, or tell a terminal
/// what to do, stands escaped, as Rust writes it.
fn one_line(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for letter in line.chars() {
        if letter.is_control() {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    text
}

/// Prints a failure that belongs to no envelope of the input, and says its status.
pub fn fail(failure: Failure) -> Status {
    finish(
        Answer::refused(Envelope::new(), failure),
        &mut Output::new(),
    )
}

/// Prints an answer and says its status.
pub fn finish(answer: Answer, output: &mut Output) -> Status {
    let Answer {
        mut envelope,
        failure,
    } = answer;
    let mut status = Status::OK;
    if let Some(failure) = failure {
        status = Status::of(failure.code);
        if failure.code == Code::Interrupted {
            crate::interrupt::said();
        }
        complain(&failure);
        if let Err(error) = envelope.set("error", &failure) {
            complain(&error.into());
        }
        // An error must reach the end of the pipeline: where it makes the envelope larger than the
        // next step reads, it travels alone.
        if envelope.bytes_without(&[]) > MAX_ENVELOPE_BYTES {
            envelope = Envelope::new();
            if let Err(error) = envelope.set("error", &failure) {
                complain(&error.into());
            }
        }
    }
    status.keep_first(output.print(&envelope));
    status
}

/// A person who typed the command alone would wait for nothing without a word.
fn tell_a_terminal() {
    if io::stdin().is_terminal() {
        note("amiss: waiting for JSON from the terminal; end it with Ctrl-D");
    }
}

/// Answers every document on standard input in order. A document that cannot be cut out of the
/// input is the last: where the next would start is not known.
fn each_document(ceiling: usize, mut answer: impl FnMut(&str, &mut Output) -> Status) -> Status {
    tell_a_terminal();
    let mut output = Output::new();
    let mut documents = Documents::new(io::stdin().lock(), ceiling);
    let mut status = Status::OK;
    let mut count = 0_u64;
    loop {
        count = count.saturating_add(1);
        match documents.next_document() {
            Ok(None) => return status,
            Ok(Some(text)) => {
                let _working = crate::interrupt::working();
                let one = answer(text, &mut output);
                status.keep_first(one);
                detail(count, one);
                if output.closed {
                    // Nobody reads what the next ones would answer, so they are not begun.
                    return status;
                }
            }
            Err(error) => {
                let answer = Answer::refused(Envelope::new(), error.into());
                status.keep_first(finish(answer, &mut output));
                return status;
            }
        }
    }
}

/// Answers every envelope on standard input in order, one line each. An envelope that carries
/// `error` passes through untouched, with that error's status.
pub fn each_envelope(mut step: impl FnMut(Envelope) -> Answer) -> Status {
    each_document(MAX_ENVELOPE_BYTES, |text, output| {
        let envelope = Envelope::parse(text).map_err(Failure::from);
        match envelope.and_then(|envelope| Ok((passed_error(&envelope)?, envelope))) {
            Ok((Some(mut status), envelope)) => {
                status.keep_first(output.print(&envelope));
                status
            }
            Ok((None, envelope)) => finish(step(envelope), output),
            Err(failure) => finish(Answer::refused(Envelope::new(), failure), output),
        }
    })
}

/// Answers every raw request on standard input in order, one line each. A request has no `error`:
/// a document that has one is the envelope of an earlier command and passes through.
pub fn each_request(mut step: impl FnMut(&str) -> Answer) -> Status {
    each_document(MAX_REQUEST_BYTES, |text, output| {
        let answer = step(text);
        if answer.failure.is_some()
            && let Some((mut status, envelope)) = carried_error(text)
        {
            status.keep_first(output.print(&envelope));
            return status;
        }
        finish(answer, output)
    })
}

/// The envelope of an earlier command that failed, if the text is one.
fn carried_error(text: &str) -> Option<(Status, Envelope)> {
    let envelope = (text.len() <= MAX_ENVELOPE_BYTES)
        .then(|| Envelope::parse(text).ok())
        .flatten()?;
    let status = passed_error(&envelope).ok().flatten()?;
    Some((status, envelope))
}

/// The status of the error that an envelope carries, if it carries one.
pub fn passed_error(envelope: &Envelope) -> Result<Option<Status>, Failure> {
    #[derive(Deserialize, Serialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "the members are checked, only the code is used")]
    struct Carried {
        code: Code,
        message: String,
        hint: Option<String>,
        retry_at_unix_millis: Option<UnixMillis>,
    }
    let carried: Option<Carried> = envelope.member("error")?;
    Ok(carried.map(|carried| Status::of(carried.code)))
}

/// The most documents that are answered together.
const MAX_TOGETHER: usize = 64;

/// One document of a batch.
enum Slot {
    /// It carries an error already.
    Passed(Envelope, Status),
    /// It is no envelope.
    Refused(Failure),
    /// The step answers it.
    Asked,
}

/// Like [`each_envelope`], for a step that can share work between documents: it gets those that
/// are at hand without waiting for more, and answers all of them in order.
pub fn each_batch(mut step: impl FnMut(Vec<Envelope>) -> Vec<Answer>) -> Status {
    tell_a_terminal();
    let mut output = Output::new();
    let mut documents = Documents::new(io::stdin().lock(), MAX_ENVELOPE_BYTES);
    let mut status = Status::OK;
    let mut count = 0_u64;
    loop {
        let mut slots = Vec::new();
        let mut envelopes = Vec::new();
        let mut next = documents.next_document();
        let ended = loop {
            match next {
                Ok(None) => break slots.is_empty().then_some(None),
                Ok(Some(text)) => slots.push(slot(text, &mut envelopes)),
                Err(error) => break Some(Some(error)),
            }
            if slots.len() >= MAX_TOGETHER {
                break None;
            }
            next = documents.next_at_hand();
        };
        let _working = crate::interrupt::working();
        let mut answers = step(envelopes).into_iter();
        for slot in slots {
            count = count.saturating_add(1);
            let one = match slot {
                Slot::Passed(envelope, mut carried) => {
                    carried.keep_first(output.print(&envelope));
                    carried
                }
                Slot::Refused(failure) => {
                    finish(Answer::refused(Envelope::new(), failure), &mut output)
                }
                Slot::Asked => finish(answers.next().unwrap_or_else(unanswered), &mut output),
            };
            status.keep_first(one);
            detail(count, one);
        }
        if output.closed {
            // Nobody reads what the next ones would answer, so they are not begun.
            return status;
        }
        match ended {
            None => {}
            Some(None) => return status,
            Some(Some(error)) => {
                let answer = Answer::refused(Envelope::new(), error.into());
                status.keep_first(finish(answer, &mut output));
                return status;
            }
        }
    }
}

fn slot(text: &str, envelopes: &mut Vec<Envelope>) -> Slot {
    let parsed = Envelope::parse(text)
        .map_err(Failure::from)
        .and_then(|envelope| Ok((passed_error(&envelope)?, envelope)));
    match parsed {
        Ok((Some(carried), envelope)) => Slot::Passed(envelope, carried),
        Ok((None, envelope)) => {
            envelopes.push(envelope);
            Slot::Asked
        }
        Err(failure) => Slot::Refused(failure),
    }
}

fn unanswered() -> Answer {
    let failure = Failure::new(Code::Internal, "a document of a batch was not answered");
    Answer::refused(Envelope::new(), failure)
}
