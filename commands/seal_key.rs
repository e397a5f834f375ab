//! `amiss seal-key`: makes the key that carries a proof across processes (page 2.5).

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use amiss::code::Code;
use amiss::delivery::{Envelope, SealKey};
use clap::Args;
use serde::Serialize;

use crate::failure::Failure;
use crate::stream::{Answer, Output, Status, fail, finish};

const EXAMPLE: &str = "Example:
  amiss seal-key seal.key
  amiss ingress-verify --route github.route.json \\
    --seal-key seal.key < request.json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    /// The file to make, readable by you alone; one that is there stays as it is
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Made<'a> {
    path: &'a Path,
}

pub fn run(arguments: &Arguments) -> Status {
    match make(&arguments.file) {
        Ok(envelope) => finish(Answer::done(envelope), &mut Output::new()),
        Err(failure) => fail(failure),
    }
}

fn make(path: &Path) -> Result<Envelope, Failure> {
    let failed = |what: &str, error: std::io::Error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            let message = format!("{} is there already; a key is not replaced", path.display());
            Failure::new(Code::ConfigInvalid, message).hint("name a new file")
        } else {
            let message = format!("cannot {what} {}: {error}", path.display());
            let failure = Failure::new(Code::Io, message);
            if error.kind() == std::io::ErrorKind::NotFound {
                let folder = folder_of(path).display();
                return failure.hint(format!("mkdir -m 700 {folder}"));
            }
            failure
        }
    };
    let key = SealKey::random_file_text().map_err(|error| {
        Failure::new(
            Code::Io,
            format!("the system gives no random bytes: {error}"),
        )
    })?;
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| failed("make", error))?;
    let written = file
        .write_all(key.as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| File::open(folder_of(path))?.sync_all());
    if let Err(error) = written {
        // A key that may be cut short must not be found by the next command.
        let _ = std::fs::remove_file(path);
        return Err(failed("write", error));
    }
    let mut envelope = Envelope::new();
    envelope.set("seal_key", &Made { path })?;
    Ok(envelope)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
