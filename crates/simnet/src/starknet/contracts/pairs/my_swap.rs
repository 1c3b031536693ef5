//! mySwap, the first version: one contract with all pools, each by its number.
//!
//! Its source is not public. Names of entrypoints are those that clients use;
//! rounding, events and shares are this contract's own.

use super::curve::{self, Sale, Shape};
use super::rules::{FeeRule, Rounding};
use crate::starknet::class::{
    ADDRESS, Class, EventSignature, FELT, Interface, Structure, Typed, U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, halves};
use crate::starknet::contracts::arithmetic::{add, div, ensure, mul, sub};
use crate::starknet::contracts::erc20::{collect, pay};
use crate::starknet::execution::Contracts;
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::{digest, felt, from_felt};
use crate::starknet::state::{Key, Variable};
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector, short_string};
use std::sync::{Arc, LazyLock};

/// Where it is.
pub(crate) const MY_SWAP: Felt =
    Felt::from_hex_unchecked("0x010884171baf1914edc28d7afb619b40a4051cfae78a094a55d230f19e944a28");

const COUNT: Variable = Variable::felt("number_of_pools");
const POOL_OF: Variable = Variable::felt("pool_of_tokens");
const NAME: Variable = Variable::felt("pool_name");
const TOKENS: [Variable; 2] = [Variable::felt("token_a"), Variable::felt("token_b")];
const RESERVES: [Variable; 2] = [
    Variable::u256("token_a_reserves"),
    Variable::u256("token_b_reserves"),
];
const FEE: Variable = Variable::felt("fee_percentage");
const SUPPLY: Variable = Variable::u256("total_shares");
const SHARES: Variable = Variable::u256("shares");

/// A hundred-thousandth of what is sold, rounded down, stays in the pool.
const FEE_RULE: FeeRule = FeeRule {
    scale: 100_000,
    rounding: Rounding::Down,
    leaves: false,
};

type Entrypoint = Function<MySwap>;

const POOL: &str = "stoa::myswap::Pool";
const STRUCTURES: &[Structure] = &[(
    POOL,
    &[
        ("name", FELT),
        ("token_a_address", ADDRESS),
        ("token_a_reserves", U256_TYPE),
        ("token_b_address", ADDRESS),
        ("token_b_reserves", U256_TYPE),
        ("fee_percentage", FELT),
        ("cfmm_type", FELT),
        ("liq_token", ADDRESS),
    ],
)];
const TWO_AMOUNTS: &str = "(core::integer::u256, core::integer::u256)";

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::view("get_total_number_of_pools", &[], &[FELT], MySwap::count),
    Entrypoint::view("get_pool", &[("pool_id", FELT)], &[POOL], MySwap::get_pool),
    Entrypoint::view("get_lp_balance", &[("pool_id", FELT), ("lp_address", ADDRESS)], &[U256_TYPE], MySwap::get_shares),
    Entrypoint::view("get_total_shares", &[("pool_id", FELT)], &[U256_TYPE], MySwap::get_supply),
    Entrypoint::external("create_new_pool", &[("pool_name", FELT), ("a_address", ADDRESS), ("a_initial_liquidity", U256_TYPE), ("b_address", ADDRESS), ("b_initial_liquidity", U256_TYPE), ("fee_percentage", FELT)], &[FELT], MySwap::create_new_pool),
    Entrypoint::external("add_liquidity", &[("a_address", ADDRESS), ("a_amount", U256_TYPE), ("a_min_amount", U256_TYPE), ("b_address", ADDRESS), ("b_amount", U256_TYPE), ("b_min_amount", U256_TYPE)], &[TWO_AMOUNTS], MySwap::add_liquidity),
    Entrypoint::external("withdraw_liquidity", &[("pool_id", FELT), ("shares_amount", U256_TYPE), ("amount_min_a", U256_TYPE), ("amount_min_b", U256_TYPE)], &[TWO_AMOUNTS], MySwap::withdraw_liquidity),
    Entrypoint::external("swap", &[("pool_id", FELT), ("token_from_addr", ADDRESS), ("amount_from", U256_TYPE), ("amount_to_min", U256_TYPE)], &[U256_TYPE], MySwap::swap),
];

const CREATED: &[Typed] = &[
    ("pool_id", FELT),
    ("token_a", ADDRESS),
    ("token_b", ADDRESS),
    ("fee_percentage", FELT),
];
const SYNCED: &[Typed] = &[
    ("pool_id", FELT),
    ("token_a_reserves", U256_TYPE),
    ("token_b_reserves", U256_TYPE),
];
const SWAPPED: &[Typed] = &[
    ("pool_id", FELT),
    ("sender", ADDRESS),
    ("token_from", ADDRESS),
    ("amount_from", U256_TYPE),
    ("amount_to", U256_TYPE),
];
const LIQUIDITY: &[Typed] = &[
    ("pool_id", FELT),
    ("sender", ADDRESS),
    ("amount_a", U256_TYPE),
    ("amount_b", U256_TYPE),
];

#[rustfmt::skip]
const EVENTS: &[EventSignature] = &[
    EventSignature { name: "PoolCreated", keys: &[], data: CREATED },
    EventSignature { name: "Sync", keys: &[], data: SYNCED },
    EventSignature { name: "Swap", keys: &[], data: SWAPPED },
    EventSignature { name: "Mint", keys: &[], data: LIQUIDITY },
    EventSignature { name: "Burn", keys: &[], data: LIQUIDITY },
];

static KIND: LazyLock<Kind<MySwap>> = LazyLock::new(|| {
    let interface = Interface {
        structures: STRUCTURES,
        events: EVENTS,
        ..Interface::default()
    };
    Kind::new("mySwap", FUNCTIONS, interface)
});

/// The contract.
#[derive(Debug)]
struct MySwap;

impl Contract for MySwap {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }
}

/// The class of the contract.
pub(crate) fn class_hash() -> Felt {
    KIND.class.hash
}

/// Puts the contract where it belongs.
pub(crate) fn install(contracts: &mut Contracts) {
    contracts.insert(MY_SWAP, Arc::new(MySwap));
}

/// Where the reserves of a pool are.
pub(crate) fn reserve_keys(pool: u64) -> [Key; 2] {
    RESERVES.map(|reserve| Key::new(MY_SWAP, reserve, &[Felt::from(pool)]))
}

/// Where the number of the pool of two tokens is.
pub(crate) fn pool_key_of([a, b]: [Felt; 2]) -> Key {
    Key::new(MY_SWAP, POOL_OF, &[tokens_key(a, b)])
}

/// Where the shares of an owner are.
pub(crate) fn shares_key(pool: u64, owner: Felt) -> Key {
    Key::new(MY_SWAP, SHARES, &[Felt::from(pool), owner])
}

/// Creates the pool of two tokens with their first amounts, of which the
/// contract may spend as much. Pools are numbered from 1.
pub(crate) fn create_pool_call(tokens: [Felt; 2], amounts: [U256; 2], fee: u64) -> Call {
    let mut calldata = vec![short_string("pool")];
    for (token, amount) in tokens.into_iter().zip(amounts) {
        calldata.push(token);
        calldata.extend(halves(amount));
    }
    calldata.push(Felt::from(fee));
    call("create_new_pool", calldata)
}

/// Brings at most these amounts to the pool of two tokens.
pub(crate) fn add_liquidity_call(tokens: [Felt; 2], amounts: [U256; 2]) -> Call {
    let mut calldata = Vec::new();
    for (token, amount) in tokens.into_iter().zip(amounts) {
        calldata.push(token);
        calldata.extend(halves(amount));
        calldata.extend(halves(U256::ZERO));
    }
    call("add_liquidity", calldata)
}

/// Takes the part of `shares`.
pub(crate) fn withdraw_call(pool: u64, shares: U256) -> Call {
    let mut calldata = vec![Felt::from(pool)];
    calldata.extend([shares, U256::ZERO, U256::ZERO].map(halves).concat());
    call("withdraw_liquidity", calldata)
}

/// Sells exactly `amount` of a token for at least `least` of the other.
pub(crate) fn swap_call(pool: impl Into<Felt>, sold: Felt, amount: U256, least: U256) -> Call {
    let mut calldata = vec![pool.into(), sold];
    calldata.extend([amount, least].map(halves).concat());
    call("swap", calldata)
}

fn call(name: &str, calldata: Vec<Felt>) -> Call {
    Call {
        to: MY_SWAP,
        selector: selector(name),
        calldata,
    }
}

/// Finds the pool of two tokens, whatever their order.
fn tokens_key(a: Felt, b: Felt) -> Felt {
    let (low, high) = (
        from_felt(a).min(from_felt(b)),
        from_felt(a).max(from_felt(b)),
    );
    digest("MYSWAP POOL", &[felt(low), felt(high)])
}

fn reserves(env: &Env<'_, '_>, pool: Felt) -> [U256; 2] {
    RESERVES.map(|reserve| env.read(reserve, &[pool]))
}

fn tokens(env: &Env<'_, '_>, pool: Felt) -> Result<[Felt; 2], Revert> {
    let tokens = TOKENS.map(|token| felt(env.read(token, &[pool])));
    ensure(tokens[0] != Felt::ZERO, "pool does not exist")?;
    Ok(tokens)
}

fn update(env: &mut Env<'_, '_>, pool: Felt, reserves: [U256; 2]) {
    for (variable, reserve) in RESERVES.into_iter().zip(reserves) {
        env.write(variable, &[pool], reserve);
    }
    let data = [vec![pool], reserves.map(halves).concat()].concat();
    env.emit(&[selector("Sync")], &data);
}

fn add_shares(env: &mut Env<'_, '_>, pool: Felt, shares: U256) -> Result<(), Revert> {
    ensure(!shares.is_zero(), "no shares")?;
    let owner = [pool, env.caller()];
    let supply = add(env.read(SUPPLY, &[pool]), shares)?;
    let held = add(env.read(SHARES, &owner), shares)?;
    env.write(SUPPLY, &[pool], supply);
    env.write(SHARES, &owner, held);
    Ok(())
}

/// Takes both amounts from the caller, and tells.
fn bring(
    env: &mut Env<'_, '_>,
    pool: Felt,
    amounts: [U256; 2],
    reserves: [U256; 2],
) -> Result<(), Revert> {
    let (from, own) = (env.caller(), env.address());
    for (token, amount) in tokens(env, pool)?.into_iter().zip(amounts) {
        collect(env, token, (from, own), amount)?;
    }
    let after = [add(reserves[0], amounts[0])?, add(reserves[1], amounts[1])?];
    update(env, pool, after);
    let data = [vec![pool, from], amounts.map(halves).concat()].concat();
    env.emit(&[selector("Mint")], &data);
    Ok(())
}

#[expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape of all entrypoints"
)]
impl MySwap {
    fn count(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![felt(env.read(COUNT, &[]))])
    }

    fn get_pool(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let pool = calldata.felt()?;
        let [token_a, token_b] = tokens(env, pool)?;
        let [reserve_a, reserve_b] = reserves(env, pool).map(halves);
        let mut returned = vec![felt(env.read(NAME, &[pool])), token_a];
        returned.extend(reserve_a);
        returned.push(token_b);
        returned.extend(reserve_b);
        // All pools are of the first type, and shares are no token.
        returned.extend([felt(env.read(FEE, &[pool])), Felt::ZERO, Felt::ZERO]);
        Ok(returned)
    }

    fn get_shares(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let owner = [calldata.felt()?, calldata.felt()?];
        Ok(halves(env.read(SHARES, &owner)).to_vec())
    }

    fn get_supply(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let pool = calldata.felt()?;
        Ok(halves(env.read(SUPPLY, &[pool])).to_vec())
    }

    fn create_new_pool(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let name = calldata.felt()?;
        let (token_a, amount_a) = (calldata.felt()?, calldata.u256()?);
        let (token_b, amount_b) = (calldata.felt()?, calldata.u256()?);
        let fee = from_felt(calldata.felt()?);
        ensure(token_a != token_b, "same token")?;
        ensure(fee <= U256::from(FEE_RULE.scale / 10), "invalid fee")?;
        let known = [tokens_key(token_a, token_b)];
        ensure(env.read(POOL_OF, &known).is_zero(), "pool exists")?;
        let number = add(env.read(COUNT, &[]), U256::ONE)?;
        let pool = felt(number);
        env.write(COUNT, &[], number);
        env.write(POOL_OF, &known, number);
        env.write(NAME, &[pool], from_felt(name));
        env.write(FEE, &[pool], fee);
        for (variable, token) in TOKENS.into_iter().zip([token_a, token_b]) {
            env.write(variable, &[pool], from_felt(token));
        }
        env.emit(
            &[selector("PoolCreated")],
            &[pool, token_a, token_b, felt(fee)],
        );
        let shares = mul(amount_a, amount_b)?.root(2);
        add_shares(env, pool, shares)?;
        bring(env, pool, [amount_a, amount_b], [U256::ZERO; 2])?;
        Ok(vec![pool])
    }

    fn add_liquidity(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (token_a, a, least_a) = (calldata.felt()?, calldata.u256()?, calldata.u256()?);
        let (token_b, b, least_b) = (calldata.felt()?, calldata.u256()?, calldata.u256()?);
        let pool = felt(env.read(POOL_OF, &[tokens_key(token_a, token_b)]));
        let turned = tokens(env, pool)?[0] != token_a;
        let order = |[first, second]: [U256; 2]| {
            if turned {
                [second, first]
            } else {
                [first, second]
            }
        };
        let (reserves, supply) = (reserves(env, pool), env.read(SUPPLY, &[pool]));
        ensure(!supply.is_zero(), "empty pool")?;
        let [reserve_a, reserve_b] = order(reserves);
        let worth = curve::quote(a, [reserve_a, reserve_b])?;
        let [a, b] = if worth <= b {
            [a, worth]
        } else {
            [curve::quote(b, [reserve_b, reserve_a])?, b]
        };
        ensure(a >= least_a && b >= least_b, "insufficient amount")?;
        let shares_a = div(mul(a, supply)?, reserve_a)?;
        let shares_b = div(mul(b, supply)?, reserve_b)?;
        add_shares(env, pool, shares_a.min(shares_b))?;
        bring(env, pool, order([a, b]), reserves)?;
        Ok([a, b].map(halves).concat())
    }

    fn withdraw_liquidity(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (pool, shares) = (calldata.felt()?, calldata.u256()?);
        let least = [calldata.u256()?, calldata.u256()?];
        let tokens = tokens(env, pool)?;
        let (to, supply) = (env.caller(), env.read(SUPPLY, &[pool]));
        let held = env.read(SHARES, &[pool, to]);
        ensure(shares <= held, "insufficient shares")?;
        let [reserve_a, reserve_b] = reserves(env, pool);
        let amounts = [
            div(mul(shares, reserve_a)?, supply)?,
            div(mul(shares, reserve_b)?, supply)?,
        ];
        let enough = amounts
            .iter()
            .zip(&least)
            .all(|(amount, least)| amount >= least);
        ensure(enough, "insufficient amount")?;
        env.write(SHARES, &[pool, to], sub(held, shares)?);
        env.write(SUPPLY, &[pool], sub(supply, shares)?);
        for (token, amount) in tokens.into_iter().zip(amounts) {
            pay(env, token, to, amount)?;
        }
        let after = [sub(reserve_a, amounts[0])?, sub(reserve_b, amounts[1])?];
        update(env, pool, after);
        let data = [vec![pool, to], amounts.map(halves).concat()].concat();
        env.emit(&[selector("Burn")], &data);
        Ok(amounts.map(halves).concat())
    }

    fn swap(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (pool, sold) = (calldata.felt()?, calldata.felt()?);
        let (amount, least) = (calldata.u256()?, calldata.u256()?);
        let [token_a, token_b] = tokens(env, pool)?;
        ensure(sold == token_a || sold == token_b, "invalid token")?;
        ensure(!amount.is_zero(), "insufficient input amount")?;
        let [reserve_a, reserve_b] = reserves(env, pool);
        let (bought_token, from, to) = if sold == token_a {
            (token_b, reserve_a, reserve_b)
        } else {
            (token_a, reserve_b, reserve_a)
        };
        let sale = Sale {
            reserves: [from, to],
            shape: Shape::Volatile,
            fee: env.read(FEE, &[pool]),
        };
        let bought = FEE_RULE.amount_out(sale, amount)?;
        ensure(bought >= least, "insufficient output amount")?;
        let (caller, own) = (env.caller(), env.address());
        collect(env, sold, (caller, own), amount)?;
        pay(env, bought_token, caller, bought)?;
        let after = [add(from, amount)?, sub(to, bought)?];
        let after = if sold == token_a {
            after
        } else {
            [after[1], after[0]]
        };
        ensure(
            mul(after[0], after[1])? >= mul(reserve_a, reserve_b)?,
            "invariant K",
        )?;
        update(env, pool, after);
        let amounts = [amount, bought].map(halves).concat();
        let data = [vec![pool, caller, sold], amounts].concat();
        env.emit(&[selector("Swap")], &data);
        Ok(halves(bought).to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starknet::contracts::test_chain::{
        ALICE, BOB, DAI, ETH, TestChain, USDC, event, numbers,
    };
    use proptest::prelude::*;

    /// A pool of ALICE's with a fee of 0.3 %.
    fn test_chain(amounts: [u128; 2]) -> TestChain {
        let mut chain = TestChain::new(install);
        for person in [ALICE, BOB] {
            chain.approve(person, MY_SWAP, &[ETH, USDC, DAI]);
        }
        let amounts = amounts.map(U256::from);
        chain.run(ALICE, &create_pool_call([ETH, DAI], amounts, 300));
        chain
    }

    fn held(chain: &TestChain) -> [U256; 2] {
        reserve_keys(1).map(|key| chain.read(&key))
    }

    #[test]
    fn a_swap_pays_by_the_rule_and_tells() {
        let mut chain = test_chain([1_000_000, 7_000_000]);
        let before = chain.balance(DAI, BOB);
        let sale = swap_call(1, ETH, U256::from(1_002), U256::from(6_986));
        let (returned, events) = chain.run(BOB, &sale);
        assert_eq!(numbers(&returned), [U256::from(6_986)]);
        assert_eq!(chain.balance(DAI, BOB) - before, U256::from(6_986));
        assert_eq!(held(&chain), [1_001_002, 7_000_000 - 6_986].map(U256::from));
        assert_eq!(event(&events, "Swap").data.len(), 7);
        assert_eq!(event(&events, "Sync").data.len(), 5);
        let greedy = swap_call(1, DAI, U256::from(9), U256::from(9));
        chain.refuses(BOB, &greedy, "insufficient output amount");
        let wrong = swap_call(1, USDC, U256::from(9), U256::ZERO);
        chain.refuses(BOB, &wrong, "invalid token");
        let unknown = swap_call(2, ETH, U256::from(9), U256::ZERO);
        chain.refuses(BOB, &unknown, "pool does not exist");
        let nothing = swap_call(1, ETH, U256::ZERO, U256::ZERO);
        chain.refuses(BOB, &nothing, "insufficient input amount");
    }

    #[test]
    fn pools_are_numbered_and_told() {
        let mut chain = test_chain([1_000, 2_000]);
        assert_eq!(
            chain.view(MY_SWAP, "get_total_number_of_pools", &[]),
            [Felt::ONE]
        );
        let again = create_pool_call([DAI, ETH], [U256::from(1_000); 2], 300);
        chain.refuses(ALICE, &again, "pool exists");
        let same = create_pool_call([ETH, ETH], [U256::from(1_000); 2], 300);
        chain.refuses(ALICE, &same, "same token");
        let dear = create_pool_call([ETH, USDC], [U256::from(1_000); 2], 10_001);
        chain.refuses(ALICE, &dear, "invalid fee");
        let other = create_pool_call([USDC, ETH], [U256::from(5), U256::from(6)], 50);
        let (returned, events) = chain.run(BOB, &other);
        assert_eq!(returned, [Felt::TWO]);
        let created = [Felt::TWO, USDC, ETH, Felt::from(50)];
        assert_eq!(*event(&events, "PoolCreated").data, created);
        let pool = chain.view(MY_SWAP, "get_pool", &[Felt::TWO]);
        let expected = [USDC, Felt::from(5), Felt::ZERO, ETH, Felt::from(6)];
        assert_eq!(pool[1..6], expected);
        assert_eq!((pool.len(), pool[7]), (10, Felt::from(50)));
    }

    #[test]
    fn shares_are_a_part_of_the_pool() {
        let mut chain = test_chain([1_000_000, 4_000_000]);
        // More of the second token than its price asks for, in the other order.
        let amounts = [U256::from(9_000_000), U256::from(500_000)];
        let (taken, events) = chain.run(BOB, &add_liquidity_call([DAI, ETH], amounts));
        assert_eq!(numbers(&taken), [2_000_000, 500_000].map(U256::from));
        assert_eq!(event(&events, "Mint").data.len(), 6);
        assert_eq!(held(&chain), [1_500_000, 6_000_000].map(U256::from));
        let shares = chain.number(MY_SWAP, "get_lp_balance", &[Felt::ONE, BOB]);
        let supply = chain.number(MY_SWAP, "get_total_shares", &[Felt::ONE]);
        assert_eq!(shares * U256::from(3), supply);
        chain.refuses(
            BOB,
            &withdraw_call(1, shares + U256::ONE),
            "insufficient shares",
        );
        let (given, events) = chain.run(BOB, &withdraw_call(1, shares));
        assert_eq!(numbers(&given), [500_000, 2_000_000].map(U256::from));
        assert_eq!(event(&events, "Burn").data.len(), 6);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn trades_never_take_from_those_who_stay(
            start in [1_u128 << 20..1 << 80, 1_u128 << 20..1 << 80],
            trades in prop::collection::vec((any::<bool>(), 1_u128..1 << 80), 1..10),
        ) {
            let mut chain = test_chain(start);
            let totals = [ETH, DAI].map(|token| chain.total(token));
            for (first, amount) in trades {
                let [a, b] = held(&chain);
                let sold = if first { ETH } else { DAI };
                let made = chain.try_run(BOB, &swap_call(1, sold, U256::from(amount), U256::ZERO));
                prop_assert!(made.is_ok());
                let [after_a, after_b] = held(&chain);
                prop_assert!(after_a * after_b >= a * b);
                prop_assert_eq!(totals, [ETH, DAI].map(|token| chain.total(token)));
                prop_assert_eq!([after_a, after_b], [ETH, DAI].map(|token| chain.balance(token, MY_SWAP)));
            }
        }
    }
}
