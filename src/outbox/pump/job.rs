//! One job from snapshot to result.

use std::path::PathBuf;

use super::judge::{Proof, Standing};
use super::{Job, Pump, Report};
use crate::delivery::ObjectId;
use crate::git::{FailureClass, Pushed, RefOutcome, Refspec, Trouble};
use crate::outbox::intent::Intent;

/// One delivery of a job: the intent as it was when the push began, and where its objects are.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) intent: Intent,
    pub(super) mirror: PathBuf,
}

impl Item {
    fn refspec(&self) -> Refspec {
        Refspec {
            oid: self.intent.oid.clone(),
            target: self.intent.branch.full(),
        }
    }
}

/// What an attempt came to.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// The origin has it, or a commit that contains it.
    Arrived(Option<ObjectId>),
    /// It has not, with Git's unredacted words.
    Failed(FailureClass, String),
    /// Stopped; it costs nothing.
    Interrupted,
}

impl From<Trouble> for Outcome {
    fn from(trouble: Trouble) -> Outcome {
        match trouble {
            Trouble::Interrupted => Outcome::Interrupted,
            Trouble::Failed { class, words } => Outcome::Failed(class, words),
        }
    }
}

impl Pump {
    /// Works a job off. Every delivery of it is reported exactly once, in the job's order as far
    /// as their pushes have one; `report` is called as soon as a result is durable.
    pub fn run_job(&self, job: &Job, report: &mut dyn FnMut(Report)) {
        let mut open = Vec::new();
        for intent in &job.intents {
            match self.snapshot(intent) {
                Ok(item) => open.push(item),
                Err(done) => report(*done),
            }
        }
        let mut settle = |item: &Item, outcome: Outcome| report(self.settle(item, outcome));
        let Some(mut open) = self.confirm_known(open, &mut settle) else {
            return;
        };
        while !open.is_empty() {
            let (batch, rest) = next_batch(open);
            open = rest;
            if self.settings.stop.is_cancelled() {
                for item in batch.iter().chain(&open) {
                    settle(item, Outcome::Interrupted);
                }
                return;
            }
            if let Some(outcome) = self.push_batch(&batch, &mut settle) {
                // The origin as a whole failed: the others due would meet the same.
                for item in &open {
                    settle(item, outcome.clone());
                }
                return;
            }
        }
    }

    /// Confirms at the origin what the ledger says, with one question for all; gives back what has
    /// to be pushed. `None` when the origin as a whole failed and everything is settled.
    fn confirm_known(
        &self,
        items: Vec<Item>,
        settle: &mut dyn FnMut(&Item, Outcome),
    ) -> Option<Vec<Item>> {
        let mut standings = Vec::new();
        for item in items {
            match self.standing(&item) {
                Ok(standing) => standings.push((item, standing)),
                Err(trouble) => settle(&item, trouble.into()),
            }
        }
        let known: Vec<&Item> = standings
            .iter()
            .filter(|(_, standing)| *standing != Standing::Fresh)
            .map(|(item, _)| item)
            .collect();
        if known.is_empty() {
            return Some(standings.into_iter().map(|(item, _)| item).collect());
        }
        let tips = match self.ask_tips(&known) {
            Ok(tips) => tips,
            Err(trouble) => return without_tips(standings, &trouble.into(), settle),
        };
        let mut open = Vec::new();
        for (item, standing) in standings {
            let Standing::Known(last) = standing else {
                open.push(item);
                continue;
            };
            match self.prove(&item, &tips) {
                Ok(Proof::Ours) => settle(&item, Outcome::Arrived(None)),
                Ok(Proof::ContainedIn(tip)) => settle(&item, Outcome::Arrived(Some(tip))),
                // The origin still has what the ledger says, and ours does not follow from it.
                Ok(Proof::Apart(tip)) if tip == last => {
                    let words = "the target's ledger and the origin hold a commit that this one \
                                 neither contains nor is contained in";
                    settle(
                        &item,
                        Outcome::Failed(FailureClass::NonFastForward, words.into()),
                    );
                }
                Ok(Proof::Apart(_) | Proof::Absent) => open.push(item),
                Err(trouble) => settle(&item, trouble.into()),
            }
        }
        Some(open)
    }

    /// Pushes a batch and settles each of it. The outcome comes back when it concerns the origin as
    /// a whole.
    fn push_batch(
        &self,
        batch: &[Item],
        settle: &mut dyn FnMut(&Item, Outcome),
    ) -> Option<Outcome> {
        let mut failed = Vec::new();
        match self.push(batch) {
            Ok(pushed) => {
                for item in batch {
                    match judged(&pushed, item) {
                        None => settle(item, Outcome::Arrived(None)),
                        Some(class) => failed.push((item, class, pushed.words.clone())),
                    }
                }
            }
            Err(Trouble::Interrupted) => {
                for item in batch {
                    settle(item, Outcome::Interrupted);
                }
                return Some(Outcome::Interrupted);
            }
            Err(Trouble::Failed { class, words }) => {
                failed.extend(batch.iter().map(|item| (item, class, words.clone())));
            }
        }
        if batch.len() > 1 {
            self.push_alone(&mut failed, settle);
        }
        self.reconcile(failed, settle)
    }

    fn push(&self, items: &[Item]) -> Result<Pushed, Trouble> {
        let Some(first) = items.first() else {
            return Ok(Pushed::nothing());
        };
        let refspecs: Vec<Refspec> = items.iter().map(Item::refspec).collect();
        self.access
            .push(&first.mirror, first.intent.origin.as_str(), &refspecs)
    }

    /// A branch that may have been refused for another's fault is pushed once more by itself; that
    /// is still the same attempt.
    fn push_alone<'i>(
        &self,
        failed: &mut Vec<(&'i Item, FailureClass, String)>,
        settle: &mut dyn FnMut(&Item, Outcome),
    ) {
        let (again, mut rest): (Vec<_>, Vec<_>) = std::mem::take(failed)
            .into_iter()
            .partition(|(_, class, _)| class.may_be_anothers());
        for (item, class, words) in again {
            if self.settings.stop.is_cancelled() {
                rest.push((item, class, words));
                continue;
            }
            match self.push(std::slice::from_ref(item)) {
                Ok(pushed) => match judged(&pushed, item) {
                    None => settle(item, Outcome::Arrived(None)),
                    Some(class) => rest.push((item, class, pushed.words)),
                },
                Err(Trouble::Interrupted) => settle(item, Outcome::Interrupted),
                Err(Trouble::Failed { class, words }) => rest.push((item, class, words)),
            }
        }
        *failed = rest;
    }

    /// Asks the origin, by the same way as the push, what it has after all.
    fn reconcile(
        &self,
        failed: Vec<(&Item, FailureClass, String)>,
        settle: &mut dyn FnMut(&Item, Outcome),
    ) -> Option<Outcome> {
        if failed.is_empty() {
            return None;
        }
        let items: Vec<&Item> = failed.iter().map(|(item, ..)| *item).collect();
        let tips = self.ask_tips(&items);
        let mut whole = None;
        for (item, class, words) in failed {
            let proof = match &tips {
                Ok(tips) => self.prove(item, tips),
                Err(Trouble::Interrupted) => Err(Trouble::Interrupted),
                // What the push met stays the reason.
                Err(Trouble::Failed { .. }) => Ok(Proof::Absent),
            };
            let outcome = match proof {
                Ok(Proof::Ours) => Outcome::Arrived(None),
                Ok(Proof::ContainedIn(tip)) => Outcome::Arrived(Some(tip)),
                Err(Trouble::Interrupted) => Outcome::Interrupted,
                Ok(Proof::Apart(_) | Proof::Absent) | Err(Trouble::Failed { .. }) => {
                    let outcome = Outcome::Failed(class, words);
                    // An origin that answers the question is there: then it was this push alone,
                    // and no other may be held back for it.
                    if class.concerns_whole_origin() && tips.is_err() {
                        whole = Some(outcome.clone());
                    }
                    outcome
                }
            };
            settle(item, outcome);
        }
        whole
    }
}

/// The origin did not answer: what rests on its answer fails with it, and everything does when the
/// origin as a whole failed. What is left to push, if anything may be.
fn without_tips(
    standings: Vec<(Item, Standing)>,
    outcome: &Outcome,
    settle: &mut dyn FnMut(&Item, Outcome),
) -> Option<Vec<Item>> {
    let whole = match outcome {
        Outcome::Failed(class, _) => class.concerns_whole_origin(),
        Outcome::Arrived(_) | Outcome::Interrupted => true,
    };
    let mut open = Vec::new();
    for (item, standing) in standings {
        if whole || standing != Standing::Fresh {
            settle(&item, outcome.clone());
        } else {
            open.push(item);
        }
    }
    (!whole).then_some(open)
}

/// The class of a failure of this item, or `None` when it arrived.
fn judged(pushed: &Pushed, item: &Item) -> Option<FailureClass> {
    match pushed.report.outcome(&item.intent.branch.full()) {
        Some(RefOutcome::Updated | RefOutcome::UpToDate) => None,
        Some(RefOutcome::Refused(class)) => Some(class),
        None => Some(pushed.unnamed),
    }
}

/// The most branches of one call: an argument list has its bounds.
const MAX_BATCH: usize = 64;

/// The next call: the first delivery of each branch, of one mirror. What failed before in a way that
/// is nobody's judgement of its branch goes alone, so that it takes no other with it.
fn next_batch(items: Vec<Item>) -> (Vec<Item>, Vec<Item>) {
    let mut batch: Vec<Item> = Vec::new();
    let mut rest: Vec<Item> = Vec::new();
    for item in items {
        let alone = |item: &Item| {
            let classes = [
                FailureClass::Timeout,
                FailureClass::Unreachable,
                FailureClass::Other,
            ];
            let last = item.intent.last_error.as_ref();
            last.is_some_and(|last| {
                classes
                    .iter()
                    .any(|class| class.code().name() == last.as_str())
            })
        };
        let fits = batch.first().is_none_or(|first| {
            first.mirror == item.mirror && batch.len() < MAX_BATCH && !alone(first) && !alone(&item)
        });
        let waits = batch
            .iter()
            .chain(&rest)
            .any(|earlier| earlier.intent.branch == item.intent.branch);
        if fits && !waits {
            batch.push(item);
        } else {
            rest.push(item);
        }
    }
    (batch, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;
    use crate::outbox::intent::tests::intent;
    use crate::outbox::names::{Branch, Turn};

    fn item(branch: &str, turn: u64, mirror: &str) -> Item {
        let mut intent = intent();
        intent.branch = Branch::new(branch).unwrap();
        intent.turn_id = Turn::new(format!("{turn:032x}")).unwrap();
        Item {
            intent,
            mirror: mirror.into(),
        }
    }

    fn turns(items: &[Item]) -> Vec<u64> {
        items
            .iter()
            .map(|item| u64::from_str_radix(item.intent.turn_id.as_str(), 16).unwrap())
            .collect()
    }

    /// All batches, by turn.
    fn batches(mut items: Vec<Item>) -> Vec<Vec<u64>> {
        let mut found = Vec::new();
        while !items.is_empty() {
            let (batch, rest) = next_batch(items);
            assert!(!batch.is_empty(), "no progress");
            found.push(turns(&batch));
            items = rest;
        }
        found
    }

    #[test]
    fn the_first_of_each_branch_go_together_and_the_others_follow_in_order() {
        let items = vec![
            item("a", 1, "/m"),
            item("a", 2, "/m"),
            item("a", 3, "/m"),
            item("b", 4, "/m"),
            item("b", 5, "/m"),
        ];
        assert_eq!(batches(items), [vec![1, 4], vec![2, 5], vec![3]]);
    }

    #[test]
    fn one_call_is_of_one_mirror_and_no_branch_is_overtaken_in_another() {
        let items = vec![
            item("a", 1, "/m"),
            item("a", 2, "/n"),
            item("a", 3, "/m"),
            item("b", 4, "/n"),
            item("c", 5, "/m"),
        ];
        assert_eq!(batches(items), [vec![1, 5], vec![2, 4], vec![3]]);
    }

    #[test]
    fn what_failed_without_a_judgement_of_its_branch_goes_alone() {
        for (code, expected) in [
            (Code::OriginTimeout, vec![vec![1], vec![2, 3]]),
            (Code::OriginUnreachable, vec![vec![1], vec![2, 3]]),
            (Code::PublishFailed, vec![vec![1], vec![2, 3]]),
            (Code::PushRejected, vec![vec![1, 2, 3]]),
            (Code::NonFastForward, vec![vec![1, 2, 3]]),
            (Code::OriginAuthFailed, vec![vec![1, 2, 3]]),
        ] {
            let mut items = vec![item("a", 1, "/m"), item("b", 2, "/m"), item("c", 3, "/m")];
            items[0].intent.last_error = Some(code.into());
            assert_eq!(batches(items), expected, "{code}");
        }
    }

    #[test]
    fn a_call_has_at_most_sixty_four_branches() {
        let items: Vec<Item> = (0..150)
            .map(|number| item(&format!("b{number:03}"), number, "/m"))
            .collect();
        let sizes: Vec<usize> = batches(items).iter().map(Vec::len).collect();
        assert_eq!(sizes, [64, 64, 22]);
    }
}
