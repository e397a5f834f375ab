//! Every error code, its exit status and what it means: the one table (page 1.3).

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($( $variant:ident = $name:literal, $status:literal, $meaning:literal, $remedy:literal; )+) => {
        /// What went wrong, as a script sees it. The text form is stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $( #[doc = $meaning] $variant, )+ }

        impl Code {
            /// All codes, in the order of the exit-status table.
            pub const ALL: &'static [Code] = &[ $( Code::$variant, )+ ];

            /// The stable text form, for example `BUSY`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Code::$variant => $name, )+ }
            }

            /// The exit status of a command that ends with this code.
            #[must_use]
            pub const fn status(self) -> u8 {
                match self { $( Code::$variant => $status, )+ }
            }

            /// What the code means and why it comes.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $( Code::$variant => $meaning, )+ }
            }

            /// What a person does about it.
            #[must_use]
            pub const fn remedy(self) -> &'static str {
                match self { $( Code::$variant => $remedy, )+ }
            }
        }
    };
}

codes! {
    InputMalformed = "INPUT_MALFORMED", 65,
        "The input is not what the contract says: broken JSON, an unknown, missing or repeated member, a wrong type, a number out of range, or no document at all.",
        "Read the message for the member, mend what produced it, and send it again; the same input fails again. An empty input means that an earlier command died: run the line again.";
    InputTooLarge = "INPUT_TOO_LARGE", 65,
        "A document is over its ceiling: 1 MiB for an envelope, 16 MiB for a request, 64 levels of nesting.",
        "Send less, or put a body in a file and name it with `body_path`.";
    InputIncomplete = "INPUT_INCOMPLETE", 65,
        "A member that this step needs is not in the envelope, or a file that the plan names was not given.",
        "Run the step that adds the member first; the message names it.";
    ReportMismatch = "REPORT_MISMATCH", 65,
        "The report file is not the one that the envelope names: other bytes, or another length.",
        "Run the bootstrap again under a live lease; never edit a report.";
    ReportTooLarge = "REPORT_TOO_LARGE", 65,
        "The report is over 256 MiB.",
        "Let the bootstrap write less.";
    NotFound = "NOT_FOUND", 66,
        "The named root, row, repository, ref or commit is not there.",
        "Check the spelling; for a commit, run the fetch that the hint shows.";
    DeliveryNotFound = "DELIVERY_NOT_FOUND", 66,
        "The outbox holds no delivery of that task or turn.",
        "`amiss outbox status` lists what is there.";
    OutboxWorkerRequired = "OUTBOX_WORKER_REQUIRED", 69,
        "No live watcher acknowledged; the pushes stay pending.",
        "Start `amiss outbox watch`, or install the service with `amiss outbox write-agent`.";
    ProviderUnavailable = "PROVIDER_UNAVAILABLE", 69,
        "The provider, or the repository that stands for it, could not answer in time.",
        "Try again; nothing was decided.";
    PublishFailed = "PUBLISH_FAILED", 69,
        "The publishing program failed, was too slow, or printed something that is not one JSON document; for a push, Git failed in a way that has no class of its own.",
        "The saved result stays; mend the program and run the same pipeline again.";
    Internal = "INTERNAL", 70,
        "A bug in amiss.",
        "Report it with the command and the message; nothing is known to be lost.";
    Io = "IO", 74,
        "The system refused an operation on a file.",
        "Read which file and why; after `may be visible`, repeating the command converges.";
    Busy = "BUSY", 75,
        "Somebody else holds the delivery or a lock.",
        "Try again at `retry_at_unix_millis`, or after a moment.";
    Full = "FULL", 75,
        "The root holds as many rows as its cap allows; existing rows work on.",
        "Run `amiss ledger cleanup`, or raise the cap with `amiss ledger resize`.";
    OutboxBusy = "OUTBOX_BUSY", 75,
        "A pump holds the outbox lock.",
        "Nothing: the running watcher does the work.";
    TaskBusy = "TASK_BUSY", 75,
        "The task still has a delivery that is pending, retrying or unreadable, or a pin without an intent; the message says `DELIVERY_PENDING`.",
        "Wait for the delivery, or mend it (`amiss outbox status`, `amiss outbox doctor`).";
    Interrupted = "INTERRUPTED", 75,
        "SIGTERM or SIGINT ended the command; nothing was staged.",
        "Run it again.";
    BindingConflict = "BINDING_CONFLICT", 76,
        "The record holds this delivery under another change, run, lifetime or plan.",
        "Read which fields differ; use the plan that the row was claimed with. Where only `replay` differs, the request was signed anew or the window was retuned: `amiss ledger show` prints the row. A done row needs nothing; publish the saved result of a staged one by hand and end it with `amiss ledger abandon --staged`; end a running one with `amiss ledger abandon` and let the change send a new event.";
    Lost = "LOST", 76,
        "The lease or the saved value is no longer this caller's.",
        "Drop the work and claim again.";
    DeliveryRefConflict = "DELIVERY_REF_CONFLICT", 76,
        "The pin of this turn already names another commit.",
        "A turn is pushed once; use a new turn for another commit.";
    DeliveryAlreadyDelivered = "DELIVERY_ALREADY_DELIVERED", 76,
        "The delivery already reached its origin.",
        "Nothing.";
    IngressLimits = "INGRESS_LIMITS", 77,
        "The request is over a limit of its route: body, headers, header bytes or name bytes.",
        "Raise the route's limit if the sender is right.";
    IngressHeaders = "INGRESS_HEADERS", 77,
        "A header is malformed, is there twice, or is missing.",
        "`amiss ingress-verify --explain` shows what was looked for and found.";
    IngressUnsigned = "INGRESS_UNSIGNED", 77,
        "The request carries no signature of the route's scheme.",
        "Give the hook a secret.";
    IngressWeakAlgorithm = "INGRESS_WEAK_ALGORITHM", 77,
        "Only a SHA-1 signature came.",
        "Let the forge, or the proxy before it, send the SHA-256 header.";
    IngressSignature = "INGRESS_SIGNATURE", 77,
        "The signature does not hold over the exact bytes.",
        "Compare the secret at both ends, and check that nothing re-serialises the body on its way.";
    IngressKeys = "INGRESS_KEYS", 77,
        "No key can judge the request: none is active at its receipt, or the token names none that is pinned.",
        "Check the key windows, or renew the pinned key set.";
    IngressToken = "INGRESS_TOKEN", 77,
        "The token is not of the one accepted form (RS256, no critical extensions, no keys of its own).",
        "Configure the job's ID token as the receivers' page shows.";
    IngressClaims = "INGRESS_CLAIMS", 77,
        "A claim of the token is missing, of a wrong type, or not what the route allows.",
        "`amiss ingress-verify --explain` names the claim.";
    IngressRoute = "INGRESS_ROUTE", 77,
        "The request is authentic and not for this route.",
        "Point the hook at the right route, or change the route's target.";
    IngressStale = "INGRESS_STALE", 77,
        "The request is too old.",
        "Deliver again from the forge; check the clocks.";
    IngressFuture = "INGRESS_FUTURE", 77,
        "The request is from the future by more than the allowed skew.",
        "Check the clocks of both machines.";
    IngressPayload = "INGRESS_PAYLOAD", 77,
        "The body is authentic and does not decode to what the scheme says.",
        "Check the hook's content type and events.";
    Expired = "EXPIRED", 77,
        "The delivery's replay lifetime ended and no row is left of it.",
        "Nothing: it may not run again. A new event makes a new delivery.";
    SealInvalid = "SEAL_INVALID", 77,
        "The delivery carries no seal, or one that does not hold.",
        "Use the key that `ingress-verify` used, and change nothing inside `delivery`.";
    OriginAuthFailed = "ORIGIN_AUTH_FAILED", 77,
        "The origin refused the credentials, or asked for some.",
        "Mend the credential helper or the key, then `amiss outbox retry`.";
    ProviderRevoked = "PROVIDER_REVOKED", 77,
        "The provider says that the authorization is gone.",
        "Authorize again.";
    RootNotPrepared = "ROOT_NOT_PREPARED", 78,
        "The root was never prepared, or still has v0.9 metadata.",
        "Run `amiss ledger init` with the root's limits.";
    RootUnsafe = "ROOT_UNSAFE", 78,
        "The root is a link, not a directory, writable by others, someone else's, on a network filesystem, or inside a judged tree.",
        "Use a private local directory of your own (mode 0700).";
    RootConfiguration = "ROOT_CONFIGURATION", 78,
        "The limits given, or the delivery's window, differ from the root's.",
        "Use the root's limits, or change them with `amiss ledger resize` or `retune`.";
    RootCorrupt = "ROOT_CORRUPT", 78,
        "A file of the root is damaged, unknown, or of another kind.",
        "`amiss ledger check` lists every defect with its remedy.";
    ConfigInvalid = "CONFIG_INVALID", 78,
        "A file of the operator's (plan, route, keyring, key) is missing, unreadable, too open or wrong.",
        "The message names the file and the member.";
    Clock = "CLOCK", 78,
        "The trusted clock cannot be read, is negative, or leapt further than allowed.",
        "Mend the clock; `amiss ledger init --accept-clock` takes it on purpose.";
    OriginUnreachable = "ORIGIN_UNREACHABLE", 69,
        "The origin could not be reached.",
        "Nothing: the push is tried again.";
    OriginTimeout = "ORIGIN_TIMEOUT", 69,
        "The push passed its deadline and was killed.",
        "Nothing: the push is tried again; raise `--push-timeout` for a slow origin.";
    PushRejected = "PUSH_REJECTED", 69,
        "A hook or a branch protection of the origin refused the push.",
        "Read the origin's words in `amiss outbox status --verbose`.";
    NonFastForward = "NON_FAST_FORWARD", 69,
        "The origin's branch holds commits that this push does not contain.",
        "Merge on the task's side and push a new turn; nothing is forced.";
    DeliveryUnreadable = "DELIVERY_UNREADABLE", 78,
        "The intent file of a delivery cannot be read; it is kept and blocks a discard.",
        "`amiss outbox doctor` says what is wrong with it.";
}

/// What each exit status means for a script, in order (page 1.3). Which codes end with a status
/// follows from [`Code::status`].
pub const STATUSES: &[(u8, &str)] = &[
    (0, "done, or nothing to do"),
    (2, "the command line is wrong"),
    (65, "the input is wrong; the same input will fail again"),
    (66, "the named thing is not there"),
    (69, "a service that is needed cannot be reached, or refused"),
    (70, "a bug in amiss"),
    (74, "the system refused an operation"),
    (75, "try again later"),
    (76, "somebody else's claim stands"),
    (77, "refused: not authentic, not allowed, or too late"),
    (78, "the root or a configuration cannot be trusted"),
];

impl Code {
    /// The code with this text form.
    #[must_use]
    pub fn parse(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl schemars::JsonSchema for Code {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        schemars::json_schema!({ "type": "string", "enum": names })
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Code::parse(&name).ok_or_else(|| serde::de::Error::custom(format!("unknown code `{name}`")))
    }
}

/// An error that a command can print: every error of the library that reaches `commands` has this.
pub trait Coded: std::error::Error {
    /// The code; it decides the exit status.
    fn code(&self) -> Code;

    /// What to do, where the message alone does not say it.
    fn hint(&self) -> Option<String> {
        None
    }

    /// When trying again makes sense, in milliseconds since 1970.
    fn retry_at_unix_millis(&self) -> Option<i64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_status_of_the_table_and_a_name_of_its_own() {
        for (index, code) in Code::ALL.iter().enumerate() {
            assert!(
                STATUSES.iter().any(|(status, _)| *status == code.status()),
                "{code} ends with {}, which no line of the table explains",
                code.status()
            );
            assert_eq!(Code::parse(code.name()), Some(*code));
            assert!(
                !Code::ALL[..index]
                    .iter()
                    .any(|other| other.name() == code.name())
            );
        }
    }
}
