//! The RSA keys that a token route pins: PEM files or one JWKS file, reviewed by the operator and
//! never fetched (page 2.3).

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::DecodingKey;
use rsa::BoxedUint;
use rsa::pkcs1::DecodeRsaPublicKey as _;
use rsa::pkcs8::DecodePublicKey as _;
use rsa::traits::PublicKeyParts as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::ConfigError;
use crate::delivery::accepted::Label;
use crate::json;
use crate::plan::read_config;

/// The most keys that a route may pin.
pub const MAX_PINNED: usize = 16;
/// The smallest modulus, in bits.
pub const MIN_BITS: u32 = 2048;

/// A pinned key of a route file.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinFile {
    /// The key id that a token names.
    kid: String,
    /// The key's name, as answers show it.
    anchor: Label,
    /// A PEM public key, SPKI or PKCS#1, relative to the route file.
    #[serde(rename = "pem_file")]
    pem: PathBuf,
}

struct PinnedKey {
    kid: String,
    anchor: Label,
    key: DecodingKey,
}

/// One to sixteen RSA public keys with unique key ids.
pub struct PinnedKeys(Vec<PinnedKey>);

impl std::fmt::Debug for PinnedKeys {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list: Vec<&str> = self.0.iter().map(|key| key.anchor.as_str()).collect();
        write!(out, "PinnedKeys({list:?})")
    }
}

/// A key set file (RFC 7517). Members that nobody here reads are left: the file is a foreign one.
#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Jwk>,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    n: Option<String>,
    e: Option<String>,
    #[serde(flatten)]
    others: std::collections::BTreeMap<String, serde_json::Value>,
}

impl PinnedKeys {
    /// The key that a token names.
    pub(super) fn get(&self, kid: &str) -> Option<(&Label, &DecodingKey)> {
        self.0
            .iter()
            .find(|key| key.kid == kid)
            .map(|key| (&key.anchor, &key.key))
    }

    /// The names of the keys, for explanations.
    pub(super) fn anchors(&self) -> impl Iterator<Item = &Label> {
        self.0.iter().map(|key| &key.anchor)
    }

    fn add(&mut self, key: PinnedKey) -> Result<(), String> {
        if self.0.len() >= MAX_PINNED {
            return Err(format!("it holds more than {MAX_PINNED} keys"));
        }
        if self.0.iter().any(|other| other.kid == key.kid) {
            return Err(format!("`kid` `{}` is there twice", key.kid.escape_debug()));
        }
        if self.0.iter().any(|other| other.anchor == key.anchor) {
            return Err(format!("anchor `{}` is there twice", key.anchor));
        }
        self.0.push(key);
        Ok(())
    }

    /// Reads the PEM files that a route names.
    ///
    /// # Errors
    /// `CONFIG_INVALID`.
    pub(super) fn load_pem(route: &Path, files: &[PinFile]) -> Result<PinnedKeys, ConfigError> {
        let mut keys = PinnedKeys(Vec::new());
        for file in files {
            let path = route.parent().unwrap_or(Path::new(".")).join(&file.pem);
            let text = read("pinned key", &path)?;
            let wrong = wrong("pinned key", &path);
            if file.kid.is_empty() {
                return Err(wrong("`kid` is empty".into()));
            }
            let public = from_pem(&text).map_err(|reason| wrong(reason.into()))?;
            let key = PinnedKey {
                kid: file.kid.clone(),
                anchor: file.anchor.clone(),
                key: checked(&public).map_err(|reason| wrong(reason.into()))?,
            };
            keys.add(key).map_err(wrong)?;
        }
        keys.some(route)
    }

    /// Reads a key set file; each key's `kid` is its anchor too.
    ///
    /// # Errors
    /// `CONFIG_INVALID`.
    pub(super) fn load_jwks(route: &Path, file: &Path) -> Result<PinnedKeys, ConfigError> {
        let path = route.parent().unwrap_or(Path::new(".")).join(file);
        let text = read("key set", &path)?;
        let wrong = wrong("key set", &path);
        json::check_unique(&text, "key set").map_err(|error| wrong(error.to_string()))?;
        let set: KeySet =
            json::parse_borrowed(&text, "key set").map_err(|error| wrong(error.to_string()))?;
        let mut keys = PinnedKeys(Vec::new());
        for jwk in &set.keys {
            keys.add(jwk.pin().map_err(&wrong)?).map_err(&wrong)?;
        }
        keys.some(&path)
    }

    fn some(self, path: &Path) -> Result<PinnedKeys, ConfigError> {
        if self.0.is_empty() {
            return Err(wrong("key set", path)("it pins no key".into()));
        }
        Ok(self)
    }
}

fn read(kind: &'static str, path: &Path) -> Result<String, ConfigError> {
    read_config(path).map_err(|source| ConfigError::Unreadable {
        kind,
        path: path.to_owned(),
        source,
    })
}

fn wrong(kind: &'static str, path: &Path) -> impl Fn(String) -> ConfigError {
    move |reason| ConfigError::Wrong {
        kind,
        path: path.to_owned(),
        reason,
    }
}

impl Jwk {
    fn pin(&self) -> Result<PinnedKey, String> {
        let kid = self.kid.clone().unwrap_or_default();
        let fault = |reason: &str| format!("key `{}`: {reason}", kid.escape_debug());
        if kid.is_empty() {
            return Err("a key has no `kid`".into());
        }
        let private = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
        if private.iter().any(|name| self.others.contains_key(*name)) {
            return Err(fault("it is a private key; pin the public one"));
        }
        if self.kty != "RSA" {
            return Err(fault("`kty` is not \"RSA\""));
        }
        if self.usage.as_deref().is_some_and(|usage| usage != "sig") {
            return Err(fault("`use` is not \"sig\""));
        }
        let verifies = |ops: &Vec<String>| ops.iter().any(|op| op == "verify");
        if self.key_ops.as_ref().is_some_and(|ops| !verifies(ops)) {
            return Err(fault("`key_ops` does not hold \"verify\""));
        }
        if self.alg.as_deref().is_some_and(|alg| alg != "RS256") {
            return Err(fault("`alg` is not \"RS256\""));
        }
        let number = |member: &str, text: &Option<String>| {
            text.as_ref()
                .and_then(|text| URL_SAFE_NO_PAD.decode(text).ok())
                .filter(|bytes| bytes.first().is_some_and(|first| *first != 0))
                .ok_or_else(|| fault(&format!("`{member}` is no canonical base64url number")))
        };
        let (n, e) = (number("n", &self.n)?, number("e", &self.e)?);
        let public = rsa::PublicKey::new(
            BoxedUint::from_be_slice_vartime(&n),
            BoxedUint::from_be_slice_vartime(&e),
        )
        .map_err(|error| fault(&error.to_string()))?;
        let anchor = Label::new(kid.as_str())
            .map_err(|_| fault("its `kid` is no anchor name; pin it by `keys` instead"))?;
        Ok(PinnedKey {
            key: checked(&public).map_err(fault)?,
            anchor,
            kid,
        })
    }
}

fn from_pem(text: &str) -> Result<rsa::PublicKey, &'static str> {
    let text = text.trim();
    if text.contains("PRIVATE KEY-----") {
        return Err("it is a private key; pin the public one");
    }
    if text.matches("-----BEGIN ").count() != 1 || !text.starts_with("-----BEGIN ") {
        return Err("it is not one PEM block and nothing else");
    }
    if text.starts_with("-----BEGIN PUBLIC KEY-----") {
        rsa::PublicKey::from_public_key_pem(text)
            .map_err(|_| "it is no RSA public key in SPKI form")
    } else if text.starts_with("-----BEGIN RSA PUBLIC KEY-----") {
        rsa::PublicKey::from_pkcs1_pem(text).map_err(|_| "it is no RSA public key in PKCS#1 form")
    } else {
        Err("it is neither a `PUBLIC KEY` nor an `RSA PUBLIC KEY`")
    }
}

/// The key for the verifier, once it is long enough.
fn checked(key: &rsa::PublicKey) -> Result<DecodingKey, &'static str> {
    let bits = key.n().bit_width_vartime();
    if bits < MIN_BITS {
        return Err("the key has less than 2048 bits");
    }
    Ok(DecodingKey::from_rsa_raw_components(
        &key.n().to_be_bytes_trimmed_vartime(),
        &key.e().to_be_bytes_trimmed_vartime(),
    ))
}
