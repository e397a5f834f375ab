//! The GitLab scheme against the crate `standardwebhooks`, over a few thousand generated
//! deliveries. They may disagree only in the ways that are listed here, each with its reason.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use standardwebhooks::Webhook;
use ureq::http::HeaderMap;

use crate::common::receiver::{Receiver, base64, hmac, request};
use crate::vectors::amiss_key;

const CASES: usize = 4000;

/// How a case was made; the cause of every disagreement is one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Valid,
    WrongKey,
    OtherBody,
    Stale,
    Future,
    UnknownVersionFirst,
    NoSignature,
    NonsenseSignature,
    /// Theirs accepts: two ids and bodies could share one signature.
    DotInId,
    /// Theirs accepts: such an id could not be a replay identity.
    IdOutsideTheAlphabet,
    /// Theirs accepts: it parses the number and signs its canonical form.
    TimestampWithPlus,
    /// Theirs accepts, for the same reason.
    TimestampWithZero,
    /// Theirs accepts: it skips what it cannot read. Nothing is guessed here.
    JunkBesideTheSignature,
    /// Theirs accepts: it reads the same entry twice.
    RepeatedSignature,
    /// Theirs accepts: it has no limit.
    NineSignatures,
    /// Theirs accepts: 300 seconds are its skew, the route's are 5.
    FutureWithinFiveMinutes,
    /// Ours accepts: a signature is over bytes, and theirs is over text only.
    BodyNoText,
    /// Theirs accepts: it reads the first of two headers.
    HeaderTwice,
}

const KINDS: [Kind; 18] = [
    Kind::Valid,
    Kind::WrongKey,
    Kind::OtherBody,
    Kind::Stale,
    Kind::Future,
    Kind::UnknownVersionFirst,
    Kind::NoSignature,
    Kind::NonsenseSignature,
    Kind::DotInId,
    Kind::IdOutsideTheAlphabet,
    Kind::TimestampWithPlus,
    Kind::TimestampWithZero,
    Kind::JunkBesideTheSignature,
    Kind::RepeatedSignature,
    Kind::NineSignatures,
    Kind::FutureWithinFiveMinutes,
    Kind::BodyNoText,
    Kind::HeaderTwice,
];

/// Those kinds in which the two may disagree, and whether theirs is the one that accepts.
fn explained(kind: Kind) -> Option<bool> {
    match kind {
        Kind::DotInId
        | Kind::IdOutsideTheAlphabet
        | Kind::TimestampWithPlus
        | Kind::TimestampWithZero
        | Kind::JunkBesideTheSignature
        | Kind::RepeatedSignature
        | Kind::NineSignatures
        | Kind::FutureWithinFiveMinutes
        | Kind::HeaderTwice => Some(true),
        Kind::BodyNoText => Some(false),
        _ => None,
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

struct Case {
    kind: Kind,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

fn sign(key: &[u8], id: &str, time: &str, body: &[u8]) -> String {
    let message = [id.as_bytes(), b".", time.as_bytes(), b".", body].concat();
    format!("v1,{}", base64(&hmac(key, &message)))
}

fn case(random: &mut Random, kind: Kind, now: u64) -> Case {
    let mut id = format!("msg_{:x}", random.next());
    let mut body =
        format!("{{\"n\":{},\"t\":\"é{}\"}}", random.next(), random.below(9)).into_bytes();
    let mut seconds = now - random.below(200);
    match kind {
        Kind::Stale => seconds = now - 400 - random.below(100_000),
        Kind::Future => seconds = now + 1000 + random.below(100_000),
        Kind::FutureWithinFiveMinutes => seconds = now + 100 + random.below(100),
        Kind::DotInId => id.insert(4, '.'),
        Kind::IdOutsideTheAlphabet => {
            let odd = ['#', ' ', '~', '{'];
            id.insert(4, odd[usize::try_from(random.below(4)).unwrap()]);
        }
        Kind::BodyNoText => body.push(0xff),
        _ => {}
    }
    let canonical = seconds.to_string();
    let time = match kind {
        Kind::TimestampWithPlus => format!("+{canonical}"),
        Kind::TimestampWithZero => format!("0{canonical}"),
        _ => canonical.clone(),
    };
    let key = if kind == Kind::WrongKey {
        b"another key of 24 bytes!".to_vec()
    } else {
        amiss_key()
    };
    // Both forms of the time are signed canonically, as theirs expects.
    let good = sign(&key, &id, &canonical, &body);
    let signature = match kind {
        Kind::UnknownVersionFirst => format!("v2,AAAA {good}"),
        Kind::NonsenseSignature => "v1,AAAA".into(),
        Kind::JunkBesideTheSignature => format!("{good} junk"),
        Kind::RepeatedSignature => format!("{good} {good}"),
        Kind::NineSignatures => {
            let others = (0..8_u8).map(|at| format!("v1,{}", base64(&[at; 32])));
            others.chain([good]).collect::<Vec<_>>().join(" ")
        }
        _ => good,
    };
    if kind == Kind::OtherBody {
        body.push(b' ');
    }
    let mut headers = vec![("webhook-id", id.clone()), ("webhook-timestamp", time)];
    if kind != Kind::NoSignature {
        headers.push(("webhook-signature", signature));
    }
    if kind == Kind::HeaderTwice {
        headers.push(("webhook-id", id));
    }
    Case {
        kind,
        headers,
        body,
    }
}

fn theirs(webhook: &Webhook, case: &Case) -> bool {
    let mut map = HeaderMap::new();
    for (name, value) in &case.headers {
        map.append(*name, value.parse().unwrap());
    }
    webhook.verify(&case.body, &map).is_ok()
}

#[test]
fn ours_and_the_published_crate_disagree_only_where_it_is_explained() {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let webhook = Webhook::from_bytes(amiss_key()).unwrap();
    let cases: Vec<Case> = (0..CASES)
        .map(|at| case(&mut random, KINDS[at % KINDS.len()], now))
        .collect();
    let input: String = cases
        .iter()
        .map(|case| {
            let headers: Vec<(&str, &str)> = case
                .headers
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            request(&headers, &case.body)
        })
        .collect();
    let output = Receiver::fixture("gitlab").verify(input);
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines.lines().count(), CASES);
    let mut disagreements: BTreeMap<Kind, usize> = BTreeMap::new();
    for (case, line) in cases.iter().zip(lines.lines()) {
        let answer: Value = serde_json::from_str(line).unwrap();
        // Not decodable comes after the signature held.
        let ours = answer
            .get("error")
            .is_none_or(|error| error["code"] == "INGRESS_PAYLOAD");
        let theirs = theirs(&webhook, case);
        if ours != theirs {
            assert_eq!(
                explained(case.kind),
                Some(theirs),
                "{:?}: {line}",
                case.kind
            );
            *disagreements.entry(case.kind).or_default() += 1;
        }
    }
    crate::common::figures::tell(&format!(
        "{CASES} deliveries; disagreements: {disagreements:?}"
    ));
    // A listed kind that does not happen is a listed kind too many.
    for kind in KINDS.into_iter().filter(|kind| explained(*kind).is_some()) {
        assert!(disagreements.contains_key(&kind), "{kind:?}");
    }
}
