// Every decoder, each with what must hold for any bytes: it answers or it refuses, and what it
// accepts is what it would write again, or what an independent reading of the same bytes confirms.
// The fuzz targets and the corpus test share this file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use amiss::clock::UnixMillis;
use amiss::delivery::run::RunFacts;
use amiss::delivery::{Delivery, Envelope, Lease, Outcome, Staged};
use amiss::git::{PushReport, RefOutcome, RemoteTips, classify_stderr};
use amiss::ingress::headers::Headers;
use amiss::ingress::keyring::{Keyring, NoMatch};
use amiss::ingress::limits::Limits;
use amiss::ingress::sign::{Order, Shape, sign};
use amiss::ingress::{Request, Route, verify};
use amiss::ledger::file::FrameKind;
use amiss::outbox::{
    DueEntry, EnabledMarker, Intent, ObjectSyncReceipt, Record, TargetLedger, WorkerIdentity,
};
use amiss::plan::LoadedPlan;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

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

/// The stream of documents: cut at any place it gives the same documents, each a part of what came,
/// in order.
pub fn documents(bytes: &[u8]) {
    let whole = cut(bytes);
    let trickle = cut(Trickle(bytes));
    assert_eq!(whole, trickle);
    let mut rest = bytes;
    for text in whole.iter().flatten() {
        let text = text.as_bytes();
        let at = rest
            .windows(text.len().max(1))
            .position(|part| part == text);
        rest = &rest[at.unwrap() + text.len()..];
    }
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

/// An envelope is handed on with every member as it came, and a member that is read is written
/// again as the same value.
pub fn envelope(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(envelope) = Envelope::parse(text) else {
        return;
    };
    let printed = serde_json::to_string(&envelope).unwrap();
    let (came, goes) = (members(text), members(&printed));
    for (name, value) in &came {
        assert_eq!(goes[name].get(), value.get(), "{name}");
    }
    assert!(goes.len() - came.len() <= usize::from(!came.contains_key("schema")));
    let again = Envelope::parse(&printed).unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), printed);
    if let Some(delivery) = same_again::<Delivery>(&envelope, "delivery") {
        let _ = delivery.accept(None);
    }
    same_again::<Lease>(&envelope, "lease");
    same_again::<RunFacts>(&envelope, "run");
    same_again::<Outcome>(&envelope, "outcome");
    same_again::<Staged>(&envelope, "staged");
}

fn members(text: &str) -> BTreeMap<String, Box<RawValue>> {
    serde_json::from_str(text).unwrap()
}

/// A member that is read, after its way through its own form.
fn same_again<T: DeserializeOwned + Serialize>(envelope: &Envelope, name: &str) -> Option<T> {
    let value = envelope.member::<T>(name).ok()??;
    let form = serde_json::to_vec(&value).unwrap();
    let again: T = serde_json::from_slice(&form).unwrap();
    assert_eq!(serde_json::to_vec(&again).unwrap(), form, "{name}");
    Some(again)
}

/// A request whose header is not the signature of its body is refused.
pub fn request(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    // A body by path would read the fuzzer's own files.
    if text.contains("body_path") {
        return;
    }
    let Ok(request) = Request::parse(text, &LIMITS) else {
        return;
    };
    if verify(lane_github(), request, now()).is_err() {
        return;
    }
    let value: Value = serde_json::from_str(text).unwrap();
    let Some(body) = value["body"].as_str() else {
        return;
    };
    let (_, right) = sign_for(lane_github(), body.as_bytes());
    let given = value["headers"].as_array().map_or_else(
        || headers_of_object(&value),
        |list| {
            list.iter()
                .map(|pair| (text_of(&pair[0]), text_of(&pair[1])))
                .collect()
        },
    );
    let mut signatures = given
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("X-Hub-Signature-256"));
    assert_eq!(signatures.next().map(|(_, value)| value), Some(&right));
    assert_eq!(signatures.next(), None);
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn headers_of_object(request: &Value) -> Vec<(String, String)> {
    let object = request["headers"].as_object();
    let pairs = object.into_iter().flatten();
    pairs
        .map(|(name, value)| (name.clone(), text_of(value)))
        .collect()
}

fn in_configuration(file: &str, bytes: &[u8]) -> PathBuf {
    let path = configuration().join(file);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// A route file: under one that is accepted, what its own keys sign is authentic.
pub fn route(bytes: &[u8]) {
    let path = in_configuration("github/trial.json", bytes);
    let Ok(route) = Route::load(&path, None) else {
        return;
    };
    if let Ok(request) = sign(&route, b"{}", &order()) {
        let text = serde_json::to_string(&request).unwrap();
        only_its_payload_is_wrong(&route, &text);
    }
}

/// A keyring file: under one that is accepted, every key knows its own signature and no other.
pub fn keyring(bytes: &[u8]) {
    let path = in_configuration("github/trial-keys.json", bytes);
    let Ok(ring) = Keyring::load(&path) else {
        return;
    };
    let (parts, others): ([&[u8]; 2], [&[u8]; 2]) = ([b"one", b"two"], [b"one", b"twp"]);
    for (anchor, window) in ring.windows() {
        if !window.holds(now()) {
            assert!(ring.sign(now(), Some(anchor), &parts).is_err());
            continue;
        }
        let (by, tag) = ring.sign(now(), Some(anchor), &parts).unwrap();
        assert_eq!(by, anchor);
        assert_eq!(ring.find(now(), &parts, &[*tag]), Ok(anchor));
        assert!(matches!(
            ring.find(now(), &others, &[*tag]),
            Err(NoMatch::Tried(_))
        ));
    }
}

/// A plan file: written otherwise, one that is accepted is the same plan with the same digests.
pub fn plan(bytes: &[u8]) {
    let path = in_configuration("plan.json", bytes);
    let Ok(loaded) = LoadedPlan::load(&path) else {
        return;
    };
    let value: Value = serde_json::from_slice(bytes).unwrap();
    let pretty = serde_json::to_vec_pretty(&value).unwrap();
    if pretty.len() <= 1 << 20 {
        let path = in_configuration("plan.json", &pretty);
        assert_eq!(LoadedPlan::load(&path).unwrap(), loaded);
    }
}

/// A bearer token that the forge's key did not sign, as none here is, is refused.
pub fn token(bytes: &[u8]) {
    static LOADED: OnceLock<Route> = OnceLock::new();
    let route = LOADED.get_or_init(|| lane("gitlab-oidc"));
    let mut headers = Headers::default();
    let mut value = b"Bearer ".to_vec();
    value.extend_from_slice(bytes);
    headers.push("Authorization".into(), value);
    let request = Request::new(None, headers, br#"{"merge_request_iid":12}"#.to_vec());
    assert!(verify(route, request, now()).is_err());
}

fn order() -> Order<'static> {
    Order {
        anchor: None,
        shape: Shape::Json,
        id: "message",
        at: now(),
    }
}

/// A signed request, and the value of its last header: the signature.
pub fn sign_for(route: &Route, bytes: &[u8]) -> (String, String) {
    let request = serde_json::to_value(sign(route, bytes, &order()).unwrap()).unwrap();
    let last = request["headers"].as_array().unwrap().last().unwrap();
    let signature = last[1].as_str().unwrap().to_owned();
    (request.to_string(), signature)
}

fn signed(route: &Route, bytes: &[u8]) {
    let (text, _) = sign_for(route, bytes);
    only_its_payload_is_wrong(route, &text);
}

/// The signature holds, so only what was signed can be refused.
fn only_its_payload_is_wrong(route: &Route, text: &str) {
    use amiss::code::Coded;
    let request = Request::parse(text, &LIMITS).unwrap();
    if let Err(error) = verify(route, request, now()) {
        let code = error.code().to_string();
        assert!(
            ["INGRESS_PAYLOAD", "INGRESS_ROUTE", "INGRESS_LIMITS"].contains(&code.as_str()),
            "{code}: {error}"
        );
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

const MAIN: &str = "refs/heads/main";

/// What `git push --porcelain` printed, and its standard error: a ref arrived only if a line of its
/// own says so, and none says that it was refused.
pub fn porcelain(bytes: &[u8]) {
    let _ = classify_stderr(bytes);
    let outcome = PushReport::parse(bytes).outcome(MAIN);
    let flags: Vec<&[u8]> = bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| {
            let mut columns = line.splitn(3, |byte| *byte == b'\t');
            let (flag, names) = (columns.next()?, columns.next()?);
            columns.next()?;
            names.ends_with(b":refs/heads/main").then_some(flag)
        })
        .collect();
    match outcome {
        Some(RefOutcome::Updated | RefOutcome::UpToDate) => {
            assert!(!flags.contains(&&b"!"[..]));
            let arrived: [&[u8]; 4] = [b" ", b"*", b"+", b"="];
            assert!(flags.iter().any(|flag| arrived.contains(flag)));
        }
        Some(RefOutcome::Refused(_)) => assert!(flags.contains(&&b"!"[..])),
        None => assert!(!flags.contains(&&b"!"[..])),
    }
}

/// What `git ls-remote` printed: the tip of a ref is what its own last line says, and a ref that no
/// line names has none.
pub fn ls_remote(bytes: &[u8]) {
    let Ok(tips) = RemoteTips::parse(bytes) else {
        return;
    };
    let said = bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_suffix(b"\trefs/heads/main"))
        .rfind(|oid| !oid.contains(&b'\t'));
    assert_eq!(tips.tip(MAIN).map(|oid| oid.as_str().as_bytes()), said);
}
