//! What quotes say of gas against what the node estimates.

use crate::{
    dice::Dice,
    execution::build,
    market::{market, tokens, wish},
};
use amm::book::Kind;
use primitives::{SeededEntropy, U256};
use services::{GasEstimates, GasWatch, QuoteStore, Snapshot, SwapOptions};
use std::sync::Arc;
use trading::{Gas, GasModel, Quote, Work};
use world::{exchange_terms, sale, swap_options};

/// Wishes for quotes that estimates are made of.
const WISHES: usize = 300;

/// How far apart the model and the node may be, of all swaps together and of
/// the worst of twenty.
const TOGETHER: f64 = 0.02;
const WORST_OF_TWENTY: f64 = 0.10;

/// Trades that are made for others to learn from.
const TRADES: usize = 20;

/// How far apart estimates and the node may be where receipts are all that is
/// known, of the worst of twenty.
const FOLLOWED: f64 = 0.20;

fn work(quote: &Quote, snapshot: &Snapshot) -> Work {
    let legs: Vec<_> = quote.hops.iter().map(|hop| hop.leg).collect();
    Work::of(&legs, &snapshot.pools)
}

#[expect(clippy::cast_precision_loss, reason = "gas is far below 2^53")]
fn l2(gas: Gas) -> f64 {
    gas.l2 as f64
}

#[tokio::test]
async fn the_gas_of_quotes_is_what_the_node_estimates() {
    let (world, station) = market().await;
    let (swaps, trader) = (world.swaps(&station), world.trader());
    let snapshot = station.snapshots.load().unwrap();
    let venues = u8::try_from(snapshot.pools.registry().venues().len()).unwrap();
    let (dice, all) = (Dice(SeededEntropy::new(8)), tokens(&snapshot));
    let mut samples: Vec<(Work, Gas)> = Vec::new();
    for _ in 0..WISHES {
        let wanted = wish(&dice, &all, venues);
        let offers = swaps.quote(wanted, Arc::clone(&snapshot)).await.unwrap();
        for offer in offers {
            let built = build(&swaps, &offer, trader.address).await.unwrap();
            let (quote, at) = (&offer.quote, snapshot.head);
            let funds = quote.sell_amount * U256::from(2);
            let gas = trader.estimate(at, quote.sell, funds, &built.calls).await;
            samples.push((work(quote, &snapshot), gas));
        }
    }
    let fitted = GasModel::fit(&samples);
    let model = GasModel::simulated();
    let mut errors: Vec<f64> = Vec::new();
    let (mut expected, mut estimated) = (0.0, 0.0);
    for (work, gas) in &samples {
        let said = l2(model.of(work));
        errors.push((said / l2(*gas) - 1.0).abs());
        expected += said;
        estimated += l2(*gas);
    }
    errors.sort_by(f64::total_cmp);
    let worst = errors[errors.len() * 19 / 20];
    let apart: f64 = expected / estimated - 1.0;
    assert!(
        apart.abs() <= TOGETHER && worst <= WORST_OF_TWENTY,
        "{apart} together, {worst} the worst of twenty; a fit gives {fitted:#?}"
    );
}

/// On a network that is twice as dear as expected, without a fit by hand.
#[tokio::test]
async fn estimates_follow_what_trades_of_others_cost() {
    let (world, mut station) = market().await;
    let trader = world.trader();
    let estimates = GasEstimates::new(halved());
    let options = SwapOptions {
        gas: estimates.clone(),
        ..swap_options()
    };
    let swaps = world.swaps_with(&station, options, QuoteStore::local());
    for place in 0..TRADES {
        let snapshot = station.snapshots.load().unwrap();
        let address = |symbol| snapshot.tokens.by_symbol(symbol).unwrap().1.address;
        let bought = ["ETH", "USDC", "USDT", "WBTC", "DAI"].map(address);
        let amount = U256::from(10).pow(U256::from(16 + place % 4));
        let wanted = sale(address("STRK"), bought[place % bought.len()], amount);
        let offers = swaps.quote(wanted, Arc::clone(&snapshot)).await.unwrap();
        let built = build(&swaps, &offers[0], trader.address).await.unwrap();
        world.execute(&built.calls).await;
        station.sync().await;
    }
    let snapshot = station.snapshots.load().unwrap();
    let terms = exchange_terms(vec![world.client.clone()]);
    let mut watch = GasWatch::new(&terms, station.snapshots.clone(), estimates);
    let counted = watch.round().await.unwrap();
    assert!(counted >= TRADES, "{counted} trades counted");
    assert_eq!(watch.round().await.unwrap(), 0, "no block counts twice");
    let venues = u8::try_from(snapshot.pools.registry().venues().len()).unwrap();
    let (dice, all) = (Dice(SeededEntropy::new(9)), tokens(&snapshot));
    let mut errors: Vec<f64> = Vec::new();
    for _ in 0..WISHES / 3 {
        let wanted = wish(&dice, &all, venues);
        let offers = swaps.quote(wanted, Arc::clone(&snapshot)).await.unwrap();
        for offer in offers {
            let built = build(&swaps, &offer, trader.address).await.unwrap();
            let (quote, at) = (&offer.quote, snapshot.head);
            let funds = quote.sell_amount * U256::from(2);
            let gas = trader.estimate(at, quote.sell, funds, &built.calls).await;
            errors.push((l2(quote.gas) / l2(gas) - 1.0).abs());
        }
    }
    errors.sort_by(f64::total_cmp);
    let worst = errors[errors.len() * 19 / 20];
    assert!(
        worst <= FOLLOWED,
        "{worst} the worst of twenty, {counted} trades"
    );
}

/// What the simulated network would cost if everything were half as dear.
fn halved() -> GasModel {
    let simulated = GasModel::simulated();
    let kinds = [
        Kind::JediSwap,
        Kind::TenKSwap,
        Kind::SithSwap,
        Kind::StarkDefi,
        Kind::Nostra,
        Kind::MySwap,
        Kind::Ekubo,
    ];
    let samples = kinds.into_iter().flat_map(|kind| {
        let swaps = |count| {
            let work = Work::of_swaps(std::iter::repeat_n(kind, count));
            let gas = simulated.of(&work);
            (work, Gas::new(0, gas.l1_data / 2, gas.l2 / 2))
        };
        [1, 2].map(swaps)
    });
    GasModel::fit(&samples.collect::<Vec<_>>())
}
