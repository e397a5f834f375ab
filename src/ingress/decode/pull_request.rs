//! The pull request shape that GitHub, Gitea and Forgejo share.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::super::error::IngressError;
use super::super::route::Route;
use super::payload::{Id, member, wrong};
use super::{Facts, Provided, ignored};
use crate::delivery::identity::Attempt;
use crate::delivery::text::{BranchRef, ChangeId, IntegrationId, Owner, RepositoryName, RunId};
use crate::delivery::{Change, Digest, ObjectId, ProviderRun, Repository};

/// The body's own members, each as its text, in one pass. One that is `null` counts as absent.
#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow)]
    action: Option<&'a RawValue>,
    #[serde(borrow)]
    number: Option<&'a RawValue>,
    #[serde(borrow)]
    repository: Option<&'a RawValue>,
    #[serde(borrow)]
    pull_request: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) installation: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) changes: Option<&'a RawValue>,
    review: Option<IgnoredAny>,
    comment: Option<IgnoredAny>,
    thread: Option<IgnoredAny>,
    issue: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Pull {
    id: Id,
    number: Id,
    head: Head,
    base: Base,
}

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "ref")]
    branch: String,
    sha: String,
}

#[derive(Deserialize)]
struct Base {
    #[serde(rename = "ref")]
    branch: String,
    sha: String,
    repo: Repo,
}

#[derive(Deserialize)]
struct Repo {
    id: Id,
    name: String,
    full_name: String,
    owner: Login,
}

#[derive(Deserialize)]
struct Login {
    login: String,
}

impl Repo {
    fn read(&self, route: &Route, member: &str) -> Result<Repository, IngressError> {
        let owner = self.owner.login.to_ascii_lowercase();
        let name = self.name.to_ascii_lowercase();
        if self.full_name.to_ascii_lowercase() != format!("{owner}/{name}") {
            return Err(wrong(format!(
                "`{member}.full_name` is not its owner and name"
            )));
        }
        let illegal = |error| wrong(format!("`{member}`: {error}"));
        Ok(Repository {
            host: route.host.clone(),
            owner: Owner::new(owner).map_err(illegal)?,
            name: RepositoryName::new(name).map_err(illegal)?,
        })
    }
}

/// Which digest names the run: the family's domain, and whether the namespace is part of the list.
pub(super) struct RunName<'a> {
    pub(super) domain: &'static str,
    pub(super) namespace: Option<&'a str>,
}

impl Event<'_> {
    /// The answer to an event that is no pull request's own, if it is one: reviews, their comments
    /// and threads, and comments on an issue carry a pull request too.
    pub(super) fn other_kind(&self) -> Option<Provided> {
        let other = [&self.review, &self.comment, &self.thread, &self.issue];
        let own = self.pull_request.is_some() && other.into_iter().all(Option::is_none);
        (!own).then(|| ignored("not a pull_request event"))
    }

    /// The action, if the event has one.
    pub(super) fn action(&self) -> Result<Option<String>, IngressError> {
        self.action
            .is_some()
            .then(|| member("action", self.action))
            .transpose()
    }

    /// The facts, after everything that is said twice agreed.
    pub(super) fn facts(
        &self,
        route: &Route,
        integration: IntegrationId,
        name: &RunName<'_>,
    ) -> Result<Facts, IngressError> {
        let pull: Pull = member("pull_request", self.pull_request)?;
        let own: Repo = member("repository", self.repository)?;
        let number: Id = member("number", self.number)?;
        let repository = own.read(route, "repository")?;
        let base = pull.base.repo.read(route, "pull_request.base.repo")?;
        if repository != base || own.id != pull.base.repo.id {
            return Err(wrong(
                "`repository` and `pull_request.base.repo` are not the same repository",
            ));
        }
        if number != pull.number {
            return Err(wrong("`number` and `pull_request.number` differ"));
        }
        let candidate = object_id("pull_request.head.sha", &pull.head.sha)?;
        let base_commit = object_id("pull_request.base.sha", &pull.base.sha)?;
        if candidate.format() != base_commit.format() {
            return Err(wrong("head and base have object ids of two formats"));
        }
        let source = branch("pull_request.head.ref", &pull.head.branch)?;
        let target = branch("pull_request.base.ref", &pull.base.branch)?;
        check_target(route, &target)?;
        let change = format!("repository/{}/pull/{}/number/{}", own.id, pull.id, number);
        let work = Work {
            repository,
            change,
            candidate,
            source,
            target,
        };
        work.facts(route, integration, name, "pr:")
    }
}

/// The same facts of every forge, checked.
pub(super) struct Work {
    pub(super) repository: Repository,
    pub(super) change: String,
    pub(super) candidate: ObjectId,
    pub(super) source: BranchRef,
    pub(super) target: BranchRef,
}

impl Work {
    /// The run id is the digest of a compact JSON array of texts.
    pub(super) fn facts(
        self,
        route: &Route,
        integration: IntegrationId,
        name: &RunName<'_>,
        prefix: &str,
    ) -> Result<Facts, IngressError> {
        let mut list = vec![integration.as_str()];
        list.extend(name.namespace);
        list.extend([
            self.repository.host.as_str(),
            self.repository.owner.as_str(),
            self.repository.name.as_str(),
            self.change.as_str(),
            self.candidate.as_str(),
            self.source.as_str(),
            self.target.as_str(),
        ]);
        let bytes = serde_json::to_vec(&list).map_err(|error| wrong(error.to_string()))?;
        let run_id = format!("{prefix}{}", Digest::of(name.domain, &bytes));
        let unfit = |error: crate::delivery::text::TextError| wrong(error.to_string());
        Ok(Facts {
            integration,
            provider_run: ProviderRun {
                run_id: RunId::new(run_id).map_err(unfit)?,
                attempt: Attempt::FIRST,
                object_format: self.candidate.format(),
                candidate_commit: self.candidate,
            },
            change: Change {
                provider: route.provider.clone(),
                repository: self.repository,
                change: ChangeId::new(self.change).map_err(unfit)?,
            },
        })
    }
}

/// An object id of a payload.
pub(super) fn object_id(member: &str, text: &str) -> Result<ObjectId, IngressError> {
    ObjectId::new(text).map_err(|error| wrong(format!("`{member}`: {error}")))
}

/// A branch of a payload, given by its short name.
pub(super) fn branch(member: &str, name: &str) -> Result<BranchRef, IngressError> {
    if name.starts_with("refs/") {
        return Err(wrong(format!("`{member}` is a ref that is no branch")));
    }
    BranchRef::new(format!("refs/heads/{name}"))
        .map_err(|error| wrong(format!("`{member}`: {error}")))
}

/// The route's target branch, if it names one.
pub(super) fn check_target(route: &Route, target: &BranchRef) -> Result<(), IngressError> {
    match &route.target {
        Some(wanted) if wanted != target => Err(IngressError::Route(format!(
            "the target branch is `{}`; the route takes `{}` only",
            target.short().escape_debug(),
            wanted.short()
        ))),
        _ => Ok(()),
    }
}
