//! Where a table reads better for a person: a table on a terminal, JSON elsewhere (page 1.6).

use std::io::IsTerminal;

use clap::{Args, ValueEnum};

/// How the answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One JSON document a line
    Json,
    /// A table
    Table,
}

#[derive(Debug, Clone, Args)]
pub struct FormatArgs {
    /// A table on a terminal and JSON elsewhere, unless said here
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,
}

impl FormatArgs {
    /// The format of this call.
    pub fn chosen(&self) -> Format {
        self.format.unwrap_or(if std::io::stdout().is_terminal() {
            Format::Table
        } else {
            Format::Json
        })
    }
}
