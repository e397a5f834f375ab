//! Real origins, and origins that misbehave. Everything listens on loopback only and ends with the
//! value that started it.

pub mod bad;
pub mod http;
pub mod ssh;
