//! What this host can do for a supervised run, found without running anything.

use processkit::{Mechanism, ProcessGroup, ProcessGroupOptions, host_containment};
use schemars::JsonSchema;
use serde::Serialize;

use super::message::Containment;

/// Whether something is possible here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "answer", content = "reason")]
pub enum Can {
    /// It is.
    Yes,
    /// It is not.
    No(String),
}

/// The host's answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Host {
    /// What a run would be held by.
    pub containment: Containment,
    /// A cgroup v2 for each run.
    pub cgroup_v2: Can,
    /// Adoption of every orphan of the tree, and so a proof that it is empty.
    pub child_subreaper: Can,
    /// The tree's end when `amiss` is killed.
    pub ends_with_amiss: Can,
    /// `--limit-memory` over the whole tree; each process's data is limited in any case.
    pub limit_memory_of_tree: Can,
    /// `--limit-processes`.
    pub limit_processes: Can,
    /// `--limit-file-size` and `--limit-open-files`.
    pub limit_files: Can,
}

/// Looks. A cgroup without a process may be made and removed for it.
#[must_use]
pub fn look() -> Host {
    let cgroup = matches!(host_containment().mechanism(), Mechanism::CgroupV2);
    let subreaper = subreaper();
    let group = |options: ProcessGroupOptions| match ProcessGroup::with_options(options) {
        Ok(_) => Can::Yes,
        Err(error) => Can::No(error.to_string()),
    };
    Host {
        containment: match (&subreaper, cgroup) {
            (Can::Yes, true) => Containment::CgroupV2,
            (Can::Yes, false) => Containment::Subreaper,
            (Can::No(_), _) => Containment::ProcessGroup,
        },
        cgroup_v2: if cgroup {
            Can::Yes
        } else {
            Can::No("no cgroup v2 that this process may make a child of".into())
        },
        ends_with_amiss: Can::Yes,
        child_subreaper: subreaper,
        limit_memory_of_tree: group(ProcessGroupOptions::default().max_memory(1 << 30)),
        limit_processes: group(ProcessGroupOptions::default().max_processes(1 << 10)),
        limit_files: Can::Yes,
    }
}

fn subreaper() -> Can {
    #[cfg(target_os = "linux")]
    {
        match rustix::process::child_subreaper() {
            Ok(_) => Can::Yes,
            Err(errno) => Can::No(errno.to_string()),
        }
    }
    #[cfg(not(target_os = "linux"))]
    Can::No("this system has nothing like it: a process that leaves its group is not seen".into())
}
