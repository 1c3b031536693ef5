//! The router: swaps with the tokens that it was given before, and keeps what
//! it gets until somebody clears it.

use super::addresses::CORE;
use super::clear;
use super::core::{kind, swap};
use super::maths::{MAX_SQRT_RATIO, MIN_SQRT_RATIO, Rounding};
use super::pool::Pool;
use super::pool_key::PoolKey;
use super::wire::{
    DELTA, DELTAS, Delta, NODE, NODES, STRUCTURES, SwapParameters, TOKEN_AMOUNT, read_key,
};
use crate::starknet::class::{ADDRESS, Class, Interface, Structure, Typed, U256 as U256_TYPE};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::contracts::signed::Signed;
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::felt;
use crate::starknet::state::Key;
use primitives::{Felt, U256};
use std::sync::LazyLock;

/// Pools that one swap may pass, and swaps of one call.
const MAX_NODES: usize = 32;

type Entrypoint = Function<Router>;

const SWAP: &str = "ekubo::interfaces::router::Swap";
const SINGLE: &[Typed] = &[("node", NODE), ("token_amount", TOKEN_AMOUNT)];
const ROUTE: &[Typed] = &[("route", NODES), ("token_amount", TOKEN_AMOUNT)];
const SWAP_STRUCTURE: Structure = (SWAP, ROUTE);

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::external("swap", SINGLE, &[DELTA], Router::swap),
    Entrypoint::external("multihop_swap", ROUTE, &[DELTAS], Router::multihop_swap),
    Entrypoint::external("multi_multihop_swap", &[("swaps", "core::array::Array::<ekubo::interfaces::router::Swap>")], &["core::array::Array::<core::array::Array::<ekubo::types::delta::Delta>>"], Router::multi_multihop_swap),
    Entrypoint::view("quote_swap", SINGLE, &[DELTA], Router::quote_swap),
    Entrypoint::external("clear", &[("token", ADDRESS)], &[U256_TYPE], clear::clear),
    Entrypoint::external("clear_minimum", &[("token", ADDRESS), ("minimum", U256_TYPE)], &[U256_TYPE], clear::clear_minimum),
    Entrypoint::external("clear_minimum_to_recipient", &[("token", ADDRESS), ("minimum", U256_TYPE), ("recipient", ADDRESS)], &[U256_TYPE], clear::clear_minimum_to_recipient),
];

static KIND: LazyLock<Kind<Router>> = LazyLock::new(|| {
    let interface = Interface {
        structures: &[STRUCTURES, &[SWAP_STRUCTURE]].concat(),
        ..Interface::default()
    };
    Kind::new("Ekubo router", FUNCTIONS, interface)
});

#[derive(Debug)]
pub(super) struct Router;

impl Contract for Router {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }
}

/// One pool on the way.
struct Node {
    key: PoolKey,
    limit: U256,
    skip_ahead: u128,
}

/// An amount sold (plus) or bought (minus).
#[derive(Clone, Copy)]
struct TokenAmount {
    token: Felt,
    amount: Signed,
}

fn read_node(calldata: &mut Calldata<'_>) -> Result<Node, Revert> {
    Ok(Node {
        key: read_key(calldata)?,
        limit: calldata.u256()?,
        skip_ahead: calldata.u128()?,
    })
}

fn read_nodes(calldata: &mut Calldata<'_>) -> Result<Vec<Node>, Revert> {
    let count = calldata.length()?;
    ensure(count <= MAX_NODES, "too many nodes")?;
    (0..count).map(|_| read_node(calldata)).collect()
}

fn read_amount(calldata: &mut Calldata<'_>) -> Result<TokenAmount, Revert> {
    Ok(TokenAmount {
        token: calldata.felt()?,
        amount: Signed::read(calldata)?,
    })
}

impl Node {
    /// What the core is asked to do; no limit means the widest.
    fn order(&self, sale: TokenAmount) -> Result<SwapParameters, Revert> {
        ensure(self.key.tokens.contains(&sale.token), "INVALID_TOKEN")?;
        let is_token1 = self.key.tokens[1] == sale.token;
        let limit = match (self.limit.is_zero(), is_token1 != sale.amount.negative) {
            (false, _) => self.limit,
            (true, true) => MAX_SQRT_RATIO,
            (true, false) => MIN_SQRT_RATIO,
        };
        Ok(SwapParameters {
            amount: sale.amount,
            is_token1,
            limit,
            skip_ahead: self.skip_ahead,
        })
    }

    /// What the next pool sells, or has to give, after this one.
    fn next(&self, sale: TokenAmount, delta: Delta) -> TokenAmount {
        let ([token0, token1], Delta([amount0, amount1])) = (self.key.tokens, delta);
        let (token, amount) = if sale.token == token1 {
            (token0, amount0)
        } else {
            (token1, amount1)
        };
        TokenAmount {
            token,
            amount: amount.opposite(),
        }
    }
}

/// Swaps along a route.
fn travel(
    env: &mut Env<'_, '_>,
    nodes: &[Node],
    mut sale: TokenAmount,
) -> Result<Vec<Delta>, Revert> {
    let mut deltas = Vec::new();
    for node in nodes {
        let delta = swap(env, &node.key, node.order(sale)?)?;
        sale = node.next(sale, delta);
        deltas.push(delta);
    }
    Ok(deltas)
}

fn list(deltas: &[Delta]) -> Vec<Felt> {
    let mut returned = vec![Felt::from(deltas.len())];
    returned.extend(deltas.iter().flat_map(|delta| delta.felts()));
    returned
}

#[expect(clippy::unused_self, reason = "the shape of all entrypoints")]
impl Router {
    fn swap(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (node, sale) = (read_node(calldata)?, read_amount(calldata)?);
        let delta = swap(env, &node.key, node.order(sale)?)?;
        Ok(delta.felts())
    }

    fn multihop_swap(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (nodes, sale) = (read_nodes(calldata)?, read_amount(calldata)?);
        Ok(list(&travel(env, &nodes, sale)?))
    }

    fn multi_multihop_swap(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let count = calldata.length()?;
        ensure(count <= MAX_NODES, "too many swaps")?;
        let mut returned = vec![Felt::from(count)];
        for _ in 0..count {
            let (nodes, sale) = (read_nodes(calldata)?, read_amount(calldata)?);
            returned.extend(list(&travel(env, &nodes, sale)?));
        }
        Ok(returned)
    }

    /// What a swap would come to; nothing moves.
    fn quote_swap(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (node, sale) = (read_node(calldata)?, read_amount(calldata)?);
        let class_hash = felt(env.syscalls.read(&Key::class_hash(CORE)));
        let rounding = if class_hash == kind(Rounding::Exact).class.hash {
            Rounding::Exact
        } else {
            Rounding::Older
        };
        let pool = Pool::new(&node.key);
        let walk = pool.walk(env.syscalls, rounding, node.order(sale)?)?;
        Ok(walk.delta.felts())
    }
}
