//! Cleanup and workers do not starve each other (page 3.5, point 2). Real time, because the lease
//! is.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use amiss::clock::{Clock, SystemClock};
use amiss::delivery::digest::Sha256Hex;
use amiss::delivery::{AcceptedDelivery, CheckBinding, Conclusion, Delivery, ObjectId};
use amiss::delivery::{Publication, RunFacts, RunIdentity};
use amiss::ledger::file::{ClockPolicy, FileLedger, Limits, Mode, Options, Root, seed};
use amiss::ledger::{Claim, DeliveryLedger, Renewal, ReportFacts, ReportInput, StageOutcome};

use crate::scene::{bounded, check, envelope, run_facts};

/// A cleanup's work: in the long form what page 3.5 names, 100,000 rows and reports of 200 MiB.
struct Load {
    rows: u64,
    report: usize,
}

fn load() -> Load {
    if crate::common::figures::is_long() {
        Load {
            rows: 100_000,
            report: 200 * 1024 * 1024,
        }
    } else {
        Load {
            rows: 5000,
            report: 20 * 1024 * 1024,
        }
    }
}

fn accepted(value: &serde_json::Value) -> AcceptedDelivery {
    let delivery: Delivery = serde_json::from_value(value["delivery"].clone()).unwrap();
    delivery.accept(None).unwrap()
}

fn binding() -> CheckBinding {
    serde_json::from_value(check()).unwrap()
}

fn limits() -> Limits {
    Limits {
        lease_millis: 2000,
        max_records: load().rows + 100,
        max_signed_age_millis: 300_000,
        max_queue_age_millis: 60_000,
    }
}

fn open(folder: &std::path::Path) -> FileLedger<SystemClock> {
    FileLedger::new(Root::open(folder, Options::default()).unwrap(), SystemClock)
}

/// A root of many ended rows and a few saved reports.
fn prepare(folder: &std::path::Path) {
    let mut ledger = open(folder);
    ledger
        .root()
        .init(&limits(), &SystemClock, ClockPolicy::Guard)
        .unwrap();
    let now = SystemClock.now().unwrap();
    for index in 0..load().rows {
        let delivery = accepted(&bounded(&format!("ended-{index}"), now.get() - 1000));
        let row = seed::done_row(&delivery, &binding(), now).unwrap();
        fs::write(folder.join(row.name), row.bytes).unwrap();
    }
    let count = seed::count(&limits(), load().rows).unwrap();
    fs::write(folder.join(count.name), count.bytes).unwrap();
    let bytes = vec![7_u8; load().report];
    for index in 0..3 {
        let delivery = accepted(&envelope(&format!("saved-{index}")));
        let Claim::Execute(lease) = ledger.claim(&delivery, &binding(), None).unwrap() else {
            panic!("a new delivery");
        };
        let mut source: &[u8] = &bytes;
        let report = ReportInput {
            expected: ReportFacts {
                sha256: Sha256Hex::of(&bytes),
                bytes: u64::try_from(load().report).unwrap(),
            },
            source: &mut source,
        };
        let publication = publication(&delivery);
        // Writing the report may take longer than the lease that it was begun under.
        let staged = ledger.stage(&delivery, &lease, &publication, Some(report));
        assert!(matches!(staged, Ok(StageOutcome::Staged(_))));
    }
}

fn publication(delivery: &AcceptedDelivery) -> Publication {
    let facts: RunFacts = serde_json::from_value(run_facts()).unwrap();
    Publication {
        provider_run: delivery.binding().provider_run.clone(),
        check: binding(),
        run: RunIdentity {
            change: delivery.binding().change.clone(),
            refs: facts.refs,
            object_format: delivery.binding().provider_run.object_format,
            commits: facts.commits,
            trees: facts.trees,
        },
        gate_commit: ObjectId::new("a".repeat(40)).unwrap(),
        conclusion: Conclusion::Pass,
    }
}

/// Renews one lease until told to stop; every answer must be a renewal. How often.
fn heartbeat(folder: &std::path::Path, id: &str, pause: Duration, stop: &AtomicBool) -> u64 {
    let mut ledger = open(folder);
    let delivery = accepted(&envelope(id));
    let Claim::Execute(mut lease) = ledger.claim(&delivery, &binding(), None).unwrap() else {
        panic!("a new delivery");
    };
    let mut beats = 0;
    while !stop.load(Ordering::Relaxed) {
        match ledger.renew(&delivery, &lease).unwrap() {
            Renewal::Renewed { lease: next, .. } => lease = next,
            Renewal::Lost(reason) => panic!("{id} after {beats} renewals: {reason}"),
        }
        beats += 1;
        std::thread::sleep(pause);
    }
    beats
}

#[test]
fn a_heartbeat_survives_a_cleanup_and_a_cleanup_gets_its_turn_among_renewals() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    prepare(root);
    let stop = AtomicBool::new(false);
    let beats = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for index in 0..8 {
            // Four beat as a supervisor does, four as fast as they can.
            let pause = Duration::from_millis(if index < 4 { 500 } else { 0 });
            let (stop, beats) = (&stop, &beats);
            workers.push(scope.spawn(move || {
                let count = heartbeat(root, &format!("live-{index}"), pause, stop);
                beats.fetch_add(count, Ordering::Relaxed);
            }));
        }
        let cleaned = open(root).root().cleanup(&SystemClock, Mode::Act);
        stop.store(true, Ordering::Relaxed);
        for worker in workers {
            worker.join().unwrap();
        }
        let cleaned = cleaned.unwrap();
        assert_eq!(cleaned.removed_records, load().rows);
        assert_eq!(cleaned.kept.saved, 3);
    });
    assert!(beats.load(Ordering::Relaxed) > 0);
    let checked = open(root).root().check().unwrap();
    assert!(checked.defects.is_empty(), "{:?}", checked.defects);
}
