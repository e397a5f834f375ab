//! Every root of the earlier implementation, every scenario, every step, through the real binary
//! (`fixtures/roots/README.md`).

mod after;
pub mod descriptor;
mod player;

use descriptor::{Descriptor, all};
use player::Player;

/// Plays all scenarios of the descriptors that a filter picks, and gives every difference.
fn play(pick: impl Fn(&str) -> bool) -> (usize, Vec<String>) {
    let mut count = 0;
    let mut faults = Vec::new();
    for path in all().into_iter().filter(|path| pick(path)) {
        let descriptor = Descriptor::read(&path);
        for scenario in descriptor.scenarios() {
            if scenario["differs_by_design"].is_string() || is_overruled(&path, scenario) {
                continue;
            }
            count += 1;
            let name = format!("{path} / {}", scenario["name"].as_str().unwrap());
            let mut player = Player::new(&descriptor);
            faults.extend(
                player
                    .play(scenario)
                    .into_iter()
                    .map(|fault| format!("{name}: {fault}")),
            );
        }
    }
    (count, faults)
}

/// Page 3.3 overrules one scenario that is not marked: a claim of a new identity that meets the
/// marker of an interrupted batch counts the rows and goes on, instead of answering corrupt.
fn is_overruled(path: &str, scenario: &serde_json::Value) -> bool {
    path == "v25-interrupted-cleanup" && scenario["name"] == "session-admits-another"
}

fn check(pick: impl Fn(&str) -> bool, scenarios: usize) {
    let (count, faults) = play(pick);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(count, scenarios, "scenarios were lost on the way");
}

#[test]
fn every_healthy_root_answers_as_its_descriptor_says() {
    check(|path| !path.contains('/'), 52);
}

#[test]
fn every_odd_root_is_accepted_as_its_descriptor_says() {
    check(|path| path.starts_with("odd/"), 30);
}

#[test]
fn every_corrupt_root_is_refused_as_its_descriptor_says() {
    check(|path| path.starts_with("corrupt/"), 152);
}

/// Page 3.2: a lease whose deadline is older than the row's is still the same lease.
#[test]
fn an_owner_with_an_older_deadline_is_still_the_owner() {
    let descriptor = Descriptor::read("v25-mixed");
    let scenario = descriptor.scenario("owner-with-an-older-deadline");
    let mut player = Player::new(&descriptor);
    // The last step renews what the step before it froze.
    let steps = scenario["steps"].as_array().unwrap();
    for step in &steps[..steps.len() - 1] {
        let output = player.run(step);
        assert_eq!(
            output.status, 0,
            "{} at {}: {}",
            step["op"], step["now"], output.answer
        );
    }
}

/// Page 3.3: a command that needs the time refuses without a trusted clock, and changes nothing.
#[test]
fn without_a_trusted_clock_no_running_row_changes() {
    let descriptor = Descriptor::read("v25-mixed");
    let scenario = descriptor.scenario("no-trusted-clock");
    let mut player = Player::new(&descriptor);
    let running = |player: &Player| -> Vec<(String, Vec<u8>)> {
        player
            .content()
            .into_iter()
            .filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(r#""state":"running""#))
            .collect()
    };
    let before = running(&player);
    assert!(!before.is_empty());
    for step in scenario["steps"].as_array().unwrap() {
        let output = player.run(step);
        assert!(
            output.status == 0 || output.code == "CLOCK" || output.code == "LOST",
            "{} at {}: {}",
            step["op"],
            step["now"],
            output.answer
        );
        assert_eq!(running(&player), before, "{}", step["op"]);
    }
}

/// Page 3.2: a root that still carries v0.9 metadata says which command to run, and stays as it is.
#[test]
fn old_metadata_is_not_prepared_for_every_command_but_init() {
    for name in ["v09-empty", "v09-mixed"] {
        let descriptor = Descriptor::read(name);
        let scenario = descriptor.scenario("session-of-the-new-version-before-the-upgrade");
        let mut player = Player::new(&descriptor);
        let before = player.content();
        for step in scenario["steps"].as_array().unwrap() {
            assert_eq!(player.run(step).code, "ROOT_NOT_PREPARED", "{step}");
        }
        assert_eq!(player.content(), before);
    }
}

/// Page 3.3: the claim that meets the marker of an interrupted batch settles it.
#[test]
fn a_new_claim_that_meets_a_cleanup_marker_counts_the_rows_and_goes_on() {
    let descriptor = Descriptor::read("v25-interrupted-cleanup");
    let scenario = descriptor.scenario("session-admits-another");
    let mut player = Player::new(&descriptor);
    let steps = scenario["steps"].as_array().unwrap();
    assert_eq!(player.run(&steps[0]).answer["claim"]["result"], "execute");
    let capacity: std::collections::HashMap<_, _> = player.content().into_iter().collect();
    let capacity = after::payload(&capacity[".amiss-capacity.state"]).unwrap();
    assert_eq!(capacity["records"], 4);
    assert_eq!(capacity["cleanup_pending"], false);
    for step in &steps[1..4] {
        assert_eq!(player.run(step).answer["claim"]["result"], "duplicate");
    }
}
