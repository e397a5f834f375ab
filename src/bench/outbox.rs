//! The origin outbox: what an enqueue costs however much there is, how soon a push begins, what
//! slow origins cost together, and what an idle watcher costs (page 6.1).

mod host;
mod origins;
mod watcher;

use std::path::Path;

use self::host::Host;
use super::Watch;
use super::document::{Bound, Figure};
use super::error::BenchError;
use super::medium::minimal_replacement;
use super::options::Options;
use super::samples::Samples;

/// An enqueue at any number of deliveries takes at most so many times that of an empty root. What
/// is above 1 is room for the noise between two medians, not for growth.
const OF_AN_EMPTY_ROOT: f64 = 1.25;

/// Measures an empty root beside each other one, sample by sample, so that both meet the same
/// moments of the disk.
pub(super) fn measure(
    options: &Options,
    place: &Path,
    watch: &mut dyn Watch,
) -> Result<Vec<Figure>, BenchError> {
    let mut figures: Vec<Figure> = Vec::new();
    for rows in &options.rows {
        let folder = place.join(format!("rows-{rows}"));
        std::fs::create_dir(&folder).map_err(|source| BenchError::io("make", &folder, source))?;
        let empty = Host::make(&folder.join("empty"), 0, watch)?;
        let full = Host::make(&folder.join("full"), *rows, watch)?;
        let first = figures.is_empty();
        figures.extend(enqueues(options, &folder, &empty, &full, watch)?);
        if let Some(program) = &options.program {
            for host in [&empty, &full] {
                figures.extend(watcher::measure(options, program, host, watch)?);
            }
        }
        if !first {
            // The empty root is there to compare with; it is told once.
            figures = without_repeats(figures);
        }
        std::fs::remove_dir_all(&folder)
            .map_err(|source| BenchError::io("remove", &folder, source))?;
    }
    if let Some(program) = &options.program {
        figures.extend(origins::measure(options, program, place, watch)?);
    }
    Ok(figures)
}

fn without_repeats(figures: Vec<Figure>) -> Vec<Figure> {
    let mut seen = std::collections::HashSet::new();
    let mut kept = figures;
    kept.retain(|figure| seen.insert((figure.operation.clone(), figure.rows)));
    kept
}

/// The times of one operation on one root, and of the replacement beside each.
#[derive(Default)]
struct Beside {
    times: Samples,
    units: Samples,
}

impl Beside {
    fn figure(&self, rows: u64) -> Figure {
        Figure {
            of_a_replacement: self.times.ratio_to(&self.units),
            ..Figure::of("enqueue", Some(rows), &self.times)
        }
    }
}

/// One enqueue on each in turn, each beside a replacement.
fn enqueues(
    options: &Options,
    folder: &Path,
    empty: &Host,
    full: &Host,
    watch: &mut dyn Watch,
) -> Result<Vec<Figure>, BenchError> {
    let (mut small, mut large) = (Beside::default(), Beside::default());
    let what = format!("{} deliveries: enqueue", full.rows());
    // The first on each makes the receipt and its directories.
    empty.enqueue("first")?;
    full.enqueue("first")?;
    for number in 0..options.samples {
        watch.progress(&what, u64::from(number), u64::from(options.samples))?;
        for (host, beside) in [(empty, &mut small), (full, &mut large)] {
            beside.units.push(minimal_replacement(folder)?);
            beside
                .times
                .time(|| host.enqueue(&format!("enqueue-{number}")).map(drop))?;
        }
    }
    let of_an_empty = large.times.ratio_to(&small.times);
    Ok(vec![
        small.figure(0),
        Figure {
            of_an_empty_root: of_an_empty,
            bound: Some(Bound {
                of_an_empty_root: Some(OF_AN_EMPTY_ROOT),
                held: of_an_empty.is_some_and(|ratio| ratio <= OF_AN_EMPTY_ROOT),
                ..Bound::default()
            }),
            ..large.figure(full.rows())
        },
    ])
}
