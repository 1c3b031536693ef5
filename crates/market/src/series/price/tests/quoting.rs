use super::*;

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 4.0 * f64::EPSILON * one.abs().max(other.abs())
}

fn same(one: f64, other: f64) -> bool {
    one.to_bits() == other.to_bits()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn quotients_of_quotients_agree(blocks in chains(60)) {
        let board = board(&blocks);
        for resolution in Resolution::ALL {
            for span in spans(&blocks, resolution).into_iter().take(3) {
                for shift in 0..TOKENS {
                    let [a, b, c] = [0, 1, 3].map(|step| TokenId((shift + step) % TOKENS));
                    let bars = |one, other| board.ratio_bars(one, other, resolution, span.clone());
                    let ratios = [bars(a, b), bars(b, c), bars(a, c)];
                    let common = ratios.iter().map(Vec::len).min().unwrap();
                    let [ab, bc, ac] = ratios.map(|bars| bars[bars.len() - common..].to_vec());
                    for ((ab, bc), ac) in ab.iter().zip(&bc).zip(&ac) {
                        prop_assert!(ab.bucket == bc.bucket && bc.bucket == ac.bucket);
                        prop_assert!(close(ab.close * bc.close, ac.close));
                    }
                    for one in bars(a, a) {
                        prop_assert_eq!(one, Ohlc::flat(one.bucket, 1.0));
                    }
                    prop_assert_eq!(bars(a, a).len(), board.bars(a, resolution, span.clone()).len());
                }
            }
        }
    }

    /// Opens and closes are those of the steps, and extremes were attained or
    /// are the ends of a finer bucket, which were.
    #[test]
    fn a_candle_in_another_token_stays_within_the_steps(blocks in chains(40)) {
        let (board, steps) = (board(&blocks), Steps::new(&blocks));
        let (token, quote) = (TokenId(5), TokenId(4));
        for resolution in Resolution::STORED {
            for span in spans(&blocks, resolution).into_iter().take(5) {
                let firsts = board.first(token).zip(board.first(quote));
                let Some(first) = firsts.map(|(one, other)| one.max(other)) else { continue };
                let bars = board.ratio_bars(token, quote, resolution, span.clone());
                let start = resolution.bucket(first).max(span.start);
                prop_assert_eq!(bars.len(), usize::try_from(span.end - start).unwrap_or(0));
                for pair in bars.windows(2) {
                    prop_assert_eq!(pair[0].close.to_bits(), pair[1].open.to_bits());
                }
                for (bar, bucket) in bars.iter().zip(start..) {
                    prop_assert_eq!(bar.bucket, bucket);
                    let ends = [token, quote].map(|token| steps.candle(token, resolution, bucket));
                    let [Some(price), Some(in_quote)] = ends else { panic!("{bucket}") };
                    prop_assert!(same(bar.close, price.close / in_quote.close));
                    prop_assert!(bar.low <= bar.open.min(bar.close));
                    prop_assert!(bar.high >= bar.open.max(bar.close));
                    if bucket > resolution.bucket(first) {
                        prop_assert!(same(bar.open, price.open / in_quote.open));
                    }
                    let time = |bucket| steps.0.partition_point(|(time, _)| {
                        *time < resolution.opens(bucket)
                    });
                    // Before the later of both first prices there is no quotient.
                    let from = time(bucket).saturating_sub(1);
                    let all: Vec<f64> = (from..time(bucket + 1)).filter_map(|at| {
                        Some(steps.price(at, token)? / steps.price(at, quote)?)
                    }).collect();
                    prop_assert!(bar.high <= all.iter().copied().reduce(f64::max).unwrap());
                    prop_assert!(bar.low >= all.iter().copied().reduce(f64::min).unwrap());
                }
            }
        }
    }

    /// In a stable that does not move, candles are those in USD.
    #[test]
    fn extremes_are_exact_where_one_price_stands_still(blocks in chains(60), price in 0.5_f64..2.0) {
        let stable = TokenId(TOKENS);
        let mut board = PriceBoard::default();
        let hub = Hub::Usd;
        board.block(blocks[0].time - 60, &[(stable, Quote { hub, ratio: price })]);
        apply(&mut board, &blocks);
        for resolution in Resolution::ALL {
            for (span, token) in places(&blocks, resolution) {
                let usd = board.bars(token, resolution, span.clone());
                let (there, back) = (
                    board.ratio_bars(token, stable, resolution, span.clone()),
                    board.ratio_bars(stable, token, resolution, span),
                );
                let expected: Vec<Ohlc> = usd.iter().map(|bar| Ohlc {
                    bucket: bar.bucket,
                    open: bar.open / price,
                    high: bar.high / price,
                    low: bar.low / price,
                    close: bar.close / price,
                }).collect();
                prop_assert_eq!(there, expected);
                let expected: Vec<Ohlc> = usd.iter().map(|bar| Ohlc {
                    bucket: bar.bucket,
                    open: price / bar.open,
                    high: price / bar.low,
                    low: price / bar.high,
                    close: price / bar.close,
                }).collect();
                prop_assert_eq!(back, expected);
            }
        }
    }
}
