use super::*;
use crate::series::codec::{begin, seal};
use crate::series::sum::Sum;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
enum Act {
    /// A record so many buckets after the newest.
    Put(u32, u128),
    /// Drops so many of the newest buckets.
    Cut(u32),
    Copy,
    Take,
    Load,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let steps = prop_oneof![2 => Just(0), 20 => Just(1), 3 => 2_u32..5, 1 => 200_u32..2_000];
    let act = prop_oneof![
        200 => (steps, any::<u128>()).prop_map(|(step, units)| Act::Put(step, units)),
        4 => (0_u32..20).prop_map(Act::Cut),
        2 => (0_u32..2_000).prop_map(Act::Cut),
        2 => Just(Act::Copy),
        2 => Just(Act::Take),
        1 => Just(Act::Load),
    ];
    prop::collection::vec(act, 0..1_500)
}

fn all(lane: &Lane<Sum>) -> BTreeMap<u32, Sum> {
    lane.range(0, u32::MAX).collect()
}

fn load(pages: Vec<(u32, Vec<u8>)>) -> Lane<Sum> {
    Lane::from_pages(pages).unwrap()
}

fn alone(bytes: Vec<u8>) -> Result<Lane<Sum>, PageError> {
    Lane::from_pages(vec![(0, bytes)])
}

/// What is known of a lane from elsewhere.
#[derive(Debug, Default)]
struct Model {
    records: BTreeMap<u32, Sum>,
    kept: BTreeMap<u32, Vec<u8>>,
}

impl Model {
    fn act(&mut self, lane: &mut Lane<Sum>, act: &Act) {
        let newest = self.records.keys().next_back().copied();
        match act {
            Act::Put(step, units) => {
                let record = Sum {
                    units: *units,
                    usd: 7,
                };
                let bucket = newest.unwrap_or(1_000) + step;
                lane.put(bucket, record);
                self.records.insert(bucket, record);
            }
            Act::Cut(back) => {
                let bucket = newest.unwrap_or(0).saturating_sub(*back);
                lane.cut(bucket);
                self.records.split_off(&bucket);
                // What a store is told after a cut.
                self.kept.split_off(&page_of(bucket));
            }
            Act::Take => {
                self.kept.extend(lane.take());
                assert_eq!(self.kept, lane.encode(0).into_iter().collect());
            }
            Act::Load => {
                self.kept.extend(lane.take());
                *lane = load(lane.encode(0));
            }
            Act::Copy => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_lane_is_an_ordered_map_and_its_copies_do_not_change(
        acts in acts(),
        around in prop::collection::vec(any::<prop::sample::Index>(), 20),
    ) {
        let (mut lane, mut model) = (Lane::default(), Model::default());
        let mut copies = Vec::new();
        for act in &acts {
            model.act(&mut lane, act);
            if matches!(act, Act::Copy) {
                copies.push((lane.clone(), model.records.clone()));
            }
            let last = lane.last().map(|(at, record)| (at, *record));
            prop_assert_eq!(last, model.records.iter().next_back().map(|(at, sum)| (*at, *sum)));
        }
        copies.push((lane, model.records));
        for (lane, records) in copies {
            prop_assert_eq!(lane.first(), records.keys().next().copied());
            let end = records.keys().next_back().map_or(1, |last| last + 300);
            for index in &around {
                let at = u32::try_from(index.index(usize::try_from(end).unwrap())).unwrap();
                let floor = records.range(..=at).next_back();
                prop_assert_eq!(lane.floor(at), floor.map(|(at, sum)| (*at, *sum)));
                let within = lane.range(at, at + 300);
                let expected = records.range(at..at + 300).map(|(at, sum)| (*at, *sum));
                prop_assert!(within.eq(expected));
            }
            prop_assert_eq!(all(&load(lane.encode(0))), records.clone());
            prop_assert_eq!(all(&lane), records);
        }
    }

    #[test]
    fn runs_have_no_gap(acts in acts()) {
        let (mut lane, mut model) = (Lane::default(), Model::default());
        for act in &acts {
            model.act(&mut lane, act);
        }
        for segment in lane.segments(0) {
            let buckets: Vec<u32> = segment.iter().map(|(at, _)| at).collect();
            let whole = buckets.windows(2).all(|pair| pair[0] + 1 == pair[1]);
            prop_assert_eq!(segment.run().is_some(), whole);
            prop_assert!(segment.run().is_none_or(|run| run.len() == buckets.len()));
            prop_assert_eq!(segment.first(), buckets.first().copied());
            prop_assert_eq!(segment.last(), buckets.last().copied());
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let sealed = seal([begin(), bytes.clone()].concat());
        let _ = alone(bytes);
        if let Ok(lane) = alone(sealed.clone()) {
            prop_assert_eq!(lane.encode(0), vec![(0, sealed)]);
        }
    }
}

#[test]
fn the_ends_of_the_scale_are_places_like_others() {
    let record = Sum::default();
    let mut lane = Lane::default();
    lane.put(0, record);
    lane.put(u32::MAX, record);
    assert_eq!(lane.floor(u32::MAX), Some((u32::MAX, record)));
    assert_eq!(lane.floor(u32::MAX - 1), Some((0, record)));
    assert_eq!(all(&load(lane.encode(0))).len(), 1);
    assert_eq!(lane.segments(0).count(), 2);
    lane.cut(u32::MAX);
    assert_eq!(lane.last(), Some((0, &record)));
    lane.cut(0);
    assert_eq!(lane.last(), None);
    assert_eq!(lane.floor(0), None);
}

#[test]
fn a_page_has_at_most_256_buckets() {
    let mut lane = Lane::default();
    for bucket in 0..=256 {
        lane.put(bucket, Sum::default());
    }
    let pages = lane.encode(0);
    assert_eq!(pages.len(), 2);
    let (_, full) = &pages[0];
    // Version and checksum, 256 in two bytes, and three bytes for each record.
    assert_eq!(full.len(), 7 + 256 * 3);
    let more = [&full[..5], &[0x81, 0x02], &full[7..], &[0, 0, 0]].concat();
    for wrong in [more, [begin(), vec![0]].concat()] {
        assert_eq!(alone(seal(wrong)).unwrap_err(), PageError::Malformed);
    }
}

#[test]
fn a_kept_page_is_checked_at_once_and_read_when_asked_for() {
    let mut lane = Lane::default();
    for bucket in 0..=600 {
        lane.put(bucket, Sum::default());
    }
    let mut pages = lane.encode(0);
    assert_eq!(all(&load(pages.clone())), all(&lane));
    let last = pages[0].1.len() - 1;
    pages[0].1[last] ^= 1;
    assert_eq!(
        Lane::<Sum>::from_pages(pages).unwrap_err(),
        PageError::Checksum
    );
}
