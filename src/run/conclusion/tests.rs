//! One test a row of the table of page 4.4.

use super::*;
use crate::delivery::{Delivery, ObjectId};
use crate::json;

const CANDIDATE: &str = "1111111111111111111111111111111111111111";
const BASE: &str = "2222222222222222222222222222222222222222";

fn delivery() -> AcceptedDelivery {
    let provider = r#"{"namespace":"gitea","instance":"forge.example.test"}"#;
    let text = format!(
        r#"{{"identity":{{"provider":{provider},"integration":"i","delivery":"d"}},
            "change":{{"provider":{provider},
                       "repository":{{"host":"forge.example.test","owner":"o","name":"n"}},"change":"7"}},
            "provider_run":{{"run_id":"r","attempt":1,"object_format":"sha1","candidate_commit":"{CANDIDATE}"}},
            "replay":{{"retention":"permanent"}}}}"#
    );
    let member: Delivery = json::parse(&text, "delivery").unwrap();
    member.accept(None).unwrap()
}

fn check() -> CheckBinding {
    let digest = format!("sha256:{}", "3".repeat(64));
    let text = format!(
        r#"{{"plan_digest":"{digest}","required_status_name":"amiss","execution_constraint_digest":"{digest}"}}"#
    );
    json::parse(&text, "check").unwrap()
}

fn facts(state: &str) -> RunFacts {
    let text = format!(
        r#"{{"state":"{state}","gate_commit":"{BASE}",
            "refs":{{"forge":"gitea","candidate":"refs/heads/topic","target":"refs/heads/main","default_branch":"refs/heads/main"}},
            "commits":{{"base":"{BASE}","candidate":"{CANDIDATE}"}},
            "trees":{{"base":"{BASE}","candidate":"{BASE}"}}}}"#
    );
    json::parse(&text, "run").unwrap()
}

fn outcome(text: &str) -> Outcome {
    json::parse(text, "outcome").unwrap()
}

fn complete(evaluation: &str) -> Outcome {
    let sha256 = "4".repeat(64);
    outcome(&format!(
        r#"{{"result":"complete","evaluation":"{evaluation}","report":{{"path":"/r","sha256":"{sha256}","bytes":1}}}}"#
    ))
}

fn concluded(run: &RunFacts, outcome: &Outcome, recheck: &RunFacts) -> Verdict {
    conclude(&delivery(), &check(), run, outcome, recheck).unwrap()
}

fn conclusion(outcome: &Outcome, recheck: &RunFacts) -> Conclusion {
    let verdict = concluded(&facts("active"), outcome, recheck);
    let with_report = matches!(
        verdict.publication.conclusion,
        Conclusion::Pass | Conclusion::Block
    );
    assert_eq!(verdict.report.is_some(), with_report);
    verdict.publication.conclusion
}

#[test]
fn a_complete_run_that_is_still_what_was_asked_is_its_verdict_with_the_report() {
    let recheck = facts("active");
    assert_eq!(conclusion(&complete("pass"), &recheck), Conclusion::Pass);
    assert_eq!(conclusion(&complete("block"), &recheck), Conclusion::Block);
}

#[test]
fn a_superseded_recheck_is_superseded_whatever_the_outcome() {
    let none = outcome(r#"{"result":"timed-out","detail":"x"}"#);
    for outcome in [complete("pass"), none] {
        let found = conclusion(&outcome, &facts("superseded"));
        assert_eq!(found, Conclusion::Superseded);
    }
}

#[test]
fn another_dialect_refs_base_trees_or_gate_is_superseded() {
    let other = ObjectId::new("5".repeat(40)).unwrap();
    let branch = || crate::delivery::text::BranchRef::new("refs/heads/other").unwrap();
    let changes: [fn(&mut RunFacts, ObjectId, crate::delivery::text::BranchRef); 8] = [
        |facts, _, _| facts.refs.forge = crate::delivery::Forge::Github,
        |facts, _, branch| facts.refs.candidate = branch,
        |facts, _, branch| facts.refs.target = branch,
        |facts, _, branch| facts.refs.default_branch = branch,
        |facts, id, _| facts.commits.base = id,
        |facts, id, _| facts.trees.base = id,
        |facts, id, _| facts.trees.candidate = id,
        |facts, id, _| facts.gate_commit = id,
    ];
    for change in changes {
        let mut recheck = facts("active");
        change(&mut recheck, other.clone(), branch());
        let found = conclusion(&complete("pass"), &recheck);
        assert_eq!(found, Conclusion::Superseded, "{recheck:?}");
    }
}

#[test]
fn a_closed_or_revoked_recheck_is_unavailable_with_that_reason() {
    for (state, failure) in [
        ("closed", Failure::Closed),
        ("authorization-revoked", Failure::AuthorizationRevoked),
    ] {
        let found = conclusion(&complete("pass"), &facts(state));
        assert_eq!(found, Conclusion::Unavailable(failure));
    }
}

#[test]
fn a_run_without_a_verdict_is_unavailable_with_its_reason() {
    for (result, failure) in [
        ("missing-output", Failure::MissingOutput),
        ("oversized-output", Failure::OversizedOutput),
        ("timed-out", Failure::Timeout),
        ("tampered-runtime", Failure::TamperedRuntime),
        ("unavailable", Failure::Unavailable),
    ] {
        let none = outcome(&format!(r#"{{"result":"{result}","detail":"x"}}"#));
        let found = conclusion(&none, &facts("active"));
        assert_eq!(found, Conclusion::Unavailable(failure));
    }
}

#[test]
fn another_candidate_or_format_in_run_or_recheck_is_refused() {
    let other = ObjectId::new("5".repeat(40)).unwrap();
    let long = ObjectId::new("5".repeat(64)).unwrap();
    for (candidate, error) in [
        (&other, ConclusionError::Candidate { member: "run" }),
        (&long, ConclusionError::Format { member: "run" }),
    ] {
        let mut wrong = facts("active");
        wrong.commits.candidate = candidate.clone();
        let pass = complete("pass");
        let right = facts("active");
        let found = conclude(&delivery(), &check(), &wrong, &pass, &right);
        assert_eq!(found, Err(error));
        let found = conclude(&delivery(), &check(), &right, &pass, &wrong);
        assert!(found.is_err());
    }
}

#[test]
fn a_run_that_was_not_active_concludes_by_the_worse_of_run_and_recheck() {
    let not_run = outcome(r#"{"result":"not-run"}"#);
    let of = |run: &str, recheck: &str| {
        concluded(&facts(run), &not_run, &facts(recheck))
            .publication
            .conclusion
    };
    let closed = Conclusion::Unavailable(Failure::Closed);
    let revoked = Conclusion::Unavailable(Failure::AuthorizationRevoked);
    assert_eq!(of("superseded", "active"), Conclusion::Superseded);
    assert_eq!(of("superseded", "closed"), closed);
    assert_eq!(of("closed", "superseded"), closed);
    assert_eq!(of("closed", "authorization-revoked"), revoked);
    assert_eq!(of("authorization-revoked", "active"), revoked);
}

#[test]
fn a_run_that_was_active_and_did_not_run_is_refused() {
    let not_run = outcome(r#"{"result":"not-run"}"#);
    let active = facts("active");
    let found = conclude(&delivery(), &check(), &active, &not_run, &active);
    assert_eq!(found, Err(ConclusionError::NotRun));
}
