//! Ceilings for the child, and what this host says about itself (page 4.6, point 4).

use serde_json::json;

use crate::common;
use crate::flow::Flow;

/// A bootstrap that reports what `ulimit` and `nice` say.
const TELL: &[u8] = b"#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in --report) report=$2 ;; --result) result=$2 ;; esac
    shift
done
{ ulimit -d; ulimit -f; ulimit -n; nice; } > \"$report\"
echo 'amiss/bootstrap-result-v1 pass' > \"$result\"
";

fn told(more: &[&str]) -> Vec<String> {
    let flow = Flow::new("review", &json!({}));
    flow.use_bootstrap(TELL);
    let outcome = flow.outcome(more);
    assert_eq!(outcome["result"], "complete", "{outcome}");
    let path = outcome["report"]["path"].as_str().unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn ceilings_are_in_force_in_the_child() {
    let limits = told(&[
        "--limit-memory",
        "256MiB",
        "--limit-file-size",
        "1MiB",
        "--limit-open-files",
        "64",
        "--nice",
        "7",
    ]);
    // Kilobytes; blocks of 512 bytes; a number; a niceness.
    assert_eq!(limits, ["262144", "2048", "64", "7"]);
}

#[test]
fn without_ceilings_nothing_is_limited_here() {
    // Whoever runs the tests may be nice already.
    let ours = rustix::process::getpriority_process(None).unwrap();
    assert_eq!(told(&[])[3], ours.to_string());
}

#[test]
fn the_file_size_limit_ends_the_bootstrap_and_the_detail_says_so() {
    let flow = Flow::way("largest");
    flow.use_bootstrap(
        b"#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in --report) report=$2 ;; esac
    shift
done
exec dd if=/dev/zero of=\"$report\" bs=65536 count=1000
",
    );
    let outcome = flow.outcome(&["--limit-file-size", "1MiB"]);
    assert_eq!(outcome["result"], "unavailable", "{outcome}");
    assert!(
        outcome["detail"].as_str().unwrap().contains("SIGXFSZ"),
        "{outcome}"
    );
}

#[test]
fn a_limit_that_cannot_be_enforced_is_an_error_before_the_start() {
    let doctor = common::answer(&common::run(&["run-bootstrap", "--doctor"], ""));
    let possible = doctor["doctor"]["limit_processes"]["answer"] == "yes";
    let flow = Flow::way("child");
    let output = flow.run(&["--limit-processes", "50"]);
    if possible {
        assert_eq!(common::status(&output), 0, "{output:?}");
    } else {
        assert_eq!(common::code(&output), "CONFIG_INVALID", "{output:?}");
        assert!(!flow.marks.join("child").exists());
    }
}

#[test]
fn without_a_cgroup_none_is_joined_and_what_needs_one_is_refused() {
    let flow = Flow::new("review", &json!({}));
    flow.use_bootstrap(
        b"#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in --report) report=$2 ;; --result) result=$2 ;; esac
    shift
done
cat /proc/self/cgroup > \"$report\"
echo 'amiss/bootstrap-result-v1 pass' > \"$result\"
",
    );
    let outcome = flow.outcome(&["--without-cgroup", "--limit-memory", "256MiB"]);
    assert_eq!(outcome["result"], "complete", "{outcome}");
    assert_eq!(outcome["containment"], "subreaper");
    let theirs = std::fs::read_to_string(outcome["report"]["path"].as_str().unwrap()).unwrap();
    let ours = std::fs::read_to_string("/proc/self/cgroup").unwrap();
    assert_eq!(theirs, ours);
    let flow = Flow::way("child");
    let output = flow.run(&["--without-cgroup", "--limit-processes", "50"]);
    assert_eq!(common::code(&output), "CONFIG_INVALID", "{output:?}");
    assert!(!flow.marks.join("child").exists());
}

#[test]
fn the_doctor_says_what_holds_a_run_and_runs_nothing() {
    let output = common::run(&["run-bootstrap", "--doctor"], "");
    assert_eq!(common::status(&output), 0, "{output:?}");
    let doctor = &common::answer(&output)["doctor"];
    let promised = doctor["containment"].as_str().unwrap().to_owned();
    assert!(["cgroup-v2", "subreaper", "process-group"].contains(&promised.as_str()));
    let outcome = Flow::new("review", &json!({})).outcome(&[]);
    assert_eq!(outcome["containment"], promised);
}
