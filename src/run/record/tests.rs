use super::*;

fn observed(leader: Leader, record: &[u8], report_bytes: u64) -> Observed<'_> {
    Observed {
        cause: Cause::Exit,
        leader,
        empty: true,
        out_of_memory: false,
        record,
        report_bytes,
        wall_limit_millis: 1000,
    }
}

fn reason(observed: &Observed<'_>) -> NoVerdict {
    match classify(observed) {
        Verdict::None { reason, .. } => reason,
        Verdict::Complete(evaluation) => panic!("complete: {evaluation:?}"),
    }
}

fn detail(observed: &Observed<'_>) -> String {
    match classify(observed) {
        Verdict::None { detail, .. } => detail,
        Verdict::Complete(evaluation) => panic!("complete: {evaluation:?}"),
    }
}

const PASS: &[u8] = b"amiss/bootstrap-result-v1 pass\n";
const BLOCK: &[u8] = b"amiss/bootstrap-result-v1 block\n";

#[test]
fn a_verdict_with_its_status_and_a_report_is_complete() {
    assert_eq!(
        classify(&observed(Leader::Exited(0), PASS, 1)),
        Verdict::Complete(Evaluation::Pass)
    );
    assert_eq!(
        classify(&observed(Leader::Exited(1), BLOCK, MAX_REPORT_BYTES)),
        Verdict::Complete(Evaluation::Block)
    );
}

#[test]
fn no_record_or_an_empty_report_is_missing_output() {
    for status in [0, 1, 2, 77] {
        assert_eq!(
            reason(&observed(Leader::Exited(status), b"", 5)),
            NoVerdict::MissingOutput
        );
    }
    assert_eq!(
        reason(&observed(Leader::Exited(0), PASS, 0)),
        NoVerdict::MissingOutput
    );
    assert_eq!(
        reason(&observed(Leader::Exited(1), BLOCK, 0)),
        NoVerdict::MissingOutput
    );
}

#[test]
fn a_report_over_its_ceiling_is_oversized_output_with_or_without_a_record() {
    let over = MAX_REPORT_BYTES + 1;
    assert_eq!(
        reason(&observed(Leader::Exited(0), PASS, over)),
        NoVerdict::OversizedOutput
    );
    assert_eq!(
        reason(&observed(Leader::Exited(0), b"", over)),
        NoVerdict::OversizedOutput
    );
}

#[test]
fn each_word_of_the_record_is_its_own_end() {
    for (word, expected) in [
        ("missing-output", NoVerdict::MissingOutput),
        ("timeout", NoVerdict::TimedOut),
        ("oversized-output", NoVerdict::OversizedOutput),
        ("tampered-runtime", NoVerdict::TamperedRuntime),
        ("unavailable", NoVerdict::Unavailable),
    ] {
        let record = format!("amiss/bootstrap-result-v1 {word}\n");
        let found = reason(&observed(Leader::Exited(2), record.as_bytes(), 0));
        assert_eq!(found, expected, "{word}");
    }
}

#[test]
fn a_record_that_is_wrong_by_one_byte_is_a_tampered_runtime() {
    let right = String::from_utf8(PASS.to_vec()).unwrap();
    let mut wrong: Vec<String> = vec![
        right.trim_end().into(),
        format!("{right}\n"),
        format!(" {right}"),
        right.replace('\n', "\r\n"),
        right.replace(" pass", "  pass"),
        right.replace("pass", "Pass"),
        right.replace("pass", "passed"),
        right.replace("pass", ""),
        right.replace("v1", "v2"),
        format!("{right}{right}"),
        "\0".into(),
    ];
    for at in 0..right.len() {
        let mut bytes = right.clone().into_bytes();
        bytes[at] ^= 1;
        wrong.push(String::from_utf8_lossy(&bytes).into_owned());
        wrong.push(right[..at].to_owned());
    }
    for record in wrong.iter().filter(|record| !record.is_empty()) {
        assert_eq!(
            reason(&observed(Leader::Exited(0), record.as_bytes(), 1)),
            NoVerdict::TamperedRuntime,
            "{record:?}"
        );
    }
}

#[test]
fn a_record_over_64_bytes_is_a_tampered_runtime() {
    let record = vec![b'x'; MAX_RECORD_BYTES + 1];
    let seen = observed(Leader::Exited(0), &record, 1);
    assert_eq!(reason(&seen), NoVerdict::TamperedRuntime);
    assert!(detail(&seen).contains("64 bytes"));
    let seen = observed(Leader::Exited(0), &record[1..], 1);
    assert_eq!(reason(&seen), NoVerdict::TamperedRuntime);
    assert!(detail(&seen).contains("not one of"), "it is not over them");
}

#[test]
fn a_status_that_does_not_belong_to_the_record_is_a_tampered_runtime() {
    for (record, right) in [
        (PASS, 0),
        (BLOCK, 1),
        (&b"amiss/bootstrap-result-v1 timeout\n"[..], 2),
    ] {
        for status in (0..=255).filter(|status| *status != right) {
            assert_eq!(
                reason(&observed(Leader::Exited(status), record, 1)),
                NoVerdict::TamperedRuntime
            );
        }
    }
}

#[test]
fn the_wall_limit_is_timed_out_even_when_a_record_was_written() {
    let seen = Observed {
        cause: Cause::WallLimit,
        ..observed(Leader::Signalled(9), PASS, 1)
    };
    assert_eq!(reason(&seen), NoVerdict::TimedOut);
    assert!(detail(&seen).contains("watchdog"));
}

#[test]
fn a_signal_is_unavailable_and_told_by_its_name() {
    let seen = observed(Leader::Signalled(11), PASS, 1);
    assert_eq!(reason(&seen), NoVerdict::Unavailable);
    assert!(detail(&seen).contains("11 (SIGSEGV)"));
    let seen = Observed {
        out_of_memory: true,
        ..observed(Leader::Signalled(9), b"", 0)
    };
    assert_eq!(detail(&seen), "killed by the memory limit");
    assert!(detail(&observed(Leader::Signalled(40), b"", 0)).contains("signal 40"));
}

#[test]
fn each_signal_is_told_apart_by_its_number_and_usual_name() {
    for (signal, name) in [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
        (25, "SIGXFSZ, the file size limit"),
    ] {
        let told = format!("the bootstrap was killed by signal {signal} ({name}), not by amiss");
        assert_eq!(detail(&observed(Leader::Signalled(signal), b"", 0)), told);
    }
}

#[test]
fn only_a_sigkill_after_the_memory_limit_killed_something_is_killed_by_the_memory_limit() {
    for (signal, out_of_memory, wanted) in [(9, true, true), (9, false, false), (11, true, false)] {
        let seen = Observed {
            out_of_memory,
            ..observed(Leader::Signalled(signal), b"", 0)
        };
        let found = detail(&seen) == "killed by the memory limit";
        assert_eq!(found, wanted, "{signal} {out_of_memory}");
    }
}

#[test]
fn an_undrained_tree_and_an_unknown_status_are_unavailable() {
    let seen = Observed {
        empty: false,
        ..observed(Leader::Exited(0), PASS, 1)
    };
    assert_eq!(reason(&seen), NoVerdict::Unavailable);
    assert_eq!(
        reason(&observed(Leader::Unknown, PASS, 1)),
        NoVerdict::Unavailable
    );
}

#[test]
fn what_we_killed_ourselves_is_unavailable_and_says_so() {
    for cause in [Cause::Told, Cause::Window, Cause::OwnerGone] {
        let seen = Observed {
            cause,
            ..observed(Leader::Signalled(9), PASS, 1)
        };
        assert_eq!(detail(&seen), "killed by amiss");
    }
}
