//! The `delivery` member, and the accepted delivery that the record takes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::Sha256Hex;
use super::identity::{Binding, BindingError, Change, Identity, ProviderRun};
use super::key::DeliveryKey;
use super::replay::{Replay, ReplayWindow, WindowError};
use super::seal::{Seal, SealError, SealKey};
use super::text::text;
use crate::clock::UnixMillis;
use crate::code::{Code, Coded};

fn is_label(text: &str) -> bool {
    matches!(text.len(), 1..=256)
        && text.bytes().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'.' | b'_' | b':' | b'/' | b'@' | b'+' | b'-')
        })
}

text!(
    /// The operator's name of a key or of a set of keys.
    Label, "name", "1 to 256 of A-Z a-z 0-9 . _ : / @ + -", is_label
);

/// How a request is authenticated (page 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// `X-Hub-Signature-256`.
    Github,
    /// Gitea and Forgejo.
    Gitea,
    /// Standard Webhooks.
    GitlabWebhook,
    /// A policy job's ID token.
    GitlabOidc,
}

/// What the signature proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The scheme.
    pub scheme: Scheme,
    /// The set of keys that the route trusts.
    pub trust_set: Label,
    /// The key that matched.
    pub anchor: Label,
    /// The authenticated time of issue, if the scheme has one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub issued_at_unix_millis: Option<UnixMillis>,
    /// The controller's time of receipt.
    pub received_at_unix_millis: UnixMillis,
    /// The plain SHA-256 of what was authenticated: route, receipt, exact headers, exact body.
    pub request_sha256: Sha256Hex,
}

/// The `delivery` member as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delivery {
    /// What makes it the same delivery.
    pub identity: Identity,
    /// The change.
    pub change: Change,
    /// The provider's run.
    pub provider_run: ProviderRun,
    /// Its replay lifetime.
    pub replay: Replay,
    /// What ingress proved. Rows made by hand have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// The seal over all other members (page 2.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<Seal>,
}

/// A delivery that may act on the record. Its fields are private: it comes from a proof made in
/// this process, or from a `delivery` member whose seal holds, or, where the operator gave no seal
/// key, on the operator's own word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedDelivery {
    binding: Binding,
    replay: Replay,
    key: DeliveryKey,
}

/// Why a `delivery` member was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// Its members contradict each other.
    #[error("`delivery`: {0}")]
    Binding(#[from] BindingError),
    /// Its window is out of bounds.
    #[error("`delivery.replay.window`: {0}")]
    Window(#[from] WindowError),
    /// Its seal is missing or wrong.
    #[error(transparent)]
    Seal(#[from] SealError),
}

impl Coded for AcceptError {
    fn code(&self) -> Code {
        match self {
            AcceptError::Binding(_) | AcceptError::Window(_) => Code::InputMalformed,
            AcceptError::Seal(error) => error.code(),
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            AcceptError::Seal(error) => error.hint(),
            _ => None,
        }
    }
}

impl Delivery {
    /// Accepts the member: with a key its seal must hold, without one it is taken as it is.
    ///
    /// # Errors
    /// [`AcceptError`].
    pub fn accept(&self, key: Option<&SealKey>) -> Result<AcceptedDelivery, AcceptError> {
        if let Some(key) = key {
            key.verify(self)?;
        }
        if let Some(window) = self.replay.window() {
            ReplayWindow::new(window.max_signed_age_millis, window.max_queue_age_millis)?;
        }
        let binding = Binding {
            identity: self.identity.clone(),
            change: self.change.clone(),
            provider_run: self.provider_run.clone(),
        };
        binding.check()?;
        Ok(AcceptedDelivery {
            key: DeliveryKey::of(&binding.identity),
            replay: self.replay,
            binding,
        })
    }
}

impl AcceptedDelivery {
    /// What the delivery is bound to.
    #[must_use]
    pub const fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Its replay lifetime.
    #[must_use]
    pub const fn replay(&self) -> &Replay {
        &self.replay
    }

    /// The key of its row.
    #[must_use]
    pub const fn key(&self) -> &DeliveryKey {
        &self.key
    }
}
