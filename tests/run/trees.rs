//! No survivor: after every end no process of the tree lives (page 4.3, point 6; cases E).

use std::time::{Duration, Instant};

use crate::flow::{Flow, common_wait, lives, somebody_works_in};

/// The strongest boundary of this host, and the one that is left where no cgroup can be made.
const BOUNDARIES: [&[&str]; 2] = [&[], &["--without-cgroup"]];

/// Runs one way of misbehaving, and proves that its mark and everything below it is gone.
fn gone_after(way: &str, result: &str, wall_millis: u64) {
    for more in BOUNDARIES {
        let flow = Flow::way_timed(way, wall_millis, 60_000);
        let started = Instant::now();
        let outcome = flow.outcome(more);
        assert_eq!(outcome["result"], result, "{way} {more:?}: {outcome}");
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{way} {more:?} took {:?}",
            started.elapsed()
        );
        match std::fs::read_to_string(flow.marks.join("child")) {
            Ok(text) => {
                let pid = text.trim().parse().unwrap();
                assert!(!lives(pid), "{way} {more:?}: {pid} survived");
            }
            // These leave nobody, or may meet their limit before they said whom.
            Err(_) => assert!(
                ["short-lived", "noise"].contains(&way) || result == "timed-out",
                "{way} {more:?}: nobody was started"
            ),
        }
        assert!(!somebody_works_in(flow.scene.path()), "{way} {more:?}");
        let containment = outcome["containment"].as_str().unwrap();
        assert!(matches!(containment, "cgroup-v2" | "subreaper"));
        if !more.is_empty() {
            assert_eq!(containment, "subreaper");
        }
    }
}

#[test]
fn e01_a_child_that_outlives_its_leader_is_killed() {
    gone_after("child", "complete", 60_000);
}

#[test]
fn e01_leader_and_child_are_killed_at_the_limit() {
    gone_after("hang-both", "timed-out", 1000);
    gone_after("hang", "timed-out", 1000);
}

#[test]
fn e02_a_set_sid_descendant_is_killed() {
    gone_after("set-sid", "complete", 60_000);
}

#[test]
fn e02_a_double_forked_descendant_with_closed_descriptors_is_killed() {
    gone_after("double-fork", "complete", 60_000);
}

#[test]
fn e04_ignored_signals_do_not_help() {
    gone_after("deaf", "timed-out", 1000);
    gone_after("nohup", "complete", 60_000);
}

#[test]
fn e04_a_shell_that_dies_while_its_child_lives_leaves_nothing() {
    gone_after("shell-dies", "complete", 60_000);
}

#[test]
fn a_stopped_descendant_is_killed() {
    gone_after("stopped", "complete", 60_000);
}

#[test]
fn a_thousand_children_are_killed() {
    gone_after("thousand", "complete", 60_000);
}

#[test]
fn a_thousand_short_lived_children_are_nothing_special() {
    gone_after("short-lived", "complete", 60_000);
}

#[test]
fn a_chain_of_processes_that_each_start_the_next_and_end_is_caught() {
    gone_after("chain", "complete", 60_000);
}

#[test]
fn ten_megabytes_on_a_stream_that_nobody_reads_block_nothing() {
    gone_after("noise", "complete", 60_000);
    let flow = Flow::way("noise");
    let log = flow.scene.path().join("log");
    let outcome = flow.outcome(&["--log", log.to_str().unwrap()]);
    assert_eq!(outcome["result"], "complete", "{outcome}");
}

#[test]
fn amiss_killed_with_sigkill_takes_the_tree_with_it() {
    for more in BOUNDARIES {
        for way in ["hang", "deaf", "hang-both"] {
            let flow = Flow::way(way);
            let mut amiss = Started::run(&flow, more);
            let pid = flow.mark("child");
            assert!(lives(pid));
            amiss.signal("KILL");
            amiss.child.wait().unwrap();
            common_wait(|| (!somebody_works_in(flow.scene.path())).then_some(()));
            assert!(!lives(pid));
        }
    }
}

#[test]
fn a_killed_warden_takes_the_tree_with_it_and_the_outcome_is_unavailable() {
    let flow = Flow::way("set-sid");
    flow.rewrite(|plan| plan["controls"]["way"] = "deaf".into());
    let mut amiss = Started::run(&flow, &["--without-cgroup"]);
    let pid = flow.mark("child");
    let warden = parent_of(pid);
    send(warden, "KILL");
    let output = amiss.finish();
    assert_eq!(crate::common::status(&output), 0, "{output:?}");
    let outcome = &crate::common::answer(&output)["outcome"];
    assert_eq!(outcome["result"], "unavailable", "{outcome}");
    assert!(!lives(pid));
}

#[test]
fn sigterm_and_sigint_end_the_run_as_interrupted_and_leave_nothing() {
    for signal in ["TERM", "INT"] {
        let flow = Flow::way("deaf");
        let mut amiss = Started::run(&flow, &[]);
        let pid = flow.mark("child");
        amiss.signal(signal);
        let output = amiss.finish();
        assert_eq!(crate::common::status(&output), 75, "{output:?}");
        assert_eq!(crate::common::code(&output), "INTERRUPTED");
        assert!(crate::common::answer(&output)["outcome"].is_null());
        assert!(!lives(pid));
        assert!(flow.scratch_is_clean());
    }
}

#[test]
fn a_command_that_only_waits_for_input_ends_at_once() {
    let flow = Flow::way("deaf");
    let mut amiss = Started::waiting(&flow);
    // It listens once its arguments are read; before that the signal's own meaning ends it.
    let status = common_wait(|| {
        amiss.signal("TERM");
        amiss.child.try_wait().unwrap()
    });
    assert!(matches!(status.code(), Some(75) | None), "{status:?}");
}

#[test]
fn a_caller_that_ignores_the_end_of_its_children_changes_nothing() {
    let flow = Flow::way("child");
    let envelope = flow.scene.path().join("envelope");
    std::fs::write(&envelope, flow.refreshed().to_string()).unwrap();
    let output = std::process::Command::new("/bin/sh")
        .args(["-c", "trap '' CHLD; exec \"$@\" < \"$INPUT\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_amiss"))
        .args(flow.arguments(&[]))
        .env("INPUT", &envelope)
        .output()
        .unwrap();
    let outcome = &crate::common::answer(&output)["outcome"];
    assert_eq!(outcome["result"], "complete", "{output:?}");
}

#[test]
fn children_that_a_shell_left_us_are_not_ours_to_kill() {
    let flow = Flow::way("deaf");
    let envelope = flow.scene.path().join("envelope");
    std::fs::write(&envelope, flow.refreshed().to_string()).unwrap();
    let mark = flow.marks.join("foreign");
    let script = "sleep 1000 & echo $! > \"$MARK.tmp\"; mv \"$MARK.tmp\" \"$MARK\"; \
                  exec \"$@\" < \"$INPUT\"";
    let child = std::process::Command::new("/bin/sh")
        .args(["-c", script, "sh"])
        .arg(env!("CARGO_BIN_EXE_amiss"))
        .args(flow.arguments(&["--without-cgroup"]))
        .env("INPUT", &envelope)
        .env("MARK", &mark)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut amiss = Started { child };
    let foreign = flow.mark("foreign");
    let pid = flow.mark("child");
    send(parent_of(pid), "KILL");
    amiss.child.wait().unwrap();
    let survived = lives(foreign);
    send(foreign, "KILL");
    assert!(survived);
    // The warden's death took the bootstrap itself with it all the same.
    common_wait(|| (!lives(pid)).then_some(()));
}

#[test]
fn a_signal_to_the_warden_alone_ends_nothing() {
    let flow = Flow::way("slow-1");
    flow.rewrite(|plan| plan["controls"]["way"] = "marked-slow".into());
    let mut amiss = Started::run(&flow, &[]);
    let pid = flow.mark("child");
    send(parent_of(pid), "TERM");
    let output = amiss.finish();
    let outcome = &crate::common::answer(&output)["outcome"];
    assert_eq!(outcome["result"], "complete", "{output:?}");
}

/// `amiss run-bootstrap`, started and not waited for.
pub struct Started {
    pub child: std::process::Child,
}

impl Started {
    pub fn run(flow: &Flow, more: &[&str]) -> Started {
        Started::on(flow, more, &flow.refreshed())
    }

    /// On an envelope that is there already.
    pub fn on(flow: &Flow, more: &[&str], envelope: &serde_json::Value) -> Started {
        let mut started = Started::waiting_with(flow, more);
        let mut input = started.child.stdin.take().unwrap();
        let text = envelope.to_string();
        std::io::Write::write_all(&mut input, text.as_bytes()).unwrap();
        started
    }

    fn waiting(flow: &Flow) -> Started {
        Started::waiting_with(flow, &[])
    }

    fn waiting_with(flow: &Flow, more: &[&str]) -> Started {
        let child = std::process::Command::new(env!("CARGO_BIN_EXE_amiss"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .args(flow.arguments(more))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        Started { child }
    }

    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    pub fn signal(&self, name: &str) {
        send(self.pid(), name);
    }

    pub fn finish(&mut self) -> std::process::Output {
        use std::io::Read;
        let mut output = std::process::Output {
            status: std::process::ExitStatus::default(),
            stdout: Vec::new(),
            stderr: Vec::new(),
        };
        let stdout = self.child.stdout.as_mut().unwrap();
        stdout.read_to_end(&mut output.stdout).unwrap();
        let stderr = self.child.stderr.as_mut().unwrap();
        stderr.read_to_end(&mut output.stderr).unwrap();
        output.status = self.child.wait().unwrap();
        output
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal to one process that this test knows.
pub fn send(pid: i32, name: &str) {
    use rustix::process::{Pid, Signal, kill_process};
    let signal = match name {
        "KILL" => Signal::KILL,
        "TERM" => Signal::TERM,
        "INT" => Signal::INT,
        "STOP" => Signal::STOP,
        "CONT" => Signal::CONT,
        other => panic!("no such signal: {other}"),
    };
    // It may have ended already.
    let _ = kill_process(Pid::from_raw(pid).unwrap(), signal);
}

fn parent_of(pid: i32) -> i32 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let words = text.rsplit_once(')').unwrap().1;
    words
        .split_ascii_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}
