//! Every schema by name.

use amiss::delivery::{CheckBinding, Delivery, Lease, Outcome, RunFacts, Staged};
use amiss::ingress::keyring::KeyringFile;
use amiss::ingress::route::RouteFile;
use amiss::ledger::file::schema::{capacity_frame, root_frame, row_frame};
use amiss::outbox::{
    DueEntry, EnabledMarker, EndedPin, Intent, ObjectSyncReceipt, OriginDelivery, PushMember,
    StatusReport, TargetLedger, WorkerIdentity,
};
use amiss::plan::Plan;
use amiss::run::publish::Published;
use amiss::run::request::{Constraint, Controls, Evaluation, Snapshot};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::shapes::{
    Carried, DoctorShape, EnvelopeShape, OnceShape, RequestShape, SealKeyShape, WakeShape,
};
use crate::{explain, ledger, man, outbox, run_bootstrap};

/// One schema.
pub struct Entry {
    /// What `amiss schema` calls it, and its file.
    pub name: &'static str,
    /// What it describes, in one line.
    about: &'static str,
    make: fn(SchemaGenerator) -> Schema,
    side: Side,
}

/// Who writes the text that a schema describes.
#[derive(Clone, Copy)]
enum Side {
    /// Somebody else; amiss reads it.
    Read,
    /// amiss.
    Written,
}

impl Entry {
    /// The schema, of draft 2020-12.
    pub fn schema(&self) -> Value {
        let settings = SchemaSettings::draft2020_12();
        let settings = match self.side {
            Side::Read => settings,
            Side::Written => settings.for_serialize(),
        };
        let mut schema = (self.make)(settings.into_generator());
        schema.insert("title".into(), format!("amiss {}", self.name).into());
        schema.insert("description".into(), self.about.into());
        schema.to_value()
    }
}

fn of<T: JsonSchema>(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<T>()
}

const fn read<T: JsonSchema>(name: &'static str, about: &'static str) -> Entry {
    Entry {
        name,
        about,
        make: of::<T>,
        side: Side::Read,
    }
}

const fn written<T: JsonSchema>(name: &'static str, about: &'static str) -> Entry {
    Entry {
        name,
        about,
        make: of::<T>,
        side: Side::Written,
    }
}

const fn frame(
    name: &'static str,
    about: &'static str,
    make: fn(SchemaGenerator) -> Schema,
) -> Entry {
    Entry {
        name,
        about,
        make,
        side: Side::Written,
    }
}

/// All of them: what flows, what the operator writes, what commands answer, what lies on the disk.
pub const CATALOGUE: &[Entry] = &[
    read::<EnvelopeShape>("envelope", "The object that flows through the commands."),
    read::<RequestShape>(
        "request",
        "Standard input of ingress-verify: one raw request.",
    ),
    read::<Delivery>(
        "delivery",
        "Envelope member `delivery`: what ingress-verify accepted.",
    ),
    read::<Lease>(
        "lease",
        "Envelope member `lease`: temporary permission to evaluate.",
    ),
    read::<RunFacts>(
        "run",
        "Envelope members `run` and `recheck`: what exactly is judged.",
    ),
    read::<Outcome>("outcome", "Envelope member `outcome`: how the run ended."),
    read::<Staged>("staged", "Envelope member `staged`: the frozen verdict."),
    read::<Published>(
        "published",
        "Envelope member `published`: what the publishing program answered.",
    ),
    read::<PushMember>(
        "push",
        "Envelope member `push`: what `outbox enqueue` is to push.",
    ),
    written::<OriginDelivery>("origin-delivery", "A push as the outbox commands show it."),
    read::<Carried>("error", "Envelope member `error`: a refusal or failure."),
    read::<RouteFile>(
        "route",
        "The file of `--route`: how requests of one hook are authenticated.",
    ),
    read::<KeyringFile>(
        "keyring",
        "The file that a route's `keyring` names: one to eight HMAC keys.",
    ),
    read::<Plan>(
        "plan",
        "The file of `--plan`: what judges, and under which limits.",
    ),
    read::<CheckBinding>(
        "check",
        "The file of `--check`: the check binding of a row.",
    ),
    written::<Constraint>(
        "constraint",
        "`constraint.json`, which a bootstrap reads: what fixes the execution.",
    ),
    written::<Evaluation>(
        "evaluation",
        "`evaluation.json`, which a bootstrap reads: which evaluation this is.",
    ),
    written::<Snapshot>(
        "snapshot",
        "`snapshot.json`, which a bootstrap reads: what is judged.",
    ),
    written::<Controls>(
        "controls",
        "`controls.json`, which a bootstrap reads: its own business and its templates.",
    ),
    written::<ledger::init::Printed>("ledger-init", "What `amiss ledger init` prints."),
    written::<ledger::cleanup::Printed>("ledger-cleanup", "What `amiss ledger cleanup` prints."),
    written::<ledger::show::Printed>("ledger-show", "What `amiss ledger show` prints."),
    written::<ledger::list::Line<'static>>("ledger-list", "A line of `amiss ledger list`."),
    written::<ledger::check::Printed>("ledger-check", "What `amiss ledger check` prints."),
    written::<ledger::stats::Printed>("ledger-stats", "What `amiss ledger stats` prints."),
    written::<ledger::resize::Printed>("ledger-resize", "What `amiss ledger resize` prints."),
    written::<ledger::retune::Printed>("ledger-retune", "What `amiss ledger retune` prints."),
    written::<ledger::quarantine::Printed>(
        "ledger-quarantine",
        "What `amiss ledger quarantine` prints.",
    ),
    written::<ledger::abandon::Printed>("ledger-abandon", "What `amiss ledger abandon` prints."),
    written::<outbox::baseline::Done>("outbox-baseline", "What `amiss outbox baseline` prints."),
    written::<OnceShape>("outbox-once", "What `amiss outbox once` prints."),
    written::<WakeShape>("outbox-wake", "What `amiss outbox wake` prints."),
    written::<StatusReport>("outbox-status", "What `amiss outbox status` prints."),
    written::<outbox::retry::Retried>("outbox-retry", "What `amiss outbox retry` prints."),
    written::<outbox::close::Closed>("outbox-close", "What `amiss outbox close` prints."),
    written::<outbox::gc::Collected>("outbox-gc", "What `amiss outbox gc` prints."),
    written::<DoctorShape>("outbox-doctor", "What `amiss outbox doctor` prints."),
    written::<outbox::enable::Marked>(
        "outbox-mark",
        "What `amiss outbox enable` and `disable` print.",
    ),
    written::<outbox::write_agent::Written>(
        "outbox-agent",
        "What `amiss outbox write-agent` prints.",
    ),
    written::<amiss::outbox::watch::Event>("outbox-event", "A line of `amiss outbox watch`."),
    written::<amiss::bench::Document>("bench", "What `amiss bench` prints."),
    written::<SealKeyShape>("seal-key", "What `amiss seal-key` prints."),
    written::<run_bootstrap::doctor::Answer>(
        "run-doctor",
        "What `amiss run-bootstrap --doctor` prints.",
    ),
    written::<explain::Answer>("explain", "A line of `amiss explain`."),
    written::<man::Answer<'static>>("man", "What `amiss man` prints."),
    written::<super::Answer<'static>>("schema", "What `amiss schema --directory` prints."),
    frame(
        "root-frame",
        "The payload of `.amiss-root.state`.",
        root_frame,
    ),
    frame(
        "capacity-frame",
        "The payload of `.amiss-capacity.state`.",
        capacity_frame,
    ),
    frame("row-frame", "The payload of a row, `KEY.state`.", row_frame),
    written::<Intent>("outbox-intent", "An intent, `TURN.json`."),
    written::<EndedPin>(
        "outbox-ended",
        "`TURN.ended`: what `outbox gc` leaves of a delivered intent while its pin stays.",
    ),
    written::<DueEntry>("outbox-due", "A due entry of the outbox."),
    written::<TargetLedger>("outbox-target", "The ledger of one origin and branch."),
    written::<WorkerIdentity>("outbox-worker", "`outbox-worker.json`: who watches."),
    written::<EnabledMarker>(
        "outbox-enabled",
        "`outbox-enabled.json`: a watcher is wanted after a reboot.",
    ),
    written::<ObjectSyncReceipt>(
        "object-sync",
        "`mw-object-sync.json`: packs known to be on the disk.",
    ),
];
