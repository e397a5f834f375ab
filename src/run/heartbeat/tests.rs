use super::*;

fn held(window: Duration) -> Held {
    Held::renew(&mut || Ok(Proven::new(window).unwrap())).unwrap()
}

#[test]
fn the_next_renewal_is_due_halfway_and_after_5_s_at_most() {
    for (window, due) in [
        (2_000, 1_000),
        (9_000, 4_500),
        (10_000, 5_000),
        (60_000, 5_000),
    ] {
        let held = held(Duration::from_millis(window));
        let waits = held.due().saturating_sub(held.asked);
        assert_eq!(waits, Duration::from_millis(due));
    }
}

#[test]
fn no_time_left_is_no_proof() {
    assert_eq!(Proven::new(Duration::ZERO), None);
}

#[test]
fn an_answer_that_came_after_its_own_window_is_no_proof() {
    let mut slow = || {
        // Until the window that is about to be granted has passed.
        let asked = since_boot();
        while since_boot().saturating_sub(asked) <= Duration::from_millis(2) {
            std::hint::spin_loop();
        }
        Ok(Proven::new(Duration::from_millis(1)).unwrap())
    };
    assert!(Held::renew(&mut slow).is_err());
}

#[test]
fn a_refusal_is_handed_on() {
    let mut refused = || Err(Stop::new("gone"));
    assert_eq!(Held::renew(&mut refused).unwrap_err(), Stop::new("gone"));
}

#[test]
fn the_end_of_a_run_ends_the_wait_at_once() {
    let over = Over::default();
    let far = since_boot().saturating_add(Duration::from_secs(3600));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| over.wait_until(far));
        over.set();
        assert!(waiting.join().unwrap());
    });
    assert!(!Over::default().wait_until(since_boot()));
}
