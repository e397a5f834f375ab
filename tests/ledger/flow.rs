//! The first thing that must work: one delivery from its claim to its end.

use serde_json::json;

use crate::common::{answer, code, status};
use crate::scene::{LEASE, NOW, Scene, envelope, good, sha256};

#[test]
fn a_delivery_goes_from_its_claim_to_its_end() {
    let scene = Scene::new(4);
    let claimed = good(&scene.claim(NOW, &envelope("one")));
    assert_eq!(claimed["claim"], json!({"result": "execute"}));
    assert_eq!(claimed["lease"]["fence"], 1);
    assert_eq!(claimed["lease"]["expires_at_unix_millis"], NOW + LEASE);

    let renewed = good(&scene.step(NOW + 1000, "renew", &claimed));
    assert_eq!(renewed["renewal"]["renew_within_millis"], LEASE);
    assert_eq!(
        renewed["lease"]["expires_at_unix_millis"],
        NOW + 1000 + LEASE
    );

    let report = b"{\"verdict\":\"pass\"}\n";
    let staged = good(&scene.step(NOW + 2000, "stage", &scene.ready(&renewed, report)));
    let saved = &staged["staged"];
    assert_eq!(saved["publication"]["conclusion"], "pass");
    assert_eq!(saved["report"]["sha256"], sha256(report));
    assert_eq!(
        std::fs::read(saved["report"]["path"].as_str().unwrap()).unwrap(),
        report
    );

    // A retry publishes the same value instead of computing another.
    let retry = good(&scene.claim(NOW + 3000, &envelope("one")));
    assert_eq!(retry["claim"]["result"], "publish");
    assert_eq!(&retry["staged"], saved);

    let done = good(&scene.step(NOW + 4000, "complete", &retry));
    assert_eq!(done["completion"]["result"], "completed");
    assert!(!std::path::Path::new(saved["report"]["path"].as_str().unwrap()).exists());
    good(&scene.step(NOW + 4001, "complete", &staged));

    let again = good(&scene.claim(NOW + 5000, &envelope("one")));
    assert_eq!(again["claim"]["result"], "duplicate");
    assert_eq!(again["claim"]["evaluation_id"], saved["evaluation_id"]);
    let cleaned = good(&scene.at(NOW + 6000, &["cleanup"], ""));
    assert_eq!(cleaned["cleanup"]["kept"]["done_permanent"], 1);
}

#[test]
fn a_second_worker_is_told_when_to_come_back() {
    let scene = Scene::new(4);
    let first = good(&scene.claim(NOW, &envelope("one")));
    let second = scene.claim(NOW + LEASE - 1, &envelope("one"));
    assert_eq!((status(&second), code(&second).as_str()), (75, "BUSY"));
    let told = answer(&second);
    assert_eq!(told["claim"]["result"], "busy");
    assert_eq!(
        told["claim"]["evaluation_id"],
        first["lease"]["evaluation_id"]
    );
    assert_eq!(told["error"]["retry_at_unix_millis"], NOW + LEASE);
    let third = good(&scene.claim(NOW + LEASE, &envelope("one")));
    assert_eq!(third["lease"]["fence"], 2);
}
