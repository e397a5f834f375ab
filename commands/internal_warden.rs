//! `amiss internal-warden`: the process between `amiss` and a supervised program.

use amiss::code::Coded;
use amiss::process::warden;

use crate::stream::{Status, complain};

/// While a program runs it says nothing itself: its standard streams are those of the program, and
/// its owner is told over the socket that the order came on.
pub fn run() -> Status {
    match warden::serve() {
        Ok(()) => Status::OK,
        Err(error) => {
            let status = Status::of(error.code());
            complain(&error.into());
            status
        }
    }
}
