//! GitLab's `merge_request` payload.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::super::error::IngressError;
use super::super::route::Route;
use super::payload::{Id, object, read, wrong};
use super::pull_request::{RunName, Work, branch, check_target, object_id};
use super::{Provided, ignored, split_project};
use crate::delivery::Repository;
use crate::delivery::text::IntegrationId;

#[derive(Deserialize)]
struct Kind {
    object_kind: Option<String>,
}

#[derive(Deserialize)]
struct Acted {
    object_attributes: Action,
}

#[derive(Deserialize)]
struct Action {
    action: Option<String>,
    oldrev: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Event {
    project: Project,
    object_attributes: Attributes,
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
    let text = object(body)?;
    if read::<Kind>(text)?.object_kind.as_deref() != Some("merge_request") {
        return Ok(ignored("not a merge_request event"));
    }
    let acted = read::<Acted>(text)?.object_attributes;
    match acted.action.as_deref() {
        Some("open" | "reopen") => {}
        Some("update") => {
            if acted.oldrev.is_none() {
                return Ok(ignored("merge_request update without new commits"));
            }
        }
        action => return Ok(super::other_action("merge_request", action)),
    }
    let event: Event = read(text)?;
    let name = RunName {
        domain: "amiss/controller-gitlab-merge-request-v1",
        namespace: None,
    };
    let facts = event
        .work(route)?
        .facts(route, integration.clone(), &name, "mr:")?;
    Ok(Provided::Work(Box::new(facts)))
}

impl Event {
    fn work(self, route: &Route) -> Result<Work, IngressError> {
        let merge = self.object_attributes;
        if merge.target_project_id != self.project.id {
            return Err(wrong(
                "`object_attributes.target_project_id` is not `project.id`",
            ));
        }
        let repository = project(route, &self.project.path_with_namespace)?;
        if let Some(target) = &merge.target
            && project(route, &target.path_with_namespace)? != repository
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
        let target = branch("object_attributes.target_branch", &merge.target_branch)?;
        check_target(route, &target)?;
        Ok(Work {
            repository,
            change: format!("project/{}/merge-request/{}", self.project.id, merge.iid),
            candidate,
            source,
            target,
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
