//! No mix-up: objects, names and files that are not what they were (page 4.3).

use serde_json::json;

use crate::common;
use crate::flow::{Flow, sha256};
use crate::scene::Scene;

#[test]
fn wrong_commits_and_trees_are_a_tampered_runtime_and_start_nothing() {
    for (member, side) in [
        ("commits", "base"),
        ("trees", "base"),
        ("trees", "candidate"),
    ] {
        let flow = Flow::way("child");
        let mut envelope = flow.refreshed();
        // Something that exists, and is not what belongs here.
        let other = flow.scene.repository.tree(&flow.scene.base);
        envelope["run"][member][side] = if (member, side) == ("trees", "base") {
            json!(flow.scene.repository.tree(&flow.scene.candidate))
        } else {
            json!(other)
        };
        let output = flow.run_on(&envelope, &[]);
        assert_eq!(common::status(&output), 0, "{output:?}");
        let outcome = &common::answer(&output)["outcome"];
        assert_eq!(outcome["result"], "tampered-runtime", "{outcome}");
        assert!(!flow.marks.join("child").exists());
    }
}

#[test]
fn a_wrong_action_is_a_tampered_runtime() {
    for member in ["commit", "tree"] {
        let flow = Flow::way("child");
        flow.rewrite(|plan| plan["execution"]["action"][member] = json!("1".repeat(40)));
        let outcome = flow.outcome(&[]);
        assert_eq!(outcome["result"], "tampered-runtime", "{outcome}");
        assert!(!flow.marks.join("child").exists());
    }
}

#[test]
fn both_object_formats_run() {
    let flow = Flow::of(Scene::of("sha256"), "review", &json!({}), 60_000, 60_000);
    assert_eq!(flow.outcome(&[])["result"], "complete");
}

#[test]
fn another_candidate_than_the_deliverys_is_refused() {
    let flow = Flow::way("child");
    let mut envelope = flow.refreshed();
    envelope["run"]["commits"]["candidate"] = json!(flow.scene.base);
    let output = flow.run_on(&envelope, &[]);
    assert_eq!(common::code(&output), "INPUT_MALFORMED");
    assert!(!flow.marks.join("child").exists());
}

#[test]
fn a_repository_that_is_not_there_is_an_error_and_no_verdict() {
    let flow = Flow::way("child");
    let envelope = flow.refreshed();
    std::fs::rename(&flow.action.path, flow.scene.path().join("moved")).unwrap();
    let output = flow.run_on(&envelope, &[]);
    assert_eq!(common::code(&output), "NOT_FOUND");
    assert!(common::answer(&output)["outcome"].is_null());
}

#[test]
fn replaced_names_change_nothing_of_what_is_read() {
    // Both names lead elsewhere before anything was written: what was opened is empty.
    let outcome = Flow::way("replace").outcome(&[]);
    assert_eq!(outcome["result"], "missing-output", "{outcome}");
    // A link to a file of the system is never read.
    let outcome = Flow::way("link").outcome(&[]);
    assert_eq!(outcome["result"], "missing-output", "{outcome}");
    // The report was written and then replaced: the first one counts.
    let outcome = Flow::way("replace-late").outcome(&[]);
    assert_eq!(outcome["result"], "complete", "{outcome}");
    assert_eq!(
        outcome["report"]["sha256"],
        sha256(b"{\"verdict\":\"pass\"}\n")
    );
}

#[test]
fn a_directory_that_the_run_closed_is_removed_all_the_same() {
    let outcome = Flow::way("closed").outcome(&[]);
    assert_eq!(outcome["result"], "complete", "{outcome}");
}

#[test]
fn the_child_sees_no_environment_and_no_descriptors_but_its_own() {
    let flow = Flow::way("environment");
    let outcome = flow.outcome(&[]);
    assert_eq!(outcome["result"], "complete", "{outcome}");
    let report = std::fs::read_to_string(outcome["report"]["path"].as_str().unwrap()).unwrap();
    // What the shell itself sets.
    let foreign: Vec<&str> = report
        .lines()
        .filter(|line| {
            !line.starts_with("PWD=") && !line.starts_with("OLDPWD=") && !line.starts_with("_=")
        })
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    let flow = Flow::way("files");
    let outcome = flow.outcome(&[]);
    assert_eq!(outcome["result"], "complete", "{outcome}");
    let report = std::fs::read_to_string(outcome["report"]["path"].as_str().unwrap()).unwrap();
    for line in report.lines().filter(|line| line.contains("->")) {
        let target = line.rsplit_once("-> ").unwrap().1;
        let own =
            target == "/dev/null" || target.contains("amiss-run-") || target.starts_with("/proc/");
        assert!(own, "{report}");
    }
}

#[test]
fn a_named_variable_is_handed_on_and_its_value_never_reaches_the_log() {
    let flow = Flow::way("secret");
    let log = flow.scene.path().join("log");
    let envelope = flow.refreshed();
    let arguments = flow.arguments(&["--pass-env", "SECRET", "--log", log.to_str().unwrap()]);
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = common::amiss(&words)
        .env("SECRET", "open sesame")
        .write_stdin(envelope.to_string())
        .output()
        .unwrap();
    assert_eq!(common::answer(&output)["outcome"]["result"], "complete");
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.contains("the secret is ["), "{text}");
    assert!(!text.contains("sesame"), "{text}");
    let output = flow.run_on(&envelope, &["--pass-env", "NOT_SET"]);
    assert_eq!(common::code(&output), "CONFIG_INVALID");
}

#[test]
fn of_long_words_the_log_keeps_head_and_tail() {
    let flow = Flow::way("words");
    let log = flow.scene.path().join("log");
    flow.outcome(&["--log", log.to_str().unwrap()]);
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.starts_with("first words"), "{}", &text[..100]);
    assert!(text.trim_end().ends_with("last words"));
    assert!(text.contains("bytes left out"));
    assert!(text.len() < 140 * 1024, "{}", text.len());
}

#[test]
fn a_bootstrap_that_cannot_be_executed_is_unavailable() {
    let flow = Flow::new("review", &json!({}));
    flow.use_bootstrap(b"#!/nonexistent/interpreter\n");
    let outcome = flow.outcome(&[]);
    assert_eq!(outcome["result"], "unavailable", "{outcome}");
    assert!(
        outcome["detail"].as_str().unwrap().contains("not found"),
        "{outcome}"
    );
}

#[test]
fn a_bootstrap_that_the_system_cannot_start_is_never_run_as_a_shell_script() {
    for bytes in [
        &b""[..],
        b"#",
        b"touch child\n",
        b"\n#!/bin/sh\n",
        b"#!\n",
        b"MZ\x90\x00",
    ] {
        let flow = Flow::new("review", &json!({}));
        let mark = flow.scene.path().join("ran");
        let mut script = bytes.to_vec();
        script.extend(
            format!("\ntouch '{}'\n", mark.display())
                .bytes()
                .filter(|_| bytes.len() > 1),
        );
        flow.use_bootstrap(&script);
        let outcome = flow.outcome(&[]);
        assert_eq!(outcome["result"], "unavailable", "{outcome}");
        assert!(outcome["detail"].as_str().unwrap().contains("`#!`"));
        assert_eq!(outcome["audit"]["bootstrap"]["bytes"], script.len());
        assert!(!mark.exists());
    }
}

/// The start of a program for a processor that this is not, with a shell command behind it.
fn foreign_program(command: &str) -> Vec<u8> {
    // ELF, 64 bits, low byte first, version 1; a program that can be run, for SPARC or, where this
    // is one, for Alpha.
    let machine: u16 = if cfg!(target_arch = "sparc64") {
        41
    } else {
        43
    };
    let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
    bytes.resize(16, 0);
    bytes.extend(2_u16.to_le_bytes());
    bytes.extend(machine.to_le_bytes());
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(0x40_0000_u64.to_le_bytes());
    bytes.extend(64_u64.to_le_bytes());
    bytes.resize(52, 0);
    for number in [64_u16, 56, 1, 64, 0, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.resize(120, 0);
    bytes.extend(format!("\n{command}\n").bytes());
    bytes
}

#[test]
fn a_program_of_another_processor_is_unavailable_and_no_shell_reads_it() {
    let flow = Flow::new("review", &json!({}));
    let mark = flow.scene.path().join("ran");
    let bytes = foreign_program(&format!("touch '{}'", mark.display()));
    flow.use_bootstrap(&bytes);
    let outcome = flow.outcome(&[]);
    assert_eq!(outcome["result"], "unavailable", "{outcome}");
    assert!(outcome["detail"].as_str().unwrap().contains("processor"));
    // Nor as the interpreter of a script.
    let inner = flow.scene.path().join("inner");
    std::fs::write(&inner, &bytes).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&inner, mode).unwrap();
    let script = format!("#!{}\ntouch '{}'\n", inner.display(), mark.display());
    let flow = Flow::new("review", &json!({}));
    flow.use_bootstrap(script.as_bytes());
    let outcome = flow.outcome(&[]);
    assert_eq!(outcome["result"], "unavailable", "{outcome}");
    assert!(!mark.exists());
}

#[test]
fn a_record_root_inside_a_judged_tree_is_refused() {
    let flow = Flow::new("review", &json!({}));
    let envelope = flow.refreshed();
    let inside = flow.scene.repository.path.join("root");
    std::fs::rename(&flow.root, &inside).unwrap();
    let link = flow.scene.path().join("link");
    std::os::unix::fs::symlink(&flow.scene.repository.path, &link).unwrap();
    for root in [&inside, &link.join("root")] {
        let mut arguments = flow.arguments(&[]);
        arguments[2] = root.to_str().unwrap().to_owned();
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = common::run(&words, envelope.to_string());
        assert_eq!(common::status(&output), 78);
        assert_eq!(common::code(&output), "ROOT_UNSAFE");
    }
}

#[test]
fn an_unusable_scratch_directory_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let flow = Flow::new("review", &json!({}));
    let envelope = flow.refreshed();
    // Said once, with what to do.
    let told = |output: &std::process::Output, hint: &str| {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(words.lines().count(), 1, "{words}");
        assert!(words.contains(hint), "{words}");
    };
    std::fs::set_permissions(&flow.scratch, std::fs::Permissions::from_mode(0o777)).unwrap();
    let output = flow.run_on(&envelope, &[]);
    assert_eq!(common::code(&output), "ROOT_UNSAFE");
    told(&output, "chmod go-w ");
    std::fs::remove_dir(&flow.scratch).unwrap();
    let output = flow.run_on(&envelope, &[]);
    assert_eq!(common::code(&output), "NOT_FOUND");
    told(&output, "mkdir -m 700 ");
    assert!(common::answer(&output)["outcome"].is_null());
}

#[test]
fn templates_are_bound_to_the_candidate_and_named_by_the_plan() {
    let flow = Flow::new("review", &json!({}));
    flow.rewrite(|plan| {
        plan["semantic"] =
            json!([{"acquisition": "docs", "producer": "p", "context": "c", "max_bytes": 5}]);
    });
    let envelope = flow.refreshed();
    let file = flow.scene.path().join("docs");
    std::fs::write(&file, "12345").unwrap();
    let docs = format!("docs={}", file.display());
    let output = flow.run_on(&envelope, &["--semantic", &docs]);
    let answer = common::answer(&output);
    let path = answer["outcome"]["report"]["path"].as_str().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(
        report["controls"]["semantic"],
        json!([{
            "acquisition": "docs", "producer": "p", "context": "c",
            "sha256": sha256(b"12345"), "base64": "MTIzNDU=",
            "candidate": {
                "commit": flow.scene.candidate,
                "tree": flow.scene.repository.tree(&flow.scene.candidate)
            }
        }])
    );
    assert_eq!(answer["outcome"]["audit"]["semantic/docs"]["bytes"], 5);
    assert_eq!(
        common::code(&flow.run_on(&envelope, &[])),
        "INPUT_INCOMPLETE"
    );
    let other = docs.replace("docs=", "other=");
    let output = flow.run_on(&envelope, &["--semantic", &docs, "--semantic", &other]);
    assert_eq!(common::code(&output), "INPUT_INCOMPLETE");
    std::fs::write(&file, "123456").unwrap();
    let output = flow.run_on(&envelope, &["--semantic", &docs]);
    assert_eq!(
        common::answer(&output)["outcome"]["result"],
        "tampered-runtime"
    );
}
