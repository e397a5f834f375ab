//! The command line as a whole: streams, statuses, help.
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

#[test]
fn an_unknown_command_is_the_parsers_own_error() {
    let output = common::run(&["ledgr"], "");
    assert_eq!(common::status(&output), 2);
}
