//! Shares of pools and the token list.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use amm::book::{Change, Created, Kind, Shape, Spot};
use market::{BlockEffects, Listings};
use primitives::{Address, BlockRef, Felt, Timestamp};
use services::Snapshots;
use std::{collections::BTreeSet, sync::Arc};
use world::{Station, World};

fn listed(snapshots: &Snapshots) -> BTreeSet<Address> {
    let snapshot = snapshots.load().unwrap();
    let tokens = snapshot.tokens.tokens().iter();
    tokens.map(|token| token.address).collect()
}

/// The contracts of pairs, which are the tokens of their shares.
fn pairs(snapshots: &Snapshots) -> BTreeSet<Address> {
    let snapshot = snapshots.load().unwrap();
    let pairs = snapshot.pools.iter();
    let pairs = pairs.filter(|view| view.venue.kind.is_of_pairs());
    pairs.map(|view| view.contract()).collect()
}

async fn read(station: &Station) -> BTreeSet<Address> {
    let readings = station.contents().await.1.into_iter();
    readings.map(|(token, _, _)| token).collect()
}

#[tokio::test]
async fn shares_of_followed_pools_are_neither_read_nor_listed() {
    let world = World::with_history(1, 60).await;
    let mut station = world.station("store").await;
    station.sync().await;
    world.node.mine(3).unwrap();
    world.node.reorg(2).unwrap();
    station.sync().await;
    let pairs = pairs(&station.snapshots);
    assert!(pairs.len() >= 10);
    assert!(pairs.is_disjoint(&read(&station).await));
    let tokens = listed(&station.snapshots);
    assert!(pairs.is_disjoint(&tokens) && tokens.len() >= 10);
    let again = world.station("store").await;
    assert_eq!(listed(&again.snapshots), tokens);
}

#[tokio::test]
async fn a_share_that_somebody_lists_is_a_token_of_the_list() {
    let mut world = World::with_history(1, 60).await;
    let mut station = world.station("unlisted").await;
    station.sync().await;
    let pairs = pairs(&station.snapshots);
    let share = *pairs.first().unwrap();
    let list = format!(r#"{{"tokens": [{{"chainId": "SN_STOA", "address": "{share}"}}]}}"#);
    let chain_id = world.client.chain_id().await.unwrap();
    world.known.listings = Arc::new(Listings::parse(&list, chain_id).unwrap());
    let mut station = world.station("listed").await;
    station.sync().await;
    let shares: Vec<Address> = pairs
        .intersection(&listed(&station.snapshots))
        .copied()
        .collect();
    assert_eq!(shares, [share]);
}

/// A block on top of another one, an hour after the calendar begins.
fn block(parent: BlockRef) -> BlockEffects {
    let number = parent.number + 1;
    let block = BlockRef {
        number,
        hash: Felt::from(number),
    };
    BlockEffects::quiet(block, parent.hash, Timestamp::from_second(3_600).unwrap())
}

#[tokio::test]
async fn a_token_that_turns_out_to_be_a_share_leaves_the_list_until_that_is_taken_back() {
    let world = World::new(1).await;
    let store = world.store("store").await;
    let (mut follower, snapshots, _) = world.replica(&store, Vec::new());
    let share = Address::new(Felt::from(0x5_4a4e));
    let venues = world.known.venues.venues();
    let venue = venues.iter().find(|venue| venue.kind == Kind::JediSwap);
    let zeroth = BlockRef {
        number: 0,
        hash: Felt::ZERO,
    };
    let mut seen = block(zeroth);
    seen.readings = vec![(share, market::admit("Pair", "PAIR", Felt::from(18)))];
    let mut created = block(seen.block);
    let tokens = [1_u64, 2].map(|token| Address::new(Felt::from(token)));
    created.pools = vec![Change::Created {
        venue: venue.unwrap().contract,
        pool: Created {
            tokens,
            spot: Spot::Contract(share),
            shape: Shape::Usual,
            price: None,
        },
    }];
    let (chain, first) = (store.chain(), seen.block);
    chain.append(None, &[seen]).await.unwrap();
    follower.look().await.unwrap();
    assert_eq!(listed(&snapshots), BTreeSet::from([share]));
    let second = created.block;
    chain.append(Some(first), &[created]).await.unwrap();
    follower.look().await.unwrap();
    assert_eq!(listed(&snapshots), BTreeSet::new());
    chain.rollback(second, Some(first), None).await.unwrap();
    follower.look().await.unwrap();
    assert_eq!(listed(&snapshots), BTreeSet::from([share]));
}
