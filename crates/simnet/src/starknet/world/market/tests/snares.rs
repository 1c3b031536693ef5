//! Tokens that take more than they give.

use super::super::pool::PoolTrade;
use super::super::rehearsal::Rehearsal;
use super::*;
use crate::starknet::contracts::manner::SALE_REFUSED;
use crate::starknet::world::tokens::snares;

fn taxed() -> Felt {
    snares::address(0)
}

fn trapped() -> Felt {
    snares::address(1)
}

/// The default world with the pools of snares just opened.
fn baited() -> Chain {
    let mut chain = opened(0);
    let exist = |chain: &Chain| {
        let look = Look::new(chain, chain.head().number);
        bait(look.scene(), taxed()).0.exists(look.scene().view)
    };
    while !exist(&chain) {
        assert!(chain.head().number < 1_000);
        chain.mine(NOW, 0);
    }
    chain
}

/// A pool of a snare, and whether the snare is its first token.
fn bait(scene: Scene<'_>, snare: Felt) -> (&Pool, bool) {
    let mut pools = scene.market.pools.iter();
    let pool = pools.find(|pool| pool.tokens.contains(&snare)).unwrap();
    (pool, pool.tokens[0] == snare)
}

/// What somebody gets who trades with a pool of a snare, or why not.
fn trade(scene: Scene<'_>, snare: Felt, sells: bool) -> Result<U256, String> {
    let (pool, is_first) = bait(scene, snare);
    let (sold, bought) = pool.way(is_first == sells);
    // Arbitrageurs have everything.
    let sender = scene.market.arbitrageurs[0];
    let order = PoolTrade {
        route: &[pool],
        sender,
        sold,
        amount: U256::from(1_000_000_000_000_000_u64),
    };
    let calls = order.calls(scene.view, U256::ZERO, U256::ZERO).unwrap();
    let mut rehearsal = Rehearsal::new(scene.view);
    let before = rehearsal.balance(bought, sender);
    rehearsal
        .make(sender, &calls)
        .map_err(|failure| failure.to_string())?;
    Ok(rehearsal.balance(bought, sender) - before)
}

#[test]
fn a_snare_can_be_bought_and_not_sold() {
    let chain = baited();
    let look = Look::new(&chain, chain.head().number);
    for snare in [taxed(), trapped()] {
        assert!(trade(look.scene(), snare, false).unwrap() > U256::ZERO);
    }
    let refused = trade(look.scene(), trapped(), true).unwrap_err();
    assert!(refused.contains(SALE_REFUSED), "{refused}");
    trade(look.scene(), taxed(), true).unwrap_err();
}

/// Whom a transfer goes to, and how much.
fn transfers(sent: &Transaction, token: Felt) -> Vec<(Felt, U256)> {
    let events = sent.receipt.events.iter();
    let transfers = events.filter(|event| event.from == token && event.keys.len() == 3);
    transfers
        .filter(|event| event.keys[0] == selector("Transfer"))
        .map(|event| (event.keys[2], from_felt(event.data[0])))
        .collect()
}

#[test]
fn people_fall_for_snares_and_the_chain_shows_it() {
    let mut chain = baited();
    let first = chain.head().number + 1;
    for number in 1..=200 {
        chain.mine(NOW + 2 * number, 30);
    }
    let founder = chain.world().market.founder();
    let blocks = chain.range(first, u64::MAX);
    let sent = || blocks.iter().flat_map(|block| &block.transactions);
    let mut taxes = 0;
    for sent in sent() {
        for pair in transfers(sent, taxed()).chunks(2) {
            let [(_, arriving), (collector, tax)] = pair else {
                panic!("a tax comes with every transfer: {pair:?}");
            };
            assert_eq!(*collector, founder);
            let all = *arriving + *tax;
            assert_eq!(*tax, all * U256::from(50) / U256::from(1_000));
            taxes += 1;
        }
    }
    assert!(taxes >= 5, "{taxes}");
    let words = sent().filter_map(|sent| sent.receipt.revert_reason.as_ref());
    let refused = words.filter(|words| words.contains(SALE_REFUSED)).count();
    assert!(refused >= 2, "{refused}");
    let moved = sent().filter(|sent| !transfers(sent, trapped()).is_empty());
    assert!(moved.count() >= 3, "it is bought and passed on");
}
