//! One pool as its contract's events tell it.

use super::change::{Flaw, Movement, Price, Shape};
use super::facts::Facts;
use super::names::Name;
use super::venue::{Kind, VenueId};
use crate::{Deposit, Signed, Ticks, concentrated};
use primitives::U256;
use serde::{Deserialize, Serialize};

/// What never changes about a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) venue: VenueId,
    /// Where its tokens lie: its own contract, or its venue's only one.
    pub(super) contract: Name,
    pub(super) tokens: [Name; 2],
    pub(super) spot: NamedSpot,
    pub(super) shape: Shape,
}

/// What tells a pool from its venue's other pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum NamedSpot {
    Contract(Name),
    Numbered(u64),
    Keyed {
        fee: u128,
        tick_spacing: u32,
        extension: Name,
    },
}

/// What a pool has to trade with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Two amounts.
    Reserves([u128; 2]),
    /// Liquidity between ticks.
    Concentrated(Concentrated),
    /// What a vault counts.
    Vault(Deposit),
}

/// Liquidity between ticks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Concentrated {
    /// The square root of the price; zero before the first.
    pub sqrt_ratio: U256,
    /// The price's tick.
    pub tick: i32,
    /// The liquidity at the price.
    pub liquidity: u128,
    /// Where the liquidity changes.
    pub ticks: Ticks,
    /// What the pool owes to its positions and their owners.
    pub held: [u128; 2],
}

/// What the chain told of a pool until the newest block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    pub(super) identity: Identity,
    pub(super) state: State,
    /// Unknown until its contract was asked.
    pub(super) facts: Option<Facts>,
    pub(super) flaw: Option<Flaw>,
}

impl Pool {
    /// A pool in which nothing lies yet.
    pub(super) fn new(identity: Identity, kind: Option<Kind>, price: Option<Price>) -> Self {
        let state = if kind.is_some_and(Kind::is_vault) {
            State::Vault(Deposit::new(0, 0))
        } else if kind.is_some_and(Kind::is_concentrated) {
            let mut concentrated = Concentrated::default();
            if let Some(price) = price {
                concentrated.move_to(price);
            }
            State::Concentrated(concentrated)
        } else {
            State::Reserves([0, 0])
        };
        Self {
            identity,
            state,
            facts: None,
            flaw: None,
        }
    }

    /// What it has to trade with.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// What its contract said of itself.
    #[must_use]
    pub const fn facts(&self) -> Option<&Facts> {
        self.facts.as_ref()
    }

    /// What its venue says of it beyond its tokens.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.identity.shape
    }

    /// Whether it is not followed any more.
    #[must_use]
    pub const fn is_flawed(&self) -> bool {
        self.flaw.is_some()
    }

    /// The venue that it belongs to.
    #[must_use]
    pub const fn venue(&self) -> VenueId {
        self.identity.venue
    }

    /// The amounts of both tokens that lie in the pool: of a vault nothing can be
    /// bought back.
    #[must_use]
    pub const fn holdings(&self) -> [u128; 2] {
        match &self.state {
            State::Reserves(reserves) => *reserves,
            State::Concentrated(concentrated) => concentrated.held,
            State::Vault(_) => [0, 0],
        }
    }

    /// Follows what happened to it. A pool that cannot have done this has a
    /// flaw from now on, and its state stays what it was.
    pub(super) fn follow(&mut self, movement: &Movement) {
        if let Err(flaw) = self.try_follow(movement) {
            self.flaw = Some(flaw);
        }
    }

    fn try_follow(&mut self, movement: &Movement) -> Result<(), Flaw> {
        match (movement, &mut self.state) {
            (Movement::Traded { .. }, _) => Ok(()),
            (Movement::Reserves(reserves), State::Reserves(held)) => {
                *held = *reserves;
                Ok(())
            }
            (Movement::Fees(fees), _) => {
                let facts = self.facts.get_or_insert_default();
                facts.fees = *fees;
                Ok(())
            }
            (Movement::Counted(counted), State::Vault(vault)) => {
                *vault = *counted;
                Ok(())
            }
            (movement, State::Concentrated(concentrated)) => concentrated.follow(movement),
            (_, State::Reserves(_) | State::Vault(_)) => Err(Flaw::Unexpected),
        }
    }
}

impl Concentrated {
    fn follow(&mut self, movement: &Movement) -> Result<(), Flaw> {
        match *movement {
            Movement::Priced(price) => {
                self.move_to(price);
                Ok(())
            }
            Movement::Swapped {
                delta,
                price,
                liquidity,
            } => {
                self.held = self.holding(delta)?;
                self.move_to(price);
                self.liquidity = liquidity;
                Ok(())
            }
            Movement::Position {
                lower,
                upper,
                liquidity,
                delta,
            } => {
                let held = self.holding(delta)?;
                self.reposition(lower, upper, liquidity)?;
                self.held = held;
                Ok(())
            }
            Movement::Held(delta) => {
                self.held = self.holding(delta)?;
                Ok(())
            }
            Movement::Reserves(_)
            | Movement::Fees(_)
            | Movement::Traded { .. }
            | Movement::Counted(_) => Err(Flaw::Unexpected),
        }
    }

    /// Itself as a pool of a family with these rules.
    pub(super) fn pool<R>(&self, rules: R, tick_spacing: u32) -> concentrated::Pool<R> {
        concentrated::Pool {
            rules,
            tick_spacing,
            sqrt_ratio: self.sqrt_ratio,
            tick: self.tick,
            liquidity: self.liquidity,
            ticks: self.ticks.clone(),
        }
    }

    const fn move_to(&mut self, price: Price) {
        self.sqrt_ratio = price.sqrt_ratio;
        self.tick = price.tick;
    }

    /// What it holds after a change.
    fn holding(&self, [delta0, delta1]: [Signed; 2]) -> Result<[u128; 2], Flaw> {
        let after = |held, delta: Signed| match delta.added_to(held) {
            Some(held) => Ok(held),
            None if delta.is_negative() => Err(Flaw::Overdrawn),
            None => Err(Flaw::Overfull),
        };
        let [held0, held1] = self.held;
        Ok([after(held0, delta0)?, after(held1, delta1)?])
    }

    fn reposition(&mut self, lower: i32, upper: i32, liquidity: Signed) -> Result<(), Flaw> {
        if lower >= upper {
            return Err(Flaw::Unexpected);
        }
        let liquidity = i128::try_from(liquidity).map_err(|_| Flaw::Unbalanced)?;
        let at = (self.tick, self.liquidity);
        let changed = self.ticks.with_position(at, lower..upper, liquidity);
        (self.ticks, self.liquidity) = changed.map_err(|_| Flaw::Unbalanced)?;
        Ok(())
    }
}
