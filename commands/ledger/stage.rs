//! `amiss ledger stage`.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;

use amiss::clock::Clock;
use amiss::delivery::{Delivery, Envelope, Lease, Outcome, ReportFile, RunFacts, SealKey};
use amiss::ledger::file::FileLedger;
use amiss::ledger::{DeliveryLedger, ReportFacts, ReportInput, StageOutcome};
use amiss::run::conclusion::conclude;
use clap::Args;

use super::lost::lost;
use super::open::LedgerArgs;
use crate::args::SealArgs;
use crate::failure::Failure;
use crate::stream::{Answer, Status, each_envelope, fail};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss ledger stage --root /var/lib/amiss < rechecked.json")]
pub struct Arguments {
    #[command(flatten)]
    ledger: LedgerArgs,
    #[command(flatten)]
    seal: SealArgs,
}

pub fn run(arguments: &Arguments) -> Status {
    let key = match arguments.seal.load() {
        Ok(key) => key,
        Err(failure) => return fail(failure),
    };
    let mut ledger = arguments.ledger.open();
    each_envelope(|mut envelope| {
        if !envelope.has("lease") {
            return Answer::done(envelope);
        }
        match stage(&mut envelope, &mut ledger, key.as_ref()) {
            Ok(()) => Answer::done(envelope),
            Err(failure) => Answer::refused(envelope, failure),
        }
    })
}

fn stage(
    envelope: &mut Envelope,
    ledger: &mut Result<FileLedger<Box<dyn Clock>>, Failure>,
    key: Option<&SealKey>,
) -> Result<(), Failure> {
    let delivery = envelope.need::<Delivery>("delivery")?.accept(key)?;
    let lease: Lease = envelope.need("lease")?;
    let run: RunFacts = envelope.need("run")?;
    let outcome: Outcome = envelope.need("outcome")?;
    let recheck: RunFacts = envelope.need("recheck")?;
    let verdict = conclude(&delivery, &lease.check, &run, &outcome, &recheck)?;
    let ledger = ledger.as_mut().map_err(|failure| failure.clone())?;
    let mut source = verdict.report.as_ref().map(ReportSource::new);
    let report = source.as_mut().map(|source| ReportInput {
        expected: ReportFacts {
            sha256: source.report.sha256.clone(),
            bytes: source.report.bytes,
        },
        source,
    });
    match ledger.stage(&delivery, &lease, &verdict.publication, report)? {
        StageOutcome::Staged(saved) => {
            let staged = ledger.staged(delivery.key(), *saved);
            envelope.set("staged", &staged)?;
            Ok(())
        }
        StageOutcome::Lost(reason) => Err(lost(&delivery, "the lease", reason)),
    }
}

/// The report's file, opened when its first byte is asked for: a stage that was done before needs
/// it no more.
struct ReportSource<'a> {
    report: &'a ReportFile,
    file: Option<File>,
}

impl<'a> ReportSource<'a> {
    const fn new(report: &'a ReportFile) -> ReportSource<'a> {
        ReportSource { report, file: None }
    }

    fn open(&self) -> std::io::Result<File> {
        // A pipe under this name must not hold us before its kind is known.
        let nonblock = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(nonblock)
            .open(&self.report.path)
            .map_err(|error| {
                std::io::Error::new(error.kind(), format!("{}: {error}", self.report.path))
            })?;
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(std::io::Error::new(
                std::io::ErrorKind::InvalidInput,
                format!("{} is not a regular file", self.report.path),
            ))
        }
    }
}

impl Read for ReportSource<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => self.open()?,
        };
        let count = file.read(buffer)?;
        self.file = Some(file);
        Ok(count)
    }
}
