//! Tags, and what may be kept.

use super::support::Market;
use crate::support::get;
use primitives::SignedDuration;

/// A time of the market's past, which stands still.
const PAST: &str = "startDate=2027-01-15T08:00:00Z&endDate=2027-01-15T10:00:00Z&resolution=5";

async fn paths(market: &Market) -> Vec<String> {
    let token = market.address("ETH").await;
    let feeds = [
        "prices/candle",
        "prices/line",
        "volumes/line",
        "exchange-volumes/line",
        "exchange-tvl/line",
    ];
    let paths = feeds.map(|feed| format!("/v3/tokens/{token}/{feed}"));
    paths.into()
}

#[tokio::test]
async fn what_has_ended_may_be_kept_for_a_minute_and_keeps_its_tag() {
    let mut market = Market::new(3).await;
    let mut before = Vec::new();
    for path in paths(&market).await {
        let answer = market.ok(&format!("{path}?{PAST}")).await;
        assert_eq!(answer.header("cache-control"), Some("public, max-age=60"));
        assert_eq!(answer.header("x-partial-bucket"), None);
        assert!(answer.json().as_array().unwrap().len() >= 20, "{path}");
        before.push((path, answer));
    }
    market.pass(40).await;
    for (path, before) in before {
        let after = market.ok(&format!("{path}?{PAST}")).await;
        assert_eq!(after.body, before.body, "{path}");
        assert_eq!(after.header("etag"), before.header("etag"), "{path}");
    }
}

#[tokio::test]
async fn what_has_not_ended_is_asked_after_each_time() {
    let mut market = Market::new(4).await;
    let path = &paths(&market).await[0];
    let before = market.ok(path).await;
    assert_eq!(before.header("cache-control"), Some("no-cache"));
    assert!(before.header("x-partial-bucket").is_some());
    let tag = before.header("etag").unwrap();
    market.pass(20).await;
    let answer = market
        .bench
        .send(get(path).header("if-none-match", tag))
        .await;
    assert_eq!(answer.status, 200);
    assert_ne!(answer.header("etag"), Some(tag));
}

#[tokio::test]
async fn every_replica_gives_the_same_tag() {
    let market = Market::new(5).await;
    let mut replica = market.world.station("replica").await;
    replica.sync().await;
    let bench = crate::support::Bench::of(&market.world, &replica);
    for path in paths(&market).await {
        // The first answer is put together otherwise than the second.
        let halves = [
            "",
            "?startDate=2027-01-15T08:13:00Z&endDate=2027-01-15T08:42:00Z&resolution=1",
        ];
        for query in halves {
            market.ok(&format!("{path}{query}")).await;
        }
        let ours = market.ok(&format!("{path}?resolution=1")).await;
        let other = bench.get(&format!("{path}?resolution=1")).await;
        assert!(ours.body.len() > 1_000, "{path}");
        assert_eq!(other.header("etag"), ours.header("etag"), "{path}");
        assert_eq!(other.body, ours.body, "{path}");
    }
}

#[tokio::test]
async fn after_a_reorganisation_nothing_is_left_of_what_was() {
    let mut market = Market::new(17).await;
    let paths = paths(&market).await;
    for path in &paths {
        market.ok(&format!("{path}?resolution=1")).await;
    }
    market.world.node.reorg(8).unwrap();
    market.station.sync().await;
    market.pass(3).await;
    let mut replica = market.world.station("replica").await;
    replica.sync().await;
    let bench = crate::support::Bench::of(&market.world, &replica);
    for path in paths {
        for resolution in ["1", "5", "1H"] {
            let path = format!("{path}?resolution={resolution}");
            let (ours, fresh) = (market.ok(&path).await, bench.get(&path).await);
            assert_eq!(ours.header("etag"), fresh.header("etag"), "{path}");
            assert_eq!(ours.text(), fresh.text(), "{path}");
        }
    }
}

#[tokio::test]
async fn another_content_has_another_tag() {
    let market = Market::new(6).await;
    let mut tags = Vec::new();
    for path in paths(&market).await {
        for query in [
            "?resolution=1",
            "?resolution=5",
            "?resolution=1&partial=false",
        ] {
            let answer = market.ok(&format!("{path}{query}")).await;
            tags.push(answer.header("etag").unwrap().to_owned());
        }
    }
    let given = tags.len();
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), given);
}

#[tokio::test]
async fn a_compressed_body_has_a_tag_of_its_own_that_is_recognised() {
    let market = Market::new(7).await;
    let path = &format!("{}?resolution=1", paths(&market).await[0]);
    let plain = market.ok(path).await;
    let packed = market
        .bench
        .send(get(path).header("accept-encoding", "gzip"))
        .await;
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let tag = packed.header("etag").unwrap();
    assert_ne!(Some(tag), plain.header("etag"));
    let again = market
        .bench
        .send(get(path).header("if-none-match", tag))
        .await;
    assert_eq!(
        (again.status.as_u16(), again.header("etag")),
        (304, Some(tag))
    );
}

#[tokio::test]
async fn a_bucket_that_ends_by_the_clock_alone_is_not_kept() {
    let market = Market::new(8).await;
    let path = format!("{}?resolution=1H", paths(&market).await[0]);
    let before = market.ok(&path).await;
    market.world.clock.advance(SignedDuration::from_hours(3));
    let after = market.ok(&path).await;
    assert_eq!(after.header("cache-control"), Some("no-cache"));
    let count = |answer: &crate::support::Answer| answer.json().as_array().unwrap().len();
    assert_eq!(count(&after), count(&before) + 3);
}
