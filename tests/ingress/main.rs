//! Page 2: from a raw request to an accepted delivery, or the exact reason why not.
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

mod cgi;
mod configuration;
mod differential;
mod explain;
mod github;
mod keys;
mod payloads;
mod receivers;
mod seal;
mod suite;
mod sweeps;
mod tokens;
mod vectors;
mod webhooks;
