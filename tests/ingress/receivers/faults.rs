//! What the scripts of `docs/receivers.md` do when a program that they call is killed, is missing, or
//! cannot reach the forge: a delivery stays until it is done, or cannot be done.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Gates, page};

const AMISS: &str = env!("CARGO_BIN_EXE_amiss");

impl Gates {
    /// One gate, of GitHub. Its lease is short, so that a killed worker's delivery is soon free again.
    fn faulty() -> Gates {
        let gates = Gates::of(&[]);
        let setup = gates.here(&page("setup.sh"));
        let short = setup.replace("--lease-ms 120000", "--lease-ms 4000");
        assert_ne!(setup, short);
        std::fs::write(gates.path("setup.sh"), short).unwrap();
        gates.fill("github");
        gates
    }

    /// A program that the scripts find before the real one.
    fn shim(&self, name: &str, script: &str) {
        let path = self.path("shims").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).unwrap();
    }

    fn no_shims(&self) {
        self.sh("rm -f shims/*");
    }

    /// A delivery of this pull request in the spool, as `receive.sh` leaves it.
    fn spool(&self, number: u32) {
        self.sh(&format!(
            "git -C made/repository update-ref refs/pull/{number}/head refs/heads/topic
             sed 's/\"number\": 7/\"number\": {number}/' made/pull-request.json |
                 {AMISS} ingress-sign --route github/route.json |
                 {AMISS} ingress-verify --route github/route.json --root github/root \
                     --seal-key github/seal.key > github/spool/{number}.json"
        ));
    }

    /// One request to `receive.sh`, or what stands before it, and its status.
    fn receive(&self, script: &str, action: &str) -> (i32, String) {
        let mut request = self.signed("github");
        if action != "opened" {
            self.sh(&format!(
                "sed 's/opened/{action}/' made/pull-request.json |
                     {AMISS} ingress-sign --route github/route.json > other.json"
            ));
            request =
                serde_json::from_slice(&std::fs::read(self.path("other.json")).unwrap()).unwrap();
        }
        std::fs::write(self.path("body"), request["body"].as_str().unwrap()).unwrap();
        let mut command = Command::new(self.path("github").join(script));
        command
            .env("GATE", self.path("github"))
            .env("BODY", self.path("body"));
        for header in request["headers"].as_array().unwrap() {
            let name = header[0].as_str().unwrap().to_uppercase().replace('-', "_");
            let name = match name.as_str() {
                "CONTENT_TYPE" => name,
                _ => format!("HTTP_{name}"),
            };
            command.env(name, header[1].as_str().unwrap());
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code().unwrap(), said)
    }

    /// How many files of this name's ending are in a folder of the gate.
    fn count(&self, folder: &str) -> usize {
        std::fs::read_dir(self.path("github").join(folder))
            .unwrap()
            .filter(|entry| {
                let name = entry.as_ref().unwrap().file_name();
                !name.to_string_lossy().starts_with('.')
            })
            .count()
    }

    fn last_answer(&self) -> Value {
        let answers = std::fs::read_to_string(self.path("github/answers.json")).unwrap();
        serde_json::from_str(answers.lines().last().unwrap()).unwrap()
    }

    fn work(&self) {
        self.sh("cd github && ./worker.sh");
    }

    /// Rounds of the worker until nothing is left; whatever was killed before, all of it completes.
    fn work_to_the_end(&self) {
        let deadline = Instant::now() + Duration::from_secs(120);
        while self.count("spool") != 0 {
            assert!(Instant::now() < deadline, "{}", self.last_answer());
            self.work();
            assert_eq!(self.count("failed"), 0, "{}", self.last_answer());
        }
    }
}

#[test]
fn a_receiver_keeps_a_delivery_that_a_killed_jq_could_not_tell_and_drops_what_is_ignored() {
    let gates = Gates::faulty();
    assert_eq!(gates.receive("receive.sh", "labeled").0, 0);
    assert_eq!(gates.count("spool"), 0);
    gates.shim("jq", "kill -KILL $$");
    assert_eq!(gates.receive("receive.sh", "opened").0, 0);
    assert_eq!(gates.count("spool"), 1);
    // What is ignored is kept too, and makes no work.
    assert_eq!(gates.receive("receive.sh", "labeled").0, 0);
    assert_eq!(gates.count("spool"), 2);
    gates.no_shims();
    gates.work_to_the_end();
    assert!(gates.path("github/published.json").exists());
}

#[test]
fn a_forge_is_told_of_an_error_when_its_delivery_could_not_be_saved() {
    let gates = Gates::faulty();
    for broken in ["sync", "mv", "mktemp"] {
        gates.shim(broken, "exit 1");
        assert_eq!(gates.receive("receive.sh", "opened").0, 74, "{broken}");
        let (_, said) = gates.receive("receive.cgi", "opened");
        assert!(said.starts_with("Status: 500 "), "{broken}: {said}");
        assert_eq!(gates.count("spool"), 0, "{broken}");
        gates.no_shims();
    }
    gates.shim("amiss", "kill -KILL $$");
    let (_, said) = gates.receive("receive.cgi", "opened");
    assert!(said.starts_with("Status: 500 "), "{said}");
    gates.no_shims();
    let (_, said) = gates.receive("receive.cgi", "opened");
    assert!(said.starts_with("Status: 202 "), "{said}");
    assert_eq!(gates.count("spool"), 1);
}

#[test]
fn a_forge_that_is_away_before_or_after_the_run_makes_no_verdict_and_keeps_the_delivery() {
    let gates = Gates::faulty();
    let (there, away) = (gates.path("made/repository"), gates.path("made/away"));
    gates.spool(11);
    std::fs::rename(&there, &away).unwrap();
    gates.work();
    assert_eq!(gates.last_answer()["error"]["code"], "PROVIDER_UNAVAILABLE");
    std::fs::rename(&away, &there).unwrap();
    gates.work_to_the_end();

    std::fs::remove_file(gates.path("github/published.json")).unwrap();
    gates.spool(12);
    gates.shim(
        "amiss",
        &format!(
            "[ \"$1\" = run-bootstrap ] || exec {AMISS} \"$@\"
             {AMISS} \"$@\"
             mv {} {}",
            there.display(),
            away.display()
        ),
    );
    gates.work();
    assert_eq!(gates.last_answer()["error"]["code"], "PROVIDER_UNAVAILABLE");
    assert_eq!((gates.count("spool"), gates.count("failed")), (1, 0));
    assert!(!gates.path("github/published.json").exists());
    gates.no_shims();
    std::fs::rename(&away, &there).unwrap();
    gates.work_to_the_end();
    assert!(gates.path("github/published.json").exists());
}

#[test]
fn a_candidate_that_the_forge_deleted_is_given_up_before_the_run_and_closed_after_it() {
    let gates = Gates::faulty();
    gates.spool(11);
    gates.sh("git -C made/repository update-ref -d refs/pull/11/head");
    gates.work();
    assert_eq!(gates.last_answer()["error"]["code"], "NOT_FOUND");
    assert_eq!((gates.count("spool"), gates.count("failed")), (0, 1));

    gates.spool(12);
    gates.shim(
        "amiss",
        &format!(
            "[ \"$1\" = run-bootstrap ] || exec {AMISS} \"$@\"
             {AMISS} \"$@\"
             git -C {} update-ref -d refs/pull/12/head",
            gates.path("made/repository").display()
        ),
    );
    gates.work();
    assert_eq!(gates.last_answer()["recheck"]["state"], "closed");
    assert_eq!((gates.count("spool"), gates.count("failed")), (0, 1));
}

#[test]
fn a_delivery_completes_whichever_step_of_its_flow_is_killed_or_missing() {
    let gates = Gates::faulty();
    gates.sh("mkdir held");
    let steps = [
        "claim",
        "refresh",
        "run-bootstrap",
        "stage",
        "publish",
        "complete",
    ];
    let mut number = 10;
    for end in ["kill -KILL $$", "exit 127"] {
        for step in steps {
            number += 1;
            gates.shim(
                "amiss",
                &format!("case \"$1 $2 \" in *\"{step} \"*) {end} ;; esac\nexec {AMISS} \"$@\""),
            );
            gates.spool(number);
            gates.work();
            let place = format!("{step}, {end}: {}", gates.last_answer());
            assert!(
                gates.path(&format!("github/spool/{number}.json")).exists(),
                "{place}"
            );
            assert_eq!(gates.count("failed"), 0, "{place}");
            gates.sh("mv github/spool/* held/");
        }
        number += 1;
        gates.no_shims();
        gates.shim("jq", end);
        gates.spool(number);
        gates.work();
        gates.no_shims();
        assert_eq!(gates.count("failed"), 0, "jq, {end}");
    }
    gates.sh("mv held/* github/spool/");
    gates.work_to_the_end();
    assert_eq!(gates.last_answer()["completion"]["result"], "completed");
}

#[test]
fn the_daily_cleaning_takes_old_leftovers_and_leaves_what_is_waiting() {
    let gates = Gates::faulty();
    gates.spool(11);
    gates.sh("cd github
         touch -d '8 days ago' scratch/old spool/.new.old spool/11.json
         touch scratch/new spool/.new.new
         echo word > flow.log
         ./clean.sh
         [ ! -e scratch/old ]
         [ ! -e spool/.new.old ]
         [ -e scratch/new ]
         [ -e spool/.new.new ]
         [ ! -e flow.log ]
         [ -s flow.log.old ]
         rm spool/.new.new");
    assert_eq!(gates.count("spool"), 1);
    gates.work_to_the_end();
}
