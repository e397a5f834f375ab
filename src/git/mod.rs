//! The only code that starts Git.

mod command;

pub use command::{Git, GitError, Place};
