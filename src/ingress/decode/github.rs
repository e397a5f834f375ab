//! GitHub's `pull_request` payload.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::super::error::IngressError;
use super::super::route::Route;
use super::payload::{Id, member, object, read, wrong};
use super::pull_request::{Event, RunName};
use super::{Provided, form, ignored};
use crate::delivery::text::IntegrationId;

#[derive(Deserialize)]
struct Installation {
    id: Id,
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

impl Changes {
    fn has_new_base(self) -> bool {
        self.base
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
    let event: Event = read(object(json)?)?;
    if let Some(other) = event.other_kind() {
        return Ok(other);
    }
    match event.action()?.as_deref() {
        Some("opened" | "reopened" | "synchronize") => {}
        Some("edited") => {
            let changes = event.changes.is_some();
            if !changes || !member::<Changes>("changes", event.changes)?.has_new_base() {
                return Ok(ignored("pull_request edited without a new base"));
            }
        }
        action => return Ok(super::other_action("pull_request", action)),
    }
    if event.installation.is_none() {
        return Err(wrong(
            "`installation` is missing: the hook must be a GitHub App's",
        ));
    }
    let installation: Installation = member("installation", event.installation)?;
    let integration = IntegrationId::new(installation.id.to_string())
        .map_err(|error| wrong(error.to_string()))?;
    let name = RunName {
        domain: "amiss/controller-github-pull-request-v1",
        namespace: None,
    };
    let facts = event.facts(route, integration, &name)?;
    Ok(Provided::Work(Box::new(facts)))
}
