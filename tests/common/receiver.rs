//! A receiver's files in a private place, and requests to it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

/// The secret of GitHub's guide, which all fixtures use.
pub const SECRET: &[u8] = b"It's a Secret to Everybody";

/// A file of `fixtures/`.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

/// Its bytes.
pub fn fixture_bytes(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).unwrap()
}

/// A directory with `route.json`, `keyring.json` and the secret files that it names.
pub struct Receiver {
    dir: tempfile::TempDir,
}

impl Receiver {
    /// The files of `fixtures/<forge>`. Git keeps no mode 0600, so the secret gets it here.
    pub fn fixture(forge: &str) -> Receiver {
        let receiver = Receiver {
            dir: tempfile::tempdir().unwrap(),
        };
        for entry in std::fs::read_dir(fixture(forge)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            receiver.file(&name, &std::fs::read(entry.path()).unwrap());
        }
        receiver
    }

    /// GitHub's files: installation 1 of the example payloads.
    pub fn github() -> Receiver {
        Receiver::fixture("github")
    }

    /// A path in the receiver's directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The route file, as an argument.
    pub fn route(&self) -> String {
        self.path("route.json").to_str().unwrap().to_owned()
    }

    /// Writes a private file.
    pub fn file(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// Changes a JSON file of the receiver's.
    pub fn edit(&self, name: &str, change: impl FnOnce(&mut Value)) {
        let mut value: Value =
            serde_json::from_slice(&std::fs::read(self.path(name)).unwrap()).unwrap();
        change(&mut value);
        self.file(name, &serde_json::to_vec(&value).unwrap());
    }

    /// Runs `ingress-verify` on one input with these further arguments.
    pub fn verify_with(&self, more: &[&str], input: impl AsRef<[u8]>) -> std::process::Output {
        let route = self.route();
        let mut arguments = vec!["ingress-verify", "--route", route.as_str()];
        arguments.extend_from_slice(more);
        super::run(&arguments, input)
    }

    /// Runs `ingress-verify` on one input.
    pub fn verify(&self, input: impl AsRef<[u8]>) -> std::process::Output {
        self.verify_with(&[], input)
    }
}

/// HMAC-SHA256 as bytes.
pub fn hmac(secret: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).unwrap();
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

/// HMAC-SHA256 as lower-case hex.
pub fn hmac_hex(secret: &[u8], message: &[u8]) -> String {
    amiss::delivery::digest::hex(&hmac(secret, message))
}

/// Standard base64.
pub fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// A request document.
pub fn request(headers: &[(&str, &str)], body: &[u8]) -> String {
    json!({"headers": headers, "body_base64": base64(body)}).to_string()
}

/// A request as GitHub signs it with the fixtures' secret.
pub fn github_request(body: &[u8]) -> String {
    let signature = format!("sha256={}", hmac_hex(SECRET, body));
    request(
        &[
            ("Content-Type", "application/json"),
            ("X-GitHub-Event", "pull_request"),
            ("X-Hub-Signature-256", &signature),
        ],
        body,
    )
}
