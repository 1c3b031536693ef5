//! Goes along routes, and chooses among the alternatives of a branch.

use super::adapter::Trade;
use super::routes::{Leg, LegChoice, Route};
use crate::starknet::contract::{Env, halves};
use crate::starknet::contracts::arithmetic::{mul_div, mul_div_up, sub};
use crate::starknet::contracts::erc20::balance_of;
use crate::starknet::failure::Revert;
use primitives::{U256, selector};

/// An alternative must pay these parts of what the principal pays.
const BETTER: [u64; 2] = [10_001, 10_000];

/// How often an alternative is tried, each time with so many hundredths of what
/// was tried before.
const TRIES: usize = 5;
const NEXT_TRY: [u64; 2] = [90, 100];

/// A price of one.
const UNIT: U256 = U256::from_limbs([0, 1, 0, 0]);

const BAD_PRICE: &str = "Overflow: Invalid price";

/// Makes all swaps in their order.
pub(super) fn along(env: &mut Env<'_, '_>, routes: &[Route<'_>]) -> Result<(), Revert> {
    for route in routes {
        let own = env.address();
        let balance = balance_of(env, route.sold, own)?;
        match &route.choice {
            LegChoice::Direct(leg) => route.trade(leg).swap(env, leg.share(balance)?)?,
            LegChoice::Branch(principal, alternatives) => {
                let amount = principal.share(balance)?;
                branch(env, route, principal, alternatives, amount)?;
            }
        }
    }
    Ok(())
}

impl Route<'_> {
    fn trade<'c>(&self, leg: &Leg<'c>) -> Trade<'c> {
        Trade {
            sold: self.sold,
            bought: self.bought,
            leg: *leg,
        }
    }
}

/// Sells at alternatives as far as they are better, and the rest at the
/// principal.
fn branch(
    env: &mut Env<'_, '_>,
    route: &Route<'_>,
    principal: &Leg<'_>,
    alternatives: &[Leg<'_>],
    amount: U256,
) -> Result<(), Revert> {
    let principal = route.trade(principal);
    let quoted = principal.quote(env, amount)?;
    let price = mul_div_up(quoted, UNIT, amount, BAD_PRICE)?;
    let [parts, whole] = BETTER.map(U256::from);
    let least = mul_div(price, parts, whole, BAD_PRICE)?;
    let mut left = amount;
    for leg in alternatives {
        let share = leg.share(left)?;
        let alternative = route.trade(leg);
        if let Some(amount) = worthwhile(env, &alternative, share, least)? {
            alternative.swap(env, amount)?;
            left = sub(left, amount)?;
            tell(env, &alternative, amount);
        }
    }
    principal.swap(env, left)
}

/// As much of `amount` as an alternative takes at the price, if it takes any.
fn worthwhile(
    env: &mut Env<'_, '_>,
    alternative: &Trade<'_>,
    mut amount: U256,
    least: U256,
) -> Result<Option<U256>, Revert> {
    let [parts, whole] = NEXT_TRY.map(U256::from);
    for _ in 0..TRIES {
        let quoted = alternative.quote(env, amount)?;
        if mul_div_up(quoted, UNIT, amount, BAD_PRICE)? >= least {
            return Ok(Some(amount));
        }
        amount = mul_div(amount, parts, whole, BAD_PRICE)?.max(U256::ONE);
    }
    Ok(None)
}

/// Tells what an alternative took over.
fn tell(env: &mut Env<'_, '_>, alternative: &Trade<'_>, amount: U256) {
    let mut data = vec![
        alternative.sold,
        alternative.bought,
        alternative.leg.exchange,
    ];
    data.extend(halves(amount));
    env.emit(&[selector("OptimizedSwap")], &data);
}
