//! `amiss internal-warden`: the process between `amiss` and a supervised program.

use amiss::code::Coded;
use amiss::process::warden;

use crate::stream::Status;

/// Says nothing itself: its standard streams are those of the program, and its owner is told over
/// the socket that the order came on.
pub fn run() -> Status {
    match warden::serve() {
        Ok(()) => Status::OK,
        Err(error) => Status::of(error.code()),
    }
}
