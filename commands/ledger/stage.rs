//! `amiss ledger stage`.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;

use amiss::clock::Clock;
use amiss::delivery::{
    AcceptedDelivery, Delivery, Envelope, Lease, Outcome, ReportFile, RunFacts, SealKey,
};
use amiss::ledger::file::{Answers, FileLedger, StageRequest};
use amiss::ledger::{ReportFacts, ReportInput, StageOutcome};
use amiss::run::conclusion::{Verdict, conclude};
use clap::Args;

use super::batch::{self, Step};
use super::lost::lost;
use super::open::LedgerArgs;
use crate::args::SealArgs;
use crate::failure::Failure;
use crate::stream::{Status, each_batch, fail};

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
    let opened = arguments.ledger.open();
    let step = StageStep { key };
    each_batch(|envelopes| batch::answer(&step, &opened, envelopes))
}

struct StageStep {
    key: Option<SealKey>,
}

struct Prepared {
    delivery: AcceptedDelivery,
    lease: Lease,
    verdict: Verdict,
}

/// Reports of a batch that are held back from their names together, in bytes. More than that is
/// staged one by one: nobody should wait for other people's long reports.
const TOGETHER_BYTES: u64 = 4 * 1024 * 1024;

impl Step for StageStep {
    type Prepared = Prepared;
    type Answered = StageOutcome;

    fn prepare(&self, envelope: &Envelope) -> Result<Option<Prepared>, Failure> {
        if !envelope.has("lease") {
            return Ok(None);
        }
        let delivery: Delivery = envelope.need("delivery")?;
        let delivery = delivery.accept(self.key.as_ref())?;
        let lease: Lease = envelope.need("lease")?;
        let run: RunFacts = envelope.need("run")?;
        let outcome: Outcome = envelope.need("outcome")?;
        let recheck: RunFacts = envelope.need("recheck")?;
        let verdict = conclude(&delivery, &lease.check, &run, &outcome, &recheck)?;
        Ok(Some(Prepared {
            delivery,
            lease,
            verdict,
        }))
    }

    fn act(
        &self,
        ledger: &FileLedger<Box<dyn Clock>>,
        prepared: &mut [Prepared],
    ) -> Answers<StageOutcome> {
        let bytes = prepared
            .iter()
            .filter_map(|one| one.verdict.report.as_ref())
            .fold(0_u64, |sum, report| sum.saturating_add(report.bytes));
        if bytes > TOGETHER_BYTES {
            let each = prepared.chunks(1).flat_map(|one| match stage(ledger, one) {
                Ok(answers) => answers,
                Err(error) => vec![Err(error)],
            });
            return Ok(each.collect());
        }
        stage(ledger, prepared)
    }

    fn write(
        &self,
        ledger: &FileLedger<Box<dyn Clock>>,
        envelope: &mut Envelope,
        prepared: &Prepared,
        answered: Result<StageOutcome, Failure>,
    ) -> Result<Option<Failure>, Failure> {
        match answered? {
            StageOutcome::Staged(saved) => {
                let staged = ledger.staged(prepared.delivery.key(), *saved);
                envelope.set("staged", &staged)?;
                Ok(None)
            }
            StageOutcome::Lost(reason) => Err(lost(&prepared.delivery, "the lease", reason)),
        }
    }
}

fn stage(ledger: &FileLedger<Box<dyn Clock>>, prepared: &[Prepared]) -> Answers<StageOutcome> {
    let mut sources: Vec<_> = prepared
        .iter()
        .map(|one| one.verdict.report.as_ref().map(ReportSource::new))
        .collect();
    let mut requests: Vec<_> = prepared
        .iter()
        .zip(&mut sources)
        .map(|(one, source)| StageRequest {
            delivery: &one.delivery,
            lease: &one.lease,
            publication: &one.verdict.publication,
            report: source.as_mut().map(|source| ReportInput {
                expected: ReportFacts {
                    sha256: source.report.sha256.clone(),
                    bytes: source.report.bytes,
                },
                source,
            }),
        })
        .collect();
    ledger.stage_many(&mut requests)
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
