//! The operations of the record and what each may cost (page 6.1).

use super::document::Bound;
use super::samples::{Samples, round};

/// One operation on one delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    ClaimNew,
    ClaimBusy,
    Renew,
    ClaimReclaim,
    Stage,
    ClaimPublish,
    Complete,
    ClaimDuplicate,
    ClaimFull,
}

impl Operation {
    /// In the order of a delivery's life.
    pub(super) const ALL: [Operation; 9] = [
        Operation::ClaimNew,
        Operation::ClaimBusy,
        Operation::Renew,
        Operation::ClaimReclaim,
        Operation::Stage,
        Operation::ClaimPublish,
        Operation::Complete,
        Operation::ClaimDuplicate,
        Operation::ClaimFull,
    ];

    /// Its name in the answer.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Operation::ClaimNew => "claim new",
            Operation::ClaimBusy => "claim busy",
            Operation::Renew => "renew",
            Operation::ClaimReclaim => "claim reclaimed",
            Operation::Stage => "stage 10 KiB",
            Operation::ClaimPublish => "claim publish",
            Operation::Complete => "complete",
            Operation::ClaimDuplicate => "claim duplicate",
            Operation::ClaimFull => "claim full",
        }
    }

    /// Syncs, and replacements, at most.
    pub(super) const fn limits(self) -> (u64, f64) {
        match self {
            Operation::ClaimNew => (5, 2.2),
            Operation::ClaimReclaim | Operation::Renew => (3, 1.5),
            Operation::ClaimBusy | Operation::ClaimPublish | Operation::ClaimDuplicate => (0, 0.1),
            Operation::ClaimFull => (0, 0.15),
            Operation::Stage => (4, 2.2),
            Operation::Complete => (2, 1.3),
        }
    }

    /// The bound, and whether a measurement is within it. `hashing` is what its report's digests
    /// alone take of a replacement: page 6.1 lets a publish have that on top.
    pub(super) fn bound(
        self,
        syncs: Option<u64>,
        of_a_replacement: Option<f64>,
        hashing: f64,
    ) -> Bound {
        let (most_syncs, most_replacements) = self.limits();
        let most_replacements = match self {
            Operation::ClaimPublish => round(most_replacements + hashing),
            _ => most_replacements,
        };
        Bound {
            syncs: Some(most_syncs),
            of_a_replacement: Some(most_replacements),
            held: syncs.is_none_or(|count| count <= most_syncs)
                && of_a_replacement.is_none_or(|ratio| ratio <= most_replacements),
            ..Bound::default()
        }
    }
}

/// What was measured of one operation.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub operation: Operation,
    /// The operation.
    pub times: Samples,
    /// The replacement immediately before each.
    pub units: Samples,
    pub syncs: Option<u64>,
}

impl Measured {
    pub(super) fn all() -> Vec<Measured> {
        Operation::ALL
            .into_iter()
            .map(|operation| Measured {
                operation,
                times: Samples::new(),
                units: Samples::new(),
                syncs: None,
            })
            .collect()
    }
}
