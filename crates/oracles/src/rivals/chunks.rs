//! Equal chunks, each on the best path that is left; one chunk is the best
//! single path.

use super::{Flows, Street, Streets, Trade};

/// Swaps of a path at most.
const HOPS: usize = 4;

/// The best way to a token with so many swaps.
#[derive(Debug, Clone, Copy, Default)]
struct Reached {
    amount: f64,
    street: usize,
}

impl Streets {
    /// Sells a trade in so many chunks, with so many swaps at most: where the
    /// best path would be one too many, the best of those that are open is it.
    #[must_use]
    pub fn in_chunks(&self, trade: &Trade, chunks: u32, max_swaps: usize) -> Flows {
        let mut flows = Flows::new();
        let amount = trade.amount / f64::from(chunks);
        for _ in 0..chunks {
            let best = self.best_path(trade, amount, &flows, |_| true);
            let fits = |path: &Vec<(usize, f64)>| {
                let new = path
                    .iter()
                    .filter(|(street, _)| !flows.contains_key(street));
                flows.len() + new.count() <= max_swaps
            };
            let best = best.filter(fits);
            let is_open = |street| flows.contains_key(&street);
            let Some(path) = best.or_else(|| self.best_path(trade, amount, &flows, is_open)) else {
                break;
            };
            for (street, sold) in path {
                *flows.entry(street).or_default() += sold;
            }
        }
        flows
    }

    /// The path that gives most for an amount, after what was sold already.
    fn best_path(
        &self,
        trade: &Trade,
        amount: f64,
        flows: &Flows,
        counts: impl Fn(usize) -> bool,
    ) -> Option<Vec<(usize, f64)>> {
        let tokens = self.from.len();
        let mut reached = vec![vec![Reached::default(); tokens]; HOPS + 1];
        *reached.first_mut()?.get_mut(trade.from)? = Reached { amount, street: 0 };
        for hop in 1..=HOPS {
            let (before, after) = reached.split_at_mut(hop);
            let (before, after) = (before.last()?, after.first_mut()?);
            for (token, at) in before.iter().enumerate() {
                if at.amount <= 0.0 || token == trade.to {
                    continue;
                }
                for (street, way) in self.away(token).filter(|(street, _)| counts(*street)) {
                    let amount = gained(way, flows.get(&street).copied(), at.amount);
                    if let Some(there) = after.get_mut(way.to)
                        && amount > there.amount
                    {
                        *there = Reached { amount, street };
                    }
                }
            }
        }
        let ends =
            (1..=HOPS).filter_map(|hop| Some((hop, reached.get(hop)?.get(trade.to)?.amount)));
        let (hops, _) = ends
            .filter(|(_, amount)| *amount > 0.0)
            .max_by(|one, other| one.1.total_cmp(&other.1))?;
        self.walked(trade, hops, &reached)
    }

    /// The streets of the best way with so many swaps, and what each sells.
    fn walked(
        &self,
        trade: &Trade,
        hops: usize,
        reached: &[Vec<Reached>],
    ) -> Option<Vec<(usize, f64)>> {
        let mut path = Vec::new();
        let mut token = trade.to;
        for hop in (1..=hops).rev() {
            let street = reached.get(hop)?.get(token)?.street;
            token = self.all.get(street)?.from;
            path.push((street, reached.get(hop - 1)?.get(token)?.amount));
        }
        Some(path)
    }
}

/// What a street gives for an amount after another one.
fn gained(street: &Street, before: Option<f64>, amount: f64) -> f64 {
    let before = before.unwrap_or_default();
    let bought = |sold| street.ladder.bought_for(sold);
    match (bought(before + amount), bought(before)) {
        (Some(after), Some(before)) => after - before,
        _ => 0.0,
    }
}
