//! What the crash states take from the record of `durable`, the real binary does: seen from
//! outside, by its system calls.

use std::collections::BTreeSet;

use super::case::Case;

/// The path that `strace -y` shows for a descriptor.
fn shown(text: &str) -> &str {
    let start = text.find('<').map_or(0, |at| at + 1);
    text[start..].split('>').next().unwrap_or_default()
}

/// The quoted parts of a line.
fn quoted(line: &str) -> Vec<&str> {
    line.split('"').skip(1).step_by(2).collect()
}

impl Case {
    /// Every new name had its file synced before, and its directory after, and then came the
    /// reply. Gives the number of names and of syncs.
    pub fn check_order(&self) -> (usize, usize) {
        let (lines, root) = self.lines();
        let (mut synced, mut unsynced_names) = (BTreeSet::new(), Vec::new());
        let (mut names, mut syncs) = (0, 0);
        for line in &lines {
            if line.contains(" fsync(") {
                syncs += 1;
                if shown(line) == root {
                    unsynced_names.clear();
                } else {
                    synced.insert(shown(line).to_owned());
                }
            } else if line.contains(" renameat(") {
                names += 1;
                let [from, to] = quoted(line)[..] else {
                    panic!("{line}")
                };
                assert!(
                    synced.remove(&format!("{root}/{from}")),
                    "{}: renamed before its bytes were synced: {line}",
                    self.name
                );
                unsynced_names.push(to.to_owned());
            } else if line.contains(" write(1<") {
                // Of an addition's two counts either is right, so the last needs no sync.
                unsynced_names.retain(|name| name != ".amiss-capacity.state");
                assert!(
                    unsynced_names.is_empty(),
                    "{}: answered before {unsynced_names:?} was durable",
                    self.name
                );
            }
        }
        crate::figures::tell(&format!(
            "{}: {names} names, {syncs} syncs, in order",
            self.name
        ));
        (names, syncs)
    }
}
