use super::*;

fn quote(hub: Hub, ratio: f64) -> Quote {
    Quote { hub, ratio }
}

const HUB: TokenId = TokenId(0);
const TOKEN: TokenId = TokenId(5);

#[test]
fn a_token_moves_with_its_hub_in_buckets_that_are_not_stored() {
    let mut board = PriceBoard::default();
    board.block(MONDAY, &[(HUB, quote(Hub::Usd, 10.0))]);
    board.block(MONDAY, &[(TOKEN, quote(Hub::Token(HUB), 2.0))]);
    board.block(MONDAY + 70, &[(HUB, quote(Hub::Usd, 12.0))]);
    board.block(MONDAY + 80, &[(HUB, quote(Hub::Usd, 11.0))]);
    let minute = Resolution::Minute.bucket(MONDAY);
    let bars = board.bars(TOKEN, Resolution::Minute, minute..minute + 3);
    let second = Ohlc {
        bucket: minute + 1,
        open: 20.0,
        high: 24.0,
        low: 20.0,
        close: 22.0,
    };
    assert_eq!(
        bars,
        [
            Ohlc::flat(minute, 20.0),
            second,
            Ohlc::flat(minute + 2, 22.0)
        ]
    );
    let track = board.tracks.get(TOKEN).unwrap();
    assert_eq!(track.lane(Resolution::Minute).last().unwrap().0, 28_794_240);
}

#[test]
fn a_quote_without_a_price_changes_nothing() {
    let mut board = PriceBoard::default();
    board.block(MONDAY, &[(TOKEN, quote(Hub::Token(HUB), 2.0))]);
    for ratio in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        board.block(MONDAY, &[(HUB, quote(Hub::Usd, ratio))]);
    }
    board.block(MONDAY, &[(HUB, quote(Hub::Token(HUB), 1.0))]);
    assert_eq!(board.usd(HUB), None);
    assert_eq!(board.usd(TOKEN), None);
    assert_eq!(board.first(TOKEN), None);
    assert!(board.bars(TOKEN, Resolution::Week, 0..10_000).is_empty());
}

#[test]
fn a_copy_does_not_change() {
    let mut board = PriceBoard::default();
    board.block(MONDAY, &[(HUB, quote(Hub::Usd, 10.0))]);
    let copy = board.clone();
    let pages = copy.pages_from(0);
    board.block(MONDAY, &[(HUB, quote(Hub::Usd, 12.0))]);
    board.block(MONDAY + 100_000, &[(HUB, quote(Hub::Usd, 13.0))]);
    board.cut(MONDAY);
    assert_eq!(copy.usd(HUB), Some(10.0));
    assert_eq!(copy.pages_from(0), pages);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn candles_are_those_of_every_step(blocks in chains(60)) {
        let (board, steps) = (board(&blocks), Steps::new(&blocks));
        for resolution in Resolution::ALL {
            for span in spans(&blocks, resolution) {
                for token in tokens() {
                    let bars = board.bars(token, resolution, span.clone());
                    prop_assert_eq!(bars, steps.candles(token, resolution, span.clone()));
                }
            }
        }
    }

    #[test]
    fn a_price_is_the_step_at_the_beginning_of_its_minute(
        blocks in chains(60),
        shift in -200_i64..200,
    ) {
        let (board, steps) = (board(&blocks), Steps::new(&blocks));
        for token in tokens() {
            let newest = steps.price(blocks.len() - 1, token);
            prop_assert_eq!(board.usd(token), newest);
            prop_assert_eq!(board.first(token).is_some(), newest.is_some());
            for block in &blocks {
                let time = block.time + shift;
                let minute = Resolution::Minute.bucket(time);
                let candle = steps.candle(token, Resolution::Minute, minute);
                let value = board.value_at(token, time);
                prop_assert_eq!(value, candle.map(|candle| candle.open));
                prop_assert_eq!(value.is_some(), board.first(token).is_some_and(|first| {
                    first <= Resolution::Minute.opens(minute)
                }));
            }
        }
    }

    #[test]
    fn candles_follow_each_other_without_gaps(blocks in chains(60)) {
        let board = board(&blocks);
        for resolution in Resolution::ALL {
            for (span, token) in places(&blocks, resolution) {
                let bars = board.bars(token, resolution, span.clone());
                for bar in &bars {
                    prop_assert!(bar.low <= bar.open.min(bar.close));
                    prop_assert!(bar.high >= bar.open.max(bar.close));
                }
                for pair in bars.windows(2) {
                    prop_assert_eq!(pair[0].bucket + 1, pair[1].bucket);
                    prop_assert_eq!(pair[0].close.to_bits(), pair[1].open.to_bits());
                }
                let first = board.first(token).map(|first| resolution.bucket(first));
                let start = first.map_or(span.end, |first| first.clamp(span.start, span.end));
                prop_assert_eq!(i64::try_from(bars.len()).unwrap(), span.end - start);
                prop_assert!(bars.first().is_none_or(|bar| bar.bucket == start));
            }
        }
    }

    #[test]
    fn coarse_candles_are_made_of_fine_ones(blocks in chains(60), at: prop::sample::Index) {
        let board = board(&blocks);
        let time = at.get(&blocks).time;
        for coarse in Resolution::ALL {
            let bucket = coarse.bucket(time);
            let around = bucket - 1..bucket + 2;
            for fine in Resolution::ALL {
                let nests = fine < coarse && (fine < Resolution::Week || coarse == fine);
                // A year of minutes is made of its days, which are.
                let few = coarse < Resolution::Month || fine > Resolution::Hour;
                if !nests || !few || (fine == Resolution::Month && coarse != Resolution::Year) {
                    continue;
                }
                let within = coarse.refine(&around, fine);
                for token in tokens() {
                    let bars = board.bars(token, fine, within.clone());
                    let mut merged = Vec::new();
                    read::merge_into(&mut merged, bars, fine, coarse);
                    prop_assert_eq!(merged, board.bars(token, coarse, around.clone()));
                }
            }
        }
    }
}
