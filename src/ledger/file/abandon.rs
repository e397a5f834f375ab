//! `abandon`: the way out for a row that nobody will finish (page 3.5, point 6).

use serde::Serialize;

use super::error::LedgerError;
use super::names;
use super::root::Root;
use super::row::{Row, State};
use super::view::{RowState, RowView};
use super::writes::Writes;
use crate::clock::{Clock, UnixMillis};
use crate::delivery::DeliveryKey;
use crate::delivery::digest::Digest;
use crate::delivery::lease::Counter;
use crate::delivery::text::EvaluationId;
use crate::json;

/// The domain of the digest that stands in the place of a staged one.
const DOMAIN: &str = "amiss/abandoned/v1";

/// Which rows may be abandoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abandon {
    /// Only running ones whose lease has ended.
    Running,
    /// Staged ones too, whose verdict is then never published.
    StagedToo,
}

/// What was abandoned.
#[derive(Clone, Debug)]
pub struct Abandoned {
    /// What the row was.
    pub was: RowState,
    /// The row as it is now.
    pub row: RowView,
    /// What that changed.
    pub change: Change,
}

/// What an abandonment changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The row is ended by it.
    Ended,
    /// Nothing: it was ended by these very words before.
    Repeated,
    /// Nothing: the row was done already, and its digest says nothing of this reason.
    Nothing,
}

#[derive(Serialize)]
struct Value<'a> {
    evaluation_id: &'a EvaluationId,
    fence: Counter,
    reason: &'a str,
}

impl Root {
    /// Makes a row done by hand. A row that is done already stays as it is.
    ///
    /// # Errors
    /// `NOT_FOUND`, `BUSY` while its lease lives or while it is staged and that was not asked for,
    /// `CLOCK`, `ROOT_CORRUPT`, or the system's.
    pub fn abandon(
        &self,
        key: &DeliveryKey,
        reason: &str,
        which: Abandon,
        clock: &dyn Clock,
    ) -> Result<Abandoned, LedgerError> {
        self.metadata()?;
        let _work = self.row_work(&[key])?;
        let limits = self.metadata()?.limits();
        let row = self
            .row(key)?
            .ok_or_else(|| LedgerError::NoRow(key.clone()))?;
        let (was, staged_digest, seen, high_water) = match &row.state {
            State::Done { staged_digest, .. } => {
                let change = if *staged_digest == digest(&row, reason)? {
                    Change::Repeated
                } else {
                    Change::Nothing
                };
                return Ok(Abandoned {
                    was: RowState::Done,
                    row: self.view(key, &row),
                    change,
                });
            }
            State::Staged { .. } if which == Abandon::Running => {
                return Err(LedgerError::Refused {
                    reason: format!(
                        "the row {key} holds a saved result, which would never be published; \
                         --staged ends it all the same"
                    ),
                    retry_at: None,
                });
            }
            State::Staged { publication, fence } => (
                RowState::Staged,
                publication.digest(*fence),
                row.last_seen,
                None,
            ),
            State::Running { expires_at, .. } => {
                let now = self.abandon_time(key, &row, *expires_at, clock)?;
                (RowState::Running, digest(&row, reason)?, now, Some(now))
            }
        };
        let done = State::Done {
            fence: row.state.fence(),
            staged_digest,
        };
        let next = row
            .next(done, seen)
            .ok_or_else(|| LedgerError::Exhausted(key.clone()))?;
        let mut writes = Writes::default();
        writes.row(key, &next)?;
        writes.dead_report(key);
        if let Some(time) = high_water {
            writes.rests_on(time);
        }
        self.commit(&limits, writes)?;
        Ok(Abandoned {
            was,
            row: self.view(key, &next),
            change: Change::Ended,
        })
    }

    /// The time of an abandonment: after the lease ended. A lease that ends further ahead than any
    /// lease runs was given under a wrong clock that was mended since; waiting for it would take
    /// as long as that clock was wrong.
    fn abandon_time(
        &self,
        key: &DeliveryKey,
        row: &Row,
        expires_at: UnixMillis,
        clock: &dyn Clock,
    ) -> Result<UnixMillis, LedgerError> {
        let metadata = self.metadata()?;
        let now = self.decide(clock, &metadata, None)?;
        let impossible = expires_at.since(now) > metadata.limits().lease_millis;
        let for_row = now.max(row.last_seen);
        if for_row >= expires_at || impossible {
            return Ok(if impossible { now } else { for_row });
        }
        Err(LedgerError::Refused {
            reason: format!("the lease of the row {key} lives until {expires_at}"),
            retry_at: Some(expires_at),
        })
    }
}

fn digest(row: &Row, reason: &str) -> Result<Digest, LedgerError> {
    let value = Value {
        evaluation_id: &row.evaluation_id,
        fence: row.state.fence(),
        reason,
    };
    let bytes = json::canonical(&value).map_err(|error| LedgerError::Form {
        path: names::row(&row.key()).into(),
        reason: error.to_string(),
    })?;
    Ok(Digest::of(DOMAIN, &bytes))
}
