//! The hint that a policy job sends beside its token. It is believed only because the token's
//! claims hold already.

use serde::Deserialize;

use super::super::error::IngressError;
use super::super::proof::Job;
use super::super::route::Route;
use super::payload::{Id, object, read, wrong};
use super::{Facts, split_project};
use crate::delivery::identity::Attempt;
use crate::delivery::text::{ChangeId, IntegrationId, RunId};
use crate::delivery::{Change, ProviderRun, Repository};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hint {
    merge_request_iid: Id,
}

pub(in super::super) fn decode(
    route: &Route,
    integration: &IntegrationId,
    job: &Job,
    body: &[u8],
) -> Result<Facts, IngressError> {
    let hint: Hint = read(object(body)?)?;
    let (owner, name) = split_project(&job.path)?;
    let unfit = |error: crate::delivery::text::TextError| wrong(error.to_string());
    let change = format!(
        "project/{}/merge-request/{}",
        job.project, hint.merge_request_iid
    );
    let run = format!("pipeline/{}/job/{}", job.pipeline, job.id);
    Ok(Facts {
        integration: integration.clone(),
        change: Change {
            provider: route.provider.clone(),
            repository: Repository {
                host: route.host.clone(),
                owner,
                name,
            },
            change: ChangeId::new(change).map_err(unfit)?,
        },
        provider_run: ProviderRun {
            run_id: RunId::new(run).map_err(unfit)?,
            attempt: Attempt::FIRST,
            object_format: job.candidate.format(),
            candidate_commit: job.candidate.clone(),
        },
    })
}
