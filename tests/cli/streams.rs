//! Standard output that breaks (page 1.3): no panic, the right status, and a state change that was
//! made stays made.

use crate::common::every_leaf;
use crate::common::scene::{Scene, both};

/// One way to call a command for real, in the scene that [`steps`] leaves.
struct Call {
    /// The words after `amiss`.
    words: &'static str,
    /// The shell text behind them: flags and input.
    rest: &'static str,
    /// The root as it is before: after so many steps of the flow.
    root: u32,
}

const fn call(words: &'static str, root: u32, rest: &'static str) -> Call {
    Call { words, rest, root }
}

const CALLS: &[Call] = &[
    call("ingress-verify", 0, "--route route.json < request.json"),
    call("ingress-sign", 0, "--route route.json < pull-request.json"),
    call("seal-key", 0, "new.key"),
    call(
        "ledger init",
        0,
        "--root root --lease-ms 60000 --max-records 100000 --max-signed-age-ms 300000 --max-queue-age-ms 60000",
    ),
    call("ledger claim", 0, "--root root --plan plan.json < 1.json"),
    call("ledger renew", 1, "--root root < 2.json"),
    call(
        "refresh",
        1,
        "--repository repository --target refs/heads/main --candidate refs/heads/topic < 2.json",
    ),
    call(
        "run-bootstrap",
        1,
        "--root root --plan plan.json --repository repository --action-repository action --scratch scratch < 3.json",
    ),
    call("ledger stage", 1, "--root root < 5.json"),
    call("publish", 2, "-- cat < 6.json"),
    call("ledger complete", 2, "--root root < 6.json"),
    call("ledger cleanup", 3, "--root root"),
    call("ledger show", 2, "--root root < 6.json"),
    call("ledger list", 2, "--root root"),
    call("ledger check", 2, "--root root"),
    call("ledger stats", 2, "--root root"),
    call("ledger quarantine", 2, "stray.txt --to aside --root root"),
    call(
        "ledger abandon",
        1,
        "--root root --key \"$(cat key)\" --reason gone --now-unix-millis 4000000000000",
    ),
    call("ledger resize", 2, "--root root --max-records 200000"),
    call("ledger retune", 2, "--root root --lease-ms 90000"),
    call("outbox enqueue", 0, "--host-root host < push.json"),
    call(
        "outbox baseline",
        0,
        "--host-root host --mirror \"$PWD/host/mirrors/project.git\"",
    ),
    call("outbox once", 0, "--host-root host"),
    call("outbox status", 0, "--host-root host"),
    call("outbox enable", 0, "--host-root host"),
    call("outbox disable", 0, "--host-root host"),
    call("outbox gc", 0, "--host-root host"),
    call("outbox doctor", 0, "--host-root host"),
    call("outbox write-agent", 0, "agents --host-root host"),
    call("outbox retry", 0, "--task t1 --host-root host"),
    call("outbox close", 0, "--task t1 --host-root host"),
    call("schema", 0, "plan"),
    call("completions", 0, "bash"),
    call("man", 0, "pages"),
    call("explain", 0, "BUSY"),
    call("help", 0, "statuses"),
];

/// Commands that run until they are stopped, or start what does: their own tests break their
/// streams.
const ELSEWHERE: &[&str] = &["outbox watch", "outbox wake", "bench"];

/// A scene with the envelope after each step of the flow (`1.json` … `6.json`) and the root before
/// each (`root-0` … `root-3`), and an outbox with one push.
fn steps() -> Scene {
    let scene = Scene::prepare();
    scene.ok(r#"
        refs="--repository repository --target refs/heads/main --candidate refs/heads/topic"
        cp -a root root-0
        # No lease ends while all commands are called, however slow the machine is.
        amiss ledger retune --root root --lease-ms 86400000
        amiss ingress-verify --route route.json < request.json > 1.json
        amiss ledger claim --root root --plan plan.json < 1.json > 2.json
        cp -a root root-1
        amiss refresh $refs < 2.json > 3.json
        amiss run-bootstrap --root root --plan plan.json --repository repository \
            --action-repository action --scratch scratch < 3.json > 4.json
        amiss refresh $refs < 4.json > 5.json
        amiss ledger stage --root root < 5.json > 6.json
        cp -a root root-2
        amiss ledger complete --root root < 6.json > 7.json
        cp -a root root-3
        amiss ledger list --root root-1 | sed 's/.*"key":"\([0-9a-f]*\)".*/\1/' > key
        touch root-2/stray.txt
        mkdir -m 700 -p host/mirrors aside agents
        git clone -q --mirror repository host/mirrors/project.git
        git init -q --bare origin.git
        printf '{"push":{"project":"project","task":"t1","turn":"%s","origin":"file://%s","branch":"result","oid":"%s"}}' \
            00000000000000000000000000000001 "$PWD/origin.git" "$(git -C repository rev-parse topic)" > push.json
        cp -a host host-0
    "#);
    scene
}

/// Runs one call from its own root with its output sent as said, and gives its status and what it
/// said on standard error.
fn end(scene: &Scene, call: &Call, sink: &str) -> (String, String) {
    end_after(scene, call, "true", "2> errors", sink)
}

/// The same after a change of the scene, with its standard error sent as said.
fn end_after(
    scene: &Scene,
    call: &Call,
    change: &str,
    errors: &str,
    sink: &str,
) -> (String, String) {
    let output = scene.sh(&format!(
        "rm -rf root host aside agents pages new.key status errors
         mkdir -m 700 aside agents
         cp -a root-{} root
         cp -a host-0 host
         : > errors
         {change}
         set +e
         {{ amiss {} {} {errors}; echo $? > status; }} {sink}
         cat status errors",
        call.root,
        call.words,
        // The sink belongs to the command and not to the braces, where it can break them.
        call.rest,
    ));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let (status, errors) = text
        .split_once('\n')
        .unwrap_or_else(|| panic!("{}", both(&output)));
    (status.to_owned(), errors.to_owned())
}

/// What a state change leaves: the files of root and outbox, without what differs by chance.
fn left(scene: &Scene) -> String {
    scene.ok("find root host aside agents pages new.key -type f 2>/dev/null | grep -v -e 'objects/' -e atomicwrite | sort || true")
}

#[test]
fn every_command_is_called_here() {
    for words in every_leaf() {
        let words = words.join(" ");
        assert!(
            CALLS.iter().any(|call| call.words == words) || ELSEWHERE.contains(&words.as_str()),
            "`amiss {words}` has no call in tests/cli/streams.rs"
        );
    }
}

#[test]
fn e10_a_broken_output_never_panics_and_keeps_state_and_status() {
    let scene = steps();
    for call in CALLS {
        let (status, errors) = end(&scene, call, "> answer");
        let whole = left(&scene);
        for sink in ["| head -c1 > answer", "| true", ">&-"] {
            let (broken, said) = end(&scene, call, sink);
            assert_eq!(
                broken, status,
                "amiss {} {sink}\n{errors}{said}",
                call.words
            );
            assert!(
                !said.contains("panicked"),
                "amiss {} {sink}\n{said}",
                call.words
            );
            assert_eq!(left(&scene), whole, "amiss {} {sink}", call.words);
        }
        let (full, said) = end(&scene, call, "> /dev/full");
        let wanted = if status == "0" { "74" } else { &status };
        assert_eq!(full, wanted, "amiss {} > /dev/full\n{said}", call.words);
        assert!(
            said.contains("amiss: IO: ") && !said.contains("panicked"),
            "amiss {}\n{said}",
            call.words
        );
        assert_eq!(left(&scene), whole, "amiss {} > /dev/full", call.words);
    }
}

#[test]
fn e10_a_standard_error_that_is_closed_or_full_changes_neither_answer_nor_status_nor_state() {
    let scene = steps();
    for call in CALLS {
        let (status, _) = end(&scene, call, "> answer");
        let whole = left(&scene);
        let printed = scene.ok("wc -l < answer");
        for errors in ["2>&-", "2> /dev/full", "2>&- 0<&-"] {
            // Without an input of its own a command may say less, and must still end.
            let other_input = errors.contains("0<");
            let (broken, _) = end_after(&scene, call, "true", errors, "> answer");
            let place = format!("amiss {} {errors}", call.words);
            if !other_input || !call.rest.contains("< ") {
                assert_eq!(broken, status, "{place}");
                assert_eq!(left(&scene), whole, "{place}");
                assert_eq!(scene.ok("wc -l < answer"), printed, "{place}");
            }
            // 101 is a panic, 134 an abort.
            assert!(!["101", "134"].contains(&broken.as_str()), "{place}");
        }
    }
}

#[test]
fn h02_the_status_and_the_json_always_agree() {
    let scene = steps();
    for call in CALLS {
        let (status, errors) = end(&scene, call, "> answer");
        agree(&format!("amiss {}", call.words), &scene, &status, &errors);
    }
}

/// Ways in which a root or what a command works on is wrong.
const WRONGS: [&str; 8] = [
    "rm -rf root host",
    "rm -rf root host; : > root; : > host",
    "chmod 777 root host",
    "mv root r; mv host h; ln -s r root; ln -s h host",
    "for name in root/.amiss-root.state root/.amiss-capacity.state; do printf x >> $name; done",
    "for name in root/*.state host/tasks/*/*/delivery/*.json; do [ ! -e $name ] || : > $name; done",
    "rm -rf repository/.git/objects/?? action/.git; mkdir -m 700 -p repository/.git/objects/00",
    "rm -rf plan.json route.json scratch host/mirrors; mkdir plan.json route.json",
];

#[test]
fn h02_the_status_and_the_json_agree_on_whatever_is_wrong_too() {
    let mut refused = 0;
    for wrong in WRONGS {
        let scene = steps();
        scene.ok("mkdir kept; cp -a repository action plan.json route.json scratch kept/");
        for call in CALLS {
            let restore =
                "rm -rf r h repository action plan.json route.json scratch; cp -a kept/* .";
            let change = format!("{restore}; {wrong}");
            let (status, errors) = end_after(&scene, call, &change, "2> errors", "> answer");
            let place = format!("amiss {} after {wrong}", call.words);
            agree(&place, &scene, &status, &errors);
            assert!(!errors.contains("panicked"), "{place}\n{errors}");
            assert_ne!(status, "70", "{place}\n{errors}");
            refused += u32::from(status != "0");
        }
    }
    crate::common::figures::tell(&format!(
        "status and JSON: {} calls on something wrong, {refused} refused",
        WRONGS.len() * CALLS.len()
    ));
    assert!(refused > 100, "{refused}");
}

/// The status is that of the answer's code or findings, and standard error says the same.
fn agree(place: &str, scene: &Scene, status: &str, errors: &str) {
    let answer = scene.ok("cat answer");
    let first = answer.lines().next().unwrap_or_default();
    let whole = serde_json::from_str::<serde_json::Value>(&answer);
    let Ok(answer) = whole.or_else(|_| serde_json::from_str::<serde_json::Value>(first)) else {
        assert_eq!(status, "0", "{place}\n{errors}");
        return;
    };
    if let Some(code) = answer["error"]["code"].as_str() {
        let code = amiss::code::Code::parse(code).unwrap();
        assert_eq!(status, code.status().to_string(), "{place}");
        assert!(errors.contains(code.name()), "{place}\n{errors}");
        return;
    }
    let defects = answer["check"]["defects"].as_array();
    let findings = answer["doctor"]["findings"].as_array();
    let damaged = answer["row"]["damaged"].is_string();
    let found = damaged || defects.or(findings).is_some_and(|all| !all.is_empty());
    let wanted = if found { "78" } else { "0" };
    assert_eq!(status, wanted, "{place}\n{errors}");
    let complained = errors
        .lines()
        .any(|line| line.starts_with("amiss: ") && !line.starts_with("amiss: warning: "));
    assert_eq!(complained, found, "{place}\n{errors}");
}
