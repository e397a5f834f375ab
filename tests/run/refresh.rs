//! `amiss refresh` on a local repository (page 4.2).

use serde_json::{Value, json};

use crate::common;
use crate::scene::Scene;

/// Refreshes an envelope with `refs/heads/main` and the given candidate ref.
fn refresh(scene: &Scene, candidate: &str, envelope: &Value) -> std::process::Output {
    let path = scene.repository.path.to_str().unwrap();
    let arguments = [
        "refresh",
        "--repository",
        path,
        "--target",
        "refs/heads/main",
        "--candidate",
        candidate,
    ];
    common::run(&arguments, envelope.to_string())
}

fn answered(scene: &Scene, candidate: &str, envelope: &Value) -> Value {
    let output = refresh(scene, candidate, envelope);
    assert_eq!(common::status(&output), 0, "{output:?}");
    common::answer(&output)
}

/// The envelope as it is after a run.
fn ran(scene: &Scene) -> Value {
    let mut envelope = answered(scene, "refs/heads/topic", &scene.envelope());
    envelope["outcome"] = json!({"result": "unavailable", "detail": "x"});
    envelope
}

#[test]
fn a_run_states_refs_commits_and_trees_in_both_object_formats() {
    for format in ["sha1", "sha256"] {
        let scene = Scene::of(format);
        let answer = answered(&scene, "refs/heads/topic", &scene.envelope());
        let repository = &scene.repository;
        assert_eq!(
            answer["run"],
            json!({
                "state": "active",
                "gate_commit": scene.base,
                "refs": {
                    "forge": "gitea", "candidate": "refs/heads/topic",
                    "target": "refs/heads/main", "default_branch": "refs/heads/main"
                },
                "commits": {"base": scene.base, "candidate": scene.candidate},
                "trees": {
                    "base": repository.tree(&scene.base),
                    "candidate": repository.tree(&scene.candidate)
                }
            })
        );
        assert_eq!(answer["mine"], json!({"kept": 1.50}));
    }
}

#[test]
fn the_candidate_is_the_deliverys_commit_and_never_a_refs_present_head() {
    let scene = Scene::new();
    scene.repository.git(&["checkout", "--quiet", "topic"]);
    scene.repository.commit("later.txt", "later");
    let answer = answered(&scene, "refs/heads/topic", &scene.envelope());
    assert_eq!(answer["run"]["state"], "active");
    assert_eq!(
        answer["run"]["commits"]["candidate"],
        json!(scene.candidate)
    );
}

#[test]
fn a_candidate_that_its_ref_no_longer_reaches_is_superseded() {
    let scene = Scene::new();
    scene
        .repository
        .git(&["branch", "--force", "topic", &scene.base]);
    let answer = answered(&scene, "refs/heads/topic", &scene.envelope());
    assert_eq!(answer["run"]["state"], "superseded");
}

#[test]
fn a_pull_ref_stands_for_a_branch_of_its_name() {
    let scene = Scene::new();
    scene
        .repository
        .git(&["update-ref", "refs/pull/7/head", &scene.candidate]);
    let answer = answered(&scene, "refs/pull/7/head", &scene.envelope());
    assert_eq!(answer["run"]["refs"]["candidate"], "refs/heads/pull/7/head");
}

#[test]
fn a_missing_target_ref_or_commit_is_not_found_with_the_fetch_to_run() {
    let scene = Scene::new();
    let path = scene.repository.path.to_str().unwrap().to_owned();
    let missing = refresh(&scene, "refs/heads/nothing", &scene.envelope());
    assert_eq!(common::status(&missing), 66);
    assert_eq!(
        common::answer(&missing)["error"]["hint"],
        format!("git -C {path} fetch origin +refs/heads/nothing:refs/heads/nothing")
    );
    let mut envelope = scene.envelope();
    let absent = "1".repeat(40);
    envelope["delivery"]["provider_run"]["candidate_commit"] = json!(absent);
    let missing = refresh(&scene, "refs/heads/topic", &envelope);
    assert_eq!(common::status(&missing), 66);
    assert_eq!(
        common::answer(&missing)["error"]["hint"],
        format!("git -C {path} fetch origin {absent}")
    );
    scene.repository.git(&["checkout", "--quiet", "topic"]);
    scene.repository.git(&["branch", "-D", "main"]);
    let missing = refresh(&scene, "refs/heads/topic", &scene.envelope());
    assert_eq!(common::code(&missing), "NOT_FOUND");
}

#[test]
fn no_repository_is_not_found_and_a_directory_inside_one_is_none() {
    let scene = Scene::new();
    let inner = scene.repository.path.join("inner");
    std::fs::create_dir(&inner).unwrap();
    for path in [inner.to_str().unwrap(), "/nonexistent/repository"] {
        let arguments = [
            "refresh",
            "--repository",
            path,
            "--target",
            "refs/heads/main",
            "--candidate",
            "refs/heads/topic",
        ];
        let output = common::run(&arguments, scene.envelope().to_string());
        assert_eq!(common::code(&output), "NOT_FOUND", "{output:?}");
        assert!(common::answer(&output)["run"].is_null());
    }
}

#[test]
fn the_recheck_comes_when_an_outcome_is_there() {
    let scene = Scene::new();
    let before = ran(&scene);
    let answer = answered(&scene, "refs/heads/topic", &before);
    assert_eq!(answer["recheck"], before["run"]);
    assert_eq!(answer["run"], before["run"]);
}

#[test]
fn a_moved_target_moves_gate_and_base_of_the_recheck() {
    let scene = Scene::new();
    let before = ran(&scene);
    let moved = scene.repository.commit("more.txt", "more");
    let answer = answered(&scene, "refs/heads/topic", &before);
    assert_eq!(answer["recheck"]["gate_commit"], json!(moved));
    assert_eq!(answer["recheck"]["commits"]["base"], json!(moved));
    assert_eq!(answer["recheck"]["state"], "active");
}

#[test]
fn a_ref_that_is_gone_at_the_recheck_is_closed_with_base_and_trees_as_in_the_run() {
    let scene = Scene::new();
    let before = ran(&scene);
    scene.repository.commit("more.txt", "more");
    scene.repository.git(&["branch", "-D", "topic"]);
    let answer = answered(&scene, "refs/heads/topic", &before);
    let mut expected = before["run"].clone();
    expected["state"] = json!("closed");
    assert_eq!(answer["recheck"], expected);
}

#[test]
fn a_candidate_that_was_cleaned_away_since_the_run_is_superseded() {
    let scene = Scene::new();
    let before = ran(&scene);
    scene
        .repository
        .git(&["branch", "--force", "topic", &scene.base]);
    scene
        .repository
        .git(&["reflog", "expire", "--expire=now", "--all"]);
    scene.repository.git(&["gc", "--quiet", "--prune=now"]);
    let answer = answered(&scene, "refs/heads/topic", &before);
    assert_eq!(answer["recheck"]["state"], "superseded");
    assert_eq!(answer["recheck"]["trees"], before["run"]["trees"]);
}

#[test]
fn an_envelope_without_a_lease_passes_through() {
    let scene = Scene::new();
    let envelope = json!({"schema": "amiss/envelope/v1", "claim": {"result": "duplicate"}});
    let answer = answered(&scene, "refs/heads/topic", &envelope);
    assert_eq!(answer, envelope);
}

#[test]
fn a_lease_without_a_delivery_and_a_recheck_without_a_run_are_incomplete() {
    let scene = Scene::new();
    let mut envelope = scene.envelope();
    envelope.as_object_mut().unwrap().remove("delivery");
    let output = refresh(&scene, "refs/heads/topic", &envelope);
    assert_eq!(common::code(&output), "INPUT_INCOMPLETE");
    let mut envelope = scene.envelope();
    envelope["outcome"] = json!({"result": "not-run"});
    let output = refresh(&scene, "refs/heads/topic", &envelope);
    assert_eq!(common::code(&output), "INPUT_INCOMPLETE");
}

#[test]
fn a_namespace_that_names_no_forge_needs_one_given() {
    let scene = Scene::new();
    let mut envelope = scene.envelope();
    for member in ["identity", "change"] {
        envelope["delivery"][member]["provider"]["namespace"] = json!("mine");
    }
    let output = refresh(&scene, "refs/heads/topic", &envelope);
    assert_eq!(common::code(&output), "INPUT_INCOMPLETE");
    for (namespace, forge) in [
        ("forgejo", "gitea"),
        ("github", "github"),
        ("gitlab", "gitlab"),
    ] {
        for member in ["identity", "change"] {
            envelope["delivery"][member]["provider"]["namespace"] = json!(namespace);
        }
        let answer = answered(&scene, "refs/heads/topic", &envelope);
        assert_eq!(answer["run"]["refs"]["forge"], forge);
    }
}

#[test]
fn a_shallow_clone_that_cannot_tell_is_unavailable_and_never_superseded() {
    let scene = Scene::new();
    scene.repository.git(&["checkout", "--quiet", "topic"]);
    let tip = scene.repository.commit("later.txt", "later");
    // As after `fetch --depth 1`: the tip's parents are cut off.
    std::fs::write(
        scene.repository.path.join(".git/shallow"),
        format!("{tip}\n"),
    )
    .unwrap();
    let output = refresh(&scene, "refs/heads/topic", &scene.envelope());
    assert_eq!(common::status(&output), 69, "{output:?}");
    assert_eq!(common::code(&output), "PROVIDER_UNAVAILABLE");
}

#[test]
fn a_short_name_or_a_revision_is_the_parsers_own_error() {
    for bad in [
        "main",
        "refs/heads/main^",
        "refs/heads/*",
        "--upload-pack=touch",
    ] {
        let target = format!("--target={bad}");
        let arguments = [
            "refresh",
            "--repository",
            ".",
            &target,
            "--candidate",
            "refs/heads/topic",
        ];
        assert_eq!(common::status(&common::run(&arguments, "{}")), 2, "{bad}");
    }
}
