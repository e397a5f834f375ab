use super::*;

fn shell(script: &str) -> Program {
    Program::new("/bin/sh")
        .arg("-c")
        .arg(script)
        .pass_env("PATH")
}

const LIMITS: Limits = Limits {
    stdout_bytes: 1024,
    stderr_bytes: 64,
    deadline: Duration::from_secs(20),
    reach: Reach::Tree,
};

#[test]
fn input_output_and_status_go_through() {
    let done = run(
        &shell("cat; echo oops >&2; exit 7"),
        b"hello",
        &LIMITS,
        &Cancel::new(),
    )
    .unwrap();
    assert_eq!(done.end, End::Exited(7));
    assert_eq!(done.stdout.bytes(), b"hello");
    assert_eq!(done.stderr.text(), "oops\n");
}

#[test]
fn nothing_of_the_callers_environment_reaches_the_program() {
    let program = Program::new("/usr/bin/env").env("ONLY", "this");
    let done = run(&program, b"", &LIMITS, &Cancel::new()).unwrap();
    assert_eq!(done.stdout.bytes(), b"ONLY=this\n");
}

#[test]
fn output_over_its_bound_is_counted_and_not_kept() {
    let done = run(
        &shell("head -c 1000000 /dev/zero"),
        b"",
        &LIMITS,
        &Cancel::new(),
    )
    .unwrap();
    assert_eq!(done.stdout.bytes().len(), 1024);
    assert_eq!(done.stdout.total(), 1_000_000);
    assert!(!done.stdout.is_whole());
}

#[test]
fn a_large_input_that_nobody_reads_blocks_nothing() {
    let done = run(
        &shell("exit 0"),
        &vec![b'x'; 1 << 20],
        &LIMITS,
        &Cancel::new(),
    )
    .unwrap();
    assert_eq!(done.end, End::Exited(0));
}

#[test]
fn the_deadline_kills() {
    let limits = Limits {
        deadline: Duration::from_millis(200),
        ..LIMITS
    };
    let started = Instant::now();
    let done = run(
        &shell("sleep 300 & sleep 300"),
        b"",
        &limits,
        &Cancel::new(),
    )
    .unwrap();
    assert_eq!(done.end, End::TimedOut);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_program_that_is_held_by_itself_is_killed_at_its_deadline_too() {
    let limits = Limits {
        deadline: Duration::from_millis(200),
        reach: Reach::Itself,
        ..LIMITS
    };
    let done = run(&shell("exec sleep 300"), b"", &limits, &Cancel::new()).unwrap();
    assert_eq!(done.end, End::TimedOut);
    let limits = Limits {
        deadline: Duration::from_secs(20),
        ..limits
    };
    let done = run(&shell("exit 7"), b"", &limits, &Cancel::new()).unwrap();
    assert_eq!(done.end, End::Exited(7));
}

#[test]
fn a_descendant_that_holds_the_streams_delays_nothing() {
    let started = Instant::now();
    let done = run(&shell("sleep 300 & echo up"), b"", &LIMITS, &Cancel::new()).unwrap();
    assert_eq!(done.end, End::Exited(0));
    assert_eq!(done.stdout.bytes(), b"up\n");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_cancellation_from_another_thread_kills() {
    let cancel = Cancel::new();
    let other = cancel.clone();
    let thread = std::thread::spawn(move || other.cancel());
    let done = run(&shell("sleep 300"), b"", &LIMITS, &cancel).unwrap();
    thread.join().unwrap();
    assert_eq!(done.end, End::Cancelled);
}

#[test]
fn a_signal_is_told_by_its_number() {
    let done = run(&shell("kill -9 $$"), b"", &LIMITS, &Cancel::new()).unwrap();
    assert_eq!(done.end, End::Signalled(9));
}

#[test]
fn a_program_that_is_not_there_is_told() {
    let error = run(
        &Program::new("/nonexistent/program"),
        b"",
        &LIMITS,
        &Cancel::new(),
    )
    .unwrap_err();
    assert!(error.is_missing(), "{error:?}");
}
