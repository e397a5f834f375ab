//! Documents that are answered together: each is prepared on its own, all act at once, each answer
//! goes into its own envelope (page 6.1).

use amiss::clock::Clock;
use amiss::delivery::Envelope;
use amiss::ledger::file::{Answers, FileLedger};

use crate::failure::Failure;
use crate::stream::Answer;

/// The ledger of a command, or why it cannot be opened: told to each document that needs it.
pub type Opened = Result<FileLedger<Box<dyn Clock>>, Failure>;

/// One step of many documents.
pub trait Step {
    /// What a document asks for.
    type Prepared;
    /// What the record answers.
    type Answered;

    /// Reads a document; `None` passes it on.
    fn prepare(&self, envelope: &Envelope) -> Result<Option<Self::Prepared>, Failure>;

    /// Asks the record for all of them.
    fn act(
        &self,
        ledger: &FileLedger<Box<dyn Clock>>,
        prepared: &mut [Self::Prepared],
    ) -> Answers<Self::Answered>;

    /// Writes an answer, or the error in its place; the failure is printed beside it.
    fn write(
        &self,
        ledger: &FileLedger<Box<dyn Clock>>,
        envelope: &mut Envelope,
        prepared: &Self::Prepared,
        answered: Result<Self::Answered, Failure>,
    ) -> Result<Option<Failure>, Failure>;
}

/// Answers a batch, in order.
pub fn answer<S: Step>(step: &S, opened: &Opened, envelopes: Vec<Envelope>) -> Vec<Answer> {
    let mut prepared = Vec::new();
    let read: Vec<(Envelope, Result<bool, Failure>)> = envelopes
        .into_iter()
        .map(|envelope| {
            let asked = step.prepare(&envelope).map(|one| {
                let asks = one.is_some();
                prepared.extend(one);
                asks
            });
            (envelope, asked)
        })
        .collect();
    let mut answers = ask(step, opened, &mut prepared).into_iter();
    let mut prepared = prepared.iter();
    read.into_iter()
        .map(|(mut envelope, asked)| {
            let written = match asked {
                Err(failure) => Err(failure),
                Ok(false) => Ok(None),
                Ok(true) => match (opened, prepared.next(), answers.next()) {
                    (Ok(ledger), Some(prepared), Some(answered)) => {
                        step.write(ledger, &mut envelope, prepared, answered)
                    }
                    (Err(failure), ..) => Err(failure.clone()),
                    _ => Err(Failure::new(
                        amiss::code::Code::Internal,
                        "a document of a batch was not answered",
                    )),
                },
            };
            match written {
                Ok(None) => Answer::done(envelope),
                Ok(Some(failure)) | Err(failure) => Answer::refused(envelope, failure),
            }
        })
        .collect()
}

fn ask<S: Step>(
    step: &S,
    opened: &Opened,
    prepared: &mut [S::Prepared],
) -> Vec<Result<S::Answered, Failure>> {
    let Ok(ledger) = opened else {
        return Vec::new();
    };
    if prepared.is_empty() {
        return Vec::new();
    }
    match step.act(ledger, prepared) {
        Ok(answers) => answers
            .into_iter()
            .map(|answer| answer.map_err(Failure::from))
            .collect(),
        Err(error) => {
            let failure = Failure::from(error);
            prepared.iter().map(|_| Err(failure.clone())).collect()
        }
    }
}
