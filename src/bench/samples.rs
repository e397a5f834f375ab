//! The times of one thing, measured again and again.

use std::time::{Duration, Instant};

/// Times in the order in which they were measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples(Vec<Duration>);

impl Samples {
    /// None yet.
    #[must_use]
    pub const fn new() -> Samples {
        Samples(Vec::new())
    }

    /// From whole nanoseconds, as a document holds them.
    #[must_use]
    pub fn from_nanos(nanos: &[u64]) -> Samples {
        Samples(nanos.iter().copied().map(Duration::from_nanos).collect())
    }

    /// One more.
    pub fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Times one call and keeps the time when it went well.
    ///
    /// # Errors
    /// What the call answers.
    pub fn time<T, E>(&mut self, call: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let started = Instant::now();
        let value = call()?;
        self.push(started.elapsed());
        Ok(value)
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// None.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them in whole nanoseconds, in order.
    #[must_use]
    pub fn nanos(&self) -> Vec<u64> {
        self.0.iter().copied().map(nanos).collect()
    }

    /// The time below which `percent` of a hundred samples lie (nearest rank); zero without samples.
    #[must_use]
    pub fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = sorted.len().saturating_mul(percent).div_ceil(100);
        sorted
            .get(rank.saturating_sub(1))
            .copied()
            .unwrap_or_default()
    }

    /// The middle one.
    #[must_use]
    pub fn median(&self) -> Duration {
        self.percentile(50)
    }

    /// How many times the median of `other` this median is; `None` where that one is zero.
    #[must_use]
    pub fn ratio_to(&self, other: &Samples) -> Option<f64> {
        ratio(self.median(), other.median())
    }
}

/// Whole nanoseconds; 584 years are enough for every measurement.
pub(super) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// One time in units of another, to three digits after the point.
pub(super) fn ratio(time: Duration, unit: Duration) -> Option<f64> {
    (!unit.is_zero()).then(|| round(time.as_secs_f64() / unit.as_secs_f64()))
}

/// Three digits after the point: more would be noise.
pub(super) fn round(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(micros: &[u64]) -> Samples {
        Samples(
            micros
                .iter()
                .map(|one| Duration::from_micros(*one))
                .collect(),
        )
    }

    #[test]
    fn percentiles_are_measured_values_by_nearest_rank() {
        let one = samples(&[5]);
        assert_eq!(one.median(), Duration::from_micros(5));
        assert_eq!(one.percentile(95), Duration::from_micros(5));
        let ten = samples(&[10, 1, 9, 2, 8, 3, 7, 4, 6, 5]);
        assert_eq!(ten.median(), Duration::from_micros(5));
        assert_eq!(ten.percentile(95), Duration::from_micros(10));
        assert_eq!(ten.percentile(25), Duration::from_micros(3));
        assert_eq!(Samples::new().median(), Duration::ZERO);
    }

    #[test]
    fn a_ratio_needs_a_unit() {
        assert_eq!(samples(&[3]).ratio_to(&samples(&[2])), Some(1.5));
        assert_eq!(samples(&[3]).ratio_to(&Samples::new()), None);
    }

    #[test]
    fn a_failed_call_is_no_sample() {
        let mut samples = Samples::new();
        assert_eq!(samples.time(|| Err::<(), _>("no")), Err("no"));
        assert!(samples.is_empty());
        assert_eq!(samples.time(|| Ok::<_, ()>(7)), Ok(7));
        assert_eq!(samples.len(), 1);
    }
}
