//! Times in tables, for people.

use amiss::clock::UnixMillis;

/// `2026-11-30T23:35:41Z`, or the plain number where no calendar reaches.
pub fn at(time: UnixMillis) -> String {
    jiff::Timestamp::from_millisecond(time.get()).map_or_else(
        |_| time.to_string(),
        |stamp| stamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    )
}
