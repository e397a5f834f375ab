//! Shapes that no single type of the library has.

use amiss::code::Code;
use amiss::delivery::{Delivery, Lease, Outcome, RunFacts, Staged};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// The envelope: members of amiss are closed, every other member is the user's.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "it is read by the schema alone")]
pub struct EnvelopeShape {
    /// `amiss/envelope/v1`; taken as said where it is absent.
    #[schemars(extend("const" = "amiss/envelope/v1"))]
    schema: Option<String>,
    delivery: Option<Delivery>,
    lease: Option<Lease>,
    run: Option<RunFacts>,
    outcome: Option<Outcome>,
    recheck: Option<RunFacts>,
    staged: Option<Staged>,
    error: Option<Carried>,
}

/// The `error` member.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "it is read by the schema alone")]
pub struct Carried {
    /// The code; the exit status follows from it.
    code: CodeName,
    /// What failed, on what, and why.
    message: String,
    /// What to do, where that helps.
    hint: Option<String>,
    /// When trying again makes sense, in milliseconds since 1970.
    retry_at_unix_millis: Option<i64>,
}

/// A code by its name.
struct CodeName;

impl JsonSchema for CodeName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}
