//! What the factory and its orders tell, as events of the chain.

use super::{
    frequency::Frequency,
    plan::{BuyBounds, MAX_CYCLES, NewOrder, Plan},
};
use crate::adapter::joined;
use primitives::{Address, Felt, Timestamp, U256, selector};
use std::sync::LazyLock;

/// The first key of the event by which a factory tells of an order. The second
/// one is the order's address.
#[must_use]
pub fn deployed_selector() -> Felt {
    NAMES.deployed
}

struct Names {
    deployed: Felt,
    executed: Felt,
    skipped: Felt,
    closed: Felt,
    cancelled: Felt,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| Names {
    deployed: selector("DcaOrderDeployed"),
    executed: selector("CycleExecuted"),
    skipped: selector("CycleSkipped"),
    closed: selector("OrderClosed"),
    cancelled: selector("OrderCancelled"),
});

/// An order that a factory deployed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeployedOrder {
    /// Its contract.
    pub address: Address,
    /// Who owns it.
    pub trader: Address,
    /// What kind of contract it is.
    pub class_hash: Felt,
    /// What it is about.
    pub terms: NewOrder,
    /// When a further cycle would be due.
    pub end: Timestamp,
}

impl DeployedOrder {
    /// The order that an event of the factory tells of, if it is that event and
    /// well-formed.
    #[must_use]
    pub fn read(keys: &[Felt], data: &[Felt]) -> Option<Self> {
        let [name, address, trader] = keys else {
            return None;
        };
        if *name != NAMES.deployed {
            return None;
        }
        let mut words = data.iter().copied();
        let mut word = || words.next();
        let class_hash = word()?;
        let sell = Address::new(word()?);
        let amount = joined([word()?, word()?])?;
        let per_cycle = joined([word()?, word()?])?;
        let buy = Address::new(word()?);
        let frequency = Frequency::new(number(word()?)?, number(word()?)?).ok()?;
        let start = Timestamp::from_second(i64::try_from(number(word()?)?).ok()?).ok()?;
        let least = joined([word()?, word()?])?;
        let most = joined([word()?, word()?])?;
        let cycles = u32::try_from(amount.checked_div(per_cycle)?).ok()?;
        let plan = Plan {
            start,
            frequency,
            cycles: Some(cycles).filter(|it| (1..=MAX_CYCLES).contains(it))?,
        };
        Some(Self {
            end: plan.end()?,
            address: Address::new(*address),
            trader: Address::new(*trader),
            class_hash,
            terms: NewOrder {
                sell,
                buy,
                amount,
                per_cycle,
                plan,
                bounds: BuyBounds {
                    least: Some(least).filter(|least| !least.is_zero()),
                    most: Some(most).filter(|most| *most != U256::MAX),
                },
            },
        })
    }
}

/// What an order tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderEvent {
    /// A cycle is over.
    Cycle {
        /// Which one, counted from 0.
        cycle: u32,
        /// What became of it.
        outcome: CycleOutcome,
    },
    /// The order is over.
    Ended(Ending),
}

/// What became of a cycle that somebody took care of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CycleOutcome {
    /// It was executed.
    Executed {
        /// What was sold.
        sold: U256,
        /// What the trader got for it.
        bought: U256,
    },
    /// It would have bought an amount out of bounds.
    Skipped {
        /// The amount.
        offered: U256,
        /// The bound that it missed.
        bound: U256,
    },
}

/// How an order ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With its last cycle.
    Completed,
    /// By its trader.
    Cancelled,
}

impl OrderEvent {
    /// What an event of an order tells, if it is well-formed.
    #[must_use]
    pub fn read(keys: &[Felt], data: &[Felt]) -> Option<Self> {
        match (keys, data) {
            ([name, cycle], [a, b, c, d]) => {
                let amounts = [joined([*a, *b])?, joined([*c, *d])?];
                let outcome = CycleOutcome::read(*name, amounts)?;
                let cycle = u32::try_from(number(*cycle)?).ok()?;
                Some(Self::Cycle { cycle, outcome })
            }
            ([name], [_, _]) if *name == NAMES.closed => Some(Self::Ended(Ending::Completed)),
            ([name], [_, _]) if *name == NAMES.cancelled => Some(Self::Ended(Ending::Cancelled)),
            _ => None,
        }
    }
}

impl CycleOutcome {
    fn read(name: Felt, [first, second]: [U256; 2]) -> Option<Self> {
        if name == NAMES.executed {
            let (sold, bought) = (first, second);
            Some(Self::Executed { sold, bought })
        } else if name == NAMES.skipped {
            let (offered, bound) = (first, second);
            Some(Self::Skipped { offered, bound })
        } else {
            None
        }
    }
}

fn number(felt: Felt) -> Option<u64> {
    u64::try_from(felt).ok()
}
