use super::*;

#[test]
fn a_living_run_keeps_its_directory_and_a_dead_ones_is_swept() {
    let parent = tempfile::tempdir().unwrap();
    let living = Scratch::make(parent.path()).unwrap();
    living.create("file", b"x", 0o600).unwrap();
    let dead = Scratch::make(parent.path()).unwrap();
    dead.create("file", b"x", 0o600).unwrap();
    let left = dead.path().to_owned();
    // As if killed: the lock is let go and nothing is removed.
    let handle = rustix::io::fcntl_dupfd_cloexec(dead.lock(), 3).unwrap();
    let mut dead = std::mem::ManuallyDrop::new(dead);
    dead.lock = File::open("/dev/null").unwrap().into();
    assert_eq!(
        sweep(parent.path()).unwrap(),
        Swept {
            removed: 0,
            kept: 2
        },
        "somebody else still holds the lock"
    );
    drop(handle);
    assert_eq!(
        sweep(parent.path()).unwrap(),
        Swept {
            removed: 1,
            kept: 1
        }
    );
    assert!(!left.exists());
    let path = living.path().to_owned();
    assert!(path.exists());
    drop(living);
    assert!(!path.exists());
}

#[test]
fn a_sweep_touches_nothing_that_is_not_a_runs() {
    let parent = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("precious"), b"x").unwrap();
    std::os::unix::fs::symlink(outside.path(), parent.path().join("amiss-run-link")).unwrap();
    fs::write(parent.path().join("amiss-run-file"), b"x").unwrap();
    fs::create_dir(parent.path().join("other")).unwrap();
    let dead = parent.path().join("amiss-run-dead");
    fs::create_dir(&dead).unwrap();
    std::os::unix::fs::symlink(outside.path(), dead.join("inside")).unwrap();
    fs::create_dir(dead.join("closed")).unwrap();
    fs::set_permissions(dead.join("closed"), Permissions::from_mode(0o000)).unwrap();
    assert_eq!(
        sweep(parent.path()).unwrap(),
        Swept {
            removed: 1,
            kept: 0
        }
    );
    assert!(outside.path().join("precious").exists());
    assert!(parent.path().join("amiss-run-link").exists());
    assert!(parent.path().join("amiss-run-file").exists());
    assert!(parent.path().join("other").exists());
}

#[test]
fn a_directory_that_others_can_write_is_refused_unless_it_is_sticky() {
    let parent = tempfile::tempdir().unwrap();
    fs::set_permissions(parent.path(), Permissions::from_mode(0o777)).unwrap();
    assert_eq!(
        Scratch::make(parent.path()).unwrap_err().code(),
        Code::RootUnsafe
    );
    fs::set_permissions(parent.path(), Permissions::from_mode(0o1777)).unwrap();
    let made = Scratch::make(parent.path()).unwrap();
    assert_eq!(fs::metadata(made.path()).unwrap().mode() & 0o7777, 0o700);
    assert_eq!(
        Scratch::make(&parent.path().join("missing"))
            .unwrap_err()
            .code(),
        Code::NotFound
    );
}
