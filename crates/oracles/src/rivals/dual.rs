//! The dual problem as textbooks solve it: prices of all tokens at which pools
//! take what is sold and keep nothing, found by a quasi-Newton method.

use super::{Flows, Streets, Trade};
use std::collections::VecDeque;

/// Pairs of steps and changes of the slope that are remembered.
const MEMORY: usize = 10;
const MAX_STEPS: usize = 400;
const MAX_HALVINGS: u32 = 30;

/// What may be out of balance, as a part of the trade's worth.
const BALANCED: f64 = 1e-7;

/// A point: logarithms of prices, the value there, its slope.
#[derive(Debug, Clone)]
struct Point {
    logs: Vec<f64>,
    value: f64,
    slope: Vec<f64>,
}

impl Streets {
    /// What every pool sells at the best prices that were found.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        reason = "a trade is between tokens of the list"
    )]
    pub fn dual(&self, trade: &Trade) -> Flows {
        let unit = self.worths[trade.to];
        let logs = self.worths.iter().map(|worth| (worth / unit).ln());
        let mut at = self.point(trade, logs.collect());
        let size = at.value.abs().max(f64::MIN_POSITIVE);
        let mut memory: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
        for _ in 0..MAX_STEPS {
            let off: f64 = at.slope.iter().map(|part| part.abs()).sum();
            if off <= BALANCED * size {
                break;
            }
            let Some(next) = self.stepped(trade, &at, &memory, size) else {
                break;
            };
            let step = difference(&next.logs, &at.logs);
            let change = difference(&next.slope, &at.slope);
            if product(&step, &change) > 0.0 {
                memory.push_back((step, change));
            }
            if memory.len() > MEMORY {
                memory.pop_front();
            }
            at = next;
        }
        self.flows(&at.logs)
    }

    /// A point downhill, the far end of the step halved until it is lower.
    fn stepped(
        &self,
        trade: &Trade,
        at: &Point,
        memory: &VecDeque<(Vec<f64>, Vec<f64>)>,
        size: f64,
    ) -> Option<Point> {
        let way = direction(&at.slope, memory, size);
        let fall = product(&way, &at.slope);
        let longest = way.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
        let mut length = (0.5 / longest).min(1.0);
        for _ in 0..MAX_HALVINGS {
            let logs = at.logs.iter().zip(&way);
            let next = self.point(trade, logs.map(|(log, part)| log + length * part).collect());
            if next.value <= at.value + 1e-4 * length * fall {
                return Some(next);
            }
            length /= 2.0;
        }
        None
    }

    #[expect(clippy::indexing_slicing, reason = "as many logarithms as tokens")]
    fn point(&self, trade: &Trade, logs: Vec<f64>) -> Point {
        let price = |token: usize| logs[token].exp();
        let mut value = price(trade.from) * trade.amount;
        let mut slope = vec![0.0; logs.len()];
        let mut add = |token: usize, part: f64| slope[token] += part;
        add(trade.from, value);
        for street in &self.all {
            let (paid, got) = (price(street.from), price(street.to));
            let (sold, bought) = street.ladder.until((got / paid).sqrt());
            value += got * bought - paid * sold;
            add(street.from, -paid * sold);
            add(street.to, got * bought);
        }
        // The bought token is what prices are counted in.
        slope[trade.to] = 0.0;
        Point { logs, value, slope }
    }

    #[expect(clippy::indexing_slicing, reason = "as many logarithms as tokens")]
    fn flows(&self, logs: &[f64]) -> Flows {
        let sold = self.all.iter().map(|street| {
            let z = ((logs[street.to] - logs[street.from]) / 2.0).exp();
            street.ladder.until(z).0
        });
        sold.enumerate().filter(|(_, sold)| *sold > 0.0).collect()
    }
}

/// Downhill, by what was seen of the curvature.
fn direction(slope: &[f64], memory: &VecDeque<(Vec<f64>, Vec<f64>)>, size: f64) -> Vec<f64> {
    let mut way = slope.to_vec();
    let mut parts = Vec::new();
    for (step, change) in memory.iter().rev() {
        let part = product(step, &way) / product(step, change);
        add(&mut way, change, -part);
        parts.push(part);
    }
    let scale = memory.back().map_or(0.01 / size, |(step, change)| {
        product(step, change) / product(change, change)
    });
    for part in &mut way {
        *part *= scale;
    }
    for ((step, change), part) in memory.iter().zip(parts.into_iter().rev()) {
        let back = product(change, &way) / product(step, change);
        add(&mut way, step, part - back);
    }
    way.iter().map(|part| -part).collect()
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn difference(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter()
        .zip(other)
        .map(|(one, other)| one - other)
        .collect()
}

fn add(to: &mut [f64], more: &[f64], factor: f64) {
    for (to, more) in to.iter_mut().zip(more) {
        *to += factor * more;
    }
}
