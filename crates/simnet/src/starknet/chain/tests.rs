//! Rules of the chain as a whole.

use super::*;
use crate::starknet::config::History;
use crate::starknet::contracts::erc20::{TOTAL_SUPPLY, balances_of};
use crate::starknet::hash::from_felt;
use crate::starknet::world::Genesis;
use primitives::{U256, selector};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

const NOW: u64 = 1_800_000_000;

fn chain(seed: u64, blocks: usize, transactions: u32, kept: usize) -> Chain {
    let times = History::blocks(blocks, Duration::from_secs(30)).timestamps(NOW);
    let mut chain = Chain::new(
        World::new(Genesis {
            seed,
            pools: 24,
            wild: false,
        }),
        times[0],
        kept,
    );
    for time in &times[1..] {
        chain.mine(*time, transactions);
    }
    chain
}

fn hashes(chain: &Chain) -> Vec<Felt> {
    chain.blocks.iter().map(|block| block.hash).collect()
}

/// Checks what holds between each block and its parent.
fn assert_linked(chain: &Chain) {
    for (parent, block) in chain.blocks.iter().zip(chain.blocks.iter().skip(1)) {
        assert_eq!(block.parent_hash, parent.hash);
        assert_eq!(block.number, parent.number + 1);
        assert!(block.timestamp >= parent.timestamp);
    }
    let mut transactions = HashSet::new();
    for block in &chain.blocks {
        assert_eq!(chain.by_hash(block.hash).unwrap().number, block.number);
        for transaction in &block.transactions {
            assert!(transactions.insert(transaction.hash()));
        }
    }
    assert_eq!(chain.numbers.len(), chain.blocks.len());
}

/// Balances by token and owner, from nothing but the events of `blocks`.
fn replay<'b>(blocks: impl Iterator<Item = &'b Arc<Block>>) -> HashMap<(Felt, Felt), U256> {
    let transfer = selector("Transfer");
    let mut balances = HashMap::new();
    let events = blocks
        .flat_map(|block| &block.transactions)
        .flat_map(|transaction| &transaction.receipt.events)
        .filter(|event| event.keys[0] == transfer);
    for event in events {
        let all = [&event.keys[1..], &event.data[..]].concat();
        let [from, to, low, high] = all[..] else {
            panic!("a transfer has two parties and an amount: {event:?}");
        };
        let amount = from_felt(low) | (from_felt(high) << 128_usize);
        if from != Felt::ZERO {
            *balances.get_mut(&(event.from, from)).unwrap() -= amount;
        }
        *balances.entry((event.from, to)).or_insert(U256::ZERO) += amount;
    }
    balances
}

/// Every balance of the state is that of the events, and all balances of a token
/// are its supply.
fn assert_balances(chain: &Chain, at: u64) {
    let mut replayed = replay(chain.blocks.iter().filter(|block| block.number <= at));
    let mut supplies: HashMap<Felt, U256> = HashMap::new();
    for key in chain.state.keys().iter().filter(|key| balances_of(key)) {
        let (token, owner) = (key.contract, key.args().next().unwrap());
        let balance = chain.state.read(key, at);
        let expected = replayed.remove(&(token, owner));
        assert_eq!(balance, expected.unwrap_or_default());
        *supplies.entry(token).or_default() += balance;
    }
    // What is left was destroyed.
    assert!(replayed.keys().all(|(_, owner)| *owner == Felt::ZERO));
    for (token, sum) in supplies {
        let supply = chain.state.read(&Key::new(token, TOTAL_SUPPLY, &[]), at);
        assert_eq!(sum, supply);
    }
}

#[test]
fn blocks_are_linked_and_transactions_unique() {
    assert_linked(&chain(1, 60, 4, usize::MAX));
}

#[test]
fn the_same_seed_and_times_make_the_same_chain() {
    let one = chain(1, 20, 4, usize::MAX);
    assert_eq!(hashes(&one), hashes(&chain(1, 20, 4, usize::MAX)));
    let other = chain(2, 20, 4, usize::MAX);
    assert!(
        hashes(&one)
            .iter()
            .all(|hash| !hashes(&other).contains(hash))
    );
}

#[test]
fn a_hash_commits_to_the_time_of_its_block() {
    let mut late = chain(1, 1, 0, usize::MAX);
    let mut later = chain(1, 1, 0, usize::MAX);
    late.mine(NOW + 1, 0);
    later.mine(NOW + 2, 0);
    assert_ne!(late.head().hash, later.head().hash);
}

#[test]
fn balances_at_every_height_are_those_of_the_events() {
    let chain = chain(3, 30, 8, usize::MAX);
    for at in [0, 1, 14, 29] {
        assert_balances(&chain, at);
    }
}

#[test]
fn a_reorg_replaces_blocks_state_and_hashes() {
    let mut chain = chain(4, 20, 6, usize::MAX);
    let before = hashes(&chain);
    let times: Vec<u64> = chain.blocks.iter().map(|block| block.timestamp).collect();
    chain.reorg(5, NOW + 7, 6).unwrap();
    let after = hashes(&chain);
    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(after[..15], before[..15]);
    assert!(
        before[15..]
            .iter()
            .all(|hash| chain.by_hash(*hash).is_none())
    );
    assert!(
        chain
            .blocks
            .iter()
            .zip(times)
            .all(|(block, time)| block.timestamp == time)
    );
    assert_eq!(chain.head().timestamp, NOW + 7);
    assert_linked(&chain);
    assert_balances(&chain, chain.head().number);
}

#[test]
fn a_second_reorg_of_the_same_blocks_differs_from_the_first() {
    // Blocks without anything in them too.
    for transactions in [6, 0] {
        let mut chain = chain(4, 10, transactions, usize::MAX);
        let mut seen: HashSet<Felt> = hashes(&chain).into_iter().collect();
        for _ in 0..3 {
            let kept = chain.blocks.len() - 2;
            chain.reorg(2, NOW, transactions).unwrap();
            assert!(hashes(&chain)[kept..].iter().all(|hash| seen.insert(*hash)));
        }
    }
}

#[test]
fn a_reorg_reaches_down_to_the_oldest_block_and_no_further() {
    let mut chain = chain(4, 5, 2, usize::MAX);
    for depth in [0, 5, u32::MAX] {
        let error = ReorgError::Depth { depth, possible: 4 };
        assert_eq!(chain.reorg(depth, NOW, 2), Err(error));
    }
    chain.reorg(4, NOW, 2).unwrap();
    assert_eq!(chain.blocks.len(), 6);
    assert_linked(&chain);
}

#[test]
fn old_blocks_are_dropped_and_the_kept_ones_read_as_before() {
    let whole = chain(5, 40, 6, usize::MAX);
    let pruned = chain(5, 40, 6, 10);
    assert_eq!(hashes(&pruned), hashes(&whole)[30..]);
    assert_eq!(pruned.first_number(), 30);
    assert!(pruned.by_number(29).is_none());
    assert_linked(&pruned);
    for at in [30, 35, 39] {
        for key in whole.state.keys() {
            assert_eq!(pruned.state.read(key, at), whole.state.read(key, at));
        }
    }
}

#[test]
fn actors_pay_their_fees_and_some_of_them_fail() {
    let chain = chain(6, 200, 8, usize::MAX);
    let receipts = || {
        chain.blocks.iter().skip(1).flat_map(|block| {
            block
                .transactions
                .iter()
                .map(move |included| (block, included))
        })
    };
    for (block, included) in receipts() {
        let receipt = &included.receipt;
        let tip = included.request.signed.terms.tip;
        assert!(tip > 0);
        assert_eq!(receipt.fee, receipt.resources.fee(block.prices, tip));
        let fee = receipt.events.last().unwrap();
        assert_eq!(fee.from, crate::starknet::network::STRK);
        assert_eq!(fee.data[0], Felt::from(receipt.fee));
        if receipt.revert_reason.is_some() {
            assert_eq!(receipt.events.len(), 1);
        }
    }
    let reverted = receipts().filter(|(_, included)| included.receipt.revert_reason.is_some());
    assert!(reverted.count() > 0);
}

#[test]
fn what_arbitrageurs_know_is_no_more_than_the_state_says() {
    let [mut one, mut other] = [(); 2].map(|()| chain(9, 20, 8, usize::MAX));
    for number in 1..=20 {
        other.watch = Watch::default();
        one.mine(NOW + 30 * number, 8);
        other.mine(NOW + 30 * number, 8);
    }
    assert_eq!(hashes(&one), hashes(&other));
}

#[test]
fn a_block_of_five_hundred_transactions_is_made() {
    let mut chain = chain(7, 1, 0, usize::MAX);
    while chain.head().transactions.len() < 500 {
        chain.mine(NOW, 500);
    }
    assert_balances(&chain, chain.head().number);
}
