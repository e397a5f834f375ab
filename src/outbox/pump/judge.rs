//! What ledger and origin say of a commit, before and after a push.

use std::path::Path;

use super::Pump;
use super::job::Item;
use crate::delivery::ObjectId;
use crate::git::{Containment, RemoteTips, Trouble};
use crate::outbox::target::Target;

/// What the target's ledger says of ours. It spares a push and never overrules the origin, so
/// everything but `Fresh` is confirmed there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nothing, or that ours comes after what was delivered last: push.
    Fresh,
    /// This commit was delivered last, or contains or differs from ours.
    Known(ObjectId),
}

/// What the origin's own tip means for ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// The origin has exactly ours.
    Ours,
    /// It has this commit, which contains ours.
    ContainedIn(ObjectId),
    /// It has this commit, which does not.
    Apart(ObjectId),
    /// It has no such branch.
    Absent,
}

impl Pump {
    /// Reads the ledger. One that cannot be read is as good as none.
    pub(super) fn standing(&self, item: &Item) -> Result<Standing, Trouble> {
        let ledger = self.root.read_ledger(&item.intent.target()).ok().flatten();
        let Some(last) = ledger.map(|ledger| ledger.last_oid) else {
            return Ok(Standing::Fresh);
        };
        if last == item.intent.oid {
            return Ok(Standing::Known(last));
        }
        match self
            .access
            .contains(&item.mirror, &item.intent.oid, &last)?
        {
            Containment::Contained => Ok(Standing::Fresh),
            Containment::Apart | Containment::Unknown => Ok(Standing::Known(last)),
        }
    }

    /// One question to the origin for the branches of these items.
    pub(super) fn ask_tips(&self, items: &[&Item]) -> Result<RemoteTips, Trouble> {
        let Some(first) = items.first() else {
            return Ok(RemoteTips::default());
        };
        let mut targets: Vec<String> = items.iter().map(|item| item.intent.branch.full()).collect();
        targets.sort();
        targets.dedup();
        self.access
            .tips(&first.mirror, first.intent.origin.as_str(), &targets)
    }

    /// What the origin's tip proves. One that the mirror does not know is fetched and looked at.
    pub(super) fn prove(&self, item: &Item, tips: &RemoteTips) -> Result<Proof, Trouble> {
        let intent = &item.intent;
        let target = intent.branch.full();
        let Some(tip) = tips.tip(&target) else {
            return Ok(Proof::Absent);
        };
        if *tip == intent.oid {
            return Ok(Proof::Ours);
        }
        match self.access.contains(&item.mirror, tip, &intent.oid)? {
            Containment::Contained => Ok(Proof::ContainedIn(tip.clone())),
            Containment::Apart => Ok(Proof::Apart(tip.clone())),
            Containment::Unknown => self.prove_by_fetch(&item.mirror, &intent.target(), item),
        }
    }

    fn prove_by_fetch(
        &self,
        mirror: &Path,
        target: &Target,
        item: &Item,
    ) -> Result<Proof, Trouble> {
        let (tip, containment) = self.access.fetched_containment(
            mirror,
            target.origin.as_str(),
            &target.branch.full(),
            &target.digest(),
            &item.intent.oid,
        )?;
        Ok(match containment {
            Containment::Contained if tip == item.intent.oid => Proof::Ours,
            Containment::Contained => Proof::ContainedIn(tip),
            Containment::Apart | Containment::Unknown => Proof::Apart(tip),
        })
    }
}
