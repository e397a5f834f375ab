//! `amiss schema`.

mod catalogue;
mod shapes;

use std::fs;
use std::path::{Path, PathBuf};

use amiss::code::Code;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use serde_json::{Map, Value};

use self::catalogue::{CATALOGUE, Entry};
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss schema plan")]
pub struct Arguments {
    /// The schema's name; without one, all of them in one object by name
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(CATALOGUE.iter().map(|entry| entry.name)))]
    name: Option<String>,

    /// Write all of them as files NAME.json into this directory instead
    #[arg(long, value_name = "DIR", conflicts_with = "name")]
    directory: Option<PathBuf>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Answer<'a> {
    schema: Written<'a>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Written<'a> {
    directory: &'a Path,
    files: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Status {
    if let Some(directory) = &arguments.directory {
        return match write(directory) {
            Ok(files) => Output::new().print(&Answer {
                schema: Written { directory, files },
            }),
            Err(failure) => fail(failure),
        };
    }
    let chosen = arguments.name.as_deref();
    let one = CATALOGUE.iter().find(|entry| Some(entry.name) == chosen);
    let Some(entry) = one else {
        let all: Map<String, Value> = CATALOGUE
            .iter()
            .map(|entry| (entry.name.to_owned(), entry.schema()))
            .collect();
        return Output::new().print(&all);
    };
    Output::new().print(&entry.schema())
}

fn write(directory: &Path) -> Result<Vec<String>, Failure> {
    let refused = |path: &Path, error: &std::io::Error| {
        Failure::new(
            Code::Io,
            format!("cannot write {}: {error}", path.display()),
        )
    };
    fs::create_dir_all(directory).map_err(|error| refused(directory, &error))?;
    CATALOGUE
        .iter()
        .map(|entry| {
            let name = format!("{}.json", entry.name);
            let path = directory.join(&name);
            fs::write(&path, text(entry)?).map_err(|error| refused(&path, &error))?;
            Ok(name)
        })
        .collect()
}

/// The file's text: indented, one final line feed.
fn text(entry: &Entry) -> Result<String, Failure> {
    let mut text = serde_json::to_string_pretty(&entry.schema()).map_err(|error| {
        Failure::new(
            Code::Internal,
            format!("the schema {} has no text: {error}", entry.name),
        )
    })?;
    text.push('\n');
    Ok(text)
}
