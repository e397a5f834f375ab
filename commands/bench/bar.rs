//! A bar on a terminal's standard error; nothing elsewhere.

use std::io::IsTerminal;

use amiss::bench::Watch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::stream::{Words, words};

/// The bar of one measurement.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    /// Shown only to a person who did not ask for few words.
    pub fn new() -> Bar {
        if !std::io::stderr().is_terminal() || words() == Words::Few {
            return Bar(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg:44} {bar:30} {pos}/{len}");
        Bar(Some(match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }))
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Watch for Bar {
    fn progress(&mut self, what: &str, done: u64, total: u64) {
        if let Some(bar) = &self.0 {
            if bar.message() != what {
                bar.set_message(what.to_owned());
                bar.set_length(total);
            }
            bar.set_position(done);
        }
    }
}
