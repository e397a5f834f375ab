//! The route's rule about a signed time (page 2.4).

use super::check::IngressCheck;
use super::error::IngressError;
use super::proof::Issued;
use super::route::Lane;
use crate::clock::UnixMillis;

/// The time of issue as the route takes it: a scheme that signs a time is never without one, and
/// freshness has two sides.
pub(super) fn check(
    check: &IngressCheck<'_>,
    issued: Issued,
) -> Result<Option<UnixMillis>, IngressError> {
    let route = check.route();
    let max_age = match (&route.lane, issued) {
        (Lane::Github { .. } | Lane::Gitea { .. }, Issued::Unsigned) => return Ok(None),
        (
            Lane::GitlabWebhook { max_age, .. } | Lane::GitlabOidc { max_age, .. },
            Issued::Seconds(_),
        ) => *max_age,
        // The types of the lanes do not allow another pair; a proof must never lose its time.
        _ => {
            return Err(IngressError::Route(
                "the signed time does not fit the route".into(),
            ));
        }
    };
    let Issued::Seconds(seconds) = issued else {
        return Ok(None);
    };
    let millis = seconds.saturating_mul(1000);
    // Received after now by the skew at most, so the earlier of both is the stricter.
    let earlier = check.received_at().min(check.now());
    let ahead = millis.saturating_sub(earlier.get());
    if ahead > route.skew {
        return Err(IngressError::Future {
            what: "the signed time",
            ahead,
            skew: route.skew,
        });
    }
    let age = check.received_at().get().saturating_sub(millis);
    if age > max_age {
        return Err(IngressError::Stale {
            what: "the signed time",
            age,
            limit: max_age,
        });
    }
    Ok(Some(UnixMillis::new(millis)?))
}
