//! How long an accepted delivery's identity must be remembered (page 2.4, source
//! `delivery-record.txt`).

use super::error::IngressError;
use super::route::Route;
use crate::clock::UnixMillis;
use crate::delivery::Replay;

/// Permanent without an authenticated issue time; else through issue, signed age and queue age.
pub(super) fn of(route: &Route, issued: Option<UnixMillis>) -> Result<Replay, IngressError> {
    Ok(match issued {
        None => Replay::Permanent {},
        Some(issued) => Replay::KeepThrough {
            unix_millis: route.window.end_of(issued)?,
            window: route.window,
        },
    })
}
