//! The receipt that a mirror's objects were made durable once (page 5.3).

use serde::{Deserialize, Serialize};

use super::record::Record;
use crate::delivery::text::text;

/// The receipt's file, at the mirror's root.
pub const RECEIPT_NAME: &str = "mw-object-sync.json";
/// What `core.fsync` must be for a receipt to hold.
pub(super) const FSYNC: &str = "objects,derived-metadata,reference";
/// What `core.fsyncMethod` must be for a receipt to hold.
pub(super) const FSYNC_METHOD: &str = "fsync";

fn is_pack_name(text: &str) -> bool {
    matches!(text.len(), 6..=255)
        && !text.starts_with('.')
        && !text.bytes().any(|byte| byte == b'/' || byte < 0x20)
        && (text.as_bytes().ends_with(b".pack") || text.as_bytes().ends_with(b".idx"))
}

text!(
    /// The name of a `.pack` or `.idx` file in `objects/pack`.
    PackName, "pack name", "the name of a .pack or .idx file", is_pack_name
);

/// What was made durable, and by which means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectSyncReceipt {
    /// `core.fsync` when it was written.
    pub fsync: String,
    /// `core.fsyncMethod` when it was written.
    pub fsync_method: String,
    /// Every pack file that was there, sorted.
    pub packs: Vec<PackName>,
}

impl Record for ObjectSyncReceipt {
    const WHAT: &'static str = "object-sync receipt";
}

impl ObjectSyncReceipt {
    /// A receipt for these packs.
    #[must_use]
    pub fn new(mut packs: Vec<PackName>) -> ObjectSyncReceipt {
        packs.sort();
        packs.dedup();
        ObjectSyncReceipt {
            fsync: FSYNC.to_owned(),
            fsync_method: FSYNC_METHOD.to_owned(),
            packs,
        }
    }

    /// Whether it was written under the settings that hold now.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.fsync == FSYNC
            && self.fsync_method == FSYNC_METHOD
            && self.packs.is_sorted_by(|left, right| left < right)
    }
}
