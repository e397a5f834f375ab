//! A figure from its samples.

use std::time::Duration;

use super::document::{Bound, Figure};
use super::samples::{Samples, nanos, ratio};

impl Figure {
    /// Times, and nothing that they are compared with.
    pub(super) fn of(operation: &str, rows: Option<u64>, samples: &Samples) -> Figure {
        Figure {
            operation: operation.to_owned(),
            rows,
            median_nanos: nanos(samples.median()),
            p95_nanos: nanos(samples.percentile(95)),
            samples_nanos: samples.nanos(),
            syncs: None,
            of_a_replacement: None,
            of_plain_hmac: None,
            of_an_empty_root: None,
            per_second: None,
            bound: None,
        }
    }

    /// One that is judged by its rate; each sample is the time of one.
    pub(super) fn rated(
        operation: &str,
        rows: Option<u64>,
        samples: &Samples,
        least: Option<f64>,
    ) -> Figure {
        let per_second = rate(samples.median(), 1);
        Figure {
            per_second,
            bound: least.map(|least| Bound {
                per_second: Some(least),
                held: per_second.is_some_and(|rate| rate >= least),
                ..Bound::default()
            }),
            ..Figure::of(operation, rows, samples)
        }
    }
}

/// How many a second, when `count` take `time`.
pub(super) fn rate(time: Duration, count: u32) -> Option<f64> {
    ratio(Duration::from_secs(u64::from(count)), time)
}

/// One part of `count`.
pub(super) fn share(time: Duration, count: u64) -> Duration {
    time.checked_div(u32::try_from(count).unwrap_or(u32::MAX))
        .unwrap_or(time)
}
