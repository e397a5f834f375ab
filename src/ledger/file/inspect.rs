//! Looks at a frame's bytes without a root around them: for tools, and for the tests that feed it
//! every kind of wrong bytes (page 8, part 5).

use super::capacity::Capacity;
use super::frame::{FrameError, decode, encode};
use super::metadata::Metadata;
use super::row::Row;

/// The three frames of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// `.amiss-root.state`.
    Root,
    /// `.amiss-capacity.state`.
    Capacity,
    /// `KEY.state`.
    Row,
}

impl FrameKind {
    /// Reads a frame and gives its bytes as they would be written again: for a good frame, the
    /// same ones (page 3b.2).
    ///
    /// # Errors
    /// [`FrameError`], what is wrong with the bytes.
    pub fn reread(self, bytes: &[u8]) -> Result<Vec<u8>, FrameError> {
        match self {
            FrameKind::Root => encode(&decode::<Metadata>(bytes)?),
            FrameKind::Capacity => encode(&decode::<Capacity>(bytes)?),
            FrameKind::Row => encode(&decode::<Row>(bytes)?),
        }
    }
}
