//! What `amiss` and the warden say to each other: one JSON value a line.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ceilings for the program and everything that it starts. What cannot be enforced on this host is
/// refused before the start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caps {
    /// Bytes of memory: of the whole tree in a cgroup that has the controller, else of each
    /// process's data (`RLIMIT_DATA`).
    pub memory_bytes: Option<u64>,
    /// Processes of the whole tree. Needs a cgroup with the controller.
    pub processes: Option<u32>,
    /// Bytes of each file that it writes (`RLIMIT_FSIZE`).
    pub file_bytes: Option<u64>,
    /// Open files of each process (`RLIMIT_NOFILE`).
    pub open_files: Option<u64>,
    /// Niceness, 0 to 19.
    pub nice: Option<u8>,
}

/// The order that starts a program. Handles travel beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Order {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub directory: Option<OsString>,
    pub environment: Vec<(OsString, OsString)>,
    pub wall_millis: u64,
    /// How long the program may run without another `extend`.
    pub window_millis: Option<u64>,
    pub caps: Caps,
    pub cgroup: bool,
}

/// What `amiss` says afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Word {
    /// The lease was proved anew, for this many milliseconds from now.
    Extend(u64),
    /// End it.
    Kill,
}

/// The process-tree boundary that was in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Containment {
    /// A cgroup v2 of its own, and a child subreaper with a sweep.
    CgroupV2,
    /// A child subreaper with a sweep.
    Subreaper,
    /// A process group: a descendant that leaves it is not seen.
    ProcessGroup,
}

impl Containment {
    /// As `outcome.containment` says it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Containment::CgroupV2 => "cgroup-v2",
            Containment::Subreaper => "subreaper",
            Containment::ProcessGroup => "process-group",
        }
    }
}

/// Why a program's run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The program ended by itself.
    Exit,
    /// The wall limit.
    WallLimit,
    /// The window passed without a new proof of the lease.
    Window,
    /// `amiss` said so.
    Told,
    /// `amiss` is gone.
    OwnerGone,
}

/// How the program itself, the leader of its tree, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leader {
    /// With this status.
    Exited(i32),
    /// By this signal, ours if the cause is not [`Cause::Exit`].
    Signalled(i32),
    /// Its status could not be had.
    Unknown,
}

/// What the warden says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Report {
    /// A ceiling that this host cannot enforce.
    Refused { reason: String },
    /// The program was not started.
    NotStarted { errno: Option<i32>, reason: String },
    /// It runs.
    Started {
        containment: Containment,
        leader: Option<u32>,
    },
    /// It ran, and what is left of its tree.
    Ended {
        cause: Cause,
        leader: Leader,
        /// Whether the kernel said that no descendant is left.
        empty: bool,
        /// Whether the memory ceiling killed it.
        out_of_memory: bool,
        wall_millis: u64,
    },
}
