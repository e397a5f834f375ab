//! One suite over every implementation of the contract: random sequences of every operation by
//! several owners, clock steps both ways, cleanups and reopenings, compared with the model after
//! each step (page 8, part 1).

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use amiss::clock::{Clock, ClockError, UnixMillis};
use amiss::code::Coded;
use amiss::delivery::digest::Sha256Hex;
use amiss::delivery::{
    AcceptedDelivery, CheckBinding, Conclusion, Delivery, Failure, Lease, ObjectId, Publication,
    ReplayWindow, RunFacts, RunIdentity,
};
use amiss::ledger::file::{ClockPolicy, FileLedger, Limits, Mode, Options, Root};
use amiss::ledger::memory::{MemoryLedger, MemoryLimits};
use amiss::ledger::{
    Claim, Completion, DeliveryLedger, Renewal, ReportFacts, ReportInput, Saved, StageOutcome,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};

use crate::common::figures;
use crate::scene::{NOW, bounded, check, envelope, run_facts};

const LEASE: i64 = 100;
const CAP: u64 = 3;

/// A clock that the test turns, forward and back.
#[derive(Clone)]
struct Dial(Rc<Cell<i64>>);

impl Clock for Dial {
    fn now(&self) -> Result<UnixMillis, ClockError> {
        UnixMillis::new(self.0.get())
    }
}

/// One thing that somebody does. Numbers pick among what there is.
#[derive(Clone, Debug)]
enum Op {
    Claim {
        delivery: usize,
        other_check: bool,
        held: Option<usize>,
    },
    Renew {
        delivery: usize,
        lease: usize,
    },
    Stage {
        delivery: usize,
        lease: usize,
        verdict: usize,
        wrong_report: bool,
    },
    Complete {
        delivery: usize,
        saved: usize,
    },
    Cleanup,
    Reopen,
    Turn(i64),
}

const DELIVERIES: usize = 6;

/// Past every lease and lifetime here, and fifty of it still under a day: beyond that the store
/// saves its high water although nothing rests on it, which the contract leaves to it.
const LONG: i64 = 1_000_000;

fn operations() -> impl Strategy<Value = Vec<Op>> {
    let delivery = 0..DELIVERIES;
    let lease = 0_usize..8;
    let op = prop_oneof![
        6 => (delivery.clone(), prop::bool::weighted(0.1), prop::option::weighted(0.3, lease.clone()))
            .prop_map(|(delivery, other_check, held)| Op::Claim { delivery, other_check, held }),
        3 => (delivery.clone(), lease.clone())
            .prop_map(|(delivery, lease)| Op::Renew { delivery, lease }),
        4 => (delivery.clone(), lease.clone(), 0_usize..4, prop::bool::weighted(0.1))
            .prop_map(|(delivery, lease, verdict, wrong_report)| Op::Stage { delivery, lease, verdict, wrong_report }),
        4 => (delivery, lease).prop_map(|(delivery, saved)| Op::Complete { delivery, saved }),
        1 => Just(Op::Cleanup),
        1 => Just(Op::Reopen),
        4 => prop_oneof![
            Just(1), Just(LEASE - 1), Just(LEASE), Just(LEASE + 1), Just(1000),
            Just(-50), Just(-LEASE), Just(-5000), Just(LONG)
        ].prop_map(Op::Turn),
    ];
    prop::collection::vec(op, 1..50)
}

fn accepted(index: usize) -> AcceptedDelivery {
    let value = match index {
        0..3 => envelope(&format!("permanent-{index}")),
        // Another change under the first delivery's identity.
        5 => {
            let mut value = envelope("permanent-0");
            value["delivery"]["change"]["change"] = "43".into();
            value
        }
        _ => bounded(
            &format!("bounded-{index}"),
            NOW + 150 * i64::try_from(index).unwrap(),
        ),
    };
    let delivery: Delivery = serde_json::from_value(value["delivery"].clone()).unwrap();
    delivery.accept(None).unwrap()
}

fn binding(other: bool) -> CheckBinding {
    let mut value = check();
    if other {
        value["required_status_name"] = "another".into();
    }
    serde_json::from_value(value).unwrap()
}

fn publication(delivery: &AcceptedDelivery, verdict: usize) -> Publication {
    let facts: RunFacts = serde_json::from_value(run_facts()).unwrap();
    Publication {
        provider_run: delivery.binding().provider_run.clone(),
        check: binding(false),
        run: RunIdentity {
            change: delivery.binding().change.clone(),
            refs: facts.refs,
            object_format: delivery.binding().provider_run.object_format,
            commits: facts.commits,
            trees: facts.trees,
        },
        gate_commit: ObjectId::new("a".repeat(40)).unwrap(),
        conclusion: match verdict {
            0 => Conclusion::Pass,
            1 => Conclusion::Block,
            2 => Conclusion::Superseded,
            _ => Conclusion::Unavailable(Failure::Timeout),
        },
    }
}

/// What both sides answered, with everything that is drawn at random left out.
#[derive(Debug, PartialEq)]
enum Seen {
    Execute(u64, i64),
    Publish(u64, Publication, Option<ReportFacts>),
    Busy(i64),
    Duplicate,
    Conflict(Vec<&'static str>),
    Renewed(u64, i64, u64),
    Staged(u64, Publication, Option<ReportFacts>),
    Completed,
    Lost(String),
    Cleaned(usize),
    Failed(&'static str),
}

/// One side: an implementation with the leases and saved values that it gave out, in order.
struct Side<L> {
    ledger: L,
    leases: Vec<Lease>,
    saved: Vec<Saved>,
}

impl<L: DeliveryLedger> Side<L> {
    fn new(ledger: L) -> Side<L> {
        Side {
            ledger,
            leases: Vec::new(),
            saved: Vec::new(),
        }
    }

    fn claim(&mut self, delivery: usize, other_check: bool, held: Option<usize>) -> Seen {
        let held = held.and_then(|index| pick(&self.leases, index)).cloned();
        let claimed = self
            .ledger
            .claim(&accepted(delivery), &binding(other_check), held.as_ref());
        match claimed {
            Ok(Claim::Execute(lease)) => {
                let seen = Seen::Execute(lease.fence.get(), lease.expires_at_unix_millis.get());
                self.leases.push(lease);
                seen
            }
            Ok(Claim::Publish(saved)) => {
                let seen = Seen::Publish(
                    saved.fence.get(),
                    saved.publication.clone(),
                    saved.report.clone(),
                );
                self.saved.push(*saved);
                seen
            }
            Ok(Claim::Busy { retry_at, .. }) => Seen::Busy(retry_at.get()),
            Ok(Claim::Duplicate { .. }) => Seen::Duplicate,
            Ok(Claim::BindingConflict { members }) => {
                Seen::Conflict(members.iter().map(|member| member.name()).collect())
            }
            Err(error) => Seen::Failed(error.code().name()),
        }
    }

    fn renew(&mut self, delivery: usize, lease: usize) -> Option<Seen> {
        let lease = pick(&self.leases, lease)?.clone();
        Some(match self.ledger.renew(&accepted(delivery), &lease) {
            Ok(Renewal::Renewed {
                lease,
                within_millis,
            }) => {
                let deadline = lease.expires_at_unix_millis.get();
                let seen = Seen::Renewed(lease.fence.get(), deadline, within_millis);
                self.leases.push(lease);
                seen
            }
            Ok(Renewal::Lost(reason)) => Seen::Lost(reason.to_string()),
            Err(error) => Seen::Failed(error.code().name()),
        })
    }

    fn stage(
        &mut self,
        delivery: usize,
        lease: usize,
        verdict: usize,
        wrong_report: bool,
    ) -> Option<Seen> {
        let lease = pick(&self.leases, lease)?.clone();
        let accepted = accepted(delivery);
        let publication = publication(&accepted, verdict);
        let bytes = [u8::try_from(verdict).unwrap(); 100];
        let mut source: &[u8] = if wrong_report { b"wrong" } else { &bytes };
        let report = (verdict < 2).then(|| ReportInput {
            expected: ReportFacts {
                sha256: Sha256Hex::of(&bytes),
                bytes: 100,
            },
            source: &mut source,
        });
        let staged = self.ledger.stage(&accepted, &lease, &publication, report);
        Some(match staged {
            Ok(StageOutcome::Staged(saved)) => {
                let seen = Seen::Staged(
                    saved.fence.get(),
                    saved.publication.clone(),
                    saved.report.clone(),
                );
                self.saved.push(*saved);
                seen
            }
            Ok(StageOutcome::Lost(reason)) => Seen::Lost(reason.to_string()),
            Err(error) => Seen::Failed(error.code().name()),
        })
    }

    fn complete(&mut self, delivery: usize, saved: usize) -> Option<Seen> {
        let saved = pick(&self.saved, saved)?.clone();
        Some(match self.ledger.complete(&accepted(delivery), &saved) {
            Ok(Completion::Completed) => Seen::Completed,
            Ok(Completion::Lost(reason)) => Seen::Lost(reason.to_string()),
            Err(error) => Seen::Failed(error.code().name()),
        })
    }

    fn act(&mut self, op: &Op) -> Option<Seen> {
        match *op {
            Op::Claim {
                delivery,
                other_check,
                held,
            } => Some(self.claim(delivery, other_check, held)),
            Op::Renew { delivery, lease } => self.renew(delivery, lease),
            Op::Stage {
                delivery,
                lease,
                verdict,
                wrong_report,
            } => self.stage(delivery, lease, verdict, wrong_report),
            Op::Complete { delivery, saved } => self.complete(delivery, saved),
            Op::Cleanup | Op::Reopen | Op::Turn(_) => None,
        }
    }
}

/// The newest first, so that small numbers are live ones.
fn pick<T>(list: &[T], index: usize) -> Option<&T> {
    list.iter().rev().nth(index)
}

fn limits() -> Limits {
    Limits {
        lease_millis: LEASE,
        max_records: CAP,
        max_signed_age_millis: 300_000,
        max_queue_age_millis: 60_000,
    }
}

/// A root in a folder, opened anew at each reopening.
struct World {
    folder: tempfile::TempDir,
    dial: Dial,
    file: Side<FileLedger<Dial>>,
    model: Side<MemoryLedger<Dial>>,
}

impl World {
    fn new() -> World {
        let folder = in_memory();
        let dial = Dial(Rc::new(Cell::new(NOW)));
        let root = Root::open(folder.path(), Options::default()).unwrap();
        root.init(&limits(), &dial, ClockPolicy::Guard).unwrap();
        let memory = MemoryLimits {
            lease_millis: LEASE,
            max_records: usize::try_from(CAP).unwrap(),
            window: ReplayWindow::new(300_000, 60_000).unwrap(),
            max_clock_step_millis: Options::default().max_clock_step_millis,
        };
        let model = MemoryLedger::new(memory, dial.clone()).unwrap();
        World {
            file: Side::new(FileLedger::new(root, dial.clone())),
            model: Side::new(model),
            folder,
            dial,
        }
    }

    fn step(&mut self, op: &Op) -> (Option<Seen>, Option<Seen>) {
        match op {
            Op::Turn(by) => {
                self.dial.0.set(self.dial.0.get().saturating_add(*by));
                (None, None)
            }
            Op::Cleanup => {
                let cleaned = self.file.ledger.root().cleanup(&self.dial, Mode::Act);
                let file = match cleaned {
                    Ok(done) => Seen::Cleaned(usize::try_from(done.removed_records).unwrap()),
                    Err(error) => Seen::Failed(error.code().name()),
                };
                (Some(file), Some(self.clean_model()))
            }
            Op::Reopen => {
                let root = Root::open(self.folder.path(), Options::default()).unwrap();
                let opened = root.init(&limits(), &self.dial, ClockPolicy::Guard);
                let file = match opened {
                    Ok(done) => {
                        Seen::Cleaned(usize::try_from(done.cleaned.removed_records).unwrap())
                    }
                    Err(error) => Seen::Failed(error.code().name()),
                };
                self.file.ledger = FileLedger::new(root, self.dial.clone());
                (Some(file), Some(self.clean_model()))
            }
            op => (self.file.act(op), self.model.act(op)),
        }
    }

    fn clean_model(&mut self) -> Seen {
        match self.model.ledger.cleanup() {
            Ok(removed) => Seen::Cleaned(removed),
            Err(error) => Seen::Failed(error.code().name()),
        }
    }

    /// What must hold of the files after every step.
    fn hold(&self) -> Result<(), TestCaseError> {
        let checked = self.file.ledger.root().check().unwrap();
        prop_assert!(checked.defects.is_empty(), "{:?}", checked.defects);
        prop_assert!(checked.notes.is_empty(), "{:?}", checked.notes);
        prop_assert_eq!(
            usize::try_from(checked.rows).unwrap(),
            self.model.ledger.len()
        );
        Ok(())
    }
}

/// A folder that no medium slows down: what a crash may leave is not the question here.
fn in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// The files are looked at after every one of the first operations, and after every eighth of the
/// rest.
const ALWAYS: u64 = 1_000;

/// How many operations are compared at least.
fn wanted() -> u64 {
    if figures::is_long() { 1_000_000 } else { 1500 }
}

#[test]
fn any_sequence_of_operations_answers_as_the_contract_says() {
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let work = || {
        let (mut sequences, done) = (0_u64, Cell::new(0));
        while done.get() < wanted().div_ceil(workers) {
            any_sequences(50, &done);
            sequences += 50;
        }
        (sequences, done.get())
    };
    let sums = std::thread::scope(|scope| {
        let working: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        working.into_iter().fold((0, 0), |sums, worker| {
            let (sequences, done) = worker.join().unwrap();
            (sums.0 + sequences, sums.1 + done)
        })
    });
    let (sequences, done) = sums;
    figures::tell(&format!(
        "the contract: {sequences} sequences, {done} operations on the files as on the model"
    ));
    assert!(done >= wanted());
}

/// So many sequences, each shrunk if it fails; `done` counts what was compared.
fn any_sequences(cases: u32, done: &Cell<u64>) {
    let config = Config {
        failure_persistence: None,
        ..Config::with_cases(cases)
    };
    proptest!(config, |(list in operations())| {
        let mut world = World::new();
        let mut fences: HashMap<String, u64> = HashMap::new();
        for (at, op) in list.iter().enumerate() {
            done.set(done.get() + 1);
            let (file, model) = world.step(op);
            prop_assert_eq!(&file, &model, "{:?}", op);
            // A look at every file costs more than most operations do.
            if done.get() < ALWAYS || at % 8 == 7 || at + 1 == list.len() {
                world.hold()?;
            }
            // Fences of one evaluation only grow.
            if let (Some(Seen::Execute(fence, _)), Some(lease)) = (&file, world.file.leases.last()) {
                let last = fences.entry(lease.evaluation_id.to_string()).or_default();
                prop_assert!(fence >= last);
                *last = *fence;
            }
        }
    });
}
