//! `amiss completions`.

use clap::Args;
use clap_complete::Shell;

use crate::cli;
use crate::stream::{Output, Status};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss completions bash > amiss.bash")]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

pub fn run(arguments: &Arguments) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut cli::shown(), "amiss", &mut script);
    Output::new().write_line(String::from_utf8_lossy(&script).trim_end())
}
