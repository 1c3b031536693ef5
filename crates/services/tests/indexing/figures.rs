//! Market figures of simulated chains: one price everywhere, sums that are
//! sums, nothing left of blocks that are gone.

#![expect(
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and figures are compared bit by bit"
)]

use market::{
    TokenId,
    figures::{Candle, Figures},
    series::{Bucket, Resolution, Span},
};
use primitives::{Address, U256};
use proptest::prelude::*;
use services::IndexerOptions;
use std::{collections::BTreeMap, time::Duration};
use world::{Station, World};

/// Blocks far enough apart for every resolution to have several buckets.
async fn spread(seed: u64) -> World {
    World::with_spaced_history(seed, 120, Duration::from_mins(97)).await
}

fn figures(station: &Station) -> Figures {
    station.snapshots.load().unwrap().figures.clone()
}

fn tokens(station: &Station) -> Vec<(Address, TokenId)> {
    let snapshot = station.snapshots.load().unwrap();
    let tokens = snapshot.tokens.tokens().iter();
    tokens
        .map(|token| {
            (
                token.address,
                snapshot.figures.token(token.address).unwrap(),
            )
        })
        .collect()
}

/// All buckets from a token's first price until now.
fn life(figures: &Figures, token: TokenId, resolution: Resolution) -> Option<Span> {
    let first = resolution.bucket(figures.first_price(token)?);
    Some(first..resolution.bucket(figures.head_time()) + 1)
}

fn merged(candles: &[Candle]) -> (u64, u64, u64, u64, u128) {
    let high = candles.iter().map(|it| it.high).fold(f64::MIN, f64::max);
    let low = candles.iter().map(|it| it.low).fold(f64::MAX, f64::min);
    let volume = candles.iter().map(|it| it.volume).sum();
    (
        candles[0].open.to_bits(),
        high.to_bits(),
        low.to_bits(),
        candles[candles.len() - 1].close.to_bits(),
        volume,
    )
}

#[tokio::test]
async fn candles_are_dense_sane_and_made_of_finer_ones() {
    let world = spread(1).await;
    let mut station = world.station("store").await;
    station.sync().await;
    let figures = figures(&station);
    let mut seen = 0;
    for (_, token) in tokens(&station) {
        for (coarse, fine) in [
            (Resolution::Hour, Resolution::Minute),
            (Resolution::FourHours, Resolution::QuarterHour),
            (Resolution::Day, Resolution::Hour),
            (Resolution::Week, Resolution::Day),
            (Resolution::Month, Resolution::Day),
            (Resolution::Year, Resolution::Month),
        ] {
            let (Some(span), Some(within)) =
                (life(&figures, token, coarse), life(&figures, token, fine))
            else {
                continue;
            };
            let finer = figures.candles(token, None, fine, within.clone());
            assert_eq!(finer.span(), within);
            for (before, after) in finer.items().iter().zip(&finer.items()[1..]) {
                assert_eq!(before.close.to_bits(), after.open.to_bits());
            }
            let around = |at: &(Bucket, &Candle)| coarse.bucket(fine.opens(at.0));
            let finer: Vec<(Bucket, &Candle)> = finer.iter().collect();
            let inside = finer.chunk_by(|a, b| around(a) == around(b));
            let candles = figures.candles(token, None, coarse, span.clone());
            assert_eq!(candles.span(), span);
            assert_eq!(candles.items().len(), inside.clone().count());
            for (candle, inside) in candles.items().iter().zip(inside) {
                assert!(candle.low <= candle.open.min(candle.close));
                assert!(candle.high >= candle.open.max(candle.close));
                let inside: Vec<Candle> = inside.iter().map(|(_, candle)| **candle).collect();
                assert_eq!(merged(&inside), merged(&[*candle]));
                seen += 1;
            }
        }
    }
    assert!(seen > 1_000, "{seen}");
}

#[tokio::test]
async fn one_price_is_everywhere_and_volumes_agree() {
    let world = spread(2).await;
    let mut station = world.station("store").await;
    station.sync().await;
    let figures = figures(&station);
    let now = figures.head_time();
    let snapshot = station.snapshots.load().unwrap();
    let (mut priced, mut traded) = (0, 0);
    for (address, token) in tokens(&station) {
        let Some(summary) = figures.summary(token, now) else {
            continue;
        };
        priced += 1;
        let price = figures.price(token).unwrap();
        assert_eq!(price.usd.to_bits(), summary.usd.to_bits());
        for resolution in Resolution::ALL {
            let bucket = resolution.bucket(now);
            let last = figures.candles(token, None, resolution, bucket..bucket + 1);
            assert_eq!(last.items()[0].close.to_bits(), price.usd.to_bits());
        }
        let minutes = Resolution::Minute.bucket(now);
        let day = figures.candles(
            token,
            None,
            Resolution::Minute,
            minutes - 1_440..minutes + 1,
        );
        let volume: u128 = day.iter().map(|(_, candle)| candle.volume).sum();
        assert_eq!(summary.volume_24h, volume);
        assert!(summary.net_volume_24h <= summary.volume_24h);
        let (_, listed) = snapshot.tokens.by_address(address).unwrap();
        assert_eq!(listed.daily_volume_usd, volume as f64 / 1e8);
        let span = Resolution::Week.bucket(0)..Resolution::Week.bucket(now) + 1;
        let by_venue = figures.traded(token, Resolution::Week, &span);
        let usd: u128 = by_venue
            .iter()
            .flat_map(|(_, line)| line)
            .map(|(_, it)| it.usd)
            .sum();
        let life = life(&figures, token, Resolution::Week).unwrap();
        let candles = figures.candles(token, None, Resolution::Week, life);
        assert!(candles.items().iter().map(|it| it.volume).sum::<u128>() <= usd);
        traded += usize::from(usd > 0);
    }
    assert!(priced >= 4 && traded >= 4, "{priced} {traded}");
}

#[tokio::test]
async fn what_lies_in_pools_is_what_their_contracts_hold() {
    let world = spread(3).await;
    let mut station = world.station("store").await;
    station.sync().await;
    let snapshot = station.snapshots.load().unwrap();
    let figures = &snapshot.figures;
    let mut held: BTreeMap<(TokenId, u8), U256> = BTreeMap::new();
    for view in snapshot.pools.iter().filter(|view| !view.pool.is_flawed()) {
        for (token, units) in view.tokens().into_iter().zip(view.pool.holdings()) {
            if let Some(token) = figures.token(token) {
                let venue = view.pool.venue().index();
                *held.entry((token, venue)).or_default() += U256::from(units);
            }
        }
    }
    let mut compared = 0;
    for (_, token) in tokens(&station) {
        for (venue, locked) in figures.locked_at(token, figures.head_time()) {
            let held = held.remove(&(token, venue.index())).unwrap_or_default();
            assert_eq!(U256::from(locked.units), held);
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
    assert!(held.values().all(U256::is_zero), "{held:?}");
}

#[tokio::test]
async fn the_market_of_the_world_has_the_prices_that_its_traders_see() {
    let world = spread(4).await;
    let mut station = world.station("store").await;
    station.sync().await;
    let figures = figures(&station);
    let price = |symbol: &str| {
        let snapshot = station.snapshots.load().unwrap();
        let (_, token) = snapshot.tokens.by_symbol(symbol).unwrap();
        figures
            .price(figures.token(token.address).unwrap())
            .unwrap()
    };
    for stable in ["USDC", "USDT"] {
        let price = price(stable);
        assert!((price.usd - 1.0).abs() < 0.02, "{stable} {price:?}");
    }
    for (symbol, range) in [("ETH", 500.0..20_000.0), ("STRK", 0.01..10.0)] {
        let price = price(symbol);
        assert!(
            price.standing.is_trusted && range.contains(&price.usd),
            "{symbol} {price:?}"
        );
    }
}

/// An indexer that keeps pages so often that forks reach below them.
async fn keeper(world: &World, name: &str) -> Station {
    let options = IndexerOptions {
        batch: 5,
        keep_figures_every: 7,
        ..IndexerOptions::default()
    };
    world.station_on(world.store(name).await, options).await
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn blocks_that_are_gone_leave_nothing(
        seed in 0_u64..1_000,
        steps in proptest::collection::vec((1_u32..12, 1_u32..20, any::<bool>()), 1..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let world = World::with_spaced_history(seed, 30, Duration::from_secs(25)).await;
            let mut station = keeper(&world, "followed").await;
            for (mined, depth, restarts) in steps {
                station.sync().await;
                world.node.mine(mined).unwrap();
                station.sync().await;
                world.node.reorg(depth).unwrap();
                if restarts {
                    drop(station);
                    station = keeper(&world, "followed").await;
                }
            }
            station.sync().await;
            let mut fresh = keeper(&world, "fresh").await;
            fresh.sync().await;
            assert_eq!(figures(&station).everything(), figures(&fresh).everything());
            drop(station);
            let again = keeper(&world, "followed").await;
            assert_eq!(figures(&again).everything(), figures(&fresh).everything());
        });
    }
}
