//! `amiss ledger check`.

use amiss::code::Code;
use amiss::ledger::file::Checked;
use amiss::words::counted;
use clap::Args;
use serde::Serialize;

use super::open::LedgerArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, complain, fail};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss ledger check --root /var/lib/amiss | jq '.check.defects'")]
pub struct Arguments {
    #[command(flatten)]
    ledger: LedgerArgs,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Printed {
    check: CheckMember,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct CheckMember {
    rows: u64,
    reports: u64,
    defects: Vec<DefectMember>,
    notes: Vec<NoteMember>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct DefectMember {
    file: String,
    problem: String,
    remedy: String,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct NoteMember {
    file: String,
    note: String,
}

pub fn run(arguments: &Arguments) -> Status {
    let checked = match check(arguments) {
        Ok(checked) => checked,
        Err(failure) => return fail(failure),
    };
    let mut status = Status::OK;
    if let Some(first) = checked.defects.first() {
        let message = format!(
            "{}, the first in {}: {}",
            counted(
                u64::try_from(checked.defects.len()).unwrap_or(u64::MAX),
                "defect",
                "defects"
            ),
            first.file,
            first.problem
        );
        complain(
            &Failure::new(Code::RootCorrupt, message)
                .hint("the answer names each, with its remedy"),
        );
        status = Status::of(Code::RootCorrupt);
    }
    status.keep_first(Output::new().print(&Printed {
        check: CheckMember::of(checked),
    }));
    status
}

fn check(arguments: &Arguments) -> Result<Checked, Failure> {
    let ledger = arguments.ledger.open()?;
    Ok(ledger.root().check()?)
}

impl CheckMember {
    fn of(checked: Checked) -> CheckMember {
        CheckMember {
            rows: checked.rows,
            reports: checked.reports,
            defects: checked
                .defects
                .into_iter()
                .map(|defect| DefectMember {
                    file: defect.file,
                    problem: defect.problem,
                    remedy: defect.remedy,
                })
                .collect(),
            notes: checked
                .notes
                .into_iter()
                .map(|note| NoteMember {
                    file: note.file,
                    note: note.note,
                })
                .collect(),
        }
    }
}
