//! Pools for a purchase, where they may only be few.
//!
//! Few pools may not hold as much as is wanted, and then nothing tells which of
//! them are the better ones. But any pools can make a sale. So they are chosen by
//! sales, of more and more until enough is bought, and then make the purchase.

use super::{Choice, FEW_OPENINGS, Means};
use crate::Order;
use crate::search::Goal;
use crate::search::newton::Fixed;
use crate::search::problem::{BOUGHT, SOLD};

/// Sales that are tried,
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
        let [Some(sold), Some(bought)] = prices else {
            return None;
        };
        let order = Order {
            costs: goal.order.costs.at(sold / bought),
            ..goal.order.clone()
        };
        let sale = |sold| Goal {
            order: &order,
            fixed: Fixed::In(sold),
            ..*goal
        };
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

    /// What is sold and bought by the flows of open pools.
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
