//! The record in ordinary files: fixed metadata and locks, and one bounded row file per delivery
//! (source `file-ledger.txt`, pages 3 and 3b).
//!
//! Every operation on one delivery reads the root frame, at most the capacity frame, and its own
//! row; the folder is never listed. Bytes are written and synced under temporary names first, then
//! put in place in an order that leaves a legal state at every step.

mod abandon;
mod admission;
mod capacity;
mod check;
mod claim;
mod cleanup;
mod clock_change;
mod complete;
mod error;
mod frame;
mod init;
mod inspect;
mod limits;
mod list;
mod locks;
mod metadata;
mod names;
mod quarantine;
mod renew;
mod report;
mod root;
mod row;
mod scan;
pub mod schema;
pub mod seed;
mod stage;
mod survey;
mod time;
mod together;
mod view;
mod writes;

use std::path::PathBuf;
use std::sync::OnceLock;

use super::contract::{
    Claim, Completion, DeliveryLedger, Renewal, ReportInput, Saved, StageOutcome,
};
use crate::clock::Clock;
use crate::delivery::{
    AcceptedDelivery, CheckBinding, DeliveryKey, Lease, Publication, ReportFile, Staged,
};

pub use abandon::{Abandon, Abandoned, Change as AbandonChange};
pub use check::{Checked, Defect, Note};
pub use cleanup::{Cleaned, Mode};
pub use clock_change::{AcceptedClock, ClockEffects};
pub use error::LedgerError;
pub use frame::FrameError;
pub use init::{ClockPolicy, Prepared};
pub use inspect::FrameKind;
pub use limits::{Changed, Tuning};
pub use list::{Listed, Stats, Wanted};
pub use metadata::{Limits, MAX_LEASE_MILLIS, MAX_RECORDS};
pub use quarantine::Quarantined;
pub use root::{Expected, Options, Root};
pub use survey::Kept;
pub use together::{Answers, ClaimRequest, CompleteRequest, RenewRequest, StageRequest};
pub use view::{Next, RowState, RowView};

/// The contract over a prepared root.
#[derive(Debug)]
pub struct FileLedger<C> {
    root: Root,
    clock: C,
    /// Set when the root was seen to be one: from then on its lock files may be made.
    seen: OnceLock<()>,
}

impl<C: Clock> FileLedger<C> {
    /// Uses a root that `init` prepared. Opens and reads nothing.
    pub fn new(root: Root, clock: C) -> FileLedger<C> {
        FileLedger {
            root: root.for_operations(),
            clock,
            seen: OnceLock::new(),
        }
    }

    /// The root.
    #[must_use]
    pub const fn root(&self) -> &Root {
        &self.root
    }

    /// A saved value as an envelope carries it: its report is the root's own file.
    #[must_use]
    pub fn staged(&self, key: &DeliveryKey, saved: Saved) -> Staged {
        Staged {
            evaluation_id: saved.evaluation_id,
            fence: saved.fence,
            digest: saved.digest,
            publication: saved.publication,
            report: saved.report.map(|facts| ReportFile {
                path: shown(self.root.report_path(key)),
                sha256: facts.sha256,
                bytes: facts.bytes,
            }),
        }
    }
}

/// A path for an envelope: absolute where the system can say so.
fn shown(path: PathBuf) -> String {
    std::path::absolute(&path)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}

fn random() -> Result<[u8; 16], LedgerError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| LedgerError::Random(error.to_string()))?;
    Ok(bytes)
}

impl<C: Clock> DeliveryLedger for FileLedger<C> {
    type Error = LedgerError;

    fn claim(
        &mut self,
        delivery: &AcceptedDelivery,
        check: &CheckBinding,
        held: Option<&Lease>,
    ) -> Result<Claim, LedgerError> {
        Self::only(self.claim_many(&mut [ClaimRequest {
            delivery,
            check,
            held,
        }]))
    }

    fn renew(
        &mut self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
    ) -> Result<Renewal, LedgerError> {
        Self::only(self.renew_many(&mut [RenewRequest { delivery, lease }]))
    }

    fn stage(
        &mut self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
        publication: &Publication,
        report: Option<ReportInput<'_>>,
    ) -> Result<StageOutcome, LedgerError> {
        Self::only(self.stage_many(&mut [StageRequest {
            delivery,
            lease,
            publication,
            report,
        }]))
    }

    fn complete(
        &mut self,
        delivery: &AcceptedDelivery,
        saved: &Saved,
    ) -> Result<Completion, LedgerError> {
        Self::only(self.complete_many(&mut [CompleteRequest { delivery, saved }]))
    }
}
