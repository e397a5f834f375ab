//! Arguments that several commands share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use amiss::clock::{Clock, FixedClock, SystemClock};
use amiss::code::Code;
use amiss::delivery::SealKey;
use amiss::outbox::HostRoot;
use amiss::secret::read_secret;
use clap::Args;

use crate::failure::Failure;
use crate::progress::progress;

/// The trusted clock of this call.
#[derive(Debug, Clone, Args)]
pub struct TimeArgs {
    /// Use this time instead of the system's clock, in milliseconds since 1970
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub now_unix_millis: Option<i64>,
}

impl TimeArgs {
    /// The clock that this call trusts.
    pub fn clock(&self) -> Box<dyn Clock> {
        match self.now_unix_millis {
            Some(millis) => Box::new(FixedClock(millis)),
            None => Box::new(SystemClock),
        }
    }
}

/// The record root.
#[derive(Debug, Clone, Args)]
pub struct RootArgs {
    /// The record root, a private local directory
    #[arg(long, value_name = "DIR", env = "AMISS_ROOT", hide_env_values = true)]
    pub root: PathBuf,

    /// How long to wait for a lock
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub lock_timeout: Duration,
}

/// The host root that the outbox lives in.
#[derive(Debug, Clone, Args)]
pub struct HostRootArgs {
    /// The host root, the absolute path of a private local directory
    #[arg(
        long,
        value_name = "DIR",
        env = "AMISS_HOST_ROOT",
        hide_env_values = true
    )]
    pub host_root: PathBuf,

    /// How long to wait for a lock
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub lock_timeout: Duration,
}

impl HostRootArgs {
    /// Opens it.
    pub fn open(&self) -> Result<HostRoot, Failure> {
        Ok(HostRoot::open(&self.host_root, self.lock_timeout)?.told(progress()))
    }
}

/// The key that carries the proof from `ingress-verify` to the later commands.
#[derive(Debug, Clone, Args)]
pub struct SealArgs {
    /// Refuse a delivery whose seal by this key is missing or wrong
    #[arg(long, value_name = "FILE")]
    pub seal_key: Option<PathBuf>,
}

impl SealArgs {
    /// Reads the key, if one was named.
    pub fn load(&self) -> Result<Option<SealKey>, Failure> {
        self.seal_key.as_deref().map(load_seal_key).transpose()
    }
}

/// Reads a seal key file.
pub fn load_seal_key(path: &Path) -> Result<SealKey, Failure> {
    let text = read_secret(path)?;
    SealKey::from_file_text(&text).map_err(|error| {
        let mut failure = Failure::from(error);
        failure.message = format!("{}: {}", path.display(), failure.message);
        failure
    })
}

/// This very binary, which also serves as the warden of a supervised program. On Linux by the
/// kernel's own name for it, so that an upgrade of the file between two starts mixes nothing up.
pub fn warden_binary() -> Result<PathBuf, Failure> {
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe().map_err(|error| {
        Failure::new(
            Code::Io,
            format!("cannot find this program's own file: {error}"),
        )
    })
}

/// A time that is not nothing.
pub fn some_time(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("a time of nothing leaves no time to work in".to_owned()),
        time => Ok(time),
    }
}

/// `500ms`, `30s`, `15m`, `24h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "a time is a whole number and ms, s, m or h, for example 500ms".to_owned();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let unit = text.strip_prefix(digits).unwrap_or_default();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(wrong()),
    };
    number
        .checked_mul(factor)
        .map(Duration::from_millis)
        .ok_or_else(wrong)
}
