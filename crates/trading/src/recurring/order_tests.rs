//! What orders are at a time, by the events of the chain.

use super::*;
use crate::adapter::halves;
use primitives::{Address, Felt, SignedDuration, Timestamp, U256, selector};
use proptest::prelude::*;

const FACTORY: u64 = 1;
const ORDER: u64 = 2;
const TRADER: u64 = 3;
const START: i64 = 1_800_000_000;
const HOUR: i64 = 3_600;

fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

fn second(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn now(block: u64, time: i64) -> Now {
    Now {
        block,
        time: second(time),
    }
}

/// One event, at a block whose time is told.
#[derive(Debug)]
struct Event {
    contract: u64,
    block: u64,
    time: i64,
    keys: Vec<Felt>,
    data: Vec<Felt>,
}

impl Event {
    fn told(&self) -> RawOrderEvent<'_> {
        RawOrderEvent {
            learned: self.block,
            mark: Mark {
                block: self.block,
                time: second(self.time),
                transaction: Felt::from(self.block),
            },
            contract: address(self.contract),
            keys: &self.keys,
            data: &self.data,
        }
    }
}

/// An order of `cycles` parts of 100 and a rest of 7, one every hour.
fn deployed(order: u64, block: u64, cycles: u64) -> Event {
    let mut data = vec![Felt::from(77), Felt::from(10)];
    data.extend(halves(U256::from(cycles * 100 + 7)));
    data.extend(halves(U256::from(100)));
    data.extend([
        Felt::from(11),
        Felt::ZERO,
        Felt::from(HOUR),
        Felt::from(START),
    ]);
    data.extend(halves(U256::ZERO));
    data.extend(halves(U256::MAX));
    Event {
        contract: FACTORY,
        block,
        time: START,
        keys: vec![deployed_selector(), Felt::from(order), Felt::from(TRADER)],
        data,
    }
}

fn cycle(name: &str, block: u64, time: i64, cycle: u64, amounts: [u64; 2]) -> Event {
    Event {
        contract: ORDER,
        block,
        time,
        keys: vec![selector(name), Felt::from(cycle)],
        data: amounts.map(|it| halves(U256::from(it))).concat(),
    }
}

fn ended(name: &str, block: u64, time: i64) -> Event {
    Event {
        contract: ORDER,
        block,
        time,
        keys: vec![selector(name)],
        data: halves(U256::from(7)).to_vec(),
    }
}

fn book(events: &[Event]) -> OrderBook {
    let mut book = OrderBook::new(address(FACTORY));
    for event in events {
        assert_eq!(book.take_up(&event.told()), Ok(()));
    }
    book
}

fn states(order: &Order, now: Now) -> String {
    let letter = |cycle: &Cycle| match cycle.state {
        CycleState::Pending => 'p',
        CycleState::Executed { .. } => 'x',
        CycleState::Skipped { .. } => 's',
        CycleState::Missed => 'm',
        CycleState::Cancelled => 'c',
    };
    order.cycles(now).iter().map(letter).collect()
}

#[test]
fn an_order_is_indexed_active_and_closed() {
    let events = [
        deployed(ORDER, 5, 3),
        cycle("CycleExecuted", 6, START + 10, 0, [100, 50]),
        cycle("CycleSkipped", 7, START + HOUR, 1, [40, 45]),
        cycle("CycleExecuted", 8, START + 2 * HOUR, 2, [100, 61]),
        ended("OrderClosed", 8, START + 2 * HOUR),
    ];
    let book_after = |count: usize| book(&events[..count]);
    for (count, at, status, shown) in [
        (1, now(5, START), OrderStatus::Indexing, "ppp"),
        (1, now(6, START), OrderStatus::Active, "ppp"),
        (2, now(6, START + 10), OrderStatus::Active, "xpp"),
        (2, now(7, START + 2 * HOUR), OrderStatus::Active, "xmp"),
        (3, now(7, START + HOUR), OrderStatus::Active, "xsp"),
        (5, now(8, START + 2 * HOUR), OrderStatus::Closed, "xsx"),
        (1, now(9, START + 3 * HOUR), OrderStatus::Closed, "mmm"),
    ] {
        let book = book_after(count);
        let order = book.order(address(ORDER)).unwrap();
        assert_eq!(order.status(at), status, "{count} events");
        assert_eq!(states(order, at), shown, "{count} events");
    }
    let book = book_after(5);
    let order = book.order(address(ORDER)).unwrap();
    let traded = Traded {
        sold: U256::from(200),
        bought: U256::from(111),
        average: U256::from(55),
    };
    assert_eq!(order.traded(), traded);
    let closed = order.close_date(now(8, START + 2 * HOUR));
    assert_eq!(closed, Some(second(START + 2 * HOUR)));
    assert_eq!(order.deployed.end, second(START + 3 * HOUR));
}

#[test]
fn cancelling_cancels_what_was_not_over() {
    let events = [
        deployed(ORDER, 5, 4),
        cycle("CycleExecuted", 6, START + 10, 0, [100, 50]),
        ended("OrderCancelled", 9, START + 2 * HOUR),
    ];
    let book = book(&events);
    let order = book.order(address(ORDER)).unwrap();
    let much_later = now(90, START + 90 * HOUR);
    assert_eq!(states(order, much_later), "xmcc");
    assert_eq!(order.status(much_later), OrderStatus::Closed);
    assert_eq!(order.due_cycle(now(9, START + 2 * HOUR)), None);
}

#[test]
fn a_cycle_is_due_until_it_is_over_or_told() {
    let events = [
        deployed(ORDER, 5, 2),
        cycle("CycleExecuted", 6, START + 10, 0, [100, 50]),
    ];
    let (before, after) = (book(&events[..1]), book(&events));
    let due = |book: &OrderBook, time| book.order(address(ORDER)).unwrap().due_cycle(now(6, time));
    assert_eq!(due(&before, START - 1), None);
    assert_eq!(due(&before, START), Some(0));
    assert_eq!(due(&before, START + HOUR), Some(1));
    assert_eq!(due(&before, START + 2 * HOUR), None);
    assert_eq!(due(&after, START + 20), None);
    assert_eq!(due(&after, START + HOUR), Some(1));
}

#[test]
fn what_makes_no_sense_is_told_and_changes_nothing() {
    let start = || book(&[deployed(ORDER, 5, 2)]);
    let foreign = Event {
        contract: 99,
        ..deployed(98, 6, 2)
    };
    for event in [
        foreign,
        deployed(ORDER, 6, 2),
        deployed(97, 6, 1_001),
        cycle("CycleExecuted", 6, START, 2, [1, 1]),
        cycle("CycleForgotten", 6, START, 0, [1, 1]),
        Event {
            data: vec![Felt::ONE],
            ..ended("OrderClosed", 6, START)
        },
        Event {
            contract: 96,
            ..ended("OrderClosed", 6, START)
        },
    ] {
        let mut book = start();
        assert_eq!(book.take_up(&event.told()), Err(Nonsense));
        let order = book.order(address(ORDER)).unwrap();
        assert_eq!(Some(order), start().order(address(ORDER)));
        assert_eq!(book.orders().count(), 1);
    }
}

#[test]
fn a_traders_orders_come_in_the_order_of_creation() {
    let events: Vec<Event> = (10..15).map(|it| deployed(it, it, 2)).collect();
    let mut book = book(&events);
    let of = |book: &OrderBook| {
        let orders = book.of_trader(address(TRADER));
        let blocks = orders.map(|order| order.created.block);
        blocks.collect::<Vec<_>>()
    };
    assert_eq!(of(&book), [10, 11, 12, 13, 14]);
    book.rollback(12);
    assert_eq!(of(&book), [10, 11, 12]);
    book.rollback(9);
    assert_eq!(of(&book), [0; 0]);
    assert_eq!(book.orders().count(), 0);
}

#[test]
fn an_imprint_changes_with_what_a_trader_would_be_shown_and_with_nothing_else() {
    let trader = address(TRADER);
    let created = [deployed(ORDER, 5, 3)];
    let told = [
        deployed(ORDER, 5, 3),
        cycle("CycleExecuted", 7, START + 60, 0, [100, 200]),
    ];
    let (before, after) = (book(&created), book(&told));
    let early = now(8, START + 90);
    assert_ne!(before.imprint(trader, early), after.imprint(trader, early));
    let imprint = |at| after.imprint(trader, at);
    assert_eq!(imprint(early), imprint(now(9, START + 120)));
    // The second cycle is missed once the third is due.
    assert_ne!(imprint(early), imprint(now(9, START + 2 * HOUR)));
    let mut back = book(&told);
    back.rollback(6);
    assert_eq!(back.imprint(trader, early), before.imprint(trader, early));
    let nobody = address(99);
    assert_eq!(after.imprint(nobody, early), before.imprint(nobody, early));
}

#[test]
fn everybody_is_looked_at_however_many_are_due() {
    let events: Vec<Event> = (10..17).map(|it| deployed(it, it, 2)).collect();
    let book = book(&events);
    let (mut from, mut seen) = (0, Vec::new());
    for _ in 0..3 {
        let (due, next) = book.due(now(20, START), from, 3);
        seen.extend(due.iter().map(|(order, _)| order.created.block));
        from = next;
    }
    assert_eq!(seen, [10, 11, 12, 13, 14, 15, 16, 10, 11]);
    let (all, next) = book.due(now(20, START), 5, 100);
    assert_eq!((all.len(), next), (7, 5));
    assert!(book.due(now(20, START - 1), 0, 100).0.is_empty());
    assert_eq!(book.due(now(20, START), 99, 100).0.len(), 7);
}

/// Which cycles are told and how, then perhaps an end.
fn life() -> impl Strategy<Value = Vec<Event>> {
    let told = prop::collection::vec(0_u8..3, 1..12);
    (told, 0_u8..3, 0_i64..HOUR).prop_map(|(told, end, late)| {
        let cycles = u64::try_from(told.len()).unwrap();
        let mut events = vec![deployed(ORDER, 1, cycles)];
        let mut time = START;
        for (number, told) in told.iter().enumerate() {
            let number = u64::try_from(number).unwrap();
            time = START + i64::try_from(number).unwrap() * HOUR + late;
            match told {
                0 => {}
                1 => events.push(cycle("CycleExecuted", number + 2, time, number, [100, 9])),
                _ => events.push(cycle("CycleSkipped", number + 2, time, number, [8, 9])),
            }
        }
        match (end, told.last()) {
            (1, Some(1 | 2)) => events.push(ended("OrderClosed", cycles + 1, time)),
            (2, _) => events.push(ended("OrderCancelled", cycles + 2, time)),
            _ => {}
        }
        events
    })
}

proptest! {
    #[test]
    fn counters_and_sums_agree_with_the_cycles(events in life(), hours in 0_i64..14) {
        let book = book(&events);
        let order = book.order(address(ORDER)).unwrap();
        let at = now(100, START + hours * HOUR);
        let cycles = order.cycles(at);
        let count = |wanted: fn(&CycleState) -> bool| {
            u32::try_from(cycles.iter().filter(|cycle| wanted(&cycle.state)).count()).unwrap()
        };
        let counts = order.counts(at);
        prop_assert_eq!(counts.executed, count(|it| matches!(it, CycleState::Executed { .. })));
        prop_assert_eq!(counts.pending, count(|it| matches!(it, CycleState::Pending)));
        let all = counts.executed + counts.pending + counts.cancelled;
        prop_assert_eq!(all, order.deployed.terms.plan.cycles);
        let sold: U256 = U256::from(u64::from(counts.executed) * 100);
        prop_assert_eq!(order.traded().sold, sold);
        if order.status(at) == OrderStatus::Closed {
            prop_assert_eq!(counts.pending, 0);
        }
    }

    #[test]
    fn a_rollback_leaves_what_earlier_blocks_told(events in life(), to in 0_u64..14) {
        let mut whole = book(&events);
        whole.rollback(to);
        let earlier: Vec<Event> = events.into_iter().filter(|it| it.block <= to).collect();
        let anew = book(&earlier);
        prop_assert_eq!(whole.order(address(ORDER)), anew.order(address(ORDER)));
    }

    #[test]
    fn the_current_cycle_is_the_first_that_is_not_over(
        months in 0_u64..3,
        seconds in 60_u64..10_000_000,
        cycles in 1_u32..40,
        passed in 0_i64..300_000_000,
    ) {
        let frequency = Frequency::new(months, seconds).unwrap();
        let plan = Plan { start: second(START), frequency, cycles };
        let time = second(START).checked_add(SignedDuration::from_secs(passed)).unwrap();
        let slowly = (0..cycles).find(|it| plan.due(it + 1).unwrap() > time);
        prop_assert_eq!(plan.current(time), slowly.unwrap_or(cycles));
    }
}
