//! The contract in memory: a model that is short enough to be read against page 3, for tests and
//! for programs that need no record to survive them.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use super::contract::{
    BoundMember, Claim, Completion, DeliveryLedger, LostReason, Renewal, ReportFacts, ReportInput,
    Saved, StageOutcome,
};
use crate::clock::{Clock, ClockError, UnixMillis};
use crate::code::{Code, Coded};
use crate::delivery::digest::Sha256Hex;
use crate::delivery::lease::Counter;
use crate::delivery::outcome::MAX_REPORT_BYTES;
use crate::delivery::text::EvaluationId;
use crate::delivery::{
    AcceptedDelivery, CheckBinding, DeliveryKey, Digest, Lease, OwnerId, Publication, ReplayWindow,
};

/// What a model is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimits {
    /// How long a lease runs, in milliseconds.
    pub lease_millis: i64,
    /// How many rows there may be.
    pub max_records: usize,
    /// The window that bounded deliveries must come from.
    pub window: ReplayWindow,
    /// How far beyond its last known time a clock may read, in milliseconds.
    pub max_clock_step_millis: i64,
}

/// What can go wrong with a model.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// No trusted time.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// A time too far ahead.
    #[error("the clock reads {0}, too far beyond the last known time")]
    ClockLeap(UnixMillis),
    /// Another window.
    #[error("the delivery comes from another replay window")]
    Window,
    /// No room.
    #[error("there are {0} rows, as many as there may be")]
    Full(usize),
    /// Too late.
    #[error("the delivery's replay lifetime ended at {0}")]
    Expired(UnixMillis),
    /// Another report.
    #[error("the report is not the one that was named")]
    ReportMismatch,
    /// A report over 256 MiB.
    #[error("the report is over its ceiling")]
    ReportTooLarge,
    /// A report that could not be read.
    #[error("cannot read the report")]
    ReportUnreadable(#[from] std::io::Error),
    /// A counter at its end.
    #[error("a counter is used up")]
    Exhausted,
}

impl Coded for MemoryError {
    fn code(&self) -> Code {
        match self {
            MemoryError::Clock(_) | MemoryError::ClockLeap(_) => Code::Clock,
            MemoryError::Window => Code::RootConfiguration,
            MemoryError::Full(_) => Code::Full,
            MemoryError::Expired(_) => Code::Expired,
            MemoryError::ReportMismatch => Code::ReportMismatch,
            MemoryError::ReportTooLarge => Code::ReportTooLarge,
            MemoryError::ReportUnreadable(_) => Code::Io,
            MemoryError::Exhausted => Code::RootCorrupt,
        }
    }
}

#[derive(Clone, Debug)]
struct Row {
    delivery: AcceptedDelivery,
    check: CheckBinding,
    evaluation_id: EvaluationId,
    last_seen: UnixMillis,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Running {
        owner: OwnerId,
        fence: Counter,
        expires_at: UnixMillis,
    },
    Staged(Box<Saved>),
    Done {
        fence: Counter,
        digest: Digest,
    },
}

/// The contract over rows in memory.
#[derive(Debug)]
pub struct MemoryLedger<C> {
    limits: MemoryLimits,
    clock: C,
    rows: HashMap<DeliveryKey, Row>,
    high_water: UnixMillis,
    drawn: u128,
}

impl<C: Clock> MemoryLedger<C> {
    /// An empty model.
    ///
    /// # Errors
    /// `CLOCK` when there is no trusted time.
    pub fn new(limits: MemoryLimits, clock: C) -> Result<MemoryLedger<C>, MemoryError> {
        Ok(MemoryLedger {
            high_water: clock.now()?,
            limits,
            clock,
            rows: HashMap::new(),
            drawn: 0,
        })
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Removes what is safe to forget: bounded done rows past their inclusive end. How many.
    ///
    /// # Errors
    /// `CLOCK`.
    pub fn cleanup(&mut self) -> Result<usize, MemoryError> {
        let now = self.decide(None)?;
        self.high_water = self.high_water.max(now);
        let before = self.rows.len();
        self.rows.retain(|_, row| {
            let ended = row.delivery.replay().end().is_some_and(|end| end < now);
            !(ended && matches!(row.state, State::Done { .. }))
        });
        Ok(before.saturating_sub(self.rows.len()))
    }

    /// The time of a decision: the latest of the clock, the last known time and the row's own.
    fn decide(&self, last_seen: Option<UnixMillis>) -> Result<UnixMillis, MemoryError> {
        let reading = self.clock.now()?;
        if reading.since(self.high_water) > self.limits.max_clock_step_millis {
            return Err(MemoryError::ClockLeap(reading));
        }
        Ok(reading
            .max(self.high_water)
            .max(last_seen.unwrap_or(UnixMillis::ZERO)))
    }

    fn check_window(&self, delivery: &AcceptedDelivery) -> Result<(), MemoryError> {
        match delivery.replay().window() {
            Some(window) if window != self.limits.window => Err(MemoryError::Window),
            _ => Ok(()),
        }
    }

    /// A number that was never drawn before; a model needs no more.
    fn draw(&mut self) -> [u8; 16] {
        self.drawn = self.drawn.wrapping_add(1);
        self.drawn.to_be_bytes()
    }

    fn claim_new(
        &mut self,
        delivery: &AcceptedDelivery,
        check: &CheckBinding,
    ) -> Result<Claim, MemoryError> {
        let now = self.decide(None)?;
        if let Some(end) = delivery.replay().end().filter(|end| now > *end) {
            self.high_water = self.high_water.max(now);
            return Err(MemoryError::Expired(end));
        }
        let expires_at = now.plus(self.limits.lease_millis)?;
        if self.rows.len() >= self.limits.max_records {
            return Err(MemoryError::Full(self.rows.len()));
        }
        let owner = OwnerId::from_bytes(self.draw());
        let name = u128::from_be_bytes(self.draw());
        let evaluation_id = EvaluationId::new(format!("memory:{name}"))
            .map_err(|error| MemoryError::ReportUnreadable(std::io::Error::other(error)))?;
        let row = Row {
            delivery: delivery.clone(),
            check: check.clone(),
            evaluation_id,
            last_seen: now,
            state: State::Running {
                owner,
                fence: Counter::FIRST,
                expires_at,
            },
        };
        let lease = lease(&row, owner, Counter::FIRST, expires_at);
        self.rows.insert(delivery.key().clone(), row);
        Ok(Claim::Execute(lease))
    }

    fn claim_running(
        &mut self,
        row: Row,
        (owner, fence, expires_at): (OwnerId, Counter, UnixMillis),
        held: Option<&Lease>,
    ) -> Result<Claim, MemoryError> {
        let now = self.decide(Some(row.last_seen))?;
        if now < expires_at {
            let own = held.is_some_and(|lease| {
                lease.evaluation_id == row.evaluation_id
                    && lease.fence == fence
                    && lease.owner == owner
                    && lease.check == row.check
            });
            return Ok(if own {
                Claim::Execute(lease(&row, owner, fence, expires_at))
            } else {
                Claim::Busy {
                    evaluation_id: row.evaluation_id,
                    retry_at: expires_at,
                }
            });
        }
        let expires_at = now.plus(self.limits.lease_millis)?;
        self.high_water = self.high_water.max(now);
        let owner = OwnerId::from_bytes(self.draw());
        let fence = fence.next().ok_or(MemoryError::Exhausted)?;
        let answer = lease(&row, owner, fence, expires_at);
        let state = State::Running {
            owner,
            fence,
            expires_at,
        };
        self.put(row, now, state);
        Ok(Claim::Execute(answer))
    }

    fn put(&mut self, row: Row, last_seen: UnixMillis, state: State) {
        let key = row.delivery.key().clone();
        let next = Row {
            last_seen,
            state,
            ..row
        };
        self.rows.insert(key, next);
    }

    /// The row of a live lease at its time, or why there is none.
    fn own(
        &mut self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
    ) -> Result<Result<(Row, UnixMillis, UnixMillis), LostReason>, MemoryError> {
        self.check_window(delivery)?;
        let Some(row) = self.rows.get(delivery.key()).cloned() else {
            return Ok(Err(LostReason::NoRow));
        };
        if row.delivery != *delivery || row.check != lease.check {
            return Ok(Err(LostReason::Binding));
        }
        let (owner, fence, expires_at) = match &row.state {
            State::Running {
                owner,
                fence,
                expires_at,
            } => (*owner, *fence, *expires_at),
            State::Staged(_) => return Ok(Err(LostReason::Saved)),
            State::Done { .. } => return Ok(Err(LostReason::Done)),
        };
        if row.evaluation_id != lease.evaluation_id || fence != lease.fence || owner != lease.owner
        {
            return Ok(Err(LostReason::Owner));
        }
        let now = self.decide(Some(row.last_seen))?;
        if now >= expires_at {
            self.high_water = self.high_water.max(now);
            return Ok(Err(LostReason::Ended(expires_at)));
        }
        Ok(Ok((row, now, expires_at)))
    }

    fn stage_again(
        saved: &Saved,
        lease: &Lease,
        publication: &Publication,
        report: Option<&ReportFacts>,
    ) -> StageOutcome {
        if saved.evaluation_id != lease.evaluation_id || saved.fence != lease.fence {
            StageOutcome::Lost(LostReason::Owner)
        } else if saved.publication == *publication && saved.report.as_ref() == report {
            StageOutcome::Staged(Box::new(saved.clone()))
        } else {
            StageOutcome::Lost(LostReason::Saved)
        }
    }
}

impl<C: Clock> DeliveryLedger for MemoryLedger<C> {
    type Error = MemoryError;

    fn claim(
        &mut self,
        delivery: &AcceptedDelivery,
        check: &CheckBinding,
        held: Option<&Lease>,
    ) -> Result<Claim, MemoryError> {
        self.check_window(delivery)?;
        let Some(row) = self.rows.get(delivery.key()).cloned() else {
            return self.claim_new(delivery, check);
        };
        let members = differences(&row, delivery, check);
        if !members.is_empty() {
            return Ok(Claim::BindingConflict { members });
        }
        match row.state.clone() {
            State::Staged(saved) => Ok(Claim::Publish(saved)),
            State::Done { .. } => Ok(Claim::Duplicate {
                evaluation_id: row.evaluation_id,
            }),
            State::Running {
                owner,
                fence,
                expires_at,
            } => self.claim_running(row, (owner, fence, expires_at), held),
        }
    }

    fn renew(
        &mut self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
    ) -> Result<Renewal, MemoryError> {
        let (row, now, expires_at) = match self.own(delivery, lease)? {
            Ok(own) => own,
            Err(reason) => return Ok(Renewal::Lost(reason)),
        };
        let deadline = now.plus(self.limits.lease_millis)?.max(expires_at);
        let state = State::Running {
            owner: lease.owner,
            fence: lease.fence,
            expires_at: deadline,
        };
        self.put(row, now, state);
        Ok(Renewal::Renewed {
            lease: Lease {
                expires_at_unix_millis: deadline,
                ..lease.clone()
            },
            within_millis: deadline.since(now).unsigned_abs(),
        })
    }

    fn stage(
        &mut self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
        publication: &Publication,
        report: Option<ReportInput<'_>>,
    ) -> Result<StageOutcome, MemoryError> {
        self.check_window(delivery)?;
        if let Some(row) = self.rows.get(delivery.key())
            && let State::Staged(saved) = &row.state
            && row.delivery == *delivery
            && row.check == lease.check
        {
            let expected = report.as_ref().map(|report| &report.expected);
            return Ok(Self::stage_again(saved, lease, publication, expected));
        }
        let (row, now, _) = match self.own(delivery, lease)? {
            Ok(own) => own,
            Err(reason) => return Ok(StageOutcome::Lost(reason)),
        };
        if publication.check != row.check {
            return Ok(StageOutcome::Lost(LostReason::Binding));
        }
        let report = report.map(read_report).transpose()?;
        let saved = Saved {
            evaluation_id: row.evaluation_id.clone(),
            fence: lease.fence,
            digest: digest(lease, publication, report.as_ref()),
            publication: publication.clone(),
            report,
        };
        self.put(row, now, State::Staged(Box::new(saved.clone())));
        Ok(StageOutcome::Staged(Box::new(saved)))
    }

    fn complete(
        &mut self,
        delivery: &AcceptedDelivery,
        saved: &Saved,
    ) -> Result<Completion, MemoryError> {
        let Some(row) = self.rows.get(delivery.key()).cloned() else {
            return Ok(Completion::Lost(LostReason::NoRow));
        };
        // The window is how a lifetime was computed, not part of what a row is bound to.
        if !differences(&row, delivery, &row.check).is_empty() {
            return Ok(Completion::Lost(LostReason::Binding));
        }
        match &row.state {
            State::Running { .. } => Ok(Completion::Lost(LostReason::Running)),
            State::Staged(own) if **own == *saved => {
                let done = State::Done {
                    fence: own.fence,
                    digest: own.digest.clone(),
                };
                let last_seen = row.last_seen;
                self.put(row, last_seen, done);
                Ok(Completion::Completed)
            }
            State::Done { fence, digest }
                if row.evaluation_id == saved.evaluation_id
                    && *fence == saved.fence
                    && *digest == saved.digest =>
            {
                Ok(Completion::Completed)
            }
            State::Staged(_) | State::Done { .. } => Ok(Completion::Lost(LostReason::Value)),
        }
    }
}

fn lease(row: &Row, owner: OwnerId, fence: Counter, expires_at: UnixMillis) -> Lease {
    Lease {
        evaluation_id: row.evaluation_id.clone(),
        check: row.check.clone(),
        fence,
        owner,
        expires_at_unix_millis: expires_at,
    }
}

fn differences(row: &Row, delivery: &AcceptedDelivery, check: &CheckBinding) -> Vec<BoundMember> {
    let mut members = BoundMember::of_bindings(row.delivery.binding(), delivery.binding());
    if row.delivery.replay().end() != delivery.replay().end() {
        members.push(BoundMember::Replay);
    }
    members.extend(BoundMember::of_checks(&row.check, check));
    members
}

/// Reads a report to its end, proving digest and length.
fn read_report(input: ReportInput<'_>) -> Result<ReportFacts, MemoryError> {
    let expected = input.expected;
    if expected.bytes > MAX_REPORT_BYTES {
        return Err(MemoryError::ReportTooLarge);
    }
    let mut hash = Sha256::new();
    let mut bytes = 0_u64;
    let mut piece = vec![0_u8; 64 * 1024];
    loop {
        let count = input.source.read(&mut piece)?;
        if count == 0 {
            break;
        }
        hash.update(piece.get(..count).unwrap_or_default());
        bytes = bytes.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        if bytes > expected.bytes {
            return Err(MemoryError::ReportMismatch);
        }
    }
    let plain: [u8; 32] = hash.finalize().into();
    let facts = ReportFacts {
        sha256: Sha256Hex::from_bytes(&plain),
        bytes,
    };
    if facts == expected {
        Ok(facts)
    } else {
        Err(MemoryError::ReportMismatch)
    }
}

/// Tells saved values apart; another spelling than a store's.
fn digest(lease: &Lease, publication: &Publication, report: Option<&ReportFacts>) -> Digest {
    let text = format!(
        "{} {} {publication:?} {report:?}",
        lease.evaluation_id, lease.fence
    );
    Digest::of("amiss/memory-staged-v1", text.as_bytes())
}
