//! Bad input (page 8, part 5): every decoder on its whole corpus, and on every small change of it:
//! each bit flipped, each byte taken away, each foreign byte appended. With `AMISS_LONG=1` each is
//! fuzzed for a minute besides.
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

/// Where the decoders find routes and keys.
pub const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");

#[path = "../../fuzz/decoders.rs"]
mod decoders;

#[path = "../common/figures.rs"]
mod figures;
mod fuzz;
mod known_faults;
mod leftovers;
mod sweep;
