//! Payments settled against paging through their signatures, which the node is
//! asked for once in every round and which nothing could settle without.

use crate::{Goal, Row, median};
use chain::{MAX_SIGNATURES, SignaturePage};
use leasing::Mode;
use primitives::Signature;
use services::leasing::User;
use tokio::time::Instant;
use world::Market;

const TURNS: usize = 5;
const PAYMENTS: u16 = 200;

/// Payments between which a slot passes.
const PER_SLOT: u16 = 20;

pub(crate) fn settlement() -> Row {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let market = Market::new(1).await.without_cap().await;
        let owner = market.user("owner").await;
        let validator = market.validator(&owner, 0, 0).await.id;
        let trader = market.user("trader").await;
        let mut epochs = 0..;
        let (mut shares, mut per_second) = (Vec::new(), Vec::new());
        let mut last = None;
        for _ in 0..TURNS {
            let ahead = epochs.by_ref().take(PAYMENTS.into());
            pay(&market, &trader, validator, ahead).await;
            let (paging, newest) = page(&market, last).await;
            let start = Instant::now();
            let mut settlement = market.leasing.settlement();
            let settled = settlement.round().await.unwrap();
            let settling = start.elapsed().as_secs_f64();
            assert_eq!(settled.activated, u32::from(PAYMENTS));
            shares.push(settling / paging);
            per_second.push(f64::from(PAYMENTS) / settling);
            last = newest;
        }
        println!("payments settled per second: {:.0}", median(per_second));
        Row {
            what: "payments settled, time",
            baseline: "paging through their signatures",
            ratio: median(shares),
            goal: Goal::None,
        }
    })
}

/// Books an epoch after the other, pays for each, and lets all become final.
async fn pay(
    market: &Market,
    trader: &User,
    validator: primitives::Ulid,
    epochs: impl Iterator<Item = i64>,
) {
    for (number, ahead) in (0_u16..).zip(epochs) {
        let booking = market.booking(validator, ahead, 1, Mode::Exclusive);
        let booked = market.book(trader, &booking).await.unwrap();
        let payer = market.wallet(2);
        market
            .pay(booked.lease.payment.memo().as_str(), &payer)
            .await;
        if number % PER_SLOT == 0 {
            market.node.mine(1).unwrap();
        }
    }
    market.finalise();
}

/// Seconds that it takes to page through what came since, and the newest of it.
async fn page(market: &Market, until: Option<Signature>) -> (f64, Option<Signature>) {
    let client = market.nodes.client().unwrap();
    let page = SignaturePage {
        until,
        limit: MAX_SIGNATURES,
        ..SignaturePage::default()
    };
    let start = Instant::now();
    let entries = client.signatures(market.platform().public_key(), page);
    let entries = entries.await.unwrap();
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(entries.len(), usize::from(PAYMENTS));
    (seconds, entries.first().map(|entry| entry.signature))
}
