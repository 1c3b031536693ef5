//! Purchases made of sales.
//!
//! Few pools may not hold as much as is wanted, and then nothing tells which of
//! them are the better ones. But any pools can make a sale. So they are chosen by
//! sales, of more and more until enough is bought, and then make the purchase.

use super::{Choice, FEW_OPENINGS, Means};
use crate::Order;
use crate::search::Goal;
use crate::search::newton::{self, Fixed};
use crate::search::plan::Plan;
use crate::search::problem::{BOUGHT, SOLD};

/// Sales that are tried to make a purchase of one.
const SALES: usize = 8;

/// Sales that are tried to choose pools,
const MAX_SALES: usize = 6;
/// by how much each is larger than the one before, at least and at most,
const LARGER: [f64; 2] = [1.02, 2.0];
/// and the part of what is wanted that is enough: prices do the rest.
const ENOUGH: f64 = 0.97;

impl Choice {
    /// Opens pools that can buy as much as is wanted, no more than so many of
    /// those that are open; `None` if it finds none.
    pub(super) fn begin_purchase(
        &mut self,
        goal: &Goal<'_>,
        limit: usize,
        means: &mut Means<'_>,
    ) -> Option<()> {
        let Fixed::Out(wanted) = goal.fixed else {
            return None;
        };
        let prices = [SOLD, BOUGHT].map(|place| self.problem.prices.get(place).copied());
        let [Some(price), Some(measure)] = prices else {
            return None;
        };
        let order = Order {
            costs: goal.order.costs.at(price / measure),
            ..goal.order.clone()
        };
        let sale = |sold| Goal {
            order: &order,
            fixed: Fixed::In(sold),
            ..*goal
        };
        // What all of them would sell, those included that were closed just now.
        let [mut sold, _] = self.traded();
        self.begin(&sale(sold), limit, means)?;
        for _ in 0..MAX_SALES {
            self.close_dear(&sale(sold), means);
            self.exchange(&sale(sold), limit, FEW_OPENINGS, means);
            self.restore(goal.lens.graph);
            let [_, bought] = self.traded();
            if bought >= wanted * ENOUGH
                && let Some(worth) = self.balance(goal, means)
            {
                self.keep(worth);
                return Some(());
            }
            self.restore(goal.lens.graph);
            let [least, most] = LARGER;
            sold *= (wanted / bought).powi(2).clamp(least, most);
            let worth = self.balance(&sale(sold), means)?;
            self.keep(worth);
        }
        None
    }

    /// The plan of a purchase as that of the sale that buys as much: sought by
    /// what more or less would buy, from about this amount.
    pub(super) fn by_sale(
        &mut self,
        goal: &Goal<'_>,
        about: f64,
        means: &mut Means<'_>,
    ) -> Option<Plan> {
        let Fixed::Out(target) = goal.fixed else {
            return None;
        };
        let Self { problem, .. } = self;
        let graph = goal.lens.graph;
        let mut sold = about;
        for _ in 0..SALES {
            let fixed = Fixed::In(sold);
            means.newton.balance(problem, graph, fixed, newton::FINE);
            let plan = Plan::of(problem, graph, Some(sold), &goal.order.costs)?;
            if goal.is_met(&plan) {
                return Some(plan);
            }
            sold += (target - plan.bought) / problem.prices.first().copied()?;
            if !(sold > 0.0 && sold.is_finite()) {
                return None;
            }
        }
        None
    }

    /// What is sold and bought by the flows that were found last.
    fn traded(&self) -> [f64; 2] {
        let [mut sold, mut bought] = [0.0; 2];
        for edge in &self.problem.edges {
            if edge.from == SOLD {
                sold += edge.flow.sold;
            }
            if edge.to == BOUGHT {
                bought += edge.flow.bought;
            }
        }
        [sold, bought]
    }
}
