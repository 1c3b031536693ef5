//! Trades as a block has them.

use amm::{
    Side, Signed,
    book::{Movement, PoolId},
};

/// A trade with a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trade {
    /// The place of its transaction in the block.
    pub transaction: u32,
    /// The pool that was traded with.
    pub pool: PoolId,
    /// What the pool gained of either token.
    pub gained: [Signed; 2],
}

impl Trade {
    /// The trade that a movement of a pool is, if it is one.
    pub fn of(transaction: u32, pool: PoolId, movement: &Movement) -> Option<Self> {
        let gained = match *movement {
            Movement::Swapped { delta, .. } => delta,
            Movement::Traded { sold, amounts } => {
                let [into, out] = amounts.map(Signed::positive);
                match sold {
                    Side::Token0 => [into, -out],
                    Side::Token1 => [-out, into],
                }
            }
            _ => return None,
        };
        Some(Self {
            transaction,
            pool,
            gained,
        })
    }
}
