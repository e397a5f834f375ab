//! Many operations under one barrier.

use std::path::Path;

use amiss::delivery::{AcceptedDelivery, Lease};
use amiss::durable::Step;
use amiss::ledger::file::{ClaimRequest, CompleteRequest, RenewRequest, StageRequest};
use amiss::ledger::{Claim, DeliveryLedger, ReportInput, Saved, StageOutcome};

use super::ledger::{Played, hold};
use super::play::Play;
use super::scene::{LEASE, NOW, check, delivery, facts, publication};

fn claim_all(play: &mut Play, rows: &[AcceptedDelivery], now: i64) -> Vec<Lease> {
    let check = check();
    play.act("claims", now, |ledger| {
        let mut requests: Vec<ClaimRequest<'_>> = rows
            .iter()
            .map(|delivery| ClaimRequest {
                delivery,
                check: &check,
                held: None,
            })
            .collect();
        let answers = ledger.claim_many(&mut requests).unwrap();
        answers
            .into_iter()
            .map(|answer| match answer.unwrap() {
                Claim::Execute(lease) => lease,
                other => panic!("{other:?}"),
            })
            .collect()
    })
}

fn stage_all(play: &mut Play, rows: &[AcceptedDelivery], leases: &[Lease]) -> Vec<Saved> {
    let publication = publication("pass", None);
    play.act("stages", NOW + LEASE + 2, |ledger| {
        let report = b"the report";
        let mut sources = vec![report.as_slice(); rows.len()];
        let mut requests: Vec<StageRequest<'_, '_>> = rows
            .iter()
            .zip(leases)
            .zip(&mut sources)
            .map(|((delivery, lease), source)| StageRequest {
                delivery,
                lease,
                publication: &publication,
                report: Some(ReportInput {
                    expected: facts(report),
                    source,
                }),
            })
            .collect();
        let answers = ledger.stage_many(&mut requests).unwrap();
        answers
            .into_iter()
            .map(|answer| match answer.unwrap() {
                StageOutcome::Staged(saved) => *saved,
                other => panic!("{other:?}"),
            })
            .collect()
    })
}

/// Two deliveries through all four commands, claimed twice.
pub fn batches() -> Played {
    let rows: Vec<AcceptedDelivery> = ["one", "two"]
        .into_iter()
        .map(|id| delivery(id, None))
        .collect();
    let mut play = Play::prepared(NOW, 4);
    claim_all(&mut play, &rows, NOW + 1);
    play.settle();
    let leases = claim_all(&mut play, &rows, NOW + LEASE + 1);
    play.act("renewals", NOW + LEASE + 1, |ledger| {
        let mut requests: Vec<RenewRequest<'_>> = rows
            .iter()
            .zip(&leases)
            .map(|(delivery, lease)| RenewRequest { delivery, lease })
            .collect();
        ledger.renew_many(&mut requests).unwrap().len()
    });
    play.settle();
    let saved = stage_all(&mut play, &rows, &leases);
    play.settle();
    play.act("completions", NOW + LEASE + 3, |ledger| {
        let mut requests: Vec<CompleteRequest<'_>> = rows
            .iter()
            .zip(&saved)
            .map(|(delivery, saved)| CompleteRequest { delivery, saved })
            .collect();
        ledger.complete_many(&mut requests).unwrap().len()
    });
    play.act("claim, duplicate", NOW + LEASE + 4, |ledger| {
        ledger.claim(&rows[0], &check(), None).unwrap()
    });
    (play, rows)
}

#[test]
fn every_crash_state_of_batches_is_each_row_before_or_after_its_own_change() {
    hold("batches", &batches());
}

/// Where a step of the list is, from a place on.
fn next(steps: &[Step], from: usize, wanted: impl Fn(&Step) -> bool) -> usize {
    let found = steps[from..].iter().position(wanted);
    from + found.unwrap_or_else(|| panic!("not in {:?}", &steps[from..]))
}

fn is_root_sync(step: &Step) -> bool {
    matches!(step, Step::SyncDir(path) if path.as_os_str().is_empty())
}

fn becomes(step: &Step, is: impl Fn(&Path) -> bool) -> bool {
    matches!(step, Step::Rename(_, to) if is(to))
}

fn is_row(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "state") && !is_capacity(path)
}

fn is_report(path: &Path) -> bool {
    !is_row(path) && !is_capacity(path)
}

fn is_capacity(path: &Path) -> bool {
    path == Path::new(".amiss-capacity.state")
}

/// Every file is synced between its last byte and its name.
fn every_file_is_whole_before_it_has_its_name(steps: &[Step]) {
    for (at, step) in steps.iter().enumerate() {
        let Step::Rename(from, to) = step else {
            continue;
        };
        let last = steps[..at]
            .iter()
            .rposition(
                |step| matches!(step, Step::Append(path, _) | Step::SyncFile(path) if path == from),
            )
            .unwrap();
        assert!(matches!(steps[last], Step::SyncFile(_)), "{}", to.display());
    }
}

/// More rows than are written at a time: the states of so many would be too many to go through, so
/// the order is held that the states of two rest on.
#[test]
fn a_large_batch_keeps_the_order_of_a_small_one_with_a_few_temporary_folders() {
    let rows: Vec<AcceptedDelivery> = (0..20)
        .map(|number| delivery(&format!("number-{number}"), None))
        .collect();
    let mut play = Play::prepared(NOW, 20);
    let leases = claim_all(&mut play, &rows, NOW + LEASE + 1);
    let claims = std::mem::take(&mut play.steps);
    every_file_is_whole_before_it_has_its_name(&claims);
    let marker = next(&claims, 0, |step| becomes(step, is_capacity));
    let announced = next(&claims, marker, is_root_sync);
    let first = next(&claims, 0, |step| becomes(step, is_row));
    let last = claims
        .iter()
        .rposition(|step| becomes(step, is_row))
        .unwrap();
    let durable = next(&claims, last, is_root_sync);
    let settled = next(&claims, marker + 1, |step| becomes(step, is_capacity));
    let order = [marker, announced, first, last, durable, settled];
    assert!(order.is_sorted(), "{order:?}");

    stage_all(&mut play, &rows, &leases);
    let stages = std::mem::take(&mut play.steps);
    every_file_is_whole_before_it_has_its_name(&stages);
    let reports = stages.iter().rposition(|step| becomes(step, is_report));
    let durable = next(&stages, reports.unwrap(), is_root_sync);
    let first = next(&stages, 0, |step| becomes(step, is_row));
    let last = stages
        .iter()
        .rposition(|step| becomes(step, is_row))
        .unwrap();
    let order = [
        reports.unwrap(),
        durable,
        first,
        last,
        next(&stages, last, is_root_sync),
    ];
    assert!(order.is_sorted(), "{order:?}");

    for steps in [claims, stages] {
        let syncs = steps.iter().filter(|step| is_root_sync(step)).count();
        assert_eq!(syncs, 2);
        let made = steps.iter().filter(|step| matches!(step, Step::MakeDir(_)));
        assert!(made.count() <= 16, "twice as many as are written at a time");
    }
}
