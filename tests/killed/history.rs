//! Many processes on one root, killed at random; what they were answered is checked afterwards
//! (page 8, part 4): per delivery one live fence at a time, fences only grow, one published value,
//! completion final.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use amiss::clock::SystemClock;
use amiss::ledger::file::{ClockPolicy, Limits, Options, Root};
use serde_json::{Value, json};

use super::judge::long;
use super::ledger::{check_file, envelope, facts_of_a_run};
use super::oracle::{look, tidy};
use super::play::scratch;
use super::states::private;
use super::station::{Dice, Station};

/// So short that many leases end while they are held.
const LEASE: i64 = 60;
/// How many deliveries are fought for at a time.
const KEYS: u64 = 3;

/// What one command was answered.
#[derive(Clone, Debug)]
struct Event {
    worker: usize,
    command: &'static str,
    /// When it was answered, by the system's clock, in milliseconds; the order of events is that of
    /// `before` and `after`, from one counter.
    answered: i64,
    before: u64,
    after: u64,
    answer: Option<Value>,
}

/// What all workers share.
struct Field {
    root: PathBuf,
    check: String,
    report: Value,
    counter: AtomicU64,
    /// Deliveries that were answered as done.
    done: AtomicU64,
    events: Mutex<BTreeMap<u64, Vec<Event>>>,
    claims: u64,
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// One worker with its four commands.
struct Worker<'a> {
    number: usize,
    field: &'a Field,
    dice: Dice,
    claim: Station,
    renew: Station,
    stage: Station,
    complete: Station,
    claims: u64,
    asked: u64,
}

impl Worker<'_> {
    fn new(number: usize, field: &Field, seed: u64) -> Worker<'_> {
        let station = |words: &[&str]| Station::new(&field.root, words);
        Worker {
            number,
            field,
            dice: Dice(seed.wrapping_add(number as u64 * 7919)),
            claim: station(&["claim", "--check", &field.check]),
            renew: station(&["renew"]),
            stage: station(&["stage"]),
            complete: station(&["complete"]),
            claims: 0,
            asked: 0,
        }
    }

    fn ask(&mut self, key: u64, command: &'static str, envelope: &Value) -> Option<Value> {
        let kill = (self.dice.roll(12) == 0).then(|| Duration::from_micros(self.dice.roll(4000)));
        let station = match command {
            "claim" => &mut self.claim,
            "renew" => &mut self.renew,
            "stage" => &mut self.stage,
            _ => &mut self.complete,
        };
        let before = self.field.counter.fetch_add(1, Ordering::SeqCst);
        let answer = station.ask(envelope, kill);
        let event = Event {
            worker: self.number,
            command,
            answered: now(),
            before,
            after: self.field.counter.fetch_add(1, Ordering::SeqCst),
            answer: answer.clone(),
        };
        self.asked += 1;
        let mut events = self.field.events.lock().unwrap();
        events.entry(key).or_default().push(event);
        answer
    }

    fn work(&mut self) {
        while self.claims < self.field.claims {
            let key = self.field.done.load(Ordering::SeqCst) + self.dice.roll(KEYS);
            self.deliver(key);
        }
    }

    /// One try at one delivery, as a shell pipeline would make it, or a part of one.
    fn deliver(&mut self, key: u64) {
        let fresh = envelope(&format!("delivery-{key}"), None, &json!({}));
        self.claims += 1;
        let Some(mut flow) = self.ask(key, "claim", &fresh) else {
            return;
        };
        match flow["claim"]["result"].as_str().unwrap() {
            "execute" => {
                if self.dice.roll(6) == 0 {
                    return;
                }
                if self.dice.roll(3) == 0 {
                    match self.ask(key, "renew", &flow) {
                        Some(renewed) if renewed["error"].is_null() => flow = renewed,
                        _ => return,
                    }
                }
                flow["run"] = facts_of_a_run();
                flow["recheck"] = facts_of_a_run();
                // Each owner has another verdict: only one may ever be seen.
                flow["outcome"] = match self.dice.roll(3) {
                    0 => json!({"result": "timed-out", "detail": "too long"}),
                    1 => {
                        json!({"result": "complete", "evaluation": "pass", "report": self.field.report})
                    }
                    _ => {
                        json!({"result": "complete", "evaluation": "block", "report": self.field.report})
                    }
                };
                match self.ask(key, "stage", &flow) {
                    Some(staged) if staged["error"].is_null() => flow = staged,
                    _ => return,
                }
            }
            "publish" => {}
            "duplicate" => {
                // Somebody ended it; the next delivery takes its place.
                let _ = self.field.done.fetch_max(key + 1, Ordering::SeqCst);
                return;
            }
            _ => return,
        }
        if self.dice.roll(6) != 0 {
            self.ask(key, "complete", &flow);
        }
    }
}

/// What was done in one or more rounds.
#[derive(Default)]
struct Tally {
    rounds: usize,
    asked: u64,
    killed: usize,
    deliveries: usize,
    answers: usize,
    granted: usize,
}

/// Runs the workers on a root of their own and gives all that they were answered.
fn fight(workers: usize, claims: u64, tally: &mut Tally) -> (Field, tempfile::TempDir) {
    let folder = scratch();
    let root = folder.path().join("root");
    std::fs::create_dir(&root).unwrap();
    private(&root);
    prepare(&root);
    let report = folder.path().join("report.json");
    std::fs::write(&report, "the report").unwrap();
    let facts = super::scene::facts(b"the report");
    let field = Field {
        check: check_file(folder.path()),
        root,
        report: json!({"path": report, "sha256": facts.sha256, "bytes": facts.bytes}),
        counter: AtomicU64::new(0),
        done: AtomicU64::new(0),
        events: Mutex::new(BTreeMap::new()),
        claims,
    };
    let seed = std::env::var("AMISS_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| now().unsigned_abs())
        .wrapping_add(tally.rounds as u64);
    // Told first, so that it is known of a round that fails.
    crate::figures::tell(&format!(
        "{workers} workers, {claims} claims each, seed {seed}"
    ));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|number| {
                let field = &field;
                scope.spawn(move || {
                    let mut worker = Worker::new(number, field, seed);
                    worker.work();
                    let stations = [
                        &worker.claim,
                        &worker.renew,
                        &worker.stage,
                        &worker.complete,
                    ];
                    let killed: usize = stations.iter().map(|station| station.killed).sum();
                    (worker.asked, killed)
                })
            })
            .collect();
        for thread in threads {
            let (one, other) = thread.join().unwrap();
            tally.asked += one;
            tally.killed += other;
        }
    });
    (field, folder)
}

fn prepare(root: &Path) {
    let limits = Limits {
        lease_millis: LEASE,
        max_records: 1_000_000,
        max_signed_age_millis: 300_000,
        max_queue_age_millis: 60_000,
    };
    let opened = Root::open(root, Options::default()).unwrap();
    opened
        .init(&limits, &SystemClock, ClockPolicy::Guard)
        .unwrap();
}

fn results<'a>(
    events: &'a [Event],
    command: &'a str,
) -> impl Iterator<Item = (&'a Event, &'a Value)> {
    events
        .iter()
        .filter(move |event| event.command == command)
        .filter_map(|event| Some((event, event.answer.as_ref()?)))
}

/// The grants of a lease: fence, deadline, and the event.
fn grants(events: &[Event]) -> Vec<(u64, i64, &Event)> {
    let mut list: Vec<(u64, i64, &Event)> = results(events, "claim")
        .filter(|(_, answer)| answer["claim"]["result"] == "execute")
        .chain(results(events, "renew").filter(|(_, answer)| answer["error"].is_null()))
        .map(|(event, answer)| {
            let lease = &answer["lease"];
            let fence = lease["fence"].as_u64().unwrap();
            (
                fence,
                lease["expires_at_unix_millis"].as_i64().unwrap(),
                event,
            )
        })
        .collect();
    list.sort_by_key(|(fence, _, event)| (*fence, event.before));
    list
}

/// Everything that the answers about one delivery must say about each other.
fn check_history(key: u64, events: &[Event]) {
    let grants = grants(events);
    let claims = |fence: u64| {
        grants
            .iter()
            .filter(move |(number, _, event)| *number == fence && event.command == "claim")
    };
    for (fence, deadline, event) in &grants {
        assert!(
            claims(*fence).count() <= 1,
            "{key}: fence {fence} granted twice: {events:#?}"
        );
        for (later, _, other) in &grants {
            // Fences only grow: what was asked after an answer has no smaller one.
            if other.before > event.after && other.command == "claim" {
                assert!(later > fence, "{key}: {fence} before {later}: {events:#?}");
            }
            // One live fence at a time: nobody was granted a later one before this deadline.
            if later > fence && other.command == "claim" {
                assert!(
                    other.answered >= *deadline,
                    "{key}: {later} granted too early: {events:#?}"
                );
            }
        }
    }
    let mut values: Vec<(Value, u64)> = results(events, "stage")
        .filter(|(_, answer)| answer["error"].is_null())
        .chain(
            results(events, "claim").filter(|(_, answer)| answer["claim"]["result"] == "publish"),
        )
        .map(|(_, answer)| {
            let mut staged = answer["staged"].clone();
            let fence = staged["fence"].as_u64().unwrap();
            if !staged["report"].is_null() {
                staged["report"]["path"] = Value::Null;
            }
            (staged, fence)
        })
        .collect();
    values.dedup();
    assert!(values.len() <= 1, "{key}: two values: {values:#?}");
    if let Some((_, fence)) = values.first() {
        let last = grants.last().map_or(0, |(fence, _, _)| *fence);
        assert!(
            last <= *fence,
            "{key}: granted {last} after {fence} was saved: {events:#?}"
        );
    }
    completion_is_final(key, events);
    let mut evaluations: Vec<&Value> = results(events, "claim")
        .flat_map(|(_, answer)| {
            [
                &answer["lease"]["evaluation_id"],
                &answer["staged"]["evaluation_id"],
                &answer["claim"]["evaluation_id"],
            ]
        })
        .filter(|id| !id.is_null())
        .collect();
    evaluations.dedup();
    assert!(evaluations.len() <= 1, "{key}: {evaluations:?}");
}

fn completion_is_final(key: u64, events: &[Event]) {
    let completed = results(events, "complete")
        .filter(|(_, answer)| answer["error"].is_null())
        .map(|(event, _)| event.after)
        .min();
    let Some(completed) = completed else {
        return;
    };
    for (event, answer) in results(events, "claim") {
        if event.before > completed {
            assert_eq!(
                answer["claim"]["result"], "duplicate",
                "{key}: claimed after its completion by worker {}: {events:#?}",
                event.worker
            );
        }
    }
    for command in ["renew", "stage"] {
        for (event, answer) in results(events, command) {
            let same = command == "stage" && answer["error"].is_null();
            let lost = answer["error"]["code"] == "LOST";
            assert!(
                event.before < completed || lost || same,
                "{key}: {command} after its completion: {answer}"
            );
        }
    }
}

fn locks(root: &Path) -> BTreeMap<String, u64> {
    std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "lock"))
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, entry.metadata().unwrap().ino())
        })
        .collect()
}

fn check_all(field: &Field, tally: &mut Tally) {
    let events = field.events.lock().unwrap();
    let mut granted = 0;
    for (key, events) in events.iter() {
        check_history(*key, events);
        tally.answers += events.iter().filter(|event| event.answer.is_some()).count();
        granted += grants(events).len();
    }
    assert!(granted > 0);
    tally.granted += granted;
    tally.deliveries += events.len();
    tally.rounds += 1;
    let before = locks(&field.root);
    look(&field.root).unwrap();
    prepare(&field.root);
    let seen = look(&field.root).unwrap();
    tidy(&seen).unwrap();
    let after = locks(&field.root);
    for (lock, inode) in before {
        assert_eq!(after.get(&lock), Some(&inode), "{lock} was replaced");
    }
}

/// How many commands the long form asks in each of its two histories: a million together.
const WANTED: u64 = 500_000;

/// One round; in the long form as many longer ones as it needs, each on a root of its own.
fn histories(name: &str, workers: usize, claims: u64, long_claims: u64) {
    let (claims, wanted) = if long() {
        (long_claims, WANTED)
    } else {
        (claims, 1)
    };
    let mut tally = Tally::default();
    while tally.asked < wanted {
        let (field, _folder) = fight(workers, claims, &mut tally);
        check_all(&field, &mut tally);
    }
    let Tally {
        rounds,
        asked,
        killed,
        deliveries,
        answers,
        granted,
    } = tally;
    crate::figures::tell(&format!(
        "{name}: {rounds} rounds, {asked} commands asked, {killed} processes killed, \
         {deliveries} deliveries, {answers} answers, {granted} leases, no violation"
    ));
}

#[test]
fn c01_three_processes_that_are_killed_at_random_keep_fences_exact_and_locks_in_place() {
    histories("three processes", 3, 400, 4000);
}

#[test]
fn eight_processes_that_are_killed_at_random_have_one_history() {
    histories("eight processes", 8, 150, 2500);
}
