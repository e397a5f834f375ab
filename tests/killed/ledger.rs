//! Every command of the ledger.

use std::path::Path;

use amiss::clock::FixedClock;
use amiss::delivery::{AcceptedDelivery, Lease};
use amiss::ledger::file::{ClockPolicy, FileLedger, Options, Root};
use amiss::ledger::{Claim, DeliveryLedger, ReportInput, Saved, StageOutcome};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::case::{Case, kept_file};
use super::oracle::{DAMAGE, in_old_spelling, look};
use super::play::{Mark, ledger, limits, scratch};
use super::scene::{LEASE, NOW, check, check_value, delivery, delivery_value, facts, publication};
use super::states::{Tree, private};

pub const CAP: u64 = 4;

/// A root that is being filled for a case.
pub struct Scene {
    folder: TempDir,
    deliveries: Vec<AcceptedDelivery>,
}

impl Scene {
    pub fn empty() -> Scene {
        let folder = scratch();
        std::fs::create_dir(folder.path().join("root")).unwrap();
        private(&folder.path().join("root"));
        Scene {
            folder,
            deliveries: Vec::new(),
        }
    }

    pub fn new() -> Scene {
        let scene = Scene::empty();
        let root = Root::open(&scene.root(), Options::default()).unwrap();
        root.init(&limits(CAP), &FixedClock(NOW), ClockPolicy::Guard)
            .unwrap();
        scene
    }

    pub fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("root")
    }

    pub fn at(&self, now: i64) -> FileLedger<FixedClock> {
        ledger(&self.root(), now)
    }

    pub fn claimed(&mut self, id: &str, end: Option<i64>) -> (AcceptedDelivery, Lease) {
        let delivery = delivery(id, end);
        self.deliveries.push(delivery.clone());
        match self.at(NOW).claim(&delivery, &check(), None).unwrap() {
            Claim::Execute(lease) => (delivery, lease),
            other => panic!("{other:?}"),
        }
    }

    pub fn saved(&mut self, id: &str, end: Option<i64>) -> (AcceptedDelivery, Saved) {
        let (delivery, lease) = self.claimed(id, end);
        let report = b"the report";
        let input = ReportInput {
            expected: facts(report),
            source: &mut report.as_slice(),
        };
        let publication = publication("pass", None);
        match self
            .at(NOW)
            .stage(&delivery, &lease, &publication, Some(input))
            .unwrap()
        {
            StageOutcome::Staged(saved) => (delivery, *saved),
            other => panic!("{other:?}"),
        }
    }

    pub fn done(&mut self, id: &str, end: Option<i64>) -> AcceptedDelivery {
        let (delivery, saved) = self.saved(id, end);
        self.at(NOW).complete(&delivery, &saved).unwrap();
        delivery
    }

    /// The case of `amiss ledger …` on the root as it is, at a time.
    fn case(
        self,
        name: &'static str,
        now: i64,
        arguments: &[&str],
        input: &Value,
        again: &'static [i32],
    ) -> Case {
        let mut all: Vec<String> = vec!["ledger".into()];
        all.extend(arguments.iter().map(|word| (*word).to_owned()));
        all.extend(["--root".into(), "ROOT".into()]);
        let timeless = ["complete", "quarantine", "resize", "retune"];
        if !timeless.contains(&arguments[0]) {
            all.extend(["--now-unix-millis".into(), now.to_string()]);
        }
        let mut deliveries = self.deliveries.clone();
        deliveries.push(delivery("new", None));
        Case {
            name,
            base: Tree::of(&self.root()),
            before: Mark {
                label: "the setting".into(),
                seen: look(&self.root()).unwrap(),
                now,
                limits: limits(CAP),
                offline: false,
            },
            offline: false,
            limits: limits(CAP),
            arguments: all,
            input: input.to_string(),
            deliveries,
            again,
        }
    }
}

pub fn check_file(folder: &Path) -> String {
    kept_file(folder, "check.json", check_value().to_string().as_bytes())
}

pub fn envelope(id: &str, end: Option<i64>, members: &Value) -> Value {
    let mut envelope = json!({"schema": "amiss/envelope/v1", "delivery": delivery_value(id, end)});
    for (name, value) in members.as_object().unwrap() {
        envelope[name] = value.clone();
    }
    envelope
}

pub const INIT: [&str; 9] = [
    "init",
    "--lease-ms",
    "120000",
    "--max-records",
    "4",
    "--max-signed-age-ms",
    "300000",
    "--max-queue-age-ms",
    "60000",
];

#[test]
fn a_first_init_is_stopped_at_every_call() {
    let mut case = Scene::empty().case("init", NOW, &INIT, &Value::Null, &[0]);
    case.offline = true;
    case.hold();
}

#[test]
fn an_init_over_what_crashes_left_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    let end = NOW + 10;
    scene.done("ended", Some(end));
    let done = scene.done("done", None);
    scene.saved("saved", None);
    let dead = format!("{}.report", done.key());
    std::fs::write(scene.root().join(dead), "dead").unwrap();
    for (name, file) in [
        (".atomicwriteaaaaaa", None),
        (".atomicwritebbbbbb", Some("")),
    ] {
        let folder = scene.root().join(name);
        std::fs::create_dir(&folder).unwrap();
        if let Some(content) = file {
            std::fs::write(folder.join("tmpfile.tmp"), content).unwrap();
        }
    }
    scene
        .case("init over debris", end + 1, &INIT, &Value::Null, &[0])
        .hold();
}

#[test]
fn a_claim_of_a_new_delivery_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    scene.saved("saved", None);
    let check = check_file(scene.folder.path());
    let input = envelope("new", None, &json!({}));
    let keep = scratch();
    let check = kept_file(keep.path(), "check.json", &std::fs::read(check).unwrap());
    // Given again after its row was written, it is busy: the reply is lost, the lease is not known.
    scene
        .case(
            "claim, new",
            NOW + 1,
            &["claim", "--check", &check],
            &input,
            &[0, 75],
        )
        .hold();
}

#[test]
fn a_reclaim_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    scene.claimed("one", None);
    let keep = scratch();
    let check = check_file(keep.path());
    let input = envelope("one", None, &json!({}));
    scene
        .case(
            "claim, reclaimed",
            NOW + LEASE,
            &["claim", "--check", &check],
            &input,
            &[0, 75],
        )
        .hold();
}

#[test]
fn a_claim_of_a_done_delivery_with_a_dead_report_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    let done = scene.done("one", None);
    let dead = format!("{}.report", done.key());
    std::fs::write(scene.root().join(dead), "dead").unwrap();
    let keep = scratch();
    let check = check_file(keep.path());
    let input = envelope("one", None, &json!({}));
    scene
        .case(
            "claim, duplicate",
            NOW + 1,
            &["claim", "--check", &check],
            &input,
            &[0],
        )
        .hold();
}

#[test]
fn a_claim_past_its_end_is_stopped_at_every_call() {
    let scene = Scene::new();
    let keep = scratch();
    let check = check_file(keep.path());
    let input = envelope("late", Some(NOW + 5), &json!({}));
    scene
        .case(
            "claim, expired",
            NOW + 6,
            &["claim", "--check", &check],
            &input,
            &[77],
        )
        .hold();
}

#[test]
fn a_renewal_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    let (_, lease) = scene.claimed("one", None);
    let input = envelope("one", None, &json!({"lease": lease}));
    scene
        .case("renew", NOW + 1, &["renew"], &input, &[0])
        .hold();
}

#[test]
fn a_lost_renewal_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    let (_, lease) = scene.claimed("one", None);
    let input = envelope("one", None, &json!({"lease": lease}));
    scene
        .case("renew, lost", NOW + LEASE, &["renew"], &input, &[76])
        .hold();
}

pub fn facts_of_a_run() -> Value {
    json!({
        "state": "active",
        "gate_commit": "a".repeat(40),
        "refs": {"forge": "gitea", "candidate": "refs/heads/topic",
            "target": "refs/heads/main", "default_branch": "refs/heads/main"},
        "commits": {"base": "a".repeat(40), "candidate": "b".repeat(40)},
        "trees": {"base": "c".repeat(40), "candidate": "d".repeat(40)},
    })
}

#[test]
fn a_stage_with_a_report_over_a_dead_one_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    let (one, lease) = scene.claimed("one", None);
    let dead = format!("{}.report", one.key());
    std::fs::write(scene.root().join(dead), "dead").unwrap();
    let keep = scratch();
    let report = vec![b'r'; 200_000];
    let path = kept_file(keep.path(), "report.json", &report);
    let outcome = json!({"result": "complete", "evaluation": "pass", "report": {
        "path": path, "sha256": facts(&report).sha256, "bytes": report.len()}});
    let input = envelope(
        "one",
        None,
        &json!({"lease": lease, "outcome": outcome,
        "run": facts_of_a_run(), "recheck": facts_of_a_run()}),
    );
    scene
        .case("stage with a report", NOW + 1, &["stage"], &input, &[0])
        .hold();
}

#[test]
fn a_stage_without_a_report_over_a_dead_one_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    let (one, lease) = scene.claimed("one", None);
    let dead = format!("{}.report", one.key());
    std::fs::write(scene.root().join(dead), "dead").unwrap();
    let outcome = json!({"result": "timed-out", "detail": "it took too long"});
    let input = envelope(
        "one",
        None,
        &json!({"lease": lease, "outcome": outcome,
        "run": facts_of_a_run(), "recheck": facts_of_a_run()}),
    );
    scene
        .case("stage without a report", NOW + 1, &["stage"], &input, &[0])
        .hold();
}

#[test]
fn a_completion_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    let (one, saved) = scene.saved("one", None);
    let staged = scene.at(NOW).staged(one.key(), saved);
    let input = envelope("one", None, &json!({"staged": staged}));
    scene
        .case("complete", NOW + 1, &["complete"], &input, &[0])
        .hold();
}

#[test]
fn a_cleanup_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    let end = NOW + 10;
    scene.done("ended-1", Some(end));
    scene.done("ended-2", Some(end));
    scene.saved("saved", Some(end));
    scene.claimed("running", Some(end));
    let folder = scene.root().join(".atomicwritecccccc");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("tmpfile.tmp"), "half a fra").unwrap();
    scene
        .case("cleanup", end + 1, &["cleanup"], &Value::Null, &[0])
        .hold();
}

#[test]
fn an_abandonment_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    let (one, _) = scene.claimed("one", None);
    let key = one.key().to_string();
    let words = ["abandon", "--key", &key, "--reason", "nobody"];
    scene
        .case("abandon", NOW + LEASE, &words, &Value::Null, &[0])
        .hold();
}

#[test]
fn an_abandonment_of_a_saved_row_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    let (one, _) = scene.saved("one", None);
    let key = one.key().to_string();
    let words = ["abandon", "--key", &key, "--reason", "nobody", "--staged"];
    scene
        .case("abandon --staged", NOW + LEASE, &words, &Value::Null, &[0])
        .hold();
}

#[test]
fn a_quarantine_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    scene.saved("whole", None);
    let (damaged, _) = scene.claimed("damaged", None);
    scene.deliveries.pop();
    let name = format!("{}.state", damaged.key());
    std::fs::write(scene.root().join(&name), DAMAGE).unwrap();
    let words = ["quarantine", &name, "--to", "BESIDE/moved"];
    // Given again after it was done, there is nothing of that name.
    scene
        .case("quarantine", NOW, &words, &Value::Null, &[0, 66])
        .hold();
}

#[test]
fn a_resize_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    scene.saved("saved", None);
    scene.claimed("running", None);
    let mut case = scene.case(
        "resize",
        NOW,
        &["resize", "--max-records", "9"],
        &Value::Null,
        // Stopped half-way, the root asks for `init` first.
        &[0, 78],
    );
    case.offline = true;
    case.limits = limits(9);
    case.hold();
}

#[test]
fn a_retune_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    scene.saved("saved", None);
    let words = [
        "retune",
        "--lease-ms",
        "1000",
        "--max-queue-age-ms",
        "70000",
    ];
    let mut case = scene.case("retune", NOW, &words, &Value::Null, &[0]);
    case.limits.lease_millis = 1000;
    case.limits.max_queue_age_millis = 70_000;
    case.hold();
}

#[test]
fn an_upgrade_is_stopped_at_every_call() {
    let mut scene = Scene::new();
    scene.saved("saved", None);
    scene.claimed("running", None);
    let frame = scene.root().join(".amiss-root.state");
    let old = in_old_spelling(&std::fs::read(&frame).unwrap());
    std::fs::write(frame, old).unwrap();
    std::fs::remove_file(scene.root().join(".amiss-capacity.state")).unwrap();
    let mut case = scene.case("upgrade", NOW + 1, &INIT, &Value::Null, &[0]);
    case.offline = true;
    case.hold();
}

/// The cases whose order of syncs is looked at from outside, with the names that each gives and
/// the syncs that it makes.
fn ordered() -> Vec<(Case, usize, usize)> {
    let keep = scratch().keep();
    let check = check_file(&keep);
    let claim = ["claim", "--check", check.as_str()];
    let new = Scene::new().case(
        "claim",
        NOW + 1,
        &claim,
        &envelope("new", None, &json!({})),
        &[],
    );
    let mut running = Scene::new();
    let (_, lease) = running.claimed("one", None);
    let renewed = envelope("one", None, &json!({"lease": lease}));
    let renew = running.case("renew", NOW + 1, &["renew"], &renewed, &[]);
    let mut running = Scene::new();
    let (_, lease) = running.claimed("one", None);
    let report = kept_file(&keep, "report", b"r");
    let outcome = json!({"result": "complete", "evaluation": "pass", "report": {
        "path": report, "sha256": facts(b"r").sha256, "bytes": 1}});
    let ready = envelope(
        "one",
        None,
        &json!({"lease": lease, "outcome": outcome,
        "run": facts_of_a_run(), "recheck": facts_of_a_run()}),
    );
    let stage = running.case("stage", NOW + 1, &["stage"], &ready, &[]);
    let mut saved = Scene::new();
    let (one, value) = saved.saved("one", None);
    let staged = saved.at(NOW).staged(one.key(), value);
    let done = envelope("one", None, &json!({"staged": staged}));
    let complete = saved.case("complete", NOW + 1, &["complete"], &done, &[]);
    let mut lost = Scene::new();
    lost.claimed("one", None);
    let reclaim = lost.case(
        "reclaim",
        NOW + LEASE,
        &claim,
        &envelope("one", None, &json!({})),
        &[],
    );
    let init = Scene::empty().case("init", NOW, &INIT, &Value::Null, &[]);
    vec![
        (new, 3, 5),
        (renew, 1, 2),
        (stage, 2, 4),
        (complete, 1, 2),
        (reclaim, 2, 3),
        (init, 3, 6),
    ]
}

#[test]
fn c05_every_new_name_has_its_file_synced_before_its_directory_after_and_then_the_reply() {
    if !super::strace::is_there() {
        return;
    }
    for (case, names, syncs) in ordered() {
        assert_eq!(case.check_order(), (names, syncs), "{}", case.name);
    }
}
