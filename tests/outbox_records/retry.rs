//! `retry`: due at once, twelve pushes again.

use serde_json::json;

use crate::common::{code, status};
use crate::world::{World, commit, push, turn};

#[test]
fn a_retry_resets_failed_and_retrying_deliveries_of_the_task() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    for number in 1..=4 {
        world.enqueue(&push("web", "t1", &turn(number), &oid));
    }
    world.enqueue(&push("web", "t2", &turn(5), &oid));
    world.settle(&push("web", "t1", &turn(1), &oid), "failed", 12, 50);
    world.settle(&push("web", "t1", &turn(2), &oid), "retrying", 4, 50);
    world.settle(&push("web", "t1", &turn(3), &oid), "delivered", 1, 50);
    world.settle(&push("web", "t2", &turn(5), &oid), "failed", 12, 50);
    let answer = world.good(&["retry", "--task", "t1", "--now-unix-millis", "90"]);
    let shown: Vec<_> = answer["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|delivery| {
            (
                delivery["turn_id"].clone(),
                delivery["state"].clone(),
                delivery["attempt"].clone(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (json!(turn(1)), json!("retrying"), json!(0)),
            (json!(turn(2)), json!("retrying"), json!(0)),
            (json!(turn(4)), json!("pending"), json!(1)),
        ]
    );
    let text = std::fs::read_to_string(world.intent_path("web", "t1", &turn(1))).unwrap();
    assert!(text.contains(r#""next_attempt_at_millis":90,"#), "{text}");
    assert!(
        text.ends_with(r#""updated_at_millis":90,"retry_requested_at_millis":90}"#),
        "{text}"
    );
    let due = std::fs::read_to_string(world.due_path("t1", &turn(1))).unwrap();
    assert!(due.ends_with(r#""next_attempt_at_millis":90}"#), "{due}");
    assert!(!world.due_path("t1", &turn(3)).exists());
    assert!(!world.due_path("t2", &turn(5)).exists());
    // The time of the request grows even when the clock stands still.
    world.good(&[
        "retry",
        "--task",
        "t1",
        "--turn",
        &turn(1),
        "--now-unix-millis",
        "90",
    ]);
    let text = std::fs::read_to_string(world.intent_path("web", "t1", &turn(1))).unwrap();
    assert!(
        text.ends_with(r#""retry_requested_at_millis":91}"#),
        "{text}"
    );
}

#[test]
fn a_retry_of_what_is_delivered_absent_or_unreadable_says_so() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    let ask = |arguments: &[&str]| {
        let output = world.run(arguments, "");
        (status(&output), code(&output))
    };
    let not_found = (66, "DELIVERY_NOT_FOUND".to_owned());
    assert_eq!(ask(&["retry", "--task", "t1"]), not_found);
    let wanted = push("web", "t1", &turn(1), &oid);
    world.enqueue(&wanted);
    assert_eq!(
        ask(&["retry", "--task", "t1", "--turn", &turn(9)]),
        not_found
    );
    world.settle(&wanted, "delivered", 1, 50);
    assert_eq!(
        ask(&["retry", "--task", "t1"]),
        (76, "DELIVERY_ALREADY_DELIVERED".to_owned())
    );
    world.change_intent(&wanted, |text| text.truncate(20));
    assert_eq!(
        ask(&["retry", "--task", "t1"]),
        (78, "DELIVERY_UNREADABLE".to_owned())
    );
    // It blocks no other.
    let other = push("web", "t1", &turn(2), &oid);
    world.enqueue(&other);
    world.settle(&other, "failed", 12, 50);
    assert_eq!(
        world.good(&["retry", "--task", "t1"])["deliveries"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(status(&world.run(&["retry", "--task", "../x"], "")), 2);
}
