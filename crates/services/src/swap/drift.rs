//! What a taker has to expect until the trade is executed: a projection from
//! what happened of late.
//!
//! Two things tell of it, and the larger counts. The route's own pools tell what
//! waiting would have cost in the last blocks, which is 0 where nobody traded
//! meanwhile. The volatility of the two tokens' prices over the last hour tells
//! what is usual.

use crate::{snapshot::Snapshot, trail::Trail};
use amm::book::Pools;
use market::{figures::Figures, series::Resolution};
use std::time::Duration;
use trading::{Quote, bought_on};

/// Minutes that volatility is measured over.
const MINUTES: i64 = 60;

/// How far what a quote pays is expected to fall in so long, in per cent.
pub(super) fn estimated_slippage(quote: &Quote, snapshot: &Snapshot, within: Duration) -> f64 {
    let drawdown = drawdown(quote, &snapshot.trail);
    let volatility = volatility(quote, &snapshot.figures);
    // By the square root of time, as independent moves add up.
    let usual = volatility * (within.as_secs_f64() / 60.0).sqrt();
    drawdown.max(usual) * 100.0
}

/// The largest fall of what the route pays from one of the last blocks to any
/// later one (the maximum drawdown), as a share.
fn drawdown(quote: &Quote, trail: &Trail) -> f64 {
    let mut before: Option<(&Pools, Option<f64>)> = None;
    let paid = trail.iter().map(|pools| {
        let paid = match before {
            Some((before, paid)) if are_the_same(quote, before, pools) => paid,
            _ => bought_on(quote, pools).ok().map(f64::from),
        };
        before = Some((pools, paid));
        paid
    });
    largest_fall(paid)
}

/// Whether nothing happened to the pools of a quote, so that it pays the same.
fn are_the_same(quote: &Quote, before: &Pools, now: &Pools) -> bool {
    quote.hops.iter().all(|hop| {
        let [before, now] = [before, now].map(|pools| pools.get(hop.leg.pool));
        match (before, now) {
            (Some(before), Some(now)) => {
                std::ptr::eq(before.pool, now.pool) || before.pool == now.pool
            }
            _ => false,
        }
    })
}

/// Blocks at which the route could not be taken are passed over.
fn largest_fall(paid: impl Iterator<Item = Option<f64>>) -> f64 {
    let (mut most, mut largest) = (0.0_f64, 0.0_f64);
    for now in paid.flatten() {
        most = most.max(now);
        if most > 0.0 {
            largest = largest.max((most - now) / most);
        }
    }
    largest
}

/// The standard deviation of a minute's move of the sold token's reference price
/// in the bought one, as a share; 0 where there are no prices.
fn volatility(quote: &Quote, figures: &Figures) -> f64 {
    let tokens = figures.token(quote.sell).zip(figures.token(quote.buy));
    let Some((sold, bought)) = tokens else {
        return 0.0;
    };
    let end = Resolution::Minute.bucket(figures.head_time()) + 1;
    let minutes = end - MINUTES..end;
    let candles = figures.candles(sold, Some(bought), Resolution::Minute, minutes);
    let moves = candles.items().iter().map(|it| (it.open, it.close));
    root_mean_square(moves)
}

fn root_mean_square(moves: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (open, close) in moves {
        let change = close / open - 1.0;
        if change.is_finite() {
            sum += change * change;
            count += 1.0;
        }
    }
    if count > 0.0 {
        f64::sqrt(sum / count)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_fall_counts_however_many_blocks_it_takes_and_no_rise_does() {
        for (paid, fall) in [
            (&[][..], 0.0_f64),
            (&[Some(100.0), Some(110.0)], 0.0),
            (&[Some(100.0), Some(99.0), Some(120.0), Some(90.0)], 0.25),
            (&[Some(100.0), Some(90.0), Some(95.0), Some(80.0)], 0.2),
            (&[Some(100.0), None, Some(50.0), Some(0.0)], 1.0),
            (&[Some(0.0), Some(0.0)], 0.0),
        ] {
            let found = largest_fall(paid.iter().copied());
            assert!((found - fall).abs() < 1e-12, "{paid:?}: {found}");
        }
    }

    #[test]
    fn volatility_is_the_root_of_the_mean_square_of_moves() {
        for (moves, expected) in [
            (&[][..], 0.0_f64),
            (&[(0.0, 0.0)], 0.0),
            (&[(100.0, 100.0)], 0.0),
            (&[(100.0, 101.0), (100.0, 99.0)], 0.01),
            (&[(100.0, 104.0), (1.0, 1.0), (1.0, 1.0), (2.0, 2.0)], 0.02),
        ] {
            let found = root_mean_square(moves.iter().copied());
            assert!((found - expected).abs() < 1e-12, "{moves:?}: {found}");
        }
    }
}
