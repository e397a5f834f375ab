//! SIGTERM and SIGINT for the commands that run something: a step that is at work ends by itself as
//! `INTERRUPTED`; a command that only waits for input ends at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use amiss::code::Code;
use amiss::process::Cancel;

use crate::failure::Failure;
use crate::stream::fail;

/// Held while a document is being answered.
static WORK: Mutex<()> = Mutex::new(());

/// Whether a step already answered that it was interrupted.
static SAID: AtomicBool = AtomicBool::new(false);

/// Marks the present document as being answered, until it is dropped.
pub fn working() -> MutexGuard<'static, ()> {
    WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on SIGTERM and SIGINT say the returned word.
pub fn listen() -> Result<Cancel, Failure> {
    Ok(Cancel::on_termination(|| {
        // Taken when the answer that was in the making has been printed.
        let _idle = working();
        if !SAID.load(Ordering::SeqCst) {
            fail(failure());
        }
        std::process::exit(i32::from(Code::Interrupted.status()));
    })?)
}

/// A step answered that it was interrupted, so nobody else has to.
pub fn said() {
    SAID.store(true, Ordering::SeqCst);
}

fn failure() -> Failure {
    Failure::new(
        Code::Interrupted,
        "SIGTERM or SIGINT ended the command; nothing was staged",
    )
    .hint("run it again")
}
