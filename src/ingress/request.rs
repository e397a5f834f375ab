//! One raw request as it comes to the command (page 2.1).

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::io::Errno;
use serde::Deserialize;

use super::error::IngressError;
use super::headers::Headers;
use super::limits::Limits;
use crate::clock::UnixMillis;
use crate::code::{Code, Coded};
use crate::json::{self, JsonError, Text, present};

/// A request: the exact headers and the exact body. The body is shown in no debug form.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    pub(super) received_at: Option<UnixMillis>,
    pub(super) headers: Headers,
    pub(super) body: Vec<u8>,
}

impl std::fmt::Debug for Request {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Headers may carry a token, bodies whatever the sender likes.
        write!(
            out,
            "Request {{ headers: {}, body: {} bytes }}",
            self.headers.count(),
            self.body.len()
        )
    }
}

/// Why there is no request to judge.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Not a request document.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// No body, or two.
    #[error("a request has exactly one of `body`, `body_base64` and `body_path`; this one has {0}")]
    Bodies(usize),
    /// `body_base64` is not canonical.
    #[error("`body_base64` is not canonical base64 with padding")]
    Base64,
    /// `body_path` is no regular file.
    #[error("`body_path` {0} is not a regular file")]
    BodyKind(PathBuf),
    /// `body_path` cannot be read.
    #[error("cannot read `body_path` {path}")]
    BodyFile {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A CGI request whose body is not what its length says.
    #[error("the body ended after {found} bytes; CONTENT_LENGTH says {wanted}")]
    Short {
        /// Bytes that came.
        found: u64,
        /// Bytes that were announced.
        wanted: u64,
    },
    /// A CGI variable that breaks its form.
    #[error("{0}")]
    Cgi(&'static str),
    /// The stream itself failed.
    #[error("cannot read the body from standard input")]
    Stream(#[source] std::io::Error),
    /// Over a limit, found while reading.
    #[error(transparent)]
    Refused(#[from] IngressError),
}

impl Coded for RequestError {
    fn code(&self) -> Code {
        match self {
            RequestError::Json(error) => error.code(),
            RequestError::Bodies(_)
            | RequestError::Base64
            | RequestError::BodyKind(_)
            | RequestError::Short { .. }
            | RequestError::Cgi(_) => Code::InputMalformed,
            RequestError::BodyFile { source, .. }
                if source.kind() == std::io::ErrorKind::NotFound =>
            {
                Code::NotFound
            }
            // Time does not cure such a path, so it must not be tried again for ever.
            RequestError::BodyFile { source, .. } if is_no_path(source) => Code::InputMalformed,
            RequestError::BodyFile { .. } | RequestError::Stream(_) => Code::Io,
            RequestError::Refused(error) => error.code(),
        }
    }
    fn hint(&self) -> Option<String> {
        match self {
            RequestError::Json(JsonError::Malformed { .. }) => Some(
                "a request holds the headers and the body, `amiss schema request` prints its form; \
                 the body alone comes by --cgi"
                    .into(),
            ),
            RequestError::Json(error) => error.hint(),
            RequestError::Refused(error) => error.hint(),
            _ => None,
        }
    }
}

/// Whether a path can lead to no file at all, whatever is done about its folders' permissions or
/// the disk: it has a NUL, goes through a file or in a ring of links, is too long, or is a socket.
fn is_no_path(error: &std::io::Error) -> bool {
    let never = [Errno::NOTDIR, Errno::NAMETOOLONG, Errno::LOOP, Errno::NXIO];
    match error.raw_os_error() {
        Some(number) => never.iter().any(|errno| errno.raw_os_error() == number),
        // The standard library's own, for a NUL.
        None => error.kind() == std::io::ErrorKind::InvalidInput,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire<'a> {
    #[serde(default, deserialize_with = "present")]
    received_at_unix_millis: Option<UnixMillis>,
    headers: Headers,
    #[serde(default, borrow, deserialize_with = "present")]
    body: Option<Text<'a>>,
    #[serde(default, borrow, deserialize_with = "present")]
    body_base64: Option<Text<'a>>,
    #[serde(default, deserialize_with = "present")]
    body_path: Option<PathBuf>,
}

impl Request {
    /// A request from its parts, as a receiver in the same process has them.
    #[must_use]
    pub const fn new(received_at: Option<UnixMillis>, headers: Headers, body: Vec<u8>) -> Request {
        Request {
            received_at,
            headers,
            body,
        }
    }

    /// Parses one request document; a body over the route's limit is refused before it is
    /// unpacked.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn parse(text: &str, limits: &Limits) -> Result<Request, RequestError> {
        let wire: Wire = json::parse_closed(text, "the request")?;
        let body = match (wire.body, wire.body_base64, wire.body_path) {
            (Some(body), None, None) => {
                limits.check_body(length(body.0.len()))?;
                body.0.into_owned().into_bytes()
            }
            (None, Some(text), None) => unpack(&text.0, limits)?,
            (None, None, Some(path)) => read_body(&path, limits)?,
            (body, base64, path) => {
                let given = [body.is_some(), base64.is_some(), path.is_some()];
                let given = given.into_iter().filter(|there| *there).count();
                return Err(RequestError::Bodies(given));
            }
        };
        Ok(Request {
            received_at: wire.received_at_unix_millis,
            headers: wire.headers,
            body,
        })
    }

    /// The headers.
    #[must_use]
    pub const fn headers(&self) -> &Headers {
        &self.headers
    }
}

fn length(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

fn unpack(text: &str, limits: &Limits) -> Result<Vec<u8>, RequestError> {
    let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
    let bytes = (text.len() / 4).saturating_mul(3).saturating_sub(padding);
    limits.check_body(length(bytes))?;
    STANDARD.decode(text).map_err(|_| RequestError::Base64)
}

fn read_body(path: &Path, limits: &Limits) -> Result<Vec<u8>, RequestError> {
    let failed = |source| RequestError::BodyFile {
        path: path.to_owned(),
        source,
    };
    // Without blocking, so that a FIFO is refused instead of waited for.
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    let file = File::options()
        .read(true)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or_default())
        .open(path)
        .map_err(failed)?;
    let facts = file.metadata().map_err(failed)?;
    if !facts.is_file() {
        return Err(RequestError::BodyKind(path.to_owned()));
    }
    limits.check_body(facts.len())?;
    read_bounded(file, facts.len(), limits, failed)
}

/// Reads all of a stream, at most the route's limit; `expected` bytes are made room for at once.
pub(super) fn read_bounded(
    input: impl Read,
    expected: u64,
    limits: &Limits,
    failed: impl Fn(std::io::Error) -> RequestError,
) -> Result<Vec<u8>, RequestError> {
    let room = expected.min(limits.body_bytes);
    let mut body = Vec::with_capacity(usize::try_from(room).unwrap_or_default());
    input
        .take(limits.body_bytes.saturating_add(1))
        .read_to_end(&mut body)
        .map_err(failed)?;
    limits.check_body(length(body.len()))?;
    Ok(body)
}
