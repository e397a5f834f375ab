//! Who sent what about which change: the binding of a row (page 3b.5). Member order is the order
//! on disk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::object::{ObjectFormat, ObjectId};
use super::text::{
    ChangeId, DeliveryId, Host, Instance, IntegrationId, Namespace, Owner, RepositoryName, RunId,
    TextError,
};
use crate::clock::MAX_INTEGER;

/// The forge and its instance; fixed by the route, never by a body.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// The kind of forge.
    pub namespace: Namespace,
    /// Which installation of it.
    pub instance: Instance,
}

/// What makes two deliveries the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Where it came from.
    pub provider: Provider,
    /// Which integration there.
    pub integration: IntegrationId,
    /// The replay identity that the scheme proves.
    pub delivery: DeliveryId,
}

/// A repository at a forge.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repository {
    /// The host that serves it.
    pub host: Host,
    /// Its owner, lower case.
    pub owner: Owner,
    /// Its name, lower case.
    pub name: RepositoryName,
}

/// The change that is to be judged.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Must be the identity's provider.
    pub provider: Provider,
    /// The repository of the change.
    pub repository: Repository,
    /// The change's id there.
    pub change: ChangeId,
}

/// The attempt of a provider run, 1 to 2^53 − 1.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "u64", into = "u64")]
#[schemars(with = "u64", extend("minimum" = 1, "maximum" = 9_007_199_254_740_991_u64))]
pub struct Attempt(u64);

impl Attempt {
    /// The first attempt.
    pub const FIRST: Attempt = Attempt(1);

    /// The plain number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl TryFrom<u64> for Attempt {
    type Error = TextError;
    fn try_from(number: u64) -> Result<Self, TextError> {
        if number >= 1 && number <= MAX_INTEGER.unsigned_abs() {
            Ok(Attempt(number))
        } else {
            Err(TextError::new(
                "attempt",
                &number.to_string(),
                "from 1 to 9007199254740991",
            ))
        }
    }
}

impl From<Attempt> for u64 {
    fn from(attempt: Attempt) -> u64 {
        attempt.0
    }
}

/// The provider's run that the delivery asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderRun {
    /// Its id.
    pub run_id: RunId,
    /// Its attempt.
    pub attempt: Attempt,
    /// The format of the candidate commit.
    pub object_format: ObjectFormat,
    /// The commit that is to be judged.
    pub candidate_commit: ObjectId,
}

/// All that a delivery is bound to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    /// Which delivery.
    pub identity: Identity,
    /// About which change.
    pub change: Change,
    /// For which run.
    pub provider_run: ProviderRun,
}

/// Members of a binding that do not belong together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindingError {
    /// Identity and change name different providers.
    #[error("`identity.provider` and `change.provider` differ")]
    Providers,
    /// The candidate commit is not an id of the run's object format.
    #[error("`provider_run.candidate_commit` is not an object id of `provider_run.object_format`")]
    ObjectFormat,
}

impl Binding {
    /// Checks what the members say about each other.
    ///
    /// # Errors
    /// [`BindingError`] for the first rule that does not hold.
    pub fn check(&self) -> Result<(), BindingError> {
        if self.identity.provider != self.change.provider {
            return Err(BindingError::Providers);
        }
        if self.provider_run.candidate_commit.format() != self.provider_run.object_format {
            return Err(BindingError::ObjectFormat);
        }
        Ok(())
    }
}
