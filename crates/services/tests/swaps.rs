//! Quotes against the simulated node: what is built is executed there, at the
//! block of the quote and some blocks later.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

use amm::{Refusal, book::VenueId};
use primitives::{Address, Entropy, Felt, SeededEntropy, U256};
use routing::VenueSet;
use services::{BuildError, BuildRequest, Built, Offer, Snapshot, Swaps, Taker};
use simnet::{History, StarknetConfig};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use trading::{Bps, Exact, Fixed, Integrator, Slippage, Wanted, WouldRevert};
use world::{Station, Trader, World};

/// Wishes for quotes of one run.
const WISHES: usize = 1_500;

/// Of the quotes, so many are tried again later.
const LATER: usize = 150;

struct Dice(SeededEntropy);

impl Dice {
    fn below(&self, end: usize) -> usize {
        let entropy: &dyn Entropy = &self.0;
        let number = u64::from_be_bytes(entropy.bytes());
        usize::try_from(number % u64::try_from(end).unwrap()).unwrap()
    }

    fn one_of<'a, T>(&self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// A number of any magnitude below that of the argument's digits.
    fn amount(&self, digits: usize) -> U256 {
        let power = U256::from(10).pow(U256::from(self.below(digits)));
        power * U256::from(1 + self.below(9_999)) / U256::from(1_000) + U256::ONE
    }
}

async fn market() -> (World, Station) {
    let folder = tempfile::tempdir().unwrap();
    let config = StarknetConfig {
        seed: 11,
        block_time: None,
        history: History::blocks(24, Duration::from_secs(2)),
        pools: 120,
        ..StarknetConfig::default()
    };
    let world = World::in_folder(&folder.keep(), config).await;
    let mut station = world.station("store").await;
    station.sync().await;
    (world, station)
}

/// The tokens of pools that routes pass; those with many pools come often.
fn tokens(snapshot: &Snapshot) -> Vec<Address> {
    let routed = snapshot.pools.iter().filter(|view| view.router().is_some());
    let tokens = routed.flat_map(|view| view.tokens());
    tokens
        .filter(|token| snapshot.tokens.by_address(*token).is_some())
        .collect()
}

fn wish(dice: &Dice, tokens: &[Address], venues: u8) -> Wanted {
    let sell = *dice.one_of(tokens);
    let buy = loop {
        let token = *dice.one_of(tokens);
        if token != sell {
            break token;
        }
    };
    let amount = if dice.below(2) == 0 {
        Fixed::Sell(dice.amount(24))
    } else {
        Fixed::Buy(dice.amount(22))
    };
    let fee = Bps::new(u32::try_from(dice.below(501)).unwrap()).unwrap();
    let recipient = Address::new(Felt::from(0xfee_u32));
    let integrator = Integrator::new(fee, recipient, "somebody".to_owned()).unwrap();
    let excluded = VenueId::at(u8::try_from(dice.below(venues.into())).unwrap()).unwrap();
    Wanted {
        sell,
        buy,
        amount,
        taker: None,
        integrator: (dice.below(4) == 0).then_some(integrator),
        direct: dice.below(8) == 0,
        avoid: if dice.below(6) == 0 {
            VenueSet::NONE.with(excluded)
        } else {
            VenueSet::NONE
        },
        size: 1 + dice.below(3),
        max_swaps: 12,
    }
}

async fn build(swaps: &Swaps, offer: &Offer, taker: Address) -> Result<Built, BuildError> {
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
    try_later(&world, &mut station, &swaps, &kept).await;
}

async fn assert_exact(trader: &Trader, snapshot: &Snapshot, offer: &Offer, built: &Built) {
    let (at, tokens) = (snapshot.head, tokens_of(offer));
    let traded = trader.try_out(at, tokens, funds(offer), &built.calls).await;
    let quote = &offer.quote;
    let traded = traded.unwrap_or_else(|reason| panic!("{reason}: {quote:#?}"));
    assert_eq!(
        (traded.spent, traded.received),
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
        let traded = trader
            .try_out(at, tokens_of(offer), funds(offer), &built.calls)
            .await;
        let foreseen = build(swaps, offer, trader.address).await;
        match (traded, foreseen) {
            (Ok(traded), Ok(again)) => {
                assert_eq!(again, *built);
                let slippage: Slippage = "0.005".parse().unwrap();
                match quote.exact {
                    Exact::In => assert!(traded.received >= slippage.least(quote.buy_amount)),
                    Exact::Out => {
                        assert_eq!(traded.received, quote.buy_amount);
                        assert!(traded.spent <= slippage.most(quote.sell_amount));
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
            (traded, foreseen) => panic!("{traded:?}, foreseen {foreseen:?}: {quote:#?}"),
        }
    }
    assert!(done > 0 && failed > 0, "{done} done, {failed} failed");
}
