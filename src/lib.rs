//! The parts of `amiss`: a durable delivery record, authenticated ingress, a supervised run and a
//! push outbox, usable without the command line.
//!
//! Dependencies run one way: `commands` → (`ingress`, `ledger`, `run`, `outbox`) → `delivery` →
//! (`durable`, `git`, `clock`, `process`). Nothing here prints, exits the process or keeps global
//! state.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::string_slice))]

pub mod bench;
pub mod clock;
pub mod code;
pub mod delivery;
pub mod durable;
pub mod git;
pub mod ingress;
pub mod json;
pub mod ledger;
pub mod outbox;
pub mod plan;
pub mod process;
pub mod run;
pub mod secret;
