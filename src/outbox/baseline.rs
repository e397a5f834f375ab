//! The object-store baseline: before the first pin on a mirror everything in it is made durable
//! once, and a receipt says so. Later pins sync only what came since (source page, "Object-store
//! baseline"). Nothing here walks history.

use super::error::OutboxError;
use super::mirror::Mirror;
use super::receipt::{ObjectSyncReceipt, PackName, RECEIPT_NAME};
use super::record::{Record, RecordError};
use crate::clock::{Clock, SystemClock};
use crate::delivery::ObjectId;
use crate::durable::{Dir, DiskError, Kind};

/// So many fan-out directories changed since the receipt that a newer receipt pays.
const REFRESH_AFTER: usize = 16;
/// File times may be this much coarser than the order of events, in nanoseconds.
const GRAIN_NANOS: i128 = 2_000_000_000;

/// What a baseline did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// A valid receipt was there; what came since was synced.
    Kept,
    /// Everything was synced and the receipt written.
    Made,
}

impl Mirror {
    /// Makes the whole object store durable and writes the receipt, unless a valid one is there;
    /// then only what came since is synced, and `oid` when it is a loose file: whoever wrote it may
    /// have done so before the mirror's settings asked for that.
    ///
    /// # Errors
    /// The system's; without a complete sync there is no receipt.
    pub fn ensure_objects_durable(&self, oid: Option<&ObjectId>) -> Result<Baseline, OutboxError> {
        let objects = self.dir().open_dir("objects")?;
        if let (Some(receipt), Some(since)) = (self.read_receipt()?, self.receipt_time()?) {
            self.sync_since(&objects, &receipt, since, oid)?;
            return Ok(Baseline::Kept);
        }
        sync_all_loose(&objects)?;
        let packs = sync_packs(&objects, &[])?;
        objects.sync()?;
        self.dir().sync()?;
        // Fault point: AfterOutboxObjectBaselinePacks.
        ObjectSyncReceipt::new(packs).write(self.dir(), RECEIPT_NAME)?;
        // Fault point: AfterOutboxObjectBaseline.
        Ok(Baseline::Made)
    }

    /// The receipt, if it holds. A damaged one, or one of other settings, is as good as none.
    fn read_receipt(&self) -> Result<Option<ObjectSyncReceipt>, OutboxError> {
        match ObjectSyncReceipt::read(self.dir(), RECEIPT_NAME) {
            Ok(receipt) => Ok(receipt.filter(ObjectSyncReceipt::is_valid)),
            Err(RecordError::Malformed { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// When the receipt was written, in nanoseconds, as early as it may have been: what changed later
    /// is newer. `None` when that lies ahead of the clock, which was set back since: then times say
    /// nothing about what came first, and the receipt is as good as none.
    fn receipt_time(&self) -> Result<Option<i128>, OutboxError> {
        let written = self.dir().modified_nanos(RECEIPT_NAME)?.unwrap_or_default();
        let now = i128::from(SystemClock.now()?.get()).saturating_mul(1_000_000);
        let ahead = written.saturating_sub(now) > GRAIN_NANOS;
        Ok((!ahead).then(|| written.saturating_sub(GRAIN_NANOS)))
    }

    /// Syncs the packs that the receipt does not list, and every directory of loose objects that
    /// changed since. The loose files' own bytes were synced by whoever wrote them (`core.fsync` is
    /// set before the receipt is written); their names were not.
    fn sync_since(
        &self,
        objects: &Dir,
        receipt: &ObjectSyncReceipt,
        since: i128,
        oid: Option<&ObjectId>,
    ) -> Result<(), OutboxError> {
        let loose = oid.and_then(|oid| oid.as_str().split_at_checked(2));
        let mut changed = 0_usize;
        for fanout in 0..=255_u8 {
            let name = format!("{fanout:02x}");
            let asked = loose.filter(|(fanout, _)| *fanout == name);
            let newer = objects.modified_nanos(&name)?.is_some_and(|at| at >= since);
            if (newer || asked.is_some())
                && sync_fanout(objects, &name, asked.map(|(_, rest)| rest), newer)?
            {
                changed = changed.saturating_add(1);
            }
        }
        if changed > 0 {
            objects.sync()?;
        }
        let packs = sync_packs(objects, &receipt.packs)?;
        let known = |pack: &PackName| receipt.packs.binary_search(pack).is_ok();
        let grown = !packs.iter().all(known);
        if grown && receipt.packs.is_empty() {
            // The directory of packs may have come with the first.
            objects.sync()?;
        }
        // The receipt grows with the packs that are there, so that none is synced twice.
        if changed > REFRESH_AFTER || grown {
            ObjectSyncReceipt::new(packs).write(self.dir(), RECEIPT_NAME)?;
        }
        Ok(())
    }
}

/// Syncs one directory of loose objects: the object that is asked for, if it lies there, and the
/// names when they are newer than the receipt or of that object. Whether anything was synced.
fn sync_fanout(
    objects: &Dir,
    name: &str,
    object: Option<&str>,
    newer: bool,
) -> Result<bool, OutboxError> {
    let dir = match objects.open_dir(name) {
        Ok(dir) => dir,
        // Git takes empty ones away.
        Err(DiskError::Missing { .. }) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let lies_there = match object {
        Some(object) => dir.sync_file(object)?,
        None => false,
    };
    if newer || lies_there {
        dir.sync()?;
    }
    Ok(newer || lies_there)
}

fn is_hex(text: &str) -> bool {
    text.bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Every loose object's file, then the directory that names it.
fn sync_all_loose(objects: &Dir) -> Result<(), OutboxError> {
    objects.each_entry::<OutboxError>(|entry| {
        let name = entry
            .name
            .to_str()
            .filter(|name| name.len() == 2 && is_hex(name));
        let (Some(name), Kind::Directory) = (name, entry.kind) else {
            return Ok(());
        };
        let dir = match objects.open_dir(name) {
            Ok(dir) => dir,
            Err(DiskError::Missing { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        dir.each_entry::<OutboxError>(|object| {
            if let Some(name) = object.name.to_str().filter(|name| is_hex(name)) {
                // One that went meanwhile was packed or pruned; packs are looked at afterwards.
                dir.sync_file(name)?;
            }
            Ok(())
        })?;
        Ok(dir.sync()?)
    })
}

/// Syncs every pack file that is not in `known` (sorted), and the directory that names them; gives
/// the names of all that are there.
fn sync_packs(objects: &Dir, known: &[PackName]) -> Result<Vec<PackName>, OutboxError> {
    let dir = match objects.open_dir("pack") {
        Ok(dir) => dir,
        Err(DiskError::Missing { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut packs = Vec::new();
    let mut synced = false;
    dir.each_entry::<OutboxError>(|entry| {
        let pack = entry
            .name
            .to_str()
            .and_then(|name| PackName::new(name).ok());
        let (Some(pack), Kind::File) = (pack, entry.kind) else {
            return Ok(());
        };
        if known.binary_search(&pack).is_err() {
            if !dir.sync_file(pack.as_str())? {
                return Ok(());
            }
            synced = true;
        }
        packs.push(pack);
        Ok(())
    })?;
    if synced {
        dir.sync()?;
    }
    packs.sort();
    Ok(packs)
}
