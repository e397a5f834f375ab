//! `check`: validates everything, changes nothing, takes no lock, and reports every defect
//! (page 3.2).

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::capacity::{Capacity, Count};
use super::error::{LedgerError, RESTORE_FRAME};
use super::metadata::{Metadata, Schema};
use super::names::{self, Name};
use super::root::Root;
use super::row::Row;
use crate::code::{Code, Coded};
use crate::delivery::DeliveryKey;
use crate::durable::{DiskError, Entry};
use crate::words::shell;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The file's name in the root.
    pub file: String,
    /// What is wrong with it.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

/// Something that is not wrong, and worth a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The file's name in the root.
    pub file: String,
    /// What it is.
    pub note: String,
}

/// All that a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Row files.
    pub rows: u64,
    /// Report files.
    pub reports: u64,
    /// What is wrong, by file.
    pub defects: Vec<Defect>,
    /// What is worth a word, by file.
    pub notes: Vec<Note>,
}

/// What one entry is to a check.
enum Looked {
    Row(Option<Defect>),
    Report(Option<Note>),
    Note(Note),
    Defect(Defect),
}

/// How often the count is compared before a root that changes all the time is left alone.
const TRIES: usize = 5;

impl Root {
    /// Validates the whole root.
    ///
    /// # Errors
    /// `ROOT_NOT_PREPARED`, `ROOT_CONFIGURATION` where its limits are not those that the caller
    /// expects, or the system's where the folder itself cannot be read.
    pub fn check(&self) -> Result<Checked, LedgerError> {
        self.dir.remove_folders();
        let mut checked = Checked::default();
        let metadata = match self.read_frame::<Metadata>(names::ROOT) {
            Ok(Some(metadata)) if metadata.schema == Schema::Current => {
                self.compare(&metadata.limits(), &self.expected(&metadata.limits()))?;
                Some(metadata)
            }
            // Says which command prepares it.
            Ok(_) => return Err(self.metadata().err().unwrap_or_else(|| self.changed())),
            Err(error) => {
                checked
                    .defects
                    .push(self.defect(names::ROOT, &error, RESTORE_FRAME));
                None
            }
        };
        self.scan(&|entry| Ok(self.look(&entry)), &mut |looked| {
            checked.add(looked);
            Ok(())
        })?;
        if let Some(metadata) = metadata {
            self.check_count(&metadata, &mut checked)?;
        }
        checked.defects.sort_by(|one, two| one.file.cmp(&two.file));
        checked.notes.sort_by(|one, two| one.file.cmp(&two.file));
        Ok(checked)
    }

    fn changed(&self) -> LedgerError {
        self.corrupt(names::ROOT, "it was changed while it was read")
    }

    fn defect(&self, file: &str, error: &LedgerError, remedy: &str) -> Defect {
        // The file has a member of its own, so its path is not said again.
        let path = self.dir.path_of(file).display().to_string();
        let text = error.to_string();
        let problem = text
            .strip_prefix(&path)
            .map_or(text.as_str(), |rest| rest.trim_start_matches([':', ' ']));
        let mut problem = problem.to_owned();
        // Why the system refused it; the other errors say all in their own words.
        if let Some(reason) = std::error::Error::source(error) {
            problem = format!("{problem}: {reason}");
        }
        Defect {
            file: file.to_owned(),
            problem,
            remedy: cure(error).unwrap_or_else(|| remedy.to_owned()),
        }
    }

    fn look(&self, entry: &Entry) -> Option<Looked> {
        let file = entry.name.to_string_lossy();
        let quarantine = self.quarantine_command(&entry.name);
        let wrong =
            |error: LedgerError| Some(Looked::Defect(self.defect(&file, &error, &quarantine)));
        let name = match self.known(entry) {
            Ok(name) => name,
            Err(error) => return wrong(error),
        };
        match name {
            Name::Row(key) => match self.validate_row(&key) {
                Ok(row) => row.map(|_| Looked::Row(None)),
                Err(error) => Some(Looked::Row(Some(self.row_defect(&key, &error)))),
            },
            Name::Report(key) => Some(self.look_at_report(&key)),
            Name::Temporary => match self.check_temporary(&entry.name) {
                Ok(false) => None,
                Ok(true) => Some(Looked::Note(note(
                    &file,
                    "the leftover of an interrupted write, or one under way; cleanup removes it",
                ))),
                Err(error) => wrong(error),
            },
            Name::Maintenance | Name::Lock | Name::RowLock => {
                match self.dir.open_file(&file, u64::MAX) {
                    Ok(_) => None,
                    Err(error) => wrong(error.into()),
                }
            }
            Name::Root | Name::Capacity | Name::Unknown => None,
        }
    }

    fn row_defect(&self, key: &DeliveryKey, error: &LedgerError) -> Defect {
        let row = names::row(key);
        let report = names::report(key);
        let file = if error.to_string().contains(&report) {
            report
        } else {
            row.clone()
        };
        self.defect(
            &file,
            error,
            &format!(
                "restore it from a backup, or move the row out, whose delivery is then forgotten: {}",
                self.quarantine_command(row.as_ref())
            ),
        )
    }

    fn look_at_report(&self, key: &DeliveryKey) -> Looked {
        let file = names::report(key);
        if let Err(error) = self.dir.open_file(&file, u64::MAX) {
            let remedy = self.quarantine_command(file.as_ref());
            return Looked::Defect(self.defect(&file, &error.into(), &remedy));
        }
        // A damaged row is told of on its own; its report is not known to be dead.
        let dead = self
            .row(key)
            .is_ok_and(|row| !row.is_some_and(|row: Row| row.has_report()));
        Looked::Report(dead.then(|| {
            note(
                &file,
                "a dead report that no saved row names; cleanup removes it",
            )
        }))
    }

    /// Compares the count with the rows. Nothing is locked, so both are taken until the frame is
    /// the same before and after; a root that never holds still is counted under its locks.
    fn check_count(&self, metadata: &Metadata, checked: &mut Checked) -> Result<(), LedgerError> {
        let limits = metadata.limits();
        let mut problem = None;
        for _ in 0..TRIES {
            let before = match self.capacity(&limits) {
                Ok(capacity) => capacity,
                Err(error) => {
                    let remedy = format!(
                        "the rows are counted anew by: {}",
                        self.quarantine_command(names::CAPACITY.as_ref())
                    );
                    checked
                        .defects
                        .push(self.defect(names::CAPACITY, &error, &remedy));
                    return Ok(());
                }
            };
            let rows = self.count_rows()?;
            if self.capacity(&limits).ok().as_ref() != Some(&before) {
                continue;
            }
            problem = self.compare_count(&before, rows);
            if problem.is_none() {
                checked.notes.extend(count_note(&before));
                return Ok(());
            }
        }
        checked.defects.extend(problem.map(|problem| Defect {
            file: names::CAPACITY.to_owned(),
            problem,
            remedy: format!(
                "find out which rows came or went without amiss; then they are counted anew by: {}",
                self.quarantine_command(names::CAPACITY.as_ref())
            ),
        }));
        Ok(())
    }

    /// The command that moves a file out, to be copied into a shell whatever its name is.
    fn quarantine_command(&self, file: &OsStr) -> String {
        let root = shell(self.path());
        let name = shell(Path::new(file));
        if file.as_encoded_bytes().starts_with(b"-") {
            return format!("amiss ledger quarantine --root {root} --to DIR -- {name}");
        }
        format!("amiss ledger quarantine {name} --root {root} --to DIR")
    }

    fn compare_count(&self, capacity: &Capacity, rows: u64) -> Option<String> {
        let (said, fits) = match capacity.count() {
            Count::Settled(records) => (records, records == rows),
            Count::Adding(records, key) => {
                let there = matches!(self.dir.kind(names::row(&key)), Ok(Some(_)));
                let known = if there {
                    records
                } else {
                    records.saturating_sub(1)
                };
                (records, known == rows)
            }
            Count::AtMost(records) => (records, rows <= records),
        };
        (!fits).then(|| format!("it counts {said} rows, the folder holds {rows}"))
    }
}

/// What to do where the bytes are not what is wrong, so that a whole file is not moved out.
fn cure(error: &LedgerError) -> Option<String> {
    if error.code() == Code::Io {
        return Some(
            "mend what the reason names and check again; nothing says that its bytes are wrong"
                .to_owned(),
        );
    }
    match error {
        LedgerError::Disk(DiskError::Owner { path, caller, .. }) => Some(format!(
            "give it back to the root's owner: chown {caller} {}",
            shell(path)
        )),
        LedgerError::Disk(error @ DiskError::Writable { .. }) => error.hint(),
        LedgerError::Disk(DiskError::HardLink { path, .. }) => Some(format!(
            "remove its other name, which is found by: find {} -xdev -samefile {}",
            shell(top_of_filesystem(path)),
            shell(path)
        )),
        _ => None,
    }
}

/// The highest folder on the filesystem of a file: its other names are below it.
fn top_of_filesystem(path: &Path) -> &Path {
    let device = |path: &Path| {
        std::fs::symlink_metadata(path)
            .map(|facts| facts.dev())
            .ok()
    };
    let own = device(path);
    let above = path.ancestors().skip(1);
    // A relative path ends with the folder that it is relative to.
    let same = above.take_while(|folder| !folder.as_os_str().is_empty() && device(folder) == own);
    same.last().unwrap_or_else(|| Path::new("/"))
}

fn note(file: &str, text: &str) -> Note {
    Note {
        file: file.to_owned(),
        note: text.to_owned(),
    }
}

fn count_note(capacity: &Capacity) -> Option<Note> {
    match capacity.count() {
        Count::Settled(_) => None,
        Count::Adding(_, key) => Some(note(
            names::CAPACITY,
            &format!(
                "the addition of {key} is under way or was interrupted; the next claim settles it"
            ),
        )),
        Count::AtMost(_) => Some(note(
            names::CAPACITY,
            "a batch is under way or was interrupted; init, cleanup or the next claim settles it",
        )),
    }
}

impl Checked {
    fn add(&mut self, looked: Looked) {
        match looked {
            Looked::Row(defect) => {
                self.rows = self.rows.saturating_add(1);
                self.defects.extend(defect);
            }
            Looked::Report(note) => {
                self.reports = self.reports.saturating_add(1);
                self.notes.extend(note);
            }
            Looked::Note(note) => self.notes.push(note),
            Looked::Defect(defect) => self.defects.push(defect),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::file::Options;

    /// What a check says of a file of a root after this error.
    fn told(error: DiskError) -> Defect {
        let folder = tempfile::Builder::new()
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .tempdir()
            .unwrap();
        let root = Root::open(folder.path(), Options::default()).unwrap();
        root.defect("file", &error.into(), "move it out")
    }

    #[test]
    fn a_file_that_the_system_does_not_give_out_is_not_called_damaged() {
        for (number, reason) in [
            (rustix::io::Errno::ACCESS, "Permission denied"),
            (rustix::io::Errno::MFILE, "Too many open files"),
            (rustix::io::Errno::IO, "nput/output error"),
        ] {
            let defect = told(DiskError::Io {
                operation: "open",
                path: "root/file".into(),
                source: number.into(),
            });
            assert!(defect.problem.contains(reason), "{}", defect.problem);
            assert!(!defect.remedy.contains("move"), "{}", defect.remedy);
            assert!(defect.remedy.contains("check again"), "{}", defect.remedy);
        }
    }

    #[test]
    fn a_file_of_another_owner_is_given_back_and_one_that_others_write_is_closed() {
        let foreign = told(DiskError::Owner {
            path: "root/file".into(),
            owner: 7,
            caller: 5,
        });
        assert!(
            foreign.remedy.ends_with(": chown 5 root/file"),
            "{foreign:?}"
        );
        let open = told(DiskError::Writable {
            path: "root/file".into(),
            mode: 0o666,
        });
        assert_eq!(open.remedy, "chmod go-w root/file");
    }
}
