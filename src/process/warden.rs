//! The stronger supervision, for a program whose descendants may try to stay.
//!
//! A small process of its own, the warden, stands between `amiss` and the program. It is the
//! program's child subreaper: every descendant whose parent dies becomes the warden's child, whatever
//! sessions, groups and descriptors it changed. So the kernel's answer "no child" to the warden's
//! `wait` is the proof that the tree is empty, and the warden kills until it gets that answer. It
//! also kills when `amiss` is gone (its end of the control socket closes), and when `amiss` has not
//! proved its lease for longer than the lease's window. Where a cgroup v2 can be made, `ProcessKit`
//! puts the tree into one beside all this.

pub mod host;
mod message;
mod serve;
mod supervise;
mod sweep;

pub use message::{Caps, Cause, Containment, Leader};
pub use serve::serve;
pub use supervise::{
    Adoption, Ended, Handle, Input, Job, NotStarted, Stream, Supervision, Tree, adopt_orphans,
};
