//! Many operations under one barrier.

use amiss::delivery::{AcceptedDelivery, Lease};
use amiss::ledger::file::{ClaimRequest, CompleteRequest, RenewRequest, StageRequest};
use amiss::ledger::{Claim, DeliveryLedger, ReportInput, Saved, StageOutcome};

use super::ledger::{Played, hold};
use super::play::Play;
use super::scene::{LEASE, NOW, check, delivery, facts, publication};

fn claim_both(play: &mut Play, rows: &[AcceptedDelivery], now: i64) -> Vec<Lease> {
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

fn stage_both(play: &mut Play, rows: &[AcceptedDelivery], leases: &[Lease]) -> Vec<Saved> {
    let publication = publication("pass", None);
    play.act("stages", NOW + LEASE + 2, |ledger| {
        let report = b"the report";
        let (mut one, mut other) = (report.as_slice(), report.as_slice());
        let sources: [&mut dyn std::io::Read; 2] = [&mut one, &mut other];
        let mut requests: Vec<StageRequest<'_, '_>> = rows
            .iter()
            .zip(leases)
            .zip(sources)
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
    claim_both(&mut play, &rows, NOW + 1);
    play.settle();
    let leases = claim_both(&mut play, &rows, NOW + LEASE + 1);
    play.act("renewals", NOW + LEASE + 1, |ledger| {
        let mut requests: Vec<RenewRequest<'_>> = rows
            .iter()
            .zip(&leases)
            .map(|(delivery, lease)| RenewRequest { delivery, lease })
            .collect();
        ledger.renew_many(&mut requests).unwrap().len()
    });
    play.settle();
    let saved = stage_both(&mut play, &rows, &leases);
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
