//! A bar on a terminal's standard error; nothing elsewhere.

use std::io::IsTerminal;

use amiss::bench::{BenchError, Watch};
use amiss::process::Cancel;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::stream::{Words, words};

/// The bar of one measurement, which ends when the word is said.
pub struct Bar {
    bar: Option<ProgressBar>,
    cancel: Cancel,
}

impl Bar {
    /// Shown only to a person who did not ask for few words.
    pub fn new(cancel: Cancel) -> Bar {
        if !std::io::stderr().is_terminal() || words() == Words::Few {
            return Bar { bar: None, cancel };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg:44} {bar:30} {pos}/{len}");
        let bar = match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        };
        Bar {
            bar: Some(bar),
            cancel,
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Watch for Bar {
    fn progress(&mut self, what: &str, done: u64, total: u64) -> Result<(), BenchError> {
        if self.cancel.is_cancelled() {
            return Err(BenchError::Interrupted);
        }
        if let Some(bar) = &self.bar {
            if bar.message() != what {
                bar.set_message(what.to_owned());
                bar.set_length(total);
            }
            bar.set_position(done);
        }
        Ok(())
    }
}
