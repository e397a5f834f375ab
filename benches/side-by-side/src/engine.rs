//! The delivery contract over any store that can make one transaction: the same rules, checks and
//! answers as the file ledger, so that only the store differs.

use amiss::clock::{Clock, UnixMillis};
use amiss::code::{Code, Coded};
use amiss::delivery::digest::{Sha256Hex, hex};
use amiss::delivery::lease::Counter;
use amiss::delivery::text::EvaluationId;
use amiss::delivery::{
    AcceptedDelivery, Binding, CheckBinding, Digest, Lease, OwnerId, Publication, Replay,
};
use amiss::ledger::contract::{
    BoundMember, Claim, Completion, DeliveryLedger, LostReason, Renewal, ReportFacts, ReportInput,
    Saved, StageOutcome,
};
use serde::{Deserialize, Serialize};

/// How long a lease lasts, in milliseconds.
pub const LEASE_MILLIS: i64 = 120_000;

/// One row, as every store keeps it: JSON of about the size of the file ledger's frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    pub generation: Counter,
    pub last_seen: UnixMillis,
    pub binding: Binding,
    pub replay: Replay,
    pub check: CheckBinding,
    pub evaluation_id: EvaluationId,
    pub state: State,
}

/// Where a row stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum State {
    Running {
        owner: OwnerId,
        fence: Counter,
        expires_at: UnixMillis,
    },
    Staged {
        fence: Counter,
        publication: Box<Publication>,
        report: Option<StoredReport>,
        digest: Digest,
    },
    Done {
        fence: Counter,
        digest: Digest,
    },
}

/// A report's facts; its bytes are a value of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredReport {
    pub sha256: Sha256Hex,
    pub bytes: u64,
}

/// What the contract needs of a store inside one transaction.
pub trait Transaction {
    fn row(&mut self, key: &str) -> anyhow::Result<Option<Vec<u8>>>;
    fn put_row(&mut self, key: &str, row: &[u8]) -> anyhow::Result<()>;
    fn put_report(&mut self, key: &str, report: &[u8]) -> anyhow::Result<()>;
    fn report(&mut self, key: &str) -> anyhow::Result<Option<Vec<u8>>>;
    fn remove_report(&mut self, key: &str) -> anyhow::Result<()>;
    /// Rows, cap, and the high-water clock.
    fn meta(&mut self) -> anyhow::Result<Meta>;
    fn put_meta(&mut self, meta: Meta) -> anyhow::Result<()>;
}

/// The store's own few numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    pub records: u64,
    pub max_records: u64,
    pub high_water: i64,
}

/// Whether a transaction has anything to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    Commit,
    Nothing,
}

/// A store with durable transactions, one writer at a time.
pub trait Store {
    /// Runs `work` in one write transaction and makes it durable before it answers.
    fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Transaction) -> anyhow::Result<(Keep, T)>,
    ) -> anyhow::Result<T>;
}

/// The contract on a store.
pub struct StoreLedger<S, C> {
    pub store: S,
    pub clock: C,
}

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("the store is full")]
    Full,
    #[error("the delivery's lifetime has ended")]
    Expired,
    #[error("the report is not what was announced")]
    ReportMismatch,
    #[error("{0:#}")]
    Store(anyhow::Error),
}

impl Coded for EngineError {
    fn code(&self) -> Code {
        match self {
            EngineError::Full => Code::Full,
            EngineError::Expired => Code::Expired,
            EngineError::ReportMismatch => Code::ReportMismatch,
            EngineError::Store(_) => Code::Io,
        }
    }
}

impl From<anyhow::Error> for EngineError {
    fn from(error: anyhow::Error) -> EngineError {
        match error.downcast::<EngineError>() {
            Ok(own) => own,
            Err(other) => EngineError::Store(other),
        }
    }
}

fn random() -> anyhow::Result<[u8; 16]> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(bytes)
}

fn read_row(tx: &mut dyn Transaction, key: &str) -> anyhow::Result<Option<Row>> {
    match tx.row(key)? {
        Some(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        None => Ok(None),
    }
}

fn write_row(tx: &mut dyn Transaction, key: &str, row: &Row) -> anyhow::Result<()> {
    tx.put_row(key, &serde_json::to_vec(row)?)
}

fn next(counter: Counter) -> anyhow::Result<Counter> {
    counter
        .next()
        .ok_or_else(|| anyhow::anyhow!("a counter is at its end"))
}

fn lease_of(row: &Row, owner: OwnerId, fence: Counter, expires_at: UnixMillis) -> Lease {
    Lease {
        evaluation_id: row.evaluation_id.clone(),
        check: row.check.clone(),
        fence,
        owner,
        expires_at_unix_millis: expires_at,
    }
}

fn staged_digest(
    evaluation_id: &EvaluationId,
    fence: Counter,
    publication: &Publication,
    report: Option<&StoredReport>,
) -> anyhow::Result<Digest> {
    let payload = serde_json::to_vec(&(evaluation_id, fence, publication, report))?;
    Ok(Digest::of(
        "amiss/controller-staged-publication-v2",
        &payload,
    ))
}

fn conflicts(row: &Row, delivery: &AcceptedDelivery, check: &CheckBinding) -> Vec<BoundMember> {
    let mut members = BoundMember::of_bindings(&row.binding, delivery.binding());
    if row.replay != *delivery.replay() {
        members.push(BoundMember::Replay);
    }
    members.extend(BoundMember::of_checks(&row.check, check));
    members
}

/// Time for a decision: never before what an earlier answer rested on.
fn decide(meta: Meta, now: UnixMillis, row: Option<&Row>) -> anyhow::Result<UnixMillis> {
    let floor = UnixMillis::new(meta.high_water)?;
    Ok(now
        .max(floor)
        .max(row.map_or(UnixMillis::ZERO, |row| row.last_seen)))
}

/// A new row for a delivery that has none.
pub fn new_row(
    delivery: &AcceptedDelivery,
    check: &CheckBinding,
    now: UnixMillis,
) -> anyhow::Result<(Row, Lease)> {
    let owner = OwnerId::from_bytes(random()?);
    let expires_at = now.plus(LEASE_MILLIS)?;
    let row = Row {
        generation: Counter::FIRST,
        last_seen: now,
        binding: delivery.binding().clone(),
        replay: *delivery.replay(),
        check: check.clone(),
        evaluation_id: EvaluationId::new(format!("eval:{}:{}", delivery.key(), hex(&random()?)))?,
        state: State::Running {
            owner,
            fence: Counter::FIRST,
            expires_at,
        },
    };
    let lease = lease_of(&row, owner, Counter::FIRST, expires_at);
    Ok((row, lease))
}

fn claim_new(
    tx: &mut dyn Transaction,
    delivery: &AcceptedDelivery,
    check: &CheckBinding,
    now: UnixMillis,
) -> anyhow::Result<(Keep, Claim)> {
    let mut meta = tx.meta()?;
    let now = decide(meta, now, None)?;
    if delivery.replay().end().is_some_and(|end| now > end) {
        return Err(EngineError::Expired.into());
    }
    if meta.records >= meta.max_records {
        return Err(EngineError::Full.into());
    }
    let (row, lease) = new_row(delivery, check, now)?;
    meta.records += 1;
    tx.put_meta(meta)?;
    write_row(tx, delivery.key().as_str(), &row)?;
    Ok((Keep::Commit, Claim::Execute(lease)))
}

fn claim_running(
    tx: &mut dyn Transaction,
    key: &str,
    mut row: Row,
    now: UnixMillis,
    held: Option<&Lease>,
) -> anyhow::Result<(Keep, Claim)> {
    let State::Running {
        owner,
        fence,
        expires_at,
    } = row.state.clone()
    else {
        anyhow::bail!("not a running row");
    };
    let mut meta = tx.meta()?;
    let now = decide(meta, now, Some(&row))?;
    if now < expires_at {
        let own = lease_of(&row, owner, fence, expires_at);
        return Ok((
            Keep::Nothing,
            if held == Some(&own) {
                Claim::Execute(own)
            } else {
                Claim::Busy {
                    evaluation_id: row.evaluation_id,
                    retry_at: expires_at,
                }
            },
        ));
    }
    let owner = OwnerId::from_bytes(random()?);
    let fence = next(fence)?;
    let expires_at = now.plus(LEASE_MILLIS)?;
    row.generation = next(row.generation)?;
    row.last_seen = now;
    row.state = State::Running {
        owner,
        fence,
        expires_at,
    };
    meta.high_water = now.get();
    tx.put_meta(meta)?;
    write_row(tx, key, &row)?;
    Ok((
        Keep::Commit,
        Claim::Execute(lease_of(&row, owner, fence, expires_at)),
    ))
}

/// The row of a live lease, or why there is none.
fn live(
    tx: &mut dyn Transaction,
    delivery: &AcceptedDelivery,
    lease: &Lease,
    now: UnixMillis,
) -> anyhow::Result<Result<(Row, UnixMillis), LostReason>> {
    let Some(row) = read_row(tx, delivery.key().as_str())? else {
        return Ok(Err(LostReason::NoRow));
    };
    if !conflicts(&row, delivery, &lease.check).is_empty() {
        return Ok(Err(LostReason::Binding));
    }
    let (owner, fence, expires_at) = match &row.state {
        State::Running {
            owner,
            fence,
            expires_at,
        } => (*owner, *fence, *expires_at),
        State::Staged { .. } => return Ok(Err(LostReason::Saved)),
        State::Done { .. } => return Ok(Err(LostReason::Done)),
    };
    if row.evaluation_id != lease.evaluation_id || owner != lease.owner || fence != lease.fence {
        return Ok(Err(LostReason::Owner));
    }
    let mut meta = tx.meta()?;
    let now = decide(meta, now, Some(&row))?;
    if now >= expires_at {
        meta.high_water = now.get();
        tx.put_meta(meta)?;
        return Ok(Err(LostReason::Ended(expires_at)));
    }
    Ok(Ok((row, now)))
}

fn saved(row: &Row) -> Option<Saved> {
    let State::Staged {
        fence,
        publication,
        report,
        digest,
    } = &row.state
    else {
        return None;
    };
    Some(Saved {
        evaluation_id: row.evaluation_id.clone(),
        fence: *fence,
        digest: digest.clone(),
        publication: (**publication).clone(),
        report: report.as_ref().map(|report| ReportFacts {
            sha256: report.sha256.clone(),
            bytes: report.bytes,
        }),
    })
}

fn read_report(report: ReportInput<'_>) -> Result<(StoredReport, Vec<u8>), EngineError> {
    let mut bytes = Vec::new();
    report
        .source
        .read_to_end(&mut bytes)
        .map_err(|error| EngineError::Store(error.into()))?;
    let facts = StoredReport {
        sha256: Sha256Hex::of(&bytes),
        bytes: bytes.len() as u64,
    };
    if facts.sha256 != report.expected.sha256 || facts.bytes != report.expected.bytes {
        return Err(EngineError::ReportMismatch);
    }
    Ok((facts, bytes))
}

impl<S: Store, C: Clock> StoreLedger<S, C> {
    fn now(&self) -> Result<UnixMillis, EngineError> {
        self.clock
            .now()
            .map_err(|error| EngineError::Store(error.into()))
    }
}

impl<S: Store, C: Clock> DeliveryLedger for StoreLedger<S, C> {
    type Error = EngineError;

    fn claim(
        &mut self,
        delivery: &AcceptedDelivery,
        check: &CheckBinding,
        held: Option<&Lease>,
    ) -> Result<Claim, EngineError> {
        let now = self.now()?;
        let key = delivery.key().as_str();
        Ok(self.store.transaction(|tx| {
            let Some(row) = read_row(tx, key)? else {
                return claim_new(tx, delivery, check, now);
            };
            let members = conflicts(&row, delivery, check);
            if !members.is_empty() {
                return Ok((Keep::Nothing, Claim::BindingConflict { members }));
            }
            match &row.state {
                State::Running { .. } => claim_running(tx, key, row, now, held),
                State::Staged { report, .. } => {
                    if let Some(facts) = report {
                        let bytes = tx.report(key)?.unwrap_or_default();
                        if Sha256Hex::of(&bytes) != facts.sha256 {
                            return Err(EngineError::ReportMismatch.into());
                        }
                    }
                    let saved = saved(&row).map(Box::new);
                    let saved = saved.ok_or_else(|| anyhow::anyhow!("not a saved row"))?;
                    Ok((Keep::Nothing, Claim::Publish(saved)))
                }
                State::Done { .. } => Ok((
                    Keep::Nothing,
                    Claim::Duplicate {
                        evaluation_id: row.evaluation_id,
                    },
                )),
            }
        })?)
    }

    fn renew(
        &mut self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
    ) -> Result<Renewal, EngineError> {
        let now = self.now()?;
        Ok(self.store.transaction(|tx| {
            let (mut row, now) = match live(tx, delivery, lease, now)? {
                Ok(found) => found,
                Err(reason) => return Ok((Keep::Commit, Renewal::Lost(reason))),
            };
            let State::Running {
                owner,
                fence,
                expires_at,
            } = row.state.clone()
            else {
                anyhow::bail!("not a running row");
            };
            let expires_at = expires_at.max(now.plus(LEASE_MILLIS)?);
            row.generation = next(row.generation)?;
            row.last_seen = now;
            row.state = State::Running {
                owner,
                fence,
                expires_at,
            };
            write_row(tx, delivery.key().as_str(), &row)?;
            Ok((
                Keep::Commit,
                Renewal::Renewed {
                    lease: lease_of(&row, owner, fence, expires_at),
                    within_millis: expires_at.since(now).unsigned_abs(),
                },
            ))
        })?)
    }

    fn stage(
        &mut self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
        publication: &Publication,
        report: Option<ReportInput<'_>>,
    ) -> Result<StageOutcome, EngineError> {
        let now = self.now()?;
        let report = report.map(read_report).transpose()?;
        let key = delivery.key().as_str();
        Ok(self.store.transaction(|tx| {
            let (mut row, now) = match live(tx, delivery, lease, now)? {
                Ok(found) => found,
                Err(reason) => return Ok((Keep::Commit, StageOutcome::Lost(reason))),
            };
            let facts = report.as_ref().map(|(facts, _)| facts.clone());
            let digest =
                staged_digest(&row.evaluation_id, lease.fence, publication, facts.as_ref())?;
            row.generation = next(row.generation)?;
            row.last_seen = now;
            row.state = State::Staged {
                fence: lease.fence,
                publication: Box::new(publication.clone()),
                report: facts,
                digest,
            };
            if let Some((_, bytes)) = &report {
                tx.put_report(key, bytes)?;
            }
            write_row(tx, key, &row)?;
            let saved = saved(&row).map(Box::new);
            let saved = saved.ok_or_else(|| anyhow::anyhow!("not a saved row"))?;
            Ok((Keep::Commit, StageOutcome::Staged(saved)))
        })?)
    }

    fn complete(
        &mut self,
        delivery: &AcceptedDelivery,
        value: &Saved,
    ) -> Result<Completion, EngineError> {
        let key = delivery.key().as_str();
        Ok(self.store.transaction(|tx| {
            let Some(mut row) = read_row(tx, key)? else {
                return Ok((Keep::Nothing, Completion::Lost(LostReason::NoRow)));
            };
            match &row.state {
                State::Staged { fence, digest, .. } => {
                    if saved(&row).as_ref() != Some(value) {
                        return Ok((Keep::Nothing, Completion::Lost(LostReason::Value)));
                    }
                    row.state = State::Done {
                        fence: *fence,
                        digest: digest.clone(),
                    };
                    row.generation = next(row.generation)?;
                    write_row(tx, key, &row)?;
                    tx.remove_report(key)?;
                    Ok((Keep::Commit, Completion::Completed))
                }
                State::Done { fence, digest }
                    if row.evaluation_id == value.evaluation_id
                        && *fence == value.fence
                        && *digest == value.digest =>
                {
                    Ok((Keep::Nothing, Completion::Completed))
                }
                State::Done { .. } => Ok((Keep::Nothing, Completion::Lost(LostReason::Value))),
                State::Running { .. } => Ok((Keep::Nothing, Completion::Lost(LostReason::Running))),
            }
        })?)
    }
}

/// A retained row, as the seeds put it there: done.
pub fn done_row(
    delivery: &AcceptedDelivery,
    check: &CheckBinding,
    now: UnixMillis,
) -> anyhow::Result<Row> {
    let (mut row, lease) = new_row(delivery, check, now)?;
    row.state = State::Done {
        fence: lease.fence,
        digest: Digest::of("amiss/bench-done", delivery.key().as_str().as_bytes()),
    };
    Ok(row)
}
