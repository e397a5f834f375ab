//! What every command on a root takes: where it is, what is expected of it, and the clock.

use std::sync::Arc;
use std::time::Duration;

use amiss::clock::Clock;
use amiss::ledger::file::{Expected, FileLedger, Options, Root};
use clap::Args;

use crate::args::{RootArgs, TimeArgs, duration};
use crate::failure::Failure;
use crate::progress::progress;
use crate::stream::note;

/// Limits that the root must have.
#[derive(Debug, Clone, Args)]
#[allow(clippy::struct_field_names, reason = "they are named as the flags are")]
pub struct ExpectArgs {
    /// Fail where the root's lease is another, in milliseconds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub expect_lease_ms: Option<i64>,
    /// Fail where the root's cap is another
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub expect_max_records: Option<u64>,
    /// Fail where the root's largest signed age is another, in milliseconds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub expect_max_signed_age_ms: Option<i64>,
    /// Fail where the root's longest queue time is another, in milliseconds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub expect_max_queue_age_ms: Option<i64>,
}

impl ExpectArgs {
    /// No expectation.
    pub const fn none() -> ExpectArgs {
        ExpectArgs {
            expect_lease_ms: None,
            expect_max_records: None,
            expect_max_signed_age_ms: None,
            expect_max_queue_age_ms: None,
        }
    }
}

/// How far the clock may be ahead of the root.
#[derive(Debug, Clone, Args)]
pub struct ClockArgs {
    #[command(flatten)]
    pub time: TimeArgs,
    /// Refuse a clock that is further ahead of the root's last known time
    #[arg(long, value_name = "TIME", default_value = "720h", value_parser = duration)]
    pub max_clock_step: Duration,
}

/// A prepared root that time matters to.
#[derive(Debug, Clone, Args)]
pub struct LedgerArgs {
    #[command(flatten)]
    pub root: RootArgs,
    #[command(flatten)]
    pub expect: ExpectArgs,
    #[command(flatten)]
    pub clock: ClockArgs,
}

impl LedgerArgs {
    /// Opens the root; nothing in it is read yet.
    pub fn open(&self) -> Result<FileLedger<Box<dyn Clock>>, Failure> {
        let root = open_root(&self.root, &self.expect, Some(&self.clock))?;
        Ok(FileLedger::new(root, self.clock.time.clock()))
    }
}

/// Opens a root as these arguments say.
pub fn open_root(
    root: &RootArgs,
    expect: &ExpectArgs,
    clock: Option<&ClockArgs>,
) -> Result<Root, Failure> {
    let mut options = Options {
        lock_timeout: root.lock_timeout,
        expect: Expected {
            lease_millis: expect.expect_lease_ms,
            max_records: expect.expect_max_records,
            max_signed_age_millis: expect.expect_max_signed_age_ms,
            max_queue_age_millis: expect.expect_max_queue_age_ms,
        },
        on_progress: progress(),
        on_long_wait: Arc::new(|path| note(&format!("amiss: waiting for {}", path.display()))),
        ..Options::default()
    };
    if let Some(clock) = clock {
        options.max_clock_step_millis =
            i64::try_from(clock.max_clock_step.as_millis()).unwrap_or(i64::MAX);
    }
    Ok(Root::open(&root.root, options)?)
}
