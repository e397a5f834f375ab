//! Every operation of the ledger, alone and one after the other.

use amiss::clock::FixedClock;
use amiss::delivery::AcceptedDelivery;
use amiss::delivery::Lease;
use amiss::durable::Step;
use amiss::ledger::file::{ClockPolicy, FileLedger, Mode};
use amiss::ledger::{Claim, DeliveryLedger, Renewal, ReportInput, Saved, StageOutcome};

use super::judge::{bound, prove};
use super::play::{Play, limits};
use super::scene::{LEASE, NOW, check, delivery, facts, publication};

type Ledger = FileLedger<FixedClock>;

/// Proves a play and prints its figures.
pub fn hold(name: &str, (play, deliveries): &Played) {
    let (figures, faults) = prove(play, deliveries);
    crate::figures::tell(&format!(
        "crash states of {name}: {} steps, {} moments, {} states of {} built (bound {} a moment), \
         {} different ones opened and checked, {} violations",
        play.steps.len(),
        figures.moments,
        figures.built,
        figures.all,
        bound(),
        figures.checked,
        faults.len()
    ));
    let shown = faults.iter().take(3).cloned().collect::<Vec<_>>();
    assert!(
        faults.is_empty(),
        "{} violations:\n{}",
        faults.len(),
        shown.join("\n")
    );
    assert!(
        play.steps
            .iter()
            .any(|step| matches!(step, Step::SyncDir(_)))
    );
}

pub fn claimed(ledger: &mut Ledger, delivery: &AcceptedDelivery) -> Lease {
    match ledger.claim(delivery, &check(), None).unwrap() {
        Claim::Execute(lease) => lease,
        other => panic!("{other:?}"),
    }
}

pub fn staged(
    ledger: &mut Ledger,
    delivery: &AcceptedDelivery,
    lease: &Lease,
    report: &[u8],
) -> Saved {
    let input = ReportInput {
        expected: facts(report),
        source: &mut &report[..],
    };
    match ledger
        .stage(delivery, lease, &publication("pass", None), Some(input))
        .unwrap()
    {
        StageOutcome::Staged(saved) => *saved,
        other => panic!("{other:?}"),
    }
}

/// A play with the deliveries that it knows.
pub type Played = (Play, Vec<AcceptedDelivery>);

/// A first init, and a second one.
pub fn first_init() -> Played {
    let mut play = Play::start(NOW, limits(8), |_| {});
    play.act_on_root("init", NOW, None, true, |root, clock| {
        root.init(&limits(8), clock, ClockPolicy::Guard).unwrap();
    });
    play.act_on_root("init again", NOW + 5, None, false, |root, clock| {
        root.init(&limits(8), clock, ClockPolicy::Guard).unwrap();
    });
    let one = delivery("one", None);
    play.act("claim", NOW + 6, |ledger| claimed(ledger, &one));
    play.act_on_root("cleanup of nothing", NOW + 7, None, false, |root, clock| {
        root.cleanup(clock, Mode::Act).unwrap()
    });
    (play, vec![one])
}

/// Claim, renew, stage, publish, complete, duplicate.
pub fn one_flow() -> Played {
    let one = delivery("one", None);
    let mut play = Play::prepared(NOW, 8);
    let lease = play.act("claim", NOW + 1, |ledger| claimed(ledger, &one));
    let lease = play.act("renew", NOW + 2, |ledger| {
        match ledger.renew(&one, &lease).unwrap() {
            Renewal::Renewed { lease, .. } => lease,
            other => panic!("{other:?}"),
        }
    });
    let saved = play.act("stage", NOW + 3, |ledger| {
        staged(ledger, &one, &lease, b"the report")
    });
    play.act("claim, published", NOW + 4, |ledger| {
        ledger.claim(&one, &check(), None).unwrap()
    });
    play.act("complete", NOW + 5, |ledger| {
        ledger.complete(&one, &saved).unwrap()
    });
    play.act("claim, duplicate", NOW + 6, |ledger| {
        ledger.claim(&one, &check(), None).unwrap()
    });
    (play, vec![one])
}

/// Owners that lose their leases, and a clock that falls back.
pub fn reclaims() -> Played {
    let one = delivery("one", None);
    let mut play = Play::prepared(NOW, 8);
    let first = play.act("claim", NOW, |ledger| claimed(ledger, &one));
    let late = NOW + LEASE;
    play.act("renew, lost", late, |ledger| {
        ledger.renew(&one, &first).unwrap()
    });
    // The clock falls back; what was answered stands.
    let second = play.act("reclaim", NOW + 1, |ledger| claimed(ledger, &one));
    assert_eq!(second.fence.get(), 2);
    play.act("renew by the first", NOW + 2, |ledger| {
        ledger.renew(&one, &first).unwrap()
    });
    let third = play.act("reclaim again", late + 2 * LEASE, |ledger| {
        claimed(ledger, &one)
    });
    play.act("stage without a report", late + 2 * LEASE, |ledger| {
        let publication = publication("unavailable", Some("timeout"));
        ledger.stage(&one, &third, &publication, None).unwrap()
    });
    (play, vec![one])
}

/// Three ended rows that go, and one that stays.
pub fn cleanup() -> Played {
    let end = NOW + 1000;
    let rows: Vec<AcceptedDelivery> = (0..3)
        .map(|number| delivery(&format!("ended-{number}"), Some(end)))
        .collect();
    let stays = delivery("stays", None);
    let mut play = Play::prepared(NOW, 4);
    for row in &rows {
        // As one play, so that what one operation left unsynced meets the next.
        let saved = play.act("claim and stage", NOW, |ledger| {
            let lease = claimed(ledger, row);
            staged(ledger, row, &lease, b"r")
        });
        play.act("complete", NOW, |ledger| {
            ledger.complete(row, &saved).unwrap()
        });
    }
    play.restart();
    play.act("claim", NOW + 1, |ledger| claimed(ledger, &stays));
    play.act_on_root("cleanup", end + 1, None, false, |root, clock| {
        let cleaned = root.cleanup(clock, Mode::Act).unwrap();
        assert_eq!(cleaned.removed_records, 3);
    });
    play.act("claim of one that ended", NOW + 2, |ledger| {
        ledger.claim(&rows[0], &check(), None).unwrap_err()
    });
    let more = delivery("more", None);
    play.act("claim of a new one", NOW + 2, |ledger| {
        claimed(ledger, &more)
    });
    let mut all = rows;
    all.extend([stays, more]);
    (play, all)
}

#[test]
fn every_crash_state_of_a_first_init_is_opened() {
    hold("a first init", &first_init());
}

#[test]
fn every_crash_state_of_a_flow_from_claim_to_completion_keeps_the_verdict() {
    hold("one flow", &one_flow());
}

#[test]
fn every_crash_state_of_a_reclaim_keeps_the_fence_growing() {
    hold("reclaims", &reclaims());
}

#[test]
fn every_crash_state_of_a_cleanup_keeps_the_count_and_what_may_not_go() {
    hold("a cleanup", &cleanup());
}
