//! Each failure by its class, and what it costs.

use std::time::{Duration, Instant};

use crate::common;
use crate::origins::bad::{BadOrigin, Manner, refusing_url};
use crate::scene::{Scene, commit_in, git};
use crate::world::turn;

#[test]
fn f02_every_refusal_has_its_class_and_never_a_force() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let other = commit_in(&scene.origin, "other", None);
    git(&scene.origin, &["update-ref", "refs/heads/ahead", &other]);
    scene.enqueue("ahead", 1, &one);
    scene.hook(
        "pre-receive",
        "while read o n r; do case $r in *hooked) exit 1;; esac; done",
    );
    scene.enqueue("hooked", 2, &one);
    std::fs::write(scene.origin.join("refs/heads/locked.lock"), "").unwrap();
    scene.enqueue("locked", 3, &one);
    git(
        &scene.mirror,
        &[
            "push",
            "-q",
            &scene.url(),
            &format!("{one}:refs/heads/there"),
        ],
    );
    scene.enqueue("there", 4, &one);
    let answer = scene.once();
    assert_eq!(scene.last_error(1), "NON_FAST_FORWARD", "{answer}");
    assert_eq!(scene.last_error(2), "PUSH_REJECTED");
    assert_eq!(scene.last_error(3), "PUBLISH_FAILED");
    assert_eq!(scene.state(4), "delivered");
    assert_eq!(scene.tip("ahead"), other);
}

#[test]
fn f02_an_origin_that_is_not_there_is_unreachable() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.enqueue_to("file:///nonexistent/repo.git", "main", 1, &one);
    scene.enqueue_to(&refusing_url(), "main", 2, &one);
    let hangs_up = BadOrigin::start(Manner::HangsUp);
    scene.enqueue_to(&hangs_up.url(), "main", 3, &one);
    let half = BadOrigin::start(Manner::HalfCloses);
    scene.enqueue_to(&half.url(), "main", 4, &one);
    let answer = scene.once();
    assert_eq!(answer["pump"]["retrying"], 4, "{answer}");
    for number in 1..=4 {
        assert_eq!(
            scene.last_error(number),
            "ORIGIN_UNREACHABLE",
            "{number}: {}",
            scene.note(number)
        );
    }
}

#[test]
fn f02_an_origin_that_answers_and_will_not_has_the_class_of_its_answer() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let origin = |name: &str, format: &str| {
        let place = scene.world.beside(name);
        crate::world::init(&place, format, "files");
        (format!("file://{}", place.display()), place)
    };
    // A branch where the new one needs a folder.
    let (url, place) = origin("folder.git", "sha1");
    git(
        &scene.mirror,
        &["push", "-q", &url, &format!("{one}:refs/heads/a")],
    );
    scene.enqueue_to(&url, "a/b", 1, &one);
    // The branch that somebody works on.
    let (url, checked_out) = origin("checked-out.git", "sha1");
    git(&checked_out, &["config", "core.bare", "false"]);
    git(&checked_out, &["symbolic-ref", "HEAD", "refs/heads/main"]);
    scene.enqueue_to(&url, "main", 2, &one);
    let (url, hidden) = origin("hidden.git", "sha1");
    git(&hidden, &["config", "receive.hideRefs", "refs/heads/main"]);
    scene.enqueue_to(&url, "main", 3, &one);
    let (url, small) = origin("small.git", "sha1");
    git(&small, &["config", "receive.maxInputSize", "10"]);
    scene.enqueue_to(&url, "main", 4, &one);
    let (url, _) = origin("other-format.git", "sha256");
    scene.enqueue_to(&url, "main", 5, &one);
    let (url, _) = origin("future.git", "sha1");
    let future = scene.world.beside("future.git");
    git(&future, &["config", "core.repositoryformatversion", "99"]);
    scene.enqueue_to(&url, "main", 6, &one);
    let answer = scene.once();
    for (number, error) in [
        (1, "PUBLISH_FAILED"),
        (2, "PUSH_REJECTED"),
        (3, "PUSH_REJECTED"),
        (4, "PUBLISH_FAILED"),
        (5, "PUBLISH_FAILED"),
        (6, "ORIGIN_UNREACHABLE"),
    ] {
        assert_eq!(
            scene.last_error(number),
            error,
            "{number}: {answer} {}",
            scene.note(number)
        );
    }
    assert!(place.join("refs/heads/a").is_file());
}

#[test]
fn a_hanging_origin_ends_at_its_deadline_and_delays_no_other() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let hanging = BadOrigin::start(Manner::Hangs);
    scene.enqueue_to(&hanging.url(), "main", 1, &one);
    scene.enqueue("main", 2, &one);
    let answer = scene.once_with(&["--push-timeout", "1s"]);
    assert_eq!(answer["pump"]["delivered"], 1, "{answer}");
    assert_eq!(scene.last_error(1), "ORIGIN_TIMEOUT");
}

#[test]
fn a_branch_that_always_meets_the_deadline_holds_no_other_back() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.hook(
        "pre-receive",
        "while read o n r; do case $r in *slow) sleep 300;; esac; done",
    );
    scene.enqueue("a-slow", 1, &one);
    scene.enqueue("b", 2, &one);
    scene.once_with(&["--push-timeout", "2s"]);
    assert_eq!(scene.last_error(1), "ORIGIN_TIMEOUT");
    scene.make_due(1);
    if scene.state(2) == "retrying" {
        scene.make_due(2);
    }
    scene.once_with(&["--push-timeout", "5s"]);
    assert_eq!(scene.state(2), "delivered", "{}", scene.note(2));
    assert_eq!(scene.last_error(1), "ORIGIN_TIMEOUT");
}

#[test]
fn a_dead_origin_is_asked_once_for_all_that_is_due_there() {
    let scene = Scene::new();
    let hanging = BadOrigin::start(Manner::Hangs);
    let mut parent: Option<String> = None;
    for number in 1..=5 {
        let oid = scene.commit(&format!("c{number}"), parent.as_deref());
        scene.enqueue_to(&hanging.url(), "main", number, &oid);
        parent = Some(oid);
    }
    let answer = scene.once_with(&["--push-timeout", "1s"]);
    assert_eq!(answer["pump"]["retrying"], 5, "{answer}");
    assert_eq!(hanging.connections(), 2, "one push and one question");
    for number in 1..=5 {
        assert_eq!(scene.last_error(number), "ORIGIN_TIMEOUT");
    }
}

#[test]
fn a_timed_out_push_leaves_no_process_of_its_tree() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let pids = scene.world.beside("pids");
    scene.hook(
        "pre-receive",
        &format!(
            "sleep 300 & echo $! >> {0}; echo $$ >> {0}; wait",
            pids.display()
        ),
    );
    scene.enqueue("main", 1, &one);
    scene.once_with(&["--push-timeout", "1s"]);
    assert_eq!(scene.last_error(1), "ORIGIN_TIMEOUT");
    for pid in std::fs::read_to_string(pids).unwrap().lines() {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit(") ").next().unwrap_or_default().chars().next();
        assert!(
            matches!(state, None | Some('Z')),
            "{pid} still runs: {stat}"
        );
    }
}

#[test]
fn f11_after_the_kth_failure_the_wait_is_the_source_pages_and_twelve_are_the_end() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.hook("pre-receive", "exit 1");
    scene.enqueue("main", 1, &one);
    for push in 1..=12_u32 {
        let before = now();
        let answer = scene.once();
        let intent = scene.intent(1);
        if push == 12 {
            assert_eq!(answer["pump"]["failed"], 1, "{answer}");
            assert_eq!(intent["state"], "failed");
            break;
        }
        assert_eq!(answer["pump"]["retrying"], 1, "{push}: {answer}");
        assert_eq!(intent["attempt"], push + 1);
        let wait = (1000_i64 << (push - 1)).min(300_000);
        let next = intent["next_attempt_at_millis"].as_i64().unwrap();
        let ended = intent["updated_at_millis"].as_i64().unwrap();
        assert_eq!(next - ended, wait, "{push}");
        assert!(ended >= before);
        // The first waits may be over before a busy machine asks again.
        if wait >= 60_000 {
            assert_eq!(scene.once()["pump"]["due"], 0, "not before its time");
        }
        scene.make_due(1);
    }
    assert_eq!(scene.once()["pump"]["due"], 0);
}

#[test]
fn g02_a_delivery_that_failed_for_good_starts_no_push_any_more() {
    let mut scene = Scene::new();
    let one = scene.commit("one", None);
    scene.hook("pre-receive", "exit 1");
    scene.enqueue("main", 1, &one);
    for _ in 0..12 {
        scene.once();
        scene.make_due(1);
    }
    assert_eq!(scene.state(1), "failed");
    let log = scene.log_git();
    for _ in 0..3 {
        let answer = scene.once();
        assert_eq!(answer["pump"]["due"], 0, "{answer}");
    }
    let called = std::fs::read_to_string(log).unwrap_or_default();
    assert!(
        !called.contains(" push ") && !called.contains("ls-remote"),
        "{called}"
    );
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(since.unwrap().as_millis()).unwrap()
}

#[test]
fn fail_on_turns_what_the_origins_did_into_a_status_that_agrees_with_the_json() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.hook("pre-receive", "exit 1");
    scene.enqueue("main", 1, &one);
    let output = scene.run(&["once", "--fail-on", "retrying"]);
    assert_eq!(common::status(&output), 75);
    assert_eq!(common::code(&output), "TASK_BUSY");
    assert_eq!(common::answer(&output)["pump"]["retrying"], 1);
    assert!(common::answer(&output)["error"]["retry_at_unix_millis"].is_i64());
    scene.make_due(1);
    let output = scene.run(&["once", "--fail-on", "failed"]);
    assert_eq!(common::status(&output), 0, "it is only retrying");
    let text = std::fs::read_to_string(scene.world.intent_path("p", "t", &turn(1))).unwrap();
    std::fs::write(
        scene.world.intent_path("p", "t", &turn(1)),
        text.replace("\"attempt\":3", "\"attempt\":12"),
    )
    .unwrap();
    scene.make_due(1);
    let output = scene.run(&["once", "--fail-on", "failed"]);
    assert_eq!(common::status(&output), 69, "{output:?}");
    assert_eq!(common::code(&output), "PUBLISH_FAILED");
}

#[test]
fn f09_classes_do_not_depend_on_the_callers_language() {
    let mut scene = Scene::new();
    for (name, value) in [
        ("LANG", "de_DE.UTF-8"),
        ("LC_ALL", "zh_CN.UTF-8"),
        ("LANGUAGE", "de"),
    ] {
        scene.env.insert(name.into(), value.into());
    }
    let one = scene.commit("one", None);
    let other = commit_in(&scene.origin, "other", None);
    git(&scene.origin, &["update-ref", "refs/heads/ahead", &other]);
    scene.enqueue("ahead", 1, &one);
    scene.enqueue_to("file:///nonexistent/repo.git", "main", 2, &one);
    // The messages of those languages may not be installed here: what Git is told says it.
    let log = scene.log_git();
    scene.once();
    assert_eq!(scene.last_error(1), "NON_FAST_FORWARD");
    assert_eq!(scene.last_error(2), "ORIGIN_UNREACHABLE");
    let told = std::fs::read_to_string(log).unwrap();
    assert!(told.lines().count() > 2, "{told}");
    assert!(told.lines().all(|line| line.starts_with("C||")), "{told}");
}

#[test]
fn f06_another_repositorys_git_variables_have_no_effect() {
    let mut scene = Scene::new();
    let elsewhere = scene.world.beside("elsewhere.git");
    crate::world::init(&elsewhere, "sha1", "files");
    for (name, value) in [
        ("GIT_DIR", elsewhere.to_str().unwrap()),
        ("GIT_INDEX_FILE", "/nonexistent/index"),
        ("GIT_OBJECT_DIRECTORY", "/nonexistent"),
        ("GIT_QUARANTINE_PATH", "/nonexistent"),
        ("GIT_NAMESPACE", "other"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "url.file:///nonexistent/.insteadOf"),
        ("GIT_CONFIG_VALUE_0", "file://"),
        ("GIT_CONFIG_PARAMETERS", "'core.bare=false'"),
        ("GIT_SSH_COMMAND", "false"),
        ("GIT_ASKPASS", "false"),
        ("GIT_TRACE", "/nonexistent/trace"),
    ] {
        scene.env.insert(name.into(), value.into());
    }
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 1, "{answer} {}", scene.note(1));
}

#[test]
fn a_push_that_the_origin_took_before_the_connection_broke_is_delivered() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    // The ref is written, then everything is killed before it is said.
    scene.hook("post-receive", "kill -9 $PPID; sleep 300");
    scene.enqueue("main", 1, &one);
    let answer = scene.once_with(&["--push-timeout", "20s"]);
    assert_eq!(answer["pump"]["delivered"], 1, "{answer} {}", scene.note(1));
    assert_eq!(scene.tip("main"), one);
}

#[test]
fn the_origins_words_are_kept_redacted_beside_the_intent_and_go_when_it_is_delivered() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.hook(
        "pre-receive",
        "echo 'see https://me:hunter22@host/x Authorization: Basic abcdef' >&2; printf '\\033[31m' >&2; exit 1",
    );
    scene.enqueue("main", 1, &one);
    let answer = scene.once();
    let note = scene.note(1);
    assert!(
        note.contains("https://host/x") || note.contains("[redacted]"),
        "{note}"
    );
    assert!(
        !note.contains("hunter22") && !note.contains("abcdef") && !note.contains('\u{1b}'),
        "{note}"
    );
    assert!(note.len() <= 4096);
    assert!(!answer.to_string().contains("host/x"), "never in the DTO");
    scene.no_hook("pre-receive");
    scene.make_due(1);
    scene.once();
    assert_eq!(scene.note(1), "");
}

#[test]
fn eight_slow_origins_are_pushed_side_by_side() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let gate = scene.world.beside("gate");
    std::fs::create_dir(&gate).unwrap();
    // Each hook waits until all eight are there: one after the other would never end.
    for number in 1..=8_u64 {
        let origin = scene.world.beside(&format!("origins/o{number}.git"));
        crate::world::init(&origin, "sha1", "files");
        let script = format!(
            "#!/bin/sh\ntouch {0}/{number}\ni=0\nwhile [ $(ls {0} | wc -l) -lt 8 ] && [ $i -lt 600 ]; do sleep 0.05; i=$((i+1)); done\n[ $(ls {0} | wc -l) -eq 8 ]\n",
            gate.display()
        );
        let hook = origin.join("hooks/pre-receive");
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::write(&hook, script).unwrap();
        std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        scene.enqueue_to(
            &format!("file://{}", origin.display()),
            "main",
            number,
            &one,
        );
    }
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 8, "{answer}");
}

#[test]
fn a_missing_mirror_costs_only_its_own_delivery() {
    let scene = Scene::new();
    let gone = scene.world.mirror("gone");
    let lost = commit_in(&gone, "lost", None);
    let push = serde_json::json!({"project": "gone", "task": "x", "turn": turn(9),
        "origin": scene.url(), "branch": "lost", "oid": lost});
    assert!(scene.world.enqueue(&push).status.success());
    std::fs::remove_dir_all(&gone).unwrap();
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 1, "{answer}");
    assert_eq!(answer["pump"]["retrying"], 1, "{answer}");
}

#[test]
fn a_second_pump_is_refused_while_one_works() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let (begun, go) = (scene.world.beside("begun"), scene.world.beside("go"));
    scene.hook(
        "pre-receive",
        &format!(
            "touch {}; while [ ! -e {} ]; do sleep 0.05; done",
            begun.display(),
            go.display()
        ),
    );
    scene.enqueue("main", 1, &one);
    let mut command = scene.command(&["once"]);
    let first = std::thread::spawn(move || command.output().unwrap());
    let deadline = Instant::now() + Duration::from_secs(30);
    while !begun.exists() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = scene.run(&["once"]);
    assert_eq!(common::status(&output), 75);
    assert_eq!(common::code(&output), "OUTBOX_BUSY");
    std::fs::write(go, "").unwrap();
    assert!(first.join().unwrap().status.success());
    assert_eq!(scene.state(1), "delivered");
}

/// A delivery whose ledger says that it is there already, and one that has to be pushed.
fn known_and_fresh(scene: &Scene) {
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    scene.once();
    scene.enqueue("main", 2, &one);
    scene.enqueue("other", 3, &one);
}

#[test]
fn an_origin_that_is_gone_when_it_is_asked_fails_everything_that_is_due_there() {
    let scene = Scene::new();
    known_and_fresh(&scene);
    std::fs::rename(&scene.origin, scene.world.beside("gone")).unwrap();
    scene.once();
    for number in [2, 3] {
        assert_eq!(scene.state(number), "retrying", "{number}");
        assert_eq!(scene.last_error(number), "ORIGIN_UNREACHABLE", "{number}");
        assert_eq!(scene.intent(number)["attempt"], 2, "{number}");
    }
}

#[test]
fn an_answer_that_cannot_be_read_fails_what_rests_on_it_and_nothing_else() {
    let mut scene = Scene::new();
    known_and_fresh(&scene);
    scene.git_after("case \"$*\" in *ls-remote*) echo no answer; exit 0;; esac");
    let answer = scene.once();
    assert_eq!(answer["pump"]["due"], 2, "{answer}");
    assert_eq!(scene.state(2), "retrying");
    assert_eq!(scene.last_error(2), "PUBLISH_FAILED");
    assert_eq!(scene.state(3), "delivered");
}

#[test]
fn a_tip_that_became_this_very_commit_after_the_question_is_no_other_commit() {
    let mut scene = Scene::new();
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    scene.once();
    scene.enqueue("main", 2, &one);
    let before = "d".repeat(40);
    scene.git_after(&format!(
        "case \"$*\" in *ls-remote*) printf '{before}\\trefs/heads/main\\n'; exit 0;; esac"
    ));
    scene.once();
    assert_eq!(scene.state(2), "delivered");
    assert_eq!(scene.intent(2)["superseded_by"], serde_json::Value::Null);
}

#[test]
fn a_pin_that_goes_while_its_push_fails_is_made_again() {
    let mut scene = Scene::new();
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    scene.hook("pre-receive", "exit 1");
    let pin = format!("refs/mac-worker/delivery/t/{}", turn(1));
    let mirror = scene.mirror.display().to_string();
    scene.git_after(&format!(
        "case \"$*\" in *' push '*) git -C '{mirror}' update-ref -d {pin};; esac"
    ));
    scene.once();
    assert_eq!(scene.state(1), "retrying");
    assert_eq!(crate::world::pinned(&scene.mirror, "t", &turn(1)), one);
}
