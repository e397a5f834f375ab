//! What a service manager is told (`sd_notify(3)`), where there is one.

use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::time::Duration;

/// The manager's socket and the pace at which it wants a sign of life.
#[derive(Debug, Default)]
pub struct Service {
    address: Option<PathBuf>,
    pace: Option<Duration>,
}

impl Service {
    /// The manager that started this process, by `NOTIFY_SOCKET`, `WATCHDOG_USEC` and
    /// `WATCHDOG_PID`.
    #[must_use]
    pub fn of_this_process() -> Service {
        let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
        let ours = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
        Service {
            address: std::env::var_os("NOTIFY_SOCKET")
                .filter(|name| !name.is_empty())
                .map(PathBuf::from),
            pace: number("WATCHDOG_USEC")
                .filter(|micros| *micros > 0 && ours)
                .map(|micros| Duration::from_micros(micros.div_euclid(2))),
        }
    }

    /// How often a sign of life is due; half of what the manager waits.
    #[must_use]
    pub const fn pace(&self) -> Option<Duration> {
        self.pace
    }

    /// Tells the manager something. Nobody there, or one that does not listen, is no fault.
    pub fn tell(&self, words: &str) {
        if let Some(address) = &self.address {
            let _ = send(address, words.as_bytes());
        }
    }
}

#[cfg(target_os = "linux")]
fn send(address: &std::path::Path, words: &[u8]) -> std::io::Result<()> {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::SocketAddr;
    let socket = UnixDatagram::unbound()?;
    let name = match address.as_os_str().as_bytes() {
        // An abstract name.
        [b'@', rest @ ..] => SocketAddr::from_abstract_name(rest)?,
        _ => SocketAddr::from_pathname(address)?,
    };
    socket.set_nonblocking(true)?;
    socket.send_to_addr(words, &name).map(drop)
}

#[cfg(not(target_os = "linux"))]
fn send(address: &std::path::Path, words: &[u8]) -> std::io::Result<()> {
    let socket = UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    socket.send_to(words, address).map(drop)
}
