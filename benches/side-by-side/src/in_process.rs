//! All three in this process, through the one contract.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use amiss::bench::minimal_replacement;
use amiss::bench::scene::{self, Lifetime};
use amiss::delivery::digest::Sha256Hex;
use amiss::ledger::{
    Claim, Completion, DeliveryLedger, Renewal, ReportFacts, ReportInput, StageOutcome,
};

use crate::contender::{Contender, Places};
use crate::engine::StoreLedger;
use crate::report::{Mode, Report};

/// The times of claim, renew, stage and complete.
type Four = [Duration; 4];

/// Takes one delivery through its life.
fn life<L: DeliveryLedger>(ledger: &mut L, number: u64) -> anyhow::Result<Four>
where
    L::Error: Send + Sync + 'static,
{
    let delivery = scene::accepted(number, Lifetime::Permanent)?;
    let check = scene::check()?;
    let publication = scene::publication(number)?;
    let report = scene::report(number);
    let facts = ReportFacts {
        sha256: Sha256Hex::of(&report),
        bytes: report.len() as u64,
    };
    let started = Instant::now();
    let Claim::Execute(lease) = ledger.claim(&delivery, &check, None)? else {
        anyhow::bail!("not claimed");
    };
    let claim = started.elapsed();
    let started = Instant::now();
    let Renewal::Renewed { lease, .. } = ledger.renew(&delivery, &lease)? else {
        anyhow::bail!("not renewed");
    };
    let renew = started.elapsed();
    let started = Instant::now();
    let mut source = report.as_slice();
    let input = ReportInput {
        expected: facts,
        source: &mut source,
    };
    let StageOutcome::Staged(saved) = ledger.stage(&delivery, &lease, &publication, Some(input))?
    else {
        anyhow::bail!("not staged");
    };
    let stage = started.elapsed();
    let started = Instant::now();
    let Completion::Completed = ledger.complete(&delivery, &saved)? else {
        anyhow::bail!("not completed");
    };
    Ok([claim, renew, stage, started.elapsed()])
}

const NAMES: [&str; 4] = ["claim", "renew", "stage 10 KiB", "complete"];

/// One operation at a time.
pub fn singles(places: &mut Places, samples: u64, report: &mut Report) -> anyhow::Result<()> {
    let (mut files, mut sqlite, mut redb) = (places.files()?, places.sqlite()?, places.redb()?);
    for round in 0..samples {
        let number = places.take(1);
        for contender in Contender::rotated(round) {
            let unit = minimal_replacement(&places.folder)?;
            let times = match contender {
                Contender::Amiss => life(&mut files, number)?,
                Contender::Sqlite => life(&mut sqlite, number)?,
                Contender::Redb => life(&mut redb, number)?,
            };
            for (name, time) in NAMES.into_iter().zip(times) {
                report.time(name, places.rows, Mode::InProcess, contender, time, unit);
            }
        }
    }
    Ok(())
}

/// Claim, renew, stage and complete by several workers, in deliveries a second.
pub fn rates(places: &mut Places, batch: u64, report: &mut Report) -> anyhow::Result<()> {
    for round in 0..3 {
        for workers in [1_u64, 4] {
            for contender in Contender::rotated(round) {
                let from = places.take(batch);
                let time = match contender {
                    Contender::Amiss => {
                        let ledgers = (0..workers).map(|_| places.files());
                        together(ledgers.collect::<anyhow::Result<_>>()?, from, batch)?
                    }
                    Contender::Sqlite => {
                        let ledgers = (0..workers).map(|_| places.sqlite());
                        together(ledgers.collect::<anyhow::Result<_>>()?, from, batch)?
                    }
                    Contender::Redb => {
                        let first = places.redb()?;
                        let mut ledgers = Vec::new();
                        for _ in 1..workers {
                            ledgers.push(StoreLedger {
                                store: first.store.share(),
                                clock: first.clock,
                            });
                        }
                        ledgers.push(first);
                        together(ledgers, from, batch)?
                    }
                };
                report.rate(
                    places.rows,
                    Mode::InProcess,
                    workers,
                    contender,
                    batch,
                    time,
                );
            }
        }
    }
    Ok(())
}

fn together<L: DeliveryLedger + Send>(
    ledgers: Vec<L>,
    from: u64,
    batch: u64,
) -> anyhow::Result<Duration>
where
    L::Error: Send + Sync + 'static,
{
    let next = AtomicU64::new(0);
    let started = Instant::now();
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let workers: Vec<_> = ledgers
            .into_iter()
            .map(|mut ledger| {
                let next = &next;
                scope.spawn(move || -> anyhow::Result<()> {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= batch {
                            return Ok(());
                        }
                        life(&mut ledger, from + number)?;
                    }
                })
            })
            .collect();
        for worker in workers {
            worker
                .join()
                .map_err(|_| anyhow::anyhow!("a worker panicked"))??;
        }
        Ok(())
    })?;
    Ok(started.elapsed())
}
