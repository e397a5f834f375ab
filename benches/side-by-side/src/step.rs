//! One operation of SQLite or redb as a process of its own: envelope in, envelope out, as `amiss`
//! does it. Its arguments are read by hand, so that it starts as fast as a program can.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use amiss::clock::SystemClock;
use amiss::delivery::{
    CheckBinding, Delivery, Envelope, Lease, Outcome, ReportFile, RunFacts, Staged,
};
use amiss::ledger::{
    Claim, Completion, DeliveryLedger, Renewal, ReportFacts, ReportInput, Saved, StageOutcome,
};
use amiss::run::conclusion::conclude;

use crate::engine::StoreLedger;
use crate::redb_store::Redb;
use crate::sqlite::Sqlite;

/// `step STORE WORD FOLDER CHECK`, or `step empty`.
pub fn run(words: &[String]) -> anyhow::Result<()> {
    let word = |index: usize| words.get(index).map_or("", String::as_str);
    if word(0) == "empty" {
        return Ok(());
    }
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    let mut envelope = Envelope::parse(text.trim())?;
    let folder = Path::new(word(2));
    match word(0) {
        "sqlite" => {
            let store = Sqlite::open(folder)?;
            step(&mut envelope, store_ledger(store), word(1), word(3))?;
        }
        "redb" => {
            let store = Redb::open(folder)?;
            step(&mut envelope, store_ledger(store), word(1), word(3))?;
        }
        other => anyhow::bail!("no store {other}"),
    }
    let mut line = serde_json::to_vec(&envelope)?;
    line.push(b'\n');
    let mut out = std::io::stdout().lock();
    out.write_all(&line)?;
    out.flush()?;
    Ok(())
}

fn store_ledger<S>(store: S) -> StoreLedger<S, SystemClock> {
    StoreLedger {
        store,
        clock: SystemClock,
    }
}

fn step<L: DeliveryLedger>(
    envelope: &mut Envelope,
    mut ledger: L,
    word: &str,
    check: &str,
) -> anyhow::Result<()>
where
    L::Error: Send + Sync + 'static,
{
    let delivery = envelope.need::<Delivery>("delivery")?.accept(None)?;
    match word {
        "claim" => {
            let check: CheckBinding = serde_json::from_slice(&std::fs::read(check)?)?;
            let Claim::Execute(lease) = ledger.claim(&delivery, &check, None)? else {
                anyhow::bail!("not claimed");
            };
            envelope.set("claim", &serde_json::json!({"result": "execute"}))?;
            envelope.set("lease", &lease)?;
        }
        "renew" => {
            let lease: Lease = envelope.need("lease")?;
            let Renewal::Renewed { lease, .. } = ledger.renew(&delivery, &lease)? else {
                anyhow::bail!("not renewed");
            };
            envelope.set("lease", &lease)?;
        }
        "stage" => {
            let lease: Lease = envelope.need("lease")?;
            let run: RunFacts = envelope.need("run")?;
            let outcome: Outcome = envelope.need("outcome")?;
            let recheck: RunFacts = envelope.need("recheck")?;
            let verdict = conclude(&delivery, &lease.check, &run, &outcome, &recheck)?;
            let report = verdict.report.ok_or_else(|| anyhow::anyhow!("no report"))?;
            let mut source = File::open(&report.path)?;
            let expected = ReportFacts {
                sha256: report.sha256.clone(),
                bytes: report.bytes,
            };
            let input = ReportInput {
                expected,
                source: &mut source,
            };
            let staged = ledger.stage(&delivery, &lease, &verdict.publication, Some(input))?;
            let StageOutcome::Staged(saved) = staged else {
                anyhow::bail!("not staged");
            };
            envelope.set("staged", &staged_member(*saved, &report.path))?;
        }
        _ => {
            let staged: Staged = envelope.need("staged")?;
            let saved = Saved {
                evaluation_id: staged.evaluation_id,
                fence: staged.fence,
                digest: staged.digest,
                publication: staged.publication,
                report: staged.report.map(|report| ReportFacts {
                    sha256: report.sha256,
                    bytes: report.bytes,
                }),
            };
            let Completion::Completed = ledger.complete(&delivery, &saved)? else {
                anyhow::bail!("not completed");
            };
            envelope.set("completion", &serde_json::json!({"result": "completed"}))?;
        }
    }
    Ok(())
}

fn staged_member(saved: Saved, path: &str) -> Staged {
    Staged {
        evaluation_id: saved.evaluation_id,
        fence: saved.fence,
        digest: saved.digest,
        publication: saved.publication,
        report: saved.report.map(|facts| ReportFile {
            path: path.to_owned(),
            sha256: facts.sha256,
            bytes: facts.bytes,
        }),
    }
}
