//! What the refs of an opened repository say.

use super::command::GitError;
use super::objects::{Objects, ObjectsError};
use crate::delivery::ObjectId;
use crate::process::End;

impl Objects {
    /// The commit that a ref leads to; `None` when there is no such ref. `name` is a full name that
    /// was checked to hold no revision syntax.
    ///
    /// # Errors
    /// [`ObjectsError::Git`], and `Kind` for a ref that leads to no commit.
    pub fn tip(&self, name: &str) -> Result<Option<ObjectId>, ObjectsError> {
        // Asked twice before it is taken for missing: a ref that is being packed is in one of two
        // places, and a reader may look into each at the wrong moment.
        match self.ask_tip(name)? {
            Some(id) => Ok(Some(id)),
            None => self.ask_tip(name),
        }
    }

    fn ask_tip(&self, name: &str) -> Result<Option<ObjectId>, ObjectsError> {
        let answer = self
            .git()
            .output(&[
                "for-each-ref",
                "--format=%(objectname) %(objecttype) %(*objectname) %(*objecttype) %(refname)",
                "--",
                name,
            ])
            .map_err(|source| self.failed(source))?;
        let text = String::from_utf8_lossy(&answer);
        // A pattern also matches everything below it, so the name itself is looked for.
        let Some(line) = text
            .lines()
            .find(|line| line.ends_with(&format!(" {name}")))
        else {
            return Ok(None);
        };
        let mut words = line.split(' ');
        let direct = (words.next(), words.next());
        let peeled = (words.next(), words.next());
        for (id, kind) in [peeled, direct] {
            let id = id.and_then(|id| ObjectId::of_format(id, self.format()).ok());
            if let (Some(id), Some("commit")) = (id, kind) {
                return Ok(Some(id));
            }
        }
        Err(self.unexpected("for-each-ref", format!("`{name}` leads to no commit")))
    }

    /// Whether `commit` is `tip` or in its history.
    ///
    /// # Errors
    /// [`ObjectsError::Git`].
    pub fn is_reachable(&self, commit: &ObjectId, tip: &ObjectId) -> Result<bool, ObjectsError> {
        if commit == tip {
            return Ok(true);
        }
        let arguments = ["merge-base", "--is-ancestor", commit.as_str(), tip.as_str()];
        let finished = self
            .git()
            .finish(&arguments, b"")
            .map_err(|source| self.failed(source))?;
        match finished.end {
            End::Exited(0) => Ok(true),
            End::Exited(1) => Ok(false),
            _ => Err(self.failed(self.git().failure("merge-base".into(), &finished))),
        }
    }

    /// The branch that the repository calls its default: in a clone the remote's, else where `HEAD`
    /// leads. `None` when `HEAD` is detached.
    ///
    /// # Errors
    /// [`ObjectsError::Git`].
    pub fn default_branch(&self) -> Result<Option<String>, ObjectsError> {
        if !self.is_bare()
            && let Some(name) = self.symbolic("refs/remotes/origin/HEAD")?
        {
            return Ok(name
                .strip_prefix("refs/remotes/origin/")
                .map(|branch| format!("refs/heads/{branch}")));
        }
        self.symbolic("HEAD")
    }

    fn symbolic(&self, name: &str) -> Result<Option<String>, ObjectsError> {
        let finished = self
            .git()
            .finish(&["symbolic-ref", "--quiet", name], b"")
            .map_err(|source| self.failed(source))?;
        match finished.end {
            End::Exited(0) => {
                let text = String::from_utf8_lossy(finished.stdout.bytes());
                Ok(Some(text.trim_end_matches('\n').to_owned()))
            }
            End::Exited(1) => Ok(None),
            _ => Err(self.failed(self.git().failure("symbolic-ref".into(), &finished))),
        }
    }

    fn unexpected(&self, command: &str, reason: String) -> ObjectsError {
        self.failed(GitError::Unexpected {
            command: command.into(),
            reason,
        })
    }
}
