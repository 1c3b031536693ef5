//! Answers of others on the web: an aggregator of market data, an issuer of sessions
//! with its description and keys, and a node's announcements over WebSocket. The
//! first byte says who.

#![no_main]

mod answers;

use answers::Answers;
use chain::ring_at_heads;
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use market::Listings;
use primitives::{Clock, ManualClock, Timestamp, short_string};
use services::{
    GlobalFeed, GlobalOptions, GlobalPoller,
    leasing::{Issuer, IssuerOptions},
};
use std::{cell::RefCell, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    runtime::{Builder, Runtime},
    sync::Notify,
    time::timeout,
};

/// A token that the aggregator is asked about.
const TOKENS: &str = r#"{"name":"fuzz","timestamp":"2026-11-18T00:00:00Z","version":{"major":1,"minor":0,"patch":0},"tokens":[{"chainId":"SN_STOA","address":"0x1","name":"a","symbol":"A","decimals":18,"extensions":{"coingeckoId":"a"}}]}"#;

struct World {
    runtime: Runtime,
    answers: Answers,
    issuer: Issuer,
    poller: GlobalPoller,
}

thread_local! {
    static WORLD: RefCell<World> = RefCell::new(world());
}

fn world() -> World {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let answers = Answers::default();
    let (url, _) = runtime.block_on(answers.serve());
    let issuer = IssuerOptions {
        issuer: url.parse().expect("an address"),
        audience: "market".to_owned(),
        jwks_url: None,
        groups_claim: "groups".to_owned(),
        staff_group: Some("staff".to_owned()),
    };
    let options = GlobalOptions {
        url: url.parse().expect("an address"),
        key: None,
        interval: Duration::from_secs(1),
        timeout: Duration::from_secs(2),
        max_age: Duration::from_secs(60),
    };
    let listings = Listings::parse(TOKENS, short_string("SN_STOA")).expect("a list");
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
    let poller = GlobalPoller::new(&options, &listings, GlobalFeed::default(), clock);
    World {
        runtime,
        answers,
        issuer: Issuer::new(issuer).expect("an issuer"),
        poller: poller.expect("a poller"),
    }
}

// Its making is not part of the time of the first input.
fuzz_target!(init: WORLD.with(|_| ()), |data: &[u8]| {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    let text = std::str::from_utf8(rest);
    WORLD.with_borrow_mut(|world| match (kind, text) {
        (b'a', Ok(text)) => {
            world.answers.set(text);
            let _ = world.runtime.block_on(world.poller.round());
        }
        (b'i', Ok(text)) => {
            world.answers.set(text);
            let _ = world.runtime.block_on(world.issuer.probe());
        }
        (b'w', _) => world.runtime.block_on(announced(rest)),
        _ => {}
    });
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::mutate(data, size, max_size, seed)
});

/// A node that answers the beginning of a WebSocket as it should, and then sends
/// these bytes.
async fn announced(bytes: &[u8]) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("its address");
    let url = format!("ws://{address}").parse().expect("an address");
    let bell = Notify::new();
    let node = async {
        let (mut socket, _) = listener.accept().await.ok()?;
        let mut asked = vec![0; 4096];
        let length = socket.read(&mut asked).await.ok()?;
        let asked = String::from_utf8_lossy(asked.get(..length)?).into_owned();
        let key = asked
            .lines()
            .find_map(|line| line.strip_prefix("Sec-WebSocket-Key: "));
        let accepted = tungstenite::handshake::derive_accept_key(key?.as_bytes());
        let head = format!(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Accept: {accepted}\r\n\r\n"
        );
        socket.write_all(head.as_bytes()).await.ok()?;
        socket.write_all(bytes).await.ok()?;
        socket.shutdown().await.ok()
    };
    let both = async { tokio::join!(node, ring_at_heads(&url, &bell)) };
    let _ = timeout(Duration::from_secs(2), both).await;
}
