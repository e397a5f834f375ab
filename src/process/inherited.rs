//! Descriptors that came from the caller without being asked for.

/// Keeps every descriptor beyond the standard streams from the programs that this process starts:
/// a lock, a pipe or a secret's file that a shell left open is none of theirs. Called once, before
/// anything is opened.
pub fn withhold_inherited_descriptors() {
    close_fds::CloseFdsBuilder::new().cloexecfrom(3);
}
