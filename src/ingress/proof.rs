//! What authentication proved, and how it becomes a delivery: policy, replay lifetime, and only
//! then decoding.

use super::check::IngressCheck;
use super::decode::{self, Ignored, Provided};
use super::error::IngressError;
use super::oidc::RunnerId;
use super::route::Lane;
use super::scheme::exact;
use super::{lifetime, policy};
use crate::clock::UnixMillis;
use crate::delivery::accepted::{AcceptError, Label, Proof};
use crate::delivery::text::DeliveryId;
use crate::delivery::{AcceptedDelivery, Delivery, Digest, Identity, ObjectId, SealError, SealKey};

/// Which bytes the signature covers.
pub(super) enum Signed {
    /// The exact body.
    Body,
    /// The text inside a form.
    Text(Vec<u8>),
    /// A job's claims; the body is only a hint beside them.
    Claims(Box<Job>),
}

/// The job that a token proves.
pub(super) struct Job {
    pub(super) project: u64,
    pub(super) path: String,
    pub(super) pipeline: u64,
    pub(super) id: u64,
    pub(super) runner: RunnerId,
    pub(super) candidate: ObjectId,
}

/// What the scheme says about the time of issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Issued {
    /// The scheme signs none.
    Unsigned,
    /// Seconds since 1970, as signed.
    Seconds(i64),
}

/// A request whose signature holds. Private fields: an adapter can decode what was signed, and
/// cannot relabel the trust set, drop the signed time or move the proof to another request.
///
/// ```compile_fail,E0616
/// fn relabel(proof: &mut amiss::ingress::Authenticated<'_>) {
///     proof.anchor = amiss::delivery::accepted::Label::new("mine").unwrap();
/// }
/// ```
pub struct Authenticated<'r> {
    check: IngressCheck<'r>,
    anchor: Label,
    delivery: DeliveryId,
    issued: Issued,
    signed: Signed,
    body_digest: [u8; 32],
}

/// What a judged request is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Work.
    Accepted(Box<Accepted>),
    /// An authentic event that makes no work.
    Ignored(Ignored),
}

/// A delivery that this process authenticated. Private: it cannot be changed on its way.
///
/// ```compile_fail,E0616
/// fn move_to(accepted: &mut amiss::ingress::Accepted, other: amiss::delivery::Delivery) {
///     accepted.delivery = other;
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    delivery: Delivery,
}

impl Accepted {
    /// The member of the envelope, not sealed.
    #[must_use]
    pub const fn delivery(&self) -> &Delivery {
        &self.delivery
    }

    /// The member of the envelope with a seal by this key (page 2.5).
    ///
    /// # Errors
    /// [`SealError::Form`], which does not happen with a delivery that amiss made.
    pub fn sealed(&self, key: &SealKey) -> Result<Delivery, SealError> {
        let mut delivery = self.delivery.clone();
        delivery.seal = Some(key.seal(&delivery)?);
        Ok(delivery)
    }

    /// The delivery for the record, on the proof made in this process.
    ///
    /// # Errors
    /// [`AcceptError`], which does not happen with a delivery that amiss made.
    pub fn accept(&self) -> Result<AcceptedDelivery, AcceptError> {
        self.delivery.accept(None)
    }
}

impl<'r> Authenticated<'r> {
    /// A proof whose replay identity is the digest of the signed bytes.
    pub(super) fn exact_body(
        check: IngressCheck<'r>,
        anchor: &Label,
        signed: Signed,
        body_digest: [u8; 32],
    ) -> Result<Authenticated<'r>, IngressError> {
        let delivery = match &signed {
            Signed::Body => format!("body:{}", Digest::from_bytes(&body_digest)),
            Signed::Text(text) => format!("body:{}", Digest::from_bytes(&exact(text))),
            Signed::Claims(_) => return Err(IngressError::Token("signs no body")),
        };
        let delivery =
            DeliveryId::new(delivery).map_err(|error| IngressError::Payload(error.to_string()))?;
        Ok(Authenticated {
            check,
            anchor: anchor.clone(),
            delivery,
            issued: Issued::Unsigned,
            signed,
            body_digest,
        })
    }

    /// A proof whose replay identity and time the sender signed with the body.
    pub(super) fn message(
        check: IngressCheck<'r>,
        anchor: &Label,
        delivery: DeliveryId,
        issued: Issued,
        body_digest: [u8; 32],
    ) -> Authenticated<'r> {
        Authenticated {
            check,
            anchor: anchor.clone(),
            delivery,
            issued,
            signed: Signed::Body,
            body_digest,
        }
    }

    /// A proof of a job's claims.
    pub(super) fn job(
        check: IngressCheck<'r>,
        anchor: &Label,
        delivery: DeliveryId,
        issued: Issued,
        job: Job,
    ) -> Authenticated<'r> {
        let body_digest = exact(&check.request().body);
        Authenticated {
            check,
            anchor: anchor.clone(),
            delivery,
            issued,
            signed: Signed::Claims(Box::new(job)),
            body_digest,
        }
    }

    /// Applies the route's policy, stamps the replay lifetime and decodes what was signed.
    ///
    /// # Errors
    /// [`IngressError`].
    pub fn judge(self) -> Result<Verdict, IngressError> {
        let route = self.check.route();
        let issued = policy::check(&self.check, self.issued)?;
        let replay = lifetime::of(route, issued)?;
        let facts = match self.provided()? {
            Provided::Work(facts) => facts,
            Provided::Ignored(ignored) => return Ok(Verdict::Ignored(ignored)),
        };
        let proof = self.proof(issued);
        Ok(Verdict::Accepted(Box::new(Accepted {
            delivery: Delivery {
                identity: Identity {
                    provider: route.provider.clone(),
                    integration: facts.integration,
                    delivery: self.delivery,
                },
                change: facts.change,
                provider_run: facts.provider_run,
                replay,
                proof: Some(proof),
                seal: None,
            },
        })))
    }

    fn provided(&self) -> Result<Provided, IngressError> {
        let route = self.check.route();
        let body = self.check.request().body.as_slice();
        match (&self.signed, &route.lane) {
            (Signed::Claims(job), Lane::GitlabOidc { integration, .. }) => {
                let facts = decode::oidc::decode(route, integration, job, body)?;
                Ok(Provided::Work(Box::new(facts)))
            }
            (Signed::Text(text), _) => decode::decode(route, text),
            (Signed::Body | Signed::Claims(_), _) => decode::decode(route, body),
        }
    }

    fn proof(&self, issued: Option<UnixMillis>) -> Proof {
        let route = self.check.route();
        Proof {
            scheme: route.lane.scheme(),
            trust_set: route.trust_set.clone(),
            anchor: self.anchor.clone(),
            issued_at_unix_millis: issued,
            received_at_unix_millis: self.check.received_at(),
            request_sha256: self.check.digest(&self.body_digest),
        }
    }
}
