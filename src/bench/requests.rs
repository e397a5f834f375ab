//! Routes with their keys, and signed requests of the size and shape of real ones.

use std::fs;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::error::BenchError;
use super::scene;
use crate::clock::UnixMillis;
use crate::code::Code;
use crate::delivery::digest::hex;
use crate::delivery::replay::MAX_WINDOW_MILLIS;
use crate::ingress::Route;
use crate::ingress::sign::{Order, Shape, sign};

/// The key of every route here. It opens nothing: the routes are gone with the measurement.
pub(super) const KEY: [u8; 32] = [0x6b; 32];

/// The schemes that sign a body with a key that both sides have. A token signs no body, so a plain
/// HMAC says nothing about what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    Github,
    Gitea,
    GitlabWebhook,
}

impl Scheme {
    pub const ALL: [Scheme; 3] = [Scheme::Github, Scheme::Gitea, Scheme::GitlabWebhook];

    /// Its name in a route.
    pub const fn name(self) -> &'static str {
        match self {
            Scheme::Github => "github",
            Scheme::Gitea => "gitea",
            Scheme::GitlabWebhook => "gitlab-webhook",
        }
    }

    fn route(self) -> Value {
        let namespace = match self {
            Scheme::Github => "github",
            Scheme::Gitea => "gitea",
            Scheme::GitlabWebhook => "gitlab",
        };
        let mut route = json!({
            "schema": "amiss/route/v1",
            "provider": {"namespace": namespace, "instance": "forge.example.test"},
            "scheme": self.name(),
            "trust_set": "bench",
            "keyring": "keyring.json",
            "signed_time": "replay-only",
            "replay_window": {
                "max_signed_age_millis": MAX_WINDOW_MILLIS,
                "max_queue_age_millis": MAX_WINDOW_MILLIS
            }
        });
        if let Some(members) = route.as_object_mut() {
            if self != Scheme::Github {
                members.insert("integration".into(), json!("hook-1"));
            }
            if self == Scheme::GitlabWebhook {
                let required = json!({"required": {"max_age_millis": MAX_WINDOW_MILLIS}});
                members.insert("signed_time".into(), required);
            }
        }
        route
    }
}

/// A route on the disk, as the program reads it.
pub(super) struct Gate {
    pub scheme: Scheme,
    pub path: PathBuf,
    pub route: Route,
}

impl Gate {
    /// Writes a route with its keyring and its key into a new folder.
    pub fn make(place: &Path, scheme: Scheme) -> Result<Gate, BenchError> {
        let folder = place.join(scheme.name());
        fs::create_dir(&folder).map_err(|source| BenchError::io("make", &folder, source))?;
        let keyring = json!({
            "schema": "amiss/keyring/v1",
            "trust_set": "bench",
            "keys": [{
                "anchor": "a", "secret_file": "key", "encoding": "hex",
                "active_from_unix_millis": 0, "active_until_unix_millis": null
            }]
        });
        let path = folder.join("route.json");
        write(&folder.join("key"), &hex(&KEY))?;
        write(&folder.join("keyring.json"), &keyring.to_string())?;
        write(&path, &scheme.route().to_string())?;
        let route = Route::load(&path, None).map_err(BenchError::measured("the route"))?;
        Ok(Gate {
            scheme,
            path,
            route,
        })
    }

    /// The `number`-th request document with a body of `bytes` bytes, and that body.
    pub fn request(
        &self,
        number: u64,
        bytes: usize,
        at: UnixMillis,
    ) -> Result<(String, Vec<u8>), BenchError> {
        let body = body(self.scheme, number, bytes)?;
        let order = Order {
            anchor: None,
            shape: Shape::Json,
            id: &format!("msg-{number}"),
            at,
        };
        let signed =
            sign(&self.route, &body, &order).map_err(BenchError::measured("signing a request"))?;
        Ok((
            serde_json::to_string(&signed).map_err(|error| unformed(&error))?,
            body,
        ))
    }
}

fn write(path: &Path, text: &str) -> Result<(), BenchError> {
    let mut file = fs::File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(|source| BenchError::io("make", path, source))?;
    std::io::Write::write_all(&mut file, text.as_bytes())
        .map_err(|source| BenchError::io("write", path, source))
}

fn unformed(error: &serde_json::Error) -> BenchError {
    BenchError::Measured {
        what: "a request".into(),
        code: Code::Internal,
        message: error.to_string(),
    }
}

/// A payload of exactly this many bytes: the members that are read, and labels as a forge sends
/// them for the rest, so that there is as much structure in it as in a real one.
fn body(scheme: Scheme, number: u64, bytes: usize) -> Result<Vec<u8>, BenchError> {
    let form = |labels: usize, filler: usize| {
        let payload = payload(scheme, number, labels, filler)?;
        serde_json::to_vec(&payload).map_err(|error| unformed(&error))
    };
    let (none, one) = (form(0, 0)?.len(), form(2, 0)?.len());
    let each = one.saturating_sub(none).div_ceil(2);
    let labels = bytes.saturating_sub(none).checked_div(each);
    let labels = labels.unwrap_or_default();
    let short = bytes.saturating_sub(form(labels, 0)?.len());
    form(labels, short)
}

fn payload(scheme: Scheme, number: u64, labels: usize, filler: usize) -> Result<Value, BenchError> {
    let facts = scene::run_facts(number)?;
    let (base, candidate) = (
        facts.commits.base.as_str(),
        facts.commits.candidate.as_str(),
    );
    let labels: Vec<Value> = (0..labels).map(label).collect();
    let filler = "x".repeat(filler);
    if scheme == Scheme::GitlabWebhook {
        let project = json!({"id": 22, "path_with_namespace": "group/project"});
        return Ok(json!({
            "object_kind": "merge_request",
            "project": project,
            "object_attributes": {
                "iid": number.saturating_add(1), "target_project_id": 22,
                "source_branch": "topic", "target_branch": "main", "action": "open",
                "last_commit": {"id": candidate}, "target": project,
                "description": filler
            },
            "labels": labels
        }));
    }
    let number = number.saturating_add(1);
    let repository = json!({
        "id": 31, "name": "project", "full_name": "group/project", "owner": {"login": "group"}
    });
    Ok(json!({
        "action": "opened",
        "number": number,
        "pull_request": {
            "id": number, "number": number,
            "head": {"ref": "topic", "sha": candidate},
            "base": {"ref": "main", "sha": base, "repo": repository},
            "body": filler,
            "labels": labels
        },
        "repository": repository,
        "installation": {"id": 7}
    }))
}

fn label(number: usize) -> Value {
    let url = format!("https://forge.example.test/repos/group/project/labels/area-{number:08}");
    json!({
        "id": 1_000_000_usize.saturating_add(number), "node_id": "MDU6TGFiZWwxMjM0NTY3OA==",
        "url": url, "name": format!("area \"{number:08}\""), "color": "ededed",
        "default": false, "description": "Which part of it\nthis is about"
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingress::{Request, Verdict, verify};

    #[test]
    fn every_request_has_the_size_that_was_asked_for_and_is_accepted() {
        let place = tempfile::tempdir().unwrap();
        let now = UnixMillis::new(1_753_000_000_000).unwrap();
        for scheme in Scheme::ALL {
            let gate = Gate::make(place.path(), scheme).unwrap();
            for bytes in [2048, 100_000] {
                let (text, body) = gate.request(5, bytes, now).unwrap();
                assert_eq!(body.len(), bytes, "{scheme:?}");
                let request = Request::parse(&text, gate.route.limits()).unwrap();
                let verdict = verify(&gate.route, request, now).unwrap();
                assert!(matches!(verdict, Verdict::Accepted(_)), "{scheme:?}");
            }
        }
    }
}
