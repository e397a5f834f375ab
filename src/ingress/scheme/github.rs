//! GitHub: `X-Hub-Signature-256` over the exact body.

use super::super::check::IngressCheck;
use super::super::error::{IngressError, Unsigned};
use super::super::keyring::Keyring;
use super::super::proof::{Authenticated, Signed};
use super::{beside_digest, hex_tag, unsigned, vouch};

/// The header that is read.
pub const HEADER: &str = "X-Hub-Signature-256";

pub(super) fn authenticate<'r>(
    check: IngressCheck<'r>,
    keys: &'r Keyring,
) -> Result<Authenticated<'r>, IngressError> {
    let tag = match check.request().headers().one(HEADER)? {
        None => return Err(unsigned(&check, HEADER, format!("`{HEADER}` is"))),
        Some(b"" | b"sha256=") => {
            return Err(IngressError::Unsigned(Unsigned::Empty {
                header: HEADER,
                also: String::new(),
            }));
        }
        Some(value) => {
            let digits = value
                .strip_prefix(b"sha256=")
                .ok_or_else(|| IngressError::header(HEADER, "does not begin with `sha256=`"))?;
            hex_tag(HEADER, digits)?
        }
    };
    let body = check.request().body.as_slice();
    let (anchor, digest) = beside_digest(body, || vouch(&check, keys, HEADER, &[body], &[tag]));
    let anchor = anchor?;
    Authenticated::exact_body(check, anchor, Signed::Body, digest)
}
