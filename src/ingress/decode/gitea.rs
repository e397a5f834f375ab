//! Gitea's and Forgejo's `pull_request` payload.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::super::error::IngressError;
use super::super::route::Route;
use super::payload::{object, read};
use super::pull_request::{Action, Event, Kind, RunName, event_kind};
use super::{Provided, ignored};
use crate::delivery::text::IntegrationId;

#[derive(Deserialize)]
struct Edited {
    changes: Option<Changes>,
}

#[derive(Deserialize)]
struct Changes {
    #[serde(rename = "ref")]
    branch: Option<From>,
}

#[derive(Deserialize)]
struct From {
    from: Option<IgnoredAny>,
}

pub(super) fn decode(
    route: &Route,
    integration: &IntegrationId,
    signed: &[u8],
) -> Result<Provided, IngressError> {
    let text = object(signed)?;
    if let Some(other) = event_kind(&read::<Kind>(text)?) {
        return Ok(other);
    }
    match read::<Action>(text)?.action.as_deref() {
        Some("opened" | "reopened" | "synchronized") => {}
        Some("edited") => {
            let changes = read::<Edited>(text)?.changes;
            let branch = changes.and_then(|changes| changes.branch);
            if branch.and_then(|branch| branch.from).is_none() {
                return Ok(ignored("pull_request edited without a new base"));
            }
        }
        action => return Ok(super::other_action("pull_request", action)),
    }
    let name = RunName {
        domain: "amiss/controller-gitea-family-pull-request-v1",
        namespace: Some(route.provider.namespace.as_str()),
    };
    let facts = read::<Event>(text)?.facts(route, integration.clone(), &name)?;
    Ok(Provided::Work(Box::new(facts)))
}
