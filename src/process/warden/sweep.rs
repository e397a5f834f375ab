//! Killing every descendant, until the kernel says that there is none.

use std::time::{Duration, Instant};

/// How long a killed tree may take to be gone (page 4.3, point 6).
pub(super) const DRAIN: Duration = Duration::from_secs(2);
/// The shortest and the longest pause between two rounds.
const PAUSES: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(5));

/// Kills the session of a leader whose warden is gone, until it is empty or the limit passes. It does
/// not find who left the session: that is what a subreaper is for.
pub(super) fn end_session(leader: (u32, u64)) {
    let started = Instant::now();
    while kill_session(leader) && started.elapsed() < DRAIN {
        std::thread::sleep(PAUSES.1);
    }
}

/// What is left of the children of this process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Nobody,
    Somebody,
}

/// Kills and reaps until this process, a child subreaper, has no child, dead or alive. Whether that
/// was reached within the limit.
///
/// Only for a process whose every child belongs to the tree.
pub(super) fn drain(limit: Duration) -> bool {
    let started = Instant::now();
    let mut pause = PAUSES.0;
    loop {
        if reap_all() == Left::Nobody {
            return true;
        }
        if started.elapsed() >= limit {
            return false;
        }
        kill_children();
        if reap_all() == Left::Nobody {
            return true;
        }
        // A child's own children come to us only when it dies; deep trees would take a round per
        // level, so all of them are looked for at once.
        kill_descendants();
        std::thread::sleep(pause);
        pause = pause.saturating_mul(2).min(PAUSES.1);
    }
}

/// Takes the status of everything that has ended.
fn reap_all() -> Left {
    use rustix::io::Errno;
    use rustix::process::{WaitOptions, wait};
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            // The kernel's word, atomic over the whole list of children.
            Err(Errno::CHILD) => return Left::Nobody,
            Ok(None) | Err(_) => return Left::Somebody,
        }
    }
}

#[cfg(target_os = "linux")]
use linux::kill_descendants;
#[cfg(target_os = "linux")]
pub(super) use linux::{identity, kill_children, kill_session, reap_adopted};

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::fs;

    use rustix::process::{
        Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, pidfd_send_signal,
        waitpid,
    };

    /// One process as `/proc` shows it.
    struct Seen {
        pid: Pid,
        parent: Pid,
        session: i32,
        /// In clock ticks since boot: with the pid it names one process.
        started: u64,
    }

    /// The children of this process, which has one thread.
    fn children() -> Vec<Pid> {
        let own = getpid().as_raw_nonzero();
        fs::read_to_string(format!("/proc/self/task/{own}/children"))
            .unwrap_or_default()
            .split_ascii_whitespace()
            .filter_map(|word| word.parse().ok().and_then(Pid::from_raw))
            .collect()
    }

    /// Takes the status of adopted processes that have ended; the leader's is for who started it.
    pub(in super::super) fn reap_adopted(leader: Option<Pid>) {
        for child in children() {
            if Some(child) != leader {
                let _ = waitpid(Some(child), WaitOptions::NOHANG);
            }
        }
    }

    /// A child that is not reaped keeps its pid, so these signals cannot go astray.
    pub(in super::super) fn kill_children() {
        for child in children() {
            let _ = kill_process(child, Signal::KILL);
        }
    }

    /// Kills everything below this process.
    pub(super) fn kill_descendants() {
        let mut below: HashMap<Pid, Vec<Seen>> = HashMap::new();
        for seen in everybody() {
            below.entry(seen.parent).or_default().push(seen);
        }
        let mut open = vec![getpid()];
        while let Some(parent) = open.pop() {
            for seen in below.remove(&parent).unwrap_or_default() {
                kill(&seen);
                open.push(seen.pid);
            }
        }
    }

    /// One process for good: its pid and when it started.
    pub(in super::super) fn identity(pid: u32) -> Option<(u32, u64)> {
        let raw = i32::try_from(pid).ok().and_then(Pid::from_raw)?;
        look(raw).map(|seen| (pid, seen.started))
    }

    /// Kills the session that this process leads or led, one round. Whether somebody was there.
    pub(in super::super) fn kill_session((leader, started): (u32, u64)) -> bool {
        let Ok(leader) = i32::try_from(leader) else {
            return false;
        };
        let members: Vec<Seen> = everybody().filter(|seen| seen.session == leader).collect();
        let recycled = members
            .iter()
            .any(|seen| seen.pid.as_raw_nonzero().get() == leader && seen.started != started);
        if recycled {
            return false;
        }
        members.iter().for_each(kill);
        !members.is_empty()
    }

    fn everybody() -> impl Iterator<Item = Seen> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            look(Pid::from_raw(pid)?)
        })
    }

    fn look(pid: Pid) -> Option<Seen> {
        let text = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        // The name in parentheses may hold anything, a `)` too.
        let (_, rest) = text.rsplit_once(')')?;
        let mut words = rest.split_ascii_whitespace();
        let parent = words.nth(1)?.parse().ok().and_then(Pid::from_raw)?;
        let session = words.nth(1)?.parse().ok()?;
        let started = words.nth(15)?.parse().ok()?;
        Some(Seen {
            pid,
            parent,
            session,
            started,
        })
    }

    /// Through a handle that was checked to be this very process: its pid may have been given to
    /// another one since it was seen.
    fn kill(seen: &Seen) {
        let Ok(handle) = pidfd_open(seen.pid, PidfdFlags::empty()) else {
            return;
        };
        if look(seen.pid).is_some_and(|now| now.started == seen.started) {
            let _ = pidfd_send_signal(&handle, Signal::KILL);
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn kill_children() {}
#[cfg(not(target_os = "linux"))]
pub(super) fn identity(_pid: u32) -> Option<(u32, u64)> {
    None
}
#[cfg(not(target_os = "linux"))]
pub(super) fn kill_session(_leader: (u32, u64)) -> bool {
    false
}
#[cfg(not(target_os = "linux"))]
pub(super) fn reap_adopted(_leader: Option<rustix::process::Pid>) {}
#[cfg(not(target_os = "linux"))]
fn kill_descendants() {}
