//! The delivery contract on the file ledger, on SQLite and on redb, measured beside each other and
//! beside the bare disk: alternating, in one run, printing one table. A second section, `runner`, does
//! the same with a bootstrap bare and supervised. A third, `outbox`, is what the program measures of its
//! outbox on the same disk.
//!
//!     cargo run --release --manifest-path benches/side-by-side/Cargo.toml -- --dir DIR

mod contender;
mod engine;
mod fresh;
mod in_process;
mod redb_store;
mod report;
mod runner;
mod sqlite;
mod step;

use std::path::{Path, PathBuf};
use std::process::Command;

use amiss::bench::minimal_replacement;
use anyhow::Context;
use clap::Parser;

use contender::{Contender, Places};
use report::Report;

/// Measures the same contract on the file ledger, SQLite and redb.
#[derive(Debug, Parser)]
struct Arguments {
    /// An existing folder on the disk to measure
    #[arg(long, default_value = ".")]
    dir: PathBuf,

    /// Retained rows
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 100_000])]
    rows: Vec<u64>,

    /// How often each operation is measured
    #[arg(long, default_value_t = 60)]
    samples: u64,

    /// How many deliveries a measurement of a rate takes in
    #[arg(long, default_value_t = 200)]
    batch: u64,

    /// The program; without it, it is built first
    #[arg(long)]
    amiss: Option<PathBuf>,

    /// Where the figures go as JSON
    #[arg(long)]
    json: Option<PathBuf>,

    /// Which sections
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Section::Stores, Section::Runner, Section::Outbox])]
    sections: Vec<Section>,

    /// Only fill a new folder of this name with a root and stores of so many rows
    #[arg(long)]
    seed_only: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Section {
    /// The delivery contract on three stores
    Stores,
    /// A bootstrap bare and supervised
    Runner,
    /// An enqueue, the start of a push, slow origins, an idle watcher
    Outbox,
}

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    if words.get(1).is_some_and(|word| word == "step") {
        return step::run(words.get(2..).unwrap_or_default());
    }
    let arguments = Arguments::parse();
    if let Some(folder) = &arguments.seed_only {
        std::fs::create_dir(folder)?;
        let rows = arguments.rows.first().copied().unwrap_or(1000);
        Places::seed(folder, rows, rows)?;
        return Ok(());
    }
    let program = match arguments.amiss.clone() {
        Some(program) => program,
        None => build()?,
    };
    let program = std::path::absolute(program)?;
    let dir = std::path::absolute(&arguments.dir)?;
    let place = tempfile::Builder::new()
        .prefix("side-by-side-")
        .tempdir_in(&dir)?;
    if arguments.sections.contains(&Section::Stores) {
        let report = stores(&arguments, place.path(), &program)?;
        println!("{}", report.table(&Contender::ALL));
        if let Some(path) = &arguments.json {
            std::fs::write(path, report.json()?)?;
        }
    }
    if arguments.sections.contains(&Section::Runner) {
        eprintln!("runner: bare and supervised");
        let folder = place.path().join("runner");
        std::fs::create_dir(&folder)?;
        let runs = runner::measure(&folder, &program, arguments.samples)?;
        println!("{}", runs.table());
        if let Some(path) = &arguments.json {
            let path = path.with_extension("runner.json");
            std::fs::write(path, serde_json::to_vec(&runs.json())?)?;
        }
    }
    if arguments.sections.contains(&Section::Outbox) {
        eprintln!("outbox: an enqueue, the start of a push, slow origins, an idle watcher");
        outbox(&program, place.path())?;
    }
    Ok(())
}

/// The outbox's figures, as the program itself measures and shows them. A figure over its bound is a
/// result here, so only a measurement that broke off is an error.
fn outbox(program: &Path, place: &Path) -> anyhow::Result<()> {
    let status = Command::new(program)
        .args([
            "bench",
            "outbox",
            "--rows",
            "1000",
            "--samples",
            "10",
            "--format",
            "table",
            "--dir",
        ])
        .arg(place)
        .stdin(std::process::Stdio::null())
        .status()?;
    anyhow::ensure!(status.success(), "{}: {status}", program.display());
    Ok(())
}

/// The delivery contract on the file ledger, SQLite and redb.
fn stores(arguments: &Arguments, place: &Path, program: &Path) -> anyhow::Result<Report> {
    let mut report = Report::new();
    for _ in 0..arguments.samples.max(20) {
        report.unit(minimal_replacement(place)?);
    }
    for rows in &arguments.rows {
        let folder = place.join(rows.to_string());
        std::fs::create_dir(&folder)?;
        eprintln!("{rows} rows: writing them");
        let room = arguments.samples * 2 + arguments.batch * 40;
        let mut places = Places::seed(&folder, *rows, room)?;
        eprintln!("{rows} rows: one operation at a time, in process");
        in_process::singles(&mut places, arguments.samples, &mut report)?;
        eprintln!("{rows} rows: a fresh process for every operation");
        fresh::singles(&mut places, program, arguments.samples, &mut report)?;
        eprintln!("{rows} rows: one and four workers, in process");
        in_process::rates(&mut places, arguments.batch, &mut report)?;
        eprintln!("{rows} rows: one and four workers, fresh processes");
        fresh::rates(&mut places, program, arguments.batch, &mut report)?;
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(report)
}

/// Builds the program as it is released.
fn build() -> anyhow::Result<PathBuf> {
    let top = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let status = Command::new("cargo")
        .args(["build", "--release", "--locked", "--manifest-path"])
        .arg(top.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(top.join("target"))
        .status()
        .context("cargo build")?;
    anyhow::ensure!(status.success(), "the program was not built");
    Ok(top.join("target/release/amiss"))
}
