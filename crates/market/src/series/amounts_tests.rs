//! Sums and levels over random changes, held against plain lists of them.

use super::*;
use proptest::prelude::*;

/// Monday, 30 September 2024, 00:00 UTC.
const MONDAY: i64 = 1_727_654_400;

type Changes = Vec<(i64, u128, u128)>;

fn changes() -> impl Strategy<Value = Changes> {
    let gap = prop_oneof![
        2 => Just(0),
        8 => 1_i64..200,
        3 => 200_i64..30_000,
        1 => 30_000_i64..900_000,
    ];
    let amount =
        || prop_oneof![4 => 0..5_u128, 4 => any::<u64>().prop_map(u128::from), 1 => any::<u128>()];
    let change = (gap, amount(), amount());
    prop::collection::vec(change, 1..80).prop_map(|changes| {
        let mut time = MONDAY - 5_000;
        let later = |(gap, units, usd)| {
            time += gap;
            (time, units, usd)
        };
        changes.into_iter().map(later).collect()
    })
}

fn sums(changes: &[(i64, u128, u128)]) -> SumTrack {
    let mut track = SumTrack::default();
    for (time, units, usd) in changes {
        track.add(*time, *units, *usd);
    }
    track
}

fn levels(changes: &[(i64, u128, u128)]) -> LevelTrack {
    let mut track = LevelTrack::default();
    for (time, units, _) in changes {
        track.set(*time, *units);
    }
    track
}

/// The span of all changes, and a bucket on either side.
fn whole(changes: &Changes, resolution: Resolution) -> Span {
    let at = |(time, ..): &(i64, u128, u128)| resolution.bucket(*time);
    at(&changes[0]) - 1..at(&changes[changes.len() - 1]) + 2
}

/// The changes that are left after a cut, and where it is.
fn cut(changes: &Changes, at: prop::sample::Index, early: i64) -> (i64, Changes) {
    let time = at.get(changes).0 - early;
    let minute = Resolution::Minute.opens(Resolution::Minute.bucket(time));
    let left = changes.iter().filter(|(time, ..)| *time < minute);
    (time, left.copied().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn sums_are_those_of_all_amounts(changes in changes()) {
        let track = sums(&changes);
        let minute = Resolution::Minute.bucket(changes[0].0);
        prop_assert_eq!(track.first(), Some(Resolution::Minute.opens(minute)));
        for resolution in Resolution::ALL {
            let mut expected: Vec<(Bucket, Sum)> = Vec::new();
            for &(time, units, usd) in &changes {
                let (at, sum) = (resolution.bucket(time), Sum { units, usd });
                match expected.last_mut() {
                    Some((bucket, open)) if *bucket == at => *open = open.plus(sum),
                    _ => expected.push((at, sum)),
                }
            }
            let span = whole(&changes, resolution);
            prop_assert_eq!(track.range(resolution, span.clone()).collect::<Vec<_>>(), &expected[..]);
            let total = changes.iter().fold(Sum::default(), |total, &(_, units, usd)| {
                total.plus(Sum { units, usd })
            });
            prop_assert_eq!(track.total(resolution, span.clone()), total);
            // Of a part, only what lies in it.
            let middle = expected[expected.len() / 2];
            let only = middle.0..middle.0 + 1;
            prop_assert_eq!(track.range(resolution, only).collect::<Vec<_>>(), vec![middle]);
        }
    }

    #[test]
    fn levels_are_the_last_of_each_bucket(changes in changes()) {
        let track = levels(&changes);
        prop_assert_eq!(track.now(), Some(changes[changes.len() - 1].1));
        for resolution in Resolution::ALL {
            let at_end = |bucket: Bucket| {
                let end = resolution.opens(bucket + 1);
                let before = changes.partition_point(|(time, ..)| *time < end);
                before.checked_sub(1).map(|index| changes[index].1)
            };
            for (time, ..) in &changes {
                for bucket in resolution.bucket(*time) - 1..resolution.bucket(*time) + 2 {
                    prop_assert_eq!(track.value(resolution, bucket), at_end(bucket));
                }
            }
            let span = whole(&changes, resolution);
            let span = span.start..span.end.min(span.start + 2_000);
            let expected: Vec<_> = span.clone().filter_map(|at| Some((at, at_end(at)?))).collect();
            prop_assert_eq!(track.range(resolution, span).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn what_is_taken_back_was_never_there(
        changes in changes(),
        at: prop::sample::Index,
        early in prop_oneof![Just(0), 0_i64..10_000],
    ) {
        let (time, left) = cut(&changes, at, early);
        let (mut sum, mut level) = (sums(&changes), levels(&changes));
        sum.cut(time);
        level.cut(time);
        prop_assert_eq!(sum.pages_from(0), sums(&left).pages_from(0));
        prop_assert_eq!(level.pages_from(0), levels(&left).pages_from(0));
        for (time, units, usd) in &changes[left.len()..] {
            sum.add(*time, *units, *usd);
            level.set(*time, *units);
        }
        prop_assert_eq!(sum.pages_from(0), sums(&changes).pages_from(0));
        prop_assert_eq!(level.pages_from(0), levels(&changes).pages_from(0));
    }

    #[test]
    fn what_is_loaded_goes_on_as_if_it_had_never_stopped(
        changes in changes(),
        at: prop::sample::Index,
    ) {
        let at = at.index(changes.len());
        let pages = sums(&changes[..at]).take_pages();
        let mut sum = SumTrack::from_pages(pages).unwrap();
        let pages = levels(&changes[..at]).take_pages();
        let mut level = LevelTrack::from_pages(pages).unwrap();
        prop_assert!(sum.take_pages().is_empty() && level.take_pages().is_empty());
        for (time, units, usd) in &changes[at..] {
            sum.add(*time, *units, *usd);
            level.set(*time, *units);
        }
        prop_assert_eq!(sum.pages_from(0), sums(&changes).pages_from(0));
        prop_assert_eq!(level.pages_from(0), levels(&changes).pages_from(0));
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let bytes = codec::seal([codec::begin(), bytes].concat());
        let _ = SumTrack::from_pages([(0, 0, bytes.clone())]);
        let _ = LevelTrack::from_pages([(0, 0, bytes)]);
    }
}

#[test]
fn a_level_that_does_not_change_is_not_stored_again() {
    let mut track = LevelTrack::default();
    track.set(MONDAY, 5);
    let pages = track.pages_from(0);
    track.set(MONDAY + 1_000_000, 5);
    assert_eq!(track.pages_from(0), pages);
    let at = |minute| track.value(Resolution::Minute, minute);
    assert_eq!(at(Resolution::Minute.bucket(MONDAY) - 1), None);
    assert_eq!(at(i64::MAX), Some(5));
    assert_eq!(at(i64::MIN), None);
}

#[test]
fn an_empty_track_has_nothing() {
    let (mut sum, mut level) = (SumTrack::default(), LevelTrack::default());
    sum.cut(MONDAY);
    level.cut(MONDAY);
    assert_eq!(sum.first(), None);
    assert_eq!(sum.total(Resolution::Year, 0..3_000), Sum::default());
    assert_eq!(level.range(Resolution::Year, 0..3_000).count(), 0);
    assert!(sum.take_pages().is_empty() && level.take_pages().is_empty());
}
