//! Many runs at once (page 4.6, point 1), and what a large report costs.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::common;
use crate::flow::Flow;

/// How many rounds: forty with `AMISS_LONG=1`.
fn rounds() -> usize {
    if crate::common::figures::is_long() {
        40
    } else {
        5
    }
}

#[test]
fn eight_runs_at_a_time_have_no_spurious_end() {
    let flow = Flow::new("review", &json!({}));
    let envelopes: Vec<Value> = (0..8).map(|number| claimed(&flow, number)).collect();
    let started = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for envelope in &envelopes {
            let (flow, started) = (&flow, &started);
            scope.spawn(move || {
                for _ in 0..rounds() {
                    started.fetch_add(1, Ordering::SeqCst);
                    let output = flow.run_on(envelope, &[]);
                    let answer = common::answer(&output);
                    assert_eq!(answer["outcome"]["result"], "complete", "{output:?}");
                }
            });
        }
    });
    crate::common::figures::tell(&format!("{} runs, eight at a time", started.into_inner()));
    assert!(flow.scratch_is_clean());
}

/// One more delivery of the same scene, claimed and refreshed.
fn claimed(flow: &Flow, number: usize) -> Value {
    let mut delivery = flow.scene.delivery();
    delivery["identity"]["delivery"] = json!(format!("delivery-{number}"));
    let envelope = json!({"schema": "amiss/envelope/v1", "delivery": delivery});
    let words = [
        "ledger",
        "claim",
        "--root",
        flow.root.to_str().unwrap(),
        "--plan",
        flow.plan.to_str().unwrap(),
    ];
    flow.refresh(&common::answer(&common::run(&words, envelope.to_string())))
}

/// The same within one process: eight threads write programs and start them, so that a fork of one
/// can hold the open file of another.
#[test]
fn eight_threads_that_write_and_start_programs_never_see_a_busy_one() {
    use amiss::process::warden::{Caps, Cause, Input, Job, Leader, Stream, Supervision, Tree};
    use amiss::process::{Cancel, Program};
    use std::os::unix::fs::OpenOptionsExt;
    let directory = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let directory = directory.path();
            scope.spawn(move || {
                for round in 0..rounds() {
                    let path = directory.join(format!("{thread}-{round}"));
                    let mut file = std::fs::OpenOptions::new()
                        .write(true)
                        .create_new(true)
                        .mode(0o700)
                        .open(&path)
                        .unwrap();
                    std::io::Write::write_all(&mut file, b"#!/bin/sh\nexit 3\n").unwrap();
                    drop(file);
                    let program = Program::new(&path);
                    let job = Job {
                        program: &program,
                        input: Input::Null,
                        stdout: Stream::Null,
                        stderr: Stream::Null,
                        wall: std::time::Duration::from_secs(60),
                        window: None,
                        caps: &Caps::default(),
                        held: None,
                    };
                    let supervision = Supervision {
                        binary: env!("CARGO_BIN_EXE_amiss").as_ref(),
                        cgroup: true,
                        adoption: None,
                    };
                    let tree = Tree::start(&job, &supervision).unwrap();
                    let ended = tree.wait(&Cancel::new()).unwrap();
                    assert_eq!(
                        (ended.cause, ended.leader),
                        (Cause::Exit, Leader::Exited(3))
                    );
                    assert!(ended.empty);
                }
            });
        }
    });
}

/// The peak of resident memory of one run, in KiB, by the kernel's account. A debug build maps
/// more code than the product, so its code is told apart from what a run allocates.
fn peak(way: &str) -> u64 {
    let flow = Flow::way(way);
    let input = flow.scene.path().join("input");
    std::fs::write(&input, flow.refreshed().to_string()).unwrap();
    let script = "\"$@\" < \"$INPUT\" & pid=$!; peak=0; \
        while kill -0 $pid 2>/dev/null; do \
          now=$(sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$pid/status 2>/dev/null); \
          [ -n \"$now\" ] && peak=$now; \
        done; wait $pid; status=$?; echo \"peak $peak\" >&2; exit $status";
    let output = std::process::Command::new("/bin/sh")
        .env("INPUT", &input)
        .args(["-c", script, "sh", env!("CARGO_BIN_EXE_amiss")])
        .args(flow.arguments(&[]))
        .output()
        .unwrap();
    assert_eq!(common::answer(&output)["outcome"]["result"], "complete");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    let peak = words.lines().find_map(|line| line.strip_prefix("peak "));
    peak.unwrap().parse().unwrap()
}

#[test]
fn a_report_of_256_mib_costs_at_most_16_mib_resident() {
    let (small, large) = (peak("noise"), peak("largest"));
    crate::common::figures::tell(&format!(
        "peak resident: {small} KiB with a small report, {large} KiB with the largest"
    ));
    assert!(large <= small + 1024, "{large} KiB, {small} KiB");
    if !cfg!(debug_assertions) {
        assert!(large <= 16 * 1024, "{large} KiB");
    }
}
