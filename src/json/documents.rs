//! A stream cut into its documents.

use std::io::{self, Read};
use std::ops::Range;

use super::JsonError;
use super::extent::Extent;

/// What is asked of the input at a time, in bytes: as much as a pipe holds.
const READ_BYTES: usize = 64 * 1024;

/// Whether more of the input may be asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    On,
    Not,
}

/// Cuts a stream into JSON documents, one after the other (NDJSON or any concatenation).
pub struct Documents<R> {
    input: R,
    ceiling: usize,
    buffer: Vec<u8>,
    /// How much of `buffer` earlier documents and the blanks behind them used up.
    start: usize,
    seen: usize,
    finished: bool,
}

impl<R: Read> Documents<R> {
    /// Documents of at most `ceiling` bytes each.
    pub const fn new(input: R, ceiling: usize) -> Documents<R> {
        Documents {
            input,
            ceiling,
            buffer: Vec::new(),
            start: 0,
            seen: 0,
            finished: false,
        }
    }

    /// The next document's text, or `None` at the end of the input. After an error nothing more is
    /// read: where the next document would start is not known.
    ///
    /// # Errors
    /// [`JsonError`]; `Empty` when the whole input has no document.
    pub fn next_document(&mut self) -> Result<Option<&str>, JsonError> {
        self.next(Reading::On)
    }

    /// The next document's text if all of it was read already: whoever waits for an answer before
    /// sending more is never waited for. `None` says nothing about the end of the input.
    ///
    /// # Errors
    /// As [`Documents::next_document`].
    pub fn next_at_hand(&mut self) -> Result<Option<&str>, JsonError> {
        self.next(Reading::Not)
    }

    fn next(&mut self, reading: Reading) -> Result<Option<&str>, JsonError> {
        if self.finished {
            return Ok(None);
        }
        match self.find(reading) {
            Ok(Some(found)) => {
                self.seen = self.seen.saturating_add(1);
                self.start = found.end;
                let bytes = self.buffer.get(found).unwrap_or_default();
                std::str::from_utf8(bytes).map(Some).map_err(|error| {
                    self.finished = true;
                    JsonError::malformed("the input", format!("not UTF-8: {error}"))
                })
            }
            Ok(None) if reading == Reading::Not => Ok(None),
            Ok(None) => {
                self.finished = true;
                if self.seen == 0 {
                    Err(JsonError::Empty)
                } else {
                    Ok(None)
                }
            }
            Err(error) => {
                self.finished = true;
                Err(error)
            }
        }
    }

    /// Where the next document lies in the buffer, reading on until it is whole.
    fn find(&mut self, reading: Reading) -> Result<Option<Range<usize>>, JsonError> {
        let mut extent = Extent::new();
        let mut within = 0_usize;
        loop {
            if within == 0 {
                self.skip_blanks();
            }
            // Never over the ceiling, so that what is wrong behind it is not looked for.
            let end = self.start.saturating_add(self.ceiling);
            let end = end.min(self.buffer.len());
            let from = self.start.saturating_add(within);
            let next = self.buffer.get(from..end).unwrap_or_default();
            if let Some(more) = extent.go_on(next)? {
                return Ok(Some(self.start..from.saturating_add(more)));
            }
            within = end.saturating_sub(self.start);
            if within >= self.ceiling {
                let ceiling = self.ceiling;
                return Err(JsonError::TooLarge { ceiling });
            }
            if reading == Reading::Not {
                return Ok(None);
            }
            if self.fill()? == 0 {
                return Ok((within > 0).then_some(0..within));
            }
        }
    }

    fn skip_blanks(&mut self) {
        let rest = self.buffer.get(self.start..).unwrap_or_default();
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let blanks = rest.iter().position(|byte| !blank(byte));
        self.start = self.start.saturating_add(blanks.unwrap_or(rest.len()));
    }

    /// Reads once more. What was used up goes first: endless blanks and documents cost no memory.
    fn fill(&mut self) -> Result<usize, JsonError> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let held = self.buffer.len();
        self.buffer.resize(held.saturating_add(READ_BYTES), 0);
        let room = self.buffer.get_mut(held..).unwrap_or_default();
        let read = loop {
            match self.input.read(room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let count = *read.as_ref().unwrap_or(&0);
        self.buffer.truncate(held.saturating_add(count));
        Ok(read?)
    }
}
