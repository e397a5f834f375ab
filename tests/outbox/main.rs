//! The pump against real origins: what arrives, what is refused and how, what a stop, a race or a
//! dead origin costs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    clippy::print_stdout,
    clippy::format_push_string,
    dead_code,
    reason = "a test that panics fails, as it should; scenes are shared"
)]

#[path = "../common/mod.rs"]
mod common;
mod credentials;
mod delivery;
mod failures;
mod kill;
mod origins;
mod process;
mod scene;
mod wake;
mod watch;
#[path = "../outbox_records/world.rs"]
mod world;
