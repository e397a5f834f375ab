//! `amiss man`.

use std::fs;
use std::path::{Path, PathBuf};

use amiss::code::Code;
use clap::Args;
use serde::Serialize;

use crate::cli;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss man ./man && man ./man/amiss-ledger-claim.1")]
pub struct Arguments {
    /// Where the pages go, one a command; made if it is not there
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Answer<'a> {
    man: Written<'a>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Written<'a> {
    directory: &'a Path,
    pages: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Status {
    match write(&arguments.directory) {
        Ok(pages) => Output::new().print(&Answer {
            man: Written {
                directory: &arguments.directory,
                pages,
            },
        }),
        Err(failure) => fail(failure),
    }
}

fn write(directory: &Path) -> Result<Vec<String>, Failure> {
    fs::create_dir_all(directory).map_err(|error| refused(directory, &error))?;
    let mut root = cli::tree().disable_help_subcommand(true);
    root.build();
    let mut names = Vec::new();
    for command in with_descendants(&root) {
        let page = clap_mangen::Man::new(command.clone()).manual("amiss");
        let name = page.get_filename();
        let path = directory.join(&name);
        let mut text = Vec::new();
        page.render(&mut text)
            .and_then(|()| fs::write(&path, &text))
            .map_err(|error| refused(&path, &error))?;
        names.push(name);
    }
    Ok(names)
}

/// A command and all commands under it that people use, the outer one first.
fn with_descendants(command: &clap::Command) -> Vec<&clap::Command> {
    let mut found = vec![command];
    for inner in command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
    {
        // `amiss help` is a command; the parser's own `amiss ledger help` says nothing new.
        if inner.get_name() != "help" || command.get_name() == "amiss" {
            found.extend(with_descendants(inner));
        }
    }
    found
}

fn refused(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(
        Code::Io,
        format!("cannot write {}: {error}", path.display()),
    )
}
