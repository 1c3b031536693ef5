//! A node that says which chain it follows, and leaves everything else
//! unanswered.

use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

/// `SN_MAIN`.
pub(crate) const MAIN: &str = "0x534e5f4d41494e";

pub(crate) struct SilentNode {
    pub(crate) url: String,
    /// Gets a call that is left unanswered.
    pub(crate) unanswered: Receiver<String>,
}

impl SilentNode {
    /// A node of `chain_id`; without one, even that is left unanswered.
    pub(crate) fn start(chain_id: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, unanswered) = channel();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let sender = sender.clone();
                thread::spawn(move || converse(stream, chain_id, &sender));
            }
        });
        Self { url, unanswered }
    }
}

fn converse(mut stream: TcpStream, chain_id: Option<&str>, unanswered: &Sender<String>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(call) = next_call(&mut reader) {
        let method = call.get("method").and_then(Value::as_str);
        let method = method.unwrap_or_default();
        let result = match (method, chain_id) {
            ("starknet_specVersion", Some(_)) => "0.9.0",
            ("starknet_chainId", Some(chain_id)) => chain_id,
            _ => {
                // The test may have seen enough.
                let _ = unanswered.send(method.to_owned());
                continue;
            }
        };
        let answer = json!({"jsonrpc": "2.0", "id": call.get("id"), "result": result}).to_string();
        let length = answer.len();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{answer}"
        )
        .unwrap();
    }
}

/// Reads one request; nothing when the caller has hung up.
fn next_call(reader: &mut BufReader<TcpStream>) -> Option<Value> {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if line == "\r\n" {
            break;
        }
        let header = line.to_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
