//! Quotes shared through a real Redis.

use crate::{dice::Dice, execution::build, market::tokens};
use primitives::{Address, Clock, SeededEntropy, SignedDuration, U256};
use services::{
    BuildError, Offer, Policy, QuoteStore, RateLimiter, RedisState, SharedRedis, Swaps,
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use world::{OwnRedis, Station, World, cuttable_redis, redis_url, sale, swap_options};

async fn replica(world: &World, station: &Station, url: &str) -> Swaps {
    let redis = connect(world, url).await;
    world.swaps_with(station, swap_options(), QuoteStore::shared(redis))
}

async fn connect(world: &World, url: &str) -> SharedRedis {
    let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
    SharedRedis::connect(url, clock).await.unwrap()
}

async fn station(world: &World) -> Station {
    let mut station = world.station("store").await;
    station.sync().await;
    station
}

/// Some quote.
async fn offer(swaps: &Swaps, station: &Station) -> Offer {
    let snapshot = station.snapshots.load().unwrap();
    let (dice, all) = (Dice(SeededEntropy::new(1)), tokens(&snapshot));
    loop {
        let [sell, buy] = [*dice.one_of(&all), *dice.one_of(&all)];
        if sell == buy {
            continue;
        }
        let wanted = sale(sell, buy, U256::from(10).pow(U256::from(10)));
        let offers = swaps.quote(wanted, Arc::clone(&snapshot)).await.unwrap();
        if let Some(offer) = offers.into_iter().next() {
            return offer;
        }
    }
}

const TAKER: Address = Address::new(primitives::Felt::ONE);

#[tokio::test]
async fn a_quote_of_one_replica_is_built_by_another() {
    let world = World::new(21).await;
    let station = station(&world).await;
    let first = replica(&world, &station, &redis_url()).await;
    let second = replica(&world, &station, &redis_url()).await;
    let alone = world.swaps(&station);
    let offer = offer(&first, &station).await;
    let built = build(&first, &offer, TAKER).await.unwrap();
    assert_eq!(build(&second, &offer, TAKER).await, Ok(built));
    assert_eq!(build(&alone, &offer, TAKER).await, Err(BuildError::Expired));
    world.clock.advance(SignedDuration::from_secs(30));
    for swaps in [&first, &second] {
        assert_eq!(build(swaps, &offer, TAKER).await, Err(BuildError::Expired));
    }
}

#[tokio::test]
async fn when_redis_is_lost_each_replica_knows_its_own_quotes() {
    let world = World::new(22).await;
    let station = station(&world).await;
    let cut = CancellationToken::new();
    let url = cuttable_redis(cut.clone()).await;
    let first = replica(&world, &station, &url).await;
    let second = replica(&world, &station, &redis_url()).await;
    let before = offer(&first, &station).await;
    cut.cancel();
    let after = offer(&first, &station).await;
    assert!(build(&first, &before, TAKER).await.is_ok());
    assert!(build(&first, &after, TAKER).await.is_ok());
    assert!(build(&second, &before, TAKER).await.is_ok());
    assert_eq!(
        build(&second, &after, TAKER).await,
        Err(BuildError::Expired)
    );
}

#[tokio::test]
async fn a_redis_that_the_limiter_found_hanging_is_not_asked_for_quotes_either() {
    let world = World::new(23).await;
    let station = station(&world).await;
    let own = OwnRedis::start();
    let redis = connect(&world, &own.url()).await;
    let limiter = RateLimiter::shared(redis.clone(), Arc::clone(&world.clock) as Arc<dyn Clock>);
    let quotes = QuoteStore::shared(redis.clone());
    let first = world.swaps_with(&station, swap_options(), quotes);
    let second = replica(&world, &station, &own.url()).await;
    own.hang();
    let policy = Policy {
        limit: 10,
        window_s: 60,
    };
    while redis.state() == RedisState::Asked {
        limiter.take("anyone", policy).await;
    }
    own.go_on();
    // It would answer now, but is left alone.
    let alone = offer(&first, &station).await;
    assert!(build(&first, &alone, TAKER).await.is_ok());
    let elsewhere = build(&second, &alone, TAKER).await;
    assert_eq!(elsewhere, Err(BuildError::Expired));
    while redis.state() == RedisState::LeftAlone {
        world.clock.advance(SignedDuration::from_secs(2));
        limiter.take("anyone", policy).await;
    }
    let shared = offer(&first, &station).await;
    assert!(build(&second, &shared, TAKER).await.is_ok());
}
