//! `amiss ledger list`.

use amiss::code::Code;
use amiss::delivery::DeliveryKey;
use amiss::delivery::text::Namespace;
use amiss::ledger::file::{LedgerError, Listed, RowState, RowView, Wanted};
use amiss::words::counted;
use clap::{Args, ValueEnum};
use comfy_table::{Table, presets};
use serde::Serialize;

use super::format::{Format, FormatArgs};
use super::open::LedgerArgs;
use crate::failure::Failure;
use crate::stream::{Output, Status, complain, fail};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss ledger list --root /var/lib/amiss --state running --format json")]
pub struct Arguments {
    #[command(flatten)]
    ledger: LedgerArgs,
    #[command(flatten)]
    format: FormatArgs,
    /// Only rows in this state
    #[arg(long, value_name = "STATE", value_enum)]
    state: Option<State>,
    /// Only done rows past their end
    #[arg(long, conflicts_with_all = ["stuck", "state"])]
    expired: bool,
    /// Only bounded rows past their end that never finished
    #[arg(long)]
    stuck: bool,
    /// Only rows of this kind of forge
    #[arg(long, value_name = "NAMESPACE")]
    provider: Option<Namespace>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    /// Held, or held once
    Running,
    /// Waiting to be published
    Staged,
    /// Ended
    Done,
}

#[derive(Serialize)]
struct Printed<'a> {
    row: &'a RowView,
}

#[derive(Serialize)]
struct PrintedDamaged<'a> {
    row: Damaged<'a>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Damaged<'a> {
    key: &'a DeliveryKey,
    damaged: &'a str,
}

/// A line, as its schema has it.
#[derive(schemars::JsonSchema)]
#[allow(dead_code, reason = "it is read by the schema alone")]
pub struct Line<'a> {
    row: RowOrDamaged<'a>,
}

#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "it is read by the schema alone")]
pub enum RowOrDamaged<'a> {
    Row(Box<RowView>),
    Damaged(Damaged<'a>),
}

/// Text that is written in one go; and rows of one table.
const BLOCK: usize = 64 * 1024;
const TABLE_ROWS: usize = 1000;

/// Rows on their way out, never all of them at once.
struct Lines<'a> {
    output: &'a mut Output,
    format: Format,
    text: String,
    table: Table,
    rows: usize,
    status: Status,
}

impl Lines<'_> {
    fn new(output: &mut Output, format: Format) -> Lines<'_> {
        Lines {
            output,
            format,
            text: String::new(),
            table: new_table(),
            rows: 0,
            status: Status::OK,
        }
    }

    fn add<T: Serialize>(&mut self, line: &T, cells: Vec<String>) {
        match self.format {
            Format::Json => match serde_json::to_string(line) {
                Ok(line) => {
                    self.text.push_str(&line);
                    self.text.push('\n');
                }
                Err(error) => {
                    complain(&Failure::new(Code::Internal, error.to_string()));
                    self.status.keep_first(Status::of(Code::Internal));
                }
            },
            Format::Table => {
                self.table.add_row(cells);
                self.rows = self.rows.saturating_add(1);
            }
        }
        if self.text.len() >= BLOCK || self.rows >= TABLE_ROWS {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.rows > 0 {
            self.text.push_str(&self.table.to_string());
            self.table = new_table();
            self.rows = 0;
        }
        let text = std::mem::take(&mut self.text);
        let text = text.trim_end_matches('\n');
        if !text.is_empty() {
            self.status.keep_first(self.output.write_line(text));
        }
    }
}

fn new_table() -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["STATE", "KEY", "FENCE", "LAST SEEN", "PROVIDER", "DELIVERY"]);
    table
}

pub fn run(arguments: &Arguments) -> Status {
    let mut output = Output::new();
    let mut lines = Lines::new(&mut output, arguments.format.chosen());
    let mut damaged = 0_u64;
    let listed = list(arguments, &mut |listed| {
        match &listed {
            Listed::Row(row) => {
                let wanted = arguments
                    .provider
                    .as_ref()
                    .is_none_or(|provider| row.identity.provider.namespace == *provider);
                if wanted {
                    lines.add(&Printed { row }, cells(row));
                }
            }
            Listed::Damaged { key, reason } => {
                damaged = damaged.saturating_add(1);
                let line = PrintedDamaged {
                    row: Damaged {
                        key,
                        damaged: reason,
                    },
                };
                lines.add(&line, vec!["damaged".into(), key.to_string()]);
            }
        }
        Ok(())
    });
    lines.flush();
    let mut status = lines.status;
    if let Err(failure) = listed {
        status.keep_first(fail(failure));
    }
    if damaged > 0 {
        complain(
            &Failure::new(
                Code::RootCorrupt,
                counted(damaged, "row is damaged", "rows are damaged"),
            )
            .hint("`amiss ledger check` names every defect and its remedy"),
        );
        status.keep_first(Status::of(Code::RootCorrupt));
    }
    status
}

fn list(
    arguments: &Arguments,
    sink: &mut dyn FnMut(Listed) -> Result<(), LedgerError>,
) -> Result<(), Failure> {
    let ledger = arguments.ledger.open()?;
    let state = arguments.state.map(|state| match state {
        State::Running => RowState::Running,
        State::Staged => RowState::Staged,
        State::Done => RowState::Done,
    });
    let wanted = match (arguments.expired, arguments.stuck) {
        (true, _) => Wanted::Expired,
        (_, true) => Wanted::Stuck,
        _ => Wanted::All,
    };
    let clock = arguments.ledger.clock.time.clock();
    Ok(ledger.root().list(&*clock, state, wanted, sink)?)
}

fn cells(row: &RowView) -> Vec<String> {
    vec![
        row.state.name().to_owned(),
        row.key.to_string(),
        row.fence.to_string(),
        super::when::at(row.last_seen),
        format!(
            "{} {}",
            row.identity.provider.namespace, row.identity.provider.instance
        ),
        row.identity.delivery.to_string(),
    ]
}
