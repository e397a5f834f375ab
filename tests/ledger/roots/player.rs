//! Plays a scenario on a copy of its root with the real binary.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::PathBuf;

use amiss::delivery::digest::Digest;
use amiss::delivery::{CheckBinding, Lease, ProviderRun, RunIdentity};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::after::{compare, payload, tree};
use super::descriptor::Descriptor;
use crate::common::run;
use crate::scene::{path, sha256};

/// What one command answered.
pub struct Played {
    pub answer: Value,
    pub status: i32,
    pub code: String,
}

pub struct Player<'a> {
    descriptor: &'a Descriptor,
    place: TempDir,
    before: BTreeMap<String, Vec<u8>>,
    /// The leases that each session got for each key in this scenario.
    leases: HashMap<(String, String), Value>,
    /// Sample evaluation ids of the descriptor and the ones that we drew.
    drawn: Vec<(String, String)>,
}

impl<'a> Player<'a> {
    pub fn new(descriptor: &'a Descriptor) -> Player<'a> {
        let place = tempfile::tempdir().unwrap();
        descriptor.unpack(place.path());
        Player {
            descriptor,
            place,
            before: descriptor.files(),
            leases: HashMap::new(),
            drawn: Vec::new(),
        }
    }

    fn root(&self) -> PathBuf {
        self.place.path().join("root")
    }

    pub fn content(&self) -> Vec<(String, Vec<u8>)> {
        tree(&self.root()).into_iter().collect()
    }

    /// Plays all steps and gives every difference.
    pub fn play(&mut self, scenario: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        for (index, step) in scenario["steps"].as_array().unwrap().iter().enumerate() {
            if step["op"] == "session" {
                continue;
            }
            let played = self.run(step);
            let wanted = self.ours(&step["answer"]);
            if self.may_refuse_earlier(step, &played) {
                continue;
            }
            faults.extend(
                judge(step, &wanted, &played)
                    .into_iter()
                    .map(|fault| format!("step {index} ({}): {fault}", step["op"])),
            );
        }
        let now = tree(&self.root());
        faults.extend(compare(&self.before, &now, &scenario["after"], &|value| {
            self.ours(value)
        }));
        faults
    }

    /// What may differ without harm: our commands read the metadata first (a claim of a saved or
    /// done row does not look at it there), and say `ROOT_NOT_PREPARED` of v0.9 metadata (3b.9);
    /// an evaluation id that no claim could use is refused at opening already.
    fn may_refuse_earlier(&self, step: &Value, played: &Played) -> bool {
        let metadata = fs::read(self.root().join(".amiss-root.state"))
            .ok()
            .and_then(|bytes| payload(&bytes));
        let legacy = metadata
            .as_ref()
            .is_some_and(|root| root["schema"] == "amiss/controller-file-root-v1");
        let defect = self.descriptor.own["name"].as_str().unwrap();
        let unusable = defect.starts_with("metadata-");
        let opening = matches!(step["op"].as_str(), Some("open" | "cleanup"));
        match played.code.as_str() {
            "ROOT_NOT_PREPARED" => legacy || metadata.is_none(),
            "ROOT_CORRUPT" | "ROOT_CONFIGURATION" if !opening => unusable,
            "ROOT_CORRUPT" => defect == "row-evaluation-id-too-long",
            _ => false,
        }
    }

    /// Puts our evaluation ids in the place of the sample's.
    fn ours(&self, value: &Value) -> Value {
        let text = self
            .drawn
            .iter()
            .fold(value.to_string(), |text, (sample, ours)| {
                text.replace(sample, ours)
            });
        serde_json::from_str(&text).unwrap()
    }

    /// Runs the command of a step.
    pub fn run(&mut self, step: &Value) -> Played {
        let op = step["op"].as_str().unwrap();
        let step = &self.ours(step);
        match op {
            "open" => self.open(step),
            "cleanup" => self.command(step, &["cleanup"], ""),
            "claim" => self.claim(step),
            "renew" => self.renew(step),
            "stage" => self.stage(step),
            "complete" => self.complete(step),
            other => panic!("unknown step {other}"),
        }
    }

    fn command(&self, step: &Value, arguments: &[&str], input: &str) -> Played {
        // A clock that cannot be trusted is one that reads a time before 1970.
        let now = step["now"].as_i64().unwrap_or(-1).to_string();
        let root = self.root();
        let expected = self.expected(arguments[0]);
        let mut all = vec!["ledger"];
        all.extend_from_slice(arguments);
        all.extend_from_slice(&["--root", path(&root), "--now-unix-millis", &now]);
        all.extend(expected.iter().map(String::as_str));
        let output = run(&all, input);
        let answer: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        let code = answer["error"]["code"].as_str().unwrap_or_default();
        Played {
            status: output.status.code().unwrap(),
            code: code.to_owned(),
            answer,
        }
    }

    /// A session of the writer knows the limits that it was opened with.
    fn expected(&self, command: &str) -> Vec<String> {
        if command == "init" {
            return Vec::new();
        }
        let config = self.descriptor.config();
        [
            ("--expect-lease-ms", "lease_millis"),
            ("--expect-max-records", "max_records"),
            ("--expect-max-signed-age-ms", "max_signed_age_millis"),
            ("--expect-max-queue-age-ms", "max_queue_age_millis"),
        ]
        .iter()
        .flat_map(|(flag, name)| [(*flag).to_owned(), config[*name].to_string()])
        .collect()
    }

    fn open(&self, step: &Value) -> Played {
        let config = if step["config"].is_object() {
            &step["config"]
        } else {
            self.descriptor.config()
        };
        let number = |name: &str| config[name].to_string();
        self.command(
            step,
            &[
                "init",
                "--lease-ms",
                &number("lease_millis"),
                "--max-records",
                &number("max_records"),
                "--max-signed-age-ms",
                &number("max_signed_age_millis"),
                "--max-queue-age-ms",
                &number("max_queue_age_millis"),
            ],
            "",
        )
    }

    fn envelope(&self, step: &Value) -> (String, Value) {
        let delivery = self.descriptor.delivery(step["delivery"].as_str().unwrap());
        let key = delivery["key"].as_str().unwrap().to_owned();
        let envelope = json!({"schema": "amiss/envelope/v1", "delivery": delivery["delivery"]});
        (key, envelope)
    }

    /// The lease that a session holds of a row: got in this scenario, or from the files.
    fn held(&self, step: &Value, key: &str) -> Option<Value> {
        let session = step["session"].as_str().unwrap();
        if let Some(lease) = self.leases.get(&(session.to_owned(), key.to_owned())) {
            return Some(lease.clone());
        }
        let owner = self.descriptor.owner(session)?;
        let bytes = fs::read(self.root().join(format!("{key}.state"))).ok()?;
        let row = payload(&bytes)?;
        let state = &row["state"];
        let bytes: Vec<u8> = serde_json::from_value(state["owner"].clone()).ok()?;
        if amiss::delivery::digest::hex(&bytes) != owner {
            return None;
        }
        Some(json!({
            "evaluation_id": row["evaluation_id"],
            "check": row["check"],
            "fence": state["fence"],
            "owner": owner,
            "expires_at_unix_millis": state["expires_at_unix_millis"],
        }))
    }

    fn claim(&mut self, step: &Value) -> Played {
        let (key, mut envelope) = self.envelope(step);
        let lease = self.held(step, &key);
        // What no lease may say cannot be carried.
        if let Some(lease) =
            lease.filter(|lease| serde_json::from_value::<Lease>(lease.clone()).is_ok())
        {
            envelope["lease"] = lease;
        }
        let check = self.place.path().join("check.json");
        let delivery = self.descriptor.delivery(step["delivery"].as_str().unwrap());
        fs::write(&check, delivery["check"].to_string()).unwrap();
        let played = self.command(
            step,
            &["claim", "--check", path(&check)],
            &envelope.to_string(),
        );
        let lease = &played.answer["lease"];
        if lease.is_object() {
            let session = step["session"].as_str().unwrap().to_owned();
            self.leases.insert((session, key), lease.clone());
            let sample = &step["answer"]["lease"]["evaluation_id"];
            if let (Some(sample), Some(ours)) = (sample.as_str(), lease["evaluation_id"].as_str())
                && sample != ours
                && sample.len() == ours.len()
                && sample[..70] == ours[..70]
            {
                self.drawn.push((sample.to_owned(), ours.to_owned()));
            }
        }
        played
    }

    /// The lease of a step with the owner that its session is.
    fn lease(&self, step: &Value, key: &str) -> Value {
        let session = step["session"].as_str().unwrap();
        let known = self.leases.get(&(session.to_owned(), key.to_owned()));
        let owner = known
            .map(|lease| lease["owner"].clone())
            .or_else(|| self.descriptor.owner(session).map(Value::from))
            .unwrap_or_else(|| json!("0123456789abcdef0123456789abcdef"));
        let mut lease = step["lease"].clone();
        lease["owner"] = owner;
        lease
    }

    fn renew(&mut self, step: &Value) -> Played {
        let (key, mut envelope) = self.envelope(step);
        envelope["lease"] = self.lease(step, &key);
        let played = self.command(step, &["renew"], &envelope.to_string());
        if played.status == 0 {
            let session = step["session"].as_str().unwrap().to_owned();
            self.leases
                .insert((session, key), played.answer["lease"].clone());
        }
        played
    }

    fn stage(&mut self, step: &Value) -> Played {
        let (key, mut envelope) = self.envelope(step);
        let publication = &step["publication"];
        let mut lease = self.lease(step, &key);
        // The command takes the check from the lease.
        lease["check"] = publication["check"].clone();
        envelope["lease"] = lease;
        let facts = |state: &str| {
            json!({
                "state": state,
                "gate_commit": publication["gate_commit"],
                "refs": publication["run"]["refs"],
                "commits": publication["run"]["commits"],
                "trees": publication["run"]["trees"],
            })
        };
        let conclusion = publication["conclusion"]["conclusion"].as_str().unwrap();
        let failure = publication["conclusion"]["failure"].as_str();
        let state = match (conclusion, failure) {
            ("superseded", _) => "superseded",
            (_, Some(state @ ("closed" | "authorization-revoked"))) => state,
            _ => "active",
        };
        envelope["run"] = facts("active");
        envelope["recheck"] = facts(state);
        envelope["outcome"] = match (conclusion, failure) {
            ("pass" | "block", _) => {
                let file = self.place.path().join("report");
                let report = unhex(publication["report_hex"].as_str().unwrap_or_default());
                fs::write(&file, &report).unwrap();
                json!({"result": "complete", "evaluation": conclusion, "report":
                    {"path": path(&file), "sha256": sha256(&report), "bytes": report.len()}})
            }
            (_, Some("timeout")) => json!({"result": "timed-out", "detail": ""}),
            (_, Some("closed" | "authorization-revoked") | None) => {
                json!({"result": "unavailable", "detail": ""})
            }
            (_, Some(word)) => json!({"result": word, "detail": ""}),
        };
        self.command(step, &["stage"], &envelope.to_string())
    }

    fn complete(&mut self, step: &Value) -> Played {
        let (_, mut envelope) = self.envelope(step);
        envelope["staged"] = staged(&step["staged"]);
        self.command(step, &["complete"], &envelope.to_string())
    }
}

/// Every difference between the answer and ours.
fn judge(step: &Value, wanted: &Value, played: &Played) -> Vec<String> {
    if let Some(error) = wanted["error"].as_str() {
        return refused(error, played).into_iter().collect();
    }
    let result = wanted["result"].as_str().unwrap();
    let answer = &played.answer;
    let found = match (step["op"].as_str().unwrap(), played.code.as_str()) {
        ("claim", _) => answer["claim"]["result"].as_str().unwrap_or_default(),
        ("open", "") => "ok",
        ("cleanup", "") => "cleaned",
        ("renew", "") => "renewed",
        ("stage", "") => "staged",
        ("complete", "") => "completed",
        // Page 4.4: a result for another candidate is refused before the record is asked.
        (_, "LOST") | ("stage", "INPUT_MALFORMED") => "lost",
        (_, code) => code,
    };
    if found != result {
        return vec![format!("{found} instead of {result}: {answer}")];
    }
    let mut faults = Vec::new();
    let mut same = |what: &str, wanted: &Value, found: &Value| {
        if !wanted.is_null() && wanted != found {
            faults.push(format!("{what}: {found} instead of {wanted}"));
        }
    };
    for member in ["evaluation_id", "fence", "expires_at_unix_millis", "check"] {
        same(member, &wanted["lease"][member], &answer["lease"][member]);
    }
    same(
        "evaluation_id",
        &wanted["evaluation_id"],
        &answer["claim"]["evaluation_id"],
    );
    same(
        "retry_at_unix_millis",
        &wanted["retry_at_unix_millis"],
        &answer["error"]["retry_at_unix_millis"],
    );
    for member in ["removed_records", "removed_reports", "removed_temporary"] {
        same(
            member,
            &wanted["cleanup"][member],
            &answer["cleanup"][member],
        );
    }
    if wanted["staged"].is_object() {
        faults.extend(same_staged(&wanted["staged"], &answer["staged"]));
    }
    faults
}

fn refused(error: &str, played: &Played) -> Option<String> {
    let codes: &[&str] = match error {
        // An earlier refusal, where ours reads a file that the other did not look at.
        "corrupt" => &["ROOT_CORRUPT"],
        "configuration" => &["ROOT_CONFIGURATION"],
        "full" => &["FULL"],
        "expired" => &["EXPIRED"],
        "clock" => &["CLOCK"],
        "report-too-large" => &["REPORT_TOO_LARGE"],
        "io" => &["ROOT_NOT_PREPARED", "ROOT_CORRUPT", "IO"],
        other => panic!("unknown error {other}"),
    };
    (!codes.contains(&played.code.as_str()))
        .then(|| format!("{} instead of {error}: {}", played.code, played.answer))
}

/// A saved value as an envelope carries it. Its digest is computed here, from the page's formula.
fn staged(given: &Value) -> Value {
    let publication = &given["publication"];
    let conclusion = &publication["conclusion"];
    let report = publication["report_hex"].as_str().map(unhex);
    let gate = match &publication["gate_commit"] {
        Value::Null => publication["provider_run"]["candidate_commit"].clone(),
        gate => gate.clone(),
    };
    json!({
        "evaluation_id": given["evaluation_id"],
        "fence": given["fence"],
        "digest": digest(given, &gate, report.as_deref()),
        "publication": {
            "provider_run": publication["provider_run"],
            "check": publication["check"],
            "run": publication["run"],
            "gate_commit": gate,
            "conclusion": conclusion["conclusion"],
            "failure": conclusion["failure"],
        },
        "report": report.map(|report| json!({
            "path": "/nowhere",
            "sha256": sha256(&report),
            "bytes": report.len(),
        })),
    })
}

fn digest(given: &Value, gate: &Value, report: Option<&[u8]>) -> String {
    let publication = &given["publication"];
    let run = again::<ProviderRun>(&publication["provider_run"]);
    let check = again::<CheckBinding>(&publication["check"]);
    let identity = again::<RunIdentity>(&publication["run"]);
    let conclusion = &publication["conclusion"];
    let conclusion = match &conclusion["failure"] {
        Value::Null => format!(r#"{{"conclusion":{}}}"#, conclusion["conclusion"]),
        failure => format!(r#"{{"conclusion":"unavailable","failure":{failure}}}"#),
    };
    let report = match report {
        None => r#"{"report":"absent"}"#.to_owned(),
        Some(bytes) => format!(
            r#"{{"report":"blob","reference":{{"digest":"{}","length":{}}}}}"#,
            Digest::of("amiss/controller-report-blob-v1", bytes),
            bytes.len()
        ),
    };
    let value = format!(
        r#"{{"evaluation_id":{id},"fence":{fence},"publication":{{"provider_run":{run},"evaluation_id":{id},"check":{check},"run":{identity},"gate_commit":{gate},"conclusion":{conclusion},"report":{report}}}}}"#,
        id = given["evaluation_id"],
        fence = given["fence"],
    );
    Digest::of("amiss/controller-staged-publication-v2", value.as_bytes()).to_string()
}

/// A value in the member order of its type.
fn again<T: serde::de::DeserializeOwned + serde::Serialize>(value: &Value) -> String {
    let typed: T = serde_json::from_value(value.clone()).unwrap();
    serde_json::to_string(&typed).unwrap()
}

fn same_staged(wanted: &Value, found: &Value) -> Vec<String> {
    let mut wanted_value = staged(wanted);
    let mut found_value = found.clone();
    let mut faults = Vec::new();
    if let Some(report) = wanted["publication"]["report_hex"].as_str() {
        let file = found["report"]["path"].as_str().unwrap_or_default();
        if fs::read(file).unwrap_or_default() != unhex(report) {
            faults.push(format!("{file} does not hold the report"));
        }
        wanted_value["report"]["path"] = Value::Null;
        found_value["report"]["path"] = Value::Null;
    }
    if wanted_value != found_value {
        faults.push(format!("staged {found_value} instead of {wanted_value}"));
    }
    faults
}

fn unhex(text: &str) -> Vec<u8> {
    amiss::delivery::digest::unhex(text).unwrap()
}
