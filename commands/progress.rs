//! How far a long scan is, for a person.

use std::io::IsTerminal;
use std::sync::{Arc, OnceLock};

use crate::stream::{Words, words};

/// A scan over more entries than this shows how far it is.
const WORTH_A_BAR: u64 = 10_000;

/// A bar for long scans, on a terminal's standard error only; it is told how many were seen.
pub fn progress() -> Arc<dyn Fn(u64) + Send + Sync> {
    if !std::io::stderr().is_terminal() || words() == Words::Few {
        return Arc::new(|_| {});
    }
    let bar = OnceLock::new();
    Arc::new(move |seen| {
        if seen > WORTH_A_BAR {
            bar.get_or_init(|| {
                indicatif::ProgressBar::new_spinner()
                    .with_finish(indicatif::ProgressFinish::AndClear)
            })
            .set_position(seen);
        }
    })
}
