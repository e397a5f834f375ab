//! `git http-backend` behind a small HTTP server with Basic authentication.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine;

/// Who may come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Door {
    /// Everybody.
    Open,
    /// Whoever knows `user:password`.
    Basic(String),
    /// The same, and what a push did is never said: the connection breaks instead.
    BasicAndMute(String),
    /// Whoever sends this header, exactly.
    Header(String),
    /// Everybody may read, nobody may push (403).
    ReadOnly,
}

/// One request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    pub line: String,
    pub headers: Vec<String>,
}

/// A server over the bare repositories of one directory.
pub struct HttpOrigin {
    port: u16,
    stop: Arc<AtomicBool>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl HttpOrigin {
    /// Serves the repositories under `root`; each must have `http.receivepack` set.
    pub fn start(root: &Path, door: Door) -> HttpOrigin {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (stopped, noted, root) = (stop.clone(), seen.clone(), root.to_owned());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let (noted, root, door) = (noted.clone(), root.clone(), door.clone());
                if let Ok(stream) = stream {
                    std::thread::spawn(move || {
                        // A client that goes away is none of the server's business.
                        let _ = serve(stream, &root, &door, &noted);
                    });
                }
            }
        });
        HttpOrigin { port, stop, seen }
    }

    /// `http://127.0.0.1:PORT/NAME`.
    pub fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.authority())
    }

    pub fn authority(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for HttpOrigin {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

struct Request {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

fn serve(
    stream: TcpStream,
    root: &Path,
    door: &Door,
    seen: &Mutex<Vec<Seen>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    let request = read_request(&mut reader, &mut stream)?;
    seen.lock().unwrap().push(Seen {
        line: request.line.clone(),
        headers: request
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect(),
    });
    let user = match admit(&request, door) {
        Ok(user) => user,
        Err(refusal) => return stream.write_all(refusal.as_bytes()),
    };
    let answer = backend(&request, root, user.as_deref())?;
    let is_push = request.line.starts_with("POST") && request.line.contains("git-receive-pack");
    if is_push && matches!(door, Door::BasicAndMute(_)) {
        return Ok(());
    }
    stream.write_all(&answer)
}

fn admit(request: &Request, door: &Door) -> Result<Option<String>, String> {
    let pushes = request.line.contains("git-receive-pack");
    match door {
        Door::Open => Ok(Some("anybody".into())),
        Door::ReadOnly if pushes => Err(refusal("403 Forbidden", "")),
        Door::ReadOnly => Ok(None),
        Door::Header(expected) => {
            let (name, value) = expected.split_once(": ").unwrap();
            if request.header(name) == Some(value) {
                Ok(Some("header".into()))
            } else {
                Err(refusal("403 Forbidden", ""))
            }
        }
        Door::Basic(login) | Door::BasicAndMute(login) => {
            let encoded = base64::engine::general_purpose::STANDARD.encode(login);
            if request.header("authorization") == Some(format!("Basic {encoded}").as_str()) {
                Ok(login.split_once(':').map(|(user, _)| user.to_owned()))
            } else {
                let ask = "WWW-Authenticate: Basic realm=\"origin\"\r\n";
                Err(refusal("401 Unauthorized", ask))
            }
        }
    }
}

fn refusal(status: &str, header: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{header}Content-Length: 0\r\nConnection: close\r\n\r\n")
}

fn read_request(reader: &mut impl BufRead, stream: &mut TcpStream) -> std::io::Result<Request> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.trim().split_once(':') {
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
    }
    let mut request = Request {
        line: line.trim().to_owned(),
        headers,
        body: Vec::new(),
    };
    if request.header("expect").is_some() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    if request.header("transfer-encoding") == Some("chunked") {
        request.body = read_chunks(reader)?;
    } else if let Some(length) = request.header("content-length") {
        let mut body = vec![0; length.parse().unwrap_or(0)];
        reader.read_exact(&mut body)?;
        request.body = body;
    }
    Ok(request)
}

fn read_chunks(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk)?;
        if size == 0 {
            return Ok(body);
        }
        body.extend_from_slice(&chunk[..size]);
    }
}

/// Runs the CGI and turns its answer into HTTP.
fn backend(request: &Request, root: &Path, user: Option<&str>) -> std::io::Result<Vec<u8>> {
    let mut words = request.line.split(' ');
    let method = words.next().unwrap_or_default();
    let (path, query) = words
        .next()
        .map(|target| target.split_once('?').unwrap_or((target, "")))
        .unwrap_or_default();
    let mut command = Command::new("git");
    command
        .arg("http-backend")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env("REMOTE_ADDR", "127.0.0.1");
    for (variable, header) in [
        ("CONTENT_TYPE", "content-type"),
        ("HTTP_CONTENT_ENCODING", "content-encoding"),
        ("GIT_PROTOCOL", "git-protocol"),
    ] {
        if let Some(value) = request.header(header) {
            command.env(variable, value);
        }
    }
    if let Some(user) = user {
        command.env("REMOTE_USER", user);
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut input = child.stdin.take().unwrap();
    let body = request.body.clone();
    let feeder = std::thread::spawn(move || {
        let _ = input.write_all(&body);
    });
    let output = child.wait_with_output()?;
    let _ = feeder.join();
    Ok(as_http(&output.stdout))
}

fn as_http(cgi: &[u8]) -> Vec<u8> {
    let end = cgi
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap_or(0);
    let head = String::from_utf8_lossy(&cgi[..end]).into_owned();
    let body = cgi.get(end + 4..).unwrap_or_default();
    let mut status = "200 OK".to_owned();
    let mut headers = String::new();
    for line in head.lines() {
        match line.strip_prefix("Status: ") {
            Some(text) => text.clone_into(&mut status),
            None => headers.push_str(&format!("{line}\r\n")),
        }
    }
    let mut answer = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )
    .into_bytes();
    answer.extend_from_slice(body);
    answer
}

/// Lets everybody that the server admits push to a repository.
pub fn allow_push(repository: &Path) {
    super::super::scene::git(repository, &["config", "http.receivepack", "true"]);
}

/// Where a repository of this server lies.
pub fn place(root: &Path, name: &str) -> PathBuf {
    root.join(name)
}
