//! The epoch clock over chains of even and of odd pace.

use super::*;
use proptest::prelude::*;

const SLOTS: u64 = 1_000;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap()
}

fn position(slot: u64) -> EpochPosition {
    EpochPosition::new(slot / SLOTS, slot, slot % SLOTS, SLOTS).unwrap()
}

/// A clock of a chain with a slot every 400 ms, asked every two seconds until
/// the slot 500, which is the time 200 s.
fn steady() -> EpochClock {
    let mut clock = EpochClock::new(position(450), at(180_000));
    for sample in 1..=10 {
        clock.observe(
            position(450 + sample * 5),
            at(180_000 + i64::try_from(sample).unwrap() * 2_000),
        );
    }
    clock
}

#[test]
fn impossible_positions_are_none() {
    assert_eq!(EpochPosition::new(3, 100, 100, 100), None);
    assert_eq!(EpochPosition::new(3, 100, 0, 0), None);
    assert_eq!(EpochPosition::new(3, 9, 10, 100), None);
    let last = EpochPosition::new(3, 399, 99, 100).unwrap();
    assert_eq!((last.first_slot(), last.slots_left()), (300, 1));
}

#[test]
fn a_single_answer_shows_no_rate() {
    let mut clock = EpochClock::new(position(7), at(0));
    assert_eq!(clock.position(at(1_000_000)), position(7));
    assert_eq!(clock.epoch_end(at(0)), None);
}

#[test]
fn a_silent_node_is_counted_on_at_its_rate() {
    let mut clock = steady();
    assert_eq!(clock.position(at(200_000)), position(500));
    assert_eq!(clock.position(at(200_399)), position(500));
    assert_eq!(clock.position(at(200_400)), position(501));
    assert_eq!(clock.position(at(399_999)), position(999));
    assert_eq!(clock.position(at(400_000)), position(1_000));
    assert_eq!(clock.position(at(400_000)).epoch, 1);
    assert_eq!(clock.silence(at(400_000)), SignedDuration::from_secs(200));
}

#[test]
fn the_end_of_the_epoch_is_where_the_count_gets_to() {
    let mut clock = steady();
    assert_eq!(clock.epoch_end(at(200_000)), Some(at(400_000)));
    assert_eq!(clock.epoch_end(at(300_000)), Some(at(400_000)));
}

#[test]
fn where_the_clock_ran_ahead_it_waits() {
    let mut clock = steady();
    assert_eq!(clock.position(at(400_000)), position(1_000));
    // The chain stood still, and so did its last answer.
    clock.observe(position(501), at(400_000));
    assert_eq!(clock.position(at(400_000)), position(1_000));
    assert_eq!(clock.position(at(500_000)), position(1_000));
    clock.observe(position(1_001), at(600_000));
    assert_eq!(clock.position(at(600_000)), position(1_001));
}

#[test]
fn a_chain_that_stands_still_is_not_counted_on() {
    let mut clock = steady();
    for seconds in 0..1_000 {
        clock.observe(position(500), at(200_000 + seconds * 1_000));
    }
    let reached = clock.position(at(1_200_000));
    assert!(reached.slot <= 503, "{reached:?}");
}

#[test]
fn a_jump_of_the_chain_does_not_become_its_rate() {
    let mut clock = steady();
    clock.observe(position(5_000_500), at(202_000));
    assert_eq!(clock.position(at(202_000)), position(5_000_500));
    assert_eq!(clock.position(at(204_000)), position(5_000_505));

    let mut young = EpochClock::new(position(0), at(0));
    young.observe(position(5_000_000), at(1_000));
    assert_eq!(young.position(at(2_000)), position(5_000_020));
}

#[test]
fn polls_that_are_faster_than_slots_show_the_same_rate() {
    let mut clock = EpochClock::new(position(0), at(0));
    for poll in 1..100_i64 {
        clock.observe(position(u64::try_from(poll / 4).unwrap()), at(poll * 100));
    }
    assert_eq!(clock.position(at(109_900)), position(24 + 250));
}

#[test]
fn a_node_that_is_behind_changes_nothing() {
    let mut clock = steady();
    clock.observe(position(100), at(201_000));
    assert_eq!(clock.position(at(201_200)), position(503));
}

#[test]
fn a_time_that_is_set_back_does_not_turn_the_clock_back() {
    let mut clock = steady();
    assert_eq!(clock.position(at(240_000)), position(600));
    assert_eq!(clock.position(at(0)), position(600));
    clock.observe(position(601), at(10_000));
    assert_eq!(clock.position(at(10_000)), position(601));
    clock.observe(position(606), at(12_000));
    assert_eq!(clock.position(at(14_000)), position(611));
}

#[test]
fn an_epoch_that_proves_longer_does_not_bring_the_old_one_back() {
    let short = |slot| EpochPosition::new(slot / 32, slot, slot % 32, 32).unwrap();
    let mut clock = EpochClock::new(short(20), at(0));
    clock.observe(short(30), at(1_000));
    assert_eq!(clock.position(at(8_000)).epoch, 3);
    // The second epoch turns out to be of 64 slots, and is still going on.
    let longer = EpochPosition::new(1, 90, 58, 64).unwrap();
    clock.observe(longer, at(8_000));
    assert_eq!(clock.position(at(8_000)).epoch, 3);
}

/// What can happen to a clock.
#[derive(Debug, Clone)]
enum Event {
    Answer { slot: u64, slots: u64 },
    Look,
    Time(i64),
}

fn event() -> impl Strategy<Value = Event> {
    let slot = prop_oneof![0..5_000_u64, any::<u64>()];
    let slots = prop_oneof![Just(SLOTS), 1..100_u64, any::<u64>()];
    let step =
        prop_oneof![8 => 0..10_000_i64, 1 => -10_000..0_i64, 1 => any::<i32>().prop_map(i64::from)];
    prop_oneof![
        (slot, slots).prop_map(|(slot, slots)| Event::Answer { slot, slots }),
        Just(Event::Look),
        step.prop_map(Event::Time),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_the_clock_never_goes_back(
        first in 0..5_000_u64, events in prop::collection::vec(event(), 0..100),
    ) {
        let mut now = 0;
        let mut clock = EpochClock::new(position(first), at(now));
        let mut last = clock.position(at(now));
        for event in events {
            match event {
                Event::Answer { slot, slots } => {
                    let slots = slots.max(1);
                    let index = slot % slots;
                    clock.observe(EpochPosition::new(slot / slots, slot, index, slots).unwrap(), at(now));
                }
                Event::Look => {}
                Event::Time(step) => now += step,
            }
            let next = clock.position(at(now));
            prop_assert!(next.slot >= last.slot && next.epoch >= last.epoch, "{:?} {:?}", last, next);
            prop_assert!(next.slot_index < next.slots_in_epoch);
            let _ = clock.epoch_end(at(now));
            last = next;
        }
        prop_assert!(clock.samples.len() <= MAX_SAMPLES);
    }

    #[test]
    fn on_a_steady_chain_the_count_is_right_to_a_few_slots(
        slot_millis in 60..2_000_i64, polls in 8..60_i64, every in 1_000..5_000_i64, silence in 0..60_000_i64,
    ) {
        let slot_at = |millis: i64| u64::try_from(millis / slot_millis).unwrap();
        let mut clock = EpochClock::new(position(0), at(0));
        for poll in 1..=polls {
            clock.observe(position(slot_at(poll * every)), at(poll * every));
        }
        let now = polls * every + silence;
        let reached = clock.position(at(now)).slot;
        let true_slot = slot_at(now);
        // An answer is a whole slot: a step of few slots shows the rate roughly.
        let step = u64::try_from(every / slot_millis).unwrap().max(1);
        let counted = slot_at(silence) + 2;
        let tolerance = counted.div_ceil(step) + 2;
        prop_assert!(reached.abs_diff(true_slot) <= tolerance, "{} for {}", reached, true_slot);
    }
}
