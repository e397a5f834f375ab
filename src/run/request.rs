//! The request files of a bootstrap (page 4.3, point 3). Their schemas are public; they are written
//! as RFC 8785 canonical JSON.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::semantic::Bound;
use crate::clock::UnixMillis;
use crate::delivery::digest::Digest;
use crate::delivery::lease::Counter;
use crate::delivery::outcome::MAX_REPORT_BYTES;
use crate::delivery::run::ObjectPair;
use crate::delivery::text::{EvaluationId, StatusName};
use crate::delivery::{
    AcceptedDelivery, Change, DeliveryKey, Lease, ObjectFormat, ObjectId, ProviderRun, Refs,
    RunFacts,
};
use crate::plan::{Execution, Plan};

/// `constraint.json`: what fixes the execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// `amiss/constraint/v1`.
    pub schema: String,
    /// The plan's digest.
    pub plan_digest: Digest,
    /// The digest of its `execution`.
    pub execution_constraint_digest: Digest,
    /// The status that the gate requires.
    pub required_status_name: StatusName,
    /// The plan's `execution`.
    pub execution: Execution,
    /// The format of the action's object ids.
    pub action_object_format: ObjectFormat,
    /// The largest report, in bytes.
    pub max_report_bytes: u64,
    /// The longest result record, in bytes.
    pub max_result_bytes: u64,
}

/// `evaluation.json`: which evaluation this is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evaluation {
    /// `amiss/evaluation-request/v1`.
    pub schema: String,
    /// The evaluation.
    pub evaluation_id: EvaluationId,
    /// The fence of the lease that it runs under.
    pub fence: Counter,
    /// The key of the delivery's row.
    pub delivery_key: DeliveryKey,
    /// The provider's run.
    pub provider_run: ProviderRun,
    /// The trusted time of the request.
    pub requested_at_unix_millis: UnixMillis,
}

/// `snapshot.json`: what is judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// `amiss/snapshot-request/v1`.
    pub schema: String,
    /// The change.
    pub change: Change,
    /// Its refs.
    pub refs: Refs,
    /// The format of all object ids here.
    pub object_format: ObjectFormat,
    /// The commits.
    pub commits: ObjectPair,
    /// Their trees.
    pub trees: ObjectPair,
    /// The revision that publication is bound to.
    pub gate_commit: ObjectId,
}

/// `controls.json`: the bootstrap's own business, and the templates that were acquired for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Controls {
    /// `amiss/controls-request/v1`.
    pub schema: String,
    /// The plan's `controls`, as they are.
    pub controls: serde_json::Map<String, serde_json::Value>,
    /// The templates, in the plan's order.
    pub semantic: Vec<Bound>,
}

impl Constraint {
    /// Of a plan and the lease that was claimed with it.
    #[must_use]
    pub fn of(plan: &Plan, lease: &Lease) -> Constraint {
        Constraint {
            schema: "amiss/constraint/v1".into(),
            plan_digest: lease.check.plan_digest.clone(),
            execution_constraint_digest: lease.check.execution_constraint_digest.clone(),
            required_status_name: lease.check.required_status_name.clone(),
            execution: plan.execution.clone(),
            action_object_format: plan.execution.action.commit.format(),
            max_report_bytes: MAX_REPORT_BYTES,
            max_result_bytes: u64::try_from(super::record::MAX_RECORD_BYTES).unwrap_or_default(),
        }
    }
}

impl Evaluation {
    /// Of a delivery under its lease.
    #[must_use]
    pub fn of(delivery: &AcceptedDelivery, lease: &Lease, now: UnixMillis) -> Evaluation {
        Evaluation {
            schema: "amiss/evaluation-request/v1".into(),
            evaluation_id: lease.evaluation_id.clone(),
            fence: lease.fence,
            delivery_key: delivery.key().clone(),
            provider_run: delivery.binding().provider_run.clone(),
            requested_at_unix_millis: now,
        }
    }
}

impl Snapshot {
    /// Of a delivery's refreshed run.
    #[must_use]
    pub fn of(delivery: &AcceptedDelivery, run: &RunFacts) -> Snapshot {
        Snapshot {
            schema: "amiss/snapshot-request/v1".into(),
            change: delivery.binding().change.clone(),
            refs: run.refs.clone(),
            object_format: delivery.binding().provider_run.object_format,
            commits: run.commits.clone(),
            trees: run.trees.clone(),
            gate_commit: run.gate_commit.clone(),
        }
    }
}

impl Controls {
    /// Of a plan and its bound templates.
    #[must_use]
    pub fn of(plan: &Plan, semantic: Vec<Bound>) -> Controls {
        Controls {
            schema: "amiss/controls-request/v1".into(),
            controls: plan.controls.clone(),
            semantic,
        }
    }
}
