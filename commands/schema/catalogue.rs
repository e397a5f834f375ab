//! Every schema by name.

use amiss::delivery::{CheckBinding, Delivery, Lease, Outcome, RunFacts, Staged};
use amiss::plan::Plan;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::shapes::{Carried, EnvelopeShape};

/// One schema.
pub struct Entry {
    /// What `amiss schema` calls it, and its file.
    pub name: &'static str,
    /// What it describes, in one line.
    about: &'static str,
    make: fn() -> Schema,
}

impl Entry {
    /// The schema, of draft 2020-12.
    pub fn schema(&self) -> Value {
        let mut schema = (self.make)();
        schema.insert("title".into(), format!("amiss {}", self.name).into());
        schema.insert("description".into(), self.about.into());
        schema.to_value()
    }
}

fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>()
}

const fn entry<T: JsonSchema>(name: &'static str, about: &'static str) -> Entry {
    Entry {
        name,
        about,
        make: of::<T>,
    }
}

/// All of them, in the order of the flow.
pub const CATALOGUE: &[Entry] = &[
    entry::<EnvelopeShape>("envelope", "The object that flows through the commands."),
    entry::<Carried>("error", "Envelope member `error`: a refusal or failure."),
    entry::<Delivery>(
        "delivery",
        "Envelope member `delivery`: what ingress-verify accepted.",
    ),
    entry::<Lease>(
        "lease",
        "Envelope member `lease`: temporary permission to evaluate.",
    ),
    entry::<RunFacts>(
        "run",
        "Envelope members `run` and `recheck`: what exactly is judged.",
    ),
    entry::<Outcome>("outcome", "Envelope member `outcome`: how the run ended."),
    entry::<Staged>("staged", "Envelope member `staged`: the frozen verdict."),
    entry::<CheckBinding>(
        "check",
        "The file of `--check`: the check binding of a row.",
    ),
    entry::<Plan>(
        "plan",
        "The file of `--plan`: what judges, and under which limits.",
    ),
];
