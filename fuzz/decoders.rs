// Every decoder, each with what must hold for any bytes: it answers or it refuses, and what it
// accepts is what it would write again. The fuzz targets and the corpus test share this file.

use std::path::PathBuf;
use std::sync::OnceLock;

use amiss::clock::UnixMillis;
use amiss::delivery::run::RunFacts;
use amiss::delivery::{Delivery, Envelope, Lease, Outcome, Staged};
use amiss::git::{PushReport, RemoteTips, classify_stderr};
use amiss::ingress::headers::Headers;
use amiss::ingress::limits::Limits;
use amiss::ingress::sign::{Order, Shape, sign};
use amiss::ingress::{Request, Route, verify};
use amiss::ledger::file::FrameKind;
use amiss::outbox::{
    DueEntry, EnabledMarker, Intent, ObjectSyncReceipt, Record, TargetLedger, WorkerIdentity,
};

/// A decoder by its name; its corpus lies in `fuzz/corpus/NAME`.
pub type Decoder = (&'static str, fn(&[u8]));

/// All of them.
pub const ALL: [Decoder; 20] = [
    ("documents", documents),
    ("envelope", envelope),
    ("request", request),
    ("route", route),
    ("keyring", keyring),
    ("token", token),
    ("payload_github", payload_github),
    ("payload_gitea", payload_gitea),
    ("payload_gitlab", payload_gitlab),
    ("plan", plan),
    ("frame_root", frame_root),
    ("frame_capacity", frame_capacity),
    ("frame_row", frame_row),
    ("intent", intent),
    ("due_entry", due_entry),
    ("target_ledger", target_ledger),
    ("receipt", receipt),
    ("worker", worker),
    ("porcelain", porcelain),
    ("ls_remote", ls_remote),
];

const NOW: i64 = 1_800_000_000_000;

/// When the decoders judge.
pub fn now() -> UnixMillis {
    UnixMillis::new(NOW).unwrap()
}

/// A folder with the fixtures' routes and keys, made once.
fn configuration() -> &'static PathBuf {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::Builder::new()
            .prefix("decoders")
            .tempdir()
            .unwrap()
            .keep();
        let fixtures = PathBuf::from(super::FIXTURES);
        for lane in ["github", "gitea", "gitlab", "gitlab-oidc"] {
            let to = folder.join(lane);
            std::fs::create_dir(&to).unwrap();
            for entry in std::fs::read_dir(fixtures.join(lane)).unwrap() {
                let entry = entry.unwrap();
                let copy = to.join(entry.file_name());
                std::fs::copy(entry.path(), &copy).unwrap();
                std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o600)).unwrap();
            }
        }
        folder
    })
}

/// The fixtures' route of a forge.
pub fn lane(name: &str) -> Route {
    Route::load(&configuration().join(name).join("route.json"), None).unwrap()
}

fn lane_github() -> &'static Route {
    static LOADED: OnceLock<Route> = OnceLock::new();
    LOADED.get_or_init(|| lane("github"))
}

const LIMITS: Limits = Limits {
    body_bytes: 1 << 20,
    headers: 128,
    header_bytes: 32 * 1024,
    name_bytes: 128,
};

/// The stream of documents: cut at any place it gives the same documents.
pub fn documents(bytes: &[u8]) {
    let whole = cut(bytes);
    let trickle = cut(Trickle(bytes));
    assert_eq!(whole, trickle);
}

fn cut(input: impl std::io::Read) -> Vec<Result<String, String>> {
    let mut documents = amiss::json::Documents::new(input, 1 << 20);
    let mut list = Vec::new();
    loop {
        match documents.next_document() {
            Ok(Some(text)) => list.push(Ok(text.to_owned())),
            Ok(None) => return list,
            Err(error) => {
                list.push(Err(error.to_string()));
                return list;
            }
        }
    }
}

/// Gives one byte at a time.
struct Trickle<'a>(&'a [u8]);

impl std::io::Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some((first, rest)) = self.0.split_first() else {
            return Ok(0);
        };
        buffer[0] = *first;
        self.0 = rest;
        Ok(1)
    }
}

/// An envelope is handed on unchanged, and its members are read or refused.
pub fn envelope(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(envelope) = Envelope::parse(text) else {
        return;
    };
    if let Ok(Some(delivery)) = envelope.member::<Delivery>("delivery") {
        let again: Delivery =
            serde_json::from_slice(&serde_json::to_vec(&delivery).unwrap()).unwrap();
        assert_eq!(again, delivery);
        let _ = delivery.accept(None);
    }
    let _ = envelope.member::<Lease>("lease");
    let _ = envelope.member::<RunFacts>("run");
    let _ = envelope.member::<Outcome>("outcome");
    let _ = envelope.member::<Staged>("staged");
}

/// A request without a right signature is refused.
pub fn request(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    // A body by path would read the fuzzer's own files.
    if text.contains("body_path") {
        return;
    }
    if let Ok(request) = Request::parse(text, &LIMITS) {
        let _ = verify(lane_github(), request, now());
    }
}

fn in_lane(lane: &str, file: &str, bytes: &[u8]) {
    let folder = configuration().join(lane);
    let path = folder.join(file);
    std::fs::write(&path, bytes).unwrap();
    if file == "trial-keys.json" {
        let _ = amiss::ingress::keyring::Keyring::load(&path);
    } else {
        let _ = Route::load(&path, None);
    }
}

/// A route file.
pub fn route(bytes: &[u8]) {
    in_lane("github", "trial.json", bytes);
}

/// A keyring file.
pub fn keyring(bytes: &[u8]) {
    in_lane("github", "trial-keys.json", bytes);
}

/// A plan file.
pub fn plan(bytes: &[u8]) {
    let path = configuration().join("plan.json");
    std::fs::write(&path, bytes).unwrap();
    let _ = amiss::plan::LoadedPlan::load(&path);
}

/// A bearer token.
pub fn token(bytes: &[u8]) {
    static LOADED: OnceLock<Route> = OnceLock::new();
    let route = LOADED.get_or_init(|| lane("gitlab-oidc"));
    let mut headers = Headers::default();
    let mut value = b"Bearer ".to_vec();
    value.extend_from_slice(bytes);
    headers.push("Authorization".into(), value);
    let request = Request::new(None, headers, br#"{"merge_request_iid":12}"#.to_vec());
    let _ = verify(route, request, now());
}

/// A signed request, and the value of its last header: the signature.
pub fn sign_for(route: &Route, bytes: &[u8]) -> (String, String) {
    let order = Order {
        anchor: None,
        shape: Shape::Json,
        id: "message",
        at: now(),
    };
    let request = serde_json::to_value(sign(route, bytes, &order).unwrap()).unwrap();
    let last = request["headers"].as_array().unwrap().last().unwrap();
    let signature = last[1].as_str().unwrap().to_owned();
    (request.to_string(), signature)
}

fn signed(route: &Route, bytes: &[u8]) {
    let (text, _) = sign_for(route, bytes);
    let request = Request::parse(&text, &LIMITS).unwrap();
    // The signature holds, so only the payload can be refused.
    match verify(route, request, now()) {
        Ok(_) => {}
        Err(error) => {
            use amiss::code::Coded;
            let code = error.code().to_string();
            assert!(
                ["INGRESS_PAYLOAD", "INGRESS_ROUTE", "INGRESS_LIMITS"].contains(&code.as_str()),
                "{code}: {error}"
            );
        }
    }
}

/// A payload of GitHub, rightly signed.
pub fn payload_github(bytes: &[u8]) {
    signed(lane_github(), bytes);
}

/// A payload of Gitea, rightly signed.
pub fn payload_gitea(bytes: &[u8]) {
    static LOADED: OnceLock<Route> = OnceLock::new();
    signed(LOADED.get_or_init(|| lane("gitea")), bytes);
}

/// A payload of GitLab, rightly signed.
pub fn payload_gitlab(bytes: &[u8]) {
    static LOADED: OnceLock<Route> = OnceLock::new();
    signed(LOADED.get_or_init(|| lane("gitlab")), bytes);
}

fn frame(kind: FrameKind, bytes: &[u8]) {
    if let Ok(again) = kind.reread(bytes) {
        assert_eq!(again, bytes);
    }
}

/// A root frame.
pub fn frame_root(bytes: &[u8]) {
    frame(FrameKind::Root, bytes);
}

/// A capacity frame.
pub fn frame_capacity(bytes: &[u8]) {
    frame(FrameKind::Capacity, bytes);
}

/// A row frame.
pub fn frame_row(bytes: &[u8]) {
    frame(FrameKind::Row, bytes);
}

fn record<R: Record>(bytes: &[u8]) {
    if let Ok(record) = R::decode(bytes) {
        assert_eq!(record.encode().unwrap(), bytes);
    }
}

/// An intent.
pub fn intent(bytes: &[u8]) {
    record::<Intent>(bytes);
}

/// A due entry.
pub fn due_entry(bytes: &[u8]) {
    record::<DueEntry>(bytes);
}

/// A target's ledger.
pub fn target_ledger(bytes: &[u8]) {
    record::<TargetLedger>(bytes);
}

/// An object-sync receipt, and the enabled marker.
pub fn receipt(bytes: &[u8]) {
    record::<ObjectSyncReceipt>(bytes);
    record::<EnabledMarker>(bytes);
}

/// A watcher's identity.
pub fn worker(bytes: &[u8]) {
    record::<WorkerIdentity>(bytes);
}

/// What `git push --porcelain` printed, and its standard error.
pub fn porcelain(bytes: &[u8]) {
    let report = PushReport::parse(bytes);
    let _ = report.outcome("refs/heads/main");
    let _ = classify_stderr(bytes);
}

/// What `git ls-remote` printed.
pub fn ls_remote(bytes: &[u8]) {
    if let Ok(tips) = RemoteTips::parse(bytes) {
        let _ = tips.tip("refs/heads/main");
    }
}
