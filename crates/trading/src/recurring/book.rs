//! All orders of a factory, by what the chain told of them.
//!
//! What was learned with a block goes with it: [`OrderBook::rollback`] leaves
//! what would be there if later blocks had never been seen.

use super::{
    event::{DeployedOrder, OrderEvent},
    order::{Mark, Now, Order, PastCycle},
};
use primitives::{Address, Felt, U256};
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

/// Cycles for which an order has room from its beginning.
const FEW_CYCLES: usize = 16;

/// An event of the factory or of an order.
#[derive(Debug, Clone, Copy)]
pub struct RawOrderEvent<'a> {
    /// The block it became known with.
    pub learned: u64,
    /// Where it was told.
    pub mark: Mark,
    /// Who told it.
    pub contract: Address,
    /// Its name and what is indexed.
    pub keys: &'a [Felt],
    /// The rest.
    pub data: &'a [Felt],
}

/// The orders of one factory.
#[derive(Debug)]
pub struct OrderBook {
    factory: Address,
    /// In the order of their creation.
    orders: Vec<KnownOrder>,
    by_address: HashMap<Address, usize>,
    by_trader: HashMap<Address, Vec<usize>>,
}

#[derive(Debug)]
struct KnownOrder {
    order: Order,
    /// With which blocks its creation and its end became known.
    learned: u64,
    learned_end: Option<u64>,
}

/// An event that makes no sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nonsense;

impl OrderBook {
    /// A book without orders.
    #[must_use]
    pub fn new(factory: Address) -> Self {
        Self {
            factory,
            orders: Vec::new(),
            by_address: HashMap::new(),
            by_trader: HashMap::new(),
        }
    }

    /// Whose orders they are.
    #[must_use]
    pub fn factory(&self) -> Address {
        self.factory
    }

    /// Takes up an event; they come in the order in which they became known.
    pub fn take_up(&mut self, told: &RawOrderEvent<'_>) -> Result<(), Nonsense> {
        if told.contract == self.factory {
            let deployed = DeployedOrder::read(told.keys, told.data);
            return self.open(&deployed.ok_or(Nonsense)?, told);
        }
        let event = OrderEvent::read(told.keys, told.data).ok_or(Nonsense)?;
        let index = self.by_address.get(&told.contract).ok_or(Nonsense)?;
        let known = self.orders.get_mut(*index).ok_or(Nonsense)?;
        known.take_up(event, told)
    }

    fn open(&mut self, deployed: &DeployedOrder, told: &RawOrderEvent<'_>) -> Result<(), Nonsense> {
        let index = self.orders.len();
        if self.by_address.contains_key(&deployed.address) {
            return Err(Nonsense);
        }
        self.by_address.insert(deployed.address, index);
        self.by_trader
            .entry(deployed.trader)
            .or_default()
            .push(index);
        self.orders.push(KnownOrder {
            order: Order {
                deployed: *deployed,
                created: told.mark,
                past: Vec::with_capacity(FEW_CYCLES),
                benchmarks: Vec::new(),
                ended: None,
            },
            learned: told.learned,
            learned_end: None,
        });
        Ok(())
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new(self.factory);
    }

    /// Forgets what was learned with later blocks.
    pub fn rollback(&mut self, to: u64) {
        while let Some(last) = self.orders.pop_if(|known| known.learned > to) {
            let DeployedOrder {
                address, trader, ..
            } = last.order.deployed;
            self.by_address.remove(&address);
            if let Some(orders) = self.by_trader.get_mut(&trader) {
                orders.pop();
            }
        }
        self.by_trader.retain(|_, orders| !orders.is_empty());
        for known in &mut self.orders {
            known.rollback(to);
        }
    }

    /// The order at an address.
    #[must_use]
    pub fn order(&self, address: Address) -> Option<&Order> {
        Some(&self.orders.get(*self.by_address.get(&address)?)?.order)
    }

    /// Every order, in the order of creation.
    pub fn orders(&self) -> impl Iterator<Item = &Order> {
        self.orders.iter().map(|known| &known.order)
    }

    /// Cycles that are due, at most so many, of orders from a place on and then of
    /// those before it; and the place to go on from, so that whoever cannot be
    /// helped keeps nobody else from being looked at (round robin).
    #[must_use]
    pub fn due(&self, now: Now, from: usize, most: usize) -> (Vec<(&Order, u32)>, usize) {
        let places = (from..self.orders.len()).chain(0..from.min(self.orders.len()));
        let mut due = Vec::new();
        for place in places {
            if due.len() == most {
                return (due, place);
            }
            let order = self.orders.get(place).map(|known| &known.order);
            due.extend(order.and_then(|order| Some((order, order.due_cycle(now)?))));
        }
        (due, from)
    }

    /// Cycles that were executed above a block and that nobody has measured.
    pub fn unmeasured(&self, above: u64) -> impl Iterator<Item = (&Order, &PastCycle)> {
        self.orders().flat_map(move |order| {
            let newest = order.past.iter().rev();
            let newest = newest.take_while(move |past| past.mark.block > above);
            let missing =
                newest.filter(|past| past.is_executed() && order.benchmark(past.cycle).is_none());
            missing.map(move |past| (order, past))
        })
    }

    /// Takes up what the cycle of an order in a block could have bought at best.
    /// What is not known, or not any more, is passed over.
    pub fn measure(&mut self, order: Address, block: u64, benchmark: U256) {
        let known = self.by_address.get(&order).copied();
        let Some(known) = known.and_then(|index| self.orders.get_mut(index)) else {
            return;
        };
        let Order {
            past, benchmarks, ..
        } = &mut known.order;
        let cycle = past.iter().rfind(|past| past.mark.block == block);
        let Some(cycle) = cycle.filter(|past| past.is_executed()) else {
            return;
        };
        // A block's cycle is measured once.
        if let Err(place) = benchmarks.binary_search_by_key(&cycle.cycle, |it| it.0) {
            benchmarks.insert(place, (cycle.cycle, benchmark));
        }
    }

    /// The orders of a trader, in the order of their creation.
    pub fn of_trader(&self, trader: Address) -> impl DoubleEndedIterator<Item = &Order> {
        let indexes = self.by_trader.get(&trader).into_iter().flatten();
        let orders = indexes.filter_map(|index| self.orders.get(*index));
        orders.map(|known| &known.order)
    }

    /// A number that is another one when something about a trader's orders has
    /// changed.
    #[must_use]
    pub fn imprint(&self, trader: Address, now: Now) -> u64 {
        let mut hasher = DefaultHasher::new();
        for order in self.of_trader(trader) {
            let last = order.past.last().map(|past| past.mark);
            (order.deployed.address, order.created, last).hash(&mut hasher);
            (order.status(now), order.counts(now)).hash(&mut hasher);
            (order.close_date(now), order.benchmarks.len()).hash(&mut hasher);
        }
        hasher.finish()
    }
}

impl KnownOrder {
    fn take_up(&mut self, event: OrderEvent, told: &RawOrderEvent<'_>) -> Result<(), Nonsense> {
        if self.order.ended.is_some() {
            return Err(Nonsense);
        }
        match event {
            OrderEvent::Cycle { cycle, outcome } => {
                let past = &mut self.order.past;
                let is_next = past.last().is_none_or(|last| last.cycle < cycle);
                if !is_next || cycle >= self.order.deployed.terms.plan.cycles {
                    return Err(Nonsense);
                }
                past.push(PastCycle {
                    cycle,
                    mark: told.mark,
                    learned: told.learned,
                    outcome,
                });
            }
            OrderEvent::Ended(ending) => {
                self.order.ended = Some((ending, told.mark));
                self.learned_end = Some(told.learned);
            }
        }
        Ok(())
    }

    fn rollback(&mut self, to: u64) {
        let Order {
            past, benchmarks, ..
        } = &mut self.order;
        while let Some(gone) = past.pop_if(|past| past.learned > to) {
            benchmarks.pop_if(|it| it.0 == gone.cycle);
        }
        if self.learned_end.is_some_and(|learned| learned > to) {
            (self.order.ended, self.learned_end) = (None, None);
        }
    }
}
