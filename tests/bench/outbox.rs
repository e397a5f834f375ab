//! `amiss bench outbox`: what an enqueue, the start of a push, slow origins and an idle watcher cost,
//! with real origins and a real watcher, which are gone afterwards.

use serde_json::Value;

use crate::common::{answer, run, status};

#[test]
fn a_small_run_of_the_outbox_gives_every_figure_with_its_bound() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().to_str().unwrap().to_owned();
    let arguments = [
        "bench",
        "outbox",
        "--rows",
        "5",
        "--samples",
        "2",
        "--dir",
        &dir,
    ];
    let output = run(&arguments, "");
    assert_eq!(status(&output), 0, "{output:?}");
    let bench = answer(&output)["bench"].take();
    assert_eq!(bench["part"], "outbox");
    let find = |operation: &str, rows: Option<u64>| -> Value {
        let rows = rows.map_or(Value::Null, Value::from);
        let mut figures = bench["figures"].as_array().unwrap().iter();
        figures
            .find(|figure| figure["operation"] == operation && figure["rows"] == rows)
            .unwrap_or_else(|| panic!("no {operation} at {rows} rows in {bench}"))
            .clone()
    };
    assert!(find("enqueue", Some(0))["of_a_replacement"].is_number());
    let enqueue = find("enqueue", Some(5));
    assert!(enqueue["of_an_empty_root"].is_number(), "{enqueue}");
    assert_eq!(enqueue["samples_nanos"].as_array().unwrap().len(), 2);
    for rows in [0, 5] {
        let start = find("push start after enqueue", Some(rows));
        assert_eq!(start["bound"]["median_nanos"], 50_000_000, "{start}");
        if cfg!(target_os = "linux") {
            let idle = find("wake-ups of an idle watcher", Some(rows));
            assert_eq!(idle["bound"]["at_most_per_second"], 1.0, "{idle}");
        }
    }
    let alone = find("eight origins of 200 ms, in turn", None);
    let together = find("eight origins of 200 ms, side by side", None);
    let least = together["bound"]["per_second"].as_f64().unwrap();
    assert!(least > alone["per_second"].as_f64().unwrap() * 5.9);
    assert_eq!(
        std::fs::read_dir(place.path()).unwrap().count(),
        0,
        "the folder that was measured in is gone"
    );
}
