//! What each operation may cost, in syncs (page 6.1). Counted from what the store writes down of
//! itself; one sync more or less fails.

use std::cell::Cell;
use std::fs::File;
use std::rc::Rc;
use std::time::Duration;

use amiss::clock::{Clock, ClockError, FixedClock, UnixMillis};
use amiss::delivery::digest::Sha256Hex;
use amiss::delivery::{AcceptedDelivery, CheckBinding, Delivery, Lease, Publication, RunFacts};
use amiss::delivery::{Conclusion, ObjectId, RunIdentity};
use amiss::durable::{Step, Trace};
use amiss::ledger::file::{
    ClaimRequest, ClockPolicy, CompleteRequest, FileLedger, Limits, Mode, Options, RenewRequest,
    Root,
};
use amiss::ledger::{
    Claim, Completion, DeliveryLedger, Renewal, ReportFacts, ReportInput, Saved, StageOutcome,
};

use crate::scene::{LEASE, NOW, bounded, check, envelope, run_facts};

#[derive(Clone)]
struct Dial(Rc<Cell<i64>>);

impl Clock for Dial {
    fn now(&self) -> Result<UnixMillis, ClockError> {
        UnixMillis::new(self.0.get())
    }
}

/// A root whose steps on the disk are written down.
struct Measured {
    folder: tempfile::TempDir,
    dial: Dial,
    trace: Trace,
    ledger: FileLedger<Dial>,
}

impl Measured {
    fn new(max_records: u64) -> Measured {
        let folder = tempfile::tempdir().unwrap();
        let dial = Dial(Rc::new(Cell::new(NOW)));
        let trace = Trace::default();
        let root = Root::open(folder.path(), Options::default())
            .unwrap()
            .traced(trace.clone());
        let limits = Limits {
            lease_millis: LEASE,
            max_records,
            max_signed_age_millis: 300_000,
            max_queue_age_millis: 60_000,
        };
        root.init(&limits, &dial, ClockPolicy::Guard).unwrap();
        let _ = trace.take();
        Measured {
            folder,
            ledger: FileLedger::new(root, dial.clone()),
            dial,
            trace,
        }
    }

    /// Holds the admission lock, as another worker does for the length of its claim.
    fn holding_admission(&self) -> File {
        let path = self.folder.path().join(".amiss-admission.lock");
        let lock = File::open(path).unwrap();
        lock.lock().unwrap();
        lock
    }

    /// A second worker's ledger, which writes its steps down in the same list.
    fn second(&self, lock_timeout: Duration) -> FileLedger<FixedClock> {
        let options = Options {
            lock_timeout,
            ..Options::default()
        };
        let root = Root::open(self.folder.path(), options).unwrap();
        FileLedger::new(root.traced(self.trace.clone()), FixedClock(NOW))
    }

    /// The steps of one operation; every one that gives a name its bytes is in order.
    fn steps(&mut self) -> Vec<Step> {
        let steps = self.trace.take();
        in_order(&steps);
        steps
    }

    /// How many syncs there were since the last time.
    fn syncs(&mut self) -> usize {
        self.steps().iter().filter(|step| is_sync(step)).count()
    }

    fn claim(&mut self, delivery: &AcceptedDelivery) -> Claim {
        self.ledger.claim(delivery, &binding(), None).unwrap()
    }

    fn execute(&mut self, delivery: &AcceptedDelivery) -> Lease {
        match self.claim(delivery) {
            Claim::Execute(lease) => lease,
            other => panic!("{other:?}"),
        }
    }

    fn stage(
        &mut self,
        delivery: &AcceptedDelivery,
        lease: &Lease,
        report: Option<&[u8]>,
    ) -> Saved {
        let mut source = report.unwrap_or_default();
        let expected = report.map(|bytes| ReportFacts {
            sha256: Sha256Hex::of(bytes),
            bytes: u64::try_from(bytes.len()).unwrap(),
        });
        let input = expected.map(|expected| ReportInput {
            expected,
            source: &mut source,
        });
        let publication = publication(delivery, report.is_some());
        match self.ledger.stage(delivery, lease, &publication, input) {
            Ok(StageOutcome::Staged(saved)) => *saved,
            other => panic!("{other:?}"),
        }
    }
}

const fn is_sync(step: &Step) -> bool {
    matches!(step, Step::SyncFile(_) | Step::SyncDir(_))
}

/// c05: no name is given bytes that are not on the medium, and the directory is synced after every
/// name but one: that of the settled count, for which both frames are right.
fn in_order(steps: &[Step]) {
    let mut synced = std::collections::HashSet::new();
    for (index, step) in steps.iter().enumerate() {
        match step {
            Step::SyncFile(path) => {
                synced.insert(path.clone());
            }
            Step::Append(path, _) => {
                synced.remove(path);
            }
            Step::Rename(from, to) => {
                let to = to.display();
                assert!(synced.contains(from), "{to} before its bytes");
                let after = steps[index..]
                    .iter()
                    .any(|step| matches!(step, Step::SyncDir(path) if path.as_os_str().is_empty()));
                assert!(
                    after || to.to_string() == ".amiss-capacity.state",
                    "{to} has no directory sync behind it"
                );
            }
            _ => {}
        }
    }
}

fn binding() -> CheckBinding {
    serde_json::from_value(check()).unwrap()
}

fn accepted(value: &serde_json::Value) -> AcceptedDelivery {
    let delivery: Delivery = serde_json::from_value(value["delivery"].clone()).unwrap();
    delivery.accept(None).unwrap()
}

fn publication(delivery: &AcceptedDelivery, pass: bool) -> Publication {
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
        conclusion: if pass {
            Conclusion::Pass
        } else {
            Conclusion::Superseded
        },
    }
}

#[test]
fn a_claim_of_a_new_identity_costs_five_syncs() {
    let mut measured = Measured::new(8);
    measured.execute(&accepted(&envelope("one")));
    assert_eq!(measured.syncs(), 5);
    measured.execute(&accepted(&bounded("two", NOW + 1000)));
    assert_eq!(measured.syncs(), 5);
}

#[test]
fn a_claim_that_waits_for_admission_has_its_row_on_the_medium_meanwhile() {
    let mut measured = Measured::new(8);
    measured.execute(&accepted(&envelope("one")));
    measured.syncs();
    let lock = measured.holding_admission();
    let mut second = measured.second(Duration::from_secs(60));
    let two = accepted(&envelope("two"));
    let steps = std::thread::scope(|scope| {
        let waiting = scope.spawn(move || second.claim(&two, &binding(), None).unwrap());
        let mut steps = Vec::new();
        while !steps.iter().any(is_sync) {
            assert!(
                !waiting.is_finished(),
                "nothing was written while it waited"
            );
            steps.extend(measured.trace.take());
            std::thread::yield_now();
        }
        assert!(!steps.iter().any(|step| matches!(step, Step::Rename(..))));
        drop(lock);
        assert!(matches!(waiting.join().unwrap(), Claim::Execute(_)));
        steps.extend(measured.trace.take());
        steps
    });
    in_order(&steps);
    assert_eq!(steps.iter().filter(|step| is_sync(step)).count(), 5);
}

#[test]
fn a_claim_that_waits_for_admission_in_vain_leaves_nothing() {
    for (max_records, prepared) in [(8, true), (1, false)] {
        let mut measured = Measured::new(max_records);
        measured.execute(&accepted(&envelope("one")));
        measured.syncs();
        let _lock = measured.holding_admission();
        let mut second = measured.second(Duration::from_millis(50));
        let two = accepted(&envelope("two"));
        assert!(second.claim(&two, &binding(), None).is_err());
        drop(second);
        // A root that is full as far as can be seen is written to by nobody who waits.
        assert_eq!(measured.syncs() > 0, prepared, "of at most {max_records}");
        // Until it is closed the first ledger keeps the folders of its own files.
        drop(measured.ledger);
        let names = std::fs::read_dir(measured.folder.path()).unwrap();
        let rows: Vec<_> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.starts_with(".amiss-"))
            .collect();
        assert_eq!(rows.len(), 1, "{rows:?}");
    }
}

#[test]
fn a_reclaim_of_an_ended_lease_costs_three_syncs() {
    let mut measured = Measured::new(8);
    let one = accepted(&envelope("one"));
    measured.execute(&one);
    measured.syncs();
    measured.dial.0.set(NOW + LEASE);
    assert_eq!(measured.execute(&one).fence.get(), 2);
    assert_eq!(measured.syncs(), 3);
}

#[test]
fn answers_that_change_nothing_cost_no_sync() {
    let mut measured = Measured::new(1);
    let one = accepted(&envelope("one"));
    let lease = measured.execute(&one);
    measured.syncs();
    assert!(matches!(measured.claim(&one), Claim::Busy { .. }));
    assert_eq!(measured.syncs(), 0, "busy");
    let full = measured
        .ledger
        .claim(&accepted(&envelope("two")), &binding(), None);
    assert!(full.is_err());
    assert_eq!(measured.syncs(), 0, "full");
    let again = measured.ledger.claim(&one, &binding(), Some(&lease));
    assert!(matches!(again, Ok(Claim::Execute(_))));
    assert_eq!(measured.syncs(), 0, "the way back from a lost reply");
    let saved = measured.stage(&one, &lease, Some(b"report"));
    measured.syncs();
    assert!(matches!(measured.claim(&one), Claim::Publish(_)));
    assert_eq!(measured.syncs(), 0, "publish");
    measured.stage(&one, &lease, Some(b"report"));
    assert_eq!(measured.syncs(), 0, "the same stage again");
    measured.ledger.complete(&one, &saved).unwrap();
    measured.syncs();
    assert!(matches!(measured.claim(&one), Claim::Duplicate { .. }));
    assert_eq!(measured.syncs(), 0, "duplicate");
    let repeated = measured.ledger.complete(&one, &saved).unwrap();
    assert_eq!(repeated, Completion::Completed);
    assert_eq!(measured.syncs(), 0, "the same completion again");
}

#[test]
fn renew_costs_two_syncs_stage_four_and_complete_two() {
    let mut measured = Measured::new(8);
    let one = accepted(&envelope("one"));
    let lease = measured.execute(&one);
    measured.syncs();
    measured.dial.0.set(NOW + 10);
    let renewed = measured.ledger.renew(&one, &lease).unwrap();
    assert!(matches!(renewed, Renewal::Renewed { .. }));
    assert_eq!(measured.syncs(), 2);
    let saved = measured.stage(&one, &lease, Some(&[7; 10_240]));
    assert_eq!(measured.syncs(), 4);
    measured.ledger.complete(&one, &saved).unwrap();
    assert_eq!(measured.syncs(), 2);
    let two = accepted(&envelope("two"));
    let lease = measured.execute(&two);
    measured.syncs();
    measured.stage(&two, &lease, None);
    assert_eq!(measured.syncs(), 2);
}

#[test]
fn a_lost_or_expired_answer_is_durable_before_it_is_given() {
    let mut measured = Measured::new(8);
    let one = accepted(&bounded("one", NOW + 1000));
    let lease = measured.execute(&one);
    measured.syncs();
    measured.dial.0.set(NOW + LEASE);
    let lost = measured.ledger.renew(&one, &lease).unwrap();
    assert!(matches!(lost, Renewal::Lost(_)));
    assert_eq!(measured.syncs(), 2, "the high water");
    measured.ledger.renew(&one, &lease).unwrap();
    assert_eq!(measured.syncs(), 0, "it was saved before");
    measured.dial.0.set(NOW + LEASE + 5000);
    let late = accepted(&bounded("late", NOW + 1000));
    assert!(measured.ledger.claim(&late, &binding(), None).is_err());
    assert_eq!(measured.syncs(), 2, "the high water");
}

#[test]
fn a_cleanup_writes_one_marker_and_one_count_and_syncs_no_row() {
    let mut measured = Measured::new(100);
    for index in 0..40 {
        let delivery = accepted(&bounded(&format!("d{index}"), NOW + 1000));
        let lease = measured.execute(&delivery);
        let saved = measured.stage(&delivery, &lease, None);
        measured.ledger.complete(&delivery, &saved).unwrap();
    }
    measured.syncs();
    measured.dial.0.set(NOW + 1001);
    let done = measured
        .ledger
        .root()
        .cleanup(&measured.dial, Mode::Act)
        .unwrap();
    assert_eq!(done.removed_records, 40);
    let steps = measured.steps();
    let counts = steps
        .iter()
        .filter(
            |step| matches!(step, Step::Rename(_, to) if to.as_os_str() == ".amiss-capacity.state"),
        )
        .count();
    assert_eq!(counts, 2, "a marker before, the count after");
    // The high water, the marker and the count, two each; the directory between rows and count.
    assert_eq!(steps.iter().filter(|step| is_sync(step)).count(), 7);
}

/// A batch of new identities: one sync a row, one marker, one count, and one directory sync before
/// the rows and one behind them.
#[test]
fn a_batch_shares_its_barriers() {
    let mut measured = Measured::new(100);
    let deliveries: Vec<_> = (0..20)
        .map(|index| accepted(&envelope(&format!("d{index}"))))
        .collect();
    let check = binding();
    let mut requests: Vec<_> = deliveries
        .iter()
        .map(|delivery| ClaimRequest {
            delivery,
            check: &check,
            held: None,
        })
        .collect();
    let claims = measured.ledger.claim_many(&mut requests).unwrap();
    assert_eq!(measured.syncs(), 20 + 2 + 2);
    let leases: Vec<Lease> = claims
        .into_iter()
        .map(|claim| match claim.unwrap() {
            Claim::Execute(lease) => lease,
            other => panic!("{other:?}"),
        })
        .collect();
    let mut requests: Vec<_> = deliveries
        .iter()
        .zip(&leases)
        .map(|(delivery, lease)| RenewRequest { delivery, lease })
        .collect();
    measured.ledger.renew_many(&mut requests).unwrap();
    assert_eq!(measured.syncs(), 20 + 1);
    let saved: Vec<Saved> = deliveries
        .iter()
        .zip(&leases)
        .map(|(delivery, lease)| measured.stage(delivery, lease, None))
        .collect();
    measured.syncs();
    let mut requests: Vec<_> = deliveries
        .iter()
        .zip(&saved)
        .map(|(delivery, saved)| CompleteRequest { delivery, saved })
        .collect();
    measured.ledger.complete_many(&mut requests).unwrap();
    assert_eq!(measured.syncs(), 20 + 1);
}
