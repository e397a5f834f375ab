//! Rules of the outbox where they turn: one step before, at, and after; one member alone.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use amiss::clock::{FixedClock, UnixMillis};
use amiss::code::{Code, Coded};
use amiss::delivery::ObjectId;
use amiss::outbox::{
    BackoffClock, Branch, DueEntry, Heard, HostRoot, Intent, LastError, MAX_BACKOFF_MILLIS,
    MirrorPath, ObjectSyncReceipt, Origin, PackName, ProcessIdentity, Project, Record, RecordError,
    Schedule, Settled, State, Target, TargetLedger, Task, Turn, UnitError, after_delivery,
    after_failure, span, wait_left_millis,
};

use crate::world::{World, commit, push, turn};

fn at(millis: i64) -> UnixMillis {
    UnixMillis::new(millis).unwrap()
}

fn intent() -> Intent {
    let text = concat!(
        r#"{"project_id":"p","task_id":"t","turn_id":"0123456789abcdef0123456789abcdef","#,
        r#""origin":"file:///srv/o.git","branch":"main","#,
        r#""oid":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","state":"pending","attempt":1,"#,
        r#""next_attempt_at_millis":0,"last_error":null,"superseded_by":null,"#,
        r#""created_at_millis":1,"updated_at_millis":1}"#
    );
    Intent::decode(text.as_bytes()).unwrap()
}

fn other_oid() -> ObjectId {
    ObjectId::new("b".repeat(40)).unwrap()
}

fn other_turn() -> Turn {
    Turn::new("f".repeat(32)).unwrap()
}

#[test]
fn a_ledger_takes_every_newer_result_but_never_the_same_one_twice() {
    let delivered = |change: fn(&mut Intent)| {
        let mut intent = intent();
        intent.state = State::Delivered;
        intent.updated_at_millis = at(10);
        change(&mut intent);
        intent
    };
    let first = TargetLedger::after(None, &delivered(|_| {})).unwrap();
    let after = |intent: &Intent| TargetLedger::after(Some(&first), intent);
    let again = delivered(|intent| intent.updated_at_millis = at(11));
    assert_eq!(after(&again), None, "it is said already");
    for newer in [
        delivered(|intent| {
            intent.turn_id = other_turn();
            intent.updated_at_millis = at(11);
        }),
        delivered(|intent| {
            intent.oid = other_oid();
            intent.updated_at_millis = at(11);
        }),
    ] {
        let next = after(&newer).unwrap();
        assert_eq!(next.generation, 2);
        assert_eq!(
            (&next.last_oid, &next.last_turn_id),
            (&newer.oid, &newer.turn_id)
        );
        assert_eq!(next.updated_at_millis, at(11));
    }
    let same_time = delivered(|intent| intent.turn_id = other_turn());
    assert_eq!(after(&same_time), None, "it is not newer");
    for state in [State::Pending, State::Retrying, State::Failed] {
        let mut unproved = delivered(|intent| intent.turn_id = other_turn());
        unproved.updated_at_millis = at(11);
        unproved.state = state;
        assert_eq!(TargetLedger::after(None, &unproved), None, "{state:?}");
    }
}

#[test]
fn a_result_is_of_this_delivery_only_with_the_same_key_commit_and_birth() {
    let pushed = intent();
    let changes: [fn(&mut Intent); 5] = [
        |intent| intent.project_id = Project::new("else").unwrap(),
        |intent| intent.task_id = Task::new("else").unwrap(),
        |intent| intent.turn_id = other_turn(),
        |intent| intent.oid = other_oid(),
        |intent| intent.created_at_millis = at(2),
    ];
    for (index, change) in changes.iter().enumerate() {
        let mut current = pushed.clone();
        change(&mut current);
        assert!(!current.is_same_delivery(&pushed), "{index}");
        let failed = after_failure(&current, &pushed, Code::OriginTimeout, at(5));
        assert_eq!(failed, Settled::Stale, "{index}");
        let delivered = after_delivery(&current, &pushed, None, at(5));
        assert_eq!(delivered, Settled::Stale, "{index}");
    }
    let mut elsewhere = pushed.clone();
    elsewhere.attempt = 5;
    elsewhere.updated_at_millis = at(9);
    assert!(elsewhere.is_same_delivery(&pushed), "the rest may change");
}

#[test]
fn a_failed_delivery_whose_push_arrived_after_all_is_delivered() {
    let pushed = intent();
    let mut failed = pushed.clone();
    failed.state = State::Failed;
    let Settled::Write(next) = after_delivery(&failed, &pushed, Some(other_oid()), at(5)) else {
        panic!("stale")
    };
    assert_eq!(next.state, State::Delivered);
    assert_eq!(next.superseded_by, Some(other_oid()));
    assert!(!next.proves_tip(), "the branch has another commit");
    let again = after_delivery(&next, &pushed, None, at(6));
    assert_eq!(again, Settled::Stale, "it is delivered already");
    let late = after_failure(&failed, &pushed, Code::OriginTimeout, at(6));
    assert_eq!(late, Settled::Stale, "it has ended");
}

#[test]
fn a_due_entry_is_worth_a_look_at_its_time_and_when_it_waits_longer_than_any_backoff() {
    let entry = |next: i64| {
        let mut intent = intent();
        intent.next_attempt_at_millis = at(next);
        DueEntry::of(&intent)
    };
    let now = 1_000_000;
    for (next, due) in [
        (0, true),
        (now, true),
        (now + 1, false),
        (now + MAX_BACKOFF_MILLIS, false),
        (now + MAX_BACKOFF_MILLIS + 1, true),
    ] {
        assert_eq!(entry(next).may_be_due(at(now)), due, "{next}");
    }
}

#[test]
fn only_a_retrying_delivery_waits_and_only_for_a_clock_that_goes_on() {
    let mut waiting = intent();
    waiting.state = State::Retrying;
    waiting.attempt = 3;
    waiting.updated_at_millis = at(100_000);
    waiting.next_attempt_at_millis = at(102_000);
    assert_eq!(
        wait_left_millis(&waiting, at(100_000)),
        2000,
        "at its last change"
    );
    assert_eq!(
        wait_left_millis(&waiting, at(99_999)),
        0,
        "the clock went back"
    );
    for state in [State::Pending, State::Delivered, State::Failed] {
        let mut other = waiting.clone();
        other.state = state;
        assert_eq!(wait_left_millis(&other, at(100_000)), 0, "{state:?}");
    }
}

#[test]
fn a_watcher_that_forgot_a_delivery_waits_for_its_next_one_anew() {
    let mut waiting = intent();
    waiting.state = State::Retrying;
    waiting.attempt = 3;
    waiting.updated_at_millis = at(100_000);
    waiting.next_attempt_at_millis = at(102_000);
    let mut clock = BackoffClock::new();
    let start = Instant::now();
    let later = start.checked_add(Duration::from_secs(1)).unwrap();
    let two = Duration::from_secs(2);
    assert_eq!(clock.wait_left(&waiting, at(100_000), start), two);
    assert_eq!(clock.wait_left(&waiting, at(100_000), later), two / 2);
    clock.forget(&waiting.key());
    assert_eq!(clock.wait_left(&waiting, at(100_000), later), two);
}

#[test]
fn a_receipt_holds_only_under_the_settings_of_now_and_with_its_packs_in_order() {
    let pack = |letter: char| {
        PackName::new(format!("pack-{}.pack", letter.to_string().repeat(40))).unwrap()
    };
    let receipt = ObjectSyncReceipt::new(vec![pack('b'), pack('a'), pack('b')]);
    assert!(receipt.is_valid());
    assert_eq!(receipt.packs, [pack('a'), pack('b')]);
    assert!(ObjectSyncReceipt::new(Vec::new()).is_valid());
    let changes: [fn(&mut ObjectSyncReceipt); 4] = [
        |receipt| receipt.fsync = "all".into(),
        |receipt| receipt.fsync_method = "batch".into(),
        |receipt| receipt.packs.reverse(),
        |receipt| receipt.packs.insert(0, receipt.packs[0].clone()),
    ];
    for (index, change) in changes.iter().enumerate() {
        let mut other = receipt.clone();
        change(&mut other);
        assert!(!other.is_valid(), "{index}");
    }
}

#[test]
fn a_pack_name_is_one_file_name_that_ends_as_packs_do() {
    for good in ["x.pack", "xy.idx", &format!("{}.pack", "x".repeat(250))] {
        assert!(PackName::new(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        ".pack",
        ".idx",
        "x.idx",
        "x.rev",
        "pack",
        ".x.pack",
        "a/b.pack",
        "a\nb.pack",
        "a\u{1f}b.pack",
        "x.pack.tmp",
        &format!("{}.pack", "x".repeat(251)),
    ] {
        assert!(PackName::new(bad).is_err(), "{bad}");
    }
    assert!(
        PackName::new("a b.pack").is_ok(),
        "a blank is no control character"
    );
}

#[test]
fn names_are_taken_to_their_last_byte_and_no_further() {
    assert!(Branch::new("b".repeat(1024)).is_ok());
    assert!(Branch::new("b".repeat(1025)).is_err());
    assert!(LastError::new("e".repeat(4096)).is_ok());
    assert!(LastError::new("e".repeat(4097)).is_err());
    assert!(LastError::new("").is_err());
    assert!(MirrorPath::new("/m").is_ok());
    assert!(MirrorPath::new(format!("/{}", "m".repeat(4095))).is_ok());
    assert!(MirrorPath::new(format!("/{}", "m".repeat(4096))).is_err());
}

#[test]
fn an_address_is_taken_to_the_edge_of_each_of_its_rules() {
    let path = |length: usize| format!("https://h/{}", "a".repeat(length));
    let host = |length: usize| format!("https://{}/r", "h".repeat(length));
    for good in [
        &path(2038),
        &host(255),
        "https://h:1/r",
        "https://h:65535/r",
        "https://h.a-b_c/r",
        "ssh://h/~",
        "ssh://h/a?b",
        "ssh://h/a b#c",
        "file:///r",
        "https://h/%20",
        "https://h/%7e%80",
        "ssh://[::1]/r",
        "ssh://[1.2.3.4]:9/r",
        "h:r",
        "u@h:r",
        "h:/r",
        "[::1]:r",
    ] {
        assert!(Origin::new(good).is_ok(), "{good}");
    }
    for bad in [
        &path(2039),
        &host(256),
        "https://h:+1/r",
        "https://h:65536/r",
        "https://h:000000/r",
        "https://h:1x/r",
        "https://h?/r",
        "ssh://h",
        "ssh://h/",
        "ssh://h?x",
        "https://h/%1f",
        "https://h/%7f",
        "https://h/%2",
        "https://h/%",
        "ssh://[]/r",
        "ssh://[::1/r",
        "ssh://[g]/r",
        "ssh://[::1]x/r",
        "https://u v@h/r",
        "https://-u@h/r",
        "https://h\u{7f}/r",
        "https://h/r\u{85}",
        "h/a:r",
        "a/b@h:r",
        "h::r",
        "u@:r",
        "[::1]r",
        "[::1]:",
    ] {
        assert!(Origin::new(bad).is_err(), "{bad}");
    }
}

#[test]
fn two_targets_are_one_only_with_the_same_origin_and_branch() {
    let target = |origin: &str, branch: &str| Target {
        origin: Origin::new(origin).unwrap(),
        branch: Branch::new(branch).unwrap(),
    };
    let one = target("file:///srv/a", "b/c");
    for other in [
        target("file:///srv/a", "b/d"),
        target("file:///srv/b", "b/c"),
    ] {
        assert_ne!(one.digest(), other.digest());
        assert_ne!(one.ledger_name(), other.ledger_name());
        assert_ne!(one.lock_name(), other.lock_name());
    }
    // The NUL between the two keeps a shifted border another target.
    let shifted = target("file:///srv/ab", "c");
    assert_ne!(target("file:///srv/a", "bc").digest(), shifted.digest());
}

#[test]
fn a_span_is_said_in_its_two_largest_units_rounded_up_to_seconds() {
    for (millis, wanted) in [
        (-5, "0 s"),
        (0, "0 s"),
        (1, "1 s"),
        (1000, "1 s"),
        (1001, "2 s"),
        (59_000, "59 s"),
        (59_001, "1 min 0 s"),
        (125_000, "2 min 5 s"),
        (3_599_000, "59 min 59 s"),
        (3_600_000, "1 h 0 min"),
        (86_399_000, "23 h 59 min"),
        (86_400_000, "1 d 0 h"),
        (2 * 86_400_000 + 5 * 3_600_000, "2 d 5 h"),
    ] {
        assert_eq!(span(millis), wanted, "{millis}");
    }
}

#[test]
fn a_record_is_changed_only_under_its_own_deliverys_lock() {
    let world = World::new();
    let root = HostRoot::open(&world.root, Duration::from_secs(20)).unwrap();
    let intent = intent();
    let mut others = [intent.clone(), intent.clone()];
    others[0].task_id = Task::new("else").unwrap();
    others[1].turn_id = other_turn();
    for other in &others {
        let held = root.lock_intent(&other.key()).unwrap();
        let refused = root.write_intent(&held, &intent).unwrap_err();
        assert_eq!(refused.code(), Code::Internal);
        let registry = root.due_registry().unwrap();
        assert!(registry.write(&held, &intent).is_err());
        assert!(registry.remove(&held, &intent.key()).is_err());
        assert!(root.remove_intent(&held, &intent.key()).is_err());
    }
    let held = root.lock_intent(&intent.key()).unwrap();
    root.write_intent(&held, &intent).unwrap();
}

#[test]
fn a_long_scan_tells_of_each_thing_that_it_saw() {
    let world = World::new();
    let oid = commit(&world.mirror("web"), "one");
    for number in 1..=3 {
        world.enqueue(&push("web", "t1", &turn(number), &oid));
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = {
        let seen = Arc::clone(&seen);
        Arc::new(move |count| seen.lock().unwrap().push(count))
    };
    let root = HostRoot::open(&world.root, Duration::from_secs(20))
        .unwrap()
        .told(told);
    root.status(None, false, &FixedClock(9)).unwrap();
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3]);
}

#[test]
fn a_service_file_that_cannot_be_formed_says_what_to_do_where_something_can_be_done() {
    let relative = UnitError::RelativePath("bin".into());
    assert_eq!(
        relative.hint().unwrap(),
        "call it with a PATH of absolute folders"
    );
    assert_eq!(UnitError::Text { what: "the path" }.hint(), None);
}

#[test]
fn a_damaged_record_is_for_the_doctor() {
    let malformed = RecordError::Malformed {
        what: "due entry",
        path: "/x".into(),
        reason: "y".into(),
    };
    assert_eq!(
        malformed.hint().unwrap(),
        "`amiss outbox doctor` says what to do with it"
    );
}

#[test]
fn an_address_is_never_shown_with_its_user_not_even_to_whoever_debugs() {
    let origin = Origin::new("https://me@example.test/r.git").unwrap();
    assert_eq!(
        format!("{origin:?}"),
        r#"Origin("https://example.test/r.git")"#
    );
}

#[test]
fn a_ledger_of_another_target_than_its_name_is_not_believed() {
    let world = World::new();
    let root = HostRoot::open(&world.root, Duration::from_secs(20)).unwrap();
    let mut result = intent();
    result.state = State::Delivered;
    assert!(root.finish_ledger(&result).unwrap());
    assert!(root.read_ledger(&result.target()).unwrap().is_some());
    let other = Target {
        branch: Branch::new("other").unwrap(),
        ..result.target()
    };
    let locks = world.root.join("locks");
    let place = locks.join(other.ledger_name());
    std::fs::copy(locks.join(result.target().ledger_name()), place).unwrap();
    let error = root.read_ledger(&other).unwrap_err();
    assert_eq!(error.code(), Code::RootCorrupt);
    result.branch = other.branch.clone();
    assert!(
        root.finish_ledger(&result).unwrap(),
        "the result knows better"
    );
    assert!(root.read_ledger(&other).unwrap().is_some());
}

#[test]
fn an_address_of_a_file_that_is_none_says_what_one_is() {
    for bad in ["file://", "file:///", "file://host/r"] {
        let said = Origin::new(bad).unwrap_err().to_string();
        assert!(said.contains("file:// and an absolute path"), "{said}");
    }
}

#[test]
fn a_look_at_everything_reads_again_what_changed_and_what_could_not_be_used() {
    let world = World::new();
    let oid = commit(&world.mirror("web"), "one");
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    let path = world.intent_path("web", "t1", &turn(1));
    let good = std::fs::read(&path).unwrap();
    let root = HostRoot::open(&world.root, Duration::from_secs(20)).unwrap();
    let mut schedule = Schedule::new();
    let now = Instant::now();
    let mut look = || {
        let clocks = (at(1_900_000_000_000), now);
        let plan = schedule.look(&root, &Heard::Anything, usize::MAX, clocks);
        let plan = plan.unwrap();
        (plan.jobs.len(), plan.unusable)
    };
    std::fs::write(&path, "{").unwrap();
    assert_eq!(look(), (0, 1));
    std::fs::write(&path, &good).unwrap();
    assert_eq!(
        look(),
        (1, 0),
        "the entry is the same, and its intent is not"
    );

    // One that waits, and then by a retry of another process does not.
    let mut waiting = Schedule::new();
    let later = r#""state":"retrying","attempt":2,"next_attempt_at_millis":1900000001000"#;
    let text = String::from_utf8(good.clone()).unwrap();
    let text = text
        .replace(
            r#""state":"pending","attempt":1,"next_attempt_at_millis":0"#,
            later,
        )
        .replace(r#""last_error":null"#, r#""last_error":"ORIGIN_TIMEOUT""#);
    let due = world.due_path("t1", &turn(1));
    let entry = std::fs::read_to_string(&due).unwrap();
    std::fs::write(&path, text).unwrap();
    std::fs::write(&due, entry.replace(":0}", ":1900000001000}")).unwrap();
    let mut look = || {
        let clocks = (at(1_900_000_000_000), now);
        let plan = waiting.look(&root, &Heard::Anything, usize::MAX, clocks);
        let plan = plan.unwrap();
        (plan.jobs.len(), plan.open)
    };
    assert_eq!(look(), (0, 1));
    std::fs::remove_file(&due).unwrap();
    assert_eq!(look(), (0, 0), "what is gone is nothing to do");
    std::fs::write(&path, &good).unwrap();
    std::fs::write(&due, entry).unwrap();
    assert_eq!(look(), (1, 1));
}

#[test]
fn an_identity_says_of_which_boot_it_is_where_the_system_tells() {
    let own = ProcessIdentity::of_this_process().unwrap();
    let told = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
    assert_eq!(own.boot_id.as_deref(), told.as_deref().map(str::trim));
}

#[test]
fn a_delivery_that_ended_and_comes_anew_is_not_left_alone_any_more() {
    let world = World::new();
    let oid = commit(&world.mirror("web"), "one");
    world.enqueue(&push("web", "t1", &turn(1), &oid));
    let root = HostRoot::open(&world.root, Duration::from_secs(20)).unwrap();
    let text = std::fs::read(world.intent_path("web", "t1", &turn(1))).unwrap();
    let key = Intent::decode(&text).unwrap().key();
    let mut schedule = Schedule::new();
    let clocks = (at(1_900_000_000_000), Instant::now());
    schedule.leave_alone(key.clone(), clocks.1);
    let due = world.due_path("t1", &turn(1));
    let mut look = |forget: bool| {
        if forget {
            schedule.forget(&key);
        }
        // Enqueued anew: the entry is another file.
        let entry = std::fs::read(&due).unwrap();
        std::fs::remove_file(&due).unwrap();
        std::fs::write(&due, entry).unwrap();
        let plan = schedule.look(&root, &Heard::Anything, usize::MAX, clocks);
        plan.unwrap().jobs.len()
    };
    assert_eq!((look(false), look(true)), (0, 1));
}
