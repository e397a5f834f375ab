//! HTTPS and ssh as the user configured them, and nobody to ask (page 5.2, point 14).

use std::time::{Duration, Instant};

use crate::origins::http::{Door, HttpOrigin};
use crate::origins::ssh::SshOrigin;
use crate::scene::{Scene, git};

/// The login that the origins here ask for, from a credential helper of the user's.
fn with_a_login(scene: &Scene, server: &HttpOrigin) {
    let helper = scene.home.join("credentials");
    std::fs::write(
        &helper,
        format!("http://me:right-pass@{}\n", server.authority()),
    )
    .unwrap();
    scene.gitconfig(&format!(
        "[credential]\n\thelper = store --file={}\n",
        helper.display()
    ));
}

#[test]
fn an_http_origin_with_the_right_login_of_a_helper_is_pushed_to() {
    let scene = Scene::new();
    let server = HttpOrigin::start(scene.served(), Door::Basic("me:right-pass".into()));
    let one = scene.commit("one", None);
    with_a_login(&scene, &server);
    scene.enqueue_to(&server.url("repo.git"), "main", 1, &one);
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 1, "{answer} {}", scene.note(1));
    assert_eq!(scene.tip("main"), one);
}

/// Whether the push arrived is asked with the login that the push had.
#[test]
fn a_push_whose_answer_was_lost_is_found_with_the_same_login() {
    let scene = Scene::new();
    let door = Door::BasicAndMute("me:right-pass".into());
    let server = HttpOrigin::start(scene.served(), door);
    let one = scene.commit("one", None);
    with_a_login(&scene, &server);
    scene.enqueue_to(&server.url("repo.git"), "main", 1, &one);
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 1, "{answer} {}", scene.note(1));
    assert_eq!(scene.tip("main"), one);
    let asked = |seen: &crate::origins::http::Seen| seen.line.contains("git-upload-pack");
    let sent = |header: &String| header.to_ascii_lowercase().starts_with("authorization: ");
    let last = server.seen().into_iter().rfind(asked).unwrap();
    assert!(last.headers.iter().any(sent), "{last:?}");
}

#[test]
fn f01_a_wrong_login_or_none_is_a_failed_authentication_at_once() {
    for config in [
        "",
        "[credential]\n\thelper = \"!f() { echo username=me; echo password=wrong-pass; }; f\"\n",
    ] {
        let mut scene = Scene::new();
        // Whoever asks a person would hang or be seen here.
        let asked = scene.world.beside("asked");
        let program = scene.world.beside("asker");
        std::fs::write(
            &program,
            format!("#!/bin/sh\ntouch {}\nsleep 300\n", asked.display()),
        )
        .unwrap();
        std::fs::set_permissions(
            &program,
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )
        .unwrap();
        for name in ["GIT_ASKPASS", "SSH_ASKPASS"] {
            scene.env.insert(name.into(), program.display().to_string());
        }
        scene.env.insert("DISPLAY".into(), ":0".into());
        let server = HttpOrigin::start(scene.served(), Door::Basic("me:right-pass".into()));
        let one = scene.commit("one", None);
        scene.gitconfig(&format!(
            "{config}[core]\n\taskPass = {}\n",
            program.display()
        ));
        scene.enqueue_to(&server.url("repo.git"), "main", 1, &one);
        let started = Instant::now();
        let answer = scene.once();
        assert_eq!(answer["pump"]["retrying"], 1, "{answer}");
        assert_eq!(
            scene.last_error(1),
            "ORIGIN_AUTH_FAILED",
            "{}",
            scene.note(1)
        );
        assert!(!asked.exists(), "a person was asked");
        assert!(started.elapsed() < Duration::from_secs(60));
        assert!(!scene.note(1).contains("wrong-pass"));
    }
}

#[test]
fn a_read_only_login_is_a_failed_authentication() {
    let scene = Scene::new();
    let server = HttpOrigin::start(scene.served(), Door::ReadOnly);
    let one = scene.commit("one", None);
    scene.enqueue_to(&server.url("repo.git"), "main", 1, &one);
    scene.once();
    assert_eq!(
        scene.last_error(1),
        "ORIGIN_AUTH_FAILED",
        "{}",
        scene.note(1)
    );
    // What somebody else brought there meanwhile is delivered all the same.
    git(
        &scene.mirror,
        &[
            "push",
            "-q",
            &scene.url(),
            &format!("{one}:refs/heads/main"),
        ],
    );
    scene.make_due(1);
    assert_eq!(scene.once()["pump"]["delivered"], 1);
}

#[test]
fn settings_for_one_address_apply_with_port_path_and_user() {
    let scene = Scene::new();
    let server = HttpOrigin::start(scene.served(), Door::Basic("me:right-pass".into()));
    let one = scene.commit("one", None);
    let right = "!f() { echo password=right-pass; }; f";
    scene.gitconfig(&format!(
        "[credential]\n\thelper = \"!f() {{ echo username=x; echo password=wrong; }}; f\"\n\
         [credential \"http://{0}/repo.git\"]\n\thelper =\n\thelper = \"{right}\"\n\tusername = me\n\
         [credential]\n\tuseHttpPath = true\n",
        server.authority()
    ));
    scene.enqueue_to(&server.url("repo.git"), "main", 1, &one);
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 1, "{answer} {}", scene.note(1));
}

#[test]
fn an_extra_header_and_an_included_file_work_and_show_in_no_arguments() {
    let mut scene = Scene::new();
    let header = "X-Secret: header-value-123";
    let server = HttpOrigin::start(scene.served(), Door::Header(header.into()));
    let one = scene.commit("one", None);
    std::fs::write(
        scene.home.join("more"),
        format!(
            "[http \"http://{}\"]\n\textraHeader = \"{header}\"\n",
            server.authority()
        ),
    )
    .unwrap();
    scene.gitconfig("[include]\n\tpath = more\n");
    let log = watch_arguments(&mut scene);
    scene.enqueue_to(&server.url("repo.git"), "main", 1, &one);
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 1, "{answer} {}", scene.note(1));
    let arguments = std::fs::read_to_string(log).unwrap();
    assert!(
        arguments.contains("push") && !arguments.contains("header-value-123"),
        "{arguments}"
    );
    assert!(!arguments.contains("http.extra"), "{arguments}");
}

#[test]
fn an_instead_of_with_a_password_works_and_shows_in_no_arguments() {
    let mut scene = Scene::new();
    let server = HttpOrigin::start(scene.served(), Door::Basic("me:right-pass".into()));
    let one = scene.commit("one", None);
    scene.gitconfig(&format!(
        "[url \"http://me:right-pass@{}/\"]\n\tinsteadOf = https://forge.invalid/\n",
        server.authority()
    ));
    let log = watch_arguments(&mut scene);
    scene.enqueue_to("https://forge.invalid/repo.git", "main", 1, &one);
    let answer = scene.once();
    assert_eq!(answer["pump"]["delivered"], 1, "{answer} {}", scene.note(1));
    let arguments = std::fs::read_to_string(log).unwrap();
    assert!(
        arguments.contains("remote-http") && !arguments.contains("right-pass"),
        "{arguments}"
    );
}

/// A log of the arguments of every process that Git starts, by way of its own trace in a wrapper
/// that stands before the real one.
fn watch_arguments(scene: &mut Scene) -> std::path::PathBuf {
    let folder = scene.world.beside("bin");
    let log = scene.world.beside("arguments");
    std::fs::create_dir(&folder).unwrap();
    let path = std::env::var("PATH").unwrap();
    let wrapper = folder.join("git");
    let script = format!(
        "#!/bin/sh\nPATH='{path}'\necho \"git $*\" >> {0}\nGIT_TRACE={0} exec git \"$@\"\n",
        log.display()
    );
    std::fs::write(&wrapper, script).unwrap();
    std::fs::set_permissions(
        &wrapper,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    scene
        .env
        .insert("PATH".into(), format!("{}:{path}", folder.display()));
    log
}

#[test]
fn a_broken_configuration_is_named_and_costs_no_attempt() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    scene.enqueue("main", 1, &one);
    scene.gitconfig("[broken");
    let output = scene.run(&["once"]);
    assert_eq!(crate::common::code(&output), "CONFIG_INVALID");
    assert_eq!(
        crate::common::answer(&output)["error"]["hint"],
        "`git config --list --show-origin` shows where it is wrong"
    );
    assert_eq!(scene.state(1), "pending");
}

#[test]
fn a_transport_helper_in_an_instead_of_is_not_used() {
    let scene = Scene::new();
    let one = scene.commit("one", None);
    let mark = scene.world.beside("mark");
    scene.gitconfig(&format!(
        "[url \"ext::touch {}; \"]\n\tinsteadOf = https://forge.invalid/\n[protocol]\n\tallow = always\n",
        mark.display()
    ));
    scene.enqueue_to("https://forge.invalid/repo.git", "main", 1, &one);
    scene.once();
    assert_eq!(scene.state(1), "retrying");
    assert!(!mark.exists());
}

#[test]
fn an_ssh_origin_takes_the_key_and_f01_asks_nobody_for_another() {
    let server = SshOrigin::start();
    crate::common::figures::may_skip(server.is_some(), "no sshd on this machine");
    let Some(server) = server else {
        return;
    };
    for (key, state, error) in [
        ("user", "delivered", ""),
        ("stranger", "retrying", "ORIGIN_AUTH_FAILED"),
        ("locked", "retrying", "ORIGIN_AUTH_FAILED"),
    ] {
        let mut scene = Scene::new();
        scene.env.insert("PATH".into(), server.path_with(key));
        let one = scene.commit("one", None);
        scene.enqueue_to(&server.url(&scene.origin), "main", 1, &one);
        let answer = scene.once();
        assert_eq!(scene.state(1), state, "{key}: {answer} {}", scene.note(1));
        assert_eq!(scene.last_error(1), error, "{key}: {}", scene.note(1));
    }
}

#[test]
fn what_a_killed_pump_left_of_the_users_settings_goes_with_the_next_one_that_has_no_work() {
    let scene = Scene::new();
    scene.world.good(&["enable"]);
    let left = scene.world.root.join("locks/outbox-git-access.config");
    std::fs::write(&left, "[user]\n").unwrap();
    scene.once();
    assert!(!left.exists());
}
