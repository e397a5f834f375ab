//! A forge that knows just enough: what is posted to a path is listed there.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

type Made = Arc<Mutex<Vec<(String, Value)>>>;

pub struct Forge {
    pub address: String,
    made: Made,
}

impl Forge {
    pub fn start() -> Forge {
        Forge::serve(false)
    }

    /// One that answers 403 to everything.
    pub fn refusing() -> Forge {
        Forge::serve(true)
    }

    fn serve(refusing: bool) -> Forge {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let made = Made::default();
        let kept = Arc::clone(&made);
        // It ends with the test process.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                serve(&stream.unwrap(), &kept, refusing);
            }
        });
        Forge { address, made }
    }

    /// What was posted to this path, in order.
    pub fn made(&self, path: &str) -> Vec<Value> {
        let all = self.all();
        all.into_iter()
            .filter_map(|(at, body)| (at == path).then_some(body))
            .collect()
    }

    pub fn all(&self) -> Vec<(String, Value)> {
        self.made.lock().unwrap().clone()
    }
}

fn serve(mut stream: &TcpStream, made: &Made, refusing: bool) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap().to_owned(), words.next().unwrap());
    let path = target.split('?').next().unwrap().to_owned();
    let (mut length, mut authorized) = (0, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        let header = header.trim_end().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
        authorized |= header.starts_with("authorization: bearer ");
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let (status, answer) = if refusing || !authorized {
        ("403 Forbidden", json!({"message": "no"}))
    } else if method == "POST" {
        ("201 Created", post(&path, &body, made))
    } else {
        ("200 OK", list(&path, made))
    };
    let text = answer.to_string();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    )
    .unwrap();
}

fn post(path: &str, body: &[u8], made: &Made) -> Value {
    let mut made = made.lock().unwrap();
    made.push((path.to_owned(), serde_json::from_slice(body).unwrap()));
    let same = made.iter().filter(|(at, _)| at == path).count();
    json!({"id": same})
}

/// Check runs are listed under the commit, reviews where they were posted; each with its id.
fn list(path: &str, made: &Made) -> Value {
    let made = made.lock().unwrap();
    let numbered = |at: &str| -> Vec<Value> {
        made.iter()
            .filter(|(path, _)| path == at)
            .enumerate()
            .map(|(index, (_, body))| {
                let mut body = body.clone();
                body["id"] = json!(index + 1);
                body["state"] = body["event"].clone();
                body
            })
            .collect()
    };
    match path.split_once("/commits/") {
        Some((repository, rest)) => {
            let commit = rest.strip_suffix("/check-runs").unwrap();
            let runs: Vec<Value> = numbered(&format!("{repository}/check-runs"))
                .into_iter()
                .filter(|run| run["head_sha"] == commit)
                .collect();
            json!({"total_count": runs.len(), "check_runs": runs})
        }
        None => json!(numbered(path)),
    }
}
