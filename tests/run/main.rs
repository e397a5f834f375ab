//! Refresh, the supervised run and publication (page 4), by the real binary with real children.
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

mod flow;
mod killed;
mod leases;
mod limits;
mod many;
mod mixups;
mod objects;
mod places;
mod publishers;
mod publishing;
mod refresh;
mod scene;
mod trees;
mod verdicts;
