// Every decoder, each with what must hold for any bytes: it answers or it refuses, and what it
// accepts is what it would write again, or what an independent reading of the same bytes confirms.
// The fuzz targets and the corpus test share this file.

use std::collections::{BTreeMap, BTreeSet};
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
use amiss::ingress::{Request, Route, Verdict, verify};
use amiss::ledger::file::FrameKind;
use amiss::outbox::{
    DueEntry, EnabledMarker, EndedPin, Intent, ObjectSyncReceipt, Record, TargetLedger,
    WorkerIdentity,
};
use amiss::plan::LoadedPlan;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rsa::pkcs1v15::SigningKey;
use rsa::signature::{SignatureEncoding as _, Signer as _};
use rsa::{BoxedUint, PrivateKey};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

/// A decoder by its name; its corpus lies in `fuzz/corpus/NAME`.
pub type Decoder = (&'static str, fn(&[u8]));

/// All of them.
pub const ALL: [Decoder; 23] = [
    ("documents", documents),
    ("envelope", envelope),
    ("request", request),
    ("route", route),
    ("keyring", keyring),
    ("key_set", key_set),
    ("token", token),
    ("claims", claims),
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
    ("ended", ended),
    ("worker", worker),
    ("porcelain", porcelain),
    ("ls_remote", ls_remote),
];

const NOW: i64 = 1_800_000_000_000;

/// When the decoders judge.
pub fn now() -> UnixMillis {
    UnixMillis::new(NOW).unwrap()
}

/// The path of a file in a folder with the fixtures' routes and keys. Each thread has a folder of
/// its own, which goes with it.
fn configuration(file: &str) -> PathBuf {
    thread_local! {
        static MADE: tempfile::TempDir = copied();
    }
    MADE.with(|folder| folder.path().join(file))
}

fn copied() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::Builder::new()
        .prefix("decoders")
        .tempdir()
        .unwrap();
    let fixtures = PathBuf::from(super::FIXTURES);
    // A key set on trial must not take the place of the token route's own.
    let copies = ["github", "gitea", "gitlab", "gitlab-oidc"]
        .map(|lane| (lane, lane))
        .into_iter()
        .chain([("gitlab-oidc", "key-set")]);
    for (lane, copy) in copies {
        let to = folder.path().join(copy);
        std::fs::create_dir(&to).unwrap();
        for entry in std::fs::read_dir(fixtures.join(lane)).unwrap() {
            let entry = entry.unwrap();
            let copy = to.join(entry.file_name());
            std::fs::copy(entry.path(), &copy).unwrap();
            std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    }
    folder
}

/// The fixtures' route of a forge.
pub fn lane(name: &str) -> Route {
    Route::load(&configuration(&format!("{name}/route.json")), None).unwrap()
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

/// The stream of documents: cut at any place it gives the same documents, in order, none of them
/// larger or deeper than allowed; nothing but white space lies between them, and behind the last if
/// nothing was refused.
pub fn documents(bytes: &[u8]) {
    let whole = cut(bytes);
    let trickle = cut(Trickle(bytes));
    assert_eq!(whole, trickle);
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let mut rest = bytes;
    for text in whole.iter().flatten() {
        let between = rest.iter().take_while(|byte| is_space(byte)).count();
        rest = rest[between..].strip_prefix(text.as_bytes()).unwrap();
        assert!(depth(text) <= amiss::json::MAX_DEPTH && text.len() <= DOCUMENT_BYTES);
    }
    let refused = whole.iter().any(Result::is_err);
    assert!(refused || rest.iter().all(is_space));
}

/// How deep brackets nest outside of strings.
fn depth(text: &str) -> usize {
    let (mut now, mut most, mut inside, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            b'{' | b'[' if !inside => now += 1,
            b'}' | b']' if !inside => now = now.saturating_sub(1),
            _ => {}
        }
        most = most.max(now);
    }
    most
}

/// Small, so that a fuzzer meets it.
const DOCUMENT_BYTES: usize = 4096;

fn cut(input: impl std::io::Read) -> Vec<Result<String, String>> {
    let mut documents = amiss::json::Documents::new(input, DOCUMENT_BYTES);
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
    let path = configuration(file);
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

/// A key set file: one that a route takes pins RSA keys for RS256 with ids of their own, at most
/// sixteen, and no private one.
pub fn key_set(bytes: &[u8]) {
    let path = in_configuration("key-set/jwks.json", bytes);
    let loaded = Route::load(&path.with_file_name("route.json"), None);
    if loaded.is_err() {
        return;
    }
    let set: Value = serde_json::from_slice(bytes).unwrap();
    let keys = set["keys"].as_array().unwrap();
    let names: BTreeSet<&str> = keys
        .iter()
        .map(|key| key["kid"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), keys.len());
    assert!((1..=16).contains(&keys.len()));
    for key in keys {
        assert_eq!(key["kty"], "RSA");
        assert!(
            key.get("alg")
                .is_none_or(|alg| alg.is_null() || alg == "RS256")
        );
        assert!(
            ["d", "p", "q", "k"]
                .iter()
                .all(|name| key.get(name).is_none())
        );
        let modulus = URL_SAFE_NO_PAD.decode(key["n"].as_str().unwrap()).unwrap();
        assert!(modulus.len() >= 256);
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

/// The published pair of the key that the fixture's route pins.
fn token_key() -> &'static SigningKey<Sha256> {
    static LOADED: OnceLock<SigningKey<Sha256>> = OnceLock::new();
    LOADED.get_or_init(|| {
        let path = PathBuf::from(super::FIXTURES).join("wycheproof/json_web_signature_test.json");
        let vectors: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let groups = vectors["testGroups"].as_array().unwrap();
        let pair = groups.iter().find(|group| group["comment"] == "rs256");
        let pair = &pair.unwrap()["private"];
        let number = |name: &str| {
            let bytes = URL_SAFE_NO_PAD
                .decode(pair[name].as_str().unwrap())
                .unwrap();
            BoxedUint::from_be_slice_vartime(&bytes)
        };
        let primes = vec![number("p"), number("q")];
        let key = PrivateKey::from_components(number("n"), number("e"), number("d"), primes);
        SigningKey::new(key.unwrap())
    })
}

/// The claims of a token, rightly signed: only what they say can be refused, and what is accepted is
/// the job that they name.
pub fn claims(bytes: &[u8]) {
    use amiss::code::Coded;
    static LOADED: OnceLock<Route> = OnceLock::new();
    let route = LOADED.get_or_init(|| lane("gitlab-oidc"));
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256","kid":"kid-rsa-sign","typ":"JWT"}"#);
    let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(bytes));
    let signature = token_key().sign(signed.as_bytes()).to_vec();
    let token = format!("Bearer {signed}.{}", URL_SAFE_NO_PAD.encode(signature));
    let mut headers = Headers::default();
    headers.push("Authorization".into(), token.into_bytes());
    let request = Request::new(None, headers, br#"{"merge_request_iid":12}"#.to_vec());
    match verify(route, request, now()) {
        Ok(Verdict::Accepted(accepted)) => {
            let claims: Value = serde_json::from_slice(bytes).unwrap();
            let run = &accepted.delivery().provider_run;
            let job = format!(
                "pipeline/{}/job/{}",
                number(&claims["pipeline_id"]),
                number(&claims["job_id"])
            );
            assert_eq!(run.run_id.as_str(), job);
            assert_eq!(claims["sha"], run.candidate_commit.as_str());
            assert_eq!(claims["iss"], "https://gitlab.example.org");
            assert_eq!(number(&claims["runner_id"]), "7");
            assert!(number(&claims["exp"]).parse::<i64>().unwrap() >= NOW / 1000 - 300);
        }
        Ok(Verdict::Ignored(ignored)) => panic!("a job is work: {ignored:?}"),
        Err(error) => {
            let code = error.code().to_string();
            let legal = [
                "INGRESS_TOKEN",
                "INGRESS_CLAIMS",
                "INGRESS_STALE",
                "INGRESS_FUTURE",
                "INGRESS_LIMITS",
            ];
            assert!(legal.contains(&code.as_str()), "{code}: {error}");
        }
    }
}

/// A number of a foreign document, which may write it as a text.
fn number(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
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

/// What is rightly signed and accepted says to any reader of its JSON what the delivery says.
fn signed(route: &Route, bytes: &[u8], read: fn(&Value) -> Option<(String, String)>) {
    let (text, _) = sign_for(route, bytes);
    only_its_payload_is_wrong(route, &text);
    let request = Request::parse(&text, &LIMITS).unwrap();
    let Ok(Verdict::Accepted(accepted)) = verify(route, request, now()) else {
        return;
    };
    let delivery = accepted.delivery();
    let change = delivery.change.change.as_str().to_owned();
    let commit = delivery.provider_run.candidate_commit.as_str().to_owned();
    // GitHub sends the same JSON inside of a form too, which this reader does not know.
    if let Ok(payload) = serde_json::from_slice(bytes) {
        assert_eq!(read(&payload), Some((change, commit)));
    }
}

fn pull_request(payload: &Value) -> Option<(String, String)> {
    let pull = &payload["pull_request"];
    let (repository, id) = (payload["repository"]["id"].as_u64()?, pull["id"].as_u64()?);
    let number = payload["number"].as_u64()?;
    Some((
        format!("repository/{repository}/pull/{id}/number/{number}"),
        pull["head"]["sha"].as_str()?.to_owned(),
    ))
}

fn merge_request(payload: &Value) -> Option<(String, String)> {
    let merge = &payload["object_attributes"];
    let (project, iid) = (payload["project"]["id"].as_u64()?, merge["iid"].as_u64()?);
    Some((
        format!("project/{project}/merge-request/{iid}"),
        merge["last_commit"]["id"].as_str()?.to_owned(),
    ))
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
    signed(lane_github(), bytes, pull_request);
}

/// A payload of Gitea, rightly signed.
pub fn payload_gitea(bytes: &[u8]) {
    static LOADED: OnceLock<Route> = OnceLock::new();
    signed(LOADED.get_or_init(|| lane("gitea")), bytes, pull_request);
}

/// A payload of GitLab, rightly signed.
pub fn payload_gitlab(bytes: &[u8]) {
    static LOADED: OnceLock<Route> = OnceLock::new();
    signed(LOADED.get_or_init(|| lane("gitlab")), bytes, merge_request);
}

/// The bytes as a frame, and as the payload of a right one: no fuzzer finds the digest.
fn frame(kind: FrameKind, magic: &str, domain: &str, bytes: &[u8]) {
    let mut hash = Sha256::new();
    hash.update(domain);
    hash.update([0]);
    hash.update(bytes);
    let mut whole = [magic.as_bytes(), &[1]].concat();
    whole.extend(u64::try_from(bytes.len()).unwrap().to_be_bytes());
    whole.extend(hash.finalize());
    whole.extend(bytes);
    for bytes in [bytes, &whole] {
        if let Ok(again) = kind.reread(bytes) {
            assert_eq!(again, bytes);
        }
    }
}

/// A root frame.
pub fn frame_root(bytes: &[u8]) {
    let domain = "amiss/controller-file-root-frame-v1";
    frame(FrameKind::Root, "AMISS-DELIVERY-ROOT", domain, bytes);
}

/// A capacity frame.
pub fn frame_capacity(bytes: &[u8]) {
    let domain = "amiss/controller-file-capacity-frame-v1";
    frame(
        FrameKind::Capacity,
        "AMISS-DELIVERY-CAPACITY",
        domain,
        bytes,
    );
}

/// A row frame.
pub fn frame_row(bytes: &[u8]) {
    let domain = "amiss/controller-file-record-v1";
    frame(FrameKind::Row, "AMISS-DELIVERY-RECORD", domain, bytes);
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

/// The record of a pin that outlives its intent.
pub fn ended(bytes: &[u8]) {
    record::<EndedPin>(bytes);
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
