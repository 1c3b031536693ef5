//! Answers that go on: events as they come.

use super::{Bench, request, seen};
use axum::{
    Router,
    body::{Body, BodyDataStream, Bytes},
    http::{HeaderMap, StatusCode, request::Builder},
};
use futures_util::StreamExt;
use serde_json::Value;
use std::time::Duration;

/// Far longer than any event takes.
const PATIENCE: Duration = Duration::from_mins(1);

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) data: Value,
}

/// An open stream.
pub(crate) struct Opened {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    path: String,
    body: BodyDataStream,
    text: String,
}

impl Bench {
    pub(crate) async fn open(&self, request: Builder) -> Opened {
        open(&self.router, request).await
    }
}

/// Opens a stream, or hears why not.
pub(crate) async fn open(router: &Router, request: Builder) -> Opened {
    let path = request.uri_ref().unwrap().path().to_owned();
    let response = request::respond(router, request, Body::empty()).await;
    let (parts, body) = response.into_parts();
    Opened {
        path,
        status: parts.status,
        headers: parts.headers,
        body: body.into_data_stream(),
        text: String::new(),
    }
}

impl Opened {
    /// The next event; whatever is none is passed over.
    pub(crate) async fn next(&mut self) -> Event {
        let next = async {
            loop {
                let event = self.block().await.unwrap();
                if let Some(event) = read(&event) {
                    seen::note_event(&self.path, &event.data);
                    return event;
                }
            }
        };
        tokio::time::timeout(PATIENCE, next).await.unwrap()
    }

    /// The next event of a name, after the names of those before it.
    pub(crate) async fn until(&mut self, name: &str) -> (Vec<String>, Event) {
        let mut names = Vec::new();
        loop {
            let event = self.next().await;
            if event.name == name {
                return (names, event);
            }
            names.push(event.name);
        }
    }

    /// Everything up to the next empty line; none at the end.
    pub(crate) async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                return Some(block);
            }
            let more: Bytes = self.body.next().await?.unwrap();
            self.text.push_str(std::str::from_utf8(&more).unwrap());
        }
    }
}

fn read(block: &str) -> Option<Event> {
    let field = |name: &str| {
        let mut lines = block.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let data = field("data")?;
    Some(Event {
        id: field("id")?.to_owned(),
        name: field("event")?.to_owned(),
        data: serde_json::from_str(data).unwrap(),
    })
}
