//! The only code that starts Git.

mod access;
mod command;
mod credentials;
mod push;
mod redact;
mod remote;

pub use access::{Access, Trouble};
pub use command::{Git, GitError, Place};
pub use credentials::{UserConfig, UserConfigError};
pub use push::{FailureClass, PushReport, Pushed, RefOutcome, Refspec, classify_stderr};
pub use redact::redact;
pub use remote::{Containment, RemoteTips, RemoteTipsError};
