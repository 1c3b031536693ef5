//! What happens to pools: as events tell it, and as it is kept.

use super::facts::Facts;
use super::pool_id::PoolId;
use super::venue::Maths;
use super::verdict::Judgement;
use crate::{Deposit, Side, Signed};
use primitives::{Address, Felt, U256};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What tells a pool from its venue's other pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Spot {
    /// A contract of its own.
    Contract(Address),
    /// A number within the venue's contract.
    Numbered(u64),
    /// Its terms within the venue's contract.
    Keyed {
        /// The fee as a fraction of 2^128.
        fee: u128,
        /// Positions begin and end at multiples of this.
        tick_spacing: u32,
        /// A contract that the pool calls, or zero.
        extension: Address,
    },
}

/// The pool that an event names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Named {
    /// What tells it from its venue's other pools.
    pub spot: Spot,
    /// Its tokens, where they are part of its key.
    pub tokens: Option<[Address; 2]>,
}

/// What an event of a venue says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PoolEvent {
    /// A pool came into being.
    Created(Created),
    /// Something happened to a pool.
    Moved {
        /// Which one. The tokens tell pools with the same terms apart; a pool
        /// with a contract of its own has none here.
        spot: Spot,
        /// Its tokens, where they are part of its key.
        tokens: Option<[Address; 2]>,
        /// What happened, in the numbers of the event.
        movement: Movement,
    },
    /// A trade of a pool that names the token that was sold.
    Sold {
        /// Which pool.
        spot: Spot,
        /// The contract of the token that was sold; without effect if the pool does not
        /// have it.
        token: Address,
        /// What was sold and bought.
        amounts: [u128; 2],
    },
    /// The contract that spoke computes by another class from now on.
    Upgraded,
}

/// A new pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// Its tokens, in the pool's order.
    pub tokens: [Address; 2],
    /// What tells it from others.
    pub spot: Spot,
    /// What else its venue says of it.
    pub shape: Shape,
    /// The price that it has at once, if it has one.
    pub price: Option<Price>,
}

/// A price of a pool with ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Its square root.
    pub sqrt_ratio: U256,
    /// As the contract tells it: on a boundary, the ratio alone does not decide it.
    pub tick: i32,
}

/// What a venue says of a new pool beyond its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Shape {
    /// Nothing.
    Usual,
    /// Its tokens are meant to be worth the same.
    Stable,
    /// It has a fixed fee.
    Charged {
        /// In the venue's own scale.
        fee: u32,
    },
    /// It has ticks and a fixed fee.
    Tiered {
        /// Millionths of what is sold.
        fee: u32,
        /// Positions begin and end at multiples of this.
        tick_spacing: u32,
    },
}

/// What happens to one pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Movement {
    /// What it holds now.
    Reserves([u128; 2]),
    /// A trade of a pool that tells its reserves apart from it.
    Traded {
        /// The token that was sold to the pool.
        sold: Side,
        /// What was sold and bought.
        amounts: [u128; 2],
    },
    /// The fee on either token.
    Fees([u64; 2]),
    /// A first price.
    Priced(Price),
    /// A trade of a pool with ticks, and what is so afterwards.
    Swapped {
        /// What the pool gained of either token.
        delta: [Signed; 2],
        /// The price that the trade left.
        price: Price,
        /// The liquidity at the price.
        liquidity: u128,
    },
    /// Liquidity between two ticks.
    Position {
        /// The lower tick.
        lower: i32,
        /// The upper tick.
        upper: i32,
        /// What came, or went.
        liquidity: Signed,
        /// What the pool gained of either token.
        delta: [Signed; 2],
    },
    /// Tokens came or went without a trade or a position.
    Held([Signed; 2]),
    /// What a vault counts now.
    Counted(Deposit),
}

/// Why a pool is not followed any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Error)]
pub enum Flaw {
    /// An event of it does not have the layout of its venue.
    #[error("an event of it is malformed")]
    Malformed,
    /// Something happened that cannot happen to a pool of its kind.
    #[error("an event of it does not fit its kind")]
    Unexpected,
    /// More was taken out than was in it.
    #[error("more was taken out than was in it")]
    Overdrawn,
    /// More liquidity left a tick than was there.
    #[error("its liquidity does not add up")]
    Unbalanced,
    /// It holds more than anybody can count.
    #[error("it holds more than can be counted")]
    Overfull,
}

/// A change of a book: what is kept of a block, so that its state can be
/// made again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// A pool came into being.
    Created {
        /// The venue's contract.
        venue: Address,
        /// What its venue said of it. Applied, it gets the book's next [`PoolId`].
        pool: Created,
    },
    /// Something happened to a pool.
    Moved {
        /// Its place in the book, from when it was created.
        pool: PoolId,
        /// What happened; where it does not fit the pool's state, the pool is flawed
        /// from then on.
        movement: Movement,
    },
    /// A pool's contract was asked.
    Asked {
        /// One of a kind that has settings which no event tells.
        pool: PoolId,
        /// What it said.
        facts: Facts,
    },
    /// A contract's class was read.
    Class {
        /// A venue's, or a pool's own.
        contract: Address,
        /// What it runs from this block on; of a proxy, what it forwards to.
        #[serde(with = "felt_bytes")]
        class: Felt,
    },
    /// A pool is not followed any more.
    Flawed {
        /// It stays in the book, but no event changes it any more and no route passes
        /// it.
        pool: PoolId,
        /// Why.
        flaw: Flaw,
    },
    /// A swap said something new of a class.
    Judged {
        /// The venue's contract.
        venue: Address,
        /// What the contract of the swapping pool ran.
        #[serde(with = "felt_bytes")]
        class: Felt,
        /// The rule.
        maths: Maths,
        /// What the swap says of it.
        judgement: Judgement,
    },
}

/// Field elements as addresses are written.
mod felt_bytes {
    use primitives::{Address, Felt};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(felt: &Felt, serializer: S) -> Result<S::Ok, S::Error> {
        Address::new(*felt).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Felt, D::Error> {
        Address::deserialize(deserializer).map(Address::felt)
    }
}
