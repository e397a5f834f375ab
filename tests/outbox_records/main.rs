//! The outbox's records and rules: what enqueue, baseline, status, retry, close, gc, doctor,
//! enable, disable and write-agent do to a host root.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    clippy::print_stdout,
    reason = "a test that panics fails, as it should"
)]

mod agent;
mod close;
#[path = "../common/mod.rs"]
mod common;
mod cost;
mod crash;
mod doctor;
mod enqueue;
mod exact;
mod failing;
mod gc;
mod hammer;
mod killed;
mod meanwhile;
mod order;
mod pins;
mod records;
mod recover;
mod retry;
mod status;
mod stop;
mod syncs;
mod world;

// The shared modules below know the figures by this name.
use common::figures;

#[path = "../killed/strace.rs"]
#[allow(dead_code, reason = "the ledger's sweep uses more of it")]
mod strace;

#[path = "../crash/medium.rs"]
#[allow(dead_code, reason = "the ledger's proof uses more of it")]
mod medium;
#[path = "../crash/states.rs"]
#[allow(dead_code, reason = "the ledger's proof uses more of it")]
mod states;
