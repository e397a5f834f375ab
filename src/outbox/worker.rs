//! Who watches: the identity that a live watcher publishes (page 5.3), the same on Linux and macOS.

use serde::{Deserialize, Serialize};

use super::record::Record;
use crate::clock::UnixMillis;

/// The watcher's identity file, in `locks`.
pub(super) const WORKER_NAME: &str = "outbox-worker.json";

/// A process that cannot be confused with a later one under the same number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessIdentity {
    /// Its number.
    pub pid: u32,
    /// The system's own word for when it started; only ever compared.
    pub start_time: u64,
    /// Which boot of the machine, where the system says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
}

impl ProcessIdentity {
    /// The identity of this process; `None` where the system does not tell.
    #[must_use]
    pub fn of_this_process() -> Option<ProcessIdentity> {
        let pid = std::process::id();
        let start_time = processkit::process_info(pid).ok()??.start_time()?;
        Some(ProcessIdentity {
            pid,
            start_time,
            boot_id: boot_id(),
        })
    }

    /// Whether exactly that process runs. What cannot be found out counts as not alive: the pump
    /// lock, not this, decides who pumps.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        let same_boot = match (&self.boot_id, boot_id()) {
            (Some(theirs), Some(ours)) => *theirs == ours,
            _ => true,
        };
        same_boot
            && processkit::process_info(self.pid)
                .ok()
                .flatten()
                .and_then(|info| info.start_time())
                == Some(self.start_time)
    }
}

#[cfg(target_os = "linux")]
fn boot_id() -> Option<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned())
}

// Elsewhere a start time is an absolute time, which no later boot repeats.
#[cfg(not(target_os = "linux"))]
fn boot_id() -> Option<String> {
    None
}

/// The program that a watcher runs, so that a newer one can take over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BinaryIdentity {
    /// Its path.
    pub path: String,
    /// Its inode.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written.
    pub mtime_millis: UnixMillis,
}

/// The live watcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerIdentity {
    /// The process.
    pub identity: ProcessIdentity,
    /// Whether it watches; always true, a one-shot pump publishes nothing.
    pub watch: bool,
    /// The program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<BinaryIdentity>,
}

impl Record for WorkerIdentity {
    const WHAT: &'static str = "watcher identity";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_one_with_another_start_time_or_boot_is_not() {
        let own = ProcessIdentity::of_this_process().unwrap();
        assert!(own.is_alive());
        let mut other = own.clone();
        other.start_time += 1;
        assert!(!other.is_alive(), "a reused number is not the process");
        if own.boot_id.is_some() {
            let mut other = own.clone();
            other.boot_id = Some("another".into());
            assert!(!other.is_alive());
        }
    }

    #[test]
    fn a_watcher_identity_is_read_and_written_byte_for_byte() {
        for text in [
            r#"{"identity":{"pid":4,"start_time":9},"watch":true}"#,
            r#"{"identity":{"pid":4,"start_time":9,"boot_id":"b"},"watch":true,"binary":{"path":"/x","inode":1,"size":2,"mtime_millis":3}}"#,
        ] {
            let read = WorkerIdentity::decode(text.as_bytes()).unwrap();
            assert_eq!(read.encode().unwrap(), text.as_bytes());
        }
        assert!(
            WorkerIdentity::decode(br#"{"watch":true,"identity":{"pid":4,"start_time":9}}"#)
                .is_err()
        );
    }
}
