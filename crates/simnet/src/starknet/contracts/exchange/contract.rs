//! The two ways to trade: an exact amount sold, and an exact amount bought.

use super::fees::{self, Integrator, Side};
use super::identity::Exchange;
use super::routes::{self, Route};
use super::walk;
use crate::starknet::class::{
    ADDRESS, BOOL, Class, EventSignature, FELTS, Interface, Structure, Typed, U128,
    U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, halves};
use crate::starknet::contracts::arithmetic::{add, ensure, mul_div_up, sub};
use crate::starknet::contracts::erc20::{balance_of, collect, pay};
use crate::starknet::failure::{Returned, Revert};
use primitives::{Felt, U256, selector};
use std::sync::LazyLock;

/// How often more is sold until an exact amount is bought.
const MAX_TOP_UPS: usize = 3;

type Entrypoint = Function<Exchange>;

const ROUTE: &str = "avnu::models::Route";
const ROUTES: &str = "core::array::Array::<avnu::models::Route>";

/// A direct route; a branch has more in the place of the exchange.
const ROUTE_STRUCTURE: Structure = (
    ROUTE,
    &[
        ("sell_token", ADDRESS),
        ("buy_token", ADDRESS),
        ("exchange_address", ADDRESS),
        ("percent", U128),
        ("additional_swap_params", FELTS),
    ],
);

const SELLING: &[Typed] = &[
    ("sell_token_address", ADDRESS),
    ("sell_token_amount", U256_TYPE),
    ("buy_token_address", ADDRESS),
    ("buy_token_amount", U256_TYPE),
    ("buy_token_min_amount", U256_TYPE),
    ("beneficiary", ADDRESS),
    ("integrator_fee_amount_bps", U128),
    ("integrator_fee_recipient", ADDRESS),
    ("routes", ROUTES),
];
const BUYING: &[Typed] = &[
    ("sell_token_address", ADDRESS),
    ("sell_token_amount", U256_TYPE),
    ("sell_token_max_amount", U256_TYPE),
    ("buy_token_address", ADDRESS),
    ("buy_token_amount", U256_TYPE),
    ("beneficiary", ADDRESS),
    ("integrator_fee_amount_bps", U128),
    ("integrator_fee_recipient", ADDRESS),
    ("routes", ROUTES),
];

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::external("multi_route_swap", SELLING, &[BOOL], Exchange::multi_route_swap),
    Entrypoint::external("swap_exact_token_to", BUYING, &[BOOL], Exchange::swap_exact_token_to),
];

#[rustfmt::skip]
const EVENTS: &[EventSignature] = &[
    EventSignature { name: "Swap", keys: &[], data: &[
        ("taker_address", ADDRESS), ("sell_address", ADDRESS), ("sell_amount", U256_TYPE),
        ("buy_address", ADDRESS), ("buy_amount", U256_TYPE), ("beneficiary", ADDRESS),
    ] },
    EventSignature { name: "OptimizedSwap", keys: &[], data: &[
        ("sell_address", ADDRESS), ("buy_address", ADDRESS), ("exchange_address", ADDRESS), ("sell_amount", U256_TYPE),
    ] },
];

static KIND: LazyLock<Kind<Exchange>> = LazyLock::new(|| {
    let interface = Interface {
        structures: &[ROUTE_STRUCTURE, fees::STRUCTURE],
        events: EVENTS,
        ..Interface::default()
    };
    let functions = [fees::FUNCTIONS, FUNCTIONS].concat();
    Kind::new("Exchange", &functions, interface)
});

impl Contract for Exchange {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }
}

/// What is traded for what, and for whom.
#[derive(Debug, Clone, Copy)]
struct TakerOrder {
    taker: Felt,
    sold: Felt,
    bought: Felt,
    beneficiary: Felt,
}

impl TakerOrder {
    /// Takes what is to be sold, and checks where the routes begin and end.
    fn begin(
        &self,
        env: &mut Env<'_, '_>,
        amount: U256,
        routes: &[Route<'_>],
    ) -> Result<(), Revert> {
        let own = self.beneficiary == self.taker;
        ensure(own, "Beneficiary is not the caller")?;
        self.collect(env, amount)?;
        let ends = routes.first().zip(routes.last());
        let (first, last) = ends.ok_or_else(|| Revert::new("Routes is empty"))?;
        ensure(first.sold == self.sold, "Invalid token from")?;
        ensure(last.bought == self.bought, "Invalid token to")
    }

    /// Takes an amount of what is sold.
    fn collect(&self, env: &mut Env<'_, '_>, amount: U256) -> Result<(), Revert> {
        ensure(!amount.is_zero(), "Token from amount is 0")?;
        let balance = balance_of(env, self.sold, self.taker)?;
        ensure(balance >= amount, "Token from balance is too low")?;
        let own = env.address();
        collect(env, self.sold, (self.taker, own), amount)
    }

    /// What the exchange has of the bought token.
    fn received(&self, env: &mut Env<'_, '_>) -> Result<U256, Revert> {
        let own = env.address();
        balance_of(env, self.bought, own)
    }

    /// Checks that nothing is left of any token on the way, and tells.
    fn end(
        &self,
        env: &mut Env<'_, '_>,
        routes: &[Route<'_>],
        sold: U256,
        bought: U256,
    ) -> Result<(), Revert> {
        let own = env.address();
        let mut checked = vec![self.bought];
        for token in routes.iter().flat_map(|route| [route.sold, route.bought]) {
            if !checked.contains(&token) {
                let balance = balance_of(env, token, own)?;
                ensure(balance.is_zero(), "Residual tokens")?;
                checked.push(token);
            }
        }
        let mut data = vec![self.taker, self.sold];
        data.extend(halves(sold));
        data.push(self.bought);
        data.extend(halves(bought));
        data.push(self.beneficiary);
        env.emit(&[selector("Swap")], &data);
        Ok(())
    }

    /// Sells `sold`, and then more until there is `target`, at most `most` in
    /// all. Answers with what was sold and what there is.
    fn reach(
        &self,
        env: &mut Env<'_, '_>,
        routes: &[Route<'_>],
        [sold, most]: [U256; 2],
        target: U256,
    ) -> Result<[U256; 2], Revert> {
        walk::along(env, routes)?;
        let mut received = self.received(env)?;
        let aim = add(target, fees::exact_out_aim(env, target)?)?;
        let (mut all, mut left) = (sold, sub(most, sold)?);
        // The last sale, and what it brought.
        let (mut last, mut brought) = (sold, received);
        for _ in 0..MAX_TOP_UPS {
            if received >= target {
                break;
            }
            let missing = sub(aim, received)?;
            last = mul_div_up(last, missing, brought, "Overflow: swap iteration")?;
            ensure(last <= left, "Insufficient token from amount")?;
            self.collect(env, last)?;
            walk::along(env, routes)?;
            let now = self.received(env)?;
            brought = sub(now, received)?;
            (all, left, received) = (add(all, last)?, sub(left, last)?, now);
        }
        ensure(received >= target, "Too many iterations")?;
        Ok([all, received])
    }
}

#[expect(clippy::unused_self, reason = "the shape of all entrypoints")]
impl Exchange {
    /// Sells exactly so much for at least so much.
    fn multi_route_swap(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (sold, amount) = (calldata.felt()?, calldata.u256()?);
        let (bought, _expected) = (calldata.felt()?, calldata.u256()?);
        let (least, beneficiary) = (calldata.u256()?, calldata.felt()?);
        let integrator = Integrator::read(calldata)?;
        let routes = routes::read(calldata)?;
        let order = TakerOrder {
            taker: env.caller(),
            sold,
            bought,
            beneficiary,
        };
        order.begin(env, amount, &routes)?;
        let side = fees::side(env, sold, bought);
        let bps = fees::own_bps(env, routes.len(), &integrator);
        if side == Side::Sold {
            fees::take(env, sold, amount, bps, &integrator)?;
        }
        walk::along(env, &routes)?;
        let received = order.received(env)?;
        let paid = match side {
            Side::Sold => received,
            Side::Bought => fees::take(env, bought, received, bps, &integrator)?,
        };
        ensure(paid >= least, "Insufficient tokens received")?;
        pay(env, bought, beneficiary, paid)?;
        order.end(env, &routes, amount, paid)?;
        Ok(vec![Felt::ONE])
    }

    /// Buys exactly so much for at most so much. What there is beyond that is
    /// the exchange's fee.
    fn swap_exact_token_to(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (sold, amount, most) = (calldata.felt()?, calldata.u256()?, calldata.u256()?);
        let (bought, wanted) = (calldata.felt()?, calldata.u256()?);
        let beneficiary = calldata.felt()?;
        let integrator = Integrator::read(calldata)?;
        let routes = routes::read(calldata)?;
        let order = TakerOrder {
            taker: env.caller(),
            sold,
            bought,
            beneficiary,
        };
        ensure(most >= amount, "Invalid token from max amount")?;
        order.begin(env, amount, &routes)?;
        let side = fees::side(env, sold, bought);
        let fee = integrator.exact_out_fee(side, amount, wanted)?;
        let target = match side {
            Side::Sold => {
                pay_fee(env, sold, integrator.recipient, fee)?;
                wanted
            }
            Side::Bought => add(wanted, fee)?,
        };
        let [all, received] = order.reach(env, &routes, [amount, most], target)?;
        pay(env, bought, beneficiary, wanted)?;
        if side == Side::Bought {
            pay_fee(env, bought, integrator.recipient, fee)?;
        }
        let surplus = sub(received, target)?;
        if !surplus.is_zero() {
            let recipient = fees::recipient(env);
            ensure(recipient != Felt::ZERO, "Fee recipient is empty")?;
            pay(env, bought, recipient, surplus)?;
        }
        order.end(env, &routes, all, wanted)?;
        Ok(vec![Felt::ONE])
    }
}

/// Pays a fee, if there is one.
fn pay_fee(env: &mut Env<'_, '_>, token: Felt, to: Felt, fee: U256) -> Result<(), Revert> {
    if fee.is_zero() {
        Ok(())
    } else {
        pay(env, token, to, fee)
    }
}
