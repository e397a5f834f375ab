//! A mail server that keeps what it gets.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

type Letters = Arc<Mutex<Vec<String>>>;

pub struct Post {
    pub address: String,
    letters: Letters,
}

impl Post {
    pub fn start() -> Post {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("smtp://{}", listener.local_addr().unwrap());
        let letters = Letters::default();
        let kept = Arc::clone(&letters);
        // It ends with the test process.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                serve(&stream.unwrap(), &kept);
            }
        });
        Post { address, letters }
    }

    pub fn letters(&self) -> Vec<String> {
        self.letters.lock().unwrap().clone()
    }
}

fn serve(mut stream: &TcpStream, letters: &Letters) {
    let mut lines = BufReader::new(stream).lines();
    write!(stream, "220 post.example.test\r\n").unwrap();
    while let Some(Ok(line)) = lines.next() {
        let word = line.split(' ').next().unwrap().to_ascii_uppercase();
        match word.as_str() {
            "DATA" => {
                write!(stream, "354 go on\r\n").unwrap();
                let mut letter = String::new();
                for line in lines.by_ref() {
                    let line = line.unwrap();
                    if line == "." {
                        break;
                    }
                    letter.push_str(&line);
                    letter.push('\n');
                }
                letters.lock().unwrap().push(letter);
                write!(stream, "250 kept\r\n").unwrap();
            }
            "QUIT" => {
                write!(stream, "221 bye\r\n").unwrap();
                return;
            }
            _ => write!(stream, "250 fine\r\n").unwrap(),
        }
    }
}
