//! What the market promises, over whole histories.

use super::pool::Pool;
use super::*;
use crate::starknet::block::Block;
use crate::starknet::chain::Chain;
use crate::starknet::contracts::erc20::{TOTAL_SUPPLY, balance_key, balances_of};
use crate::starknet::contracts::{ekubo, exchange};
use crate::starknet::hash::from_felt;
use crate::starknet::state::Key;
use crate::starknet::transaction::Transaction;
use crate::starknet::world::anchor_list::{HUBS, STABLES};
use crate::starknet::world::durations::{HOUR, MINUTE};
use crate::starknet::world::{Genesis, World};
use primitives::{Felt, U256, selector};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

mod first_start;
mod gains;
mod snares;

const NOW: u64 = 1_800_000_000;

/// Seconds between blocks of a market that is watched.
const SECONDS: u64 = 10;

/// A chain of so many blocks, ten minutes apart.
fn chain(seed: u64, pools: usize, blocks: u64, transactions: u32) -> Chain {
    let genesis = Genesis {
        seed,
        pools,
        wild: false,
    };
    chain_of(genesis, blocks, transactions)
}

fn chain_of(genesis: Genesis, blocks: u64, transactions: u32) -> Chain {
    let mut chain = Chain::new(World::new(genesis), NOW, usize::MAX);
    for number in 1..blocks {
        chain.mine(NOW + number * 10 * MINUTE, transactions);
    }
    chain
}

/// The default world with its exchanges just opened.
fn opened(seed: u64) -> Chain {
    let genesis = Genesis {
        seed,
        pools: 320,
        wild: false,
    };
    let mut chain = Chain::new(World::new(genesis), NOW, usize::MAX);
    for _ in 0..chain.world().opening_blocks() {
        chain.mine(NOW, 0);
    }
    chain
}

fn blocks(chain: &Chain) -> Vec<Arc<Block>> {
    chain.range(0, u64::MAX)
}

/// How often each event was emitted by something that is no token.
fn events(chain: &Chain) -> BTreeMap<&'static str, usize> {
    let names = [
        "PairCreated",
        "PoolCreated",
        "PoolInitialized",
        "Mint",
        "PairMint",
        "Burn",
        "PairBurn",
        "Swap",
        "Sync",
        "Swapped",
        "PositionUpdated",
    ];
    let selectors: HashMap<Felt, &str> = names.map(|name| (selector(name), name)).into();
    let mut counts = BTreeMap::from(names.map(|name| (name, 0)));
    for block in blocks(chain) {
        let transactions = block.transactions.iter();
        for event in transactions.flat_map(|transaction| &transaction.receipt.events) {
            let name = event.keys.first().and_then(|key| selectors.get(key));
            if let Some(count) = name.and_then(|name| counts.get_mut(name)) {
                *count += 1;
            }
        }
    }
    counts
}

#[test]
fn every_pool_has_an_anchor_on_a_side() {
    let market = AmmMarket::new(Genesis {
        seed: 1,
        pools: 1_000,
        wild: false,
    });
    let is_anchor = |token: &Felt| STABLES.contains(token) || HUBS.contains(token);
    assert!(
        market
            .pools
            .iter()
            .all(|pool| pool.tokens.iter().any(is_anchor))
    );
    for anchor in STABLES.iter().chain(&HUBS) {
        let with = market
            .pools
            .iter()
            .filter(|pool| pool.tokens.contains(anchor));
        assert!(with.count() >= 40, "{anchor:#x}");
    }
}

/// Reasons of reverts, without the contracts in which they happened.
fn reverts(chain: &Chain) -> BTreeMap<String, usize> {
    let mut reasons = BTreeMap::new();
    for block in blocks(chain) {
        let transactions = block.transactions.iter();
        for reason in transactions.filter_map(|sent| sent.receipt.revert_reason.as_ref()) {
            let reason = reason.rsplit("0x").next().unwrap_or_default();
            let reason = reason.split_once(": ").map_or(reason, |(_, words)| words);
            *reasons.entry(reason.to_owned()).or_default() += 1;
        }
    }
    reasons
}

/// What the market looks like after a block.
struct Look<'c> {
    chain: &'c Chain,
    at: u64,
    time: u64,
    prices: Vec<f64>,
}

impl<'c> Look<'c> {
    fn new(chain: &'c Chain, at: u64) -> Self {
        let world = chain.world();
        let time = chain.by_number(at).unwrap().timestamp;
        let prices = world.market.unit_prices(world.seed, time);
        Self {
            chain,
            at,
            time,
            prices,
        }
    }

    fn scene(&self) -> Scene<'_> {
        Scene {
            market: &self.chain.world().market,
            seed: self.chain.world().seed,
            tokens: &self.chain.world().tokens,
            view: self.chain.view(self.at),
            time: self.time,
            prices: &self.prices,
        }
    }
}

#[test]
fn a_default_market_has_every_kind_of_pool() {
    let chain = chain(0, 320, 8, 0);
    let look = Look::new(&chain, chain.head().number);
    let scene = look.scene();
    let market = scene.market;
    let first = &market.pools[..market.first];
    let missing: Vec<&Pool> = first
        .iter()
        .filter(|pool| !pool.exists(scene.view))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let filled = first.iter().filter(|pool| scene.spot(pool).is_some());
    let filled = filled.count();
    assert!((300..320).contains(&filled), "{filled} pools are not empty");
    assert_eq!(reverts(&chain), BTreeMap::new());
    let counts = events(&chain);
    let created = counts["PairCreated"] + counts["PoolCreated"] + counts["PoolInitialized"];
    assert_eq!(created, 320);
    let lookalikes = first
        .iter()
        .filter(|pool| pool.assets.iter().any(|asset| *asset >= 66));
    assert!(lookalikes.count() > 0);
}

#[test]
fn few_pools_are_those_of_the_hubs_on_every_venue() {
    let chain = chain(5, 24, 3, 0);
    let counts = events(&chain);
    assert!(counts["PairCreated"] >= 15);
    assert!(counts["PoolCreated"] >= 1);
    assert!(counts["PoolInitialized"] >= 3);
}

#[test]
fn without_pools_there_are_no_exchanges() {
    let chain = chain(5, 0, 40, 4);
    assert!(events(&chain).values().all(|count| *count == 0));
    let view = chain.view(chain.head().number);
    assert_eq!(view.class_hash(ekubo::CORE), Felt::ZERO);
}

#[test]
fn everything_happens_in_a_history_and_only_what_is_meant_to_fails() {
    let chain = chain(1, 60, 500, 8);
    for (name, count) in events(&chain) {
        assert!(count >= 3, "{name}: {count}");
    }
    let all = blocks(&chain);
    let told = all
        .iter()
        .flat_map(|block| &block.transactions)
        .flat_map(|sent| &sent.receipt.events)
        .filter(|event| event.from == exchange::EXCHANGE);
    assert!(told.count() >= 10, "trades change venues");
    let sent: usize = all.iter().map(|block| block.transactions.len()).sum();
    let reverts = reverts(&chain);
    let failed: usize = reverts.values().sum();
    assert!(failed * 100 > sent && failed * 20 < sent, "{reverts:?}");
    let meant = |reason: &String| {
        let reason = reason.to_lowercase();
        [
            "output amount",
            "ioa",
            "too little received",
            "clear_at_least_minimum",
            "insufficient balance",
            "insufficient tokens received",
        ]
        .iter()
        .any(|words| reason.contains(words))
    };
    assert!(reverts.keys().all(meant), "{reverts:?}");
}

/// Of all looks at the first `pools`, the per cent within the fee and half a per
/// cent of the market.
fn percent_near(chain: &Chain, pools: usize) -> u32 {
    let (mut near, mut all) = (0, 0);
    for at in (40..chain.head().number).step_by(20) {
        let look = Look::new(chain, at);
        let scene = look.scene();
        for pool in &scene.market.pools[..pools] {
            if let (Some(spot), Some(outside)) = (scene.spot(pool), scene.outside_price(pool)) {
                all += 1;
                near += u32::from((spot.price() / outside).ln().abs() < pool.fee + 0.005);
            }
        }
    }
    near * 100 / all
}

#[test]
fn prices_of_the_venues_stay_within_their_fees() {
    let mut chain = opened(2);
    for number in 1..400 {
        chain.mine(NOW + number * SECONDS, 5);
    }
    let near = percent_near(&chain, 60);
    assert!(near >= 95, "{near} % of the hubs' prices");
}

#[test]
fn the_attacker_trades_around_others_and_gains() {
    let genesis = Genesis {
        seed: 6,
        pools: 40,
        wild: true,
    };
    let chain = chain_of(genesis, 300, 10);
    let attacker = chain.world().market.attacker;
    let by_attacker = |sent: &Arc<Transaction>| sent.request.sender == attacker;
    let mut attacks = 0;
    for block in blocks(&chain) {
        let mut rest = &block.transactions[..];
        while let [front, victim, back, ..] = rest {
            if !by_attacker(front) {
                rest = &rest[1..];
                continue;
            }
            rest = &rest[3..];
            attacks += 1;
            assert!(!by_attacker(victim) && by_attacker(back));
            for sent in [front, victim, back] {
                assert_eq!(sent.receipt.revert_reason, None);
            }
            // What is sold first comes back, and more.
            let (sold, first) = payment(front, attacker, true);
            let (returned, last) = payment(back, attacker, false);
            assert_eq!(sold, returned);
            assert!(last > first);
        }
    }
    assert!(attacks >= 3, "{attacks}");
}

/// The token and the amount that somebody pays in a trade, or is paid.
fn payment(sent: &Transaction, person: Felt, pays: bool) -> (Felt, U256) {
    let transfer = selector("Transfer");
    let found = sent.receipt.events.iter().find_map(|event| {
        let all = [&event.keys[1..], &event.data[..]].concat();
        let [from, to, low, ..] = all[..] else {
            return None;
        };
        let party = if pays { from } else { to };
        (event.keys[0] == transfer && party == person).then(|| (event.from, from_felt(low)))
    });
    found.unwrap()
}

#[test]
fn nothing_is_lost_or_made_by_trading() {
    let chain = chain(3, 40, 200, 10);
    let at = chain.head().number;
    let mut sums: HashMap<Felt, U256> = HashMap::new();
    for (key, value) in chain
        .values_before(at)
        .into_iter()
        .chain(chain.writes_of(chain.head()))
    {
        if balances_of(&key) {
            *sums.entry(key.contract).or_default() += value;
        }
    }
    assert!(sums.len() > 90, "{}", sums.len());
    let view = chain.view(at);
    for (token, sum) in sums {
        assert_eq!(view.read(&Key::new(token, TOTAL_SUPPLY, &[])), sum);
        // Nobody leaves anything to the next one who comes by.
        for passed in [ekubo::ROUTER, exchange::EXCHANGE] {
            assert_eq!(view.read(&balance_key(token, passed)), U256::ZERO);
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_trades() {
    let digest = |text: &str| crate::starknet::hash::digest(text, &[]);
    let of = |seed| {
        let chain = chain(seed, 24, 30, 6);
        let blocks = blocks(&chain);
        let transactions = blocks.iter().map(|block| (block.hash, &block.transactions));
        digest(&format!("{:?}", transactions.collect::<Vec<_>>()))
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn a_market_goes_on_after_a_reorg_of_its_beginning() {
    let mut chain = chain(4, 100, 12, 6);
    let created = |chain: &Chain| {
        let counts = events(chain);
        counts["PairCreated"] + counts["PoolCreated"] + counts["PoolInitialized"]
    };
    assert!(created(&chain) >= 100, "{}", created(&chain));
    chain.reorg(11, NOW + 12 * 10 * MINUTE, 6).unwrap();
    assert!(created(&chain) >= 100, "{}", created(&chain));
    let before = events(&chain)["Swap"];
    for number in 13..40 {
        chain.mine(NOW + number * 10 * MINUTE, 6);
    }
    assert!(events(&chain)["Swap"] > before);
}
