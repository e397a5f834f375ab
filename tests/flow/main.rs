//! The whole flow through the real binary: pages 1 and 4.
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

mod kinds;
mod pipeline;
mod stopped;
mod tampered;
