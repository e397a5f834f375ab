//! Objects that are what their names say: read once, hashed here, never taken by name alone.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::Digest as _;
use tempfile::TempDir;

use super::alternates;
use super::command::{Git, GitError, Place};
use crate::code::{Code, Coded};
use crate::delivery::digest::hex;
use crate::delivery::{ObjectFormat, ObjectId};
use crate::process::Cancel;

/// The most that one question may answer, in bytes: commits and single trees are far smaller.
const ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// An opened repository.
#[derive(Debug)]
pub struct Objects {
    git: Git,
    path: PathBuf,
    format: ObjectFormat,
    shallow: bool,
    bare: bool,
    borrows: bool,
    until: Instant,
    ahead: Ahead,
    // Removed when the repository is closed.
    _shadow: Option<TempDir>,
}

/// Why an object cannot be taken for what it should be.
#[derive(Debug, thiserror::Error)]
pub enum ObjectsError {
    /// No repository at the path.
    #[error("{path} is no Git repository: {reason}")]
    NoRepository {
        /// Which.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The system refused a file of the repository.
    #[error("cannot read the repository {path}")]
    Io {
        /// Which.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// Git itself failed.
    #[error("{path}: {source}")]
    Git {
        /// Which repository.
        path: PathBuf,
        /// How.
        #[source]
        source: GitError,
    },
    /// The object is not there.
    #[error("the object {id} is not in {path}{}", if *.borrows { ", whose alternates outside of it are not read" } else { "" })]
    Missing {
        /// Which.
        id: ObjectId,
        /// Where.
        path: PathBuf,
        /// Whether the repository borrows objects from others.
        borrows: bool,
    },
    /// It is of another kind, or its content is none.
    #[error("the object {id} of {path} is no {expected}")]
    Kind {
        /// Which.
        id: ObjectId,
        /// Where.
        path: PathBuf,
        /// `commit` or `tree`.
        expected: &'static str,
    },
    /// Its content has another hash than its name, or cannot be unpacked.
    #[error("the content of {id} of {path} is not what its name says")]
    Hash {
        /// Which.
        id: ObjectId,
        /// Where.
        path: PathBuf,
    },
    /// The commit holds another tree.
    #[error("the commit {commit} of {path} has the tree {tree}, not {expected}")]
    Tree {
        /// Which.
        commit: ObjectId,
        /// Where.
        path: PathBuf,
        /// Its tree.
        tree: ObjectId,
        /// The tree asked for.
        expected: ObjectId,
    },
}

impl ObjectsError {
    /// Whether an object is not what it must be, in contrast to a repository that cannot be asked.
    #[must_use]
    pub const fn is_wrong_object(&self) -> bool {
        matches!(
            self,
            ObjectsError::Missing { .. }
                | ObjectsError::Kind { .. }
                | ObjectsError::Hash { .. }
                | ObjectsError::Tree { .. }
        )
    }
}

impl Coded for ObjectsError {
    fn code(&self) -> Code {
        match self {
            ObjectsError::NoRepository { .. } | ObjectsError::Missing { .. } => Code::NotFound,
            ObjectsError::Git { source, .. } if source.code() == Code::Interrupted => {
                Code::Interrupted
            }
            _ => Code::ProviderUnavailable,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            ObjectsError::Git { source, .. } => source.hint(),
            ObjectsError::NoRepository { path, .. } => Some(format!(
                "name the folder of a clone or mirror: git clone --mirror URL {}",
                path.display()
            )),
            ObjectsError::Hash { path, .. } => {
                Some(format!("git -C {} fsck --full", path.display()))
            }
            _ => None,
        }
    }
}

impl Objects {
    /// Opens the repository at `path`; no directory around it is looked at. All questions to it
    /// together end within `deadline`, counted from here.
    ///
    /// # Errors
    /// [`ObjectsError::NoRepository`], `Io` and `Git`.
    pub fn open(path: &Path, deadline: Duration, cancel: &Cancel) -> Result<Objects, ObjectsError> {
        let until = Instant::now().checked_add(deadline);
        let none = |reason: String| ObjectsError::NoRepository {
            path: path.to_owned(),
            reason,
        };
        let facts = std::fs::metadata(path).map_err(|error| none(error.to_string()))?;
        if !facts.is_dir() {
            return Err(none("not a directory".into()));
        }
        let git = Git::new(&Place::Repository(path.to_owned()), deadline, cancel)
            // Nothing is ever fetched to answer a question about what is here.
            .setting("protocol.allow", "never")
            .stdout_bytes(ANSWER_BYTES)
            .alone();
        let answer = git
            .output(&[
                "rev-parse",
                "--show-object-format=storage",
                "--is-shallow-repository",
                "--is-bare-repository",
                "--path-format=absolute",
                "--git-common-dir",
            ])
            .map_err(|source| match source {
                GitError::Failed { message, .. } => none(message),
                source => ObjectsError::Git {
                    path: path.to_owned(),
                    source,
                },
            })?;
        let facts = Facts::parse(&answer).ok_or_else(|| none("its facts are unreadable".into()))?;
        let shadow =
            alternates::without_outside(&facts.common).map_err(|source| ObjectsError::Io {
                path: path.to_owned(),
                source,
            })?;
        let git = match &shadow {
            Some(shadow) => git.env("GIT_OBJECT_DIRECTORY", shadow.path()),
            None => git,
        };
        Ok(Objects {
            git,
            until: until.unwrap_or_else(Instant::now),
            ahead: Ahead::default(),
            path: path.to_owned(),
            format: facts.format,
            shallow: facts.shallow,
            bare: facts.bare,
            borrows: shadow.is_some(),
            _shadow: shadow,
        })
    }

    /// Asks for these commits and their trees in one question, so that what is asked of them later
    /// starts no Git of its own. What the answer does not prove is asked for again, one by one, which
    /// finds out what is wrong with it.
    #[must_use]
    pub fn ahead(mut self, commits: &[&ObjectId]) -> Objects {
        let mut asked: Vec<&ObjectId> = Vec::new();
        let mut question = String::new();
        for commit in commits {
            if commit.format() == self.format && !asked.contains(commit) {
                asked.push(commit);
                let name = commit.as_str();
                question.extend([name, "\n", name, "^{tree}\n"]);
            }
        }
        if let Ok(answer) = self
            .git()
            .output_of(&["cat-file", "--batch"], question.as_bytes())
        {
            self.ahead = Ahead::of(&answer, self.format);
        }
        self
    }

    /// The format of its object ids.
    #[must_use]
    pub const fn format(&self) -> ObjectFormat {
        self.format
    }

    /// Whether its history is cut off somewhere.
    #[must_use]
    pub const fn is_shallow(&self) -> bool {
        self.shallow
    }

    pub(super) const fn is_bare(&self) -> bool {
        self.bare
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Proves that the commit and the tree are there, hash to their names and belong together.
    ///
    /// # Errors
    /// [`ObjectsError`]; [`ObjectsError::is_wrong_object`] tells a wrong object from a repository
    /// that cannot be asked.
    pub fn verify(&self, commit: &ObjectId, tree: &ObjectId) -> Result<(), ObjectsError> {
        let found = self.tree_of(commit)?;
        if found == *tree {
            Ok(())
        } else {
            Err(ObjectsError::Tree {
                commit: commit.clone(),
                path: self.path.clone(),
                tree: found,
                expected: tree.clone(),
            })
        }
    }

    /// The tree of a commit; both are read and hashed.
    ///
    /// # Errors
    /// As [`Objects::verify`].
    pub fn tree_of(&self, commit: &ObjectId) -> Result<ObjectId, ObjectsError> {
        let content = match self.ahead.commits.get(commit.as_str()) {
            Some(content) => content,
            None => &self.read(commit, "commit")?,
        };
        let tree = content
            .strip_prefix(b"tree ")
            .and_then(|rest| rest.split(|byte| *byte == b'\n').next())
            .and_then(|name| std::str::from_utf8(name).ok())
            .and_then(|name| ObjectId::of_format(name, commit.format()).ok())
            .ok_or_else(|| self.kind(commit, "commit"))?;
        if !self.ahead.trees.contains(tree.as_str()) {
            self.read(&tree, "tree")?;
        }
        Ok(tree)
    }

    /// The content of an object, proved against its name.
    fn read(&self, id: &ObjectId, kind: &'static str) -> Result<Vec<u8>, ObjectsError> {
        let missing = || ObjectsError::Missing {
            id: id.clone(),
            path: self.path.clone(),
            borrows: self.borrows,
        };
        let hash = || ObjectsError::Hash {
            id: id.clone(),
            path: self.path.clone(),
        };
        if id.format() != self.format {
            return Err(missing());
        }
        let question = format!("{id}\n");
        let answer = self
            .git()
            .output_of(&["cat-file", "--batch"], question.as_bytes())
            .map_err(|source| match source {
                // It is there under its name and cannot be unpacked.
                GitError::Failed { .. } => hash(),
                source => self.failed(source),
            })?;
        let (head, rest) = split_line(&answer).ok_or_else(missing)?;
        if !head.starts_with(id.as_str().as_bytes()) || head.ends_with(b" missing") {
            return Err(missing());
        }
        let (found, behind) = parse_object(head, rest).ok_or_else(hash)?;
        if !behind.is_empty() || !found.has_its_name(self.format) {
            return Err(hash());
        }
        if found.kind != kind.as_bytes() {
            return Err(self.kind(id, kind));
        }
        Ok(found.content.to_vec())
    }

    fn kind(&self, id: &ObjectId, expected: &'static str) -> ObjectsError {
        ObjectsError::Kind {
            id: id.clone(),
            path: self.path.clone(),
            expected,
        }
    }

    /// Git for one more question, in what is left of the time.
    pub(super) fn git(&self) -> Git {
        let left = self.until.saturating_duration_since(Instant::now());
        self.git.clone().deadline(left)
    }

    pub(super) fn failed(&self, source: GitError) -> ObjectsError {
        ObjectsError::Git {
            path: self.path.clone(),
            source,
        }
    }
}

/// Objects that were read and proved against their names before anybody asked.
#[derive(Debug, Default)]
struct Ahead {
    commits: HashMap<String, Vec<u8>>,
    trees: HashSet<String>,
}

impl Ahead {
    /// Whatever of an answer to several questions is what its name says.
    fn of(answer: &[u8], format: ObjectFormat) -> Ahead {
        let mut ahead = Ahead::default();
        let mut rest = answer;
        while let Some((head, after)) = split_line(rest) {
            let Some((object, behind)) = parse_object(head, after) else {
                // An object that is missing has a line and no content.
                rest = after;
                continue;
            };
            rest = behind;
            if !object.has_its_name(format) {
                continue;
            }
            let name = String::from_utf8_lossy(object.name).into_owned();
            match object.kind {
                b"commit" => {
                    ahead.commits.insert(name, object.content.to_vec());
                }
                b"tree" => {
                    ahead.trees.insert(name);
                }
                _ => {}
            }
        }
        ahead
    }
}

/// What `rev-parse` says of a repository.
struct Facts {
    format: ObjectFormat,
    shallow: bool,
    bare: bool,
    common: PathBuf,
}

impl Facts {
    fn parse(answer: &[u8]) -> Option<Facts> {
        let (format, rest) = split_line(answer)?;
        let (shallow, rest) = split_line(rest)?;
        let (bare, rest) = split_line(rest)?;
        let common = rest.strip_suffix(b"\n")?;
        Some(Facts {
            format: match format {
                b"sha1" => ObjectFormat::Sha1,
                b"sha256" => ObjectFormat::Sha256,
                _ => return None,
            },
            shallow: shallow == b"true",
            bare: bare == b"true",
            common: PathBuf::from(std::ffi::OsString::from(
                <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(common),
            )),
        })
    }
}

fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = bytes.split_at_checked(at)?;
    Some((line, rest.strip_prefix(b"\n")?))
}

/// One object of an answer, not yet proved.
#[derive(Debug, PartialEq, Eq)]
struct Answered<'a> {
    name: &'a [u8],
    kind: &'a [u8],
    content: &'a [u8],
}

impl Answered<'_> {
    /// Whether its content is what its name says.
    fn has_its_name(&self, format: ObjectFormat) -> bool {
        object_name(self.kind, self.content, format).as_bytes() == self.name
    }
}

/// An object out of its line `NAME KIND SIZE` and what follows that line, and what is behind it.
fn parse_object<'a>(head: &'a [u8], rest: &'a [u8]) -> Option<(Answered<'a>, &'a [u8])> {
    let mut words = head.split(|byte| *byte == b' ');
    let (name, kind, size) = (words.next()?, words.next()?, words.next()?);
    let size: usize = std::str::from_utf8(size).ok()?.parse().ok()?;
    let (content, end) = rest.split_at_checked(size)?;
    let object = Answered {
        name,
        kind,
        content,
    };
    let behind = end.strip_prefix(b"\n")?;
    words.next().is_none().then_some((object, behind))
}

/// The name that Git gives to this content.
fn object_name(kind: &[u8], content: &[u8], format: ObjectFormat) -> String {
    let size = content.len().to_string();
    let parts = [kind, b" ", size.as_bytes(), b"\0", content];
    match format {
        ObjectFormat::Sha1 => {
            let mut hash = sha1::Sha1::new();
            for part in parts {
                hash.update(part);
            }
            hex(&hash.finalize())
        }
        ObjectFormat::Sha256 => {
            let mut hash = sha2::Sha256::new();
            for part in parts {
                hash.update(part);
            }
            hex(&hash.finalize())
        }
    }
}

#[cfg(test)]
mod tests;
