//! What arrives, and what ledger and origin prove.

use crate::origins::http::{Door, HttpOrigin};
use crate::scene::{Scene, commit_in, git};

#[test]
fn g02_once_with_nothing_due_is_0_and_asks_neither_git_nor_the_users_configuration() {
    let mut scene = Scene::new();
    scene.gitconfig("[broken");
    let log = scene.log_git();
    let answer = scene.once();
    assert!(!log.exists(), "{:?}", std::fs::read_to_string(log));
    assert_eq!(
        answer["pump"],
        serde_json::json!({"due":0,"delivered":0,"superseded":0,"retrying":0,"failed":0,"skipped":0})
    );
    assert_eq!(answer["deliveries"], serde_json::json!([]));
}

#[test]
fn a_push_arrives_and_is_written_down() {
    let scene = Scene::new();
    let oid = scene.commit("one", None);
    scene.enqueue("main", 1, &oid);
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 1, "{answer}");
    assert_eq!(answer["deliveries"][0]["state"], "delivered");
    assert_eq!(scene.tip("main"), oid);
    let ledgers = scene.ledgers();
    assert_eq!(ledgers.len(), 1);
    assert_eq!(ledgers[0]["last_oid"], oid.as_str());
    assert_eq!(ledgers[0]["generation"], 1);
    assert!(!scene.world.due_path("t", &crate::world::turn(1)).exists());
    assert!(
        !scene
            .world
            .root
            .join("locks/outbox-git-access.config")
            .exists(),
        "nothing of the user's configuration stays"
    );
}

#[test]
fn every_object_format_and_ref_storage_is_pushed() {
    for (objects, refs) in [
        ("sha1", "reftable"),
        ("sha256", "files"),
        ("sha256", "reftable"),
    ] {
        let scene = Scene::of(objects, refs);
        let oid = scene.commit("one", None);
        scene.enqueue("main", 1, &oid);
        let answer = scene.once();
        assert_eq!(answer["pump"]["delivered"], 1, "{objects} {refs}: {answer}");
        assert_eq!(scene.tip("main"), oid);
    }
}

#[test]
fn several_branches_go_in_one_push_and_are_judged_ref_by_ref() {
    let scene = Scene::new();
    let log = scene.world.beside("pushes");
    scene.hook("pre-receive", &format!("echo push >> {}", log.display()));
    scene.hook("update", "case $1 in *bad*) exit 1;; esac");
    let oid = scene.commit("one", None);
    for (number, branch) in ["a", "bad", "c"].iter().enumerate() {
        scene.enqueue(branch, number as u64 + 1, &oid);
    }
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 2, "{answer}");
    assert_eq!(answer["pump"]["retrying"], 1);
    assert_eq!(scene.last_error(2), "PUSH_REJECTED");
    // One push of three, and the refused one once more by itself.
    assert_eq!(std::fs::read_to_string(log).unwrap().lines().count(), 2);
    assert_eq!(scene.intent(2)["attempt"], 2, "that is one attempt");
}

#[test]
fn a_hook_that_refuses_one_branch_costs_the_others_nothing() {
    let scene = Scene::new();
    // All or nothing, as a pre-receive hook is.
    scene.hook(
        "pre-receive",
        "while read old new ref; do case $ref in *bad) exit 1;; esac; done",
    );
    let oid = scene.commit("one", None);
    for (number, branch) in ["a", "bad", "c"].iter().enumerate() {
        scene.enqueue(branch, number as u64 + 1, &oid);
    }
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 2, "{answer}");
    assert_eq!(scene.tip("a"), oid);
    assert_eq!(scene.tip("c"), oid);
    assert_eq!(scene.last_error(2), "PUSH_REJECTED");
}

#[test]
fn two_turns_of_one_branch_go_older_first_and_rewind_nothing() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let two = scene.commit("two", Some(&one));
    scene.enqueue("main", 1, &one);
    scene.enqueue("main", 2, &two);
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 2, "{answer}");
    assert_eq!(scene.tip("main"), two);
    assert_eq!(scene.ledgers()[0]["last_oid"], two.as_str());
    assert_eq!(scene.ledgers()[0]["generation"], 2);
}

#[test]
fn an_older_turn_after_a_newer_one_is_superseded_with_proof_and_never_pushed() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let two = scene.commit("two", Some(&one));
    scene.enqueue("main", 2, &two);
    scene.once();
    scene.hook("pre-receive", "exit 1");
    scene.enqueue("main", 1, &one);
    let answer = scene.once();
    assert_eq!(answer["pump"]["superseded"], 1, "{answer}");
    assert_eq!(scene.intent(1)["superseded_by"], two.as_str());
    assert_eq!(scene.state(1), "delivered");
    assert_eq!(scene.tip("main"), two);
    assert_eq!(scene.ledgers()[0]["generation"], 1);
}

#[test]
fn a_branch_deleted_reset_or_replaced_at_the_origin_is_pushed_again_whatever_the_ledger_says() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let two = scene.commit("two", Some(&one));
    scene.enqueue("main", 1, &two);
    scene.once();

    git(&scene.origin, &["update-ref", "-d", "refs/heads/main"]);
    scene.enqueue("main", 2, &two);
    assert_eq!(scene.once()["pump"]["delivered"], 1);
    assert_eq!(scene.tip("main"), two, "deleted");

    git(&scene.origin, &["update-ref", "refs/heads/main", &one]);
    scene.enqueue("main", 3, &two);
    assert_eq!(scene.once()["pump"]["delivered"], 1);
    assert_eq!(scene.tip("main"), two, "reset");

    // The ledger would call this one superseded; the origin does not have its successor any more.
    git(&scene.origin, &["update-ref", "-d", "refs/heads/main"]);
    scene.enqueue("main", 4, &one);
    assert_eq!(scene.once()["pump"]["delivered"], 1);
    assert_eq!(scene.tip("main"), one, "deleted before an older one");

    let other = commit_in(&scene.origin, "other", None);
    git(&scene.origin, &["update-ref", "refs/heads/main", &other]);
    scene.enqueue("main", 5, &two);
    let answer = scene.once();
    assert_eq!(answer["pump"]["retrying"], 1, "{answer}");
    assert_eq!(scene.last_error(5), "NON_FAST_FORWARD");
    assert_eq!(scene.tip("main"), other, "replaced, and nothing is forced");
}

#[test]
fn a_tip_that_is_not_known_here_is_fetched_and_proves_what_it_contains() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    scene.once();
    let theirs = commit_in(&scene.origin, "theirs", Some(&one));
    git(&scene.origin, &["update-ref", "refs/heads/main", &theirs]);
    // Ours again, for a branch that went on without us.
    scene.enqueue("main", 2, &one);
    let answer = scene.once();
    assert_eq!(answer["pump"]["superseded"], 1, "{answer}");
    assert_eq!(scene.intent(2)["superseded_by"], theirs.as_str());
    let refs = git(&scene.mirror, &["for-each-ref", "--format=%(refname)"]);
    assert!(!refs.contains("probe"), "{refs}");

    // A sibling of theirs is contained in nothing there.
    let ours = scene.commit("ours", Some(&one));
    scene.enqueue("main", 3, &ours);
    let answer = scene.once();
    assert_eq!(answer["pump"]["retrying"], 1, "{answer}");
    assert_eq!(scene.last_error(3), "NON_FAST_FORWARD");
    assert_eq!(scene.intent(3)["superseded_by"], serde_json::Value::Null);
    assert_eq!(scene.tip("main"), theirs);
}

#[test]
fn a_ledger_that_differs_spares_the_push_while_the_origin_agrees_with_it() {
    let mut scene = Scene::new();
    let one = scene.commit("one", None);
    let apart = scene.commit("apart", None);
    scene.enqueue("main", 1, &one);
    scene.once();
    scene.enqueue("main", 2, &apart);
    let log = scene.log_git();
    let answer = scene.once();
    assert_eq!(answer["pump"]["retrying"], 1, "{answer}");
    assert_eq!(scene.last_error(2), "NON_FAST_FORWARD");
    let calls = std::fs::read_to_string(log).unwrap();
    assert!(calls.contains(" ls-remote "), "{calls}");
    assert!(!calls.contains(" push "), "nothing was pushed: {calls}");
}

#[test]
fn a_push_that_arrived_before_a_crash_is_delivered_once_and_a_lost_ledger_is_finished() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    // Killed after the push, before the result.
    git(
        &scene.mirror,
        &[
            "push",
            "-q",
            &scene.url(),
            &format!("{one}:refs/heads/main"),
        ],
    );
    assert_eq!(scene.once()["pump"]["delivered"], 1);
    // Killed between result and ledger.
    for entry in std::fs::read_dir(scene.world.root.join("locks")).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().contains("outbox-target-") {
            std::fs::remove_file(path).unwrap();
        }
    }
    assert!(scene.ledgers().is_empty());
    scene.once();
    assert_eq!(scene.ledgers()[0]["last_oid"], one.as_str());
}

#[test]
fn one_question_confirms_everything_that_the_ledger_says_of_an_origin() {
    let scene = Scene::new();
    let server = HttpOrigin::start(scene.served(), Door::Open);
    let url = server.url("repo.git");
    let one = scene.commit("one", None);
    let two = scene.commit("two", Some(&one));
    for (number, branch) in [(1, "a"), (2, "b"), (3, "c")] {
        scene.enqueue_to(&url, branch, number, &two);
    }
    assert_eq!(scene.once()["pump"]["delivered"], 3);
    let before = server.seen().len();
    // Delivered before, delivered before, and contained in what was delivered.
    for (number, branch, oid) in [(4, "a", &two), (5, "b", &two), (6, "c", &one)] {
        scene.enqueue_to(&url, branch, number, oid);
    }
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 2, "{answer}");
    assert_eq!(answer["pump"]["superseded"], 1, "{answer}");
    let seen = server.seen();
    let asked: Vec<&str> = seen[before..]
        .iter()
        .map(|request| request.line.as_str())
        .filter(|line| line.contains("/info/refs"))
        .collect();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(
        asked[0].contains("git-upload-pack"),
        "and nothing was pushed: {asked:?}"
    );
}

#[test]
fn containment_is_proved_in_every_object_format_and_ref_storage() {
    for (objects, refs) in [
        ("sha1", "reftable"),
        ("sha256", "files"),
        ("sha256", "reftable"),
    ] {
        let scene = Scene::of(objects, refs);
        let one = scene.commit("one", None);
        scene.enqueue("main", 1, &one);
        scene.once();
        let theirs = commit_in(&scene.origin, "theirs", Some(&one));
        git(&scene.origin, &["update-ref", "refs/heads/main", &theirs]);
        scene.enqueue("main", 2, &one);
        assert_eq!(scene.once()["pump"]["superseded"], 1, "{objects} {refs}");
        assert_eq!(scene.intent(2)["superseded_by"], theirs.as_str());
        let names = git(&scene.mirror, &["for-each-ref", "--format=%(refname)"]);
        assert!(!names.contains("probe"), "{names}");
    }
}

#[test]
fn f07_packed_refs_change_nothing_for_a_pump() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.hook("pre-receive", "exit 1");
    scene.enqueue("main", 1, &one);
    git(&scene.mirror, &["pack-refs", "--all", "--prune"]);
    scene.once();
    git(&scene.mirror, &["gc", "--quiet", "--prune=now"]);
    scene.no_hook("pre-receive");
    scene.make_due(1);
    assert_eq!(scene.once()["pump"]["delivered"], 1);
    assert_eq!(scene.tip("main"), one);
}

#[test]
fn an_intent_without_its_pin_is_pinned_again_before_a_collection_can_take_its_objects() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.hook("pre-receive", "exit 1");
    scene.enqueue("main", 1, &one);
    let pin = format!("refs/mac-worker/delivery/t/{}", crate::world::turn(1));
    git(&scene.mirror, &["update-ref", "-d", &pin]);
    scene.once();
    git(&scene.mirror, &["gc", "--quiet", "--prune=now"]);
    scene.no_hook("pre-receive");
    scene.make_due(1);
    assert_eq!(scene.once()["pump"]["delivered"], 1);
}
