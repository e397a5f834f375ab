//! The answer for a person.

use std::fmt::Write;

use amiss::bench::{Bench, Figure, Times};
use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, Table};

/// The whole answer as text.
pub fn render(bench: &Bench) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", medium(bench));
    let _ = writeln!(text, "{}", figures(bench));
    if let Some(comparison) = &bench.comparison {
        let mut table = columns(&[
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
    if bench.verdict.good_enough {
        text.push_str("This disk is good enough.");
    } else {
        text.push_str("This disk is not good enough:");
        for reason in &bench.verdict.reasons {
            let _ = write!(text, "\n  - {reason}");
        }
    }
    text
}

fn medium(bench: &Bench) -> Table {
    let medium = &bench.medium;
    let mut table = columns(&["the bare disk", "median", "p95"]);
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

fn figures(bench: &Bench) -> Table {
    let mut table = columns(&[
        "operation",
        "rows",
        "median",
        "p95",
        "syncs",
        "of a replacement",
        "a second",
        "bound",
    ]);
    for figure in &bench.figures {
        table.add_row(vec![
            figure.operation.clone(),
            number(figure.rows),
            time(figure.median_nanos),
            time(figure.p95_nanos),
            number(figure.syncs),
            figure
                .of_a_replacement
                .map_or_else(String::new, |ratio| format!("{ratio:.2}")),
            figure
                .per_second
                .map_or_else(String::new, |rate| format!("{rate:.0}")),
            bound(figure),
        ]);
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
    if let Some(rate) = bound.per_second {
        parts.push(format!("{rate:.0} a second"));
    }
    let verdict = if bound.held { "held" } else { "NOT held" };
    format!("{}: {verdict}", parts.join(", "))
}

fn columns(names: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY).set_header(names);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
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
