//! Whether the system itself can start a file. What it cannot ("exec format error"), the C library
//! hands to `/bin/sh`, so that any bytes would run as a script that nobody named. That happens
//! behind the last call of ours, so such a file is found before and is not started at all.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// How much of a file's start the system looks at.
const START_BYTES: usize = 256;
/// How many scripts may name one another as interpreters; beyond it the system refuses by itself.
const MOST_SCRIPTS: usize = 5;

/// Why the system cannot start a file, if it cannot. A script's interpreter is looked up from
/// `directory`; one that is not there, or cannot be read, is left to the system to complain about.
pub(super) fn refusal(file: &File, directory: &Path) -> Option<&'static str> {
    let mut start = start_of(file)?;
    for _ in 0..MOST_SCRIPTS {
        if !start.starts_with(b"#!") {
            return (!is_program(&start)).then_some(
                "the bootstrap is neither a `#!` script nor a program of this system and processor",
            );
        }
        let Some(interpreter) = interpreter(&start) else {
            return Some("the first line of the bootstrap has `#!` and no interpreter");
        };
        start = start_of(&File::open(directory.join(interpreter)).ok()?)?;
    }
    None
}

/// The first bytes, with zero bytes after a shorter file as the system has them; `None` when they
/// cannot be read.
fn start_of(file: &File) -> Option<[u8; START_BYTES]> {
    let mut start = [0_u8; START_BYTES];
    let mut filled = 0_usize;
    while let Some(room) = start.get_mut(filled..).filter(|room| !room.is_empty()) {
        match file.read_at(room, u64::try_from(filled).ok()?) {
            Ok(0) => break,
            Ok(count) => filled = filled.saturating_add(count),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(start)
}

/// The interpreter of a `#!` line, whose end must be among the first bytes.
fn interpreter(start: &[u8; START_BYTES]) -> Option<PathBuf> {
    let rest = start.strip_prefix(b"#!")?;
    let from = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    let rest = rest.get(from..)?;
    let end = rest
        .iter()
        .position(|byte| matches!(byte, b' ' | b'\t' | b'\n' | 0))?;
    let name = rest.get(..end).filter(|name| !name.is_empty())?;
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name);
    Some(PathBuf::from(name))
}

/// An ELF file of the class, byte order and machine that this very program has, that can be run.
/// Emulators and foreign word sizes are not counted on: whether they are there is only known by
/// trying, and the failed try is what must not happen.
#[cfg(target_os = "linux")]
fn is_program(start: &[u8; START_BYTES]) -> bool {
    /// `ET_EXEC` and `ET_DYN`.
    const RUNNABLE: [u16; 2] = [2, 3];
    let Some(own) = File::open("/proc/self/exe")
        .ok()
        .and_then(|own| start_of(&own))
    else {
        // Without /proc nobody knows what we are; the magic is all that is left.
        return start.starts_with(b"\x7fELF");
    };
    let same = |from: usize, to: usize| start.get(from..to) == own.get(from..to);
    let number = |at: usize| {
        let bytes = start.get(at..at.saturating_add(2))?;
        Some(u16::from_ne_bytes(bytes.try_into().ok()?))
    };
    // Magic, class and order; then machine, version; then the size of a program header.
    let size_at = if own.get(4) == Some(&2) { 54 } else { 42 };
    same(0, 6)
        && same(18, 24)
        && same(size_at, size_at.saturating_add(2))
        && number(16).is_some_and(|kind| RUNNABLE.contains(&kind))
        && number(size_at.saturating_add(2)).is_some_and(|headers| headers > 0)
}

/// Mach-O in each width, order and bundle: one of another processor is refused by the system with an
/// error of its own, which no shell follows.
#[cfg(not(target_os = "linux"))]
fn is_program(start: &[u8; START_BYTES]) -> bool {
    const PROGRAMS: [&[u8]; 7] = [
        b"\x7fELF",
        b"\xfe\xed\xfa\xce",
        b"\xfe\xed\xfa\xcf",
        b"\xce\xfa\xed\xfe",
        b"\xcf\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe",
        b"\xca\xfe\xba\xbf",
    ];
    PROGRAMS.iter().any(|program| start.starts_with(program))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn refused(bytes: &[u8]) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let mut file = tempfile::tempfile_in(folder.path()).unwrap();
        file.write_all(bytes).unwrap();
        refusal(&file, folder.path()).is_some()
    }

    #[test]
    fn this_very_program_and_scripts_with_an_interpreter_can_be_started() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(!refused(&own));
        for script in [&b"#!/bin/sh\n"[..], b"#! /bin/sh -e\n:", b"#!\t/bin/sh"] {
            assert!(!refused(script));
        }
        // The system says by itself that there is none.
        assert!(!refused(b"#!/nonexistent/interpreter\n"));
    }

    #[test]
    fn what_only_a_shell_would_take_cannot_be_started() {
        for bytes in [&b""[..], b"#", b"echo\n", b"\n#!/bin/sh\n", b"MZ\x90\x00"] {
            assert!(refused(bytes));
        }
        for script in [&b"#!"[..], b"#!\n", b"#! \t \n/bin/sh\n", b"#!\0/bin/sh"] {
            assert!(refused(script));
        }
        let mut long = b"#!/".to_vec();
        long.resize(START_BYTES + 10, b'x');
        assert!(refused(&long), "the end of its name is not looked at");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_of_another_processor_or_kind_cannot_be_started() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        // Class, order, kind and machine; zero is nobody's.
        for at in [4, 5, 16, 18] {
            let mut other = own.clone();
            other[at] = if at == 18 { 2 } else { 0 };
            assert!(refused(&other), "byte {at}");
        }
        assert!(refused(&own[..20]), "a header that is cut off");
    }

    #[test]
    fn an_interpreter_that_cannot_be_started_is_found_through_the_script() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("inner"), "not a program").unwrap();
        let mut file = tempfile::tempfile_in(folder.path()).unwrap();
        file.write_all(b"#!inner\n").unwrap();
        assert!(refusal(&file, folder.path()).is_some());
    }
}
