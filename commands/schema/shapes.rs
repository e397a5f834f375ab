//! Shapes that no single type of the library has.

use amiss::clock::UnixMillis;
use amiss::code::Code;
use amiss::delivery::{Delivery, Lease, Outcome, RunFacts, Staged};
use amiss::ingress::Ignored;
use amiss::ingress::explain::Explanation;
use amiss::outbox::wake::Woken;
use amiss::outbox::{Cycle, OriginDelivery, PushMember};
use amiss::run::publish::Published;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::ledger::claim::ClaimMember;
use crate::ledger::complete::CompletionMember;
use crate::ledger::renew::RenewalMember;
use crate::outbox::doctor::Examined;
use crate::seal_key::Made;

/// The envelope: members of amiss are closed, every other member is the user's.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "it is read by the schema alone")]
pub struct EnvelopeShape {
    /// `amiss/envelope/v1`; taken as said where it is absent.
    #[schemars(extend("const" = "amiss/envelope/v1"))]
    schema: Option<String>,
    ignored: Option<Ignored>,
    delivery: Option<Delivery>,
    claim: Option<ClaimMember>,
    lease: Option<Lease>,
    renewal: Option<RenewalMember>,
    run: Option<RunFacts>,
    outcome: Option<Outcome>,
    recheck: Option<RunFacts>,
    staged: Option<Staged>,
    published: Option<Published>,
    completion: Option<CompletionMember<'static>>,
    push: Option<PushMember>,
    origin_delivery: Option<OriginDelivery>,
    explain: Option<Explanation>,
    error: Option<Carried>,
}

/// What `seal-key` prints.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "it is read by the schema alone")]
pub struct SealKeyShape {
    #[schemars(extend("const" = "amiss/envelope/v1"))]
    schema: String,
    seal_key: Made<'static>,
}

/// What `outbox once` prints. With `error` when the status is not 0; the cycle ran all the same.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "it is read by the schema alone")]
pub struct OnceShape {
    pump: Cycle,
    /// Everything that was due, as it then stands.
    deliveries: Vec<OriginDelivery>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Carried>,
}

/// What `outbox wake` prints.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "it is read by the schema alone")]
pub struct WakeShape {
    wake: Woken,
}

/// What `outbox doctor` prints. With `error` when a finding needs a person.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "it is read by the schema alone")]
pub struct DoctorShape {
    doctor: Examined<'static>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Carried>,
}

/// The `error` member.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "it is read by the schema alone")]
pub struct Carried {
    /// The code; the exit status follows from it.
    code: Code,
    /// What failed, on what, and why.
    message: String,
    /// What to do, where that helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// When trying again makes sense, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at_unix_millis: Option<UnixMillis>,
}

/// One raw request: the headers as ordered pairs or as an object, and the body in one of three
/// ways.
pub struct RequestShape;

impl JsonSchema for RequestShape {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Request".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let text = json_schema!({ "type": "string" });
        json_schema!({
            "type": "object",
            "properties": {
                "received_at_unix_millis": { "type": "integer", "minimum": 0 },
                "headers": { "anyOf": [
                    { "type": "array", "items": {
                        "type": "array", "prefixItems": [text, text], "minItems": 2, "maxItems": 2
                    } },
                    { "type": "object", "additionalProperties": { "anyOf": [
                        text, { "type": "array", "items": text }
                    ] } }
                ] },
                "body": { "type": "string", "description": "The body as text." },
                "body_base64": { "type": "string", "description": "The body's bytes, canonical base64." },
                "body_path": { "type": "string", "description": "A file that holds the body." }
            },
            "required": ["headers"],
            "oneOf": [
                { "required": ["body"] },
                { "required": ["body_base64"] },
                { "required": ["body_path"] }
            ],
            "additionalProperties": false
        })
    }
}
