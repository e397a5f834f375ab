//! Object stores that a repository borrows from. Those outside of it are never read: an object that
//! is only there is not in the repository (page 4.3, point 1).

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A stand-in for the repository's object store, made when it borrows: the same packs and loose
/// objects by link, without what it borrows from outside. `None` when it borrows nothing.
pub(super) fn without_outside(common: &Path) -> io::Result<Option<TempDir>> {
    let store = common.join("objects");
    let borrowed = entries(&store)?;
    if borrowed.is_empty() {
        return Ok(None);
    }
    let home = common.canonicalize()?;
    let inside = borrowed.into_iter().filter(|other| {
        let real = other.canonicalize();
        // One that borrows itself could lead outside again.
        real.is_ok_and(|real| real.starts_with(&home)) && entries(other).is_ok_and(|e| e.is_empty())
    });
    let shadow = TempDir::new()?;
    let info = shadow.path().join("info");
    fs::create_dir(&info)?;
    let mut list = Vec::new();
    for other in inside {
        let real = other.canonicalize()?;
        list.extend_from_slice(std::os::unix::ffi::OsStrExt::as_bytes(real.as_os_str()));
        list.push(b'\n');
    }
    fs::write(info.join("alternates"), list)?;
    for entry in fs::read_dir(&store)? {
        let name = entry?.file_name();
        if name != "info" {
            symlink(store.join(&name).canonicalize()?, shadow.path().join(&name))?;
        }
    }
    Ok(Some(shadow))
}

/// The stores that `info/alternates` of a store names.
fn entries(store: &Path) -> io::Result<Vec<PathBuf>> {
    let text = match fs::read(store.join("info/alternates")) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let lines = text
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    // A quoted line is left as it is: it names no directory then, so it counts as outside.
    Ok(lines
        .map(|line| store.join(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(line)))
        .collect())
}
