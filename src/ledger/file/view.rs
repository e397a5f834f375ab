//! A row as people and scripts see it (page 3.2).

use serde::Serialize;

use super::error::LedgerError;
use super::metadata::Metadata;
use super::names;
use super::root::Root;
use super::row::{Keep, Row, State, StoredPublication};
use crate::clock::{Clock, UnixMillis};
use crate::code::Coded;
use crate::delivery::digest::{Digest, hex};
use crate::delivery::lease::Counter;
use crate::delivery::text::EvaluationId;
use crate::delivery::{Change, CheckBinding, DeliveryKey, Identity, ProviderRun, Publication};

/// One row. Its members are those of page 3.2, the state's own last.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RowView {
    /// The row's key.
    pub key: DeliveryKey,
    /// Where it stands.
    pub state: RowState,
    /// Which delivery.
    pub identity: Identity,
    /// About which change.
    pub change: Change,
    /// For which run.
    pub provider_run: ProviderRun,
    /// For which check.
    pub check: CheckBinding,
    /// Its replay lifetime.
    replay: Keep,
    /// The evaluation.
    pub evaluation_id: EvaluationId,
    /// Its fence.
    pub fence: Counter,
    /// How often it was written.
    pub generation: Counter,
    /// When it was last written.
    #[serde(rename = "last_seen_unix_millis")]
    pub last_seen: UnixMillis,
    #[serde(flatten)]
    own: Own,
    /// What each command would answer now; only where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
}

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RowState {
    /// Somebody holds it, or held it.
    Running,
    /// A result waits to be published.
    Staged,
    /// Ended.
    Done,
}

impl RowState {
    /// The word of the record.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RowState::Running => "running",
            RowState::Staged => "staged",
            RowState::Done => "done",
        }
    }
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
enum Own {
    Running {
        owner: String,
        #[serde(rename = "expires_at_unix_millis")]
        expires_at: UnixMillis,
    },
    Staged {
        /// Of the saved verdict, as `complete` asks for it.
        digest: Digest,
        publication: Option<Box<Publication>>,
        report: Option<ReportView>,
    },
    Done {
        /// Of the verdict that was completed, or of the abandonment.
        digest: Digest,
    },
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
struct ReportView {
    /// The root's own file.
    path: String,
    /// Under the record's domain: not what `sha256sum` prints.
    digest: Digest,
    /// Its length.
    bytes: u64,
}

/// What each command would answer now, to whoever has the right to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Next {
    /// `claim`, with the row's own check.
    pub claim: &'static str,
    /// `renew`, by the owner.
    pub renew: &'static str,
    /// `stage`, by the owner, or of the saved value.
    pub stage: &'static str,
    /// `complete`, of the saved value.
    pub complete: &'static str,
    /// `cleanup`.
    pub cleanup: &'static str,
}

impl RowView {
    /// Whether the row is done and past its inclusive end at `now`.
    #[must_use]
    pub fn is_expired(&self, now: UnixMillis) -> bool {
        self.state == RowState::Done && self.is_past(now)
    }

    /// Whether the row's lifetime has ended and it never finished, so that no cleanup removes it.
    #[must_use]
    pub fn is_stuck(&self, now: UnixMillis) -> bool {
        self.state != RowState::Done && self.is_past(now)
    }

    fn is_past(&self, now: UnixMillis) -> bool {
        self.replay.end().is_some_and(|end| end < now)
    }
}

impl Root {
    /// One row with what each command would answer now. Takes no lock.
    ///
    /// # Errors
    /// `NOT_FOUND` when there is none, `ROOT_CORRUPT` when it is damaged, `ROOT_NOT_PREPARED`.
    pub fn show(&self, key: &DeliveryKey, clock: &dyn Clock) -> Result<RowView, LedgerError> {
        let metadata = self.metadata()?;
        let row = self
            .row(key)?
            .ok_or_else(|| LedgerError::NoRow(key.clone()))?;
        let next = self.next(&metadata, key, &row, clock);
        let mut view = self.view(key, &row);
        view.next = Some(next);
        Ok(view)
    }

    pub(super) fn view(&self, key: &DeliveryKey, row: &Row) -> RowView {
        let (state, own) = match &row.state {
            State::Running {
                owner, expires_at, ..
            } => (
                RowState::Running,
                Own::Running {
                    owner: hex(owner),
                    expires_at: *expires_at,
                },
            ),
            State::Staged { fence, publication } => (
                RowState::Staged,
                Own::Staged {
                    digest: publication.digest(*fence),
                    publication: publication.publication().map(Box::new),
                    report: self.report_view(key, publication),
                },
            ),
            State::Done { staged_digest, .. } => (
                RowState::Done,
                Own::Done {
                    digest: staged_digest.clone(),
                },
            ),
        };
        RowView {
            key: key.clone(),
            state,
            identity: row.binding.identity.clone(),
            change: row.binding.change.clone(),
            provider_run: row.binding.provider_run.clone(),
            check: row.check.clone(),
            replay: row.replay_keep,
            evaluation_id: row.evaluation_id.clone(),
            fence: row.state.fence(),
            generation: row.generation,
            last_seen: row.last_seen,
            own,
            next: None,
        }
    }

    fn report_view(&self, key: &DeliveryKey, stored: &StoredPublication) -> Option<ReportView> {
        stored.report.reference().map(|reference| ReportView {
            path: super::shown(self.dir.path_of(names::report(key))),
            digest: reference.digest.clone(),
            bytes: reference.length,
        })
    }

    fn next(&self, metadata: &Metadata, key: &DeliveryKey, row: &Row, clock: &dyn Clock) -> Next {
        let now = self.decide(clock, metadata, Some(row.last_seen));
        let refused = now.as_ref().err().map(|error| error.code().name());
        let lost = "LOST";
        match &row.state {
            State::Running { expires_at, .. } => {
                let live = now.is_ok_and(|now| now < *expires_at);
                let pick = |alive, ended| refused.unwrap_or(if live { alive } else { ended });
                Next {
                    claim: pick("busy", "execute"),
                    renew: pick("renewed", lost),
                    stage: pick("staged", lost),
                    complete: lost,
                    cleanup: refused.unwrap_or("kept"),
                }
            }
            State::Staged { publication, fence } => {
                let saved = self.saved(key, publication, *fence);
                let (claim, stage, complete) = match saved {
                    Ok(Some(_)) => ("publish", "staged", "completed"),
                    Ok(None) => (refused.unwrap_or("execute"), "ROOT_CORRUPT", lost),
                    Err(error) => (error.code().name(), error.code().name(), "completed"),
                };
                Next {
                    claim,
                    renew: lost,
                    stage,
                    complete,
                    cleanup: refused.unwrap_or("kept"),
                }
            }
            State::Done { .. } => {
                let ended = now.is_ok_and(|now| row.is_ended(now));
                Next {
                    claim: "duplicate",
                    renew: lost,
                    stage: lost,
                    complete: "completed",
                    cleanup: refused.unwrap_or(if ended { "removed" } else { "kept" }),
                }
            }
        }
    }
}
