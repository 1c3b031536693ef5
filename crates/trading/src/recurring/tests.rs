//! Frequencies, plans and calls of recurring orders.

use super::*;
use primitives::{Address, Felt, Timestamp, U256};
use proptest::prelude::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

#[test]
fn durations_are_read_as_clients_write_them() {
    for (text, months, seconds, shown) in [
        ("PT1H", 0, 3_600, "PT1H"),
        ("PT6H", 0, 21_600, "PT6H"),
        ("PT24H", 0, 86_400, "P1D"),
        ("P1D", 0, 86_400, "P1D"),
        ("P7D", 0, 604_800, "P7D"),
        ("P1W", 0, 604_800, "P7D"),
        ("PT1H30M", 0, 5_400, "PT1H30M"),
        ("PT60S", 0, 60, "PT1M"),
        ("P1M", 1, 0, "P1M"),
        ("P1Y", 12, 0, "P12M"),
        ("P1Y2M10DT2H30M5S", 14, 873_005, "P14M10DT2H30M5S"),
    ] {
        let frequency: Frequency = text.parse().unwrap();
        assert_eq!((frequency.months(), frequency.seconds()), (months, seconds));
        assert_eq!(frequency.to_string(), shown);
        assert_eq!(shown.parse(), Ok(frequency));
    }
}

#[test]
fn what_is_no_frequency_is_said() {
    for (text, why) in [
        ("", BadFrequency::Malformed),
        ("hourly", BadFrequency::Malformed),
        ("1 hour", BadFrequency::Malformed),
        ("P", BadFrequency::Malformed),
        ("3600", BadFrequency::Malformed),
        ("PT59S", BadFrequency::TooShort),
        ("PT0S", BadFrequency::TooShort),
        ("-PT1H", BadFrequency::TooShort),
        ("PT60.5S", BadFrequency::TooFine),
        ("P1001Y", BadFrequency::TooLong),
        ("P400000D", BadFrequency::TooLong),
    ] {
        assert_eq!(text.parse::<Frequency>(), Err(why), "{text}");
    }
}

fn order(amount: u64, per_cycle: u64, frequency: &str, start: &str) -> Result<NewOrder, BadOrder> {
    let [amount, per_cycle] = [amount, per_cycle].map(U256::from);
    NewOrder::new(
        address(1),
        address(2),
        amount,
        per_cycle,
        frequency.parse().unwrap(),
        at(start),
        BuyBounds::default(),
        at("2026-11-17T00:00:00Z"),
    )
}

const NOW: &str = "2026-11-17T00:00:00Z";

#[test]
fn a_rest_makes_no_cycle_of_its_own() {
    let order = order(1_000, 300, "P1D", NOW).unwrap();
    assert_eq!(order.plan.cycles, 3);
    assert_eq!(order.plan.end(), Some(at("2026-11-20T00:00:00Z")));
}

#[test]
fn orders_that_mean_nothing_are_refused() {
    for (amount, per_cycle, frequency, start, why) in [
        (10, 0, "P1D", NOW, BadOrder::NothingPerCycle),
        (10, 11, "P1D", NOW, BadOrder::TooMuchPerCycle),
        (
            1_001,
            1,
            "P1D",
            NOW,
            BadOrder::TooManyCycles(U256::from(1_001)),
        ),
        (10, 1, "PT1H", "2026-11-16T23:00:00Z", BadOrder::TooEarly),
        (1_000, 1, "P900Y", NOW, BadOrder::TooLate),
        (10, 10, "P99Y", "1969-12-31T23:59:59Z", BadOrder::BeforeTime),
    ] {
        assert_eq!(order(amount, per_cycle, frequency, start), Err(why));
    }
    assert!(order(10, 1, "PT1H", "2026-11-16T23:00:01Z").is_ok());
    assert!(order(1_000, 1, "P1D", NOW).is_ok());
    let with = |sell, buy, least: u64, most: u64| {
        let bounds = BuyBounds {
            least: Some(U256::from(least)),
            most: Some(U256::from(most)),
        };
        let frequency = "P1D".parse().unwrap();
        let amount = U256::from(10);
        NewOrder::new(
            sell,
            buy,
            amount,
            amount,
            frequency,
            at(NOW),
            bounds,
            at(NOW),
        )
    };
    let (one, two) = (address(1), address(2));
    assert_eq!(with(one, one, 1, 2), Err(BadOrder::SameToken));
    assert_eq!(with(one, two, 3, 2), Err(BadOrder::CrossedBounds));
    assert!(with(one, two, 2, 2).is_ok());
}

#[test]
fn months_are_those_of_the_calendar() {
    let plan = Plan {
        start: at("2028-01-31T12:00:00Z"),
        frequency: "P1M".parse().unwrap(),
        cycles: 14,
    };
    for (cycle, due) in [
        (0, "2028-01-31T12:00:00Z"),
        (1, "2028-02-29T12:00:00Z"),
        (2, "2028-03-31T12:00:00Z"),
        (3, "2028-04-30T12:00:00Z"),
        (13, "2029-02-28T12:00:00Z"),
    ] {
        assert_eq!(plan.due(cycle), Some(at(due)));
    }
}

#[test]
fn the_calls_are_the_approval_and_the_deployment() {
    let mut order = order(1_000, 300, "P1M", NOW).unwrap();
    let factory = address(9);
    let [approval, deployment] = order_calls(&order, factory);
    assert_eq!((approval.to, approval.entrypoint), (address(1), "approve"));
    let felts = |numbers: &[u64]| numbers.iter().copied().map(Felt::from).collect::<Vec<_>>();
    assert_eq!(approval.calldata, felts(&[9, 1_000, 0]));
    assert_eq!(
        (deployment.to, deployment.entrypoint),
        (factory, "deploy_dca_order")
    );
    let start = u64::try_from(at(NOW).as_second()).unwrap();
    let mut expected = felts(&[1, 1_000, 0, 300, 0, 2, 1, 0, start, 0, 0]);
    expected.extend([Felt::from(u128::MAX), Felt::from(u128::MAX)]);
    assert_eq!(deployment.calldata, expected);
    order.bounds = BuyBounds {
        least: Some(U256::from(5)),
        most: Some(U256::from(6)),
    };
    let [_, bounded] = order_calls(&order, factory);
    assert_eq!(bounded.calldata[9..], felts(&[5, 0, 6, 0]));
    let cancel = cancel_call(address(7));
    assert_eq!((cancel.to, cancel.entrypoint), (address(7), "cancel_order"));
    assert_eq!(cancel.calldata, []);
}

proptest! {
    #[test]
    fn cycles_are_due_one_after_the_other(
        start in 0_i64..4_000_000_000,
        months in 0_u64..30,
        seconds in 60_u64..10_000_000,
        cycle in 0_u32..1_000,
    ) {
        let frequency = Frequency::new(months, seconds).unwrap();
        let start = Timestamp::from_second(start).unwrap();
        let plan = Plan { start, frequency, cycles: 1_000 };
        prop_assert!(plan.due(cycle) < plan.due(cycle + 1));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[-+]?P?[0-9YMWDTHS.]{0,20}") {
        let _ = text.parse::<Frequency>();
    }
}
