//! Our own process killed at every 10 ms of a run (page 8, point 9), and closed streams (e10).

use std::time::{Duration, Instant};

use serde_json::json;

use crate::common;
use crate::flow::{Flow, common_wait, somebody_works_in};
use crate::trees::Started;

#[test]
fn amiss_killed_at_every_10_ms_leaves_no_process_and_its_directory_to_the_next_sweep() {
    let flow = Flow::way("slow-0.1");
    let envelope = flow.refreshed();
    let mut kills = 0;
    for delay in (0..30).map(|step| Duration::from_millis(step * 10)) {
        let mut amiss = Started::on(&flow, &[], &envelope);
        let started = Instant::now();
        // The moment itself is what is varied; nothing is waited for that could be asked instead.
        while started.elapsed() < delay && amiss.child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        amiss.signal("KILL");
        amiss.child.wait().unwrap();
        common_wait(|| (!somebody_works_in(&flow.scratch)).then_some(()));
        kills += 1;
    }
    // One run more sweeps what the killed ones left, and is not disturbed by it.
    let output = flow.run_on(&envelope, &[]);
    assert_eq!(
        common::answer(&output)["outcome"]["result"],
        "complete",
        "{output:?}"
    );
    assert!(flow.scratch_is_clean());
    crate::common::figures::tell(&format!("{kills} kills"));
}

#[test]
fn e10_closed_and_full_outputs_never_panic_and_the_status_is_right() {
    let flow = Flow::new("review", &json!({}));
    let envelope = flow.scene.path().join("envelope");
    std::fs::write(&envelope, flow.refreshed().to_string()).unwrap();
    let binary = env!("CARGO_BIN_EXE_amiss");
    let run: Vec<String> = flow
        .arguments(&[])
        .iter()
        .map(|word| format!("'{word}'"))
        .collect();
    let refresh = format!(
        "refresh --repository '{}' --target refs/heads/main --candidate refs/heads/topic",
        flow.scene.repository.path.display()
    );
    for words in [run.join(" "), refresh, "publish -- /bin/true".into()] {
        let call = format!("'{binary}' {words} < '{}'", envelope.display());
        for (script, statuses) in [
            (
                format!("{{ {call}; echo $? >&3; }} 3>&1 >/dev/full"),
                ["74", "74"],
            ),
            (format!("{{ {call}; echo $? >&3; }} 3>&1 >&-"), ["74", "0"]),
            (
                format!("{{ {{ {call}; echo $? >&3; }} | true; }} 3>&1"),
                ["0", "0"],
            ),
            (
                format!("{{ {{ {call}; echo $? >&3; }} | head -c1 >/dev/null; }} 3>&1"),
                ["0", "0"],
            ),
        ] {
            let output = std::process::Command::new("/bin/sh")
                .args(["-c", &script])
                .output()
                .unwrap();
            let status = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            assert!(statuses.contains(&status.as_str()), "{script}: {output:?}");
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!words.contains("panicked"), "{script}: {words}");
        }
    }
}
