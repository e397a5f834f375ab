//! Every JSON example of the documentation fits the schema that its block names, and every schema is
//! the one that the program prints.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::blocks::{blocks, pages};
use crate::common::scene::{Scene, top};
use crate::common::{answer, assert_current, run, status};
use crate::validator::faults;

fn schemas() -> serde_json::Map<String, Value> {
    let output = run(&["schema"], "");
    assert_eq!(status(&output), 0);
    answer(&output).as_object().unwrap().clone()
}

#[test]
fn the_schemas_under_docs_are_the_ones_that_the_program_prints() {
    let all = schemas();
    for (name, schema) in &all {
        let text = serde_json::to_string_pretty(schema).unwrap() + "\n";
        assert_current(&format!("docs/schema/{name}.json"), &text);
        let alone = run(&["schema", name], "");
        assert_eq!(answer(&alone), *schema, "{name}");
    }
    let made: BTreeSet<String> = all.keys().map(|name| format!("{name}.json")).collect();
    let stand: BTreeSet<String> = std::fs::read_dir(top().join("docs/schema"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(stand, made);
}

#[test]
fn schema_into_a_directory_writes_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(
        &["schema", "--directory", folder.path().to_str().unwrap()],
        "",
    );
    assert_eq!(status(&output), 0);
    let files = answer(&output)["schema"]["files"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(files.len(), schemas().len());
    for file in files {
        let file = file.as_str().unwrap();
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert_current(&format!("docs/schema/{file}"), &text);
    }
}

#[test]
fn every_json_example_fits_the_schema_that_its_block_names() {
    let all = schemas();
    let mut used = BTreeSet::new();
    for page in pages() {
        for block in blocks(&page) {
            if block.language() != "json" {
                continue;
            }
            let place = format!("{}:{}", page.display(), block.line);
            let value: Value = serde_json::from_str(&block.text)
                .unwrap_or_else(|error| panic!("{place}: {error}"));
            if block.value("file").is_some() && value.is_array() {
                // A file of another program's.
                continue;
            }
            let name = block.value("schema").unwrap_or_else(|| implied(&value));
            let schema = all
                .get(name)
                .unwrap_or_else(|| panic!("{place}: no schema {name}"));
            assert_eq!(faults(schema, &value), Vec::<String>::new(), "{place}");
            used.insert(name.to_owned());
        }
    }
    crate::common::figures::tell(&format!(
        "{} of {} schemas have an example",
        used.len(),
        all.len()
    ));
}

/// The schema that a value names or is known by.
fn implied(value: &Value) -> &'static str {
    match value["schema"].as_str() {
        Some("amiss/route/v1") => "route",
        Some("amiss/keyring/v1") => "keyring",
        Some("amiss/plan/v1") => "plan",
        _ if value.get("headers").is_some() => "request",
        _ => "envelope",
    }
}

#[test]
fn what_the_quick_start_makes_fits_the_schemas() {
    let scene = Scene::prepare();
    let envelope = &schemas()["envelope"];
    for (name, schema) in [
        ("route.json", "route"),
        ("hooks.keyring.json", "keyring"),
        ("plan.json", "plan"),
        ("request.json", "request"),
    ] {
        let value: Value = serde_json::from_str(&scene.ok(&format!("cat {name}"))).unwrap();
        assert_eq!(
            faults(&schemas()[schema], &value),
            Vec::<String>::new(),
            "{name}"
        );
    }
    let refs = "--repository repository --target refs/heads/main --candidate refs/heads/topic";
    let steps = [
        "ingress-verify --route route.json --seal-key seal.key".to_owned(),
        "ledger claim --root root --plan plan.json".to_owned(),
        "ledger renew --root root".to_owned(),
        format!("refresh {refs}"),
        "run-bootstrap --root root --plan plan.json --repository repository --action-repository action --scratch scratch".to_owned(),
        format!("refresh {refs}"),
        "ledger stage --root root".to_owned(),
        "publish -- true".to_owned(),
        "ledger complete --root root".to_owned(),
    ];
    scene.ok("cp request.json 0.json");
    for (index, step) in steps.iter().enumerate() {
        let text = scene.ok(&format!(
            "amiss {step} < {index}.json | tee {}.json",
            index + 1
        ));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            faults(envelope, &value),
            Vec::<String>::new(),
            "amiss {step}: {value}"
        );
    }
    for (command, schema) in [
        ("ledger show --root root < 1.json", "ledger-show"),
        ("ledger list --root root --format json", "ledger-list"),
        ("ledger check --root root", "ledger-check"),
        ("ledger stats --root root --format json", "ledger-stats"),
        ("ledger cleanup --root root", "ledger-cleanup"),
        (
            "ledger resize --root root --max-records 200000",
            "ledger-resize",
        ),
        (
            "ledger retune --root root --lease-ms 90000",
            "ledger-retune",
        ),
        ("seal-key new.key", "seal-key"),
        ("run-bootstrap --doctor", "run-doctor"),
        ("explain BUSY", "explain"),
        ("man pages", "man"),
        ("schema --directory schemas", "schema"),
        (
            "ingress-verify --route route.json --explain < request.json",
            "envelope",
        ),
    ] {
        let value: Value = serde_json::from_str(&scene.ok(&format!("amiss {command}"))).unwrap();
        let found = faults(&schemas()[schema], &value);
        assert_eq!(found, Vec::<String>::new(), "amiss {command}: {value}");
    }
}
