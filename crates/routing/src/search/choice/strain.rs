//! What it takes to send elsewhere what flowed through pools that are closed.

use crate::search::problem::{Edge, Problem};

/// How well each token takes more or gives less. The flows of closed pools leave
/// too much of some tokens and too little of others, and the pools that stay
/// open take that up at worse prices. With others' prices unchanged, half the
/// square of what is out of balance, by how fast the token's pools respond, is
/// what that costs at least: nothing where many pools share a flow, and a lot
/// where a deep one carries most of it.
#[derive(Debug, Default)]
pub(super) struct Strain {
    tokens: Vec<Token>,
    touched: Vec<usize>,
}

/// What pools do at a token: all that are open, and a group of them.
#[derive(Debug, Clone, Copy, Default)]
struct Token {
    all: Share,
    group: Share,
    /// How much more comes than goes by the group, in value.
    excess: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Share {
    pools: usize,
    conductance: f64,
}

impl Share {
    fn add(&mut self, conductance: f64) {
        self.pools += 1;
        self.conductance += conductance;
    }
}

impl Strain {
    /// Takes up the pools that are open, by their places.
    pub(super) fn find(&mut self, problem: &Problem, open: &[usize]) {
        self.tokens.clear();
        self.tokens.resize(problem.tokens.len(), Token::default());
        for edge in open.iter().filter_map(|at| problem.edges.get(*at)) {
            let conductance = edge.conductance(&problem.prices);
            for place in [edge.from, edge.to] {
                if let Some(token) = self.tokens.get_mut(place) {
                    token.all.add(conductance);
                }
            }
        }
    }

    /// What closing a group of them costs beyond what they gain; `measure` is the
    /// token of which there may be any amount.
    pub(super) fn of<'e>(
        &mut self,
        prices: &[f64],
        group: impl Iterator<Item = &'e Edge>,
        measure: usize,
    ) -> f64 {
        for edge in group {
            let conductance = edge.conductance(prices);
            let [paid, gained] = edge.values(prices);
            for (place, excess) in [(edge.from, -paid), (edge.to, gained)] {
                if let Some(token) = self.tokens.get_mut(place) {
                    token.group.add(conductance);
                    token.excess += excess;
                    self.touched.push(place);
                }
            }
        }
        let mut strain = 0.0;
        for place in self.touched.drain(..) {
            let Some(token) = self.tokens.get_mut(place) else {
                continue;
            };
            let Token { all, group, excess } = *token;
            (token.group, token.excess) = (Share::default(), 0.0);
            // What only the group passes is of no concern without it.
            if place != measure && all.pools > group.pools {
                let left = all.conductance - group.conductance;
                strain += 0.5 * excess * excess / left.max(f64::MIN_POSITIVE);
            }
        }
        strain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Sale;
    use crate::ladder::Flow;
    use crate::search::problem::{BOUGHT, Curve, SOLD};

    /// A pool between two places at prices of one, through which this flows.
    fn pool(from: usize, to: usize, amount: f64, slope: f64) -> Edge {
        Edge {
            from,
            to,
            pair: 0,
            way: 0,
            pool: None,
            is_open: true,
            curve: Curve::Graph(Sale::new(0, 0)),
            threshold: 1.0,
            hint: 0,
            flow: Flow {
                sold: amount,
                bought: amount,
                slope,
            },
        }
    }

    /// What closing some of these pools costs.
    fn strain(edges: &[Edge], group: &[usize]) -> f64 {
        let mut problem = Problem::default();
        problem.tokens.extend([0, 1, 2]);
        problem.prices.extend([1.0; 3]);
        problem.edges.extend_from_slice(edges);
        let open: Vec<usize> = (0..edges.len()).collect();
        let mut strain = Strain::default();
        strain.find(&problem, &open);
        let group = group.iter().map(|at| &edges[*at]);
        let first = strain.of(&problem.prices, group.clone(), BOUGHT);
        let second = strain.of(&problem.prices, group, BOUGHT);
        assert_eq!(first.to_bits(), second.to_bits(), "nothing is left behind");
        first
    }

    #[test]
    fn others_take_up_what_flowed() {
        let shared = [
            pool(SOLD, BOUGHT, 100.0, 4_000.0),
            pool(SOLD, BOUGHT, 1.0, 50.0),
        ];
        assert_eq!(strain(&shared, &[0]).to_bits(), 200.0_f64.to_bits());
        assert_eq!(strain(&shared, &[1]).to_bits(), 0.000_25_f64.to_bits());
    }

    #[test]
    fn what_only_the_group_passes_needs_nobody() {
        let ways = [
            pool(SOLD, 2, 10.0, 100.0),
            pool(2, BOUGHT, 10.0, 100.0),
            pool(SOLD, BOUGHT, 10.0, 100.0),
        ];
        let one = strain(&ways, &[0, 1]);
        assert_eq!(one.to_bits(), strain(&ways, &[2]).to_bits());
        // Only the sold token has to go another way.
        assert_eq!(one.to_bits(), 1.0_f64.to_bits());
    }
}
