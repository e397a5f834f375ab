//! `amiss bench`: what each operation costs on this disk, in syncs and in minimal replacements
//! (page 6.2).
//!
//! A time alone means nothing on a shared machine. Every sample therefore has a neighbour: one
//! minimal replacement of a small file in the same folder, measured immediately before it, and the
//! ratio of the two medians is what a bound is compared with.

mod compare;
mod document;
mod error;
mod figure;
mod flow;
mod fresh;
mod ingress;
mod ledger;
mod medium;
mod operation;
mod options;
mod outbox;
mod place;
mod requests;
mod run;
mod samples;
pub mod scene;
pub mod seed;
mod throughput;

pub use compare::{Ratio, compare};
pub use document::{
    Bench, Bound, Document, Figure, Machine, Medium, SCHEMA, Schema, Syncing, Times, Verdict,
    Warning,
};
pub use error::BenchError;
pub use medium::minimal_replacement;
pub use options::{MAX_ROWS, MAX_SAMPLES, Options, Part, Settings};
pub use run::run;
pub use samples::Samples;

/// Whoever shows a person how far it is.
pub trait Watch {
    /// `done` of `total` steps of `what` are done.
    ///
    /// # Errors
    /// What is to end the measurement, [`BenchError::Interrupted`] as a rule; everything that it
    /// made goes with it.
    fn progress(&mut self, what: &str, done: u64, total: u64) -> Result<(), BenchError>;
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn progress(&mut self, _what: &str, _done: u64, _total: u64) -> Result<(), BenchError> {
        Ok(())
    }
}
