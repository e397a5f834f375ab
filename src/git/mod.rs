//! The only code that starts Git.

mod access;
mod alternates;
mod command;
mod credentials;
mod objects;
mod push;
mod redact;
mod refs;
mod remote;

pub use access::{Access, Trouble};
pub use command::{Git, GitError, Place};
pub use credentials::{UserConfig, UserConfigError};
pub use objects::{Objects, ObjectsError};
pub use push::{FailureClass, PushReport, Pushed, RefOutcome, Refspec, classify_stderr};
pub use redact::redact;
pub use remote::{Containment, RemoteTips, RemoteTipsError};
