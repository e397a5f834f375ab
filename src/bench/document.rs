//! The answer, `amiss/bench/v1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::compare::Ratio;
use super::options::Part;
use super::samples::{Samples, nanos};

/// The schema's name.
pub const SCHEMA: &str = "amiss/bench/v1";

/// The schema's name as a type: no other text is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Schema {
    /// The one there is.
    #[default]
    #[serde(rename = "amiss/bench/v1")]
    V1,
}

/// One measurement of one part on one disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// `amiss/bench/v1`.
    pub schema: Schema,
    /// The measurement.
    pub bench: Bench,
}

/// The measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bench {
    /// What was measured.
    pub part: Part,
    /// Which amiss, with its commit where it is known.
    pub version: String,
    /// When it began.
    pub started_unix_millis: u64,
    /// Where.
    pub machine: Machine,
    /// What the disk itself costs; not there for a part that keeps nothing on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medium: Option<Medium>,
    /// Whether this disk, or this machine where no disk is used, is good enough.
    pub verdict: Verdict,
    /// What each operation costs.
    pub figures: Vec<Figure>,
    /// What a reader must know before believing a figure.
    pub warnings: Vec<Warning>,
    /// The ratios to an earlier answer, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Vec<Ratio>>,
}

/// The machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The operating system.
    pub system: String,
    /// The processor's architecture.
    pub architecture: String,
    /// How many threads can run at once.
    pub cores: u64,
    /// The load average of the last minute when it began, where the system tells.
    pub load: Option<f64>,
}

/// What the disk itself costs, measured in the same folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Medium {
    /// The filesystem's name, where it is one that amiss knows.
    pub filesystem: Option<String>,
    /// Whether a sync seems to reach a medium.
    pub syncing: Syncing,
    /// Temporary file in the same folder, 1.5 KiB, file sync, rename, folder sync: the unit.
    pub replacement: Times,
    /// The same without its two syncs: what is left when syncs are free.
    pub replacement_without_syncs: Times,
    /// Write 4 KiB over a file and sync it.
    pub file_sync: Times,
    /// Rename a file and sync the folder.
    pub folder_sync: Times,
    /// Write 1 MiB over a file and sync it.
    pub large_sync: Times,
}

/// Whether a sync seems to reach a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Syncing {
    /// It takes as long as a medium needs.
    Plausible,
    /// It returns faster than any medium can.
    Doubtful,
    /// The folder is in memory: nothing in it survives.
    Memory,
}

/// Times in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// Half of the samples took at most this.
    pub median_nanos: u64,
    /// 95 of 100 took at most this.
    pub p95_nanos: u64,
    /// All of them, in order.
    pub samples_nanos: Vec<u64>,
}

impl Times {
    /// The samples behind the figures.
    #[must_use]
    pub fn samples(&self) -> Samples {
        Samples::from_nanos(&self.samples_nanos)
    }
}

impl From<&Samples> for Times {
    fn from(samples: &Samples) -> Times {
        Times {
            median_nanos: nanos(samples.median()),
            p95_nanos: nanos(samples.percentile(95)),
            samples_nanos: samples.nanos(),
        }
    }
}

/// What one operation costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The operation.
    pub operation: String,
    /// The entries that were there already; null where that has no meaning.
    pub rows: Option<u64>,
    /// Half of the samples took at most this.
    pub median_nanos: u64,
    /// 95 of 100 took at most this.
    pub p95_nanos: u64,
    /// All of them, in order.
    pub samples_nanos: Vec<u64>,
    /// How many syncs one operation makes; null where it was not counted.
    pub syncs: Option<u64>,
    /// The median in medians of the replacements measured beside it; null for what has none.
    pub of_a_replacement: Option<f64>,
    /// The median in medians of the plain HMAC over the same body, with the start of a process
    /// where the figure has one; not there for what does not authenticate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_plain_hmac: Option<f64>,
    /// The median in medians of the same on an empty root, measured beside it; not there for what
    /// was not compared with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_an_empty_root: Option<f64>,
    /// How many a second, for what is judged by its rate.
    pub per_second: Option<f64>,
    /// What it may cost; null for what has no bound of its own.
    pub bound: Option<Bound>,
}

/// What an operation may cost (page 6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// Syncs at most.
    pub syncs: Option<u64>,
    /// Replacements at most.
    pub of_a_replacement: Option<f64>,
    /// Plain HMACs, with the start of a process, at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_plain_hmac: Option<f64>,
    /// Times an empty root's median, at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_an_empty_root: Option<f64>,
    /// A median of nanoseconds at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_nanos: Option<u64>,
    /// A second at least.
    pub per_second: Option<f64>,
    /// A second at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most_per_second: Option<f64>,
    /// Whether this measurement is within all of them.
    pub held: bool,
}

impl Figure {
    /// Whether it is within its bound; what has none is.
    #[must_use]
    pub fn within(&self) -> bool {
        self.bound.is_none_or(|bound| bound.held)
    }
}

/// Whether this disk, or this machine where no disk is used, is good enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The answer.
    pub good_enough: bool,
    /// Why, for a person.
    pub reasons: Vec<String>,
}

/// What a reader must know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Warning {
    /// A stable word.
    pub what: String,
    /// For a person.
    pub message: String,
}
