//! From signed bytes to provider facts. Nothing here runs before the signature holds.

pub(super) mod form;
mod gitea;
mod github;
mod gitlab;
pub(super) mod oidc;
mod payload;
mod pull_request;

use serde::Serialize;

use super::error::IngressError;
use super::route::{Lane, Route};
use crate::delivery::text::{IntegrationId, Owner, RepositoryName};
use crate::delivery::{Change, ProviderRun};

/// Why an authentic event makes no work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Ignored {
    /// For a person.
    pub reason: String,
}

/// What a payload says.
pub(super) enum Provided {
    /// Work.
    Work(Box<Facts>),
    /// Nothing to do.
    Ignored(Ignored),
}

/// The provider's facts about the work.
pub(super) struct Facts {
    pub(super) integration: IntegrationId,
    pub(super) change: Change,
    pub(super) provider_run: ProviderRun,
}

/// Decodes what a webhook signed, by the route's scheme.
pub(super) fn decode(route: &Route, signed: &[u8]) -> Result<Provided, IngressError> {
    match &route.lane {
        Lane::Github { .. } => github::decode(route, signed),
        Lane::Gitea { integration, .. } => gitea::decode(route, integration, signed),
        Lane::GitlabWebhook { integration, .. } => gitlab::decode(route, integration, signed),
        // A token's claims come as a job; nothing else makes work on such a route.
        Lane::GitlabOidc { .. } => Err(payload::wrong("a token route decodes no payload")),
    }
}

fn ignored(reason: impl Into<String>) -> Provided {
    Provided::Ignored(Ignored {
        reason: reason.into(),
    })
}

/// An action that makes no work; the sender's word is shown short and escaped.
fn other_action(event: &str, action: Option<&str>) -> Provided {
    match action {
        Some(action) => {
            let action: String = action
                .chars()
                .take(40)
                .flat_map(char::escape_debug)
                .collect();
            ignored(format!("{event} action {action}"))
        }
        None => ignored(format!("a {event} event without an action")),
    }
}

/// Owner and name of a GitLab project path: groups, a slash, the project's own name.
pub(super) fn split_project(path: &str) -> Result<(Owner, RepositoryName), IngressError> {
    let lower = path.to_ascii_lowercase();
    let (owner, name) = lower
        .rsplit_once('/')
        .ok_or_else(|| payload::wrong("a project path has no group"))?;
    let illegal = |error| payload::wrong(format!("the project path: {error}"));
    Ok((
        Owner::new(owner).map_err(illegal)?,
        RepositoryName::new(name).map_err(illegal)?,
    ))
}
