//! Quotes and builds stand on a block that is new enough, or there are none.

use super::support::{AMOUNT, Desk, ETH, hex, sale};
use api::Dialect;
use primitives::SignedDuration;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use world::swap_options;

/// Blocks that the desk's indexer takes up in one batch.
const BATCH: u32 = 5;

/// Lets blocks come of which the indexer takes up one batch, and no more.
async fn fall_behind(desk: &mut Desk, blocks: u32) {
    desk.world.node.mine(blocks).unwrap();
    let stop = CancellationToken::new();
    stop.cancel();
    desk.station.indexer.round(&stop).await.unwrap();
}

/// Quotes and builds are refused with this message, and with the time to ask
/// again.
async fn assert_refused(desk: &Desk, quote: &Value, message: &str) {
    let build = desk.build(quote, json!({"takerAddress": "0x77"})).await;
    for answer in [desk.ask(&sale(AMOUNT)).await, build] {
        assert_eq!(answer.refused(503), [message]);
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
}

async fn assert_served(desk: &Desk) {
    let quote = desk.quote(&sale(AMOUNT)).await;
    desk.built(&quote, json!({"takerAddress": "0x77", "slippage": 1}))
        .await;
}

fn head(desk: &Desk) -> u64 {
    desk.station.snapshots.load().unwrap().head.number
}

#[tokio::test]
async fn with_too_many_blocks_missing_nothing_is_quoted_or_built() {
    let mut desk = Desk::new().await;
    let quote = desk.quote(&sale(AMOUNT)).await;
    fall_behind(&mut desk, BATCH + 5).await;
    assert_served(&desk).await;
    fall_behind(&mut desk, BATCH + 1).await;
    let (block, newest) = (head(&desk), desk.world.node.head().number);
    assert_eq!(newest - block, 6);
    let message = format!(
        "catching up with the chain: block {block} of {newest} is read; try again in a moment"
    );
    assert_refused(&desk, &quote, &message).await;
    desk.station.sync().await;
    assert_served(&desk).await;
    let fresh = desk.quote(&sale(AMOUNT)).await;
    assert_eq!(hex(&fresh["blockNumber"]), u128::from(newest));
}

#[tokio::test]
async fn a_first_start_does_not_quote_from_the_middle_of_its_history() {
    let mut desk = Desk::unread(Dialect::Plain, swap_options()).await;
    fall_behind(&mut desk, 0).await;
    assert_eq!(head(&desk), u64::from(BATCH - 1));
    let answer = desk.ask(&sale(AMOUNT)).await;
    let messages = answer.refused(503);
    assert!(
        messages[0].starts_with("catching up with the chain: block 4 of "),
        "{messages:?}"
    );
    // A token that is not read yet is not one that does not exist.
    let unknown = sale(AMOUNT).replace(ETH, "0x123");
    assert_eq!(desk.ask(&unknown).await.refused(503), messages);
    desk.station.sync().await;
    assert_served(&desk).await;
    desk.ask(&unknown).await.refused(400);
}

#[tokio::test]
async fn a_silent_node_ends_quotes_and_a_chain_that_stands_still_does_not() {
    let mut desk = Desk::new().await;
    let quote = desk.quote(&sale(AMOUNT)).await;
    desk.world.clock.advance(SignedDuration::from_secs(60));
    assert_served(&desk).await;
    desk.world.clock.advance(SignedDuration::from_secs(1));
    let message = "no Starknet node has answered for 61 s; try again in a moment";
    assert_refused(&desk, &quote, message).await;
    // It answers, and has no newer block.
    desk.station.sync().await;
    assert_served(&desk).await;
}

#[tokio::test]
async fn a_restart_quotes_only_once_the_node_has_answered() {
    let mut desk = Desk::new().await;
    let station = desk.world.station("store").await;
    desk = desk.reopened(station, swap_options());
    let answer = desk.ask(&sale(AMOUNT)).await;
    assert_eq!(
        answer.refused(503),
        ["no Starknet node has answered yet; try again in a moment"]
    );
    desk.station.sync().await;
    assert_served(&desk).await;
}

#[tokio::test]
async fn who_has_no_node_to_ask_goes_by_the_age_of_blocks() {
    let mut options = swap_options();
    options.freshness.max_silence = SignedDuration::from_secs(3_600);
    options.freshness.max_block_age = Some(SignedDuration::from_secs(60));
    let desk = Desk::with(Dialect::Plain, options).await;
    assert_served(&desk).await;
    let time = desk.station.snapshots.load().unwrap().head_time;
    let now = primitives::Clock::now(&*desk.world.clock);
    let until_old = SignedDuration::from_secs(61) - now.duration_since(time);
    desk.world.clock.advance(until_old);
    assert_eq!(
        desk.ask(&sale(AMOUNT)).await.refused(503),
        ["the newest block is 61 s old; try again in a moment"]
    );
}
