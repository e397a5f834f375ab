//! What the disk itself costs: the bare primitives under every operation.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use super::document::{Medium, Syncing, Times};
use super::error::BenchError;
use super::samples::Samples;

/// The size of the file that is replaced: that of a row, in bytes.
const ROW_BYTES: usize = 1536;
/// The name that is replaced.
const REPLACED: &str = "replacement";
/// No medium finishes a sync of new data in less: a journal commit alone wakes another thread.
const FASTEST_SYNC: Duration = Duration::from_micros(20);
/// No medium takes 1 MiB in less, which would be 20 GB a second.
const FASTEST_LARGE_SYNC: Duration = Duration::from_micros(50);

/// One minimal replacement: a temporary file in the same folder, 1.5 KiB, file sync, rename, folder
/// sync. The unit of every bound.
///
/// # Errors
/// The system's.
pub fn minimal_replacement(folder: &Path) -> Result<Duration, BenchError> {
    replacement(folder, Barrier::Both)
}

/// Takes the replaced file away, before somebody lists a folder in which it is a stranger.
pub(super) fn remove_replaced(folder: &Path) -> Result<(), BenchError> {
    let name = folder.join(REPLACED);
    match fs::remove_file(&name) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(BenchError::io("remove", &name, source))
        }
        _ => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Barrier {
    Both,
    None,
}

fn replacement(folder: &Path, barrier: Barrier) -> Result<Duration, BenchError> {
    let (temporary, name) = (folder.join("replacement.tmp"), folder.join(REPLACED));
    let bytes = [0x61_u8; ROW_BYTES];
    let handle = File::open(folder).map_err(|source| BenchError::io("open", folder, source))?;
    let failed = |source| BenchError::io("replace", &name, source);
    let started = Instant::now();
    let mut file = File::create_new(&temporary).map_err(failed)?;
    file.write_all(&bytes).map_err(failed)?;
    if barrier == Barrier::Both {
        file.sync_all().map_err(failed)?;
    }
    drop(file);
    fs::rename(&temporary, &name).map_err(failed)?;
    if barrier == Barrier::Both {
        handle.sync_all().map_err(failed)?;
    }
    Ok(started.elapsed())
}

/// Writes over the start of one file and syncs it.
fn file_sync(folder: &Path, bytes: &[u8]) -> Result<Duration, BenchError> {
    let name = folder.join("overwritten");
    let failed = |source| BenchError::io("overwrite", &name, source);
    let started = Instant::now();
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&name)
        .map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    Ok(started.elapsed())
}

/// Renames one file to and fro and syncs the folder.
fn folder_sync(folder: &Path, round: u32) -> Result<Duration, BenchError> {
    let names = [folder.join("here"), folder.join("there")];
    let [from, to] = if round.is_multiple_of(2) {
        [&names[0], &names[1]]
    } else {
        [&names[1], &names[0]]
    };
    if round == 0 {
        File::create(from).map_err(|source| BenchError::io("make", from, source))?;
    }
    let handle = File::open(folder).map_err(|source| BenchError::io("open", folder, source))?;
    let started = Instant::now();
    fs::rename(from, to).map_err(|source| BenchError::io("rename", from, source))?;
    handle
        .sync_all()
        .map_err(|source| BenchError::io("sync", folder, source))?;
    Ok(started.elapsed())
}

/// Measures all primitives in turn, so that a noisy moment falls on all of them alike.
pub(super) fn measure(
    folder: &Path,
    rounds: u32,
    mut each: impl FnMut(u32) -> Result<(), BenchError>,
) -> Result<Medium, BenchError> {
    let small = vec![0x62_u8; 4096];
    let large = vec![0x63_u8; 1024 * 1024];
    let [mut whole, mut bare, mut file, mut names, mut big]: [Samples; 5] = Default::default();
    for round in 0..rounds {
        whole.push(replacement(folder, Barrier::Both)?);
        bare.push(replacement(folder, Barrier::None)?);
        file.push(file_sync(folder, &small)?);
        names.push(folder_sync(folder, round)?);
        big.push(file_sync(folder, &large)?);
        each(round.saturating_add(1))?;
    }
    let filesystem = Filesystem::of(folder)?;
    Ok(Medium {
        filesystem: filesystem.name().map(str::to_owned),
        syncing: syncing(filesystem, &file, &big),
        replacement: Times::from(&whole),
        replacement_without_syncs: Times::from(&bare),
        file_sync: Times::from(&file),
        folder_sync: Times::from(&names),
        large_sync: Times::from(&big),
    })
}

fn syncing(filesystem: Filesystem, small: &Samples, large: &Samples) -> Syncing {
    if filesystem.is_memory() {
        Syncing::Memory
    } else if small.median() < FASTEST_SYNC || large.median() < FASTEST_LARGE_SYNC {
        Syncing::Doubtful
    } else {
        Syncing::Plausible
    }
}

/// The filesystem of a folder by its magic number; 0 where the system has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Filesystem(u64);

impl Filesystem {
    #[cfg(target_os = "linux")]
    fn of(folder: &Path) -> Result<Filesystem, BenchError> {
        let facts = rustix::fs::statfs(folder)
            .map_err(|errno| BenchError::io("stat the filesystem of", folder, errno.into()))?;
        #[allow(
            clippy::cast_sign_loss,
            clippy::unnecessary_cast,
            reason = "the type differs from machine to machine, and only the bits matter"
        )]
        Ok(Filesystem(facts.f_type as u64 & 0xFFFF_FFFF))
    }

    #[cfg(not(target_os = "linux"))]
    fn of(_folder: &Path) -> Result<Filesystem, BenchError> {
        Ok(Filesystem(0))
    }

    const fn name(self) -> Option<&'static str> {
        // The magic numbers of linux/magic.h and of the filesystems' own sources.
        Some(match self.0 {
            0xEF53 => "ext2, ext3 or ext4",
            0x5846_5342 => "XFS",
            0x9123_683E => "Btrfs",
            0x2FC1_2FC1 => "ZFS",
            0xCA45_1A4E => "bcachefs",
            0xF2F5_2010 => "F2FS",
            0x794C_7630 => "overlayfs",
            0x0102_1994 => "tmpfs",
            0x8584_58F6 => "ramfs",
            _ => return None,
        })
    }

    const fn is_memory(self) -> bool {
        matches!(self.0, 0x0102_1994 | 0x8584_58F6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(micros: u64) -> Samples {
        Samples::from_nanos(&[micros * 1000])
    }

    #[test]
    fn a_sync_that_is_faster_than_any_medium_is_doubted() {
        let disk = Filesystem(0xEF53);
        assert_eq!(
            syncing(disk, &samples(400), &samples(900)),
            Syncing::Plausible
        );
        assert_eq!(syncing(disk, &samples(2), &samples(900)), Syncing::Doubtful);
        assert_eq!(
            syncing(disk, &samples(400), &samples(30)),
            Syncing::Doubtful
        );
        assert_eq!(
            syncing(Filesystem(0x0102_1994), &samples(400), &samples(900)),
            Syncing::Memory
        );
    }

    #[test]
    fn every_primitive_is_measured_once_a_round_and_leaves_its_own_few_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut rounds = Vec::new();
        let medium = measure(folder.path(), 3, |round| {
            rounds.push(round);
            Ok(())
        })
        .unwrap();
        assert_eq!(rounds, [1, 2, 3]);
        for times in [
            &medium.replacement,
            &medium.replacement_without_syncs,
            &medium.file_sync,
            &medium.folder_sync,
            &medium.large_sync,
        ] {
            assert_eq!(times.samples_nanos.len(), 3);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
