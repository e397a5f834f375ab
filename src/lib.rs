//! The parts of `amiss`: a durable delivery record, authenticated ingress, a supervised run and a
//! push outbox, usable without the command line.
//!
//! Dependencies run one way: `commands` → (`ingress`, `ledger`, `run`, `outbox`) → `delivery` →
//! (`durable`, `git`, `clock`, `process`). Nothing here prints, exits the process or keeps global
//! state.
//!
//! # Ingress
//!
//! [`ingress::verify`] turns one raw request into an accepted delivery, or says exactly why not:
//!
//! ```
//! use amiss::clock::UnixMillis;
//! use amiss::ingress::{self, Request, Route};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use std::os::unix::fs::OpenOptionsExt;
//! # use std::io::Write;
//! # let folder = tempfile::tempdir()?;
//! # let write = |name: &str, text: &str| -> std::io::Result<std::path::PathBuf> {
//! #     let path = folder.path().join(name);
//! #     std::fs::OpenOptions::new().write(true).create(true).mode(0o600).open(&path)?
//! #         .write_all(text.as_bytes())?;
//! #     Ok(path)
//! # };
//! # write("hook.key", "It's a Secret to Everybody")?;
//! # write("keys.json", r#"{"schema":"amiss/keyring/v1","trust_set":"hooks","keys":[{"anchor":"a",
//! #     "secret_file":"hook.key","encoding":"raw","active_from_unix_millis":0,"active_until_unix_millis":null}]}"#)?;
//! # let file = write("route.json", r#"{"schema":"amiss/route/v1","provider":{"namespace":"github",
//! #     "instance":"github.com"},"scheme":"github","trust_set":"hooks","keyring":"keys.json",
//! #     "signed_time":"replay-only","replay_window":{"max_signed_age_millis":300000,"max_queue_age_millis":60000}}"#)?;
//! let route = Route::load(&file, None)?;
//! let request = Request::parse(
//!     r#"{"headers": {"X-Hub-Signature-256":
//!           "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
//!         "body": "Hello, World!"}"#,
//!     route.limits(),
//! )?;
//! // The signature of GitHub's guide holds; its body is no payload.
//! let refusal = ingress::verify(&route, request, UnixMillis::new(1_700_000_000_000)?);
//! # use amiss::code::Coded;
//! assert_eq!(refusal.unwrap_err().code().name(), "INGRESS_PAYLOAD");
//! # Ok(())
//! # }
//! ```
//!
//! # The record
//!
//! [`ledger::DeliveryLedger`] is the contract and [`ledger::file::FileLedger`] keeps it in ordinary
//! files:
//!
//! ```
//! use amiss::clock::FixedClock;
//! use amiss::delivery::{CheckBinding, Delivery};
//! use amiss::ledger::file::{ClockPolicy, FileLedger, Limits, Options, Root};
//! use amiss::ledger::{Claim, DeliveryLedger};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let delivery: Delivery = serde_json::from_str(r#"{"identity":{"provider":{"namespace":"github",
//! #     "instance":"github.com"},"integration":"1","delivery":"d1"},"change":{"provider":{"namespace":"github",
//! #     "instance":"github.com"},"repository":{"host":"github.com","owner":"o","name":"n"},"change":"7"},
//! #     "provider_run":{"run_id":"r1","attempt":1,"object_format":"sha1",
//! #     "candidate_commit":"0123456789abcdef0123456789abcdef01234567"},"replay":{"retention":"permanent"}}"#)?;
//! # let digest = format!("sha256:{}", "0".repeat(64));
//! # let check: CheckBinding = serde_json::from_value(serde_json::json!({"plan_digest": digest,
//! #     "required_status_name": "amiss", "execution_constraint_digest": digest}))?;
//! let clock = FixedClock(1_700_000_000_000);
//! let root = Root::open(folder.path(), Options::default())?;
//! let limits = Limits {
//!     lease_millis: 60_000,
//!     max_records: 1000,
//!     max_signed_age_millis: 300_000,
//!     max_queue_age_millis: 60_000,
//! };
//! root.init(&limits, &clock, ClockPolicy::Guard)?;
//!
//! let delivery = delivery.accept(None)?;
//! let mut ledger = FileLedger::new(root, clock);
//! let Claim::Execute(lease) = ledger.claim(&delivery, &check, None)? else {
//!     panic!("a new delivery is executed");
//! };
//! assert_eq!(lease.fence.get(), 1);
//! // Somebody else is told when to come back.
//! assert!(matches!(ledger.claim(&delivery, &check, None)?, Claim::Busy { .. }));
//! # Ok(())
//! # }
//! ```
//!
//! # The run
//!
//! [`run::conclusion::conclude`] is the table that turns what was observed into what is published:
//! a pass about something that is no longer asked is never a pass.
//!
//! ```
//! use amiss::delivery::{CheckBinding, Conclusion, Delivery, Outcome, RunFacts};
//! use amiss::run::conclusion::conclude;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let delivery: Delivery = serde_json::from_str(r#"{"identity":{"provider":{"namespace":"github",
//! #     "instance":"github.com"},"integration":"1","delivery":"d1"},"change":{"provider":{"namespace":"github",
//! #     "instance":"github.com"},"repository":{"host":"github.com","owner":"o","name":"n"},"change":"7"},
//! #     "provider_run":{"run_id":"r1","attempt":1,"object_format":"sha1",
//! #     "candidate_commit":"0123456789abcdef0123456789abcdef01234567"},"replay":{"retention":"permanent"}}"#)?;
//! # let delivery = delivery.accept(None)?;
//! # let digest = format!("sha256:{}", "0".repeat(64));
//! # let check: CheckBinding = serde_json::from_value(serde_json::json!({"plan_digest": digest,
//! #     "required_status_name": "amiss", "execution_constraint_digest": digest}))?;
//! # let facts = |state: &str| serde_json::json!({"state": state, "gate_commit": "1".repeat(40),
//! #     "refs": {"forge": "github", "candidate": "refs/heads/topic", "target": "refs/heads/main",
//! #     "default_branch": "refs/heads/main"}, "commits": {"base": "1".repeat(40),
//! #     "candidate": "0123456789abcdef0123456789abcdef01234567"},
//! #     "trees": {"base": "2".repeat(40), "candidate": "3".repeat(40)}});
//! # let outcome: Outcome = serde_json::from_value(serde_json::json!({"result": "complete",
//! #     "evaluation": "pass", "report": {"path": "/r", "sha256": "0".repeat(64), "bytes": 1}}))?;
//! let run: RunFacts = serde_json::from_value(facts("active"))?;
//! let still: RunFacts = serde_json::from_value(facts("active"))?;
//! let moved: RunFacts = serde_json::from_value(facts("superseded"))?;
//! let verdict = |recheck| conclude(&delivery, &check, &run, &outcome, recheck);
//! assert_eq!(verdict(&still)?.publication.conclusion, Conclusion::Pass);
//! assert_eq!(verdict(&moved)?.publication.conclusion, Conclusion::Superseded);
//! # Ok(())
//! # }
//! ```
//!
//! # The outbox
//!
//! [`outbox`] keeps each push as a durable intent; a failed one waits longer each time:
//!
//! ```
//! use amiss::outbox::{Branch, Origin, backoff_millis};
//!
//! let waits: Vec<i64> = (1..=4).map(backoff_millis).collect();
//! assert_eq!(waits, [1000, 2000, 4000, 8000]);
//! assert!(Origin::new("https://example.org/repo.git").is_ok());
//! assert!(Origin::new("ext::sh -c true").is_err());
//! assert!("result".parse::<Branch>().is_ok());
//! ```
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::string_slice))]

pub mod bench;
pub mod clock;
pub mod code;
pub mod delivery;
pub mod durable;
pub mod git;
pub mod ingress;
pub mod json;
pub mod ledger;
pub mod outbox;
pub mod plan;
pub mod process;
pub mod run;
pub mod secret;
pub mod words;
