//! `amiss ledger cleanup`.

use std::path::PathBuf;

use amiss::ledger::file::{Cleaned, Mode};
use amiss::run::scratch::sweep;
use clap::Args;
use serde::Serialize;

use super::open::{ClockArgs, ExpectArgs, open_root};
use crate::args::RootArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, fail};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  17 * * * *  amiss ledger cleanup --root /var/lib/amiss >> /var/log/amiss.log")]
pub struct Arguments {
    #[command(flatten)]
    root: RootArgs,
    #[command(flatten)]
    expect: ExpectArgs,
    #[command(flatten)]
    clock: ClockArgs,
    /// Report the same counts and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Remove the scratch directories of dead runs in this folder too
    #[arg(long, value_name = "DIR", conflicts_with = "dry_run")]
    scratch: Option<PathBuf>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Printed {
    cleanup: CleanupMember,
    /// Scratch directories of dead runs, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    scratch: Option<ScratchMember>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct ScratchMember {
    removed: u64,
    kept: u64,
}

/// What a cleanup did, as `cleanup` and `init` print it.
#[derive(Serialize, schemars::JsonSchema)]
pub struct CleanupMember {
    removed_records: u64,
    removed_reports: u64,
    removed_temporary: u64,
    kept: KeptMember,
    clock_high_water_unix_millis: i64,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct KeptMember {
    running: u64,
    saved: u64,
    done_permanent: u64,
    done_bounded: u64,
}

impl CleanupMember {
    pub fn of(cleaned: &Cleaned) -> CleanupMember {
        CleanupMember {
            removed_records: cleaned.removed_records,
            removed_reports: cleaned.removed_reports,
            removed_temporary: cleaned.removed_temporary,
            kept: KeptMember {
                running: cleaned.kept.running,
                saved: cleaned.kept.saved,
                done_permanent: cleaned.kept.done_permanent,
                done_bounded: cleaned.kept.done_bounded,
            },
            clock_high_water_unix_millis: cleaned.high_water.get(),
        }
    }
}

pub fn run(arguments: &Arguments) -> Status {
    match cleanup(arguments) {
        Ok(printed) => Output::new().print(&printed),
        Err(failure) => fail(failure),
    }
}

fn cleanup(arguments: &Arguments) -> Result<Printed, Failure> {
    let root = open_root(&arguments.root, &arguments.expect, Some(&arguments.clock))?;
    let mode = if arguments.dry_run {
        Mode::DryRun
    } else {
        Mode::Act
    };
    let cleaned = root.cleanup(&*arguments.clock.time.clock(), mode)?;
    let scratch = match &arguments.scratch {
        Some(folder) => Some(sweep(folder)?),
        None => None,
    };
    Ok(Printed {
        cleanup: CleanupMember::of(&cleaned),
        scratch: scratch.map(|swept| ScratchMember {
            removed: swept.removed,
            kept: swept.kept,
        }),
    })
}
