//! The figures and the one table.

use std::time::Duration;

use amiss::bench::Samples;
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use serde_json::json;

use crate::contender::Contender;

/// How an operation is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    InProcess,
    Fresh,
    OneInput,
}

impl Mode {
    const fn name(self) -> &'static str {
        match self {
            Mode::InProcess => "in process",
            Mode::Fresh => "fresh process",
            Mode::OneInput => "many documents on one input",
        }
    }
}

struct Line {
    operation: String,
    rows: u64,
    mode: Mode,
    contender: Contender,
    times: Samples,
    units: Samples,
    /// Whether the samples are of one delivery of a batch.
    is_rate: bool,
}

/// Everything that was measured.
pub struct Report {
    replacements: Samples,
    lines: Vec<Line>,
}

impl Report {
    pub const fn new() -> Report {
        Report {
            replacements: Samples::new(),
            lines: Vec::new(),
        }
    }

    /// One bare replacement.
    pub fn unit(&mut self, time: Duration) {
        self.replacements.push(time);
    }

    fn line(
        &mut self,
        operation: &str,
        rows: u64,
        mode: Mode,
        contender: Contender,
        is_rate: bool,
    ) -> &mut Line {
        let found = self.lines.iter().position(|line| {
            line.operation == operation
                && line.rows == rows
                && line.mode == mode
                && line.contender == contender
        });
        let index = found.unwrap_or_else(|| {
            self.lines.push(Line {
                operation: operation.to_owned(),
                rows,
                mode,
                contender,
                times: Samples::new(),
                units: Samples::new(),
                is_rate,
            });
            self.lines.len() - 1
        });
        &mut self.lines[index]
    }

    /// One operation.
    pub fn time(
        &mut self,
        operation: &str,
        rows: u64,
        mode: Mode,
        contender: Contender,
        time: Duration,
        unit: Duration,
    ) {
        let line = self.line(operation, rows, mode, contender, false);
        line.times.push(time);
        line.units.push(unit);
    }

    /// A batch of whole deliveries.
    pub fn rate(
        &mut self,
        rows: u64,
        mode: Mode,
        workers: u64,
        contender: Contender,
        batch: u64,
        time: Duration,
    ) {
        let operation = match workers {
            1 => "deliveries a second, 1 worker".to_owned(),
            more => format!("deliveries a second, {more} workers"),
        };
        let line = self.line(&operation, rows, mode, contender, true);
        line.times
            .push(time / u32::try_from(batch).unwrap_or(u32::MAX));
    }

    /// The table, in Markdown.
    pub fn table(&self, contenders: &[Contender]) -> String {
        let mut table = Table::new();
        table.load_preset(ASCII_MARKDOWN).set_header([
            "operation",
            "rows",
            "how",
            "amiss",
            "SQLite",
            "redb",
            "of SQLite",
            "of a replacement",
        ]);
        table.add_row([
            "minimal replacement",
            "",
            "bare",
            &shown(&self.replacements, false),
            "",
            "",
            "",
            "1",
        ]);
        for first in self.lines.iter().filter(|line| self.is_first(line)) {
            let find = |contender: Contender| {
                self.lines.iter().find(|line| {
                    line.contender == contender
                        && line.operation == first.operation
                        && line.rows == first.rows
                        && line.mode == first.mode
                })
            };
            let mut cells = vec![
                first.operation.clone(),
                first.rows.to_string(),
                first.mode.name().to_owned(),
            ];
            for contender in contenders {
                cells.push(
                    find(*contender)
                        .map_or_else(String::new, |line| shown(&line.times, line.is_rate)),
                );
            }
            let both = find(Contender::Amiss).zip(find(Contender::Sqlite));
            cells.push(both.map_or_else(String::new, |(amiss, sqlite)| {
                let (this, that) = if amiss.is_rate {
                    (&sqlite.times, &amiss.times)
                } else {
                    (&amiss.times, &sqlite.times)
                };
                text(this.ratio_to(that))
            }));
            cells.push(
                find(Contender::Amiss)
                    .map_or_else(String::new, |line| text(line.times.ratio_to(&line.units))),
            );
            table.add_row(cells);
        }
        for column in table.column_iter_mut().skip(3) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }

    /// Whether no earlier line is about the same thing.
    fn is_first(&self, line: &Line) -> bool {
        self.lines
            .iter()
            .find(|other| {
                other.operation == line.operation
                    && other.rows == line.rows
                    && other.mode == line.mode
            })
            .is_some_and(|other| std::ptr::eq(other, line))
    }

    /// All samples.
    pub fn json(&self) -> anyhow::Result<Vec<u8>> {
        let lines: Vec<_> = self
            .lines
            .iter()
            .map(|line| {
                json!({
                    "operation": line.operation,
                    "rows": line.rows,
                    "how": line.mode.name(),
                    "contender": line.contender.name(),
                    "samples_nanos": line.times.nanos(),
                    "replacements_nanos": line.units.nanos(),
                })
            })
            .collect();
        let all = json!({
            "schema": "amiss/side-by-side/v1",
            "replacement_nanos": self.replacements.nanos(),
            "figures": lines,
        });
        Ok(serde_json::to_vec(&all)?)
    }
}

/// Median and p95 in milliseconds, or deliveries a second.
fn shown(samples: &Samples, is_rate: bool) -> String {
    let seconds = samples.median().as_secs_f64();
    if is_rate {
        return format!("{:.0}", 1.0 / seconds);
    }
    format!(
        "{:.2} ({:.2}) ms",
        seconds * 1e3,
        samples.percentile(95).as_secs_f64() * 1e3
    )
}

fn text(ratio: Option<f64>) -> String {
    ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"))
}
