//! What is measured, where, and how often.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::BenchError;
use crate::json;

/// The most retained rows that a measurement may ask for.
pub const MAX_ROWS: u64 = 1_000_000;
/// The most samples of one figure.
pub const MAX_SAMPLES: u32 = 10_000;

/// Which part of the system is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The delivery record.
    Ledger,
    /// Authenticating a request.
    Ingress,
    /// The origin outbox.
    Outbox,
}

impl Part {
    /// Its word on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Part::Ledger => "ledger",
            Part::Ingress => "ingress",
            Part::Outbox => "outbox",
        }
    }
}

/// What one source, the command line or standard input, says. What it leaves out is for the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// An existing folder on the disk to measure.
    pub dir: Option<PathBuf>,
    /// How many entries the roots hold, 1 to 1,000,000 each.
    pub rows: Option<Vec<u64>>,
    /// How often each operation is measured, 1 to 10,000.
    pub samples: Option<u32>,
    /// An earlier answer to compare with.
    pub compare: Option<PathBuf>,
}

impl Settings {
    /// Reads the options document of standard input.
    ///
    /// # Errors
    /// `INPUT_MALFORMED` for an unknown member, a wrong type, or no JSON.
    pub fn parse(text: &str) -> Result<Settings, BenchError> {
        Ok(json::parse(text, "the options")?)
    }

    /// These settings, and `other` where these say nothing.
    #[must_use]
    pub fn or(self, other: Settings) -> Settings {
        Settings {
            dir: self.dir.or(other.dir),
            rows: self.rows.or(other.rows),
            samples: self.samples.or(other.samples),
            compare: self.compare.or(other.compare),
        }
    }
}

/// Checked options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The part.
    pub part: Part,
    /// An existing folder on the disk to measure.
    pub dir: PathBuf,
    /// How many entries the roots hold, rising, without repeats.
    pub rows: Vec<u64>,
    /// How often each operation is measured.
    pub samples: u32,
    /// The program that is measured as a fresh process; `None` leaves those figures out.
    pub program: Option<PathBuf>,
}

impl Options {
    /// Fills in what nobody said: the present folder, 1,000, 10,000, 50,000 and 100,000 rows, 30
    /// samples.
    ///
    /// # Errors
    /// `INPUT_MALFORMED` when a number is out of its range, or has no meaning for the part.
    pub fn new(
        part: Part,
        settings: Settings,
        program: Option<PathBuf>,
    ) -> Result<Options, BenchError> {
        if part == Part::Ingress && settings.rows.is_some() {
            return Err(BenchError::NoRows);
        }
        let mut rows = settings.rows.unwrap_or_else(|| match part {
            // So many deliveries that wait at once are a bad day already.
            Part::Outbox => vec![1_000, 10_000],
            Part::Ledger | Part::Ingress => vec![1_000, 10_000, 50_000, 100_000],
        });
        if rows.is_empty() || rows.iter().any(|count| !(1..=MAX_ROWS).contains(count)) {
            return Err(BenchError::Rows);
        }
        rows.sort_unstable();
        rows.dedup();
        let samples = settings.samples.unwrap_or(30);
        if !(1..=MAX_SAMPLES).contains(&samples) {
            return Err(BenchError::Samples(samples));
        }
        Ok(Options {
            part,
            dir: settings.dir.unwrap_or_else(|| PathBuf::from(".")),
            rows,
            samples,
            program,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_wins_over_the_document_and_the_document_over_the_default() {
        let flags = Settings {
            samples: Some(3),
            ..Settings::default()
        };
        let document = Settings::parse(r#"{"samples":9,"rows":[20,10,20]}"#).unwrap();
        let options = Options::new(Part::Ledger, flags.or(document), None).unwrap();
        assert_eq!(options.samples, 3);
        assert_eq!(options.rows, [10, 20]);
        assert_eq!(options.dir, PathBuf::from("."));
    }

    #[test]
    fn rows_have_no_meaning_for_ingress() {
        let settings = Settings::parse(r#"{"rows":[10]}"#).unwrap();
        assert!(Options::new(Part::Ingress, settings, None).is_err());
        assert!(Options::new(Part::Ingress, Settings::default(), None).is_ok());
    }

    #[test]
    fn numbers_out_of_range_and_unknown_members_are_refused() {
        for text in [
            r#"{"rows":[]}"#,
            r#"{"rows":[0]}"#,
            r#"{"rows":[1000001]}"#,
            r#"{"samples":0}"#,
            r#"{"samples":10001}"#,
        ] {
            let settings = Settings::parse(text).unwrap();
            assert!(
                Options::new(Part::Ledger, settings, None).is_err(),
                "{text}"
            );
        }
        for text in [
            "[]",
            r#"{"row":[1]}"#,
            r#"{"samples":1,"samples":2}"#,
            r#"{"samples":-1}"#,
        ] {
            assert!(Settings::parse(text).is_err(), "{text}");
        }
    }
}
