//! The only code that touches the disk for records: held directories, bounded no-follow reads,
//! atomic replacement with its syncs, and locks with a time limit.
//!
//! Every change goes through [`Dir`], which writes down what it did in a [`Trace`] when one is
//! attached, so that the proof can build every state that a crash may leave.

mod dir;
mod error;
mod foreign;
mod handles;
mod lock;
mod release;
mod replace;
mod trace;

pub use dir::{Dir, Entry, Kind, Regular, Stamp};
pub use error::DiskError;
pub use lock::{Hold, Lock, LockError, LockMode, LockWait};
pub use replace::Temporary;
pub(crate) use replace::{TEMPORARY_FILE, TEMPORARY_PREFIX};
pub use trace::{Step, Trace};
