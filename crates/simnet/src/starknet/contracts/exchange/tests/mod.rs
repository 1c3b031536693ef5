//! Rules of the exchange, on a chain with pools at every venue.

mod adapters;
mod branches;
mod buying;
mod executor;
mod fees;
mod selling;

use super::*;
use crate::starknet::contract::halves;
use crate::starknet::contracts::ekubo::{
    self, PoolKey, Rounding, initialize_call, mint_position_call,
};
use crate::starknet::contracts::erc20::transfer_call;
use crate::starknet::contracts::jediswap_v2;
use crate::starknet::contracts::pairs::{
    JEDISWAP, NOSTRA, PairId, Path, SITHSWAP, STARKDEFI, TEN_K_SWAP, VENUES, Venue, my_swap,
};
use crate::starknet::contracts::test_chain::{
    ALICE, BOB, DAI, ETH, TestChain, USDC, call, event, numbers,
};
use crate::starknet::contracts::vault::{STAKED_STRK, Vault, deposit_call};
use crate::starknet::network::DEPLOYER;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256};
use std::sync::Arc;

const WHOLE: u128 = 1_000_000_000_000;
const E18: u128 = 1_000_000_000_000_000_000;

/// Farther than any price.
const FAR: Felt = Felt::from_hex_unchecked("0x1000000000000000000000000000000000000000000000000");

/// 0.3 % as a share of 2^128.
const EKUBO_FEE: u128 = 1_020_847_100_762_815_390_390_123_822_295_304_634;

/// The pool of ETH and DAI at Ekubo.
fn ekubo_key() -> PoolKey {
    PoolKey {
        tokens: [ETH, DAI],
        fee: EKUBO_FEE,
        tick_spacing: 1_000,
        extension: Felt::ZERO,
    }
}

/// The pair of two tokens that a venue has in these tests.
fn pair(venue: &Venue, tokens: [Felt; 2]) -> PairId {
    let id = PairId::new(tokens[0], tokens[1]);
    if venue.rules.path == Path::Pairs {
        id.fee(3_000_000_000_000_000)
    } else {
        id
    }
}

/// A chain on which ALICE brought liquidity between ETH, USDC and DAI, at one
/// for one, to all venues. There are no fees yet. BOB trades.
fn test_chain() -> TestChain {
    let mut chain = TestChain::new(|contracts| {
        for venue in VENUES {
            venue.install(contracts);
        }
        my_swap::install(contracts);
        jediswap_v2::install(contracts);
        ekubo::install(contracts, Rounding::Exact);
        contracts.insert(
            STAKED_STRK,
            Arc::new(Vault::new(ETH, "Staked Ether", "sETH")),
        );
        install(contracts);
    });
    let tokens = [ETH, USDC, DAI];
    let much = U256::from(1_000 * E18);
    for venue in VENUES {
        chain.approve(ALICE, venue.rules.router, &tokens);
        for tokens in [[ETH, USDC], [USDC, DAI], [ETH, DAI]] {
            let id = pair(venue, tokens);
            chain.run(
                ALICE,
                &venue.rules.add_liquidity_call(&id, [much; 2], ALICE),
            );
        }
    }
    for venue in [&SITHSWAP, &STARKDEFI] {
        let id = pair(venue, [ETH, DAI]).stable(true);
        chain.run(
            ALICE,
            &venue.rules.add_liquidity_call(&id, [much; 2], ALICE),
        );
    }
    chain.approve(ALICE, my_swap::MY_SWAP, &tokens);
    let pool = my_swap::create_pool_call([ETH, DAI], [much; 2], 300);
    chain.run(ALICE, &pool);
    let key = ekubo_key();
    chain.run(ALICE, &initialize_call(&key, 0));
    for bounds in [[-1_000_000, 1_000_000], [-20_000, 20_000]] {
        for token in key.tokens {
            chain.run(ALICE, &transfer_call(token, ekubo::POSITIONS, much));
        }
        chain.run(ALICE, &mint_position_call(&key, bounds, 0));
    }
    chain.approve(ALICE, STAKED_STRK, &[ETH]);
    chain.run(
        ALICE,
        &deposit_call(STAKED_STRK, U256::from(1_000 * E18), ALICE),
    );
    chain.run(
        ALICE,
        &transfer_call(ETH, STAKED_STRK, U256::from(137 * E18)),
    );
    chain.approve(BOB, EXCHANGE, &tokens);
    chain
}

/// One leg as calldata.
fn leg(exchange: Felt, percent: u128, params: &[Felt]) -> Vec<Felt> {
    let mut felts = vec![exchange, Felt::from(percent), Felt::from(params.len())];
    felts.extend(params);
    felts
}

/// A direct route as calldata.
fn route([sold, bought]: [Felt; 2], leg: &[Felt]) -> Vec<Felt> {
    [&[sold, bought], leg].concat()
}

/// A share of ETH sold for DAI, or whatever tokens, at a venue without
/// parameters.
fn plain(venue: &Venue, tokens: [Felt; 2], percent: u128) -> Vec<Felt> {
    route(tokens, &leg(venue.rules.router, percent, &[]))
}

fn ekubo_leg(percent: u128, distance: Felt) -> Vec<Felt> {
    let key = ekubo_key();
    let params = [
        ETH,
        DAI,
        Felt::from(key.fee),
        Felt::from(key.tick_spacing),
        key.extension,
        distance,
    ];
    leg(ekubo::CORE, percent, &params)
}

/// A sale of `amount` ETH for at least `least` of what is bought, DAI mostly, by BOB.
#[derive(Clone)]
struct Sale {
    amount: U256,
    bought: Felt,
    least: U256,
    beneficiary: Felt,
    integrator: (u128, Felt),
    routes: Vec<Vec<Felt>>,
}

impl Sale {
    fn new(amount: u128, routes: &[Vec<Felt>]) -> Self {
        Self {
            amount: U256::from(amount),
            bought: DAI,
            least: U256::ZERO,
            beneficiary: BOB,
            integrator: (0, Felt::ZERO),
            routes: routes.to_vec(),
        }
    }

    fn call(&self) -> Call {
        let mut felts = vec![ETH];
        felts.extend(halves(self.amount));
        felts.push(self.bought);
        // What was quoted, which nobody reads, and the least.
        felts.extend([U256::ZERO, self.least].map(halves).concat());
        felts.extend(self.rest());
        call(EXCHANGE, "multi_route_swap", &felts)
    }

    /// A purchase of exactly `wanted` for at most `most` that begins with the
    /// amount.
    fn buying(&self, wanted: U256, most: U256) -> Call {
        let mut felts = vec![ETH];
        felts.extend([self.amount, most].map(halves).concat());
        felts.push(self.bought);
        felts.extend(halves(wanted));
        felts.extend(self.rest());
        call(EXCHANGE, "swap_exact_token_to", &felts)
    }

    fn rest(&self) -> Vec<Felt> {
        let (bps, recipient) = self.integrator;
        let mut felts = vec![self.beneficiary, Felt::from(bps), recipient];
        felts.push(Felt::from(self.routes.len()));
        felts.extend(self.routes.concat());
        felts
    }
}

/// Makes BOB's call, and answers with what he has less of ETH and more of DAI.
fn moved(chain: &mut TestChain, call: &Call) -> [U256; 2] {
    let before = [ETH, DAI].map(|token| chain.balance(token, BOB));
    chain.run(BOB, call);
    let [eth, dai] = [ETH, DAI].map(|token| chain.balance(token, BOB));
    [before[0] - eth, dai - before[1]]
}

/// What a sale brings BOB.
fn bought(chain: &mut TestChain, sale: &Sale) -> U256 {
    let [sold, bought] = moved(chain, &sale.call());
    assert_eq!(sold, sale.amount);
    bought
}

/// What a JediSwap-type pair pays for `x`, computed here.
fn constant_product(x: U256, [from, to]: [U256; 2]) -> U256 {
    let x = x * U256::from(997);
    x * to / (from * U256::from(1_000) + x)
}

fn e18(amount: u128) -> U256 {
    U256::from(amount * E18)
}
