//! This answer beside an earlier one.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Bench, Document, Figure};
use super::error::BenchError;
use super::options::Part;
use super::samples::{Samples, ratio, round};
use crate::json;

/// The largest answer that is read, in bytes.
const MAX_DOCUMENT_BYTES: u64 = 64 * 1024 * 1024;

/// One figure in units of the same figure of an earlier answer: below 1 is faster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// The operation.
    pub operation: String,
    /// At how many entries.
    pub rows: Option<u64>,
    /// This median in units of the earlier one.
    pub of_earlier: f64,
    /// The faster quartile in units of the earlier slower one.
    pub spread_low: f64,
    /// The slower quartile in units of the earlier faster one.
    pub spread_high: f64,
    /// The same of the ratios to a replacement: what is left when the disk itself changed.
    pub of_earlier_in_replacements: Option<f64>,
    /// Whether the spread leaves no room for "the same".
    pub changed: Changed,
}

/// What a ratio says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Changed {
    /// Faster than the spread explains.
    Faster,
    /// Slower than the spread explains.
    Slower,
    /// Within the spread.
    Within,
}

/// The ratio of every figure that both answers have, in this answer's order.
#[must_use]
pub fn compare(now: &Bench, earlier: &Bench) -> Vec<Ratio> {
    now.figures
        .iter()
        .filter_map(|figure| {
            let same = earlier
                .figures
                .iter()
                .find(|other| other.operation == figure.operation && other.rows == figure.rows)?;
            one(figure, same)
        })
        .collect()
}

fn one(now: &Figure, earlier: &Figure) -> Option<Ratio> {
    let new = Samples::from_nanos(&now.samples_nanos);
    let old = Samples::from_nanos(&earlier.samples_nanos);
    let spread_low = ratio(new.percentile(25), old.percentile(75))?;
    let spread_high = ratio(new.percentile(75), old.percentile(25))?;
    let replacements = now.of_a_replacement.zip(earlier.of_a_replacement);
    Some(Ratio {
        operation: now.operation.clone(),
        rows: now.rows,
        of_earlier: new.ratio_to(&old)?,
        spread_low,
        spread_high,
        of_earlier_in_replacements: replacements
            .filter(|(_, that)| *that > 0.0)
            .map(|(this, that)| round(this / that)),
        changed: if spread_high < 1.0 {
            Changed::Faster
        } else if spread_low > 1.0 {
            Changed::Slower
        } else {
            Changed::Within
        },
    })
}

/// Reads an earlier answer of the same part, before anything is measured.
pub(super) fn read(path: &Path, part: Part) -> Result<Document, BenchError> {
    let refused = |reason: String| BenchError::Compare {
        path: path.to_owned(),
        reason,
    };
    let facts = std::fs::metadata(path).map_err(|error| refused(error.to_string()))?;
    if !facts.is_file() || facts.len() > MAX_DOCUMENT_BYTES {
        return Err(refused(format!(
            "it is no file of at most {MAX_DOCUMENT_BYTES} bytes"
        )));
    }
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let document: Document =
        json::parse(&text, "the earlier answer").map_err(|error| refused(error.to_string()))?;
    let earlier = document.bench.part;
    if earlier != part {
        let (earlier, part) = (earlier.name(), part.name());
        return Err(refused(format!("it measured {earlier}, this is {part}")));
    }
    Ok(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(nanos: &[u64], of_a_replacement: f64) -> Figure {
        let samples = Samples::from_nanos(nanos);
        Figure {
            operation: "renew".into(),
            rows: Some(10),
            median_nanos: 0,
            p95_nanos: 0,
            samples_nanos: samples.nanos(),
            syncs: None,
            of_a_replacement: Some(of_a_replacement),
            of_plain_hmac: None,
            of_an_empty_root: None,
            per_second: None,
            bound: None,
        }
    }

    #[test]
    fn a_change_is_only_what_the_spread_does_not_explain() {
        let old = figure(&[100, 110, 120, 130], 2.0);
        let same = one(&figure(&[105, 110, 125, 130], 2.0), &old).unwrap();
        assert_eq!(same.changed, Changed::Within);
        assert_eq!(same.of_earlier_in_replacements, Some(1.0));
        let fast = one(&figure(&[50, 55, 60, 65], 1.0), &old).unwrap();
        assert_eq!(fast.changed, Changed::Faster);
        assert!((fast.of_earlier - 0.5).abs() < 1e-9);
        assert_eq!(fast.of_earlier_in_replacements, Some(0.5));
        let slow = one(&figure(&[200, 210, 220, 230], 4.0), &old).unwrap();
        assert_eq!(slow.changed, Changed::Slower);
        assert!(slow.spread_low <= slow.of_earlier && slow.of_earlier <= slow.spread_high);
    }

    #[test]
    fn a_file_that_is_no_answer_is_refused_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.json");
        for text in ["", "{}", r#"{"schema":"amiss/bench/v2","bench":{}}"#] {
            std::fs::write(&path, text).unwrap();
            assert!(
                read(&path, Part::Ledger)
                    .unwrap_err()
                    .to_string()
                    .contains("old.json")
            );
        }
        assert!(read(folder.path(), Part::Ledger).is_err());
    }
}
