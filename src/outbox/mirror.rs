//! A project's mirror: the repository whose objects are pushed. Its files are reached through a
//! held directory, its refs and objects through Git.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::OutboxError;
use super::intent::Intent;
use super::names::{MirrorPath, Project};
use super::receipt::{FSYNC, FSYNC_METHOD};
use super::root::HostRoot;
use crate::delivery::{ObjectFormat, ObjectId};
use crate::durable::{Dir, DiskError, Kind};
use crate::git::{Git, Place};
use crate::process::Cancel;

/// The longest that a local Git command may take.
const DEADLINE: Duration = Duration::from_secs(120);
/// The ceiling of the list of other stores, in bytes.
const ALTERNATES_BYTES: u64 = 1024 * 1024;
/// How often a command is tried that lost a lock of the repository to another Git.
const TRIES: u32 = 40;
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(25);

/// How a repository keeps its refs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefStorage {
    /// Loose files and `packed-refs`.
    Files,
    /// Tables.
    Reftable,
}

/// An open mirror.
#[derive(Debug)]
pub struct Mirror {
    dir: Dir,
    git: Git,
    format: ObjectFormat,
    refs: RefStorage,
    settings: Vec<(String, String)>,
}

/// What a mirror has under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Missing,
    /// An object of this kind (`commit`, `tree`, …).
    Object {
        /// Its id.
        oid: ObjectId,
        /// Its kind.
        kind: String,
    },
}

impl Mirror {
    /// Opens the mirror of a project, or the one that is named instead.
    ///
    /// # Errors
    /// `NOT_FOUND` when there is no bare repository or it borrows objects from another one.
    pub fn open(
        root: &HostRoot,
        project: &Project,
        named: Option<&MirrorPath>,
        cancel: &Cancel,
    ) -> Result<Mirror, OutboxError> {
        let dir = match named {
            Some(path) => Dir::open(Path::new(path.as_str())),
            None => root
                .dir()
                .open_dir("mirrors")
                .and_then(|mirrors| mirrors.open_dir(format!("{project}.git"))),
        };
        Mirror::of(dir.map_err(missing)?, cancel)
    }

    /// Opens the mirror of an intent.
    ///
    /// # Errors
    /// As [`Mirror::open`].
    pub fn of_intent(
        root: &HostRoot,
        intent: &Intent,
        cancel: &Cancel,
    ) -> Result<Mirror, OutboxError> {
        Mirror::open(root, &intent.project_id, intent.mirror.as_ref(), cancel)
    }

    /// Opens the mirror at a path.
    ///
    /// # Errors
    /// As [`Mirror::open`].
    pub fn at(path: &Path, cancel: &Cancel) -> Result<Mirror, OutboxError> {
        Mirror::of(Dir::open(path).map_err(missing)?, cancel)
    }

    fn of(dir: Dir, cancel: &Cancel) -> Result<Mirror, OutboxError> {
        let path = dir.path().to_owned();
        let whole = dir.kind("HEAD")?.is_some()
            && dir.kind("objects")? == Some(Kind::Directory)
            && dir.kind("refs")? == Some(Kind::Directory);
        if !whole {
            return Err(OutboxError::NoMirror { path });
        }
        if borrows(&dir)? {
            return Err(OutboxError::Borrowed { path });
        }
        let git = Git::new(&Place::Repository(path.clone()), DEADLINE, cancel)
            .option(with_path("--git-dir=", &path))
            .setting("core.fsync", FSYNC)
            .setting("core.fsyncMethod", FSYNC_METHOD)
            .setting("core.filesRefLockTimeout", "10000")
            .setting("core.packedRefsTimeout", "10000");
        let settings = read_settings(&git)?;
        let value = |name: &str| last(&settings, name);
        let format = match value("extensions.objectformat") {
            Some("sha256") => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        };
        let refs = match value("extensions.refstorage") {
            Some("reftable") => RefStorage::Reftable,
            _ => RefStorage::Files,
        };
        Ok(Mirror {
            dir,
            git,
            format,
            refs,
            settings,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The format of its object ids.
    #[must_use]
    pub const fn format(&self) -> ObjectFormat {
        self.format
    }

    /// How it keeps its refs.
    #[must_use]
    pub const fn ref_storage(&self) -> RefStorage {
        self.refs
    }

    pub(super) const fn dir(&self) -> &Dir {
        &self.dir
    }

    pub(super) const fn git(&self) -> &Git {
        &self.git
    }

    /// Sets what the source page lists in the mirror's own configuration, where it is not set yet:
    /// from then on whoever writes objects or refs there makes them durable.
    ///
    /// # Errors
    /// Git's.
    pub fn configure(&mut self) -> Result<(), OutboxError> {
        let wanted = [
            ("core.fsync", FSYNC),
            ("core.fsyncmethod", FSYNC_METHOD),
            ("core.hookspath", "hooks"),
            ("receive.denydeletes", "true"),
        ];
        for (name, value) in wanted {
            let good = match last(&self.settings, name) {
                // An operator's own hooks directory stays; everything is more than our three.
                Some(present) => {
                    present == value
                        || name == "core.hookspath"
                        || (name == "core.fsync" && present == "all")
                }
                None => false,
            };
            if !good {
                self.set(name, value)?;
                self.settings.push((name.to_owned(), value.to_owned()));
            }
        }
        Ok(())
    }

    fn set(&self, name: &str, value: &str) -> Result<(), OutboxError> {
        let arguments = ["config", "--local", "--replace-all", name, value];
        let mut tries = 0_u32;
        loop {
            match self.git.output(&arguments) {
                Ok(_) => return Ok(()),
                Err(error) => {
                    let settings = read_settings(&self.git)?;
                    if last(&settings, name) == Some(value) {
                        return Ok(());
                    }
                    tries = tries.saturating_add(1);
                    if tries >= TRIES {
                        return Err(error.into());
                    }
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }

    /// What the mirror has under each name (object ids or full ref names), in order, by one Git
    /// process.
    ///
    /// # Errors
    /// Git's.
    pub fn find_all(&self, names: &[String]) -> Result<Vec<Found>, OutboxError> {
        let mut input = names.join("\n");
        input.push('\n');
        let output = self
            .git
            .clone()
            .stdout_bytes(names.len().saturating_mul(512).max(4096))
            .output_of(
                &["cat-file", "--batch-check=%(objectname) %(objecttype)"],
                input.as_bytes(),
            )?;
        let text = String::from_utf8_lossy(&output);
        let found: Vec<Found> = text.lines().map(found).collect();
        if found.len() == names.len() {
            Ok(found)
        } else {
            Err(OutboxError::Unexpected {
                path: self.path().to_owned(),
                what: "cat-file --batch-check",
            })
        }
    }

    /// Refuses what cannot be pinned: an id of the other format, and anything that is no commit of
    /// this mirror.
    ///
    /// # Errors
    /// `INPUT_MALFORMED` and `NOT_FOUND`.
    pub fn check_commit(&self, oid: &ObjectId) -> Result<(), OutboxError> {
        self.check_format(oid)?;
        let found = self.find_all(&[oid.to_string()])?;
        self.judge_commit(oid, found.first())
    }

    pub(super) fn check_format(&self, oid: &ObjectId) -> Result<(), OutboxError> {
        if oid.format() == self.format {
            return Ok(());
        }
        Err(OutboxError::OtherFormat {
            oid: oid.clone(),
            mirror: self.path().to_owned(),
            format: self.format,
        })
    }

    pub(super) fn judge_commit(
        &self,
        oid: &ObjectId,
        found: Option<&Found>,
    ) -> Result<(), OutboxError> {
        match found {
            Some(Found::Object { oid: present, kind }) if present == oid && kind == "commit" => {
                Ok(())
            }
            Some(Found::Object { kind, .. }) => Err(OutboxError::NoCommit {
                oid: oid.clone(),
                mirror: self.path().to_owned(),
                reason: format!("it is a {kind}"),
            }),
            _ => Err(OutboxError::NoCommit {
                oid: oid.clone(),
                mirror: self.path().to_owned(),
                reason: "it is not there".into(),
            }),
        }
    }
}

/// Whether `objects/info/alternates` names another store.
fn borrows(dir: &Dir) -> Result<bool, OutboxError> {
    let info = match dir.open_dir("objects")?.open_dir("info") {
        Ok(info) => info,
        Err(DiskError::Missing { .. }) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let text = info
        .read("alternates", ALTERNATES_BYTES)?
        .unwrap_or_default();
    let mut lines = text.split(|byte| *byte == b'\n');
    Ok(lines.any(|line| !line.is_empty() && !line.starts_with(b"#")))
}

fn found(line: &str) -> Found {
    let object = line.split_once(' ').and_then(|(oid, kind)| {
        let known = matches!(kind, "commit" | "tree" | "blob" | "tag");
        known.then(|| ObjectId::new(oid).ok().map(|oid| (oid, kind)))?
    });
    match object {
        Some((oid, kind)) => Found::Object {
            oid,
            kind: kind.to_owned(),
        },
        None => Found::Missing,
    }
}

/// The mirror's own settings, names in lower case.
fn read_settings(git: &Git) -> Result<Vec<(String, String)>, OutboxError> {
    let output = git.output(&["config", "--list", "--local", "-z"])?;
    let text = String::from_utf8_lossy(&output);
    Ok(text
        .split('\0')
        .filter(|entry| !entry.is_empty())
        .map(|entry| match entry.split_once('\n') {
            Some((name, value)) => (name.to_owned(), value.to_owned()),
            // `[receive] denyDeletes` without a value means true.
            None => (entry.to_owned(), "true".to_owned()),
        })
        .collect())
}

fn last<'a>(settings: &'a [(String, String)], name: &str) -> Option<&'a str> {
    settings
        .iter()
        .rev()
        .find(|(other, _)| other == name)
        .map(|(_, value)| value.as_str())
}

fn with_path(option: &str, path: &Path) -> std::ffi::OsString {
    let mut text = std::ffi::OsString::from(option);
    text.push(path);
    text
}

fn missing(error: DiskError) -> OutboxError {
    match error {
        DiskError::Missing { path } | DiskError::Kind { path, .. } => {
            OutboxError::NoMirror { path }
        }
        other => other.into(),
    }
}

impl HostRoot {
    /// Every mirror that a host root has under `mirrors`.
    ///
    /// # Errors
    /// A directory that cannot be listed.
    pub fn mirrors(&self) -> Result<Vec<PathBuf>, OutboxError> {
        let mirrors = match self.dir().open_dir("mirrors") {
            Ok(mirrors) => mirrors,
            Err(DiskError::Missing { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let mut paths = Vec::new();
        mirrors.each_entry::<OutboxError>(|entry| {
            let project = entry
                .name
                .to_str()
                .and_then(|name| Project::new(name.strip_suffix(".git")?).ok());
            if let (Some(_), Kind::Directory) = (project, entry.kind) {
                paths.push(mirrors.path_of(&entry.name));
            }
            Ok(())
        })?;
        paths.sort();
        Ok(paths)
    }
}
