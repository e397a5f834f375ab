//! `amiss bench`: measures this disk (page 6.2).

use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use amiss::bench::{self, BenchError, Options, Part, Settings};
use amiss::code::Code;
use amiss::json::MAX_CONFIG_BYTES;
use amiss::process::Cancel;
use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

mod bar;
mod table;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss bench ledger --dir /var/lib --rows 1000 --samples 5 > before.json

The options may also come as one JSON document on standard input:
  {\"dir\":\"/var/lib\",\"rows\":[1000,100000],\"samples\":30,\"compare\":\"before.json\"}
A flag wins over the document. Everything is measured in a new folder inside DIR, which is removed
afterwards. A replacement is one small file replaced durably in that folder, measured immediately
before each operation: ratios to it can be compared between machines and moments, times cannot.")]
pub struct Arguments {
    /// What to measure
    #[arg(value_name = "PART", default_value = "ledger")]
    part: PartName,

    /// An existing folder on the disk to measure [default: the present folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// How many entries there are already, one or more numbers; not for ingress [default: 1000,10000,50000,100000; for outbox 1000,10000]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=bench::MAX_ROWS))]
    rows: Option<Vec<u64>>,

    /// How often each operation is measured [default: 30]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(bench::MAX_SAMPLES)))]
    samples: Option<u32>,

    /// Add the ratio of every figure to that of an earlier answer
    #[arg(long, value_name = "OLD.json")]
    compare: Option<PathBuf>,

    /// A table on a terminal and JSON elsewhere, unless said
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PartName {
    /// The delivery record
    Ledger,
    /// Authenticating a request
    Ingress,
    /// The origin outbox
    Outbox,
}

impl From<PartName> for Part {
    fn from(name: PartName) -> Part {
        match name {
            PartName::Ledger => Part::Ledger,
            PartName::Ingress => Part::Ingress,
            PartName::Outbox => Part::Outbox,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Json,
    Table,
}

pub fn run(arguments: Arguments) -> Status {
    let mut output = Output::new();
    let format = arguments.format.unwrap_or(if output.is_terminal() {
        Format::Table
    } else {
        Format::Json
    });
    match measure(arguments) {
        Ok(document) => {
            for warning in &document.bench.warnings {
                crate::stream::note(&format!("amiss: warning: {}", warning.message));
            }
            match format {
                Format::Json => output.print(&document),
                Format::Table => output.write_line(&table::render(&document.bench)),
            }
        }
        Err(failure) => fail(failure),
    }
}

fn measure(arguments: Arguments) -> Result<bench::Document, Failure> {
    let flags = Settings {
        dir: arguments.dir,
        rows: arguments.rows,
        samples: arguments.samples,
        compare: arguments.compare,
    };
    let settings = flags.or(from_input()?);
    let compare = settings.compare.clone();
    let program = std::env::current_exe().map_err(|error| {
        Failure::new(
            Code::Io,
            format!("cannot find this program's own file: {error}"),
        )
    })?;
    let options = Options::new(arguments.part.into(), settings, Some(program))?;
    // Ctrl-C ends it by way of an error, so that the folder with its rows goes too.
    let cancel = Cancel::on_termination(|| {})?;
    let mut bar = bar::Bar::new(cancel.clone());
    let document = bench::run(&options, compare.as_deref(), &mut bar);
    bar.finish();
    match document {
        // What it had started heard the signal too, and may have ended first.
        Err(_) if cancel.is_cancelled() => Err(BenchError::Interrupted.into()),
        other => Ok(other?),
    }
}

/// The options document; no input at all is no options.
fn from_input() -> Result<Settings, Failure> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Ok(Settings::default());
    }
    let ceiling = u64::try_from(MAX_CONFIG_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    stdin
        .lock()
        .take(ceiling.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::new(Code::Io, format!("cannot read the options: {error}")))?;
    if bytes.len() > MAX_CONFIG_BYTES {
        return Err(Failure::new(
            Code::InputTooLarge,
            format!("the options are over their ceiling of {MAX_CONFIG_BYTES} bytes"),
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        Failure::new(
            Code::InputMalformed,
            format!("the options are not UTF-8: {error}"),
        )
    })?;
    if text.trim().is_empty() {
        return Ok(Settings::default());
    }
    Ok(Settings::parse(&text)?)
}
