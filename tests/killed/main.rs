//! Killed processes and failing system calls (page 8, part 3): the real binary is stopped before
//! every system call that touches its root, and so after every one; each of those calls fails once
//! with each error. Then the work is taken up again. Needs `strace`.
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

// The judge of crash states judges here too.
#[allow(dead_code, reason = "the crash states use the rest")]
#[path = "../crash/judge.rs"]
mod judge;
#[allow(dead_code, reason = "the crash states use the rest")]
#[path = "../crash/medium.rs"]
mod medium;
#[path = "../crash/oracle.rs"]
mod oracle;
#[allow(dead_code, reason = "the crash states use the rest")]
#[path = "../crash/play.rs"]
mod play;
#[allow(dead_code, reason = "the crash states use the rest")]
#[path = "../crash/scene.rs"]
mod scene;
#[allow(dead_code, reason = "the crash states use the rest")]
#[path = "../crash/states.rs"]
mod states;

mod case;
mod disk;
#[path = "../common/figures.rs"]
mod figures;
mod history;
mod ledger;
mod moved;
mod order;
mod station;
mod strace;
