//! Candles inside the process: against copying as many from a plain row of
//! them, in another token, and from ever more of them.

use crate::{
    Goal, Row, median,
    minutes::{ASKED, Dice, MINUTES, TOKENS},
};
use market::{TokenId, figures::Figures, series::Resolution, series::Span};
use std::hint::black_box;
use tokio::time::Instant;

const TURNS: usize = 9;
const QUERIES: usize = 3_000;

/// A candle as anybody would store it: 48 bytes.
#[derive(Clone, Copy)]
struct Plain {
    _time: i64,
    _prices: [f64; 4],
    _volume: f64,
}

/// Figures of a tenth of the minutes, and of all.
pub(crate) fn rows(tenth: &Figures, all: &Figures) -> Vec<Row> {
    let plain = plain();
    read_everything(tenth);
    read_everything(all);
    let (mut of_copying, mut of_usd, mut of_tenth) = (Vec::new(), Vec::new(), Vec::new());
    let mut dice = Dice(2);
    for _ in 0..TURNS {
        let queries = queries(&mut dice, MINUTES);
        let copying = seconds(&queries, |token, span| copy(&plain, token, &span));
        let asking = seconds(&queries, |token, span| usd(all, token, span));
        let quoting = seconds(&queries, |token, span| {
            // Any token but this one.
            let quote = TokenId(1 + token.0 % TOKENS);
            let candles = all.candles(token, Some(quote), Resolution::Minute, span);
            black_box(candles).items().len()
        });
        let queries = self::queries(&mut dice, MINUTES / 10);
        let asking_tenth = seconds(&queries, |token, span| usd(tenth, token, span));
        of_copying.push(asking / copying);
        of_usd.push(quoting / asking);
        of_tenth.push(asking / asking_tenth);
    }
    vec![
        Row {
            what: "1,000 candles of 10 million, time",
            baseline: "copying as many from a plain row",
            ratio: median(of_copying),
            goal: Goal::AtMost(4.0),
        },
        Row {
            what: "1,000 candles in another token, time",
            baseline: "the same in USD",
            ratio: median(of_usd),
            goal: Goal::AtMost(3.0),
        },
        Row {
            what: "1,000 candles of 10 million, time",
            baseline: "1,000 candles of 1 million",
            ratio: median(of_tenth),
            goal: Goal::AtMost(1.3),
        },
    ]
}

/// Whatever is only read when somebody asks for it, is read before the turns.
fn read_everything(figures: &Figures) {
    let end = Resolution::Minute.bucket(figures.head_time()) + 1;
    for token in (1..=TOKENS).map(TokenId) {
        let first = Resolution::Minute.bucket(figures.first_price(token).unwrap());
        black_box(figures.candles(token, None, Resolution::Minute, first..end));
    }
}

fn queries(dice: &mut Dice, minutes: i64) -> Vec<(TokenId, Span)> {
    (0..QUERIES).map(|_| dice.query(minutes)).collect()
}

/// The time of queries, each of which must give what was asked for.
fn seconds(queries: &[(TokenId, Span)], ask: impl Fn(TokenId, Span) -> usize) -> f64 {
    let start = Instant::now();
    for (token, span) in queries {
        assert_eq!(i64::try_from(ask(*token, span.clone())), Ok(ASKED));
    }
    start.elapsed().as_secs_f64()
}

fn usd(figures: &Figures, token: TokenId, span: Span) -> usize {
    let candles = figures.candles(token, None, Resolution::Minute, span);
    black_box(candles).items().len()
}

/// As many candles as the figures have, token by token.
fn plain() -> Vec<Plain> {
    let candles = usize::try_from(i64::from(TOKENS) * MINUTES).unwrap();
    let candle = |time| Plain {
        _time: time,
        _prices: [1.0; 4],
        _volume: 1.0,
    };
    (0..).map(candle).take(candles).collect()
}

fn copy(plain: &[Plain], token: TokenId, span: &Span) -> usize {
    let first = i64::from(token.0 - 1) * MINUTES + span.start % (MINUTES - ASKED);
    let first = usize::try_from(first).unwrap();
    let asked = usize::try_from(ASKED).unwrap();
    black_box(plain.get(first..first + asked).unwrap().to_vec()).len()
}
