//! Objects are decided by their content, never by their name (page 4.3, point 1).

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use amiss::delivery::ObjectId;
use amiss::git::{Objects, ObjectsError};
use amiss::process::Cancel;

use crate::scene::{Repository, Scene};

fn open(repository: &Repository) -> Objects {
    Objects::open(&repository.path, Duration::from_secs(30), &Cancel::new()).unwrap()
}

fn id(text: &str) -> ObjectId {
    ObjectId::new(text).unwrap()
}

fn verify(repository: &Repository, commit: &str, tree: &str) -> Result<(), ObjectsError> {
    open(repository).verify(&id(commit), &id(tree))
}

fn loose(repository: &Repository, object: &str) -> PathBuf {
    let (folder, rest) = object.split_at(2);
    repository.path.join(".git/objects").join(folder).join(rest)
}

/// Puts the content of one loose object under the name of another.
fn swap(repository: &Repository, name: &str, content: &str) {
    let name = loose(repository, name);
    fs::remove_file(&name).unwrap();
    fs::copy(loose(repository, content), name).unwrap();
}

#[test]
fn the_right_commit_and_tree_hold_in_both_formats_loose_and_packed() {
    for format in ["sha1", "sha256"] {
        let scene = Scene::of(format);
        let tree = scene.repository.tree(&scene.candidate);
        verify(&scene.repository, &scene.candidate, &tree).unwrap();
        scene.repository.git(&["gc", "--quiet"]);
        verify(&scene.repository, &scene.candidate, &tree).unwrap();
    }
}

#[test]
fn another_tree_a_tree_for_a_commit_and_a_missing_object_are_told_apart() {
    let scene = Scene::new();
    let repository = &scene.repository;
    let tree = repository.tree(&scene.candidate);
    let other = repository.tree(&scene.base);
    assert!(matches!(
        verify(repository, &scene.candidate, &other),
        Err(ObjectsError::Tree { .. })
    ));
    assert!(matches!(
        verify(repository, &tree, &tree),
        Err(ObjectsError::Kind { .. })
    ));
    assert!(matches!(
        verify(repository, &"1".repeat(40), &tree),
        Err(ObjectsError::Missing { borrows: false, .. })
    ));
    // An id of the other format is in no repository of this one.
    assert!(matches!(
        verify(repository, &"1".repeat(64), &"1".repeat(64)),
        Err(ObjectsError::Missing { .. })
    ));
}

#[test]
fn content_under_a_foreign_name_is_found_by_its_hash() {
    for format in ["sha1", "sha256"] {
        let scene = Scene::of(format);
        let tree = scene.repository.tree(&scene.candidate);
        swap(&scene.repository, &scene.candidate, &scene.base);
        let found = verify(&scene.repository, &scene.candidate, &tree);
        assert!(matches!(found, Err(ObjectsError::Hash { .. })), "{found:?}");

        let scene = Scene::of(format);
        let tree = scene.repository.tree(&scene.candidate);
        swap(
            &scene.repository,
            &tree,
            &scene.repository.tree(&scene.base),
        );
        let found = verify(&scene.repository, &scene.candidate, &tree);
        assert!(matches!(found, Err(ObjectsError::Hash { .. })), "{found:?}");
    }
}

#[test]
fn a_damaged_object_is_no_object() {
    let scene = Scene::new();
    let tree = scene.repository.tree(&scene.candidate);
    let path = loose(&scene.repository, &scene.candidate);
    fs::remove_file(&path).unwrap();
    fs::File::create(&path).unwrap().write_all(b"junk").unwrap();
    let found = verify(&scene.repository, &scene.candidate, &tree).unwrap_err();
    assert!(found.is_wrong_object(), "{found}");
}

#[test]
fn a_replace_ref_changes_nothing() {
    let scene = Scene::new();
    let repository = &scene.repository;
    repository.git(&["replace", &scene.candidate, &scene.base]);
    let tree = repository.git(&[
        "--no-replace-objects",
        "rev-parse",
        &format!("{}^{{tree}}", scene.candidate),
    ]);
    verify(repository, &scene.candidate, &tree).unwrap();
}

#[test]
fn a_graft_makes_nothing_reachable() {
    let scene = Scene::new();
    let repository = &scene.repository;
    fs::create_dir_all(repository.path.join(".git/info")).unwrap();
    fs::write(
        repository.path.join(".git/info/grafts"),
        format!("{} {}\n", scene.base, scene.candidate),
    )
    .unwrap();
    let objects = open(repository);
    assert!(
        !objects
            .is_reachable(&id(&scene.candidate), &id(&scene.base))
            .unwrap()
    );
    assert!(
        objects
            .is_reachable(&id(&scene.base), &id(&scene.candidate))
            .unwrap()
    );
}

#[test]
fn an_object_that_is_only_in_an_alternate_outside_is_not_in_the_repository() {
    let scene = Scene::new();
    let lender = Repository::new(scene.path().join("lender"), "sha1");
    let lent = lender.commit("lent.txt", "lent");
    let tree = lender.tree(&lent);
    let alternates = scene.repository.path.join(".git/objects/info/alternates");
    fs::write(
        &alternates,
        format!("{}\n", lender.path.join(".git/objects").display()),
    )
    .unwrap();
    // Git itself sees it.
    scene.repository.git(&["cat-file", "-e", &lent]);
    let found = verify(&scene.repository, &lent, &tree);
    assert!(
        matches!(found, Err(ObjectsError::Missing { borrows: true, .. })),
        "{found:?}"
    );
    // What is its own still holds.
    let own = scene.repository.tree(&scene.candidate);
    verify(&scene.repository, &scene.candidate, &own).unwrap();
}

#[test]
fn an_alternate_inside_the_repository_is_read() {
    let scene = Scene::new();
    let inner = Repository::new(scene.repository.path.join(".git/inner"), "sha1");
    let lent = inner.commit("lent.txt", "lent");
    let tree = inner.tree(&lent);
    let alternates = scene.repository.path.join(".git/objects/info/alternates");
    fs::write(&alternates, "../inner/.git/objects\n").unwrap();
    verify(&scene.repository, &lent, &tree).unwrap();
}

#[test]
fn hostile_configuration_of_the_repository_runs_nothing() {
    let scene = Scene::new();
    let mark = scene.path().join("mark");
    let touch = format!("touch {}", mark.display());
    for name in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.askPass",
        "core.alternateRefsCommand",
        "uploadpack.packObjectsHook",
        "alias.cat-file",
        "filter.x.smudge",
        "filter.x.clean",
        "credential.helper",
        "diff.external",
    ] {
        scene.repository.git(&["config", name, &touch]);
    }
    scene
        .repository
        .git(&["config", "alias.rev-parse", &format!("!{touch}")]);
    fs::write(scene.repository.path.join(".gitattributes"), "* filter=x\n").unwrap();
    let tree = scene.repository.tree(&scene.candidate);
    let objects = open(&scene.repository);
    objects.verify(&id(&scene.candidate), &id(&tree)).unwrap();
    objects.tip("refs/heads/topic").unwrap().unwrap();
    assert!(!mark.exists());
}

#[test]
fn a_missing_object_of_a_partial_clone_is_not_fetched() {
    let scene = Scene::new();
    let mark = scene.path().join("mark");
    let repository = &scene.repository;
    repository.git(&["config", "extensions.partialClone", "origin"]);
    repository.git(&["config", "remote.origin.promisor", "true"]);
    repository.git(&[
        "config",
        "remote.origin.url",
        &format!("ext::touch {}", mark.display()),
    ]);
    repository.git(&["config", "protocol.ext.allow", "always"]);
    let found = verify(repository, &"1".repeat(40), &"1".repeat(40));
    assert!(
        matches!(found, Err(ObjectsError::Missing { .. })),
        "{found:?}"
    );
    assert!(!mark.exists());
}

#[test]
fn another_repository_in_the_environment_has_no_effect() {
    let scene = Scene::new();
    let other = Scene::new();
    let path = scene.repository.path.to_str().unwrap();
    let mut command = crate::common::amiss(&[
        "refresh",
        "--repository",
        path,
        "--target",
        "refs/heads/main",
        "--candidate",
        "refs/heads/topic",
    ]);
    let git_dir = other.repository.path.join(".git");
    let output = command
        .env("GIT_DIR", &git_dir)
        .env("GIT_OBJECT_DIRECTORY", git_dir.join("objects"))
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", git_dir.join("objects"))
        .env("GIT_NAMESPACE", "x")
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "core.bare")
        .env("GIT_CONFIG_VALUE_0", "broken")
        .env("LC_ALL", "de_DE.UTF-8")
        .write_stdin(scene.envelope().to_string())
        .output()
        .unwrap();
    assert_eq!(crate::common::status(&output), 0, "{output:?}");
}
