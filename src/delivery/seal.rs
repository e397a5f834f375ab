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
pub struct SealKey(Zeroizing<[u8; KEY_BYTES]>);

/// The bytes of a seal key.
const KEY_BYTES: usize = 32;

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit & 0x0f),
        b'a'..=b'f' => (digit & 0x0f).checked_add(9),
        _ => None,
    }
}

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
        let digits = text.strip_suffix(b"\n").ok_or(SealError::KeyForm)?;
        let (pairs, rest) = digits.as_chunks::<2>();
        if pairs.len() != KEY_BYTES || !rest.is_empty() {
            return Err(SealError::KeyForm);
        }
        // Filled in place: a key that grows would leave copies of itself in freed memory.
        let mut key = Zeroizing::new([0_u8; KEY_BYTES]);
        for (byte, [high, low]) in key.iter_mut().zip(pairs) {
            let (Some(high), Some(low)) = (nibble(*high), nibble(*low)) else {
                return Err(SealError::KeyForm);
            };
            *byte = high << 4 | low;
        }
        Ok(SealKey(key))
    }

    /// The text of a new key file: 32 random bytes as hex digits, and a line feed.
    ///
    /// # Errors
    /// The system's, when it has no random bytes to give.
    pub fn random_file_text() -> Result<Zeroizing<String>, getrandom::Error> {
        let mut bytes = Zeroizing::new([0_u8; KEY_BYTES]);
        getrandom::fill(bytes.as_mut_slice())?;
        let mut text = Zeroizing::new(String::with_capacity(KEY_BYTES * 2 + 1));
        for byte in bytes.iter() {
            for digit in [byte >> 4, byte & 0x0f] {
                text.push(char::from_digit(u32::from(digit), 16).unwrap_or_default());
            }
        }
        text.push('\n');
        Ok(text)
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
        let mut mac =
            Hmac::<Sha256>::new_from_slice(self.0.as_slice()).map_err(|_| SealError::KeyForm)?;
        mac.update(&text);
        Ok(mac)
    }
}
