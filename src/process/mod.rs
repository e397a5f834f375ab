//! The only code that starts and ends processes (page 7.1).
//!
//! Strengths, chosen by what is run. [`run`] is for programs of the operator's own choice, Git
//! above all: `ProcessKit`'s group (cgroup v2 where one is writable, a process group elsewhere)
//! holds the tree, and it is killed whole after every end; a question to Git that starts nothing is
//! held by itself. [`warden`] is for what is not trusted to end: nothing of its tree outlives it,
//! whatever it does. [`run_guarded`] is [`run`] under such a warden, for what may hang when nobody is
//! left to kill it. [`timed`] is for our own program when it
//! is measured.

mod cancel;
mod capture;
mod detached;
mod error;
mod guarded;
mod inherited;
mod program;
mod run;
mod timed;
pub mod warden;

pub use cancel::Cancel;
pub use capture::Captured;
pub use detached::{is_running, replace_with, start_detached};
pub use error::ProcessError;
pub use guarded::run_guarded;
pub use inherited::withhold_inherited_descriptors;
pub use program::{Limits, Program, Reach};
pub use run::{End, Finished, run};
pub use timed::{Timed, timed};
