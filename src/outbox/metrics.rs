//! A watcher's figures in the OpenMetrics text format, for a collector that reads files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::once::Cycle;
use super::pump::{Report, Verdict};
use super::schedule::Plan;
use crate::clock::UnixMillis;
use crate::code::Code;

/// Counters since the watcher started, and the last look at the registry.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    results: Cycle,
    failures: BTreeMap<Code, u64>,
    open: usize,
    unusable: usize,
    in_work: usize,
    oldest: Option<UnixMillis>,
    looked: Option<UnixMillis>,
    written: String,
}

impl Metrics {
    /// Counts a result.
    pub fn count(&mut self, report: &Report) {
        self.results.count(report.verdict);
        let failed = matches!(report.verdict, Verdict::Retrying | Verdict::Failed);
        if let Some(code) = report.error.filter(|_| failed) {
            let slot = self.failures.entry(code).or_default();
            *slot = slot.saturating_add(1);
        }
    }

    /// Keeps what a look found.
    pub fn look(&mut self, plan: &Plan, now: UnixMillis, in_work: usize) {
        self.open = plan.open;
        self.unusable = plan.unusable;
        self.oldest = plan.oldest;
        self.in_work = in_work;
        self.looked = Some(now);
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.push_results(&mut text);
        self.push_failures(&mut text);
        let oldest = self
            .oldest
            .zip(self.looked)
            .map_or(0, |(oldest, now)| now.since(oldest).max(0));
        for (name, unit, help, value) in [
            (
                "open_deliveries",
                "",
                "Deliveries that are pending or retrying.",
                self.open.to_string(),
            ),
            (
                "unusable_entries",
                "",
                "Due entries whose intent is missing or cannot be read.",
                self.unusable.to_string(),
            ),
            (
                "origins_in_work",
                "",
                "Origins that are being pushed to.",
                self.in_work.to_string(),
            ),
            (
                "oldest_age_seconds",
                "seconds",
                "Age of the oldest open delivery.",
                seconds(oldest),
            ),
            (
                "last_look_timestamp_seconds",
                "seconds",
                "When the due registry was last read, since 1970.",
                seconds(self.looked.map_or(0, UnixMillis::get)),
            ),
        ] {
            let _ = writeln!(text, "# TYPE amiss_outbox_{name} gauge");
            if !unit.is_empty() {
                let _ = writeln!(text, "# UNIT amiss_outbox_{name} {unit}");
            }
            let _ = writeln!(text, "# HELP amiss_outbox_{name} {help}");
            let _ = writeln!(text, "amiss_outbox_{name} {value}");
        }
        text.push_str("# EOF\n");
        text
    }

    fn push_results(&self, text: &mut String) {
        text.push_str("# TYPE amiss_outbox_results counter\n");
        text.push_str("# HELP amiss_outbox_results Results of pushes since the watcher started.\n");
        let results = &self.results;
        for (name, value) in [
            ("delivered", results.delivered),
            ("superseded", results.superseded),
            ("retrying", results.retrying),
            ("failed", results.failed),
            ("skipped", results.skipped),
        ] {
            let _ = writeln!(
                text,
                "amiss_outbox_results_total{{result=\"{name}\"}} {value}"
            );
        }
    }

    fn push_failures(&self, text: &mut String) {
        text.push_str("# TYPE amiss_outbox_failures counter\n");
        text.push_str("# HELP amiss_outbox_failures Failed pushes by their code.\n");
        for (code, value) in &self.failures {
            let _ = writeln!(
                text,
                "amiss_outbox_failures_total{{code=\"{code}\"}} {value}"
            );
        }
    }

    /// Replaces the file atomically, unless it would say the same again. It can be read by
    /// everybody: a collector runs as another user, and there is no secret in it.
    ///
    /// # Errors
    /// The system's; the old file stays.
    pub fn write_if_changed(&mut self, path: &Path) -> std::io::Result<()> {
        let text = self.text();
        if text == self.written {
            return Ok(());
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut file = tempfile::Builder::new()
            .prefix(".amiss-metrics-")
            .permissions(std::fs::Permissions::from_mode(0o644))
            .tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(path).map_err(|error| error.error)?;
        self.written = text;
        Ok(())
    }
}

/// Milliseconds as seconds, exactly.
fn seconds(millis: i64) -> String {
    format!("{}.{:03}", millis.div_euclid(1000), millis.rem_euclid(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_open_metrics() {
        let mut metrics = Metrics::default();
        metrics.failures.insert(Code::OriginTimeout, 2);
        let plan = Plan {
            open: 3,
            oldest: Some(UnixMillis::new(1500).unwrap()),
            ..Plan::default()
        };
        metrics.look(&plan, UnixMillis::new(4000).unwrap(), 1);
        let text = metrics.text();
        assert!(text.ends_with("# EOF\n"));
        assert!(text.contains("amiss_outbox_failures_total{code=\"ORIGIN_TIMEOUT\"} 2\n"));
        assert!(text.contains("amiss_outbox_open_deliveries 3\n"));
        assert!(text.contains("# UNIT amiss_outbox_oldest_age_seconds seconds\n"));
        assert!(text.contains("amiss_outbox_oldest_age_seconds 2.500\n"));
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            assert_eq!(line.split(' ').count(), 2, "{line}");
        }
    }

    #[test]
    fn the_file_is_replaced_and_readable_by_a_collector() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("amiss.prom");
        let mut metrics = Metrics::default();
        metrics.write_if_changed(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), metrics.text());
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
        std::fs::remove_file(&path).unwrap();
        metrics.write_if_changed(&path).unwrap();
        assert!(!path.exists(), "nothing changed");
    }
}
