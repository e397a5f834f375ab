//! The documentation is true: every command block runs, every example fits its schema, every link
//! leads somewhere, every promise has its test.
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

mod blocks;
mod commands;
mod dependencies;
mod examples;
mod guarantees;
mod helps;
mod installer;
mod links;
mod outbox;
mod validator;
