//! Origins that refuse, hang, or hang up in the middle.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// What a bad origin does with a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Takes it and never says a word.
    Hangs,
    /// Reads the request, writes half an answer and closes its writing side.
    HalfCloses,
    /// Closes at once.
    HangsUp,
}

/// A listener with bad manners.
pub struct BadOrigin {
    port: u16,
    stop: Arc<AtomicBool>,
    connections: Arc<AtomicUsize>,
}

impl BadOrigin {
    pub fn start(manner: Manner) -> BadOrigin {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let stop = Arc::new(AtomicBool::new(false));
        let connections = Arc::new(AtomicUsize::new(0));
        let (stopped, counted) = (stop.clone(), connections.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                counted.fetch_add(1, Ordering::SeqCst);
                if let Ok(stream) = stream {
                    std::thread::spawn(move || behave(stream, manner));
                }
            }
        });
        BadOrigin {
            port,
            stop,
            connections,
        }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/repo.git", self.port)
    }

    /// How often it was called.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for BadOrigin {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // One last connection lets the accepting thread see it.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// An address where nobody listens.
pub fn refusing_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    format!("http://127.0.0.1:{port}/repo.git")
}

fn behave(mut stream: TcpStream, manner: Manner) {
    match manner {
        Manner::HangsUp => {}
        Manner::Hangs => {
            // Until the other side gives up.
            let mut sink = [0_u8; 1024];
            while stream.read(&mut sink).is_ok_and(|count| count > 0) {}
        }
        Manner::HalfCloses => {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let mut request = [0_u8; 4096];
            let _ = stream.read(&mut request);
            let half = "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-receive-pack-advertisement\r\n\
                        Content-Length: 1000\r\n\r\n001f# service=git-rece";
            let _ = stream.write_all(half.as_bytes());
            let _ = stream.shutdown(Shutdown::Write);
            while stream.read(&mut request).is_ok_and(|count| count > 0) {}
        }
    }
}
