//! The seal that carries a proof from one process to the next (page 2.5).

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::accepted::Delivery;
use super::digest::{hex, unhex};
use super::text::text;
use crate::code::{Code, Coded};
use crate::json;

fn is_seal(text: &str) -> bool {
    text.strip_prefix("hmac-sha256:")
        .and_then(unhex)
        .is_some_and(|bytes| bytes.len() == 32)
}

text!(
    /// An HMAC-SHA256 over the canonical JSON of the other members of `delivery`.
    Seal, "seal", "hmac-sha256: and 64 lower-case hex digits", is_seal
);

/// 32 random bytes that only ingress and the ledger hold. No debug form shows them.
pub struct SealKey(Zeroizing<Vec<u8>>);

impl std::fmt::Debug for SealKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("SealKey(…)")
    }
}

/// Why a seal does not hold, or a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The delivery has none.
    #[error("`delivery.seal` is missing, and a seal key was given")]
    Missing,
    /// It was made with another key, or something under it was changed.
    #[error("`delivery.seal` does not hold: another key, or a changed member of `delivery`")]
    Wrong,
    /// The key file's text is not a key.
    #[error("a seal key is 64 lower-case hex digits and one line feed")]
    KeyForm,
    /// The delivery has no canonical form.
    #[error("`delivery` has no canonical form")]
    Form(#[source] json::JsonError),
}

impl Coded for SealError {
    fn code(&self) -> Code {
        match self {
            SealError::Missing | SealError::Wrong => Code::SealInvalid,
            SealError::KeyForm => Code::ConfigInvalid,
            SealError::Form(_) => Code::Internal,
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            SealError::Missing => {
                Some("run `amiss ingress-verify` with the same --seal-key".into())
            }
            SealError::Wrong => Some(
                "use the key that `ingress-verify` used, and change nothing inside `delivery`"
                    .into(),
            ),
            SealError::KeyForm => Some("make one with `amiss seal-key FILE`".into()),
            SealError::Form(_) => None,
        }
    }
}

impl SealKey {
    /// A key from the text of its file: 64 lower-case hex digits and one line feed.
    ///
    /// # Errors
    /// [`SealError::KeyForm`].
    pub fn from_file_text(text: &[u8]) -> Result<SealKey, SealError> {
        let bytes = std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.strip_suffix('\n'))
            .and_then(unhex)
            .map(Zeroizing::new)
            .filter(|bytes| bytes.len() == 32);
        bytes.map(SealKey).ok_or(SealError::KeyForm)
    }

    /// The text of a key file for these 32 bytes.
    #[must_use]
    pub fn file_text(bytes: &[u8; 32]) -> Zeroizing<String> {
        Zeroizing::new(format!("{}\n", hex(bytes)))
    }

    /// The seal of a delivery; one that it already carries is not part of it.
    ///
    /// # Errors
    /// [`SealError::Form`], which does not happen with a delivery that amiss made.
    pub fn seal(&self, delivery: &Delivery) -> Result<Seal, SealError> {
        let tag = self.mac(delivery)?.finalize().into_bytes();
        Ok(Seal(format!("hmac-sha256:{}", hex(&tag))))
    }

    /// Checks the seal that a delivery carries, in constant time.
    ///
    /// # Errors
    /// [`SealError::Missing`], [`SealError::Wrong`].
    pub fn verify(&self, delivery: &Delivery) -> Result<(), SealError> {
        let seal = delivery.seal.as_ref().ok_or(SealError::Missing)?;
        let tag = seal
            .as_str()
            .strip_prefix("hmac-sha256:")
            .and_then(unhex)
            .unwrap_or_default();
        self.mac(delivery)?
            .verify_slice(&tag)
            .map_err(|_| SealError::Wrong)
    }

    fn mac(&self, delivery: &Delivery) -> Result<Hmac<Sha256>, SealError> {
        let mut bare = delivery.clone();
        bare.seal = None;
        let text = json::canonical(&bare).map_err(SealError::Form)?;
        // HMAC takes a key of any length; 32 bytes cannot be refused.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).map_err(|_| SealError::KeyForm)?;
        mac.update(&text);
        Ok(mac)
    }
}
