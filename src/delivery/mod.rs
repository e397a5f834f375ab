//! Identities, binding, replay lifetime and the members of an envelope.
//!
//! Every identifier is a type with one checked constructor, so a value that exists is a legal one.
//! This module touches nothing: no disk, no clock, no process.

pub mod accepted;
pub mod check;
pub mod digest;
pub mod envelope;
pub mod identity;
pub mod key;
pub mod lease;
pub mod object;
pub mod outcome;
pub mod publication;
pub mod replay;
pub mod run;
pub mod seal;
pub mod text;

pub use accepted::{AcceptedDelivery, Delivery, Proof};
pub use check::CheckBinding;
pub use digest::Digest;
pub use envelope::Envelope;
pub use identity::{Binding, Change, Identity, Provider, ProviderRun, Repository};
pub use key::DeliveryKey;
pub use lease::{Lease, OwnerId};
pub use object::{ObjectFormat, ObjectId};
pub use outcome::{Outcome, ReportFile};
pub use publication::{Conclusion, Failure, Publication, Staged};
pub use replay::{Replay, ReplayWindow};
pub use run::{Forge, Refs, RunFacts, RunIdentity, RunState};
pub use seal::{SealError, SealKey};
