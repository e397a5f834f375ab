//! The names of a root, all of them (page 3b.1). Provider text never becomes one.

use std::ffi::OsStr;

use crate::delivery::DeliveryKey;
use crate::durable::Kind;

pub(super) const ROOT: &str = ".amiss-root.state";
pub(super) const CAPACITY: &str = ".amiss-capacity.state";
pub(super) const MAINTENANCE: &str = ".amiss-maintenance.lock";
pub(super) const ADMISSION: &str = ".amiss-admission.lock";
pub(super) const CLOCK: &str = ".amiss-clock.lock";
const TEMPORARY_PREFIX: &[u8] = b".atomicwrite";

pub(super) fn row(key: &DeliveryKey) -> String {
    format!("{key}.state")
}

pub(super) fn report(key: &DeliveryKey) -> String {
    format!("{key}.report")
}

pub(super) fn row_lock(key: &DeliveryKey) -> String {
    format!(".amiss-row-{}.lock", key.shard())
}

/// What a name of a root stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// Metadata.
    Root,
    /// Capacity.
    Capacity,
    /// The maintenance lock, made before anything else.
    Maintenance,
    /// Admission or clock lock.
    Lock,
    /// One of 256 row locks.
    RowLock,
    /// A row.
    Row(DeliveryKey),
    /// A report.
    Report(DeliveryKey),
    /// An interrupted replacement, or one under way.
    Temporary,
    /// Nothing that a root holds.
    Unknown,
}

impl Name {
    pub(super) fn of(name: &OsStr) -> Name {
        if name.as_encoded_bytes().starts_with(TEMPORARY_PREFIX) {
            return Name::Temporary;
        }
        let Some(text) = name.to_str() else {
            return Name::Unknown;
        };
        match text {
            ROOT => return Name::Root,
            CAPACITY => return Name::Capacity,
            MAINTENANCE => return Name::Maintenance,
            ADMISSION | CLOCK => return Name::Lock,
            _ => {}
        }
        if let Some(shard) = text
            .strip_prefix(".amiss-row-")
            .and_then(|rest| rest.strip_suffix(".lock"))
        {
            let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            return if shard.len() == 2 && shard.bytes().all(is_hex) {
                Name::RowLock
            } else {
                Name::Unknown
            };
        }
        let keyed = |suffix: &str| DeliveryKey::new(text.strip_suffix(suffix)?).ok();
        if let Some(key) = keyed(".state") {
            Name::Row(key)
        } else if let Some(key) = keyed(".report") {
            Name::Report(key)
        } else {
            Name::Unknown
        }
    }

    /// The kind that an entry of this name must be.
    pub(super) const fn kind(&self) -> Kind {
        match self {
            Name::Temporary => Kind::Directory,
            _ => Kind::File,
        }
    }
}
