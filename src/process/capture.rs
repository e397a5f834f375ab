//! What a program printed, kept within a bound.

use std::collections::VecDeque;

/// The first bytes of a stream, and the last ones when there were more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_limit: usize,
    tail_limit: usize,
    total: u64,
}

impl Captured {
    /// Keeps the first `head` and the last `tail` bytes.
    #[must_use]
    pub fn new(head: usize, tail: usize) -> Captured {
        Captured {
            head_limit: head,
            tail_limit: tail,
            ..Captured::default()
        }
    }

    /// Takes more of the stream.
    pub fn take(&mut self, bytes: &[u8]) {
        self.total = self
            .total
            .saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        let room = self.head_limit.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        if self.tail_limit == 0 {
            return;
        }
        let last = rest
            .get(rest.len().saturating_sub(self.tail_limit)..)
            .unwrap_or_default();
        self.tail.extend(last);
        let surplus = self.tail.len().saturating_sub(self.tail_limit);
        self.tail.drain(..surplus);
    }

    /// The first bytes; all of them when [`Captured::is_whole`].
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.head
    }

    /// How many bytes came, kept or not.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Whether [`Captured::bytes`] is everything that came.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.total == u64::try_from(self.head.len()).unwrap_or(u64::MAX)
    }

    /// Head and tail as text for a person, with a line that says what is missing between them.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.shown()).into_owned()
    }

    /// Head and tail, with a line that says what is missing between them.
    #[must_use]
    pub fn shown(&self) -> Vec<u8> {
        let mut shown = self.head.clone();
        let kept = self.head.len().saturating_add(self.tail.len());
        let missing = self
            .total
            .saturating_sub(u64::try_from(kept).unwrap_or(u64::MAX));
        if missing > 0 {
            shown.extend_from_slice(format!("\n[{missing} bytes left out]\n").as_bytes());
        }
        shown.extend(&self.tail);
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_within_its_bound_is_kept_whole() {
        let mut captured = Captured::new(5, 3);
        captured.take(b"ab");
        captured.take(b"cde");
        assert!(captured.is_whole());
        assert_eq!(captured.shown(), b"abcde");
    }

    #[test]
    fn of_a_longer_stream_the_head_and_the_tail_are_kept() {
        let mut captured = Captured::new(3, 2);
        for byte in b"abcdefgh" {
            captured.take(&[*byte]);
        }
        assert!(!captured.is_whole());
        assert_eq!(captured.total(), 8);
        assert_eq!(captured.text(), "abc\n[3 bytes left out]\ngh");
    }

    #[test]
    fn a_tail_that_follows_the_head_at_once_leaves_nothing_out() {
        let mut captured = Captured::new(3, 9);
        captured.take(b"abcdef");
        assert_eq!(captured.text(), "abcdef");
        assert!(!captured.is_whole());
    }
}
