//! The HMAC keys of a route: one to eight, each with its window (page 2.2).

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::{Zeroize as _, Zeroizing};

use super::error::ConfigError;
use crate::clock::UnixMillis;
use crate::delivery::accepted::Label;
use crate::json;
use crate::plan::read_config;
use crate::secret::read_secret;

/// The schema of a keyring file.
pub const KEYRING_SCHEMA: &str = "amiss/keyring/v1";
/// The most keys that a ring may hold.
pub const MAX_KEYS: usize = 8;
/// The bytes of an HMAC-SHA256.
pub const TAG_BYTES: usize = 32;
/// The block of SHA-256: a shorter HMAC key is one with zero bytes after it.
const BLOCK_BYTES: usize = 64;

/// A keyring file.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyringFile {
    /// `amiss/keyring/v1`.
    schema: String,
    /// The set's name; the route's must be the same.
    trust_set: Label,
    /// One to eight keys.
    keys: Vec<KeyFile>,
}

/// One key of a keyring file.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    /// The key's name, as answers show it.
    anchor: Label,
    /// Where the secret is, relative to the keyring file.
    secret_file: PathBuf,
    /// How the file holds it.
    encoding: Encoding,
    /// From this time on, inclusive.
    active_from_unix_millis: UnixMillis,
    /// Until this time, exclusive; null is without end.
    #[serde(deserialize_with = "Option::deserialize")]
    active_until_unix_millis: Option<UnixMillis>,
}

/// How a secret file holds its secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// The bytes themselves, 16 to 1024.
    Raw,
    /// `whsec_` and canonical padded base64 of 24 to 64 bytes.
    Whsec,
    /// Lower-case hex of 16 to 1024 bytes.
    Hex,
    /// Canonical padded base64 of 16 to 1024 bytes.
    Base64,
}

/// When a key counts, against receipt time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Inclusive start.
    pub from: UnixMillis,
    /// Exclusive end; none is without end.
    pub until: Option<UnixMillis>,
}

impl Window {
    /// Whether the key counts at this time.
    #[must_use]
    pub fn holds(&self, at: UnixMillis) -> bool {
        self.from <= at && self.until.is_none_or(|until| at < until)
    }
}

struct Key {
    anchor: Label,
    window: Window,
    /// HMAC with the key already in it; its state is wiped when it is dropped.
    mac: Hmac<Sha256>,
    /// The secret as HMAC uses it, to find two names for one key; wiped when dropped.
    block: Zeroizing<[u8; BLOCK_BYTES]>,
}

/// The keys that a route trusts. No debug form shows a secret.
pub struct Keyring {
    trust_set: Label,
    keys: Vec<Key>,
}

impl std::fmt::Debug for Keyring {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let anchors: Vec<&str> = self.keys.iter().map(|key| key.anchor.as_str()).collect();
        write!(out, "Keyring({}, {anchors:?})", self.trust_set)
    }
}

/// Why no key vouches for the signed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoMatch {
    /// None counts at the time of receipt.
    NoneActive,
    /// So many were tried.
    Tried(usize),
}

impl Keyring {
    /// Reads a keyring file and the secret files that it names.
    ///
    /// # Errors
    /// [`ConfigError`], all of them `CONFIG_INVALID`.
    pub fn load(path: &Path) -> Result<Keyring, ConfigError> {
        let text = read_config(path).map_err(|source| ConfigError::Unreadable {
            kind: "keyring",
            path: path.to_owned(),
            source,
        })?;
        let wrong = |reason| ConfigError::Wrong {
            kind: "keyring",
            path: path.to_owned(),
            reason,
        };
        let file: KeyringFile =
            json::parse(&text, "keyring").map_err(|error| wrong(error.to_string()))?;
        if file.schema != KEYRING_SCHEMA {
            return Err(wrong(format!("`schema` is not \"{KEYRING_SCHEMA}\"")));
        }
        if !(1..=MAX_KEYS).contains(&file.keys.len()) {
            return Err(wrong(format!("`keys` does not hold 1 to {MAX_KEYS} keys")));
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut ring = Keyring {
            trust_set: file.trust_set,
            keys: Vec::with_capacity(file.keys.len()),
        };
        for entry in file.keys {
            let key = entry.load(folder)?;
            ring.add(key).map_err(wrong)?;
        }
        Ok(ring)
    }

    fn add(&mut self, key: Key) -> Result<(), String> {
        for other in &self.keys {
            if other.anchor == key.anchor {
                return Err(format!("anchor `{}` is there twice", key.anchor));
            }
            if bool::from(other.block.ct_eq(key.block.as_slice())) {
                return Err(format!(
                    "anchors `{}` and `{}` have the same secret",
                    other.anchor, key.anchor
                ));
            }
        }
        self.keys.push(key);
        Ok(())
    }

    /// The set's name.
    #[must_use]
    pub const fn trust_set(&self) -> &Label {
        &self.trust_set
    }

    /// Every key's name and window, for explanations.
    pub fn windows(&self) -> impl Iterator<Item = (&Label, Window)> {
        self.keys.iter().map(|key| (&key.anchor, key.window))
    }

    /// The newest key active at `at` whose HMAC over the joined parts is one of `tags`. Every
    /// active key is tried against every tag, each in constant time.
    ///
    /// # Errors
    /// [`NoMatch`].
    pub fn find(
        &self,
        at: UnixMillis,
        parts: &[&[u8]],
        tags: &[[u8; TAG_BYTES]],
    ) -> Result<&Label, NoMatch> {
        let mut tried = 0_usize;
        let mut newest: Option<&Key> = None;
        for key in self.keys.iter().filter(|key| key.window.holds(at)) {
            tried = tried.saturating_add(1);
            let computed = key.sign(parts);
            let mut matches = subtle::Choice::from(0);
            for tag in tags {
                matches |= computed.ct_eq(tag.as_slice());
            }
            let newer = newest.is_none_or(|other| key.window.from >= other.window.from);
            if bool::from(matches) && newer {
                newest = Some(key);
            }
        }
        match newest {
            Some(key) => Ok(&key.anchor),
            None if tried == 0 => Err(NoMatch::NoneActive),
            None => Err(NoMatch::Tried(tried)),
        }
    }

    /// A signature by a key that is active at `at`: the named one, or the newest.
    ///
    /// # Errors
    /// [`NoMatch::NoneActive`] when there is no such key.
    pub fn sign(
        &self,
        at: UnixMillis,
        anchor: Option<&Label>,
        parts: &[&[u8]],
    ) -> Result<(&Label, Zeroizing<[u8; TAG_BYTES]>), NoMatch> {
        self.keys
            .iter()
            .filter(|key| key.window.holds(at) && anchor.is_none_or(|name| *name == key.anchor))
            .max_by_key(|key| key.window.from)
            .map(|key| (&key.anchor, key.sign(parts)))
            .ok_or(NoMatch::NoneActive)
    }
}

impl Key {
    fn sign(&self, parts: &[&[u8]]) -> Zeroizing<[u8; TAG_BYTES]> {
        let mut mac = self.mac.clone();
        for part in parts {
            mac.update(part);
        }
        Zeroizing::new(mac.finalize().into_bytes().into())
    }
}

impl KeyFile {
    fn load(self, folder: &Path) -> Result<Key, ConfigError> {
        let path = folder.join(&self.secret_file);
        let wrong = |reason: &str| ConfigError::Wrong {
            kind: "secret file",
            path: path.clone(),
            reason: format!("anchor `{}`: {reason}", self.anchor),
        };
        let window = Window {
            from: self.active_from_unix_millis,
            until: self.active_until_unix_millis,
        };
        if window.until.is_some_and(|until| until <= window.from) {
            return Err(wrong("its window ends before it begins"));
        }
        let text = read_secret(&path)?;
        let secret = decode(&text, self.encoding).map_err(wrong)?;
        // HMAC takes a key of any length, so this cannot be refused.
        let mac = Hmac::new_from_slice(&secret).map_err(|_| wrong("HMAC refuses the key"))?;
        Ok(Key {
            anchor: self.anchor,
            window,
            mac,
            block: block_of(&secret),
        })
    }
}

/// The key as HMAC uses it: two secrets with one block are one secret.
fn block_of(secret: &[u8]) -> Zeroizing<[u8; BLOCK_BYTES]> {
    let mut block = Zeroizing::new([0_u8; BLOCK_BYTES]);
    if secret.len() <= BLOCK_BYTES {
        for (to, from) in block.iter_mut().zip(secret) {
            *to = *from;
        }
    } else {
        let mut hash = Sha256::digest(secret);
        for (to, from) in block.iter_mut().zip(hash.iter()) {
            *to = *from;
        }
        hash.as_mut_slice().zeroize();
    }
    block
}

/// The secret that a file's bytes stand for. Reasons never quote the file.
fn decode(file: &[u8], encoding: Encoding) -> Result<Zeroizing<Vec<u8>>, &'static str> {
    let text = file
        .strip_suffix(b"\r\n")
        .or_else(|| file.strip_suffix(b"\n"))
        .unwrap_or(file);
    if text.is_empty() {
        return Err("the file is empty; there is no default key");
    }
    if text.contains(&0) {
        return Err("there is a NUL in the file");
    }
    if text.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
        return Err("there is a line break inside the secret or a second one after it");
    }
    match encoding {
        Encoding::Raw => {
            if text.iter().all(u8::is_ascii_whitespace) {
                return Err("the secret is blank");
            }
            sized(Zeroizing::new(text.to_vec()))
        }
        Encoding::Hex => sized(decode_hex(text)?),
        Encoding::Base64 => {
            let reason = "expected canonical base64 with padding and nothing else";
            sized(decode_base64(text).ok_or(reason)?)
        }
        Encoding::Whsec => decode_whsec(text),
    }
}

fn sized(secret: Zeroizing<Vec<u8>>) -> Result<Zeroizing<Vec<u8>>, &'static str> {
    if (16..=1024).contains(&secret.len()) {
        Ok(secret)
    } else {
        Err("the secret is not 16 to 1024 bytes")
    }
}

fn decode_hex(text: &[u8]) -> Result<Zeroizing<Vec<u8>>, &'static str> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte & 0x0f),
        b'a'..=b'f' => (byte & 0x0f).checked_add(9),
        _ => None,
    };
    let mut secret = Zeroizing::new(Vec::with_capacity(text.len() / 2));
    for pair in text.chunks(2) {
        let byte = match pair {
            [high, low] => digit(*high).zip(digit(*low)),
            _ => None,
        };
        let (high, low) = byte.ok_or("expected pairs of lower-case hex digits and nothing else")?;
        secret.push(high << 4 | low);
    }
    Ok(secret)
}

fn decode_base64(text: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    // Room for all of it at once: growing would leave copies of the secret in freed memory.
    let mut secret = Zeroizing::new(Vec::with_capacity(text.len()));
    STANDARD.decode_vec(text, &mut secret).ok()?;
    Some(secret)
}

fn decode_whsec(text: &[u8]) -> Result<Zeroizing<Vec<u8>>, &'static str> {
    let Some(rest) = text.strip_prefix(b"whsec_") else {
        return Err("expected the exact prefix whsec_ first");
    };
    if rest.starts_with(b"whsec_") {
        return Err("the prefix whsec_ is there twice");
    }
    let secret = decode_base64(rest)
        .ok_or("expected canonical base64 with padding after whsec_, and nothing else")?;
    if (24..=64).contains(&secret.len()) {
        Ok(secret)
    } else {
        Err("a whsec_ secret is 24 to 64 bytes")
    }
}
