//! What an origin says of its branches (page 5.2, points 2 and 3).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use super::access::{Access, Trouble};
use super::push::FailureClass;
use crate::delivery::ObjectId;
use crate::process::End;

/// Where a tip is kept while it is looked at, in the mirror. Never a branch, never a pin.
const PROBE_PREFIX: &str = "refs/mac-worker/probe/";

/// Whether one commit contains another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Containment {
    /// It does.
    Contained,
    /// It does not.
    Apart,
    /// The mirror does not have one of them.
    Unknown,
}

impl Access {
    /// Asks an origin for the tips of these refs (in full), in one call.
    ///
    /// # Errors
    /// [`Trouble`] when there is no whole answer.
    pub fn tips(
        &self,
        mirror: &Path,
        origin: &str,
        targets: &[String],
    ) -> Result<RemoteTips, Trouble> {
        let mut arguments: Vec<OsString> = ["ls-remote", "--refs", "--", origin]
            .map(OsString::from)
            .into();
        arguments.extend(targets.iter().map(OsString::from));
        let answer = Access::answer(&self.asking(mirror), &arguments)?;
        RemoteTips::parse(&answer).map_err(|error| Trouble::Failed {
            class: FailureClass::Other,
            words: error.to_string(),
        })
    }

    /// Fetches an origin's ref into a private name of `mirror`, asks whether what came contains
    /// `ours`, and takes the name away again. The answer names the tip that was looked at, which
    /// may be newer than the one last seen. `label` makes the private name one of its own.
    ///
    /// # Errors
    /// [`Trouble`] when the tip could not be fetched.
    pub fn fetched_containment(
        &self,
        mirror: &Path,
        origin: &str,
        target: &str,
        label: &str,
        ours: &ObjectId,
    ) -> Result<(ObjectId, Containment), Trouble> {
        let probe = format!("{PROBE_PREFIX}{label}");
        let arguments: Vec<OsString> = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--no-recurse-submodules",
            "--refmap=",
            "--",
            origin,
            &format!("+{target}:{probe}"),
        ]
        .map(OsString::from)
        .into();
        let git = self.git(mirror);
        Access::answer(&git, &arguments)?;
        let looked = self.look_at(mirror, &probe, ours);
        // A name that stays behind is overwritten by the next look, and holds only objects.
        let _ = git.finish(&["update-ref", "-d", &probe], b"");
        looked
    }

    fn look_at(
        &self,
        mirror: &Path,
        probe: &str,
        ours: &ObjectId,
    ) -> Result<(ObjectId, Containment), Trouble> {
        let arguments = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            probe,
        ]
        .map(OsString::from);
        let printed = Access::answer(&self.asking(mirror), &arguments)?;
        let tip = String::from_utf8_lossy(&printed);
        let tip = ObjectId::new(tip.trim()).map_err(|error| Trouble::Failed {
            class: FailureClass::Other,
            words: error.to_string(),
        })?;
        let answer = self.contains(mirror, &tip, ours)?;
        Ok((tip, answer))
    }

    /// Whether `tip` contains `ours`, by what the mirror has.
    ///
    /// # Errors
    /// [`Trouble`] when Git could not be asked.
    pub fn contains(
        &self,
        mirror: &Path,
        tip: &ObjectId,
        ours: &ObjectId,
    ) -> Result<Containment, Trouble> {
        if tip == ours {
            return Ok(Containment::Contained);
        }
        let arguments = ["merge-base", "--is-ancestor", ours.as_str(), tip.as_str()];
        let finished = self
            .asking(mirror)
            .finish(&arguments, b"")
            .map_err(|error| Trouble::of(&error))?;
        match finished.end {
            End::Exited(0) => Ok(Containment::Contained),
            End::Exited(1) => Ok(Containment::Apart),
            End::Exited(_) => Ok(Containment::Unknown),
            End::Cancelled => Err(Trouble::Interrupted),
            End::TimedOut | End::Signalled(_) => Err(Trouble::failed(&finished)),
        }
    }
}

/// The tips that one `git ls-remote` named, by full ref name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteTips(BTreeMap<String, ObjectId>);

/// Output of `git ls-remote` that is not `<oid>\t<ref>` lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("git ls-remote printed a line that is no object id and ref")]
pub struct RemoteTipsError;

impl RemoteTips {
    /// Reads the standard output of `git ls-remote --refs`.
    ///
    /// # Errors
    /// [`RemoteTipsError`] on any line of another shape: half an answer is none.
    pub fn parse(stdout: &[u8]) -> Result<RemoteTips, RemoteTipsError> {
        let mut tips = BTreeMap::new();
        for line in stdout.split(|byte| *byte == b'\n') {
            if line.is_empty() {
                continue;
            }
            // A name that is not UTF-8 is no branch of ours; its line is well formed all the same.
            let (oid, name) = split_line(line).ok_or(RemoteTipsError)?;
            if let Ok(name) = std::str::from_utf8(name) {
                tips.insert(name.to_owned(), oid);
            }
        }
        Ok(RemoteTips(tips))
    }

    /// The tip of a ref, in full; `None` when the origin does not have it.
    #[must_use]
    pub fn tip(&self, name: &str) -> Option<&ObjectId> {
        self.0.get(name)
    }
}

fn split_line(line: &[u8]) -> Option<(ObjectId, &[u8])> {
    let at = line.iter().position(|byte| *byte == b'\t')?;
    let (oid, name) = line.split_at(at);
    let oid = ObjectId::new(std::str::from_utf8(oid).ok()?).ok()?;
    let name = name.get(1..).filter(|name| name.starts_with(b"refs/"))?;
    Some((oid, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OID: &str = "7b7444109a8a40396f8f876cee82cb84b0eccf67";

    #[test]
    fn a_tip_is_found_by_its_whole_name_only() {
        let text = format!("{OID}\trefs/heads/a\n{OID}\trefs/x/refs/heads/b\n");
        let tips = RemoteTips::parse(text.as_bytes()).unwrap();
        assert_eq!(tips.tip("refs/heads/a").unwrap().as_str(), OID);
        assert!(tips.tip("refs/heads/b").is_none());
        assert!(
            RemoteTips::parse(b"")
                .unwrap()
                .tip("refs/heads/a")
                .is_none()
        );
    }

    #[test]
    fn ids_of_both_formats_are_read() {
        let long = "a".repeat(64);
        let text = format!("{long}\trefs/heads/a\n");
        let tips = RemoteTips::parse(text.as_bytes()).unwrap();
        assert_eq!(tips.tip("refs/heads/a").unwrap().as_str(), long);
    }

    #[test]
    fn half_an_answer_is_none() {
        for text in ["x", "1234\trefs/heads/a\n", "\trefs/heads/a\n"] {
            assert!(RemoteTips::parse(text.as_bytes()).is_err(), "{text}");
        }
        for bad in [
            format!("{OID} refs/heads/a"),
            format!("{OID}\theads/a"),
            OID.to_owned(),
        ] {
            assert!(RemoteTips::parse(bad.as_bytes()).is_err(), "{bad}");
        }
        let cut = format!("{OID}\trefs/heads/a\n{}", "7b74441");
        assert!(RemoteTips::parse(cut.as_bytes()).is_err());
    }

    #[test]
    fn a_name_that_is_not_utf8_hides_no_other() {
        let mut bytes = format!("{OID}\trefs/heads/").into_bytes();
        bytes.extend_from_slice(b"\xff\n");
        bytes.extend_from_slice(format!("{OID}\trefs/heads/a\n").as_bytes());
        assert!(
            RemoteTips::parse(&bytes)
                .unwrap()
                .tip("refs/heads/a")
                .is_some()
        );
    }
}
