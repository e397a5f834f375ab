//! The gate before any key: limits, header form, receipt time (page 2, source
//! `controller-delivery.txt`, "Before the record").

use sha2::{Digest as _, Sha256};

use super::error::IngressError;
use super::request::Request;
use super::route::Route;
use crate::clock::UnixMillis;
use crate::delivery::digest::Sha256Hex;

/// A request that passed the limits and the receipt time of its route. Only this can be
/// authenticated. It binds the route, the receipt time, the exact headers and the exact body: the
/// fields are private and nothing changes them.
pub struct IngressCheck<'r> {
    route: &'r Route,
    request: Request,
    received_at: UnixMillis,
    now: UnixMillis,
}

impl std::fmt::Debug for IngressCheck<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "IngressCheck({:?}, received {})",
            self.request, self.received_at
        )
    }
}

impl<'r> IngressCheck<'r> {
    /// Checks limits, header form and receipt time.
    ///
    /// # Errors
    /// `INGRESS_LIMITS`, `INGRESS_HEADERS`, `INGRESS_STALE`, `INGRESS_FUTURE`.
    pub fn new(
        route: &'r Route,
        request: Request,
        now: UnixMillis,
    ) -> Result<IngressCheck<'r>, IngressError> {
        let length = u64::try_from(request.body.len()).unwrap_or(u64::MAX);
        route.limits.check_body(length)?;
        route.limits.check_headers(&request.headers)?;
        request.headers.check_form()?;
        let received_at = request.received_at.unwrap_or(now);
        let queued = now.since(received_at);
        if queued > route.window.max_queue_age_millis {
            return Err(IngressError::Stale {
                what: "the receipt",
                age: queued,
                limit: route.window.max_queue_age_millis,
            });
        }
        let ahead = received_at.since(now);
        if ahead > route.skew {
            return Err(IngressError::Future {
                what: "the receipt",
                ahead,
                skew: route.skew,
            });
        }
        Ok(IngressCheck {
            route,
            request,
            received_at,
            now,
        })
    }

    /// The route.
    #[must_use]
    pub const fn route(&self) -> &'r Route {
        self.route
    }

    /// The request.
    #[must_use]
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// The controller's time of receipt.
    #[must_use]
    pub const fn received_at(&self) -> UnixMillis {
        self.received_at
    }

    /// The trusted time of the judgement.
    #[must_use]
    pub const fn now(&self) -> UnixMillis {
        self.now
    }

    /// SHA-256 over all that the check binds: a domain and a zero byte, the route file's SHA-256,
    /// the receipt time, the headers, and `body_digest`, a digest of the exact body; numbers and
    /// lengths as eight bytes, the highest first.
    pub(super) fn digest(&self, body_digest: &[u8; 32]) -> Sha256Hex {
        let mut hash = Sha256::new();
        let number = |number: usize| u64::try_from(number).unwrap_or(u64::MAX).to_be_bytes();
        hash.update(b"amiss/ingress-request-v1\0");
        hash.update(self.route.digest);
        hash.update(self.received_at.get().to_be_bytes());
        hash.update(self.request.headers.count().to_be_bytes());
        for (name, value) in self.request.headers.iter() {
            hash.update(number(name.len()));
            hash.update(name);
            hash.update(number(value.len()));
            hash.update(value);
        }
        hash.update(number(self.request.body.len()));
        hash.update(body_digest);
        Sha256Hex::from_bytes(&hash.finalize().into())
    }
}
