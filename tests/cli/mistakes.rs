//! Simple mistakes: what each answer says about what to do next.

use serde_json::Value;

use crate::common::scene::{Scene, both};

/// A command with one mistake, its status, and words that its message or hint must hold.
type Mistake = (&'static str, i32, &'static str);

const OF_FILES: &[Mistake] = &[
    (
        "amiss ingress-verify --route empty < request.json",
        78,
        "there is nothing in it (`amiss schema route`",
    ),
    (
        "amiss ingress-verify --route cut.json < request.json",
        78,
        "ends in the middle",
    ),
    (
        "amiss ingress-verify --route plan.json < request.json",
        78,
        "`amiss schema route`",
    ),
    (
        "amiss ingress-verify --route folder < request.json",
        78,
        "not a regular file",
    ),
    (
        "amiss ingress-verify --route nothing < request.json",
        78,
        "cannot read the route nothing: No such file",
    ),
    (
        "amiss ingress-verify --route route.json < pull-request.json",
        65,
        "by --cgi",
    ),
    (
        "amiss ingress-verify --route stray-keyring.json < request.json",
        78,
        "relative to the file",
    ),
    (
        "amiss ledger claim --root root --plan route.json < delivery.json",
        78,
        "`amiss schema plan`",
    ),
    (
        "amiss ledger claim --root root --check plan.json < delivery.json",
        78,
        "`amiss schema check`",
    ),
    (
        "amiss seal-key nothing/seal.key",
        74,
        "mkdir -m 700 nothing",
    ),
    ("amiss seal-key seal.key", 78, "name a new file"),
];

const OF_ROOTS: &[Mistake] = &[
    (
        "amiss ledger list --root nothing",
        66,
        "mkdir -m 700 nothing",
    ),
    (
        "amiss ledger list --root folder",
        78,
        "`amiss ledger init --root folder`",
    ),
    ("amiss ledger list --root empty", 78, "mkdir -m 700 DIR"),
    ("amiss ledger list --root link", 78, "no link is followed"),
    ("amiss ledger list --root open", 78, "chmod go-w open"),
    (
        "amiss ledger list --root root --expect-lease-ms 5",
        78,
        "`amiss ledger resize` or `retune`",
    ),
    (
        "amiss ledger show --root root --key 0000000000000000000000000000000000000000000000000000000000000000",
        66,
        "`amiss ledger list`",
    ),
    (
        "amiss ledger quarantine root/stray --root root --to folder",
        65,
        "the name alone",
    ),
];

const OF_STEPS: &[Mistake] = &[
    (
        "amiss ledger claim --root root --plan plan.json < plan.json",
        65,
        "\"amiss/plan/v1\", not \"amiss/envelope/v1\"",
    ),
    (
        "echo '{\"delivery\":5}' | amiss ledger claim --root root --plan plan.json",
        65,
        "expected an object at line",
    ),
    (
        "amiss refresh --repository nothing --target refs/heads/main --candidate refs/heads/topic < claimed.json",
        66,
        "git clone --mirror",
    ),
    (
        "amiss run-bootstrap --root root --plan plan.json --repository repository --action-repository action --scratch nothing < run.json",
        66,
        "mkdir -m 700 nothing",
    ),
    (
        "amiss run-bootstrap --root root --plan plan.json --repository repository --action-repository action --scratch scratch --report-dir nothing < run.json",
        66,
        "mkdir -m 700 nothing",
    ),
    (
        "amiss publish -- ./nothing < staged.json",
        69,
        "make it executable",
    ),
    (
        "amiss publish -- ./plan.json < staged.json",
        69,
        "make it executable",
    ),
    (
        "echo '{\"headers\":{\"Name\":5},\"body\":\"\"}' | amiss ingress-verify --route route.json",
        65,
        "a text or a list of texts",
    ),
    (
        "amiss publish -- false < staged.json",
        69,
        "run the same pipeline again",
    ),
    (
        "amiss outbox status --host-root host",
        78,
        "name it from /: --host-root /",
    ),
    (
        "amiss outbox status --host-root \"$PWD/nothing\"",
        66,
        "mkdir -m 700",
    ),
    (
        "amiss outbox write-agent empty --host-root \"$PWD/host\"",
        65,
        "name an existing folder",
    ),
];

fn prepare() -> Scene {
    let scene = Scene::prepare();
    scene.ok(
        "touch empty && mkdir -m 700 folder host && mkdir open && chmod 777 open && ln -s root link
         head -c 50 route.json > cut.json
         sed s/hook.key/nothing.key/ hooks.keyring.json > nothing.keyring.json
         sed s/hooks.keyring/nothing.keyring/ route.json > stray-keyring.json
         refs='--repository repository --target refs/heads/main --candidate refs/heads/topic'
         amiss ingress-verify --route route.json < request.json > delivery.json
         amiss ledger claim --root root --plan plan.json < delivery.json > claimed.json
         amiss refresh $refs < claimed.json > run.json
         amiss run-bootstrap --root root --plan plan.json --repository repository \
            --action-repository action --scratch scratch < run.json |
           amiss refresh $refs | amiss ledger stage --root root > staged.json",
    );
    scene
}

#[test]
fn a_simple_mistake_is_one_line_that_says_what_to_do_and_its_status_agrees() {
    let scene = prepare();
    for (command, status, words) in OF_FILES.iter().chain(OF_ROOTS).chain(OF_STEPS) {
        let output = scene.sh(command);
        let shown = both(&output);
        assert_eq!(output.status.code(), Some(*status), "{command}\n{shown}");
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(line.lines().count(), 1, "{command}\n{shown}");
        assert!(line.contains(words), "{command}\n{shown}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let code = answer["error"]["code"].as_str().unwrap();
        assert!(line.starts_with(&format!("amiss: {code}: ")), "{shown}");
    }
}

#[test]
fn a_time_of_nothing_for_a_program_is_refused_as_a_flag() {
    let scene = prepare();
    let output = scene.sh("amiss publish --timeout 0s -- true < staged.json");
    assert_eq!(output.status.code(), Some(2), "{}", both(&output));
}

/// Another system's `script` takes its words in another order.
#[cfg(target_os = "linux")]
#[test]
fn a_command_that_waits_for_a_terminal_says_so() {
    let scene = prepare();
    let waits = |quiet: &str| {
        let output = scene.sh(&format!(
            "printf '\\004' | script -qec 'amiss {quiet} ledger renew --root root' /dev/null"
        ));
        String::from_utf8_lossy(&output.stdout).contains("end it with Ctrl-D")
    };
    assert!(waits(""));
    assert!(!waits("--quiet"));
}
