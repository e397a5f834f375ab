//! The origin outbox: durable intents to push a result, pinned in their mirror, and the records
//! that a pump works from (page 5). File names and formats are those of the source page, so that
//! an existing host root is taken over as it is.

mod backoff;
mod due;
mod error;
mod intent;
mod key;
mod marker;
mod names;
mod note;
mod origin;
mod origin_delivery;
mod receipt;
mod record;
mod root;
mod target;
mod transition;
mod worker;

pub use backoff::{BackoffClock, MAX_BACKOFF_MILLIS, backoff_millis, wait_left_millis};
pub use due::{DueEntry, DueRegistry, DueScan};
pub use error::OutboxError;
pub use intent::{Intent, IntentFile, LastError, MAX_ATTEMPTS, State};
pub use key::DeliveryKey;
pub use marker::EnabledMarker;
pub use names::{Branch, MirrorPath, Project, Task, Turn};
pub use note::MAX_NOTE_BYTES;
pub use origin::Origin;
pub use origin_delivery::OriginDelivery;
pub use receipt::{ObjectSyncReceipt, PackName, RECEIPT_NAME};
pub use record::{MAX_RECORD_BYTES, Record, RecordError};
pub use root::{HostRoot, IntentLock, PumpLock, TargetLock};
pub use target::{Target, TargetLedger};
pub use transition::{Settled, after_delivery, after_failure, after_retry};
pub use worker::{BinaryIdentity, ProcessIdentity, WorkerIdentity};
