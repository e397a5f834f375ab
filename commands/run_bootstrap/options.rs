//! The flags of `run-bootstrap`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use amiss::code::Code;
use amiss::process::warden::Caps;
use clap::Args;

use crate::args::{SealArgs, duration};
use crate::failure::Failure;
use crate::ledger::ClockArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  amiss run-bootstrap --root /var/lib/amiss --plan plan.json \\
    --repository /srv/mirror.git --action-repository /srv/action.git \\
    --scratch /var/tmp/amiss < refreshed.json")]
pub struct Arguments {
    /// The record root, a private local directory
    #[arg(
        long,
        value_name = "DIR",
        env = "AMISS_ROOT",
        hide_env_values = true,
        required = false,
        required_unless_present = "doctor",
        default_value_if("doctor", "true", ".")
    )]
    pub root: PathBuf,

    /// How long to wait for a lock of the record
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub lock_timeout: Duration,

    /// The plan that the delivery was claimed with
    #[arg(
        long,
        value_name = "FILE",
        required = false,
        required_unless_present = "doctor",
        default_value_if("doctor", "true", ".")
    )]
    pub plan: PathBuf,

    /// The judged repository
    #[arg(
        long,
        value_name = "DIR",
        required = false,
        required_unless_present = "doctor",
        default_value_if("doctor", "true", ".")
    )]
    pub repository: PathBuf,

    /// The action's repository
    #[arg(
        long,
        value_name = "DIR",
        required = false,
        required_unless_present = "doctor",
        default_value_if("doctor", "true", ".")
    )]
    pub action_repository: PathBuf,

    /// Where the run's private directory is made, on a filesystem that allows execution
    #[arg(
        long,
        value_name = "DIR",
        required = false,
        required_unless_present = "doctor",
        default_value_if("doctor", "true", ".")
    )]
    pub scratch: PathBuf,

    /// Where reports are kept under their digest; the scratch directory without this
    #[arg(long, value_name = "DIR")]
    report_dir: Option<PathBuf>,

    /// The file of a template that the plan names; once for each
    #[arg(long, value_name = "NAME=FILE", value_parser = named_file)]
    semantic: Vec<(String, PathBuf)>,

    /// Hand this variable on to the bootstrap, which has no others; repeatable
    #[arg(long, value_name = "NAME")]
    pass_env: Vec<String>,

    /// Add the bootstrap's standard error to this file, 64 KiB of its head and of its tail
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// Memory: of the whole tree where the host can, else of each process's data; 512MiB for example
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    limit_memory: Option<u64>,

    /// Processes of the whole tree; an error where the host cannot
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit_processes: Option<u32>,

    /// The size of each file that is written
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    limit_file_size: Option<u64>,

    /// Open files of each process
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(3..))]
    limit_open_files: Option<u64>,

    /// Niceness, 0 to 19
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=19))]
    nice: Option<u8>,

    /// Use no cgroup, even where one could be made; the child subreaper holds the tree alone
    #[arg(long)]
    pub without_cgroup: bool,

    /// Say what this host can do, and run nothing
    #[arg(long)]
    pub doctor: bool,

    #[command(flatten)]
    pub seal: SealArgs,

    #[command(flatten)]
    pub clock: ClockArgs,
}

impl Arguments {
    pub fn report_dir(&self) -> &Path {
        self.own_report_dir().unwrap_or(&self.scratch)
    }

    /// The report directory that was named, if one was.
    pub fn own_report_dir(&self) -> Option<&Path> {
        self.report_dir.as_deref()
    }

    pub const fn caps(&self) -> Caps {
        Caps {
            memory_bytes: self.limit_memory,
            processes: self.limit_processes,
            file_bytes: self.limit_file_size,
            open_files: self.limit_open_files,
            nice: self.nice,
        }
    }

    /// The template files by name; a name given twice is refused.
    pub fn templates(&self) -> Result<BTreeMap<String, PathBuf>, Failure> {
        let mut files = BTreeMap::new();
        for (name, path) in &self.semantic {
            if files.insert(name.clone(), path.clone()).is_some() {
                let message = format!("--semantic names `{name}` twice");
                return Err(Failure::new(Code::ConfigInvalid, message));
            }
        }
        Ok(files)
    }

    /// The variables that are handed on. One that the caller has not is an error, not a silence.
    pub fn environment(&self) -> Result<Vec<(OsString, OsString)>, Failure> {
        self.pass_env
            .iter()
            .map(|name| match std::env::var_os(name) {
                Some(value) => Ok((name.into(), value)),
                None => Err(Failure::new(
                    Code::ConfigInvalid,
                    format!("--pass-env names `{name}`, which is not in the environment"),
                )),
            })
            .collect()
    }
}

fn named_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_owned(), PathBuf::from(file)))
        }
        _ => Err("give a name, `=` and a file, for example docs=docs.json".into()),
    }
}

/// A positive number of bytes, with KiB, MiB or GiB behind it or nothing.
fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || "a size is a positive number, or one with KiB, MiB or GiB".to_owned();
    let (digits, factor) = [("KiB", 1_u64 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
        .into_iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))
        .unwrap_or((text, 1));
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number
        .checked_mul(factor)
        .filter(|bytes| *bytes > 0)
        .ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_positive_whole_numbers_with_or_without_a_unit() {
        assert_eq!(bytes("12"), Ok(12));
        assert_eq!(bytes("512MiB"), Ok(512 << 20));
        for bad in ["", "0", "-1", "1.5GiB", "1MB", "MiB", "99999999999GiB"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }
}
