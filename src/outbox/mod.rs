//! The origin outbox: durable intents to push a result, pinned in their mirror, and the records
//! that a pump works from (page 5). File names and formats are those of the source page, so that
//! an existing host root is taken over as it is.

mod access_file;
mod backoff;
mod baseline;
mod due;
mod enqueue;
mod error;
mod intent;
mod key;
mod marker;
mod metrics;
mod mirror;
mod names;
mod note;
mod once;
mod origin;
mod origin_delivery;
mod pin;
pub mod pump;
mod push_request;
mod receipt;
mod record;
mod recover;
mod root;
mod schedule;
mod target;
mod transition;
pub mod wake;
pub mod watch;
mod worker;

pub use backoff::{BackoffClock, MAX_BACKOFF_MILLIS, backoff_millis, wait_left_millis};
pub use baseline::Baseline;
pub use due::{DueEntry, DueRegistry, DueScan};
pub use error::OutboxError;
pub use intent::{Intent, IntentFile, LastError, MAX_ATTEMPTS, State};
pub use key::DeliveryKey;
pub use marker::EnabledMarker;
pub use metrics::Metrics;
pub use mirror::{Found, Mirror, RefStorage};
pub use names::{Branch, MirrorPath, Project, Task, Turn};
pub use note::MAX_NOTE_BYTES;
pub use once::{Cycle, run_once};
pub use origin::Origin;
pub use origin_delivery::OriginDelivery;
pub use pin::{Pin, Unpinned};
pub use push_request::{PushMember, PushRequest};
pub use receipt::{ObjectSyncReceipt, PackName, RECEIPT_NAME};
pub use record::{MAX_RECORD_BYTES, Record, RecordError};
pub use recover::Recovery;
pub use root::{HostRoot, IntentLock, PumpLock, TargetLock};
pub use schedule::{Plan, Schedule};
pub use target::{Target, TargetLedger};
pub use transition::{Settled, after_delivery, after_failure, after_retry};
pub use worker::{BinaryIdentity, ProcessIdentity, WorkerIdentity};
