//! The real process with one of its calls failing, or one of its writes cut short: an error and
//! nothing half done, or an answer that holds; then the flow is taken up again and the commit
//! reaches its origin exactly once.

use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use serde_json::Value;

use crate::common::{answer, status};
use crate::killed::{Place, calls_of_enqueue, chosen, is_long, prepared, wanted, with_delivery};
use crate::stop::{Call, Run, is_there};
use crate::strace;
use crate::world::{World, git_line};

const ERRORS: [&str; 3] = ["EIO", "ENOSPC", "EINTR"];
const ENOSPC: i32 = 28;

/// Every failure that is tried: in the short form of the test each call fails in one way.
fn failures(calls: Vec<Call>) -> Vec<(Call, &'static str)> {
    let of = |(index, call): (usize, Call)| {
        let errors = if is_long() {
            ERRORS.to_vec()
        } else {
            vec![ERRORS[index % ERRORS.len()]]
        };
        errors.into_iter().map(move |errno| (call.clone(), errno))
    };
    calls
        .into_iter()
        .filter(|call| !matches!(call.name.as_str(), "clone" | "clone3" | "vfork"))
        .enumerate()
        .flat_map(of)
        .collect()
}

/// An origin that writes down every push that arrives.
fn counting(place: &Place) {
    let hook = place.origin().join("hooks/post-receive");
    std::fs::write(&hook, "#!/bin/sh\ncat >> pushes\n").unwrap();
    std::fs::set_permissions(&hook, PermissionsExt::from_mode(0o700)).unwrap();
}

/// A cycle brings the delivery to its origin, where it arrives for the first and only time.
fn delivered_once(place: &Place, oid: &str, point: &str) {
    let once = place.run(&["once"], "").plain();
    assert_eq!(status(&once), 0, "{point}: {once:?}");
    let delivered = answer(&once)["pump"]["delivered"].clone();
    assert_eq!(delivered, 1, "{point}: {once:?}");
    let tip = git_line(&place.origin(), &["rev-parse", "refs/heads/main"]);
    assert_eq!(tip, oid, "{point}");
    let pushes = std::fs::read_to_string(place.origin().join("pushes")).unwrap();
    assert_eq!(pushes.lines().count(), 1, "{point}: {pushes}");
}

/// A refusal is one JSON answer whose code is the system's.
fn refused(output: &Output, point: &str) {
    assert_eq!(status(output), 74, "{point}: {output:?}");
    assert_eq!(answer(output)["error"]["code"], "IO", "{point}");
}

/// Whether the enqueue took place; it must have done so wholly or not at all.
fn enqueued(place: &Place, oid: &str, output: &Output, point: &str) -> bool {
    if status(output) == 0 {
        assert!(place.intent().is_some() && place.due().is_some(), "{point}");
        assert_eq!(place.pin(), oid, "{point}");
        return true;
    }
    refused(output, point);
    assert!(
        place.intent().is_none(),
        "{point}: an error, and it may be pushed"
    );
    assert!(place.due().is_none(), "{point}");
    false
}

#[test]
fn an_enqueue_of_which_a_call_fails_is_taken_up_and_delivered_once() {
    if !is_there() {
        return;
    }
    let (world, oid) = prepared();
    let calls = calls_of_enqueue(&world, &oid);
    let all = failures(chosen(calls));
    let mut refused = 0;
    for (call, errno) in &all {
        let point = format!("{errno} at {}", call.line);
        let place = Place::of(&world);
        counting(&place);
        let run = place.run(&["enqueue"], &wanted(&place, &oid));
        refused += usize::from(!enqueued(
            &place,
            &oid,
            &run.failing_at(call, errno),
            &point,
        ));
        assert_eq!(status(&run.plain()), 0, "{point}");
        delivered_once(&place, &oid, &point);
    }
    println!("enqueue failed {refused} times of {}", all.len());
    assert!(refused > 0);
}

#[test]
fn a_retry_of_which_a_call_fails_is_taken_up_and_delivered_once() {
    if !is_there() {
        return;
    }
    let (world, oid) = with_delivery("failed");
    let arguments = ["retry", "--task", "t1", "--now-unix-millis", "9000"];
    let first = Place::of(&world);
    let calls = first.run(&arguments, "").calls(&first.path());
    let all = failures(calls);
    for (call, errno) in &all {
        let point = format!("{errno} at {}", call.line);
        let place = Place::of(&world);
        place.aim_at_its_origin();
        counting(&place);
        let run = place.run(&arguments, "");
        let output = run.failing_at(call, errno);
        let state = place.intent().unwrap()["state"].clone();
        if status(&output) == 0 {
            assert!(state == "retrying" && place.due().is_some(), "{point}");
        } else {
            refused(&output, &point);
            assert!(state == "failed" || state == "retrying", "{point}: {state}");
        }
        assert_eq!(status(&run.plain()), 0, "{point}");
        assert_eq!(
            place.due().unwrap()["next_attempt_at_millis"],
            9000,
            "{point}"
        );
        delivered_once(&place, &oid, &point);
    }
    println!("retry failed at {} calls", all.len());
}

#[test]
fn a_discard_or_collection_of_which_a_call_fails_leaves_no_orphan_and_is_finished_by_the_next() {
    if !is_there() {
        return;
    }
    let (world, _) = with_delivery("delivered");
    let month = (31 * 86_400_000_u64).to_string();
    for arguments in [
        &["close", "--task", "t1", "--discard"][..],
        &["gc", "--now-unix-millis", &month][..],
    ] {
        let first = Place::of(&world);
        let calls = first.run(arguments, "").calls(&first.path());
        let all = failures(calls);
        for (call, errno) in &all {
            let point = format!("{}: {errno} at {}", arguments[0], call.line);
            let place = Place::of(&world);
            let run = place.run(arguments, "");
            let output = run.failing_at(call, errno);
            if status(&output) == 0 && arguments[0] == "gc" {
                let kept = answer(&output)["gc"]["kept"].to_string();
                let gone = place.intent().is_none();
                assert!(
                    gone || kept.contains("cannot be removed"),
                    "{point}: {kept}"
                );
            } else if status(&output) != 0 {
                refused(&output, &point);
            }
            if place.intent().is_none() {
                assert_eq!(place.pin(), "", "{point}: a pin was left alone");
            }
            assert_eq!(status(&run.plain()), 0, "{point}");
            assert_eq!(
                (place.pin().as_str(), place.intent()),
                ("", None),
                "{point}"
            );
            let doctor = place.run(&["doctor"], "").plain();
            assert_eq!(status(&doctor), 0, "{point}: {doctor:?}");
        }
        println!("{} failed at {} calls", arguments[0], all.len());
    }
}

#[test]
fn a_status_or_close_that_cannot_read_says_so_and_changes_nothing() {
    if !is_there() {
        return;
    }
    let (world, _) = with_delivery("failed");
    for arguments in [&["status"][..], &["close", "--task", "t1"][..]] {
        let place = Place::of(&world);
        let run = place.run(arguments, "");
        let told = |output: &Output| -> Vec<Value> {
            let list = answer(output)["deliveries"].as_array().cloned();
            list.unwrap_or_default()
        };
        let whole = told(&run.plain());
        let before = place.files();
        let calls = run.reads(&place.path());
        assert!(calls.len() > 5, "{calls:?}");
        for (call, errno) in failures(calls) {
            let point = format!("{}: {errno} at {}", arguments[0], call.line);
            let output = run.failing_at(&call, errno);
            if status(&output) == 0 {
                let list = told(&output);
                let unreadable = list.len() == 1 && list[0]["state"] == "unreadable";
                assert!(list == whole || unreadable, "{point}: {list:?}");
            } else {
                refused(&output, &point);
            }
            assert_eq!(place.files(), before, "{point}");
        }
        assert_eq!(told(&run.plain()), whole);
    }
}

#[test]
fn a_write_cut_short_is_gone_on_with_and_one_that_then_fails_leaves_nothing_half_there() {
    if !is_there() {
        return;
    }
    let (world, oid) = prepared();
    let first = Place::of(&world);
    let run = first.run(&["enqueue"], &wanted(&first, &oid));
    let writes = run
        .calls(&first.path())
        .iter()
        .filter(|call| call.name == "write")
        .count();
    assert_eq!(writes, 3, "the receipt, the due entry, the intent");
    for at in 1..=writes {
        for then in [None, Some(ENOSPC)] {
            let point = format!("write {at} cut short, then {then:?}");
            let place = Place::of(&world);
            counting(&place);
            let run = place.run(&["enqueue"], &wanted(&place, &oid));
            let output = short(&place, &run, at, then);
            assert_eq!(
                enqueued(&place, &oid, &output, &point),
                then.is_none(),
                "{point}"
            );
            assert_eq!(status(&run.plain()), 0, "{point}");
            delivered_once(&place, &oid, &point);
        }
    }
    short_retries();
    short_collections();
}

fn short(place: &Place, run: &Run, at: usize, then: Option<i32>) -> Output {
    let mut settings = vec![
        ("AMISS_SHORT", at.to_string()),
        ("AMISS_UNDER", place.path().display().to_string()),
    ];
    settings.extend(then.map(|errno| ("AMISS_THEN", errno.to_string())));
    let run = strace::Run {
        arguments: run.arguments.clone(),
        input: run.input.clone(),
    };
    run.with_short_writes(&settings)
}

/// The due entry, then the intent.
fn short_retries() {
    let (world, oid) = with_delivery("failed");
    let arguments = ["retry", "--task", "t1", "--now-unix-millis", "9000"];
    for at in 1..=2 {
        for then in [None, Some(ENOSPC)] {
            let point = format!("retry, write {at} cut short, then {then:?}");
            let place = Place::of(&world);
            place.aim_at_its_origin();
            counting(&place);
            let run = place.run(&arguments, "");
            let output = short(&place, &run, at, then);
            assert_eq!(status(&output) == 0, then.is_none(), "{point}: {output:?}");
            let state = place.intent().unwrap()["state"].clone();
            let expected = if then.is_none() { "retrying" } else { "failed" };
            assert_eq!(state, expected, "{point}");
            assert_eq!(status(&run.plain()), 0, "{point}");
            delivered_once(&place, &oid, &point);
        }
    }
}

/// The record of an ended pin.
fn short_collections() {
    let (world, oid) = with_delivery("delivered");
    let week = (8 * 86_400_000_u64).to_string();
    for then in [None, Some(ENOSPC)] {
        let point = format!("gc, its write cut short, then {then:?}");
        let place = Place::of(&world);
        let run = place.run(&["gc", "--now-unix-millis", &week], "");
        short(&place, &run, ended_write(&world, &week), then);
        assert_eq!(place.intent().is_none(), then.is_none(), "{point}");
        assert_eq!(status(&run.plain()), 0, "{point}");
        assert_eq!(
            (place.intent(), place.pin()),
            (None, oid.clone()),
            "{point}"
        );
        assert_eq!(status(&place.run(&["doctor"], "").plain()), 0, "{point}");
    }
}

/// Which of the writes of a collection is that of the record of the ended pin.
fn ended_write(world: &World, now: &str) -> usize {
    let place = Place::of(world);
    let calls = place
        .run(&["gc", "--now-unix-millis", now], "")
        .calls(&place.path());
    calls
        .iter()
        .filter(|call| call.name == "write")
        .position(|call| call.line.contains("/delivery/"))
        .unwrap()
        + 1
}
