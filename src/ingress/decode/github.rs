//! GitHub's `pull_request` payload.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::super::error::IngressError;
use super::super::route::Route;
use super::payload::{Id, object, read, wrong};
use super::pull_request::{Action, Event, Kind, RunName, event_kind};
use super::{Provided, form, ignored};
use crate::delivery::text::IntegrationId;

#[derive(Deserialize)]
struct Installed {
    installation: Option<Installation>,
}

#[derive(Deserialize)]
struct Installation {
    id: Id,
}

#[derive(Deserialize)]
struct Edited {
    changes: Option<Changes>,
}

#[derive(Deserialize)]
struct Changes {
    base: Option<BaseChange>,
}

#[derive(Deserialize)]
struct BaseChange {
    #[serde(rename = "ref")]
    branch: Option<From>,
}

#[derive(Deserialize)]
struct From {
    from: Option<IgnoredAny>,
}

impl Edited {
    fn has_new_base(self) -> bool {
        self.changes
            .and_then(|changes| changes.base)
            .and_then(|base| base.branch)
            .and_then(|branch| branch.from)
            .is_some()
    }
}

pub(super) fn decode(route: &Route, body: &[u8]) -> Result<Provided, IngressError> {
    if form::is_form(body) {
        let payload = form::payload(body)
            .ok_or_else(|| wrong("the body is no form with the single field `payload`"))?;
        return decode_json(route, &payload);
    }
    decode_json(route, body)
}

fn decode_json(route: &Route, json: &[u8]) -> Result<Provided, IngressError> {
    let text = object(json)?;
    if let Some(other) = event_kind(&read::<Kind>(text)?) {
        return Ok(other);
    }
    match read::<Action>(text)?.action.as_deref() {
        Some("opened" | "reopened" | "synchronize") => {}
        Some("edited") => {
            if !read::<Edited>(text)?.has_new_base() {
                return Ok(ignored("pull_request edited without a new base"));
            }
        }
        action => return Ok(super::other_action("pull_request", action)),
    }
    let installation = read::<Installed>(text)?
        .installation
        .ok_or_else(|| wrong("`installation` is missing: the hook must be a GitHub App's"))?;
    let integration = IntegrationId::new(installation.id.to_string())
        .map_err(|error| wrong(error.to_string()))?;
    let name = RunName {
        domain: "amiss/controller-github-pull-request-v1",
        namespace: None,
    };
    let event: Event = read(text)?;
    let facts = event.facts(route, integration, &name)?;
    Ok(Provided::Work(Box::new(facts)))
}
