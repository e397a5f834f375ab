//! Many processes at once: one turn has one commit, whatever the order.

use serde_json::Value;

use crate::common::{answer, code, status};
use crate::world::{World, commit, pinned, push, turn};

#[test]
fn enqueues_of_one_turn_at_once_agree_on_one_commit() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oids: Vec<String> = (0..3)
        .map(|number| commit(&mirror, &number.to_string()))
        .collect();
    for round in 0..3 {
        let turn = turn(round);
        let answers: Vec<(usize, i32, String, Value)> = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..9)
                .map(|number| {
                    let wanted = push("web", "t1", &turn, &oids[number % 3]);
                    let world = &world;
                    scope.spawn(move || {
                        let output = world.enqueue(&wanted);
                        (number % 3, status(&output), code(&output), answer(&output))
                    })
                })
                .collect();
            calls.into_iter().map(|call| call.join().unwrap()).collect()
        });
        let winner = pinned(&mirror, "t1", &turn);
        let text = std::fs::read_to_string(world.intent_path("web", "t1", &turn)).unwrap();
        assert!(text.contains(&winner), "{text}");
        for (which, status, code, answer) in answers {
            if oids[which] == winner {
                assert_eq!(status, 0, "{answer}");
                assert_eq!(answer["origin_delivery"]["oid"], *winner);
            } else {
                assert_eq!(
                    (status, code.as_str()),
                    (76, "DELIVERY_REF_CONFLICT"),
                    "{answer}"
                );
            }
        }
    }
}

#[test]
fn collection_and_examination_beside_enqueues_lose_nothing_and_invent_no_fault() {
    let world = World::new();
    let mirror = world.mirror("web");
    let oid = commit(&mirror, "one");
    std::thread::scope(|scope| {
        let enqueue = |from: u64| {
            let (world, oid) = (&world, &oid);
            move || {
                for number in from..from + 8 {
                    assert_eq!(
                        status(&world.enqueue(&push("web", "t1", &turn(number), oid))),
                        0
                    );
                }
            }
        };
        scope.spawn(enqueue(0));
        scope.spawn(enqueue(100));
        for _ in 0..6 {
            assert_eq!(status(&world.run(&["gc"], "")), 0);
            let output = world.run(&["doctor", "--repair"], "");
            assert_eq!(status(&output), 0, "{}", answer(&output));
        }
    });
    for number in (0..8).chain(100..108) {
        assert_eq!(pinned(&mirror, "t1", &turn(number)), oid);
        assert!(world.due_path("t1", &turn(number)).exists());
        assert!(world.intent_path("web", "t1", &turn(number)).exists());
    }
}
