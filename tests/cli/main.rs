//! The command line as a whole: streams, statuses, help, and the pages made from it.
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

mod at_once;
mod explain;
mod generated;
mod help;
mod inputs;
mod mistakes;
mod streams;
mod suite;
