#![no_main]
#![allow(dead_code, reason = "each target uses one decoder")]

/// Where the decoders find routes and keys.
pub const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures");

#[path = "../decoders.rs"]
mod decoders;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| decoders::key_set(bytes));
