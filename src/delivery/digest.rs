//! Domain-separated SHA-256 (page 3b): the domain's bytes, one zero byte, then the content.

use sha2::{Digest as _, Sha256};

use super::text::text;

fn is_digest(text: &str) -> bool {
    text.strip_prefix("sha256:").is_some_and(is_sha256_hex)
}

fn is_sha256_hex(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

text!(
    /// A domain-separated digest as text: members named `…digest`.
    Digest, "digest", "sha256: and 64 lower-case hex digits", is_digest
);
text!(
    /// A plain SHA-256 as `sha256sum` prints it: members named `…sha256`.
    Sha256Hex, "SHA-256", "64 lower-case hex digits", is_sha256_hex
);

impl Digest {
    /// H(domain, bytes) of bytes in memory.
    #[must_use]
    pub fn of(domain: &str, bytes: &[u8]) -> Digest {
        let mut hash = DomainHash::new(domain);
        hash.update(bytes);
        hash.finish()
    }

    /// A digest from its 32 bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Digest {
        Digest(format!("sha256:{}", hex(bytes)))
    }

    /// The 64 hex digits without the prefix.
    #[must_use]
    pub fn hex(&self) -> &str {
        self.0.strip_prefix("sha256:").unwrap_or_default()
    }
}

impl Sha256Hex {
    /// The plain SHA-256 of bytes in memory.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Sha256Hex {
        Sha256Hex(hex(&Sha256::digest(bytes)))
    }

    /// From the 32 bytes of a finished hash.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Sha256Hex {
        Sha256Hex(hex(bytes))
    }
}

/// H(domain, …) over content that comes in pieces.
#[derive(Clone)]
pub struct DomainHash(Sha256);

impl DomainHash {
    /// Starts with the domain and its zero byte.
    #[must_use]
    pub fn new(domain: &str) -> DomainHash {
        let mut hash = Sha256::new();
        hash.update(domain.as_bytes());
        hash.update([0]);
        DomainHash(hash)
    }

    /// More content.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The 32 bytes.
    #[must_use]
    pub fn finish_bytes(self) -> [u8; 32] {
        self.0.finalize().into()
    }

    /// The digest as text.
    #[must_use]
    pub fn finish(self) -> Digest {
        Digest::from_bytes(&self.finish_bytes())
    }
}

/// Lower-case hex. Two per row that is read, so no formatting machinery.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Bytes from lower-case hex; `None` for any other text.
#[must_use]
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => byte.checked_sub(b'0'),
        b'a'..=b'f' => byte
            .checked_sub(b'a')
            .and_then(|value| value.checked_add(10)),
        _ => None,
    };
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.as_bytes()
        .chunks_exact(2)
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_body_vector_of_page_2_holds() {
        let digest = Digest::of(
            "amiss/controller-exact-delivery-v1",
            br#"{"event":"change"}"#,
        );
        assert_eq!(
            digest.as_str(),
            "sha256:70625f14c886c25b874c1bf13658987108dd149896764fc6707b06164e83a233"
        );
    }

    #[test]
    fn hex_goes_both_ways_and_only_in_lower_case() {
        assert_eq!(unhex(&hex(&[0, 15, 255])), Some(vec![0, 15, 255]));
        assert_eq!(unhex("0F"), None);
        assert_eq!(unhex("0"), None);
    }
}
