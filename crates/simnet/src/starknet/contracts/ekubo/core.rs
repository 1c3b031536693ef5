//! The core: holds the tokens of all pools, and lets the router and the
//! positions trade and change liquidity.

use super::addresses::{CORE, POSITIONS, ROUTER};
use super::maths::{MAX_TICK, Rounding, position_amounts, sqrt_ratio_at};
use super::pool::Pool;
use super::pool_key::PoolKey;
use super::wire::{
    Bounds, DELTA, Delta, I129, POOL_KEY, POOL_PRICE, STRUCTURES, SWAP_PARAMETERS, SwapParameters,
    UPDATE_PARAMETERS, read_key, read_tick,
};
use crate::starknet::class::{
    ADDRESS, CLASS_HASH, Class, EventSignature, FELT, Interface, Typed, U128, U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, halves};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::contracts::erc20::pay;
use crate::starknet::contracts::signed::Signed;
use crate::starknet::execution::{Execution, View};
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::{digest, from_felt};
use crate::starknet::network::DEPLOYER;
use primitives::{Felt, U256, selector};
use std::sync::LazyLock;

type Entrypoint = Function<Core>;

const KEY: &[Typed] = &[("pool_key", POOL_KEY)];
const SEARCH: &[Typed] = &[("pool_key", POOL_KEY), ("from", I129), ("skip_ahead", U128)];

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::view("get_pool_price", KEY, &[POOL_PRICE], Core::get_pool_price),
    Entrypoint::view("get_pool_liquidity", KEY, &[U128], Core::get_pool_liquidity),
    Entrypoint::view("get_pool_tick_liquidity_delta", &[("pool_key", POOL_KEY), ("index", I129)], &[I129], Core::get_tick),
    Entrypoint::view("get_position_liquidity", &[("pool_key", POOL_KEY), ("salt", FELT), ("owner", ADDRESS), ("lower", I129), ("upper", I129)], &[U128], Core::get_position),
    Entrypoint::view("next_initialized_tick", SEARCH, &["(ekubo::types::i129::i129, core::bool)"], Core::next_tick),
    Entrypoint::view("prev_initialized_tick", SEARCH, &["(ekubo::types::i129::i129, core::bool)"], Core::previous_tick),
    Entrypoint::external("initialize_pool", &[("pool_key", POOL_KEY), ("initial_tick", I129)], &[U256_TYPE], Core::initialize_pool),
    Entrypoint::external("maybe_initialize_pool", &[("pool_key", POOL_KEY), ("initial_tick", I129)], &["core::option::Option::<core::integer::u256>"], Core::maybe_initialize_pool),
    Entrypoint::external("update_position", &[("pool_key", POOL_KEY), ("params", UPDATE_PARAMETERS)], &[DELTA], Core::update_position),
    Entrypoint::external("swap", &[("pool_key", POOL_KEY), ("params", SWAP_PARAMETERS)], &[DELTA], Core::swap),
    Entrypoint::external("replace_class_hash", &[("class_hash", CLASS_HASH)], &[], Core::replace_class_hash),
];

#[rustfmt::skip]
const EVENTS: &[EventSignature] = &[
    EventSignature { name: "PoolInitialized", keys: &[], data: &[
        ("pool_key", POOL_KEY), ("initial_tick", I129), ("sqrt_ratio", U256_TYPE),
    ] },
    EventSignature { name: "PositionUpdated", keys: &[], data: &[
        ("locker", ADDRESS), ("pool_key", POOL_KEY), ("params", UPDATE_PARAMETERS), ("delta", DELTA),
    ] },
    EventSignature { name: "Swapped", keys: &[], data: &[
        ("locker", ADDRESS), ("pool_key", POOL_KEY), ("params", SWAP_PARAMETERS), ("delta", DELTA),
        ("sqrt_ratio_after", U256_TYPE), ("tick_after", I129), ("liquidity_after", U128),
    ] },
    EventSignature { name: "ClassHashReplaced", keys: &[], data: &[("new_class_hash", CLASS_HASH)] },
];

static OLDER: LazyLock<Kind<Core>> = LazyLock::new(|| made("Ekubo core"));
static EXACT: LazyLock<Kind<Core>> = LazyLock::new(|| made("Ekubo core exact"));

fn made(name: &str) -> Kind<Core> {
    let interface = Interface {
        structures: STRUCTURES,
        events: EVENTS,
        ..Interface::default()
    };
    Kind::new(name, FUNCTIONS, interface)
}

pub(super) fn kind(rounding: Rounding) -> &'static Kind<Core> {
    match rounding {
        Rounding::Older => &OLDER,
        Rounding::Exact => &EXACT,
    }
}

/// The core, in one of the versions that round differently.
#[derive(Debug)]
pub(super) struct Core(pub(super) Rounding);

impl Contract for Core {
    fn class(&self) -> &'static Class {
        &kind(self.0).class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        kind(self.0).entrypoints.run(self, env, selector, calldata)
    }
}

/// What the core finds a position by.
fn position_id(salt: Felt, owner: Felt, bounds: Bounds) -> Felt {
    let parts = [vec![salt, owner], bounds.felts()].concat();
    digest("EKUBO POSITION", &parts)
}

/// The liquidity of the position `id` as the state has it.
pub(crate) fn position_liquidity(
    view: View<'_>,
    key: &PoolKey,
    id: u64,
    [lower, upper]: [i32; 2],
) -> u128 {
    let bounds = Bounds { lower, upper };
    let position = position_id(Felt::from(id), POSITIONS, bounds);
    Pool::new(key).position(&Execution::new(view, None), position)
}

/// Only contracts that settle afterwards may change what the core holds.
fn only_lockers(env: &Env<'_, '_>) -> Result<(), Revert> {
    ensure([ROUTER, POSITIONS].contains(&env.caller()), "NOT_LOCKED")
}

/// Pays the caller what the core gives. What it takes, the caller pays.
fn give(env: &mut Env<'_, '_>, key: &PoolKey, delta: Delta) -> Result<(), Revert> {
    let to = env.caller();
    for (token, amount) in key.tokens.into_iter().zip(delta.0) {
        if amount.negative {
            pay(env, token, to, U256::from(amount.size))?;
        }
    }
    Ok(())
}

fn check_bounds(key: &PoolKey, bounds: Bounds) -> Result<(), Revert> {
    ensure(bounds.lower < bounds.upper, "BOUNDS_ORDER")?;
    ensure(bounds.lower >= -MAX_TICK, "BOUNDS_MAX")?;
    ensure(bounds.upper <= MAX_TICK, "BOUNDS_MAX")?;
    let spaced = |tick: i32| i64::from(tick).rem_euclid(key.tick_spacing.into()) == 0;
    ensure(
        spaced(bounds.lower) && spaced(bounds.upper),
        "BOUNDS_TICK_SPACING",
    )
}

#[expect(clippy::unused_self, reason = "the shape of all entrypoints")]
impl Core {
    fn get_pool_price(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let key = read_key(calldata)?;
        let now = Pool::new(&key).now(env.syscalls);
        let tick = Signed::of_tick(now.tick).felts();
        Ok([halves(now.sqrt_ratio), tick].concat())
    }

    fn get_pool_liquidity(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let key = read_key(calldata)?;
        let now = Pool::new(&key).now(env.syscalls);
        Ok(vec![Felt::from(now.liquidity)])
    }

    fn get_tick(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (key, tick) = (read_key(calldata)?, read_tick(calldata)?);
        let net = Pool::new(&key).ticks().net(env.syscalls, tick);
        Ok(net.felts().to_vec())
    }

    fn get_position(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let key = read_key(calldata)?;
        let (salt, owner) = (calldata.felt()?, calldata.felt()?);
        let id = position_id(salt, owner, Bounds::read(calldata)?);
        let liquidity = Pool::new(&key).position(env.syscalls, id);
        Ok(vec![Felt::from(liquidity)])
    }

    fn next_tick(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (key, from) = (read_key(calldata)?, read_tick(calldata)?);
        let skip_ahead = calldata.u128()?;
        let found = Pool::new(&key)
            .ticks()
            .next(env.syscalls, from, skip_ahead)?;
        Ok(found_tick(found))
    }

    fn previous_tick(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (key, from) = (read_key(calldata)?, read_tick(calldata)?);
        let skip_ahead = calldata.u128()?;
        let found = Pool::new(&key)
            .ticks()
            .previous(env.syscalls, from, skip_ahead)?;
        Ok(found_tick(found))
    }

    fn initialize_pool(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (key, tick) = (read_key(calldata)?, read_tick(calldata)?);
        let pool = Pool::new(&key);
        let mut now = pool.now(env.syscalls);
        ensure(now.sqrt_ratio.is_zero(), "ALREADY_INITIALIZED")?;
        let [token0, token1] = key.tokens.map(from_felt);
        ensure(token0 < token1, "TOKEN_ORDER")?;
        ensure(!token0.is_zero(), "TOKEN_NON_ZERO")?;
        let sqrt_ratio = sqrt_ratio_at(tick).ok_or_else(|| Revert::new("TICK_MAGNITUDE"))?;
        (now.sqrt_ratio, now.tick) = (sqrt_ratio, tick);
        pool.write(env, now);
        let mut data = key.felts().to_vec();
        data.extend(Signed::of_tick(tick).felts());
        data.extend(halves(sqrt_ratio));
        env.emit(&[selector("PoolInitialized")], &data);
        Ok(halves(sqrt_ratio).to_vec())
    }

    fn maybe_initialize_pool(
        &self,
        env: &mut Env<'_, '_>,
        calldata: &mut Calldata<'_>,
    ) -> Returned {
        let felts = calldata.rest();
        let key = read_key(&mut Calldata::new(felts))?;
        if !Pool::new(&key).now(env.syscalls).sqrt_ratio.is_zero() {
            return Ok(vec![Felt::ONE]);
        }
        let ratio = self.initialize_pool(env, &mut Calldata::new(felts))?;
        Ok([vec![Felt::ZERO], ratio].concat())
    }

    fn update_position(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        only_lockers(env)?;
        let (key, salt) = (read_key(calldata)?, calldata.felt()?);
        let bounds = Bounds::read(calldata)?;
        let given = Signed::read(calldata)?;
        check_bounds(&key, bounds)?;
        let pool = Pool::new(&key);
        let now = pool.initialized(env.syscalls)?;
        let amounts = given.i128().and_then(|change| {
            let ticks = [bounds.lower, bounds.upper];
            let amounts = position_amounts(now.sqrt_ratio, ticks, change)?;
            Some((change, amounts))
        });
        let (change, amounts) = amounts.ok_or_else(|| Revert::new("AMOUNT_OVERFLOW"))?;
        let owner = env.caller();
        let position = position_id(salt, owner, bounds);
        pool.change_position(env, position, bounds, change)?;
        let delta = Delta(amounts.map(|amount| {
            if change < 0 {
                Signed::minus(amount)
            } else {
                Signed::plus(amount)
            }
        }));
        let mut data = vec![owner];
        data.extend(key.felts());
        data.push(salt);
        data.extend(bounds.felts());
        data.extend(given.felts());
        data.extend(delta.felts());
        env.emit(&[selector("PositionUpdated")], &data);
        give(env, &key, delta)?;
        Ok(delta.felts())
    }

    fn swap(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        only_lockers(env)?;
        let (key, order) = (read_key(calldata)?, SwapParameters::read(calldata)?);
        let pool = Pool::new(&key);
        let walk = pool.walk(env.syscalls, self.0, order)?;
        pool.write(env, walk.after);
        let mut data = vec![env.caller()];
        data.extend(key.felts());
        data.extend(order.felts());
        data.extend(walk.delta.felts());
        data.extend(halves(walk.after.sqrt_ratio));
        data.extend(Signed::of_tick(walk.after.tick).felts());
        data.push(Felt::from(walk.after.liquidity));
        env.emit(&[selector("Swapped")], &data);
        give(env, &key, walk.delta)?;
        Ok(walk.delta.felts())
    }

    /// Becomes another version of itself.
    fn replace_class_hash(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let class_hash = calldata.felt()?;
        ensure(env.caller() == DEPLOYER, "OWNER_ONLY")?;
        let known = [Rounding::Older, Rounding::Exact]
            .into_iter()
            .any(|rounding| kind(rounding).class.hash == class_hash);
        ensure(known, "INVALID_CLASS_HASH")?;
        env.replace_class(class_hash);
        env.emit(&[selector("ClassHashReplaced")], &[class_hash]);
        Ok(vec![])
    }
}

fn found_tick((tick, initialized): (i32, bool)) -> Vec<Felt> {
    let mut returned = Signed::of_tick(tick).felts().to_vec();
    returned.push(Felt::from(initialized));
    returned
}

/// Swaps in the name of the contract that is running, which pays what it owes.
pub(super) fn swap(
    env: &mut Env<'_, '_>,
    key: &PoolKey,
    order: SwapParameters,
) -> Result<Delta, Revert> {
    let calldata = [key.felts().to_vec(), order.felts()].concat();
    act(env, key, "swap", calldata)
}

/// Changes a position of the contract that is running, which pays what it owes.
pub(super) fn update_position(
    env: &mut Env<'_, '_>,
    key: &PoolKey,
    salt: Felt,
    bounds: Bounds,
    change: Signed,
) -> Result<Delta, Revert> {
    let mut calldata = key.felts().to_vec();
    calldata.push(salt);
    calldata.extend(bounds.felts());
    calldata.extend(change.felts());
    act(env, key, "update_position", calldata)
}

fn act(
    env: &mut Env<'_, '_>,
    key: &PoolKey,
    name: &str,
    calldata: Vec<Felt>,
) -> Result<Delta, Revert> {
    let returned = env.call(&crate::starknet::transaction::Call {
        to: CORE,
        selector: selector(name),
        calldata,
    })?;
    let delta = Delta::read(&mut Calldata::new(&returned))?;
    for (token, amount) in key.tokens.into_iter().zip(delta.0) {
        if !amount.negative && amount.size > 0 {
            pay(env, token, CORE, U256::from(amount.size))?;
        }
    }
    Ok(delta)
}
