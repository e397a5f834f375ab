//! The delivery ledger through the real binary (pages 3 and 3b).
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

#[path = "../common/mod.rs"]
mod common;

mod batch;
mod by_hand;
mod contract;
mod exact;
mod fair;
mod faults;
mod filesystems;
mod flow;
mod frames;
mod memory;
mod remedies;
mod roots;
mod rules;
mod scarce;
mod scene;
mod syncs;
