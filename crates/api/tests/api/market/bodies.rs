//! Series of several pages, as they arrive over a socket.

use super::support::Market;
use crate::server::{DRAIN, served};
use flate2::bufread::GzDecoder;
use reqwest::{Client, Method, StatusCode};
use std::io::Read as _;

/// More minutes than three pages have.
const BLOCKS: u64 = 110;

#[tokio::test]
async fn a_series_of_several_pages_arrives_whole() {
    let mut market = Market::new(30).await;
    market.pass(BLOCKS).await;
    let token = market.address("ETH").await;
    let (address, stop, server) = served(market.bench.router.clone(), DRAIN).await;
    let plain = Client::builder().no_gzip().build().unwrap();
    // Asks for compressed bodies, and unpacks them.
    let packed = Client::new();
    for feed in ["candle", "line"] {
        let path =
            format!("/v3/tokens/{token}/prices/{feed}?resolution=1&startDate=2027-01-15T00:00:00Z");
        let whole = market.ok(&path).await;
        assert!(whole.json().as_array().unwrap().len() > 3 * 256, "{path}");
        let url = format!("http://{address}{path}");
        let length = whole.body.len().to_string();

        let answer = plain.get(&url).send().await.unwrap();
        assert_eq!(answer.headers()["content-length"], length, "{path}");
        assert_eq!(answer.bytes().await.unwrap(), whole.body, "{path}");

        let answer = packed.get(&url).send().await.unwrap();
        assert_eq!(answer.bytes().await.unwrap(), whole.body, "{path}");

        let answer = plain.get(&url).header("accept-encoding", "gzip, deflate");
        let answer = answer.send().await.unwrap();
        assert_eq!(answer.headers()["content-encoding"], "gzip", "{path}");
        assert_eq!(answer.headers()["vary"], "accept-encoding", "{path}");
        let told = answer.headers()["content-length"].clone();
        let sent = answer.bytes().await.unwrap();
        assert_eq!(told, sent.len().to_string(), "{path}");
        assert!(sent.len() * 3 < whole.body.len(), "{path}: {}", sent.len());
        let mut stream = GzDecoder::new(&*sent);
        let mut unpacked = Vec::new();
        stream.read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, whole.body, "{path}");
        // One stream: what follows a first one is not read by everybody.
        assert!(stream.into_inner().is_empty(), "{path}");

        let head = plain.request(Method::HEAD, &url).send().await.unwrap();
        assert_eq!(head.headers()["content-length"], length, "{path}");
        assert_eq!(head.bytes().await.unwrap(), "", "{path}");

        let tag = whole.header("etag").unwrap();
        let known = plain.get(&url).header("if-none-match", tag);
        let known = known.send().await.unwrap();
        assert_eq!(known.status(), StatusCode::NOT_MODIFIED, "{path}");
        assert_eq!(known.bytes().await.unwrap(), "", "{path}");
    }
    stop.cancel();
    server.await.unwrap().unwrap();
}
