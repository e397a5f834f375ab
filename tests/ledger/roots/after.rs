//! What a scenario left different from the archive.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::scene::sha256;

const ROOT: &str = ".amiss-root.state";
const OWNER: &str = "/state/owner";
const HIGH_WATER: &str = "/clock_high_water_unix_millis";

/// Every entry below a folder, directories as no bytes; locks left aside, because they may differ.
pub fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut list = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.extension().is_some_and(|end| end == "lock") {
            continue;
        }
        if path.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            list.insert(name, target.to_string_lossy().into_owned().into_bytes());
        } else if path.is_dir() {
            for (inner, bytes) in tree(&path) {
                list.insert(format!("{name}/{inner}"), bytes);
            }
            list.insert(name, Vec::new());
        } else {
            list.insert(name, fs::read(&path).unwrap());
        }
    }
    list
}

/// The payload of a frame, if it has one that can be read.
pub fn payload(bytes: &[u8]) -> Option<Value> {
    let mark = b"{\"schema\"";
    let start = bytes
        .windows(mark.len())
        .position(|window| window == mark)?;
    serde_json::from_slice(&bytes[start..]).ok()
}

/// Every difference between what should be and what is.
pub fn compare(
    before: &BTreeMap<String, Vec<u8>>,
    now: &BTreeMap<String, Vec<u8>>,
    after: &Value,
    mapped: &dyn Fn(&Value) -> Value,
) -> Vec<String> {
    let mut faults = Vec::new();
    let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let (old, new) = (before.get(name), now.get(name));
        let fault = match after[name]["change"].as_str() {
            None if name == ROOT => high_water_only(old, new),
            None => (old != new).then(|| "changed and should not have".to_owned()),
            Some("removed") => new.map(|_| "should be gone".to_owned()),
            Some(_) => match new {
                None => Some("should be there".to_owned()),
                Some(new) => listed(name, old, new, &mapped(&after[name])),
            },
        };
        faults.extend(fault.map(|fault| format!("{name}: {fault}")));
    }
    for (name, entry) in after.as_object().unwrap() {
        let is_lock = Path::new(name).extension().is_some_and(|end| end == "lock");
        if entry["change"] != "removed" && !is_lock && !now.contains_key(name) {
            faults.push(format!("{name}: should be there"));
        }
    }
    faults
}

/// A root frame may lag behind only in its clock, and not behind where it was.
fn high_water_only(old: Option<&Vec<u8>>, new: Option<&Vec<u8>>) -> Option<String> {
    if old == new {
        return None;
    }
    let (Some(old), Some(new)) = (payload(old?), payload(new?)) else {
        return Some("changed and should not have".to_owned());
    };
    let (mut one, mut other) = (old.clone(), new.clone());
    *one.pointer_mut(HIGH_WATER)? = Value::Null;
    *other.pointer_mut(HIGH_WATER)? = Value::Null;
    (one != other || new.pointer(HIGH_WATER)?.as_i64() < old.pointer(HIGH_WATER)?.as_i64())
        .then(|| format!("{old} became {new}"))
}

fn listed(name: &str, old: Option<&Vec<u8>>, new: &[u8], entry: &Value) -> Option<String> {
    if name == ROOT {
        return root(old, new, entry);
    }
    // A writer's session had one owner for all its leases; ours comes with each lease.
    let own = entry["payload"].pointer(OWNER).is_some();
    let random = entry["random"].as_array();
    if let (Some(sum), None, false) = (entry["sha256"].as_str(), random, own) {
        return (sha256(new) != sum).then(|| {
            format!(
                "bytes differ: {} instead of {}",
                String::from_utf8_lossy(new),
                entry["payload"]
            )
        });
    }
    let mut wanted = entry.get("payload").cloned()?;
    let mut found = payload(new)?;
    let drawn = random.into_iter().flatten().filter_map(Value::as_str);
    for pointer in drawn.chain([OWNER]) {
        for value in [&mut wanted, &mut found] {
            if let Some(value) = value.pointer_mut(pointer) {
                *value = Value::Null;
            }
        }
    }
    (wanted != found).then(|| format!("{found} instead of {wanted}"))
}

/// Ours may save the high water less often, never less than it was.
fn root(old: Option<&Vec<u8>>, new: &[u8], entry: &Value) -> Option<String> {
    let found = payload(new)?;
    let wanted = entry.get("payload")?;
    let (mut one, mut other) = (wanted.clone(), found.clone());
    *one.pointer_mut(HIGH_WATER).unwrap() = Value::Null;
    *other.pointer_mut(HIGH_WATER).unwrap() = Value::Null;
    let clock = |value: &Value| value.pointer(HIGH_WATER).and_then(Value::as_i64);
    let least = old
        .and_then(|bytes| clock(&payload(bytes)?))
        .unwrap_or_default();
    let ours = clock(&found).unwrap();
    (one != other || ours < least || ours > clock(wanted).unwrap())
        .then(|| format!("{found} instead of {wanted}"))
}
