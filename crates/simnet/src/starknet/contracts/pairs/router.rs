//! The router of a venue: trades along a path of pairs, and brings liquidity.

use super::curve::{self, Sale, Shape};
use super::factory::{id_inputs, pair_of};
use super::pair_id::PairId;
use super::rules::{Path, Reserves, Rules};
use crate::starknet::class::{
    ADDRESS, ADDRESSES, BOOL, Class, FELT, Interface, Structure, Typed, U8, U64, U256 as U256_TYPE,
    U256S,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, halves};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::contracts::erc20::collect;
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::from_felt;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};

/// Pairs that one trade may pass.
const MAX_HOPS: usize = 8;

type Entrypoint = Function<Router>;

const STABLE_ROUTE: &str = "stoa::router::Route";
const TIERED_ROUTE: &str = "stoa::router::SwapPath";
const STABLE_ROUTES: &str = "core::array::Array::<stoa::router::Route>";
const TIERED_ROUTES: &str = "core::array::Array::<stoa::router::SwapPath>";

const STABLE_STRUCTURE: &[Structure] = &[(
    STABLE_ROUTE,
    &[
        ("from_address", ADDRESS),
        ("to_address", ADDRESS),
        ("stable", FELT),
    ],
)];
const TIERED_STRUCTURE: &[Structure] = &[(
    TIERED_ROUTE,
    &[
        ("tokenIn", ADDRESS),
        ("tokenOut", ADDRESS),
        ("stable", BOOL),
        ("feeTier", U8),
    ],
)];

pub(super) fn kind(rules: &Rules) -> Kind<Router> {
    let interface = Interface {
        structures: match rules.path {
            Path::Tokens | Path::Pairs => &[],
            Path::Stable => STABLE_STRUCTURE,
            Path::Tiered => TIERED_STRUCTURE,
        },
        ..Interface::default()
    };
    let name = format!("{} router", rules.name);
    Kind::new(&name, &functions(rules), interface)
}

/// Arguments of which some depend on the venue. The tables of entrypoints live
/// as long as the program, and so do these.
fn inputs(parts: &[&[Typed]]) -> &'static [Typed] {
    Vec::leak(parts.concat())
}

#[rustfmt::skip]
fn functions(rules: &Rules) -> Vec<Entrypoint> {
    const SOLD: &[Typed] = &[("amountIn", U256_TYPE), ("amountOutMin", U256_TYPE)];
    const BOUGHT: &[Typed] = &[("amountOut", U256_TYPE), ("amountInMax", U256_TYPE)];
    const END: &[Typed] = &[("to", ADDRESS), ("deadline", U64)];
    const RESERVES: &[Typed] = &[("reserveA", U256_TYPE), ("reserveB", U256_TYPE)];
    const NARROW: &[Typed] = &[("reserveA", FELT), ("reserveB", FELT)];
    const ADDED: &[Typed] = &[
        ("amountADesired", U256_TYPE), ("amountBDesired", U256_TYPE),
        ("amountAMin", U256_TYPE), ("amountBMin", U256_TYPE),
        ("to", ADDRESS), ("deadline", U64),
    ];
    const REMOVED: &[Typed] = &[
        ("liquidity", U256_TYPE), ("amountAMin", U256_TYPE), ("amountBMin", U256_TYPE),
        ("to", ADDRESS), ("deadline", U64),
    ];
    const PAIR_OF_AMOUNTS: &str = "(core::integer::u256, core::integer::u256)";
    const THREE_AMOUNTS: &str = "(core::integer::u256, core::integer::u256, core::integer::u256)";
    let name = |snake, camel| rules.case.name(snake, camel);
    let path: &[Typed] = match rules.path {
        Path::Tokens => &[("path", ADDRESSES)],
        Path::Stable => &[("routes", STABLE_ROUTES)],
        Path::Tiered => &[("path", TIERED_ROUTES)],
        Path::Pairs => &[("token_in", ADDRESS), ("pairs", ADDRESSES)],
    };
    let id = id_inputs(rules.path);
    let reserves = if rules.reserves == Reserves::Narrow { NARROW } else { RESERVES };
    let amount: &[Typed] = &[("amount", U256_TYPE)];
    let mut functions = vec![
        Entrypoint::view("factory", &[], &[ADDRESS], Router::factory),
        Entrypoint::view("quote", inputs(&[&[("amountA", U256_TYPE)], reserves]), &[U256_TYPE], Router::quote),
        Entrypoint::view(name("get_amounts_out", "getAmountsOut"), inputs(&[amount, path]), &[U256S], Router::get_amounts_out),
        Entrypoint::external(name("add_liquidity", "addLiquidity"), inputs(&[id, ADDED]), &[THREE_AMOUNTS], Router::add_liquidity),
        Entrypoint::external(name("remove_liquidity", "removeLiquidity"), inputs(&[id, REMOVED]), &[PAIR_OF_AMOUNTS], Router::remove_liquidity),
        Entrypoint::external(name("swap_exact_tokens_for_tokens", "swapExactTokensForTokens"), inputs(&[SOLD, path, END]), &[U256S], Router::swap_exact_in),
    ];
    if rules.path == Path::Tokens {
        let one = inputs(&[amount, reserves]);
        functions.push(Entrypoint::view(name("get_amount_out", "getAmountOut"), one, &[U256_TYPE], Router::get_amount_out));
        functions.push(Entrypoint::view(name("get_amount_in", "getAmountIn"), one, &[U256_TYPE], Router::get_amount_in));
    }
    if rules.path != Path::Stable {
        functions.push(Entrypoint::view(name("get_amounts_in", "getAmountsIn"), inputs(&[amount, path]), &[U256S], Router::get_amounts_in));
        functions.push(Entrypoint::external(name("swap_tokens_for_exact_tokens", "swapTokensForExactTokens"), inputs(&[BOUGHT, path, END]), &[U256S], Router::swap_exact_out));
    }
    functions
}

/// The router of a venue.
#[derive(Debug)]
pub(super) struct Router {
    pub(super) rules: &'static Rules,
    pub(super) kind: &'static Kind<Router>,
}

impl Contract for Router {
    fn class(&self) -> &'static Class {
        &self.kind.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        self.kind.entrypoints.run(self, env, selector, calldata)
    }
}

/// One pair of a path and the way through it.
#[derive(Debug, Clone, Copy)]
struct Hop {
    pair: Felt,
    sold: Felt,
    bought: Felt,
    /// Whether the pair's first token is sold.
    first: bool,
}

#[expect(clippy::unnecessary_wraps, reason = "the shape of all entrypoints")]
impl Router {
    fn factory(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![self.rules.factory])
    }

    fn quote(&self, _: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let amount = calldata.u256()?;
        let worth = curve::quote(amount, self.read_reserves(calldata)?)?;
        Ok(halves(worth).to_vec())
    }

    fn get_amount_out(&self, _: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let amount = calldata.u256()?;
        let sale = self.fixed_sale(self.read_reserves(calldata)?);
        self.check_sale(sale, amount)?;
        Ok(halves(self.rules.fee.amount_out(sale, amount)?).to_vec())
    }

    fn get_amount_in(&self, _: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let amount = calldata.u256()?;
        let sale = self.fixed_sale(self.read_reserves(calldata)?);
        self.check_purchase(sale, amount)?;
        Ok(halves(self.rules.fee.amount_in(sale, amount)?).to_vec())
    }

    fn get_amounts_out(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let amount = calldata.u256()?;
        let hops = self.read_path(env, calldata)?;
        Ok(list(&self.amounts_out(env, &hops, amount)?))
    }

    fn get_amounts_in(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let amount = calldata.u256()?;
        let hops = self.read_path(env, calldata)?;
        Ok(list(&self.amounts_in(env, &hops, amount)?))
    }

    fn swap_exact_in(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (amount, least) = (calldata.u256()?, calldata.u256()?);
        let hops = self.read_path(env, calldata)?;
        let (to, _deadline) = (calldata.felt()?, calldata.felt()?);
        let amounts = self.amounts_out(env, &hops, amount)?;
        let enough = amounts.last().is_some_and(|bought| *bought >= least);
        ensure(enough, self.rules.words.little_out)?;
        self.trade(env, &hops, &amounts, to)
    }

    fn swap_exact_out(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (amount, most) = (calldata.u256()?, calldata.u256()?);
        let hops = self.read_path(env, calldata)?;
        let (to, _deadline) = (calldata.felt()?, calldata.felt()?);
        let amounts = self.amounts_in(env, &hops, amount)?;
        let affordable = amounts.first().is_some_and(|sold| *sold <= most);
        ensure(affordable, self.rules.words.much_in)?;
        self.trade(env, &hops, &amounts, to)
    }

    fn add_liquidity(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (id, turned) = self.rules.read_id_in_order(calldata)?;
        let desired = [calldata.u256()?, calldata.u256()?];
        let least = [calldata.u256()?, calldata.u256()?];
        let (to, _deadline) = (calldata.felt()?, calldata.felt()?);
        let mut pair = pair_of(env, self.rules, &id)?;
        if pair == Felt::ZERO {
            let returned = env.call(&self.rules.create_pair_call(&id))?;
            pair = Calldata::new(&returned).felt()?;
        }
        let reserves = self.reserves(env, pair, !turned)?;
        let amounts = self.balanced(desired, least, reserves)?;
        let from = env.caller();
        let tokens = in_order(id.tokens, turned);
        for (token, amount) in tokens.into_iter().zip(amounts) {
            collect(env, token, (from, pair), amount)?;
        }
        let shares = env.call(&call(pair, "mint", vec![to]))?;
        Ok([amounts.map(halves).concat(), shares].concat())
    }

    fn remove_liquidity(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (id, turned) = self.rules.read_id_in_order(calldata)?;
        let shares = calldata.u256()?;
        let least = [calldata.u256()?, calldata.u256()?];
        let (to, _deadline) = (calldata.felt()?, calldata.felt()?);
        let pair = self.known_pair(env, &id)?;
        let from = env.caller();
        collect(env, pair, (from, pair), shares)?;
        let returned = env.call(&call(pair, "burn", vec![to]))?;
        let mut returned = Calldata::new(&returned);
        let amounts = in_order([returned.u256()?, returned.u256()?], turned);
        self.check_least(amounts, least)?;
        Ok(amounts.map(halves).concat())
    }

    fn check_least(&self, [a, b]: [U256; 2], [least_a, least_b]: [U256; 2]) -> Result<(), Revert> {
        ensure(a >= least_a, self.rules.words.little_a)?;
        ensure(b >= least_b, self.rules.words.little_b)
    }

    /// As much of both as is wanted and worth the same.
    fn balanced(
        &self,
        [a, b]: [U256; 2],
        least: [U256; 2],
        reserves: [U256; 2],
    ) -> Result<[U256; 2], Revert> {
        if reserves.iter().all(U256::is_zero) {
            return Ok([a, b]);
        }
        let [reserve_a, reserve_b] = reserves;
        let worth_of_a = curve::quote(a, [reserve_a, reserve_b])?;
        let amounts = if worth_of_a <= b {
            [a, worth_of_a]
        } else {
            [curve::quote(b, [reserve_b, reserve_a])?, b]
        };
        self.check_least(amounts, least)?;
        Ok(amounts)
    }

    fn known_pair(&self, env: &mut Env<'_, '_>, id: &PairId) -> Result<Felt, Revert> {
        let pair = pair_of(env, self.rules, id)?;
        ensure(pair != Felt::ZERO, self.rules.words.no_pair)?;
        Ok(pair)
    }

    fn read_reserves(&self, calldata: &mut Calldata<'_>) -> Result<[U256; 2], Revert> {
        let mut next = || match self.rules.reserves {
            Reserves::Timed | Reserves::Plain => calldata.u256(),
            Reserves::Narrow => calldata.felt().map(from_felt),
        };
        Ok([next()?, next()?])
    }

    /// The reserves of a pair, that of the sold token first.
    fn reserves(
        &self,
        env: &mut Env<'_, '_>,
        pair: Felt,
        first: bool,
    ) -> Result<[U256; 2], Revert> {
        let name = self.rules.case.name("get_reserves", "getReserves");
        let returned = env.call(&call(pair, name, Vec::new()))?;
        let reserves = self.read_reserves(&mut Calldata::new(&returned))?;
        Ok(in_order(reserves, !first))
    }

    /// A sale at a venue where all pairs are alike.
    fn fixed_sale(&self, reserves: [U256; 2]) -> Sale {
        let [fee, _] = self.rules.first_fees;
        Sale {
            reserves,
            shape: Shape::Volatile,
            fee: U256::from(fee),
        }
    }

    fn check_sale(&self, sale: Sale, amount: U256) -> Result<(), Revert> {
        let words = &self.rules.words;
        ensure(!amount.is_zero(), words.no_input)?;
        ensure(!sale.reserves.iter().any(U256::is_zero), words.no_liquidity)
    }

    fn check_purchase(&self, sale: Sale, amount: U256) -> Result<(), Revert> {
        let words = &self.rules.words;
        ensure(!amount.is_zero(), words.no_output)?;
        let [_, reserve] = sale.reserves;
        ensure(amount < reserve, words.no_liquidity)
    }

    fn amounts_out(
        &self,
        env: &mut Env<'_, '_>,
        hops: &[Hop],
        amount: U256,
    ) -> Result<Vec<U256>, Revert> {
        let mut amounts = vec![amount];
        let mut amount = amount;
        for hop in hops {
            amount = self.amount_out(env, *hop, amount)?;
            amounts.push(amount);
        }
        Ok(amounts)
    }

    fn amounts_in(
        &self,
        env: &mut Env<'_, '_>,
        hops: &[Hop],
        amount: U256,
    ) -> Result<Vec<U256>, Revert> {
        let mut amounts = vec![amount];
        let mut amount = amount;
        for hop in hops.iter().rev() {
            amount = self.amount_in(env, *hop, amount)?;
            amounts.push(amount);
        }
        amounts.reverse();
        Ok(amounts)
    }

    /// Asks the pair where it knows its own fee, and computes it where not.
    fn amount_out(&self, env: &mut Env<'_, '_>, hop: Hop, amount: U256) -> Result<U256, Revert> {
        let (name, which) = match self.rules.path {
            Path::Tokens => {
                let sale = self.fixed_sale(self.reserves(env, hop.pair, hop.first)?);
                self.check_sale(sale, amount)?;
                return self.rules.fee.amount_out(sale, amount);
            }
            Path::Stable => ("getAmountOut", hop.sold),
            Path::Tiered => ("get_amount_out", hop.sold),
            Path::Pairs => ("out_given_in", Felt::from(hop.first)),
        };
        ask(env, hop.pair, name, amount, which)
    }

    fn amount_in(&self, env: &mut Env<'_, '_>, hop: Hop, amount: U256) -> Result<U256, Revert> {
        let (name, which) = match self.rules.path {
            Path::Tokens | Path::Stable => {
                let sale = self.fixed_sale(self.reserves(env, hop.pair, hop.first)?);
                self.check_purchase(sale, amount)?;
                return self.rules.fee.amount_in(sale, amount);
            }
            Path::Tiered => ("get_amount_in", hop.sold),
            Path::Pairs => ("in_given_out", Felt::from(hop.first)),
        };
        ask(env, hop.pair, name, amount, which)
    }

    /// Pays the first pair and swaps along the path.
    fn trade(&self, env: &mut Env<'_, '_>, hops: &[Hop], amounts: &[U256], to: Felt) -> Returned {
        if let (Some(hop), Some(amount)) = (hops.first(), amounts.first()) {
            let from = env.caller();
            collect(env, hop.sold, (from, hop.pair), *amount)?;
        }
        let next = hops.iter().skip(1).map(|hop| hop.pair).chain([to]);
        for ((hop, bought), to) in hops.iter().zip(amounts.iter().skip(1)).zip(next) {
            let [out0, out1] = in_order([U256::ZERO, *bought], !hop.first);
            let mut calldata = [halves(out0), halves(out1)].concat();
            calldata.push(to);
            if self.rules.calls_back {
                calldata.push(Felt::ZERO);
            }
            env.call(&call(hop.pair, "swap", calldata))?;
        }
        Ok(list(amounts))
    }

    fn read_path(
        &self,
        env: &mut Env<'_, '_>,
        calldata: &mut Calldata<'_>,
    ) -> Result<Vec<Hop>, Revert> {
        let hops = match self.rules.path {
            Path::Tokens => {
                let tokens = calldata.felts()?;
                let pairs = tokens.iter().zip(tokens.iter().skip(1));
                pairs
                    .take(MAX_HOPS + 1)
                    .map(|(sold, bought)| self.hop(env, *sold, *bought, false, 0))
                    .collect::<Result<Vec<_>, _>>()?
            }
            Path::Stable | Path::Tiered => {
                let count = calldata.length()?.min(MAX_HOPS + 1);
                let mut hops = Vec::new();
                for _ in 0..count {
                    let (sold, bought) = (calldata.felt()?, calldata.felt()?);
                    let stable = calldata.bool()?;
                    let tier = match self.rules.path {
                        Path::Tiered => self.rules.read_fee(calldata)?,
                        _ => 0,
                    };
                    hops.push(self.hop(env, sold, bought, stable, tier)?);
                }
                hops
            }
            Path::Pairs => self.hops_by_pairs(env, calldata)?,
        };
        let linked = hops.iter().zip(hops.iter().skip(1));
        let whole = linked.fold(true, |whole, (hop, next)| whole && hop.bought == next.sold);
        let sized = (1..=MAX_HOPS).contains(&hops.len());
        ensure(whole && sized, self.rules.words.bad_path)?;
        Ok(hops)
    }

    fn hops_by_pairs(
        &self,
        env: &mut Env<'_, '_>,
        calldata: &mut Calldata<'_>,
    ) -> Result<Vec<Hop>, Revert> {
        let mut sold = calldata.felt()?;
        let mut hops = Vec::new();
        for pair in calldata.felts()?.iter().take(MAX_HOPS + 1) {
            let mut token = |name| {
                let returned = env.call(&call(*pair, name, Vec::new()))?;
                Calldata::new(&returned).felt()
            };
            let tokens = [token("token_0")?, token("token_1")?];
            ensure(tokens.contains(&sold), self.rules.words.bad_path)?;
            let first = tokens[0] == sold;
            let [sold_here, bought] = in_order(tokens, !first);
            hops.push(Hop {
                pair: *pair,
                sold: sold_here,
                bought,
                first,
            });
            sold = bought;
        }
        Ok(hops)
    }

    fn hop(
        &self,
        env: &mut Env<'_, '_>,
        sold: Felt,
        bought: Felt,
        stable: bool,
        fee: u64,
    ) -> Result<Hop, Revert> {
        let id = PairId::new(sold, bought).stable(stable).fee(fee);
        Ok(Hop {
            pair: self.known_pair(env, &id)?,
            sold,
            bought,
            first: id.tokens[0] == sold,
        })
    }
}

/// Asks a pair for an amount.
fn ask(
    env: &mut Env<'_, '_>,
    pair: Felt,
    name: &str,
    amount: U256,
    which: Felt,
) -> Result<U256, Revert> {
    let [low, high] = halves(amount);
    let returned = env.call(&call(pair, name, vec![low, high, which]))?;
    Calldata::new(&returned).u256()
}

fn call(to: Felt, name: &str, calldata: Vec<Felt>) -> Call {
    Call {
        to,
        selector: selector(name),
        calldata,
    }
}

fn in_order<T>([first, second]: [T; 2], turned: bool) -> [T; 2] {
    if turned {
        [second, first]
    } else {
        [first, second]
    }
}

/// Amounts as contracts return a list of them.
fn list(amounts: &[U256]) -> Vec<Felt> {
    let mut returned = vec![Felt::from(amounts.len())];
    returned.extend(amounts.iter().flat_map(|amount| halves(*amount)));
    returned
}
