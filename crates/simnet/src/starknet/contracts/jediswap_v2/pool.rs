//! A pool: a price, liquidity between ticks, and the tokens of both.

use super::maths::{
    MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, Named, WORD, position_amounts, sqrt_ratio_at, step,
    tick_at,
};
use crate::starknet::class::{
    ADDRESS, BOOL, Class, EventSignature, FELTS, Interface, Structure, Typed, U32, U128,
    U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, halves, run};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::contracts::erc20::{collect, pay};
use crate::starknet::contracts::signed::Signed;
use crate::starknet::contracts::tick_map::{MAX_WORDS, TickMap, overflow};
use crate::starknet::execution::View;
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::{digest, felt, from_felt};
use crate::starknet::state::{Key, Variable};
use crate::starknet::transaction::Call;
use primitives::{Felt, OrImpossible as _, U256, selector};
use std::sync::LazyLock;

const TOKENS: [Variable; 2] = [Variable::felt("token0"), Variable::felt("token1")];
const FEE: Variable = Variable::felt("fee");
const SPACING: Variable = Variable::felt("tick_spacing");
const SQRT_RATIO: Variable = Variable::u256("sqrt_price_X96");
const TICK: Variable = Variable::u256("tick");
const LIQUIDITY: Variable = Variable::felt("liquidity");
const POSITION: Variable = Variable::felt("position_liquidity");
const OWED: [Variable; 2] = [
    Variable::felt("position_tokens_owed0"),
    Variable::felt("position_tokens_owed1"),
];

type Entrypoint = Function<Pool>;

const I32: &str = "yas_core::numbers::signed_integer::i32::i32";
const I256: &str = "yas_core::numbers::signed_integer::i256::i256";
const STRUCTURES: &[Structure] = &[
    (I32, &[("mag", U32), ("sign", BOOL)]),
    (I256, &[("mag", U256_TYPE), ("sign", BOOL)]),
];
const TWO_AMOUNTS: &str = "(core::integer::u256, core::integer::u256)";
const CONSTRUCTOR: &[Typed] = &[
    ("token0", ADDRESS),
    ("token1", ADDRESS),
    ("fee", U32),
    ("tick_spacing", U32),
];

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::view("get_token0", &[], &[ADDRESS], Pool::get_token0),
    Entrypoint::view("get_token1", &[], &[ADDRESS], Pool::get_token1),
    Entrypoint::view("get_fee", &[], &[U32], Pool::get_fee),
    Entrypoint::view("get_tick_spacing", &[], &[U32], Pool::get_tick_spacing),
    Entrypoint::view("get_sqrt_price_X96", &[], &[U256_TYPE], Pool::get_sqrt_price),
    Entrypoint::view("get_tick", &[], &[I32], Pool::get_tick),
    Entrypoint::view("get_liquidity", &[], &[U128], Pool::get_liquidity),
    Entrypoint::external("initialize", &[("sqrt_price_X96", U256_TYPE)], &[], Pool::initialize),
    Entrypoint::external("mint", &[("recipient", ADDRESS), ("tick_lower", I32), ("tick_upper", I32), ("amount", U128), ("data", FELTS)], &[TWO_AMOUNTS], Pool::mint),
    Entrypoint::external("burn", &[("tick_lower", I32), ("tick_upper", I32), ("amount", U128)], &[TWO_AMOUNTS], Pool::burn),
    Entrypoint::external("collect", &[("recipient", ADDRESS), ("tick_lower", I32), ("tick_upper", I32), ("amount0_requested", U128), ("amount1_requested", U128)], &["(core::integer::u128, core::integer::u128)"], Pool::collect),
    Entrypoint::external("swap", &[("recipient", ADDRESS), ("zero_for_one", BOOL), ("amount_specified", I256), ("sqrt_price_limit_X96", U256_TYPE), ("data", FELTS)], &["(yas_core::numbers::signed_integer::i256::i256, yas_core::numbers::signed_integer::i256::i256)"], Pool::swap),
];

#[rustfmt::skip]
const EVENTS: &[EventSignature] = &[
    EventSignature { name: "Initialize", keys: &[], data: &[("sqrt_price_X96", U256_TYPE), ("tick", I32)] },
    EventSignature { name: "Mint", keys: &[], data: &[
        ("sender", ADDRESS), ("owner", ADDRESS), ("tick_lower", I32), ("tick_upper", I32),
        ("amount", U128), ("amount0", U256_TYPE), ("amount1", U256_TYPE),
    ] },
    EventSignature { name: "Burn", keys: &[], data: &[
        ("owner", ADDRESS), ("tick_lower", I32), ("tick_upper", I32),
        ("amount", U128), ("amount0", U256_TYPE), ("amount1", U256_TYPE),
    ] },
    EventSignature { name: "Collect", keys: &[], data: &[
        ("owner", ADDRESS), ("recipient", ADDRESS), ("tick_lower", I32), ("tick_upper", I32),
        ("amount0", U128), ("amount1", U128),
    ] },
    EventSignature { name: "Swap", keys: &[], data: &[
        ("sender", ADDRESS), ("recipient", ADDRESS), ("amount0", I256), ("amount1", I256),
        ("sqrt_price_X96", U256_TYPE), ("liquidity", U128), ("tick", I32),
    ] },
];

static KIND: LazyLock<Kind<Pool>> = LazyLock::new(|| {
    let interface = Interface {
        constructor: Some(CONSTRUCTOR),
        structures: STRUCTURES,
        events: EVENTS,
        ..Interface::default()
    };
    Kind::new("JediSwap v2 pool", FUNCTIONS, interface)
});

/// A pool. All of it is in its variables.
#[derive(Debug)]
pub(super) struct Pool;

pub(super) fn class_hash() -> Felt {
    KIND.class.hash
}

impl Contract for Pool {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }

    fn construct(&self, env: &mut Env<'_, '_>, calldata: &[Felt]) -> Option<Returned> {
        Some(run(Self::construct, self, env, calldata))
    }
}

/// Where a pool's price is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// Zero before the pool has a price.
    pub(crate) sqrt_ratio: U256,
    pub(crate) tick: i32,
    pub(crate) liquidity: u128,
}

/// A pool as the state has it, without asking it.
pub(crate) fn snapshot(view: View<'_>, pool: Felt) -> Snapshot {
    read(|variable| view.read(&Key::new(pool, variable, &[])))
}

/// The variables that the price and the liquidity are in.
pub(crate) fn price_keys(pool: Felt) -> [Key; 2] {
    [SQRT_RATIO, LIQUIDITY].map(|variable| Key::new(pool, variable, &[]))
}

fn read(read: impl Fn(Variable) -> U256) -> Snapshot {
    let tick = Signed::load(read(TICK)).tick();
    let tick = tick.or_impossible("a pool's tick is one");
    Snapshot {
        sqrt_ratio: read(SQRT_RATIO),
        tick: tick.unwrap_or_default(),
        liquidity: read(LIQUIDITY).saturating_to(),
    }
}

/// What is to be swapped: an amount sold (plus) or bought (minus).
#[derive(Debug, Clone, Copy)]
pub(super) struct SwapArguments {
    pub(super) to: Felt,
    /// Whether the first token is sold.
    pub(super) falling: bool,
    pub(super) amount: Signed,
    pub(super) limit: U256,
}

/// Swaps in the name of the running contract; answers with what the pool paid.
pub(super) fn swap(
    env: &mut Env<'_, '_>,
    pool: Felt,
    order: SwapArguments,
) -> Result<U256, Revert> {
    let mut calldata = vec![order.to, Felt::from(order.falling)];
    calldata.extend(wide(order.amount));
    calldata.extend(halves(order.limit));
    calldata.push(Felt::ZERO);
    let returned = env.call(&Call {
        to: pool,
        selector: selector("swap"),
        calldata,
    })?;
    let mut returned = Calldata::new(&returned);
    let (amount0, amount1) = (read_wide(&mut returned)?, read_wide(&mut returned)?);
    let paid = if order.falling { amount1 } else { amount0 };
    Ok(U256::from(paid.size))
}

/// A signed number of 256 bits.
fn wide(number: Signed) -> [Felt; 3] {
    let [low, high] = halves(U256::from(number.size));
    [low, high, Felt::from(number.negative)]
}

fn read_wide(calldata: &mut Calldata<'_>) -> Result<Signed, Revert> {
    let size = u128::try_from(calldata.u256()?).map_err(|_| Revert::new("amount overflow"))?;
    Ok(if calldata.bool()? {
        Signed::minus(size)
    } else {
        Signed::plus(size)
    })
}

fn now(env: &Env<'_, '_>) -> Result<Snapshot, Revert> {
    let now = read(|variable| env.read(variable, &[]));
    ensure(!now.sqrt_ratio.is_zero(), "not initialized")?;
    Ok(now)
}

fn write(env: &mut Env<'_, '_>, after: Snapshot) {
    env.write(SQRT_RATIO, &[], after.sqrt_ratio);
    env.write(TICK, &[], Signed::of_tick(after.tick).stored());
    env.write(LIQUIDITY, &[], U256::from(after.liquidity));
}

fn tokens(env: &Env<'_, '_>) -> [Felt; 2] {
    TOKENS.map(|token| felt(env.read(token, &[])))
}

fn ticks(env: &Env<'_, '_>) -> TickMap {
    TickMap {
        contract: env.address(),
        pool: Felt::ZERO,
        spacing: env.read(SPACING, &[]).saturating_to::<i64>().max(1),
        word: WORD,
        last: MAX_TICK,
    }
}

/// The ticks of a position, which must be usable.
fn read_bounds(env: &Env<'_, '_>, calldata: &mut Calldata<'_>) -> Result<[i32; 2], Revert> {
    let mut next = || {
        let tick = Signed::read(calldata)?.tick();
        tick.ok_or_else(|| Revert::new("invalid tick"))
    };
    let [lower, upper] = [next()?, next()?];
    ensure(lower < upper, "tick_lower must be less than tick_upper")?;
    ensure(lower >= -MAX_TICK, "tick_lower too low")?;
    ensure(upper <= MAX_TICK, "tick_upper too high")?;
    let spacing = ticks(env).spacing;
    let usable = |tick: i32| i64::from(tick) % spacing == 0;
    ensure(usable(lower) && usable(upper), "tick misaligned")?;
    Ok([lower, upper])
}

fn position(owner: Felt, bounds: [i32; 2]) -> Felt {
    let [lower, upper] = bounds.map(Felt::from);
    digest("JEDISWAP V2 POSITION", &[owner, lower, upper])
}

fn bounds_felts(bounds: [i32; 2]) -> Vec<Felt> {
    bounds.map(|tick| Signed::of_tick(tick).felts()).concat()
}

/// Changes a position; answers with what it takes or gives.
fn change(
    env: &mut Env<'_, '_>,
    owner: Felt,
    bounds: [i32; 2],
    change: i128,
) -> Result<[u128; 2], Revert> {
    let mut now = now(env)?;
    let [lower, upper] = bounds;
    let amounts = position_amounts(now.sqrt_ratio, bounds, change).ok_or_else(overflow)?;
    let id = [position(owner, bounds)];
    let held: u128 = env.read(POSITION, &id).saturating_to();
    let left = held.checked_add_signed(change);
    let left = left.ok_or_else(|| Revert::new("u128_sub Overflow"))?;
    env.write(POSITION, &id, U256::from(left));
    ticks(env).change(env, bounds, change)?;
    if (lower..upper).contains(&now.tick) {
        let active = now.liquidity.checked_add_signed(change);
        now.liquidity = active.ok_or_else(overflow)?;
        write(env, now);
    }
    Ok(amounts)
}

/// One step: to the next tick at most, and through it. Answers with how much of
/// the named amount it used, and the other one.
fn pass(
    env: &Env<'_, '_>,
    order: SwapArguments,
    now: Snapshot,
    left: u128,
) -> Result<(Snapshot, u128, u128), Revert> {
    let map = ticks(env);
    let (tick, bounds_position) = if order.falling {
        map.previous(env.syscalls, now.tick, 0)?
    } else {
        map.next(env.syscalls, now.tick, 0)?
    };
    let end = sqrt_ratio_at(tick).ok_or_else(overflow)?;
    let target = if order.falling {
        end.max(order.limit)
    } else {
        end.min(order.limit)
    };
    let named = Named {
        amount: left,
        is_bought: order.amount.negative,
        falling: order.falling,
    };
    let fee = env.read(FEE, &[]).saturating_to();
    let step = step(fee, named, now.sqrt_ratio, now.liquidity, target);
    let step = step.ok_or_else(overflow)?;
    let mut after = Snapshot {
        sqrt_ratio: step.sqrt_ratio,
        ..now
    };
    if step.sqrt_ratio == end {
        after.tick = if order.falling { tick - 1 } else { tick };
        if bounds_position {
            after.liquidity = map.crossed(env.syscalls, tick, !order.falling, now.liquidity)?;
        }
    } else if step.sqrt_ratio != now.sqrt_ratio {
        after.tick = tick_at(step.sqrt_ratio).ok_or_else(overflow)?;
    }
    Ok((after, step.consumed, step.calculated))
}

/// Follows an order; answers with the pool after it and what it took (plus) and
/// gave (minus) of both tokens.
fn walk(env: &Env<'_, '_>, order: SwapArguments) -> Result<(Snapshot, [Signed; 2]), Revert> {
    let mut now = now(env)?;
    let reachable = if order.falling {
        order.limit < now.sqrt_ratio && order.limit > MIN_SQRT_RATIO
    } else {
        order.limit > now.sqrt_ratio && order.limit < MAX_SQRT_RATIO
    };
    ensure(reachable, "invalid sqrt_price_limit")?;
    let mut left = order.amount.size;
    let mut other = 0_u128;
    for _ in 0..MAX_WORDS {
        if left == 0 || now.sqrt_ratio == order.limit {
            let named = order.amount.size.checked_sub(left).ok_or_else(overflow)?;
            let (took, gave) = if order.amount.negative {
                (other, named)
            } else {
                (named, other)
            };
            let (took, gave) = (Signed::plus(took), Signed::minus(gave));
            let amounts = if order.falling {
                [took, gave]
            } else {
                [gave, took]
            };
            return Ok((now, amounts));
        }
        let (used, calculated);
        (now, used, calculated) = pass(env, order, now, left)?;
        left = left.checked_sub(used).ok_or_else(overflow)?;
        other = other.checked_add(calculated).ok_or_else(overflow)?;
    }
    Err(Revert::new("too many steps"))
}

#[expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape of all entrypoints"
)]
impl Pool {
    fn construct(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let [token0, token1] = TOKENS;
        for variable in [token0, token1, FEE, SPACING] {
            let value = from_felt(calldata.felt()?);
            env.write(variable, &[], value);
        }
        Ok(vec![])
    }

    fn get_token0(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![tokens(env)[0]])
    }

    fn get_token1(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![tokens(env)[1]])
    }

    fn get_fee(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![felt(env.read(FEE, &[]))])
    }

    fn get_tick_spacing(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![felt(env.read(SPACING, &[]))])
    }

    fn get_sqrt_price(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(halves(env.read(SQRT_RATIO, &[])).to_vec())
    }

    fn get_tick(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(Signed::load(env.read(TICK, &[])).felts().to_vec())
    }

    fn get_liquidity(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![felt(env.read(LIQUIDITY, &[]))])
    }

    fn initialize(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let sqrt_ratio = calldata.u256()?;
        ensure(env.read(SQRT_RATIO, &[]).is_zero(), "already initialized")?;
        let tick = tick_at(sqrt_ratio).ok_or_else(|| Revert::new("invalid sqrt_price"))?;
        let liquidity = 0;
        write(
            env,
            Snapshot {
                sqrt_ratio,
                tick,
                liquidity,
            },
        );
        let data = [halves(sqrt_ratio), Signed::of_tick(tick).felts()].concat();
        env.emit(&[selector("Initialize")], &data);
        Ok(vec![])
    }

    fn mint(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let owner = calldata.felt()?;
        let bounds = read_bounds(env, calldata)?;
        let (liquidity, _data) = (calldata.u128()?, calldata.felts()?);
        ensure(liquidity > 0, "amount must be greater than 0")?;
        let added = i128::try_from(liquidity).map_err(|_| overflow())?;
        let amounts = change(env, owner, bounds, added)?.map(U256::from);
        let (from, own) = (env.caller(), env.address());
        for (token, amount) in tokens(env).into_iter().zip(amounts) {
            if !amount.is_zero() {
                collect(env, token, (from, own), amount)?;
            }
        }
        let mut data = vec![from, owner];
        data.extend(bounds_felts(bounds));
        data.push(Felt::from(liquidity));
        data.extend(amounts.map(halves).concat());
        env.emit(&[selector("Mint")], &data);
        Ok(amounts.map(halves).concat())
    }

    fn burn(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let owner = env.caller();
        let bounds = read_bounds(env, calldata)?;
        let liquidity = calldata.u128()?;
        let removed = i128::try_from(liquidity).map_err(|_| overflow())?;
        let amounts = change(env, owner, bounds, -removed)?;
        let id = [position(owner, bounds)];
        for (variable, amount) in OWED.into_iter().zip(amounts) {
            let owed = env.read(variable, &id).saturating_add(U256::from(amount));
            env.write(variable, &id, owed);
        }
        let amounts = amounts.map(|amount| halves(U256::from(amount))).concat();
        let mut data = vec![owner];
        data.extend(bounds_felts(bounds));
        data.push(Felt::from(liquidity));
        data.extend(&amounts);
        env.emit(&[selector("Burn")], &data);
        Ok(amounts)
    }

    fn collect(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (owner, to) = (env.caller(), calldata.felt()?);
        let bounds = read_bounds(env, calldata)?;
        let id = [position(owner, bounds)];
        let mut paid = Vec::new();
        for (token, variable) in tokens(env).into_iter().zip(OWED) {
            let owed = env.read(variable, &id);
            let amount = owed.min(U256::from(calldata.u128()?));
            env.write(variable, &id, owed.saturating_sub(amount));
            if !amount.is_zero() {
                pay(env, token, to, amount)?;
            }
            paid.push(felt(amount));
        }
        let data = [vec![owner, to], bounds_felts(bounds), paid.clone()].concat();
        env.emit(&[selector("Collect")], &data);
        Ok(paid)
    }

    fn swap(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let order = SwapArguments {
            to: calldata.felt()?,
            falling: calldata.bool()?,
            amount: read_wide(calldata)?,
            limit: calldata.u256()?,
        };
        let _data = calldata.felts()?;
        ensure(order.amount.size > 0, "amount must be non zero")?;
        let (after, amounts) = walk(env, order)?;
        write(env, after);
        let (from, own) = (env.caller(), env.address());
        for (token, amount) in tokens(env).into_iter().zip(amounts) {
            let size = U256::from(amount.size);
            if amount.negative {
                pay(env, token, order.to, size)?;
            } else if amount.size > 0 {
                collect(env, token, (from, own), size)?;
            }
        }
        let moved = amounts.map(wide).concat();
        let mut data = vec![from, order.to];
        data.extend(&moved);
        data.extend(halves(after.sqrt_ratio));
        data.push(Felt::from(after.liquidity));
        data.extend(Signed::of_tick(after.tick).felts());
        env.emit(&[selector("Swap")], &data);
        Ok(moved)
    }
}
