//! The delivery ledger: who may evaluate a delivery now, and which exact result a retry publishes
//! (page 3).
//!
//! [`contract`] is the whole coordination contract and names no file; [`mod@file`] keeps it in ordinary
//! files, [`memory`] in none.

pub mod contract;
pub mod file;
pub mod memory;

pub use contract::{
    BoundMember, Claim, Completion, DeliveryLedger, LostReason, Renewal, ReportFacts, ReportInput,
    Saved, StageOutcome,
};
