//! Orders as people place them.

use super::GeneratedMarket;
use super::stage::whole;
use super::tokens::{Role, Token, of_role};
use crate::Draws;
use primitives::{Address, Felt, U256};
use routing::{Amount, Costs, Order, VenueSet};

/// An order on a generated market.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Query {
    /// The token to be sold.
    pub sell: Address,
    /// The token to be bought.
    pub buy: Address,
    /// How much is sold or bought, in smallest units.
    pub amount: U256,
    /// Whether the amount is what must be bought.
    pub exact_out: bool,
    /// How many routes are asked for.
    pub size: usize,
    /// Whether every swap has to go from the one token to the other.
    pub direct: bool,
    /// What the amount is worth by the reference prices.
    pub worth: f64,
}

/// Roles of the two tokens of an order, and how often they are asked for.
const PAIRS: [([Role; 2], f64); 5] = [
    ([Role::Hub, Role::Hub], 0.4),
    ([Role::Hub, Role::Middle], 0.2),
    ([Role::Hub, Role::Tail], 0.3),
    ([Role::Middle, Role::Middle], 0.05),
    ([Role::Tail, Role::Tail], 0.05),
];

/// What orders are worth, and those with a small token.
const WORTH: (f64, f64) = (3.0, 500_000.0);
const WORTH_OF_TAILS: (f64, f64) = (2.0, 2_000.0);

/// What people ask for: routes of so many swaps at most,
pub const MAX_SWAPS: usize = 12;
/// each of which costs so much by reference prices,
pub const SWAP: f64 = 0.02;
/// and of what a sale buys the platform takes this with one swap, and with more.
const FEES: [f64; 2] = [0.000_2, 0.001_5];

/// Draws until another token must have come.
const TRIES: u32 = 64;

impl Query {
    /// The order as the program puts it for somebody who asks with the usual
    /// settings: a purchase costs no fee of the platform.
    #[must_use]
    pub fn asked(&self, market: &GeneratedMarket) -> Order {
        let mut order = self.order(market, SWAP, MAX_SWAPS);
        if !self.exact_out {
            [order.costs.fee_one, order.costs.fee_many] = FEES;
        }
        order
    }

    /// The order, with so much lost for each swap by reference prices.
    #[must_use]
    pub fn order(&self, market: &GeneratedMarket, swap: f64, max_swaps: usize) -> Order {
        let open = if self.exact_out { self.sell } else { self.buy };
        let worth = market.worth(open);
        let cost = if worth > 0.0 { swap / worth } else { 0.0 };
        let venues = market.pools().registry().venues().len();
        Order {
            sell: self.sell,
            buy: self.buy,
            amount: if self.exact_out {
                Amount::Out(self.amount)
            } else {
                let (one, many) = (self.amount, self.amount);
                Amount::In { one, many }
            },
            avoid: VenueSet::NONE,
            direct: self.direct,
            max_swaps,
            costs: Costs {
                swap: vec![cost; venues],
                ..Costs::default()
            },
        }
    }
}

impl GeneratedMarket {
    /// The next order; `None` where there are no two tokens.
    #[must_use]
    pub fn query(&self, draws: &Draws) -> Option<Query> {
        let ([first, second], _) = PAIRS.get(draws.weighted(&PAIRS.map(|(_, often)| often)))?;
        let first = self.some(draws, *first)?;
        let mut others = (0..TRIES).filter_map(|_| self.some(draws, *second));
        let second = others.find(|token| token.address != first.address)?;
        let (sold, mut bought) = if draws.happens(0.5) {
            (first, second)
        } else {
            (second, first)
        };
        if draws.happens(0.02) {
            // Nobody trades it.
            bought.address = Address::new(Felt::from(draws.any()));
        }
        let small = [sold, bought].iter().any(|token| token.role == Role::Tail);
        let (least, most) = if small { WORTH_OF_TAILS } else { WORTH };
        let worth = draws.log_between(least, most);
        let exact_out = draws.happens(0.2);
        let named = if exact_out { bought } else { sold };
        Some(Query {
            sell: sold.address,
            buy: bought.address,
            amount: U256::from(whole(worth / named.worth).max(1)),
            exact_out,
            size: if draws.happens(0.1) { 5 } else { 1 },
            direct: draws.happens(0.05),
            worth,
        })
    }

    /// Some token of a role.
    fn some(&self, draws: &Draws, role: Role) -> Option<Token> {
        let tokens = of_role(&self.tokens, role);
        tokens.get(draws.place(tokens.len())).copied()
    }
}
