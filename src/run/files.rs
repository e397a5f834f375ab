//! The files of a run: the bootstrap's copy, and the outputs by the handles that were kept.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::record::MAX_RECORD_BYTES;
use super::scratch::Scratch;
use crate::delivery::ReportFile;
use crate::delivery::digest::Sha256Hex;

/// The largest bootstrap, in bytes (page 4.3, point 2).
pub(super) const MAX_BOOTSTRAP_BYTES: u64 = 32 * 1024 * 1024;

/// Digest and length of something that went in or came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Fact {
    pub sha256: Sha256Hex,
    pub bytes: u64,
}

impl Fact {
    pub fn of(bytes: &[u8]) -> Fact {
        Fact {
            sha256: Sha256Hex::of(bytes),
            bytes: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
        }
    }
}

/// Opens the operator's bootstrap: a regular file within its ceiling.
pub(super) fn open_bootstrap(path: &Path) -> io::Result<File> {
    // NONBLOCK: a pipe under this name must not hold us.
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or_default())
        .open(path)?;
    let facts = file.metadata()?;
    if !facts.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if facts.len() > MAX_BOOTSTRAP_BYTES {
        return Err(too_large());
    }
    Ok(file)
}

fn too_large() -> io::Error {
    io::Error::other("over its ceiling of 33554432 bytes")
}

/// Copies the bootstrap as it is read, and hashes what is written. The copy cannot be executed yet.
pub(super) fn copy_bootstrap(from: &mut File, to: &mut File) -> Result<Fact, Keep> {
    let fact = copy(&mut from.take(MAX_BOOTSTRAP_BYTES.saturating_add(1)), to)?;
    if fact.bytes > MAX_BOOTSTRAP_BYTES {
        return Err(Keep::Read(too_large()));
    }
    Ok(fact)
}

/// Copies to the end, and says which side failed: the one is the operator's file, the other the
/// room for it.
fn copy(from: &mut impl Read, to: &mut impl Write) -> Result<Fact, Keep> {
    let mut hash = Sha256::new();
    let mut fault = None;
    let copied = stream(from, |part| {
        hash.update(part);
        to.write_all(part).map_err(|error| {
            fault = Some(error);
            io::ErrorKind::Other.into()
        })
    });
    let bytes = match (copied, fault) {
        (_, Some(error)) => return Err(Keep::Write(error)),
        (Err(error), None) => return Err(Keep::Read(error)),
        (Ok(bytes), None) => bytes,
    };
    Ok(Fact {
        sha256: Sha256Hex::from_bytes(&hash.finalize().into()),
        bytes,
    })
}

/// The outputs of a bootstrap. It writes them by name; only these handles are ever read.
#[derive(Debug)]
pub(super) struct Outputs {
    report: File,
    result: File,
}

impl Outputs {
    pub fn make(scratch: &Scratch) -> Result<Outputs, super::scratch::ScratchError> {
        Ok(Outputs {
            report: scratch.create("report", b"", 0o600)?,
            result: scratch.create("result", b"", 0o600)?,
        })
    }

    /// The first bytes of the result record, at most one more than it may have.
    pub fn record(&self) -> io::Result<Vec<u8>> {
        let mut record = vec![0_u8; MAX_RECORD_BYTES.saturating_add(1)];
        let mut filled = 0_usize;
        while let Some(room) = record.get_mut(filled..).filter(|room| !room.is_empty()) {
            let offset = u64::try_from(filled).unwrap_or(u64::MAX);
            match self.result.read_at(room, offset) {
                Ok(0) => break,
                Ok(count) => filled = filled.saturating_add(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        record.truncate(filled);
        Ok(record)
    }

    /// The report's length.
    pub fn report_bytes(&self) -> io::Result<u64> {
        Ok(self.report.metadata()?.len())
    }

    /// Copies the report, in pieces, under its digest into `directory`. What is copied grows in the
    /// run's own directory where a rename can take it from there, so that a copy cut short is swept.
    pub fn keep_report(
        &self,
        scratch: &Path,
        directory: &Path,
        bytes: u64,
    ) -> Result<ReportFile, Keep> {
        let device = |path: &Path| fs::metadata(path).map(|facts| facts.dev());
        let together =
            device(scratch).map_err(Keep::Write)? == device(directory).map_err(Keep::Write)?;
        let target = tempfile::Builder::new()
            .prefix(".amiss-report-")
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(if together { scratch } else { directory })
            .map_err(Keep::Write)?;
        let mut source = At {
            file: &self.report,
            offset: 0,
            left: bytes,
        };
        let fact = copy(&mut source, &mut target.as_file())?;
        if fact.bytes != bytes {
            return Err(Keep::Read(io::Error::other("it changed while it was read")));
        }
        let path = directory.join(fact.sha256.as_str());
        target
            .persist(&path)
            .map_err(|error| Keep::Write(error.error))?;
        Ok(ReportFile {
            path: text_of(path).map_err(Keep::Write)?,
            sha256: fact.sha256,
            bytes,
        })
    }
}

/// Which side of a copy failed.
pub(super) enum Keep {
    Read(io::Error),
    Write(io::Error),
}

/// A path that travels in an envelope is text.
fn text_of(path: PathBuf) -> io::Result<String> {
    path.into_os_string()
        .into_string()
        .map_err(|_| io::Error::other("the path of the report directory is not UTF-8"))
}

/// A file read by offset, so that no other user of the same handle moves it.
struct At<'a> {
    file: &'a File,
    offset: u64,
    left: u64,
}

impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let room = buffer.get_mut(..most).unwrap_or_default();
        let count = self.file.read_at(room, self.offset)?;
        let step = u64::try_from(count).unwrap_or_default();
        self.offset = self.offset.saturating_add(step);
        self.left = self.left.saturating_sub(step);
        Ok(count)
    }
}

/// Reads to the end in pieces of 64 KiB, and says how many bytes came.
fn stream(from: &mut impl Read, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<u64> {
    let mut chunk = vec![0_u8; 64 * 1024];
    let mut total = 0_u64;
    loop {
        let count = match from.read(&mut chunk) {
            Ok(0) => return Ok(total),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        take(chunk.get(..count).unwrap_or_default())?;
        total = total.saturating_add(u64::try_from(count).unwrap_or_default());
    }
}
