//! GitLab's `merge_request` payload.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::super::error::IngressError;
use super::super::route::Route;
use super::payload::{Id, member, object, read, wrong};
use super::pull_request::{RunName, Work, branch, check_target, object_id};
use super::{Provided, ignored, split_project};
use crate::delivery::Repository;
use crate::delivery::text::IntegrationId;

/// The body's own members, each as its text, in one pass.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    object_kind: Option<&'a RawValue>,
    #[serde(borrow)]
    project: Option<&'a RawValue>,
    #[serde(borrow)]
    object_attributes: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Action {
    action: Option<String>,
    oldrev: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Project {
    id: Id,
    path_with_namespace: String,
}

#[derive(Deserialize)]
struct Attributes {
    iid: Id,
    target_project_id: Id,
    source_branch: String,
    target_branch: String,
    last_commit: Commit,
    oldrev: Option<String>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Commit {
    id: String,
}

#[derive(Deserialize)]
struct Target {
    path_with_namespace: String,
}

pub(super) fn decode(
    route: &Route,
    integration: &IntegrationId,
    body: &[u8],
) -> Result<Provided, IngressError> {
    let event: Event = read(object(body)?)?;
    let kind = event.object_kind.map(RawValue::get);
    if kind.and_then(|text| serde_json::from_str(text).ok()) != Some("merge_request".to_owned()) {
        return Ok(ignored("not a merge_request event"));
    }
    let acted: Action = member("object_attributes", event.object_attributes)?;
    match acted.action.as_deref() {
        Some("open" | "reopen") => {}
        Some("update") => {
            if acted.oldrev.is_none() {
                return Ok(ignored("merge_request update without new commits"));
            }
        }
        action => return Ok(super::other_action("merge_request", action)),
    }
    let name = RunName {
        domain: "amiss/controller-gitlab-merge-request-v1",
        namespace: None,
    };
    let facts = event
        .work(route)?
        .facts(route, integration.clone(), &name, "mr:")?;
    Ok(Provided::Work(Box::new(facts)))
}

impl Event<'_> {
    fn work(&self, route: &Route) -> Result<Work, IngressError> {
        let merge: Attributes = member("object_attributes", self.object_attributes)?;
        let target: Project = member("project", self.project)?;
        if merge.target_project_id != target.id {
            return Err(wrong(
                "`object_attributes.target_project_id` is not `project.id`",
            ));
        }
        let repository = project(route, &target.path_with_namespace)?;
        if let Some(other) = &merge.target
            && project(route, &other.path_with_namespace)? != repository
        {
            return Err(wrong(
                "`object_attributes.target` and `project` have different paths",
            ));
        }
        let candidate = object_id("object_attributes.last_commit.id", &merge.last_commit.id)?;
        if let Some(old) = &merge.oldrev {
            object_id("object_attributes.oldrev", old)?;
        }
        let source = branch("object_attributes.source_branch", &merge.source_branch)?;
        let into = branch("object_attributes.target_branch", &merge.target_branch)?;
        check_target(route, &into)?;
        Ok(Work {
            repository,
            change: format!("project/{}/merge-request/{}", target.id, merge.iid),
            candidate,
            source,
            target: into,
        })
    }
}

fn project(route: &Route, path: &str) -> Result<Repository, IngressError> {
    let (owner, name) = split_project(path)?;
    Ok(Repository {
        host: route.host.clone(),
        owner,
        name,
    })
}
