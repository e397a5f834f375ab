use super::*;

const SECONDS: Duration = Duration::from_secs(20);

fn git(place: &Place) -> Git {
    Git::new(place, SECONDS, &Cancel::new())
}

fn repository() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    git(&Place::Nowhere)
        .output(&[
            OsStr::new("init"),
            OsStr::new("--quiet"),
            directory.path().as_os_str(),
        ])
        .unwrap();
    directory
}

#[test]
fn a_repository_is_the_named_directory_and_never_one_around_it() {
    let outer = repository();
    let inner = outer.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let ask = ["rev-parse", "--git-dir"];
    assert!(
        git(&Place::Repository(outer.path().into()))
            .output(&ask)
            .is_ok()
    );
    assert!(git(&Place::Around(inner.clone())).output(&ask).is_ok());
    let error = git(&Place::Repository(inner)).output(&ask).unwrap_err();
    assert!(
        matches!(&error, GitError::Failed { status: 128, message, .. } if message.contains("not a git repository")),
        "{error}"
    );
}

#[test]
fn hooks_of_the_repository_do_not_run() {
    use std::os::unix::fs::PermissionsExt;
    let directory = repository();
    let mark = directory.path().join("mark");
    let hook = directory.path().join(".git/hooks/reference-transaction");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let git = git(&Place::Repository(directory.path().into()))
        .env("GIT_AUTHOR_NAME", "a")
        .env("GIT_AUTHOR_EMAIL", "a@example.test")
        .env("GIT_COMMITTER_NAME", "a")
        .env("GIT_COMMITTER_EMAIL", "a@example.test");
    git.output(&["commit", "--allow-empty", "--quiet", "-m", "one"])
        .unwrap();
    assert!(!mark.exists());
}

#[test]
fn output_over_its_bound_is_an_error() {
    let error = git(&Place::Nowhere)
        .stdout_bytes(3)
        .output(&["version"])
        .unwrap_err();
    assert!(
        matches!(error, GitError::TooLarge { limit: 3, .. }),
        "{error}"
    );
}
