//! The example of every command's help, run as it stands there.

use crate::common::scene::{Scene, both};
use crate::common::{every_leaf, help_of};

/// Commands that run until they are stopped, or measure for a while: their own tests run them.
const ELSEWHERE: &[&str] = &["outbox watch", "outbox wake", "bench"];

/// What stands in an example for a place of the reader's, and where that is in the scene.
const PLACES: &[(&str, &str)] = &[
    ("/var/lib/amiss-host", "$PWD/host"),
    ("/var/lib/amiss-quarantine", "$PWD/aside"),
    ("/var/lib/amiss", "$PWD/root"),
    ("/srv/mirror.git", "$PWD/mirror.git"),
    ("/srv/action.git", "$PWD/action"),
    ("/var/tmp/amiss", "$PWD/scratch"),
    ("/opt/amiss/post-check-run", "./publisher"),
    ("/var/log/", "./"),
    (
        "0b320f59191352125bbed161c51c73615a815b31a16e07f1fd4e9276ed616369",
        "$(cat key)",
    ),
    ("8d5957f8b2a5f7b1f2d7b2f0e5a3a3f8e6f9c001", "'$(cat oid)'"),
];

/// Files by the names that the examples use, and the root after each step of the flow.
const STAGE: &str = r#"
    cp route.json github.route.json
    cp route.json gitea.json
    cp pull-request.json payload.json
    mkdir -p ../bin home
    printf '#!/bin/sh\n' > ../bin/systemctl
    printf '#!/bin/sh\n' > publisher
    chmod +x ../bin/systemctl publisher
    git clone -q --mirror repository mirror.git
    git -C mirror.git update-ref refs/pull/7/head refs/heads/topic
    refs="--repository mirror.git --target refs/heads/main --candidate refs/pull/7/head"
    cp -a root root-0
    # No lease ends while all examples are run, however slow the machine is.
    amiss ledger retune --root root --lease-ms 86400000
    amiss ingress-verify --route route.json < request.json > 1.json
    amiss ledger claim --root root --plan plan.json < 1.json > claimed.json
    cp -a root root-1
    amiss refresh $refs < claimed.json > refreshed.json
    amiss run-bootstrap --root root --plan plan.json --repository mirror.git \
        --action-repository action --scratch scratch < refreshed.json > ran.json
    amiss refresh $refs < ran.json > rechecked.json
    amiss ledger stage --root root < rechecked.json > staged.json
    amiss publish -- ./publisher < staged.json > published.json
    cp -a root root-2
    amiss ledger list --root root --format json | sed 's/.*"key":"\([0-9a-f]*\)".*/\1/' > key
    git -C repository rev-parse topic > oid
    mkdir -m 700 -p host/mirrors aside
    git clone -q --mirror repository host/mirrors/web.git
    printf '{"push":{"project":"web","task":"t1","turn":"%s","origin":"file://%s/origin.git","branch":"release","oid":"%s"}}' \
        11111111111111111111111111111111 "$PWD" "$(cat oid)" > push.json
    cp -a host host-0
    amiss outbox enqueue --host-root "$PWD/host" < push.json > pushed.json
    cp -a host host-1
    mkdir -m 700 root-old
    past=$(($(date +%s) - 600))000
    amiss ledger init --root root-old --lease-ms 1000 --max-records 9 --max-signed-age-ms 300000 \
        --max-queue-age-ms 60000 --now-unix-millis "$past" > old.json
    amiss ledger claim --root root-old --plan plan.json --now-unix-millis "$past" < 1.json > old.json
"#;

/// The root and the host root that a command's example starts from.
fn start(words: &str) -> (&'static str, &'static str) {
    match words {
        "ledger claim" | "ledger init" => ("root-0", "host-1"),
        "ledger renew" | "ledger stage" | "run-bootstrap" => ("root-1", "host-1"),
        "ledger abandon" => ("root-old", "host-1"),
        "outbox enqueue" | "outbox baseline" => ("root-2", "host-0"),
        _ => ("root-2", "host-1"),
    }
}

/// The example's shell text as it is printed; a crontab line is its command.
fn example(help: &str) -> String {
    let text: Vec<&str> = help
        .split_once("\nExample:\n")
        .map(|(_, text)| text)
        .unwrap_or_default()
        .lines()
        .take_while(|line| !line.is_empty())
        .collect();
    let text = text.join("\n");
    let cron: Vec<&str> = text.split_whitespace().collect();
    if cron.get(1) == Some(&"*") {
        return cron[5..].join(" ");
    }
    text
}

/// The help is wrapped at the terminal's width; a broken line of an example is another command.
#[test]
fn the_example_of_every_help_fits_a_terminal_of_80_columns() {
    for words in every_leaf() {
        let help = help_of(&words);
        let (_, text) = help.split_once("\nExample:\n").unwrap();
        for line in text.lines().take_while(|line| !line.is_empty()) {
            assert!(line.len() <= 80, "amiss {words:?} --help: {line}");
        }
    }
}

#[test]
fn the_example_of_every_help_runs() {
    let scene = Scene::prepare();
    scene.ok(STAGE);
    let mut faults = Vec::new();
    for words in every_leaf() {
        let called = words.join(" ");
        let mut text = example(&help_of(&words));
        assert!(!text.is_empty(), "amiss {called} --help has no example");
        if ELSEWHERE.contains(&called.as_str()) {
            continue;
        }
        for (there, here) in PLACES {
            text = text.replace(there, here);
        }
        let (root, host) = start(&called);
        let output = scene.sh(&format!(
            "rm -rf root host aside record seal.key home
             mkdir -m 700 aside
             mkdir -p home/.config/systemd/user
             cp -a {root} root
             cp -a {host} host
             touch root/.DS_Store
             [ '{called}' = 'ledger quarantine' ] || rm root/.DS_Store
             DIGEST=$(sed 's/.*sha256=\\([0-9a-f]*\\).*/\\1/' request.json)
             {text}"
        ));
        if output.status.code() != Some(0) {
            faults.push(format!("{text}\n{}", both(&output)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
