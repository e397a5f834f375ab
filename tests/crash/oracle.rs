//! A second reader of a record root, written from the format's page alone (page 3b): what lies
//! there, and whether it may.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// What lies in a root. A row that was damaged on purpose is null.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// The payload of the root frame.
    pub root: Option<Value>,
    /// The payload of the capacity frame.
    pub capacity: Option<Value>,
    /// The payloads of the rows, by key.
    pub rows: BTreeMap<String, Value>,
    /// The reports' digests, by key.
    pub reports: BTreeMap<String, String>,
    /// Leftovers of interrupted replacements.
    pub leftovers: usize,
}

fn hash(domain: &str, bytes: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(domain.as_bytes());
    hash.update([0]);
    hash.update(bytes);
    hash.finalize().into()
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// The payload of a frame.
fn frame(bytes: &[u8], magic: &str, domain: &str) -> Result<Value, String> {
    let rest = bytes
        .strip_prefix(magic.as_bytes())
        .ok_or("another magic")?;
    let rest = rest.strip_prefix(&[1]).ok_or("another version")?;
    if rest.len() < 40 {
        return Err("shorter than its header".into());
    }
    let (head, payload) = rest.split_at(40);
    let length = u64::from_be_bytes(head[..8].try_into().unwrap());
    if length != payload.len() as u64 {
        return Err("another length".into());
    }
    if head[8..] != hash(domain, payload) {
        return Err("another digest".into());
    }
    serde_json::from_slice(payload).map_err(|error| error.to_string())
}

/// What the tests write over a row to damage it; no crash leaves that.
pub const DAMAGE: &[u8] = b"damaged on purpose";

/// A root's metadata in the spelling of v0.9, from that of a prepared root.
pub fn in_old_spelling(bytes: &[u8]) -> Vec<u8> {
    let magic = b"AMISS-DELIVERY-ROOT";
    let payload = String::from_utf8(bytes[magic.len() + 41..].to_vec()).unwrap();
    let payload = payload.replace("controller-file-root-v2", "controller-file-root-v1");
    let mut old = magic.to_vec();
    old.push(1);
    old.extend((payload.len() as u64).to_be_bytes());
    old.extend(hash(
        "amiss/controller-file-root-frame-v1",
        payload.as_bytes(),
    ));
    old.extend(payload.as_bytes());
    old
}

/// Looks at a root: every file must be whole, every saved result must have its report, and the
/// count may not be under the rows.
pub fn look(folder: &Path) -> Result<Seen, String> {
    let mut seen = Seen::default();
    for entry in std::fs::read_dir(folder).map_err(|error| error.to_string())? {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let wrong = |reason: String| format!("{name}: {reason}");
        if name.starts_with(".atomicwrite") {
            leftover(&entry.path()).map_err(wrong)?;
            seen.leftovers += 1;
            continue;
        }
        if std::path::Path::new(&name)
            .extension()
            .is_some_and(|end| end == "lock")
        {
            continue;
        }
        let bytes = std::fs::read(entry.path()).unwrap();
        if name == ".amiss-root.state" {
            let domain = "amiss/controller-file-root-frame-v1";
            seen.root = Some(frame(&bytes, "AMISS-DELIVERY-ROOT", domain).map_err(wrong)?);
        } else if name == ".amiss-capacity.state" {
            let domain = "amiss/controller-file-capacity-frame-v1";
            seen.capacity = Some(frame(&bytes, "AMISS-DELIVERY-CAPACITY", domain).map_err(wrong)?);
        } else if let Some(key) = name.strip_suffix(".state") {
            if bytes == DAMAGE {
                seen.rows.insert(key.to_owned(), Value::Null);
                continue;
            }
            let domain = "amiss/controller-file-record-v1";
            let row = frame(&bytes, "AMISS-DELIVERY-RECORD", domain).map_err(wrong)?;
            seen.rows.insert(key.to_owned(), row);
        } else if let Some(key) = name.strip_suffix(".report") {
            let digest = hex(&hash("amiss/controller-report-blob-v1", &bytes));
            seen.reports
                .insert(key.to_owned(), format!("sha256:{digest}"));
        } else {
            return Err(wrong("no name of a root".into()));
        }
    }
    whole_results(&seen)?;
    count_is_enough(&seen)?;
    Ok(seen)
}

fn leftover(path: &Path) -> Result<(), String> {
    let names: Vec<String> = std::fs::read_dir(path)
        .map_err(|error| error.to_string())?
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    match names.as_slice() {
        [] => Ok(()),
        [one] if one == "tmpfile.tmp" => Ok(()),
        _ => Err(format!("holds {names:?}")),
    }
}

/// The digest of the report that a saved row names.
pub fn named_report(row: &Value) -> Option<&str> {
    row["state"]["publication"]["report"]["reference"]["digest"].as_str()
}

fn whole_results(seen: &Seen) -> Result<(), String> {
    for (key, row) in &seen.rows {
        if let Some(digest) = named_report(row) {
            match seen.reports.get(key) {
                None => return Err(format!("{key}: saved without its report")),
                Some(there) if there != digest => {
                    return Err(format!("{key}: saved with another report"));
                }
                Some(_) => {}
            }
        }
    }
    Ok(())
}

fn count_is_enough(seen: &Seen) -> Result<(), String> {
    let (Some(root), Some(capacity)) = (&seen.root, &seen.capacity) else {
        return Ok(());
    };
    // A count under v1 metadata is not believed by anybody.
    if root["schema"] != "amiss/controller-file-root-v2" {
        return Ok(());
    }
    let rows = seen.rows.len() as u64;
    let records = capacity["records"].as_u64().unwrap();
    let missing = capacity["pending_key"]
        .as_str()
        .is_some_and(|key| !seen.rows.contains_key(key));
    let enough = if missing {
        rows < records
    } else {
        rows <= records
    };
    if !enough {
        return Err(format!("{rows} rows, and the count is {capacity}"));
    }
    if capacity["max_records"] != root["max_records"] {
        return Err(format!("two caps: {capacity} and {root}"));
    }
    Ok(())
}

/// What must hold beside that once a root was opened: an exact count, and nothing dead.
pub fn tidy(seen: &Seen) -> Result<(), String> {
    let root = seen.root.as_ref().ok_or("no root frame")?;
    let capacity = seen.capacity.as_ref().ok_or("no capacity frame")?;
    if root["schema"] != "amiss/controller-file-root-v2" {
        return Err("not upgraded".into());
    }
    if capacity["records"].as_u64() != Some(seen.rows.len() as u64)
        || !capacity["pending_key"].is_null()
        || capacity["cleanup_pending"] != false
    {
        return Err(format!("{} rows, and {capacity}", seen.rows.len()));
    }
    if seen.leftovers > 0 {
        return Err(format!("{} leftovers", seen.leftovers));
    }
    let live = |key: &String| seen.rows.get(key).and_then(named_report).is_some();
    match seen.reports.keys().find(|key| !live(key)) {
        Some(key) => Err(format!("{key}: a dead report")),
        None => Ok(()),
    }
}
