//! A signed request from a body, for testing a receiver.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::keyring::{Keyring, NoMatch};
use super::route::{Lane, Route};
use super::scheme::{gitea, github, standard};
use crate::clock::UnixMillis;
use crate::code::{Code, Coded};
use crate::delivery::accepted::Label;
use crate::delivery::digest::hex;

/// How the body is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// As it is.
    Json,
    /// As the field `payload` of a form.
    Form,
}

/// What to sign, and as whom.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// The key to sign with; the newest active one without a name.
    pub anchor: Option<&'a Label>,
    /// How the body is sent.
    pub shape: Shape,
    /// The message id, where the scheme signs one.
    pub id: &'a str,
    /// The time of issue, and the time for which a key is chosen.
    pub at: UnixMillis,
}

/// A request document with its signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignedRequest {
    headers: Vec<(&'static str, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_base64: Option<String>,
}

/// Why nothing was signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// Such tokens are the forge's to sign.
    #[error("a gitlab-oidc request is signed by the forge, not by a keyring")]
    NoKeyring,
    /// No such key, or not now.
    #[error("the keyring has no active key{0}")]
    NoKey(String),
}

impl Coded for SignError {
    fn code(&self) -> Code {
        Code::ConfigInvalid
    }
    fn hint(&self) -> Option<String> {
        match self {
            SignError::NoKeyring => Some("take a token from a real policy job".into()),
            SignError::NoKey(_) => Some("compare the windows of the keyring with the clock".into()),
        }
    }
}

/// Signs a body as the route's forge would.
///
/// # Errors
/// [`SignError`], all of them `CONFIG_INVALID`.
pub fn sign(route: &Route, body: &[u8], order: &Order<'_>) -> Result<SignedRequest, SignError> {
    let wire = match order.shape {
        Shape::Json => body.to_vec(),
        Shape::Form => {
            let mut wire = b"payload=".to_vec();
            wire.extend(form_urlencoded::byte_serialize(body).flat_map(str::bytes));
            wire
        }
    };
    let mut headers = vec![("Content-Type", order.shape.media_type().to_owned())];
    match &route.lane {
        Lane::Github { keys } => {
            let tag = hex(&tag(keys, order, &[&wire])?);
            headers.push((github::HEADER, format!("sha256={tag}")));
        }
        // Gitea signs the text inside the form.
        Lane::Gitea { keys, .. } => headers.push((gitea::GITEA, hex(&tag(keys, order, &[body])?))),
        Lane::GitlabWebhook { keys, .. } => {
            let seconds = (order.at.get() / 1000).to_string();
            let parts = [
                order.id.as_bytes(),
                b".",
                seconds.as_bytes(),
                b".",
                wire.as_slice(),
            ];
            let tag = STANDARD.encode(tag(keys, order, &parts)?);
            headers.push((standard::ID, order.id.to_owned()));
            headers.push((standard::TIMESTAMP, seconds));
            headers.push((standard::SIGNATURE, format!("v1,{tag}")));
        }
        Lane::GitlabOidc { .. } => return Err(SignError::NoKeyring),
    }
    Ok(match String::from_utf8(wire) {
        Ok(text) => SignedRequest {
            headers,
            body: Some(text),
            body_base64: None,
        },
        Err(error) => SignedRequest {
            headers,
            body: None,
            body_base64: Some(STANDARD.encode(error.as_bytes())),
        },
    })
}

impl Shape {
    const fn media_type(self) -> &'static str {
        match self {
            Shape::Json => "application/json",
            Shape::Form => "application/x-www-form-urlencoded",
        }
    }
}

fn tag(keys: &Keyring, order: &Order<'_>, parts: &[&[u8]]) -> Result<[u8; 32], SignError> {
    match keys.sign(order.at, order.anchor, parts) {
        Ok((_, tag)) => Ok(*tag),
        Err(NoMatch::NoneActive | NoMatch::Tried(_)) => Err(SignError::NoKey(
            order
                .anchor
                .map(|anchor| format!(" `{anchor}`"))
                .unwrap_or_default(),
        )),
    }
}
