//! The seal carries the proof from one process to the next.

use crate::common::receiver::{Receiver, fixture_bytes, github_request};
use crate::common::{answer, code, run, status};

#[test]
fn a_seal_key_is_private_random_and_never_replaced() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| dir.path().join(name));
    for path in [&one, &two] {
        let output = run(&["seal-key", path.to_str().unwrap()], "");
        assert_eq!(status(&output), 0);
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text.len(), 65);
        assert!(text.ends_with('\n'));
        assert!(!String::from_utf8_lossy(&output.stdout).contains(text.trim()));
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let before = std::fs::read(&one).unwrap();
    assert_ne!(before, std::fs::read(&two).unwrap());
    let output = run(&["seal-key", one.to_str().unwrap()], "");
    assert_eq!(
        (status(&output), code(&output).as_str()),
        (78, "CONFIG_INVALID")
    );
    assert_eq!(std::fs::read(&one).unwrap(), before);
}

#[test]
fn a_sealed_delivery_can_be_read_and_not_changed() {
    use amiss::delivery::{Delivery, SealKey};
    let receiver = Receiver::github();
    let path = receiver.path("seal.key");
    let path = path.to_str().unwrap();
    run(&["seal-key", path], "");
    let body = fixture_bytes("github/pull_request.opened.json");
    let output = receiver.verify_with(&["--seal-key", path], github_request(&body));
    let sealed = answer(&output)["delivery"].clone();
    let key = SealKey::from_file_text(&std::fs::read(path).unwrap()).unwrap();
    let delivery: Delivery = serde_json::from_value(sealed.clone()).unwrap();
    assert!(delivery.accept(Some(&key)).is_ok());
    let edits: [(&str, serde_json::Value); 5] = [
        ("/identity/integration", "2".into()),
        ("/change/repository/owner", "mallory".into()),
        ("/proof/trust_set", "other".into()),
        ("/proof/anchor", "other".into()),
        ("/provider_run/attempt", 2.into()),
    ];
    for (pointer, value) in edits {
        let mut changed = sealed.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        let delivery: Delivery = serde_json::from_value(changed).unwrap();
        assert!(delivery.accept(Some(&key)).is_err(), "{pointer}");
    }
}
