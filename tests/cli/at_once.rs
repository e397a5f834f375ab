//! Commands that cron may start twice (case g05): each works, waits or says that it is busy.

use std::process::{Child, Command, Stdio};

use amiss::code::Code;
use serde_json::Value;

use crate::common::scene::Scene;

/// What is called from cron, from a service and by hand, and may meet itself.
const CALLS: [&str; 14] = [
    "ledger init --root root --lease-ms 60000 --max-records 100000 --max-signed-age-ms 300000 --max-queue-age-ms 60000",
    "ledger cleanup --root root",
    "ledger check --root root",
    "ledger stats --root root",
    "ledger resize --root root --max-records 100000",
    "ledger retune --root root --lease-ms 60000",
    "outbox once --host-root host",
    "outbox gc --host-root host",
    "outbox doctor --repair --host-root host",
    "outbox status --host-root host",
    "outbox enable --host-root host",
    "outbox disable --host-root host",
    "outbox baseline --host-root host --mirror host/mirrors/project.git",
    "outbox write-agent agents --host-root host",
];

fn start(scene: &Scene, call: &str) -> Child {
    let place = scene.path().canonicalize().unwrap();
    let host = place.join("host").display().to_string();
    let words = call.split(' ').map(|word| match word.strip_prefix("host") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{host}{rest}"),
        _ => word.to_owned(),
    });
    Command::new(env!("CARGO_BIN_EXE_amiss"))
        .args(words)
        .current_dir(place)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn g05_a_command_that_meets_itself_works_waits_or_is_busy_and_says_one_line() {
    let scene = Scene::prepare();
    scene.ok("mkdir -m 700 -p host/mirrors agents
              git clone -q --mirror repository host/mirrors/project.git");
    for call in CALLS {
        let running: Vec<Child> = (0..4).map(|_| start(&scene, call)).collect();
        let mut done = 0;
        for child in running {
            let output = child.wait_with_output().unwrap();
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(printed.lines().count(), 1, "amiss {call}: {printed}");
            let answer: Value = serde_json::from_str(&printed).unwrap();
            match answer["error"]["code"].as_str() {
                None => {
                    assert_eq!(output.status.code(), Some(0), "amiss {call}: {answer}");
                    assert!(output.stderr.is_empty(), "amiss {call}: silent for cron");
                    done += 1;
                }
                Some(code) => {
                    let code = Code::parse(code).unwrap();
                    assert_eq!(code.status(), 75, "amiss {call}: {answer}");
                    assert_eq!(output.status.code(), Some(75), "amiss {call}: {answer}");
                }
            }
        }
        assert!(done > 0, "amiss {call}: nobody worked");
    }
    scene.ok("amiss ledger check --root root; amiss outbox doctor --host-root \"$PWD/host\"");
}
