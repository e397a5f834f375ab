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
const OTHER_WINDOW: usize = 6;

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
        // A lifetime by another window than the root's; no random sequence has it.
        OTHER_WINDOW => {
            let mut value = bounded("window", NOW + 600);
            value["delivery"]["replay"]["window"]["max_queue_age_millis"] = 60_001.into();
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

fn claim(delivery: usize) -> Op {
    held(delivery, None)
}

fn held(delivery: usize, held: Option<usize>) -> Op {
    Op::Claim {
        delivery,
        other_check: false,
        held,
    }
}

const fn renew(delivery: usize, lease: usize) -> Op {
    Op::Renew { delivery, lease }
}

const fn stage(delivery: usize, lease: usize, verdict: usize) -> Op {
    Op::Stage {
        delivery,
        lease,
        verdict,
        wrong_report: false,
    }
}

const fn complete(delivery: usize, saved: usize) -> Op {
    Op::Complete { delivery, saved }
}

impl World {
    /// Takes these steps on both sides; what the files answered.
    fn agree(&mut self, list: &[Op]) -> Vec<Option<Seen>> {
        list.iter()
            .map(|op| {
                let (file, model) = self.step(op);
                assert_eq!(file, model, "{op:?}");
                file
            })
            .collect()
    }

    /// Both sides' newest lease once more, changed by the one before it.
    fn forge(&mut self, change: impl Fn(&mut Lease, &Lease)) {
        for leases in [&mut self.file.leases, &mut self.model.leases] {
            let (mut lease, other) = (leases[leases.len() - 1].clone(), &leases[leases.len() - 2]);
            change(&mut lease, other);
            leases.push(lease);
        }
    }

    /// Both sides' newest saved value once more, changed by the first.
    fn falsify(&mut self, change: impl Fn(&mut Saved, &Saved)) {
        for saved in [&mut self.file.saved, &mut self.model.saved] {
            let mut value = saved[saved.len() - 1].clone();
            change(&mut value, &saved[0]);
            saved.push(value);
        }
    }
}

#[test]
fn a_lifetime_and_a_clocks_leap_end_for_the_files_where_they_end_for_the_model() {
    let end = 450;
    let mut world = World::new();
    assert!(world.model.ledger.is_empty());
    let done = [claim(3), stage(3, 0, 0), complete(3, 0), Op::Turn(end)];
    world.agree(&done);
    assert!(!world.model.ledger.is_empty());
    let seen = world.agree(&[Op::Cleanup, Op::Turn(1), Op::Cleanup, claim(3)]);
    assert_eq!(seen[0], Some(Seen::Cleaned(0)));
    assert_eq!(seen[2], Some(Seen::Cleaned(1)));
    assert!(matches!(seen[3], Some(Seen::Failed(_))), "{seen:?}");
    let mut world = World::new();
    let seen = world.agree(&[Op::Turn(end), claim(3)]);
    assert!(matches!(seen[1], Some(Seen::Execute(..))), "{seen:?}");
    let step = Options::default().max_clock_step_millis;
    let mut world = World::new();
    let seen = world.agree(&[Op::Turn(step), claim(0), Op::Turn(step + 1), claim(1)]);
    assert!(matches!(seen[1], Some(Seen::Execute(..))), "{seen:?}");
    assert_eq!(seen[3], Some(Seen::Failed("CLOCK")));
    let mut world = World::new();
    let seen = world.agree(&[claim(OTHER_WINDOW), claim(3)]);
    assert_eq!(seen[0], Some(Seen::Failed("ROOT_CONFIGURATION")));
    // A row's own last time counts although the clock went back behind it.
    let mut world = World::new();
    let seen = world.agree(&[
        claim(0),
        Op::Turn(50),
        renew(0, 0),
        Op::Turn(-50),
        renew(0, 0),
    ]);
    assert_eq!(seen[2], seen[4]);
}

#[test]
fn a_lease_is_the_rows_own_for_the_files_exactly_where_it_is_for_the_model() {
    let mut world = World::new();
    world.agree(&[claim(0), Op::Turn(LEASE), claim(0)]);
    let busy = |seen: &[Option<Seen>]| matches!(seen, [Some(Seen::Busy(_))]);
    assert!(busy(&world.agree(&[held(0, Some(1))])), "an older one");
    let forgeries: [fn(&mut Lease, &Lease); 3] = [
        |lease, other| lease.owner = other.owner,
        |lease, other| lease.fence = other.fence,
        |lease, other| lease.evaluation_id = other.evaluation_id.clone(),
    ];
    for (index, forgery) in forgeries.into_iter().enumerate() {
        let mut world = World::new();
        if index == 2 {
            world.agree(&[claim(1), claim(0)]);
        } else {
            world.agree(&[claim(0), Op::Turn(LEASE), claim(0)]);
        }
        world.forge(forgery);
        assert!(busy(&world.agree(&[held(0, Some(0))])), "{index}");
        for lost in [renew(0, 0), stage(0, 0, 0)] {
            let seen = world.agree(&[lost]);
            assert!(
                matches!(seen[..], [Some(Seen::Lost(_))]),
                "{index}: {seen:?}"
            );
        }
        let seen = world.agree(&[held(0, Some(1)), renew(0, 0), stage(0, 0, 0)]);
        assert!(matches!(seen[2], Some(Seen::Staged(..))), "{seen:?}");
    }
}

#[test]
fn a_saved_value_is_the_rows_own_for_the_files_exactly_where_it_is_for_the_model() {
    let forgeries: [fn(&mut Saved, &Saved); 3] = [
        |saved, other| saved.digest = other.digest.clone(),
        |saved, other| saved.fence = other.fence,
        |saved, other| saved.evaluation_id = other.evaluation_id.clone(),
    ];
    for (index, forgery) in forgeries.into_iter().enumerate() {
        let mut world = World::new();
        // One saved under fence 2 and another under fence 1.
        world.agree(&[claim(1), Op::Turn(LEASE), claim(1), stage(1, 0, 0)]);
        world.agree(&[claim(0), stage(0, 0, 0)]);
        let seen = world.agree(&[stage(0, 0, 0), stage(0, 0, 1), stage(0, 0, 2)]);
        assert!(matches!(seen[0], Some(Seen::Staged(..))), "{seen:?}");
        world.falsify(forgery);
        let lost = |seen: Vec<Option<Seen>>| matches!(seen[..], [Some(Seen::Lost(_))]);
        assert!(
            lost(world.agree(&[complete(0, 0)])),
            "{index}: while it is saved"
        );
        assert!(lost(world.agree(&[complete(1, 1)])), "{index}: another's");
        let seen = world.agree(&[complete(0, 1), complete(0, 1)]);
        assert_eq!(seen, [Some(Seen::Completed), Some(Seen::Completed)]);
        assert!(
            lost(world.agree(&[complete(0, 0)])),
            "{index}: when it is done"
        );
    }
    // Without reports, only the verdict tells two apart.
    let mut world = World::new();
    let seen = world.agree(&[claim(0), stage(0, 0, 2), stage(0, 0, 3), stage(0, 0, 2)]);
    assert!(matches!(seen[2], Some(Seen::Lost(_))), "{seen:?}");
    assert!(matches!(seen[3], Some(Seen::Staged(..))), "{seen:?}");
}

/// Bytes that come in pieces, the first one only after an interruption.
struct Interrupted<'a>(&'a [u8], bool);

impl std::io::Read for Interrupted<'_> {
    fn read(&mut self, piece: &mut [u8]) -> std::io::Result<usize> {
        if std::mem::take(&mut self.1) {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        self.0.read(piece)
    }
}

#[test]
fn a_report_is_taken_at_its_exact_length_up_to_its_ceiling() {
    let bytes = vec![b'r'; 100_000];
    let most = 256 * 1024 * 1024;
    for (length, source, wanted) in [
        (most + 1, &b"x"[..], "REPORT_TOO_LARGE"),
        (most, b"x", "REPORT_MISMATCH"),
        (99_999, &bytes, "REPORT_MISMATCH"),
        (100_000, &bytes, ""),
    ] {
        let mut world = World::new();
        world.agree(&[claim(0)]);
        let accepted = accepted(0);
        let publication = publication(&accepted, 0);
        let told = |staged: Result<StageOutcome, &'static str>| match staged {
            Ok(StageOutcome::Staged(_)) => "",
            Ok(StageOutcome::Lost(_)) => "lost",
            Err(code) => code,
        };
        let facts = || ReportFacts {
            sha256: Sha256Hex::of(&bytes),
            bytes: length,
        };
        let lease = world.file.leases[0].clone();
        let report = ReportInput {
            expected: facts(),
            source: &mut Interrupted(source, true),
        };
        let file = world
            .file
            .ledger
            .stage(&accepted, &lease, &publication, Some(report));
        assert_eq!(told(file.map_err(|error| error.code().name())), wanted);
        let lease = world.model.leases[0].clone();
        let report = ReportInput {
            expected: facts(),
            source: &mut Interrupted(source, false),
        };
        let model = world
            .model
            .ledger
            .stage(&accepted, &lease, &publication, Some(report));
        assert_eq!(told(model.map_err(|error| error.code().name())), wanted);
    }
}
