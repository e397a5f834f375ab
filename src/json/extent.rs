//! How far one document reaches, and how deep: what is looked at before any parser is asked.

use memchr::memchr2;

use super::{JsonError, MAX_DEPTH};

/// What the scanner is inside of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before a document.
    Between,
    /// Inside brackets, outside a string.
    Open,
    /// Inside a string.
    Text,
    /// Behind a backslash in a string.
    Escape,
    /// Inside a bare word or number at the top level.
    Word,
}

/// Finds where one document ends, without keeping more than its depth. Whether the bytes are JSON
/// is for the parser to say; this only bounds what the parser gets.
pub(super) struct Extent {
    place: Place,
    depth: usize,
}

impl Extent {
    /// Before the first byte of a document.
    pub(super) const fn new() -> Extent {
        Extent {
            place: Place::Between,
            depth: 0,
        }
    }

    /// Goes over the next bytes; the number of those that still belong to the document if it ends
    /// among them.
    ///
    /// # Errors
    /// [`JsonError::TooDeep`].
    pub(super) fn go_on(&mut self, bytes: &[u8]) -> Result<Option<usize>, JsonError> {
        let mut at = 0_usize;
        while let Some(&byte) = bytes.get(at) {
            match self.place {
                Place::Text => {
                    // Most bytes are inside of strings: on to the next that means something.
                    let rest = bytes.get(at..).unwrap_or_default();
                    let Some(found) = memchr2(b'"', b'\\', rest) else {
                        return Ok(None);
                    };
                    at = at.saturating_add(found);
                    self.place = match rest.get(found) {
                        Some(b'"') if self.depth == 0 => return Ok(Some(at.saturating_add(1))),
                        Some(b'"') => Place::Open,
                        _ => Place::Escape,
                    };
                }
                Place::Escape => self.place = Place::Text,
                Place::Word => match byte {
                    b' ' | b'\t' | b'\r' | b'\n' | b'{' | b'[' | b'"' | b'}' | b']' | b',' => {
                        return Ok(Some(at));
                    }
                    _ => {}
                },
                Place::Between | Place::Open => match byte {
                    b'{' | b'[' => {
                        self.depth = self.depth.saturating_add(1);
                        if self.depth > MAX_DEPTH {
                            return Err(JsonError::TooDeep);
                        }
                        self.place = Place::Open;
                    }
                    b'}' | b']' => {
                        self.depth = self.depth.saturating_sub(1);
                        if self.depth == 0 {
                            return Ok(Some(at.saturating_add(1)));
                        }
                    }
                    b'"' => self.place = Place::Text,
                    _ if self.place == Place::Between => self.place = Place::Word,
                    _ => {}
                },
            }
            at = at.saturating_add(1);
        }
        Ok(None)
    }
}

/// Refuses brackets nested deeper than [`MAX_DEPTH`], whatever else is wrong with the text.
///
/// # Errors
/// [`JsonError::TooDeep`].
pub fn check_depth(text: &[u8]) -> Result<(), JsonError> {
    // Nearly every document has fewer brackets than levels are allowed; counting is much cheaper.
    let opening = text.iter().filter(|byte| matches!(byte, b'{' | b'['));
    if opening.count() <= MAX_DEPTH {
        return Ok(());
    }
    let mut rest = text;
    // Where another value follows the parser will refuse it; its depth counts anew.
    while let Some(end) = Extent::new().go_on(rest)? {
        rest = rest.get(end..).unwrap_or_default();
    }
    Ok(())
}
