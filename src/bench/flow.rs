//! One delivery through the record in this process, every answer checked.

use std::cell::Cell;
use std::path::Path;
use std::time::Instant;

use super::error::BenchError;
use super::medium::minimal_replacement;
use super::operation::{Measured, Operation};
use super::scene::{self, Lifetime};
use super::seed::LEASE_MILLIS;
use crate::clock::{Clock, ClockError, UnixMillis};
use crate::code::{Code, Coded};
use crate::delivery::digest::Sha256Hex;
use crate::delivery::{AcceptedDelivery, CheckBinding, Lease};
use crate::durable::{Step, Trace};
use crate::ledger::file::{FileLedger, LedgerError};
use crate::ledger::{
    Claim, Completion, DeliveryLedger, Renewal, ReportFacts, ReportInput, Saved, StageOutcome,
};

/// A clock that stands until it is moved.
#[derive(Debug)]
pub(super) struct HandClock(Cell<i64>);

impl HandClock {
    pub(super) const fn at(millis: i64) -> HandClock {
        HandClock(Cell::new(millis))
    }

    fn forward(&self, millis: i64) {
        self.0.set(self.0.get().saturating_add(millis));
    }
}

impl Clock for HandClock {
    fn now(&self) -> Result<UnixMillis, ClockError> {
        UnixMillis::new(self.0.get())
    }
}

/// What is done around every operation.
pub(super) trait Meter {
    fn run<T>(
        &mut self,
        operation: Operation,
        call: impl FnOnce() -> Result<T, LedgerError>,
    ) -> Result<Result<T, LedgerError>, BenchError>;
}

/// Times every operation, with a replacement before it.
pub(super) struct Stopwatch<'a> {
    /// Where the replacement is: the root itself, since a large folder costs more than a small one.
    pub folder: &'a Path,
    pub measured: &'a mut Vec<Measured>,
}

impl Meter for Stopwatch<'_> {
    fn run<T>(
        &mut self,
        operation: Operation,
        call: impl FnOnce() -> Result<T, LedgerError>,
    ) -> Result<Result<T, LedgerError>, BenchError> {
        let unit = minimal_replacement(self.folder)?;
        let started = Instant::now();
        let answer = call();
        let time = started.elapsed();
        if let Some(line) = line(self.measured, operation) {
            line.units.push(unit);
            line.times.push(time);
        }
        Ok(answer)
    }
}

/// Counts the syncs of every operation.
pub(super) struct SyncCounter<'a> {
    pub trace: Trace,
    pub measured: &'a mut Vec<Measured>,
}

impl Meter for SyncCounter<'_> {
    fn run<T>(
        &mut self,
        operation: Operation,
        call: impl FnOnce() -> Result<T, LedgerError>,
    ) -> Result<Result<T, LedgerError>, BenchError> {
        drop(self.trace.take());
        let answer = call();
        let count = self
            .trace
            .take()
            .iter()
            .filter(|step| matches!(step, Step::SyncFile(_) | Step::SyncDir(_)))
            .count();
        if let Some(line) = line(self.measured, operation) {
            line.syncs = line.syncs.max(u64::try_from(count).ok());
        }
        Ok(answer)
    }
}

/// Does nothing around an operation.
pub(super) struct Bare;

impl Meter for Bare {
    fn run<T>(
        &mut self,
        _operation: Operation,
        call: impl FnOnce() -> Result<T, LedgerError>,
    ) -> Result<Result<T, LedgerError>, BenchError> {
        Ok(call())
    }
}

fn line(measured: &mut [Measured], operation: Operation) -> Option<&mut Measured> {
    measured.iter_mut().find(|line| line.operation == operation)
}

/// A delivery on its way through the record.
pub(super) struct Flow<'a, C, M> {
    pub ledger: FileLedger<C>,
    pub meter: M,
    pub check: &'a CheckBinding,
}

impl<C: Clock, M: Meter> Flow<'_, C, M> {
    fn run<T>(
        &mut self,
        operation: Operation,
        call: impl FnOnce(&mut FileLedger<C>, &CheckBinding) -> Result<T, LedgerError>,
    ) -> Result<T, BenchError> {
        let (ledger, check) = (&mut self.ledger, self.check);
        self.meter
            .run(operation, || call(ledger, check))?
            .map_err(BenchError::measured(operation.name()))
    }

    fn claim(
        &mut self,
        operation: Operation,
        delivery: &AcceptedDelivery,
    ) -> Result<Claim, BenchError> {
        self.run(operation, |ledger, check| {
            ledger.claim(delivery, check, None)
        })
    }

    pub(super) fn claim_execute(
        &mut self,
        operation: Operation,
        delivery: &AcceptedDelivery,
    ) -> Result<Lease, BenchError> {
        match self.claim(operation, delivery)? {
            Claim::Execute(lease) => Ok(lease),
            other => Err(unexpected(operation, "execute", &other)),
        }
    }

    fn renew(&mut self, delivery: &AcceptedDelivery, lease: &Lease) -> Result<Lease, BenchError> {
        match self.run(Operation::Renew, |ledger, _| ledger.renew(delivery, lease))? {
            Renewal::Renewed { lease, .. } => Ok(lease),
            Renewal::Lost(reason) => Err(unexpected(Operation::Renew, "renewed", &reason)),
        }
    }

    pub(super) fn stage(
        &mut self,
        number: u64,
        delivery: &AcceptedDelivery,
        lease: &Lease,
    ) -> Result<Box<Saved>, BenchError> {
        let publication = scene::publication(number)?;
        let report = scene::report(number);
        let mut source = report.as_slice();
        let expected = ReportFacts {
            sha256: Sha256Hex::of(&report),
            bytes: u64::try_from(report.len()).unwrap_or_default(),
        };
        let staged = self.run(Operation::Stage, |ledger, _| {
            let input = ReportInput {
                expected,
                source: &mut source,
            };
            ledger.stage(delivery, lease, &publication, Some(input))
        })?;
        match staged {
            StageOutcome::Staged(saved) => Ok(saved),
            StageOutcome::Lost(reason) => Err(unexpected(Operation::Stage, "staged", &reason)),
        }
    }

    pub(super) fn complete(
        &mut self,
        delivery: &AcceptedDelivery,
        saved: &Saved,
    ) -> Result<(), BenchError> {
        match self.run(Operation::Complete, |ledger, _| {
            ledger.complete(delivery, saved)
        })? {
            Completion::Completed => Ok(()),
            Completion::Lost(reason) => Err(unexpected(Operation::Complete, "completed", &reason)),
        }
    }

    /// A claim that finds no room.
    pub(super) fn claim_full(&mut self, number: u64) -> Result<(), BenchError> {
        let delivery = scene::accepted(number, Lifetime::Permanent)?;
        let (ledger, check) = (&mut self.ledger, self.check);
        match self.meter.run(Operation::ClaimFull, || {
            ledger.claim(&delivery, check, None)
        })? {
            Err(error) if error.code() == Code::Full => Ok(()),
            Err(error) => Err(BenchError::measured(Operation::ClaimFull.name())(error)),
            Ok(other) => Err(unexpected(Operation::ClaimFull, "full", &other)),
        }
    }
}

impl<M: Meter> Flow<'_, &HandClock, M> {
    /// Everything that can happen to the `number`-th delivery.
    pub(super) fn whole_life(&mut self, number: u64, clock: &HandClock) -> Result<(), BenchError> {
        let delivery = scene::accepted(number, Lifetime::Permanent)?;
        let lease = self.claim_execute(Operation::ClaimNew, &delivery)?;
        match self.claim(Operation::ClaimBusy, &delivery)? {
            Claim::Busy { .. } => {}
            other => return Err(unexpected(Operation::ClaimBusy, "busy", &other)),
        }
        clock.forward(1);
        let lease = self.renew(&delivery, &lease)?;
        clock.forward(LEASE_MILLIS);
        let again = self.claim_execute(Operation::ClaimReclaim, &delivery)?;
        if again.fence <= lease.fence {
            return Err(unexpected(
                Operation::ClaimReclaim,
                "a higher fence",
                &again,
            ));
        }
        let saved = self.stage(number, &delivery, &again)?;
        match self.claim(Operation::ClaimPublish, &delivery)? {
            Claim::Publish(same) if same == saved => {}
            other => return Err(unexpected(Operation::ClaimPublish, "publish", &other)),
        }
        self.complete(&delivery, &saved)?;
        match self.claim(Operation::ClaimDuplicate, &delivery)? {
            Claim::Duplicate { .. } => Ok(()),
            other => Err(unexpected(Operation::ClaimDuplicate, "duplicate", &other)),
        }
    }
}

impl<C: Clock> Flow<'_, C, Bare> {
    /// Claim, stage and complete of the `number`-th delivery: what a rate counts.
    pub(super) fn short_life(&mut self, number: u64) -> Result<(), BenchError> {
        let delivery = scene::accepted(number, Lifetime::Permanent)?;
        let lease = self.claim_execute(Operation::ClaimNew, &delivery)?;
        let saved = self.stage(number, &delivery, &lease)?;
        self.complete(&delivery, &saved)
    }
}

fn unexpected(
    operation: Operation,
    expected: &'static str,
    got: &dyn std::fmt::Debug,
) -> BenchError {
    BenchError::Answer {
        what: operation.name().to_owned(),
        expected,
        got: format!("{got:?}"),
    }
}
