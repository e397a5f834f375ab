//! Crash states (page 8, part 2): what `durable` did is replayed on a medium that keeps only what
//! was synced, and every state that a crash may leave there is built, opened and checked.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    clippy::print_stdout,
    clippy::match_wildcard_for_single_variants,
    reason = "a test that panics fails, as it should"
)]

mod batch;
mod builder;
mod by_hand;
mod doubt;
#[path = "../common/figures.rs"]
mod figures;
#[allow(dead_code, reason = "the killed processes use the rest")]
mod judge;
mod ledger;
mod medium;
mod oracle;
mod outbox;
mod play;
mod scene;
mod states;
