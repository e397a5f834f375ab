//! `amiss explain` and `amiss help statuses` (page 1.3).

use std::fmt::Write as _;

use amiss::code::{Code, STATUSES};

use crate::common::{answer, assert_current, run, status};

#[test]
fn explain_says_of_every_code_what_it_means_and_what_to_do() {
    for code in Code::ALL {
        let output = run(&["explain", code.name()], "");
        assert_eq!(status(&output), 0);
        let answer = answer(&output);
        assert_eq!(answer["explain"]["code"], code.name());
        assert_eq!(answer["explain"]["status"], code.status());
        for member in ["meaning", "remedy"] {
            let text = answer["explain"][member].as_str().unwrap();
            assert!(text.ends_with('.') && text.len() > 7, "{code}: {text:?}");
        }
    }
}

#[test]
fn explain_without_a_code_explains_all_of_them_in_any_case() {
    let all = run(&["explain"], "");
    let lines = String::from_utf8(all.stdout).unwrap().lines().count();
    assert_eq!(lines, Code::ALL.len());
    let lower = run(&["explain", "busy", "--format", "text"], "");
    let text = String::from_utf8(lower.stdout).unwrap();
    assert!(text.starts_with("BUSY (status 75)\n"), "{text}");
}

#[test]
fn help_statuses_is_a_table_of_every_status_with_its_codes() {
    let output = run(&["help", "statuses"], "");
    assert_eq!(status(&output), 0);
    let text = String::from_utf8(output.stdout).unwrap();
    for (status, meaning) in STATUSES {
        assert!(
            text.contains(&format!("{status:>6}  {meaning}\n")),
            "{status}"
        );
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    for code in Code::ALL {
        assert_eq!(
            words.iter().filter(|word| **word == code.name()).count(),
            1,
            "{code}"
        );
    }
}

#[test]
fn the_status_reference_is_the_table_of_the_program() {
    let mut page = String::from(
        "# Exit statuses and error codes\n\nA refusal prints the envelope with an `error` member; the \
         exit status follows from `error.code`. Of several documents on one input, the first that \
         failed decides. This page is made from the program by the test \
         `the_status_reference_is_the_table_of_the_program`; `amiss help statuses` and `amiss explain \
         CODE` print the same.\n\n| status | meaning for a script |\n| --- | --- |\n",
    );
    for (status, meaning) in STATUSES {
        writeln!(page, "| {status} | {meaning} |").unwrap();
    }
    page.push_str("\n| code | status | why it comes | what to do |\n| --- | --- | --- | --- |\n");
    for (status, _) in STATUSES {
        for code in Code::ALL.iter().filter(|code| code.status() == *status) {
            writeln!(
                page,
                "| `{code}` | {status} | {} | {} |",
                code.meaning(),
                code.remedy()
            )
            .unwrap();
        }
    }
    assert_current("docs/reference/statuses.md", &page);
}

#[test]
fn explain_knows_the_words_that_messages_say_beside_their_code() {
    let output = run(&["explain", "delivery_pending"], "");
    assert_eq!(status(&output), 0);
    assert_eq!(answer(&output)["explain"]["code"], "TASK_BUSY");
}
