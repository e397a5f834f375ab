//! What is done to a root by hand, and the upgrade of an old one.

use amiss::clock::FixedClock;
use amiss::ledger::DeliveryLedger;
use amiss::ledger::file::{Abandon, ClockPolicy, Limits, Options, Root, Tuning};

use super::ledger::{Played, claimed, hold, staged};
use super::oracle::{DAMAGE, in_old_spelling};
use super::play::{Play, ledger, limits};
use super::scene::{LEASE, NOW, delivery};

/// A root of v0.9 with a running, a saved and a done row.
pub fn upgrade() -> Played {
    let rows: Vec<_> = ["running", "saved", "done"]
        .into_iter()
        .map(|id| delivery(id, None))
        .collect();
    let mut play = Play::start(NOW, limits(6), |path| {
        let root = Root::open(path, Options::default()).unwrap();
        root.init(&limits(6), &FixedClock(NOW), ClockPolicy::Guard)
            .unwrap();
        let mut ledger = ledger(path, NOW);
        claimed(&mut ledger, &rows[0]);
        for row in &rows[1..] {
            let lease = claimed(&mut ledger, row);
            let saved = staged(&mut ledger, row, &lease, b"r");
            if *row == rows[2] {
                ledger.complete(row, &saved).unwrap();
            }
        }
        let frame = path.join(".amiss-root.state");
        let old = in_old_spelling(&std::fs::read(&frame).unwrap());
        std::fs::write(frame, old).unwrap();
        std::fs::remove_file(path.join(".amiss-capacity.state")).unwrap();
    });
    play.act_on_root("upgrade", NOW + 5, None, true, |root, clock| {
        let prepared = root.init(&limits(6), clock, ClockPolicy::Guard).unwrap();
        assert!(prepared.migrated);
    });
    let new = delivery("new", None);
    play.act("claim", NOW + 6, |ledger| claimed(ledger, &new));
    (play, rows)
}

/// The cap up and down, and the times.
pub fn limits_changed() -> Played {
    let one = delivery("one", None);
    let mut play = Play::prepared(NOW, 4);
    play.act("claim", NOW, |ledger| claimed(ledger, &one));
    for (label, cap) in [("resize up", 9), ("resize down", 2)] {
        play.act_on_root(label, NOW + 1, Some(limits(cap)), true, |root, _| {
            root.resize(cap).unwrap();
        });
        play.act("claim, busy", NOW + 1, |ledger| {
            ledger.claim(&one, &super::scene::check(), None).unwrap()
        });
    }
    let tuned = Limits {
        lease_millis: 2 * LEASE,
        max_queue_age_millis: 61_000,
        ..limits(2)
    };
    play.act_on_root("retune", NOW + 2, Some(tuned), false, |root, _| {
        let tuning = Tuning {
            lease_millis: Some(2 * LEASE),
            max_queue_age_millis: Some(61_000),
            ..Tuning::default()
        };
        root.retune(tuning).unwrap();
    });
    let two = delivery("two", None);
    play.act("claim after it", NOW + 3, |ledger| claimed(ledger, &two));
    (play, vec![one, two])
}

/// A running and a saved row that nobody will finish.
pub fn abandoned() -> Played {
    let (running, saved) = (delivery("running", None), delivery("saved", None));
    let mut play = Play::prepared(NOW, 4);
    play.act("claim", NOW, |ledger| claimed(ledger, &running));
    let lease = play.act("claim of the other", NOW, |ledger| claimed(ledger, &saved));
    play.act("stage", NOW, |ledger| staged(ledger, &saved, &lease, b"r"));
    let late = NOW + LEASE;
    play.act_on_root("abandon", late, None, false, |root, clock| {
        root.abandon(running.key(), "nobody", Abandon::Running, clock)
            .unwrap();
    });
    play.act_on_root("abandon the saved one", late, None, false, |root, clock| {
        root.abandon(saved.key(), "nobody", Abandon::StagedToo, clock)
            .unwrap();
    });
    (play, vec![running, saved])
}

/// A damaged row that is moved out, beside rows that are not.
pub fn moved_out() -> Played {
    let (whole, damaged) = (delivery("whole", None), delivery("damaged", None));
    let name = format!("{}.state", damaged.key());
    let mut play = Play::start(NOW, limits(3), |path| {
        let root = Root::open(path, Options::default()).unwrap();
        root.init(&limits(3), &FixedClock(NOW), ClockPolicy::Guard)
            .unwrap();
        let mut ledger = ledger(path, NOW);
        let lease = claimed(&mut ledger, &whole);
        staged(&mut ledger, &whole, &lease, b"r");
        claimed(&mut ledger, &damaged);
        std::fs::write(path.join(&name), DAMAGE).unwrap();
        std::fs::write(path.join(format!("{}.report", damaged.key())), "dead").unwrap();
    });
    let to = super::play::scratch();
    play.act_on_root("quarantine", NOW + 1, None, false, |root, _| {
        let moved = root.quarantine(std::ffi::OsStr::new(&name), to.path());
        assert_eq!(moved.unwrap().records, 1);
    });
    let new = delivery("new", None);
    play.act("claim", NOW + 2, |ledger| claimed(ledger, &new));
    (play, vec![whole, new])
}

#[test]
fn every_crash_state_of_an_upgrade_is_opened_with_every_row() {
    hold("an upgrade", &upgrade());
}

#[test]
fn every_crash_state_of_resize_and_retune_is_opened_with_the_old_limits_or_the_new_ones() {
    hold("limits changed", &limits_changed());
}

#[test]
fn every_crash_state_of_an_abandonment_is_the_row_before_or_after_it() {
    hold("rows abandoned", &abandoned());
}

#[test]
fn every_crash_state_of_a_quarantine_keeps_the_count_and_the_other_rows() {
    hold("a damaged row moved out", &moved_out());
}
