//! `amiss help`.

use std::ffi::OsString;

use amiss::code::{Code, STATUSES};
use clap::Args;

use crate::cli;
use crate::stream::{Output, Status};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss help statuses")]
pub struct Arguments {
    /// A command, or `statuses`
    #[arg(value_name = "COMMAND")]
    topic: Vec<String>,
}

pub fn run(arguments: Arguments) -> Status {
    if arguments.topic == ["statuses"] {
        return Output::new().write_line(&statuses());
    }
    let words = std::iter::once("amiss".to_owned())
        .chain(arguments.topic)
        .chain(std::iter::once("--help".to_owned()));
    cli::start(words.map(OsString::from))
}

/// The table of page 1.3.
fn statuses() -> String {
    let mut lines = vec![
        "The exit status follows from `error.code` of the answer; of several documents the first"
            .into(),
        "that failed decides. `amiss explain CODE` says more about a code.".into(),
        String::new(),
        "status  meaning for a script, and the codes".into(),
    ];
    for (status, meaning) in STATUSES {
        lines.push(format!("{status:>6}  {meaning}"));
        let names = Code::ALL
            .iter()
            .filter(|code| code.status() == *status)
            .map(|code| code.name());
        lines.extend(wrapped(names).map(|line| format!("          {line}")));
    }
    lines.join("\n")
}

/// Words in lines of at most 80 letters.
fn wrapped<'a>(words: impl Iterator<Item = &'a str>) -> impl Iterator<Item = String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len().saturating_add(word.len()) < 80 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.into_iter()
}
