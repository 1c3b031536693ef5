//! The tokens of a market.

use super::{Plan, Variant};
use crate::Draws;
use primitives::{Address, Felt};

/// How much trade goes through a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Trades with everything.
    Hub,
    /// Trades with hubs and with its like.
    Middle,
    /// Has a pool or two.
    Tail,
}

/// A token with a price that its pools are near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Token {
    /// Its contract.
    pub address: Address,
    /// How many digits it has after the point.
    pub decimals: u8,
    /// What its smallest unit is worth.
    pub worth: f64,
    /// How much trade goes through it.
    pub role: Role,
    /// How likely a pool of its role is one of it.
    pub weight: f64,
    /// Whether it is meant to be worth as much as others of the kind.
    pub stable: bool,
}

/// The hubs: how much trade goes through them, their decimals and prices.
const HUBS: [(f64, u8, f64); 6] = [
    (1.0, 6, 1.0),
    (0.8, 18, 2_500.0),
    (0.7, 18, 0.4),
    (0.4, 6, 1.0),
    (0.3, 8, 50.0),
    (0.15, 18, 1.0),
];

/// The most that the smallest unit of any token is worth: less than any trade
/// notices, so that rounding is not what is measured.
const FINEST: f64 = 1e-6;

/// How many tokens of ten are small ones, in terms of pools.
const TAILS: f64 = 0.45;

/// A market with so few pools has hubs alone.
pub(super) const SMALL: usize = 12;

/// Hubs, tokens between and small ones, in this order.
pub(super) fn tokens(draws: &Draws, plan: &Plan) -> Vec<Token> {
    let hubs = HUBS.into_iter().map(|(weight, decimals, price)| Token {
        address: address(draws),
        decimals,
        worth: price / 10_f64.powi(decimals.into()),
        role: Role::Hub,
        weight,
        stable: (price - 1.0).abs() < f64::EPSILON,
    });
    let mut tokens: Vec<Token> = hubs.collect();
    if plan.pools <= SMALL {
        return tokens;
    }
    let middles = (0..plan.pools.isqrt()).map(|_| other(draws, plan, Role::Middle));
    tokens.extend(middles);
    let tails = (0..share(plan.pools, TAILS)).map(|_| other(draws, plan, Role::Tail));
    tokens.extend(tails);
    tokens
}

/// Those of a role, in a list that is ordered by roles.
pub(super) fn of_role(tokens: &[Token], role: Role) -> &[Token] {
    let first = tokens.partition_point(|token| token.role < role);
    let end = tokens.partition_point(|token| token.role <= role);
    tokens.get(first..end).unwrap_or_default()
}

/// A token that is no hub.
fn other(draws: &Draws, plan: &Plan, role: Role) -> Token {
    let stable = plan.variant == Variant::Stable && role == Role::Middle && draws.happens(0.2);
    let price = match role {
        _ if stable => 1.0,
        Role::Tail => draws.log_between(1e-6, 10.0),
        Role::Hub | Role::Middle => draws.log_between(0.01, 1_000.0),
    };
    let fine = |decimals: &u8| price / 10_f64.powi((*decimals).into()) <= FINEST;
    let decimals = draws.one_of(&[18, 18, 18, 8, 6]);
    let decimals = Some(decimals).filter(fine).unwrap_or(18);
    Token {
        address: address(draws),
        decimals,
        worth: price / 10_f64.powi(decimals.into()),
        role,
        weight: 1.0,
        stable,
    }
}

/// So many of a hundred, as a part of one.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part of a number of pools"
)]
pub(super) fn share(count: usize, part: f64) -> usize {
    (count as f64 * part) as usize
}

/// An address that no other token has, by its length.
fn address(draws: &Draws) -> Address {
    Address::new(Felt::from(draws.any()))
}
