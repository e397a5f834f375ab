//! Many documents on one input: answered in order, as if one by one, under shared barriers
//! (pages 1.2 and 6.1).

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::status;
use crate::faults::injected;
use crate::scene::{NOW, Scene, bounded, envelope, good, path};

fn lines(text: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(text)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// One document a line.
fn ndjson(documents: impl IntoIterator<Item = Value>) -> String {
    let mut text = String::new();
    for document in documents {
        text.push_str(&document.to_string());
        text.push('\n');
    }
    text
}

/// What a script would look at.
fn seen(answer: &Value) -> (Value, Value, Value) {
    (
        answer["claim"]["result"].clone(),
        answer["error"]["code"].clone(),
        answer["lease"]["fence"].clone(),
    )
}

fn documents() -> Vec<Value> {
    let mut list: Vec<Value> = (0..10).map(|n| envelope(&format!("d{n}"))).collect();
    list.push(envelope("d3"));
    list.push(json!({"schema": "amiss/envelope/v1", "ignored": {"reason": "x"}}));
    list.push(json!({"schema": "amiss/envelope/v1"}));
    list.push(bounded("late", NOW - 1));
    list.push(json!({"schema": "amiss/envelope/v1", "error": {"code": "BUSY", "message": "x"}}));
    let mut wrong = envelope("d4");
    wrong["delivery"]["change"]["change"] = "43".into();
    list.push(wrong);
    list.extend((10..20).map(|n| envelope(&format!("d{n}"))));
    list
}

#[test]
fn many_documents_are_answered_in_order_as_if_one_by_one() {
    let (alone, together) = (Scene::new(15), Scene::new(15));
    let check = alone.check_file();
    let mut wanted = Vec::new();
    let mut first = 0;
    for document in documents() {
        let output = alone.claim(NOW, &document);
        if first == 0 {
            first = status(&output);
        }
        wanted.extend(lines(&output.stdout).iter().map(seen));
    }
    let input = ndjson(documents());
    let output = together.at(NOW, &["claim", "--check", path(&check)], &input);
    let found: Vec<_> = lines(&output.stdout).iter().map(seen).collect();
    assert_eq!(found, wanted);
    assert_eq!(status(&output), first, "the first that failed decides");
    let names = |scene: &Scene| -> Vec<String> {
        scene.content().into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(names(&together), names(&alone));
    let checked = good(&together.at(NOW, &["check"], ""));
    assert_eq!(checked["check"]["rows"], 15);
    assert_eq!(checked["check"]["notes"], json!([]), "no marker at rest");
}

#[test]
fn a_whole_flow_of_many_documents_ends_every_delivery() {
    let scene = Scene::new(100);
    let check = scene.check_file();
    let input = ndjson((0..80).map(|n| envelope(&format!("d{n}"))));
    let claimed = scene.at(NOW, &["claim", "--check", path(&check)], &input);
    assert_eq!(status(&claimed), 0);
    let renewed = scene.at(
        NOW + 1,
        &["renew"],
        &String::from_utf8_lossy(&claimed.stdout),
    );
    assert_eq!(status(&renewed), 0);
    let renewed = lines(&renewed.stdout).into_iter();
    let ready = ndjson(renewed.map(|line| scene.ready(&line, b"the same report")));
    let staged = scene.at(NOW + 2, &["stage"], &ready);
    assert_eq!(status(&staged), 0);
    let done = scene.at(
        NOW + 3,
        &["complete"],
        &String::from_utf8_lossy(&staged.stdout),
    );
    assert_eq!(status(&done), 0);
    assert_eq!(lines(&done.stdout).len(), 80);
    let stats = good(&scene.at(NOW + 3, &["stats"], ""));
    assert_eq!(stats["stats"]["done_permanent"], 80);
    assert_eq!(stats["stats"]["reports"], 0);
}

/// Reports are put in place a few at a time, before the rows that name them.
#[test]
fn where_one_report_of_many_cannot_be_put_in_place_no_row_names_any() {
    let scene = Scene::new(20);
    let check = scene.check_file();
    let input = ndjson((0..9).map(|n| envelope(&format!("d{n}"))));
    let claimed = scene.at(NOW, &["claim", "--check", path(&check)], &input);
    let claimed = lines(&claimed.stdout).into_iter();
    let ready = ndjson(claimed.map(|line| scene.ready(&line, b"the same report")));
    let failed = injected(&scene, "renameat:error=EIO:when=1", &["stage"], &ready);
    let answers = lines(&failed.stdout);
    assert_eq!(answers.len(), 9);
    for answer in &answers {
        assert_eq!(answer["error"]["code"], "IO", "{answer}");
    }
    let checked = good(&scene.at(NOW, &["check"], ""));
    assert_eq!(checked["check"]["defects"], json!([]));
    let stats = good(&scene.at(NOW, &["stats"], ""));
    assert_eq!(stats["stats"]["running"], 9);
    let staged = scene.at(NOW, &["stage"], &ready);
    assert_eq!(status(&staged), 0);
    let checked = good(&scene.at(NOW, &["check"], ""));
    assert_eq!(checked["check"]["reports"], 9);
}

/// Whoever waits for an answer before it sends more is never waited for.
#[test]
fn each_document_is_answered_before_the_next_is_sent() {
    let scene = Scene::new(4);
    let (root, check, now) = (scene.root(), scene.check_file(), NOW.to_string());
    let mut child = Command::new(env!("CARGO_BIN_EXE_amiss"))
        .args(["ledger", "claim", "--root", path(&root)])
        .args(["--check", path(&check), "--now-unix-millis", &now])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for id in ["one", "two", "three"] {
        write!(input, "{}", envelope(id)).unwrap();
        input.flush().unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["claim"]["result"], "execute", "{id}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}
