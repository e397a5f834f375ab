//! The command line as a whole: streams, statuses, help.
#![allow(
    clippy::arithmetic_side_effects,
    reason = "a test that overflows fails, as it should"
)]

#[path = "../common/mod.rs"]
mod common;

#[test]
fn an_unknown_command_is_the_parsers_own_error() {
    let output = common::run(&["ledgr"], "");
    assert_eq!(common::status(&output), 2);
}
