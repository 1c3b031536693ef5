//! What is asked for, and what swaps cost beside the pools' own fees.

use amm::book::VenueId;
use primitives::{Address, U256};

/// A trade that somebody wants to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The contract of the token to be sold; there is no route from what no pool trades.
    pub sell: Address,
    /// The contract of the one to be bought; there is no route from a token to itself.
    pub buy: Address,
    /// The side that is fixed, and how much of it, in the token's smallest unit.
    pub amount: Amount,
    /// No pool of these venues is used.
    pub avoid: VenueSet,
    /// Whether every swap goes from the one token to the other, without a token
    /// in between.
    pub direct: bool,
    /// No route has more swaps; with 0 there is none.
    pub max_swaps: usize,
    /// Counts when routes are compared, and is in none of their amounts.
    pub costs: Costs,
}

/// How much goes through the pools of a route: fees that are charged before or
/// after are not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// What is sold: by a route of one swap, and by a longer one, which may
    /// have to leave a higher fee behind.
    In {
        /// What a route of one swap sells.
        one: U256,
        /// What a longer route sells: less where its fee is higher.
        many: U256,
    },
    /// What must be bought: a route sells the least that buys as much.
    Out(U256),
}

/// What swaps cost beside the pools' own fees. Costs are valued in the token
/// whose amount is open: the bought one of a sale, the sold one of a purchase.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Costs {
    /// A swap at each venue, by [`VenueId`]; nothing where the list ends.
    pub swap: Vec<f64>,
    /// A tick that a swap passes.
    pub tick: f64,
    /// The part that a fee takes of what is bought with one swap (or adds to
    /// what has to be sold).
    pub fee_one: f64,
    /// The same with more swaps than one.
    pub fee_many: f64,
}

impl Costs {
    /// What a swap at this venue costs, ticks left out.
    #[must_use]
    pub fn swap_at(&self, venue: VenueId) -> f64 {
        let cost = self.swap.get(usize::from(venue.index()));
        cost.copied().unwrap_or_default()
    }

    /// What a swap costs at the cheapest venue.
    pub(crate) fn cheapest(&self) -> f64 {
        self.swap
            .iter()
            .copied()
            .reduce(f64::min)
            .unwrap_or_default()
    }

    /// The same in another token, of which one of this token is worth so many.
    pub(crate) fn at(&self, rate: f64) -> Self {
        Self {
            swap: self.swap.iter().map(|cost| cost * rate).collect(),
            tick: self.tick * rate,
            ..*self
        }
    }

    /// The part that a fee takes of a route with so many swaps.
    #[must_use]
    pub const fn fee(&self, swaps: usize) -> f64 {
        if swaps <= 1 {
            self.fee_one
        } else {
            self.fee_many
        }
    }
}

/// A set of venues, by their places in the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct VenueSet(u64);

impl VenueSet {
    /// No venue at all: who avoids these may use every pool.
    pub const NONE: Self = Self(0);

    /// The same with a venue, which may be in it already.
    #[must_use]
    pub const fn with(self, venue: VenueId) -> Self {
        Self(self.0 | 1 << venue.index())
    }

    /// The same without a venue, which need not be in it.
    #[must_use]
    pub const fn but(self, venue: VenueId) -> Self {
        Self(self.0 & !(1 << venue.index()))
    }

    /// All that are in this set or in the other one.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it is one of them.
    #[must_use]
    pub const fn has(self, venue: VenueId) -> bool {
        self.0 & (1 << venue.index()) != 0
    }
}

impl FromIterator<VenueId> for VenueSet {
    fn from_iter<I: IntoIterator<Item = VenueId>>(venues: I) -> Self {
        venues.into_iter().fold(Self::NONE, Self::with)
    }
}
