//! Whether a state that a crash left keeps every promise: nothing that was answered is lost,
//! nothing is there twice, and the work goes on.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use amiss::clock::FixedClock;
use amiss::code::{Code, Coded};
use amiss::delivery::AcceptedDelivery;
use amiss::durable::Step;
use amiss::ledger::file::{ClockPolicy, FileLedger, Options, Root};
use amiss::ledger::{Claim, Completion, DeliveryLedger, Renewal, ReportInput, Saved, StageOutcome};
use serde_json::Value;

use super::oracle::{Seen, look, tidy};
use super::play::{Mark, Play, ledger, scratch};
use super::scene::{check, delivery, facts, lease_of, publication};
use super::states::{Tree, private, states};

/// Kept, or which promise is not.
pub type Verdict = Result<(), String>;

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// The figures of one proof.
#[derive(Debug, Default)]
pub struct Figures {
    pub moments: usize,
    pub all: u128,
    pub built: usize,
    pub checked: usize,
}

/// How many states of one moment are built at most.
pub fn bound() -> usize {
    if long() { 100_000 } else { 400 }
}

pub fn long() -> bool {
    crate::figures::is_long()
}

/// Builds and judges every state after every step. `deliveries` are all that the play knows.
pub fn prove(play: &Play, deliveries: &[AcceptedDelivery]) -> (Figures, Vec<String>) {
    prove_steps(play, &play.steps, deliveries, 0, usize::MAX)
}

/// The same with other steps, from the moment `first` on, until there are `enough` faults.
pub fn prove_steps(
    play: &Play,
    steps: &[Step],
    deliveries: &[AcceptedDelivery],
    first: usize,
    enough: usize,
) -> (Figures, Vec<String>) {
    let mut figures = Figures::default();
    let mut faults = Vec::new();
    let mut medium = play.base.clone();
    let mut answered = 0;
    let mut judge = Judge::new(deliveries, Draws::Same);
    for number in 0..=steps.len() {
        if let Some(step) = number.checked_sub(1).map(|index| &steps[index]) {
            medium.apply(step);
            if matches!(step, Step::Answer(_)) {
                answered += 1;
            }
        }
        if number < first {
            continue;
        }
        let found = states(&medium, bound());
        figures.moments += 1;
        figures.all = figures.all.saturating_add(found.all);
        figures.built += found.built.len();
        for tree in &found.built {
            if faults.len() >= enough {
                return (figures, faults);
            }
            if !judge.seen.insert((tree.fingerprint(), answered)) {
                continue;
            }
            figures.checked += 1;
            let before = &play.marks[answered];
            let after = play.marks.get(answered + 1);
            if let Err(fault) = judge.state(tree, before, after) {
                let under_way = after.map_or("nothing", |mark| mark.label.as_str());
                faults.push(format!(
                    "after step {number} ({:?}), {:?} answered, {under_way} under way: {fault}\n  {}",
                    steps.get(number.saturating_sub(1)).map(short),
                    before.label,
                    tree.describe()
                ));
            }
        }
    }
    (figures, faults)
}

fn short(step: &Step) -> String {
    match step {
        Step::Append(path, bytes) => format!("append {} to {}", bytes.len(), path.display()),
        other => format!("{other:?}"),
    }
}

/// Judges states of one root.
pub struct Judge<'a> {
    /// Whether what is under way may draw other random ids than the mark has.
    pub draws: Draws,
    known: BTreeMap<String, &'a AcceptedDelivery>,
    seen: HashSet<(u64, usize)>,
    direct: HashSet<(u64, usize)>,
    opened: HashSet<(u64, i64)>,
}

/// Whether two runs of an operation draw the same random ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draws {
    /// It is the same run.
    Same,
    /// It is another run.
    Other,
}

impl Draws {
    /// Whether a row is the one that an operation was to write over `was`.
    pub fn agree(
        self,
        there: Option<&Value>,
        will_be: Option<&Value>,
        was: Option<&Value>,
    ) -> bool {
        let plain = |row: Option<&Value>| {
            let mut row = row.cloned();
            if let (Draws::Other, Some(row)) = (self, &mut row) {
                if row["state"]["state"] == "running" {
                    row["state"]["owner"] = Value::Null;
                }
                if was.is_none() {
                    row["evaluation_id"] = Value::Null;
                }
            }
            row
        };
        plain(there) == plain(will_be)
    }
}

impl<'a> Judge<'a> {
    /// For a root that knows these deliveries.
    pub fn new(deliveries: &'a [AcceptedDelivery], draws: Draws) -> Judge<'a> {
        Judge {
            draws,
            known: deliveries
                .iter()
                .map(|delivery| (delivery.key().to_string(), delivery))
                .collect(),
            seen: HashSet::new(),
            direct: HashSet::new(),
            opened: HashSet::new(),
        }
    }

    /// One state, with what was answered before it and what was under way.
    pub fn state(&mut self, tree: &Tree, before: &Mark, after: Option<&Mark>) -> Verdict {
        let folder = laid_out(tree);
        let path = folder.path();
        let seen = look(path)?;
        let now = after.map_or(before.now, |after| after.now);
        nothing_lost(&seen, before, after, self.draws)?;
        let prepared = is_prepared(&seen);
        let may_be_offline = !is_prepared(&before.seen) || after.is_some_and(|mark| mark.offline);
        ensure(prepared || may_be_offline, || {
            "a prepared root is none any more".into()
        })?;
        // Row work never looks at leftovers, so states that differ in them alone are one to it.
        let plain = (
            tree.without_leftovers().fingerprint(),
            before.seen.rows.len(),
        );
        if prepared && self.direct.insert(plain) {
            self.go_on(path, &seen, now, Owner::Holder)
                .map_err(|fault| format!("going on at once: {fault}"))?;
        }
        let folder = laid_out(tree);
        let path = folder.path();
        let mut seen = seen;
        if let Some(damaged) = take_damaged(&mut seen) {
            mend(path, now, before, &damaged).map_err(|fault| format!("mending: {fault}"))?;
        }
        open(path, now, before, after).map_err(|fault| format!("opening: {fault}"))?;
        let opened = look(path)?;
        tidy(&opened).map_err(|fault| format!("after opening: {fault}"))?;
        kept(&seen, &opened, now)?;
        let fingerprint = (Tree::of(path).without_leftovers().fingerprint(), now);
        if self.opened.insert(fingerprint) {
            self.go_on(path, &opened, now, Owner::Other)
                .map_err(|fault| format!("going on after opening: {fault}"))?;
        }
        Ok(())
    }

    /// Every delivery that is known, and one that is new, can be brought to its end.
    fn go_on(&self, path: &Path, seen: &Seen, now: i64, owner: Owner) -> Verdict {
        for (key, delivery) in &self.known {
            let named = |fault: String| format!("{key}: {fault}");
            match seen.rows.get(key) {
                // Damaged on purpose: its own delivery waits, and no other.
                Some(row) if row.is_null() => {}
                Some(row) => end(path, delivery, row, now, owner).map_err(named)?,
                None => admit(path, delivery, now).map_err(named)?,
            }
        }
        admit(path, &delivery("never-seen-before", None), now)
            .map_err(|fault| format!("a new delivery: {fault}"))?;
        let after = look(path)?;
        let cap = after.root.as_ref().unwrap()["max_records"].as_u64();
        ensure(Some(after.rows.len() as u64) <= cap, || {
            format!("{} rows, over the cap", after.rows.len())
        })
    }
}

/// Takes the row that was damaged on purpose out of what was seen.
fn take_damaged(seen: &mut Seen) -> Option<String> {
    let key = seen
        .rows
        .iter()
        .find_map(|(key, row)| row.is_null().then(|| key.clone()))?;
    seen.rows.remove(&key);
    Some(key)
}

/// A root with a damaged row is refused by name; the row can be moved out, now or again.
fn mend(path: &Path, now: i64, before: &Mark, key: &str) -> Verdict {
    let root = Root::open(path, Options::default()).map_err(|error| error.to_string())?;
    let name = format!("{key}.state");
    match root.init(&before.limits, &FixedClock(now), ClockPolicy::Guard) {
        Err(error) if error.code() == Code::RootCorrupt && error.to_string().contains(&name) => {}
        other => return Err(format!("opened with a damaged row: {other:?}")),
    }
    let to = scratch();
    root.quarantine(std::ffi::OsStr::new(&name), to.path())
        .map_err(|error| error.to_string())?;
    let moved = std::fs::read(to.path().join(&name)).map_err(|error| error.to_string())?;
    ensure(moved == super::oracle::DAMAGE, || {
        "moved something else".into()
    })
}

/// Who takes the work up again: the process that held the lease, or another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Holder,
    Other,
}

fn laid_out(tree: &Tree) -> tempfile::TempDir {
    let folder = scratch();
    private(folder.path());
    tree.lay_out(folder.path());
    folder
}

fn is_prepared(seen: &Seen) -> bool {
    let current = |root: &Value| root["schema"] == "amiss/controller-file-root-v2";
    seen.root.as_ref().is_some_and(current)
}

fn high_water(seen: &Seen) -> Option<i64> {
    seen.root.as_ref()?["clock_high_water_unix_millis"].as_i64()
}

/// What was answered holds; what is under way was done or was not.
fn nothing_lost(seen: &Seen, before: &Mark, after: Option<&Mark>, draws: Draws) -> Verdict {
    let after_rows = after.map(|mark| &mark.seen.rows);
    let keys: HashSet<&String> = seen.rows.keys().chain(before.seen.rows.keys()).collect();
    for key in keys {
        let there = seen.rows.get(key);
        let was = before.seen.rows.get(key);
        let will_be = after_rows.map(|rows| rows.get(key));
        let done = will_be.is_some_and(|will_be| draws.agree(there, will_be, was));
        ensure(there == was || done, || {
            format!("the row {key} is {there:?}, was {was:?}, and becomes {will_be:?}")
        })?;
        let end = was.and_then(|row| row["replay_keep"]["unix_millis"].as_i64());
        if let (None, Some(end)) = (there, end) {
            // Only a high water past its end refuses the delivery when the clock falls back.
            ensure(high_water(seen) > Some(end), || {
                format!("the row {key} went, and the high water does not know that {end} is over")
            })?;
        }
    }
    if let Some(certain) = high_water(&before.seen) {
        ensure(high_water(seen) >= Some(certain), || {
            format!(
                "the high water fell from {certain} to {:?}",
                high_water(seen)
            )
        })?;
    }
    Ok(())
}

/// Opens the root with the limits that were certain, or with those that were being set.
fn open(path: &Path, now: i64, before: &Mark, after: Option<&Mark>) -> Verdict {
    let root = Root::open(path, Options::default()).map_err(|error| error.to_string())?;
    let init = |mark: &Mark| root.init(&mark.limits, &FixedClock(now), ClockPolicy::Guard);
    match (init(before), after) {
        (Ok(_), _) => Ok(()),
        (Err(error), Some(after)) if error.code() == Code::RootConfiguration => init(after)
            .map(|_| ())
            .map_err(|error| format!("with either limits: {error}")),
        (Err(error), _) => Err(error.to_string()),
    }
}

/// Opening removes nothing but rows whose end has passed.
fn kept(seen: &Seen, opened: &Seen, now: i64) -> Verdict {
    let time = now.max(high_water(opened).unwrap_or(0));
    for (key, row) in &seen.rows {
        let end = row["replay_keep"]["unix_millis"].as_i64();
        let ended = row["state"]["state"] == "done" && end.is_some_and(|end| end < time);
        let there = opened.rows.get(key);
        ensure(there == Some(row) || (ended && there.is_none()), || {
            format!("opening made {there:?} of {row}")
        })?;
    }
    ensure(opened.rows.len() <= seen.rows.len(), || {
        "opening made a row".into()
    })
}

/// A delivery without a row is claimed as new, or it is refused with the right reason.
fn admit(path: &Path, delivery: &AcceptedDelivery, now: i64) -> Verdict {
    let before = look(path)?;
    let time = now.max(high_water(&before).unwrap_or(0));
    let cap = before.root.as_ref().unwrap()["max_records"]
        .as_u64()
        .unwrap();
    let mut ledger = ledger(path, now);
    match ledger.claim(delivery, &check(), None) {
        Ok(Claim::Execute(lease)) => {
            ensure(lease.fence.get() == 1, || format!("fence {}", lease.fence))?;
            let end = delivery.replay().end();
            ensure(end.is_none_or(|end| end.get() >= time), || {
                "admitted after its end".into()
            })?;
            let row = look(path)?.rows[&delivery.key().to_string()].clone();
            finish(&mut ledger, delivery, &row)
        }
        Err(error) if error.code() == Code::Full => ensure(before.rows.len() as u64 >= cap, || {
            format!("full with {} rows of {cap}: {error}", before.rows.len())
        }),
        Err(error) if error.code() == Code::Expired => {
            let end = delivery.replay().end().map(amiss::clock::UnixMillis::get);
            ensure(end.is_some_and(|end| end < time), || error.to_string())
        }
        Err(error) => Err(error.to_string()),
        Ok(other) => Err(format!("{other:?} without a row")),
    }
}

/// A delivery with a row is brought to its end by the commands that its state calls for.
fn end(path: &Path, delivery: &AcceptedDelivery, row: &Value, now: i64, owner: Owner) -> Verdict {
    let mut at_once = ledger(path, now);
    let claim = |ledger: &mut FileLedger<FixedClock>| {
        ledger
            .claim(delivery, &check(), None)
            .map_err(|error| error.to_string())
    };
    let same = |evaluation: &str| row["evaluation_id"] == evaluation;
    match row["state"]["state"].as_str().unwrap() {
        "done" => match claim(&mut at_once)? {
            Claim::Duplicate { evaluation_id } if same(evaluation_id.as_str()) => Ok(()),
            other => Err(format!("{other:?} of a done row")),
        },
        "staged" if row["state"]["publication"]["gate_commit"].is_null() => {
            reclaimed(path, delivery, row, now)
        }
        "staged" => match claim(&mut at_once)? {
            Claim::Publish(saved) => {
                ensure(
                    same(saved.evaluation_id.as_str())
                        && row["state"]["fence"] == saved.fence.get(),
                    || format!("{saved:?} of another evaluation"),
                )?;
                complete(&mut at_once, delivery, &saved)
            }
            other => Err(format!("{other:?} of a saved row")),
        },
        _ => {
            let deadline = row["state"]["expires_at_unix_millis"].as_i64().unwrap();
            let hold =
                owner == Owner::Holder && now.max(high_water(&look(path)?).unwrap_or(0)) < deadline;
            if hold {
                finish(&mut at_once, delivery, row)
            } else {
                reclaimed(path, delivery, row, deadline.max(now))
            }
        }
    }
}

/// The next owner gets the same evaluation under the next fence, and the earlier one nothing.
fn reclaimed(path: &Path, delivery: &AcceptedDelivery, row: &Value, now: i64) -> Verdict {
    let mut ledger = ledger(path, now);
    let fence = row["state"]["fence"].as_u64().unwrap();
    match ledger.claim(delivery, &check(), None) {
        Ok(Claim::Execute(lease)) => ensure(
            lease.fence.get() == fence + 1 && row["evaluation_id"] == lease.evaluation_id.as_str(),
            || format!("reclaimed {row} as {lease:?}"),
        )?,
        other => return Err(format!("reclaiming {row}: {other:?}")),
    }
    if row["state"]["state"] == "running" {
        match ledger.renew(delivery, &lease_of(row)) {
            Ok(Renewal::Lost(_)) => {}
            other => return Err(format!("the earlier owner renewed: {other:?}")),
        }
    }
    let row = look(path)?.rows[&delivery.key().to_string()].clone();
    finish(&mut ledger, delivery, &row)
}

/// The owner of a running row claims it again, renews, saves and completes.
fn finish(
    ledger: &mut FileLedger<FixedClock>,
    delivery: &AcceptedDelivery,
    row: &Value,
) -> Verdict {
    let lease = lease_of(row);
    let failed = |error: amiss::ledger::file::LedgerError| error.to_string();
    match ledger
        .claim(delivery, &check(), Some(&lease))
        .map_err(failed)?
    {
        Claim::Execute(again) if again == lease => {}
        other => return Err(format!("claimed again: {other:?}")),
    }
    let lease = match ledger.renew(delivery, &lease).map_err(failed)? {
        Renewal::Renewed { lease: renewed, .. } if renewed.fence == lease.fence => renewed,
        other => return Err(format!("renewed: {other:?}")),
    };
    let report = b"a report of the second try";
    let input = ReportInput {
        expected: facts(report),
        source: &mut report.as_slice(),
    };
    let publication = publication("block", None);
    match ledger
        .stage(delivery, &lease, &publication, Some(input))
        .map_err(failed)?
    {
        StageOutcome::Staged(saved) => complete(ledger, delivery, &saved),
        other => Err(format!("staged: {other:?}")),
    }
}

/// The saved value is what a claim publishes; its completion is final and repeatable.
fn complete(
    ledger: &mut FileLedger<FixedClock>,
    delivery: &AcceptedDelivery,
    saved: &Saved,
) -> Verdict {
    let failed = |error: amiss::ledger::file::LedgerError| error.to_string();
    match ledger.claim(delivery, &check(), None).map_err(failed)? {
        Claim::Publish(again) if *again == *saved => {}
        other => return Err(format!("published {other:?}, saved was {saved:?}")),
    }
    for _ in 0..2 {
        match ledger.complete(delivery, saved).map_err(failed)? {
            Completion::Completed => {}
            other => return Err(format!("completed: {other:?}")),
        }
    }
    match ledger.claim(delivery, &check(), None).map_err(failed)? {
        Claim::Duplicate { evaluation_id } if evaluation_id == saved.evaluation_id => Ok(()),
        other => Err(format!("claimed after its end: {other:?}")),
    }
}
