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

mod github;
mod receivers;
mod seal;
mod tokens;
mod vectors;
mod webhooks;
