//! Deposits at a vault's rate, as swaps.

use crate::{execution::build, market::market};
use amm::book::Kind;
use primitives::{Address, Felt, U256};
use routing::VenueSet;
use services::{Offer, Snapshot};
use std::sync::Arc;
use trading::{Call, Fixed, Wanted};
use world::{Station, World, sale};

const JEDISWAP_ROUTER: &str = "0x041fd22b238fa21cfcf5dd45a8548974d8263b3a531a60388411c5e230f97023";

/// Later than any block.
const NO_DEADLINE: u64 = 1 << 40;

/// What the vault takes, and the vault: the token of its shares.
fn vault(snapshot: &Snapshot) -> [Address; 2] {
    let mut pools = snapshot.pools.iter();
    let vault = pools.find(|view| view.venue.kind == Kind::Endur).unwrap();
    vault.tokens()
}

fn token(snapshot: &Snapshot, symbol: &str) -> Address {
    snapshot.tokens.by_symbol(symbol).unwrap().1.address
}

fn whole(tokens: u64) -> U256 {
    U256::from(tokens) * U256::from(1_000_000_000_000_000_000_u64)
}

fn call(to: Address, entrypoint: &'static str, words: &[Felt], amounts: &[U256]) -> Call {
    let halves = amounts.iter().flat_map(|amount| {
        let low = *amount & U256::from(u128::MAX);
        [low, *amount >> 128].map(|half| Felt::from_bytes_be(&half.to_be_bytes()))
    });
    Call {
        to,
        entrypoint,
        calldata: words.iter().copied().chain(halves).collect(),
    }
}

fn approve(token: Address, spender: Address, amount: U256) -> Call {
    call(token, "approve", &[spender.felt()], &[amount])
}

/// How far apart quotes and the node may be about gas.
const GAS: f64 = 0.1;

/// The only offer, executed on the node at the block of its quote: it must pay what
/// it says to the unit, and cost about what it says.
async fn executed(world: &World, station: &Station, wanted: Wanted) -> Offer {
    let (swaps, trader) = (world.swaps(station), world.trader());
    let snapshot = station.snapshots.load().unwrap();
    let mut offers = swaps.quote(wanted, Arc::clone(&snapshot)).await.unwrap();
    let offer = offers.pop().unwrap();
    let built = build(&swaps, &offer, trader.address).await.unwrap();
    let quote = &offer.quote;
    let funds = quote.sell_amount * U256::from(2);
    let outcome = trader.try_out(snapshot.head, [quote.sell, quote.buy], funds, &built.calls);
    let outcome = outcome.await.unwrap();
    assert_eq!(
        (outcome.spent, outcome.received),
        (quote.sell_amount, quote.buy_amount),
        "{quote:#?}"
    );
    let estimate = trader.estimate(snapshot.head, quote.sell, funds, &built.calls);
    let [estimated, said] = [estimate.await, quote.gas].map(|gas| f64::from(U256::from(gas.l2)));
    let error = said / estimated - 1.0;
    assert!(
        error.abs() <= GAS,
        "{said} for {estimated}, {:?}",
        venues(&offer)
    );
    offer
}

fn venues(offer: &Offer) -> Vec<&str> {
    let hops = offer.quote.hops.iter();
    hops.map(|hop| hop.venue.as_str()).collect()
}

#[tokio::test]
async fn shares_are_bought_at_the_rate_of_the_vault_and_never_sold_to_it() {
    let (world, mut station) = market().await;
    let mut last = U256::MAX;
    for _ in 0..3 {
        let snapshot = station.snapshots.load().unwrap();
        let [strk, shares] = vault(&snapshot);
        let amount = whole(1_000) + U256::from(7);
        let deposit = executed(&world, &station, sale(strk, shares, amount)).await;
        assert_eq!(venues(&deposit), ["Endur"]);
        assert!(
            deposit.quote.buy_amount < last,
            "shares are worth more each time"
        );
        last = deposit.quote.buy_amount;
        for symbol in ["ETH", "USDC"] {
            let sold = token(&snapshot, symbol);
            let amount = U256::from(40_000_000_u64);
            let way = executed(&world, &station, sale(sold, shares, amount)).await;
            assert_eq!(venues(&way).last(), Some(&"Endur"));
        }
        for symbol in ["STRK", "ETH"] {
            let amount = Fixed::Buy(whole(3) + U256::ONE);
            let sold = token(&snapshot, symbol);
            let wanted = Wanted {
                amount,
                ..sale(sold, shares, U256::ONE)
            };
            executed(&world, &station, wanted).await;
        }
        let swaps = world.swaps(&station);
        let back = sale(shares, strk, whole(1));
        assert_eq!(swaps.quote(back, snapshot).await.unwrap().len(), 0);
        let rewards = whole(5_000);
        let reward = call(shares, "add_rewards", &[], &[rewards]);
        world
            .execute(&[approve(strk, shares, rewards), reward])
            .await;
        station.sync().await;
    }
}

/// Somebody buys shares for more than they cost.
#[tokio::test]
async fn routes_pass_the_vault_where_that_pays() {
    let (world, mut station) = market().await;
    let snapshot = station.snapshots.load().unwrap();
    let ([strk, shares], eth) = (vault(&snapshot), token(&snapshot, "ETH"));
    let router: Address = JEDISWAP_ROUTER.parse().unwrap();
    let own = world.trader().address.felt();
    let (deposited, minted, paired) = (whole(600), whole(500), whole(2));
    let mut liquidity = call(
        router,
        "add_liquidity",
        &[shares.felt(), eth.felt()],
        &[minted, paired, U256::ZERO, U256::ZERO],
    );
    liquidity.calldata.extend([own, Felt::from(NO_DEADLINE)]);
    let mut deposit = call(shares, "deposit", &[], &[deposited]);
    deposit.calldata.push(own);
    world
        .execute(&[
            approve(strk, shares, deposited),
            deposit,
            approve(shares, router, minted),
            approve(eth, router, paired),
            liquidity,
        ])
        .await;
    station.sync().await;
    let snapshot = station.snapshots.load().unwrap();
    let wanted = sale(strk, eth, whole(20));
    let through = executed(&world, &station, wanted.clone()).await;
    assert!(
        venues(&through).contains(&"Endur"),
        "{:?}",
        venues(&through)
    );
    let registry = snapshot.pools.registry();
    let endur = registry.of_contract(shares).unwrap();
    let around = Wanted {
        avoid: VenueSet::NONE.with(endur),
        ..wanted
    };
    let around = executed(&world, &station, around).await;
    assert!(!venues(&around).contains(&"Endur"));
    assert!(around.quote.buy_amount < through.quote.buy_amount);
}
