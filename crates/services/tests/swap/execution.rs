//! Quotes against the simulated node: what is built is executed there, at the
//! block of the quote and some blocks later.

use crate::{
    dice::Dice,
    market::{market, tokens, wish},
};
use amm::Refusal;
use primitives::{Address, SeededEntropy, U256};
use services::{BuildError, BuildRequest, Built, Offer, Snapshot, Swaps, Taker};
use std::{collections::BTreeMap, sync::Arc};
use trading::{Exact, Fixed, Slippage, WouldRevert};
use world::{Station, Trader, World, sale};

/// Wishes for quotes of one run.
const WISHES: usize = 1_500;

/// Of the quotes, so many are tried again later.
const LATER: usize = 150;

pub(crate) async fn build(
    swaps: &Swaps,
    offer: &Offer,
    taker: Address,
) -> Result<Built, BuildError> {
    let request = BuildRequest {
        quote: offer.id,
        taker: Taker::Is(taker),
        slippage: "0.005".parse::<Slippage>().unwrap(),
        approve: true,
    };
    swaps.build(&request).await
}

fn tokens_of(offer: &Offer) -> [Address; 2] {
    [offer.quote.sell, offer.quote.buy]
}

/// More than any call may take.
fn funds(offer: &Offer) -> U256 {
    offer.quote.sell_amount * U256::from(2)
}

#[tokio::test]
async fn calls_pay_at_the_block_of_their_quote_what_it_says_to_the_unit() {
    let (world, mut station) = market().await;
    let swaps = world.swaps(&station);
    let trader = world.trader();
    let snapshot = station.snapshots.load().unwrap();
    let venues = u8::try_from(snapshot.pools.registry().venues().len()).unwrap();
    let (dice, all) = (Dice(SeededEntropy::new(5)), tokens(&snapshot));
    let mut kept: Vec<(Offer, Built)> = Vec::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..WISHES {
        let wanted = wish(&dice, &all, venues);
        let offers = swaps.quote(wanted.clone(), Arc::clone(&snapshot)).await;
        for offer in offers.unwrap() {
            let quote = &offer.quote;
            match wanted.amount {
                Fixed::Sell(amount) => assert_eq!(quote.sell_amount, amount),
                Fixed::Buy(amount) => assert_eq!(quote.buy_amount, amount),
            }
            assert!(!wanted.direct || quote.hops.iter().all(|hop| hop.sell == quote.sell));
            let built = build(&swaps, &offer, trader.address).await.unwrap();
            assert_exact(&trader, &snapshot, &offer, &built).await;
            for hop in &quote.hops {
                *seen.entry(hop.venue.clone()).or_default() += 1;
            }
            *seen.entry(format!("{:?}", quote.exact)).or_default() += 1;
            kept.push((offer, built));
        }
    }
    assert!(kept.len() >= WISHES / 2, "{} quotes, {seen:?}", kept.len());
    assert!(seen.len() >= 9, "{seen:?}");
    let several = kept.iter().filter(|(offer, _)| offer.quote.hops.len() > 1);
    assert!(several.count() >= WISHES / 8);
    let moved = |(offer, _): &(Offer, Built)| offer.estimated_slippage > 0.0;
    assert!(kept.iter().any(moved), "prices move from block to block");
    try_later(&world, &mut station, &swaps, &kept).await;
}

/// On a market with look-alikes at absurd prices, too.
#[tokio::test]
async fn what_everybody_trades_has_a_quote_at_every_size() {
    let (world, station) = market().await;
    let swaps = world.swaps(&station);
    let snapshot = station.snapshots.load().unwrap();
    let symbols = ["ETH", "STRK", "USDC", "USDT", "WBTC", "DAI"];
    let hubs = symbols.map(|symbol| snapshot.tokens.by_symbol(symbol).unwrap().1);
    for (sell, buy) in hubs.iter().flat_map(|sell| hubs.map(|buy| (*sell, buy))) {
        if sell.address == buy.address {
            continue;
        }
        let figures = &snapshot.figures;
        let price = figures
            .price(figures.token(sell.address).unwrap())
            .unwrap()
            .usd;
        let unit = price / 10_f64.powi(sell.metadata.decimals.into());
        for usd in [1.0, 100.0, 3_000.0] {
            let amount: U256 = format!("{:.0}", usd / unit).parse().unwrap();
            let wanted = sale(sell.address, buy.address, amount);
            let offers = swaps.quote(wanted, Arc::clone(&snapshot)).await.unwrap();
            let names = (&sell.metadata.symbol, &buy.metadata.symbol);
            let [offer] = offers.as_slice() else {
                panic!("no quote for {usd} USD, {names:?}");
            };
            // It may well be worth more: prices of look-alikes leave gaps.
            let impact = offer.price_impact();
            assert!(impact > -500.0, "{impact} for {usd} USD, {names:?}");
        }
    }
}

async fn assert_exact(trader: &Trader, snapshot: &Snapshot, offer: &Offer, built: &Built) {
    let (at, tokens) = (snapshot.head, tokens_of(offer));
    let outcome = trader.try_out(at, tokens, funds(offer), &built.calls).await;
    let quote = &offer.quote;
    let outcome = outcome.unwrap_or_else(|reason| panic!("{reason}: {quote:#?}"));
    assert_eq!(
        (outcome.spent, outcome.received),
        (quote.sell_amount, quote.buy_amount),
        "{quote:#?}"
    );
}

/// Some blocks later a quote is worth the minimum, or fails in the right words;
/// and whether it will is known beforehand.
async fn try_later(world: &World, station: &mut Station, swaps: &Swaps, kept: &[(Offer, Built)]) {
    let trader = world.trader();
    world.node.mine(12).unwrap();
    station.sync().await;
    let at = station.snapshots.load().unwrap().head;
    let dice = Dice(SeededEntropy::new(6));
    let (mut done, mut failed) = (0, 0);
    for _ in 0..LATER {
        let (offer, built) = dice.one_of(kept);
        let quote = &offer.quote;
        let outcome = trader
            .try_out(at, tokens_of(offer), funds(offer), &built.calls)
            .await;
        let foreseen = build(swaps, offer, trader.address).await;
        match (outcome, foreseen) {
            (Ok(outcome), Ok(again)) => {
                assert_eq!(again, *built);
                let slippage: Slippage = "0.005".parse().unwrap();
                match quote.exact {
                    Exact::In => assert!(outcome.received >= slippage.least(quote.buy_amount)),
                    Exact::Out => {
                        assert_eq!(outcome.received, quote.buy_amount);
                        assert!(outcome.spent <= slippage.most(quote.sell_amount));
                    }
                }
                done += 1;
            }
            (Err(reason), Err(BuildError::WouldRevert(foreseen))) => {
                if foreseen.is_slippage() {
                    let words = [
                        "Insufficient tokens received",
                        "Insufficient token from amount",
                        "Too many iterations",
                    ];
                    assert!(words.iter().any(|it| reason.contains(it)), "{reason}");
                }
                failed += 1;
            }
            // What an Ekubo pool cannot take stays in its router: such calls do
            // not fail, but something is lost, and nobody gets them.
            (Ok(_), Err(BuildError::WouldRevert(WouldRevert::Refused { venue, refusal }))) => {
                assert_eq!(venue, "Ekubo");
                assert!(matches!(refusal, Refusal::TooMuch { .. }), "{refusal}");
                failed += 1;
            }
            (outcome, foreseen) => panic!("{outcome:?}, foreseen {foreseen:?}: {quote:#?}"),
        }
    }
    assert!(done > 0 && failed > 0, "{done} done, {failed} failed");
}
