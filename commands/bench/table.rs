//! The answer for a person.

use std::fmt::Write;

use amiss::bench::{Bench, Figure, Medium, Times};
use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, Table};

/// The whole answer as text.
pub fn render(bench: &Bench) -> String {
    let mut text = String::new();
    if let Some(medium) = &bench.medium {
        let _ = writeln!(text, "{}", bare_disk(medium));
    }
    let _ = writeln!(text, "{}", figures(bench));
    if let Some(comparison) = &bench.comparison {
        let mut table = columns_of(&[
            "operation",
            "rows",
            "of earlier",
            "spread",
            "in replacements",
            "",
        ]);
        for ratio in comparison {
            table.add_row(vec![
                ratio.operation.clone(),
                number(ratio.rows),
                format!("{:.2}", ratio.of_earlier),
                format!("{:.2} to {:.2}", ratio.spread_low, ratio.spread_high),
                ratio
                    .of_earlier_in_replacements
                    .map_or_else(String::new, |ratio| format!("{ratio:.2}")),
                format!("{:?}", ratio.changed).to_lowercase(),
            ]);
        }
        let _ = writeln!(text, "{table}");
    }
    let place = bench.medium.as_ref().map_or("machine", |_| "disk");
    if bench.verdict.good_enough {
        let _ = write!(text, "This {place} is good enough.");
    } else {
        let _ = write!(text, "This {place} is not good enough:");
        for reason in &bench.verdict.reasons {
            let _ = write!(text, "\n  - {reason}");
        }
    }
    text
}

fn bare_disk(medium: &Medium) -> Table {
    let mut table = columns_of(&["the bare disk", "median", "p95"]);
    let lines: [(&str, &Times); 5] = [
        ("replacement of 1.5 KiB", &medium.replacement),
        ("the same without syncs", &medium.replacement_without_syncs),
        ("4 KiB overwritten and synced", &medium.file_sync),
        ("1 MiB overwritten and synced", &medium.large_sync),
        ("rename and folder sync", &medium.folder_sync),
    ];
    for (name, times) in lines {
        table.add_row(vec![
            name.to_owned(),
            time(times.median_nanos),
            time(times.p95_nanos),
        ]);
    }
    table
}

/// What a column shows of a figure.
type Cell = fn(&Figure) -> String;

/// Every figure, in those columns in which one of them has something.
fn figures(bench: &Bench) -> Table {
    let columns: [(&str, Cell); 10] = [
        ("operation", |figure| figure.operation.clone()),
        ("rows", |figure| number(figure.rows)),
        ("median", |figure| time(figure.median_nanos)),
        ("p95", |figure| time(figure.p95_nanos)),
        ("syncs", |figure| number(figure.syncs)),
        ("of a replacement", |figure| times(figure.of_a_replacement)),
        ("of plain HMAC", |figure| times(figure.of_plain_hmac)),
        ("of an empty root", |figure| times(figure.of_an_empty_root)),
        ("a second", |figure| whole(figure.per_second)),
        ("bound", bound),
    ];
    let used: Vec<_> = columns
        .into_iter()
        .filter(|(_, cell)| bench.figures.iter().any(|figure| !cell(figure).is_empty()))
        .collect();
    let names: Vec<&str> = used.iter().map(|(name, _)| *name).collect();
    let mut table = columns_of(&names);
    for figure in &bench.figures {
        let cells: Vec<String> = used.iter().map(|(_, cell)| cell(figure)).collect();
        table.add_row(cells);
    }
    table
}

fn bound(figure: &Figure) -> String {
    let Some(bound) = &figure.bound else {
        return String::new();
    };
    let mut parts = Vec::new();
    if let Some(syncs) = bound.syncs {
        parts.push(format!("{syncs} syncs"));
    }
    if let Some(ratio) = bound.of_a_replacement {
        parts.push(format!("{ratio}"));
    }
    if let Some(ratio) = bound.of_plain_hmac {
        parts.push(format!("{ratio}"));
    }
    if let Some(ratio) = bound.of_an_empty_root {
        parts.push(format!("{ratio}"));
    }
    if let Some(nanos) = bound.median_nanos {
        parts.push(time(nanos));
    }
    if let Some(rate) = bound.at_most_per_second {
        parts.push(format!("at most {rate:.0} a second"));
    }
    if let Some(rate) = bound.per_second {
        parts.push(format!("{rate:.0} a second"));
    }
    let verdict = if bound.held { "held" } else { "NOT held" };
    format!("{}: {verdict}", parts.join(", "))
}

fn columns_of(names: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY).set_header(names);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn times(ratio: Option<f64>) -> String {
    ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"))
}

fn whole(rate: Option<f64>) -> String {
    rate.map_or_else(String::new, |rate| format!("{rate:.0}"))
}

fn number(number: Option<u64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// A time in the unit that a person reads best.
fn time(nanos: u64) -> String {
    let seconds = std::time::Duration::from_nanos(nanos).as_secs_f64();
    if seconds >= 1.0 {
        format!("{seconds:.2} s")
    } else if seconds >= 0.001 {
        format!("{:.2} ms", seconds * 1e3)
    } else {
        format!("{:.0} µs", seconds * 1e6)
    }
}
