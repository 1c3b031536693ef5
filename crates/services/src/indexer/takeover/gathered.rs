//! What the events of the past leave of pools with ticks: which there are, and
//! where their liquidity lies. Events may be taken in any order, and what some
//! left can be put together with what others did.

use amm::{
    Signed,
    book::{Created, Kind, Movement, Named, PoolEvent, Spot},
};
use chain::{PastEvent, Untold, named_pool, pool_event};
use primitives::U256;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Positions of one pool: liquidity by the ticks that bound it; `None` where more
/// went than came, or more is there than can be.
pub(super) type Ranges = BTreeMap<(i32, i32), Option<i128>>;

/// What is left of some events.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// New pools with the heights of their blocks, in the order of events.
    pub(super) created: Vec<(u64, Created)>,
    /// Pools with an event that cannot be read.
    malformed: HashSet<Named>,
    positions: HashMap<(Named, i32, i32), Net>,
}

/// The liquidity of a range: everything that came, and everything that went.
#[derive(Debug, Default, Clone, Copy)]
struct Net {
    came: U256,
    went: U256,
}

impl Net {
    fn add(&mut self, other: Self) {
        self.came = self.came.saturating_add(other.came);
        self.went = self.went.saturating_add(other.went);
    }

    fn rest(self) -> Option<i128> {
        let rest = u128::try_from(self.came.checked_sub(self.went)?).ok()?;
        i128::try_from(rest).ok()
    }
}

impl From<Signed> for Net {
    fn from(liquidity: Signed) -> Self {
        let amount = U256::from(liquidity.magnitude());
        let (came, went) = if liquidity.is_negative() {
            (U256::ZERO, amount)
        } else {
            (amount, U256::ZERO)
        };
        Self { came, went }
    }
}

impl Gathered {
    /// Takes an event of a venue of this kind.
    pub(super) fn take(&mut self, kind: Kind, past: &PastEvent) {
        let event = &past.event;
        match pool_event(kind, event) {
            Ok(PoolEvent::Created(created)) => self.created.push((past.block, created)),
            Ok(PoolEvent::Moved {
                spot,
                tokens,
                movement:
                    Movement::Position {
                        lower,
                        upper,
                        liquidity,
                        ..
                    },
            }) => self.add((Named { spot, tokens }, lower, upper), liquidity.into()),
            Err(Untold::Malformed) => {
                let own = Named {
                    spot: Spot::Contract(event.from),
                    tokens: None,
                };
                let named = named_pool(kind, event);
                self.malformed
                    .extend(named.or((!kind.is_singleton()).then_some(own)));
            }
            Ok(_) | Err(Untold::Nothing | Untold::Unknown) => {}
        }
    }

    /// Puts what other events left to what is here.
    pub(super) fn merge(&mut self, other: Self) {
        self.created.extend(other.created);
        self.malformed.extend(other.malformed);
        for (place, net) in other.positions {
            self.add(place, net);
        }
    }

    /// How many ranges have liquidity left: these are what takes memory.
    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn is_malformed(&self, pool: &Named) -> bool {
        self.malformed.contains(pool)
    }

    /// What is left in the ranges of every pool; one where nothing is left is not there.
    pub(super) fn into_ranges(self) -> HashMap<Named, Ranges> {
        let mut pools: HashMap<Named, Ranges> = HashMap::new();
        for ((pool, lower, upper), net) in self.positions {
            let ranges = pools.entry(pool).or_default();
            ranges.insert((lower, upper), net.rest());
        }
        pools
    }

    fn add(&mut self, place: (Named, i32, i32), net: Net) {
        let sum = self.positions.entry(place).or_default();
        sum.add(net);
        if sum.came == sum.went {
            // Most positions of the past are closed.
            self.positions.remove(&place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::{Address, Felt};
    use proptest::prelude::*;

    fn pool(number: u64) -> Named {
        Named {
            spot: Spot::Contract(Address::new(Felt::from(number))),
            tokens: None,
        }
    }

    fn gathered(moves: &[(u64, i32, i128)]) -> Gathered {
        let mut gathered = Gathered::default();
        for (number, lower, liquidity) in moves {
            let place = (pool(*number), *lower, lower + 10);
            gathered.add(place, Signed::from(*liquidity).into());
        }
        gathered
    }

    #[test]
    fn what_came_and_went_is_forgotten_and_what_cannot_be_is_told() {
        let whole = gathered(&[(1, 0, 5), (1, 0, -5), (1, 20, 7), (2, 0, -1)]);
        assert_eq!(whole.len(), 2);
        let ranges = whole.into_ranges();
        assert_eq!(
            ranges.get(&pool(1)),
            Some(&Ranges::from([((20, 30), Some(7))]))
        );
        assert_eq!(ranges.get(&pool(2)), Some(&Ranges::from([((0, 10), None)])));
        let many = gathered(&[(1, 0, i128::MAX), (1, 0, 1)]).into_ranges();
        assert_eq!(many.get(&pool(1)), Some(&Ranges::from([((0, 10), None)])));
    }

    proptest! {
        #[test]
        fn parts_put_together_are_the_whole(
            moves in prop::collection::vec((0_u64..3, -2_i32..2, -9_i128..10), 0..60),
            cut in 0_usize..60,
        ) {
            let (first, second) = moves.split_at(cut.min(moves.len()));
            let mut parts = gathered(second);
            parts.merge(gathered(first));
            prop_assert_eq!(parts.into_ranges(), gathered(&moves).into_ranges());
        }
    }
}
