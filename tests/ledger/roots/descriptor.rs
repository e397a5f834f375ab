//! One root = one archive and one descriptor of the same name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::scene::sha256;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/roots")
}

/// The names of all descriptors, without their ending.
pub fn all() -> Vec<String> {
    let mut list = Vec::new();
    for part in ["", "odd", "corrupt"] {
        for entry in fs::read_dir(folder().join(part)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "json") {
                let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
                list.push(if part.is_empty() {
                    stem
                } else {
                    format!("{part}/{stem}")
                });
            }
        }
    }
    list.sort();
    list
}

pub struct Descriptor {
    pub own: Value,
    base: Value,
    archive: Vec<u8>,
}

impl Descriptor {
    pub fn read(name: &str) -> Descriptor {
        let path = folder().join(format!("{name}.json"));
        let own = parse(&path);
        let near = path.parent().unwrap();
        let base = match own["base"].as_str() {
            Some(base) => parse(&near.join(format!("{base}.json"))),
            None => own.clone(),
        };
        let archive = fs::read(near.join(own["tar"].as_str().unwrap())).unwrap();
        assert_eq!(sha256(&archive), own["tar_sha256"].as_str().unwrap());
        Descriptor { own, base, archive }
    }

    pub fn scenarios(&self) -> &[Value] {
        self.own["scenarios"].as_array().unwrap()
    }

    pub fn scenario(&self, name: &str) -> &Value {
        self.scenarios()
            .iter()
            .find(|scenario| scenario["name"] == name)
            .unwrap()
    }

    pub fn config(&self) -> &Value {
        &self.base["config"]
    }

    pub fn delivery(&self, label: &str) -> &Value {
        let delivery = &self.base["deliveries"][label];
        assert!(delivery.is_object(), "no delivery {label}");
        delivery
    }

    /// The owner that a session of the writer was, unless the file's note says that it is none.
    pub fn owner(&self, session: &str) -> Option<String> {
        if self.base["session_note"].is_string() || self.own["session_note"].is_string() {
            return None;
        }
        let owner = &self.base["sessions"][session]["owner"];
        owner.as_str().map(str::to_owned)
    }

    /// Unpacks `root/` into a folder.
    pub fn unpack(&self, into: &Path) {
        let mut archive = tar::Archive::new(&self.archive[..]);
        archive.set_preserve_permissions(true);
        archive.unpack(into).unwrap();
    }

    /// Every file of the archive, by its name in the root.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let place = tempfile::tempdir().unwrap();
        self.unpack(place.path());
        super::after::tree(&place.path().join("root"))
    }
}

fn parse(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}
