//! From one raw request to one accepted delivery, or a refusal with its exact reason (page 2).
//!
//! The order is fixed by the types: a [`Request`] passes its limits and its receipt time as an
//! [`IngressCheck`], the scheme's signature as [`Authenticated`], then policy, replay lifetime and
//! decoding. No member of a body is looked at before the signature holds. Nothing here touches the
//! disk but the configuration files, and the file that a request names as its body.

pub mod cgi;
pub mod check;
pub mod decode;
pub mod error;
pub mod explain;
pub mod headers;
pub mod keyring;
mod lifetime;
pub mod limits;
pub mod oidc;
pub mod pinned;
mod policy;
pub mod proof;
pub mod request;
pub mod route;
pub mod scheme;
pub mod sign;

pub use check::IngressCheck;
pub use decode::Ignored;
pub use error::{ConfigError, IngressError};
pub use explain::Explanation;
pub use headers::Headers;
pub use proof::{Accepted, Authenticated, Verdict};
pub use request::{Request, RequestError};
pub use route::Route;

use crate::clock::UnixMillis;

/// Judges one request under its route.
///
/// # Errors
/// [`IngressError`]; a refused request leaves nothing behind.
pub fn verify(route: &Route, request: Request, now: UnixMillis) -> Result<Verdict, IngressError> {
    scheme::authenticate(IngressCheck::new(route, request, now)?)?.judge()
}
