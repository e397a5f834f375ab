//! What every command that takes an envelope makes of wrong input (page 1.2).

use amiss::code::Code;
use serde_json::Value;

use crate::common::{self, scene::Scene};

/// Every command that reads envelopes, with flags that are right in the scene.
const COMMANDS: &[&str] = &[
    "ledger claim --root root --plan plan.json",
    "ledger renew --root root",
    "refresh --repository repository --target refs/heads/main --candidate refs/heads/topic",
    "run-bootstrap --root root --plan plan.json --repository repository --action-repository action --scratch scratch",
    "ledger stage --root root",
    "publish -- cat",
    "ledger complete --root root",
    "outbox enqueue --host-root \"$PWD/host\"",
];

/// The commands in a scene; each answer must agree with its status and leave no panic behind.
struct Envelopes(Scene);

impl Envelopes {
    fn prepare() -> Envelopes {
        let scene = Scene::prepare();
        scene.ok("mkdir -m 700 host");
        Envelopes(scene)
    }

    /// Runs one command on an input; its answers, its status, and what it said.
    fn run(&self, command: &str, input: &[u8]) -> (Vec<Value>, i32, String) {
        std::fs::write(self.0.path().join("input"), input).unwrap();
        let output = self.0.sh(&format!("amiss {command} < input"));
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!errors.contains("panicked"), "amiss {command}\n{errors}");
        let answers: Vec<Value> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let status = output.status.code().unwrap();
        let first = answers
            .iter()
            .find_map(|answer| Code::parse(answer["error"]["code"].as_str()?));
        assert_eq!(
            status,
            first.map_or(0, |code| i32::from(code.status())),
            "amiss {command}\n{errors}"
        );
        (answers, status, errors)
    }

    /// Every command refuses the input with the code, in its first answer.
    fn all_refuse(&self, input: &[u8], code: &str) {
        for command in COMMANDS {
            let (answers, _, errors) = self.run(command, input);
            let shown = String::from_utf8_lossy(&input[..input.len().min(80)]);
            let first = answers
                .first()
                .unwrap_or_else(|| panic!("amiss {command}: no answer to {shown}"));
            assert_eq!(
                first["error"]["code"], code,
                "amiss {command} on {shown}: {first}"
            );
            assert!(
                errors.contains(code),
                "amiss {command} on {shown}\n{errors}"
            );
        }
    }
}

#[test]
fn an_input_without_a_document_is_malformed() {
    let envelopes = Envelopes::prepare();
    for input in ["", " ", "\n\n", "\t\r\n"] {
        envelopes.all_refuse(input.as_bytes(), "INPUT_MALFORMED");
    }
}

#[test]
fn what_is_not_one_json_object_is_malformed() {
    let envelopes = Envelopes::prepare();
    let inputs: &[&[u8]] = &[
        b"{",
        b"}",
        b"[]",
        b"\"text\"",
        b"null",
        b"1",
        b"nonsense",
        b"{\"a\":1,}",
        b"{'a':1}",
        b"{\"a\":01}",
        b"{\"a\":1,\"a\":1}",
        b"{\"a\":NaN}",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        b"{\"a\":\"\xff\"}",
    ];
    for input in inputs {
        envelopes.all_refuse(input, "INPUT_MALFORMED");
    }
}

#[test]
fn what_is_over_a_ceiling_is_too_large() {
    let envelopes = Envelopes::prepare();
    let long = format!("{{\"mine\":\"{}\"}}", "x".repeat(1024 * 1024));
    envelopes.all_refuse(long.as_bytes(), "INPUT_TOO_LARGE");
    let deep = format!("{{\"mine\":{}{}}}", "[".repeat(64), "]".repeat(64));
    envelopes.all_refuse(deep.as_bytes(), "INPUT_TOO_LARGE");
    let open = format!("{{\"mine\":{}", "[".repeat(500_000));
    envelopes.all_refuse(open.as_bytes(), "INPUT_TOO_LARGE");
}

#[test]
fn a_text_that_is_no_json_is_refused_alone_and_one_over_a_ceiling_ends_the_stream() {
    let answers = |bad: &str| {
        let input = format!("{bad}\n{{\"mine\":1}}\n");
        let output = common::run(&["publish", "--", "true"], input);
        assert_eq!(common::status(&output), 65, "{bad:.40}");
        String::from_utf8(output.stdout).unwrap()
    };
    for bad in ["nonsense", "{\"a\":01}", "{]", "}"] {
        let answers = answers(bad);
        let lines: Vec<&str> = answers.lines().collect();
        assert_eq!(lines.len(), 2, "{answers}");
        assert!(lines[0].contains("INPUT_MALFORMED"), "{answers}");
        assert!(lines[1].contains("\"mine\":1"), "{answers}");
    }
    let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
    let long = format!("\"{}\"", "x".repeat(1024 * 1024));
    for bad in [deep, long] {
        let answers = answers(&bad);
        assert_eq!(answers.lines().count(), 1, "{answers}");
        assert!(answers.contains("INPUT_TOO_LARGE"), "{answers}");
    }
}

#[test]
fn a_wrong_member_of_amiss_is_malformed_wherever_it_is_read() {
    let envelopes = Envelopes::prepare();
    envelopes.all_refuse(
        br#"{"error":{"code":"NOT_A_CODE","message":""}}"#,
        "INPUT_MALFORMED",
    );
    envelopes.all_refuse(
        br#"{"error":{"code":"BUSY","message":"","more":1}}"#,
        "INPUT_MALFORMED",
    );
    envelopes.all_refuse(br#"{"error":{"code":"BUSY"}}"#, "INPUT_MALFORMED");
    envelopes.all_refuse(br#"{"error":7}"#, "INPUT_MALFORMED");
    envelopes.all_refuse(
        br#"{"error":{"code":"BUSY","message":"","retry_at_unix_millis":-1}}"#,
        "INPUT_MALFORMED",
    );
}

#[test]
fn an_error_passes_through_every_command_untouched_with_its_status() {
    let envelopes = Envelopes::prepare();
    let before = envelopes.0.ok("find root host scratch | sort");
    for (index, code) in Code::ALL.iter().enumerate() {
        let input = format!(
            r#"{{"schema":"amiss/envelope/v1","zebra":1e400,"error":{{"code":"{code}","message":"it was so","retry_at_unix_millis":1}},"delivery":{{"half":true}},"alpha":[1.0,"\u00e9"]}}"#
        );
        // Two codes go through every command, each other one through one of them.
        let turn = COMMANDS.get(index % COMMANDS.len()).into_iter();
        let commands = if index < 2 {
            COMMANDS.iter()
        } else {
            [].iter()
        };
        for command in commands.chain(turn) {
            std::fs::write(envelopes.0.path().join("input"), &input).unwrap();
            let output = envelopes.0.sh(&format!("amiss {command} < input"));
            assert_eq!(
                output.status.code(),
                Some(i32::from(code.status())),
                "amiss {command} on {code}"
            );
            assert_eq!(
                String::from_utf8(output.stdout).unwrap().trim_end(),
                input,
                "amiss {command}"
            );
        }
    }
    assert_eq!(envelopes.0.ok("find root host scratch | sort"), before);
}

#[test]
fn several_documents_are_answered_in_order_with_the_status_of_the_first_that_failed() {
    let envelopes = Envelopes::prepare();
    let input =
        br#"{"ignored":{"reason":"a comment"},"n":1}{"error":{"code":"LOST","message":"x"},"n":2}

        {"error":{"code":"FULL","message":"x"},"n":3}[]"#;
    for command in COMMANDS {
        if command.starts_with("outbox") {
            continue;
        }
        let (answers, status, _) = envelopes.run(command, input);
        assert_eq!(status, 76, "amiss {command}");
        assert_eq!(answers.len(), 4, "amiss {command}: {answers:?}");
        for (index, answer) in answers.iter().take(3).enumerate() {
            assert_eq!(answer["n"], index + 1, "amiss {command}");
        }
        assert_eq!(
            answers[3]["error"]["code"], "INPUT_MALFORMED",
            "amiss {command}"
        );
    }
}

#[test]
fn a_step_with_nothing_to_do_passes_the_envelope_on_with_every_foreign_member_as_it_came() {
    let envelopes = Envelopes::prepare();
    let input = r#"{"schema":"amiss/envelope/v1","zebra":123456789012345678901234567890.10e-3,"ignored":{"reason":"a comment"},"alpha":{"b":"\u0041\/","a":null}}"#;
    for command in COMMANDS {
        if command.starts_with("outbox") {
            continue;
        }
        std::fs::write(envelopes.0.path().join("input"), input).unwrap();
        let output = envelopes.0.sh(&format!("amiss {command} < input"));
        assert_eq!(output.status.code(), Some(0), "amiss {command}");
        assert_eq!(
            String::from_utf8(output.stdout).unwrap().trim_end(),
            input,
            "amiss {command}"
        );
    }
}

/// An envelope of exactly this many bytes: the delivery, and a member of the user's.
fn padded(delivery: &str, bytes: usize) -> String {
    let mut envelope: Value = serde_json::from_str(delivery).unwrap();
    envelope["mine"] = Value::from("");
    let rest = envelope.to_string().len();
    envelope["mine"] = Value::from("x".repeat(bytes - rest));
    let text = envelope.to_string();
    assert_eq!(text.len(), bytes);
    text
}

#[test]
fn what_can_be_claimed_stays_small_enough_for_every_later_step() {
    let Envelopes(scene) = Envelopes::prepare();
    let delivery = scene.ok("amiss ingress-verify --route route.json < request.json");
    // A claim leaves 128 KiB for what the flow adds.
    let room = 1024 * 1024 - 128 * 1024;
    let input = scene.path().join("input");
    std::fs::write(&input, padded(&delivery, room + 1)).unwrap();
    let rows = scene.ok("ls root");
    let refused = scene.sh("amiss ledger claim --root root --plan plan.json < input");
    assert_eq!(refused.status.code(), Some(65));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("INPUT_TOO_LARGE"));
    assert_eq!(scene.ok("ls root"), rows);

    std::fs::write(&input, padded(&delivery, room)).unwrap();
    std::fs::write(
        scene.path().join("answer.sh"),
        "cat > /dev/null; printf '\"'; head -c 65534 /dev/zero | tr '\\0' x; printf '\"'",
    )
    .unwrap();
    let refresh = "amiss refresh --repository repository --target refs/heads/main --candidate refs/heads/topic";
    let last = scene.ok(&format!(
        "amiss ledger claim --root root --plan plan.json < input | {refresh} |
         amiss run-bootstrap --root root --plan plan.json --repository repository \
            --action-repository action --scratch scratch | {refresh} |
         amiss ledger stage --root root | amiss publish -- sh answer.sh | amiss ledger complete --root root"
    ));
    assert!(last.trim_end().len() <= 1024 * 1024);
    let last: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(last["completion"]["result"], "completed");
    assert_eq!(
        last["published"]["answer"].as_str().map(str::len),
        Some(65_534)
    );
}

#[test]
fn an_answer_that_the_next_step_could_not_read_is_refused_and_its_error_travels_alone() {
    let Envelopes(scene) = Envelopes::prepare();
    let claimed = scene.ok("amiss ingress-verify --route route.json < request.json |
         amiss ledger claim --root root --plan plan.json");
    std::fs::write(scene.path().join("input"), padded(&claimed, 1024 * 1024)).unwrap();
    let output = scene.sh(
        "amiss refresh --repository repository --target refs/heads/main \
            --candidate refs/heads/topic < input | amiss ledger stage --root root",
    );
    assert_eq!(output.status.code(), Some(65));
    let last: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(last["error"]["code"], "INPUT_TOO_LARGE");
    assert!(last["error"]["hint"].is_string());
    assert!(last.get("mine").is_none());
}
