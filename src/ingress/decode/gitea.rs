//! Gitea's and Forgejo's `pull_request` payload.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::super::error::IngressError;
use super::super::route::Route;
use super::payload::{member, object, read};
use super::pull_request::{Event, RunName};
use super::{Provided, ignored};
use crate::delivery::text::IntegrationId;

#[derive(Deserialize)]
struct Changes {
    #[serde(rename = "ref")]
    branch: Option<From>,
}

#[derive(Deserialize)]
struct From {
    from: Option<IgnoredAny>,
}

impl Changes {
    fn has_new_base(self) -> bool {
        self.branch.and_then(|branch| branch.from).is_some()
    }
}

pub(super) fn decode(
    route: &Route,
    integration: &IntegrationId,
    signed: &[u8],
) -> Result<Provided, IngressError> {
    let event: Event = read(object(signed)?)?;
    if let Some(other) = event.other_kind() {
        return Ok(other);
    }
    match event.action()?.as_deref() {
        Some("opened" | "reopened" | "synchronized") => {}
        Some("edited") => {
            let changes = event.changes.is_some();
            if !changes || !member::<Changes>("changes", event.changes)?.has_new_base() {
                return Ok(ignored("pull_request edited without a new base"));
            }
        }
        action => return Ok(super::other_action("pull_request", action)),
    }
    let name = RunName {
        domain: "amiss/controller-gitea-family-pull-request-v1",
        namespace: Some(route.provider.namespace.as_str()),
    };
    let facts = event.facts(route, integration.clone(), &name)?;
    Ok(Provided::Work(Box::new(facts)))
}
