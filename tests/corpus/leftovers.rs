//! What the decoders' proof leaves behind: nothing.

use std::process::Command;

#[test]
fn the_decoders_leave_nothing_in_the_temporary_directory() {
    let place = tempfile::tempdir().unwrap();
    // This very program, with a test that reads the fixtures' routes.
    let test = "sweep::a_signed_request_with_any_bit_of_its_body_or_signature_flipped_is_refused";
    let output = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact"])
        .env("TMPDIR", place.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains("1 passed"),
        "{output:?}"
    );
    let left: Vec<_> = std::fs::read_dir(place.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
