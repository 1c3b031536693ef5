//! Single ways through pairs: the first thing to beat.

use super::Goal;
use super::depth::Depth;
use super::lens::{self, Lens, Scratch};
use super::newton::Fixed;
use super::plan::{Plan, Swap};
use super::problem::{BOUGHT, SOLD};
use super::reach::Reach;
use crate::graph::{Sale, TokenId};
use crate::ladder;

/// Swaps of a single way.
pub(super) const MAX_HOPS: usize = 6;

/// First steps that are tried at full size,
const TRIED: usize = 8;
/// and those that are looked at for that: many begin well that lead nowhere.
const LOOKED_AT: usize = 256;

/// A way through pairs, with what it pays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    hops: [Sale; MAX_HOPS],
    /// The tokens behind each hop.
    tokens: [TokenId; MAX_HOPS],
    len: usize,
    /// What the next unit that each hop sells would buy.
    rates: [f64; MAX_HOPS],
    /// What is sold or bought along it: all that is asked for, or a part.
    pub(super) fixed: Fixed,
    /// What is bought with that sale, or sold for that purchase.
    pub(super) amount: f64,
    /// What the next unit sold would buy.
    pub(super) price: f64,
}

impl Path {
    pub(super) const EMPTY: Self = Self {
        hops: [Sale::new(0, 0); MAX_HOPS],
        tokens: [0; MAX_HOPS],
        rates: [0.0; MAX_HOPS],
        len: 0,
        fixed: Fixed::In(0.0),
        amount: 0.0,
        price: 0.0,
    };

    pub(super) fn with(mut self, sale: Sale, to: TokenId) -> Option<Self> {
        *self.hops.get_mut(self.len)? = sale;
        *self.tokens.get_mut(self.len)? = to;
        self.len += 1;
        Some(self)
    }

    /// The tokens that it passes, the last one included.
    fn tokens(&self) -> &[TokenId] {
        self.tokens.get(..self.len).unwrap_or_default()
    }

    /// The tokens between its ends, each with what its next unit would buy in
    /// the end.
    pub(super) fn prices(&self) -> impl Iterator<Item = (TokenId, f64)> + '_ {
        let mut price = self.price;
        let rates = self.rates.iter().copied();
        let prices = rates.map(move |rate| {
            price /= rate;
            price
        });
        let tokens = self.tokens().iter().copied();
        tokens.take(self.len.saturating_sub(1)).zip(prices)
    }

    /// The way from a token along the best values.
    pub(super) fn follow(
        lens: Lens<'_>,
        reach: &Reach,
        [sold, bought]: [TokenId; 2],
        first: TokenId,
    ) -> Option<Self> {
        let topology = lens.graph.topology();
        let mut path = Self::EMPTY;
        let (mut from, mut to) = (sold, first);
        for _ in 0..MAX_HOPS {
            path = path.with(topology.sale(from, to)?, to)?;
            if to == bought {
                return Some(path);
            }
            let next = reach.next(lens, to)?;
            // Values of loops lead back; the pair with the bought token does not.
            if next == sold || path.tokens().contains(&next) {
                return path.with(topology.sale(to, bought)?, bought);
            }
            (from, to) = (to, next);
        }
        None
    }

    /// The way that is one pair.
    pub(super) fn direct(sale: Sale, bought: TokenId) -> Self {
        Self::EMPTY.with(sale, bought).unwrap_or(Self::EMPTY)
    }

    /// The best plan with one pool for each hop; `None` if there is none for
    /// the whole amount.
    pub(super) fn plan(&self, goal: &Goal<'_>, scratch: &mut Scratch) -> Option<Plan> {
        let [sold, bought] = goal.ends;
        let mut plan = Plan {
            tokens: vec![sold, bought],
            ..Plan::default()
        };
        plan.prices.extend([self.price, 1.0]);
        for (token, price) in self.prices() {
            plan.tokens.push(token);
            plan.prices.push(price);
        }
        let place = |hop: usize| if hop == self.len { BOUGHT } else { hop + 1 };
        let ends = |hop: usize| (if hop == 0 { SOLD } else { place(hop) }, place(hop + 1));
        match goal.fixed {
            Fixed::In(amount) => {
                (plan.sold, plan.bought) = (amount, amount);
                for hop in 0..self.len {
                    let swap =
                        self.best_pool(goal, hop, ends(hop), Fixed::In(plan.bought), scratch)?;
                    plan.bought = swap.bought;
                    plan.swaps.push(swap);
                }
            }
            Fixed::Out(amount) => {
                (plan.sold, plan.bought) = (amount, amount);
                for hop in (0..self.len).rev() {
                    let swap =
                        self.best_pool(goal, hop, ends(hop), Fixed::Out(plan.sold), scratch)?;
                    plan.sold = swap.sold;
                    plan.swaps.push(swap);
                }
                plan.swaps.reverse();
            }
        }
        Some(plan)
    }

    /// The pool that trades best on a hop, costs counted.
    fn best_pool(
        &self,
        goal: &Goal<'_>,
        hop: usize,
        (from, to): (usize, usize),
        fixed: Fixed,
        scratch: &mut Scratch,
    ) -> Option<Swap> {
        let sale = self.hops.get(hop)?;
        let (pair, way) = (sale.pair(), sale.way());
        let view = goal.lens.graph.pair(pair)?;
        let mut best: Option<Swap> = None;
        for slot in view.slots().iter().filter(|slot| goal.lens.admits(slot)) {
            let rungs = lens::pool(&view, slot, way, scratch);
            let (sold, bought) = match fixed {
                Fixed::In(sold) => (Some(sold), ladder::bought_for(rungs, sold)),
                Fixed::Out(bought) => (ladder::sold_for(rungs, bought), Some(bought)),
            };
            let (Some(sold), Some(bought)) = (sold, bought) else {
                continue;
            };
            let is_better = best.is_none_or(|best| match fixed {
                Fixed::In(_) => bought > best.bought,
                Fixed::Out(_) => sold < best.sold,
            });
            if is_better {
                best = Some(Swap {
                    slot: *slot,
                    way,
                    from,
                    to,
                    sold,
                    bought,
                    most: ladder::most_sold(rungs),
                    cost: goal.order.costs.swap_at(slot.venue),
                });
            }
        }
        best
    }

    /// Finds out what it pays; `None` if it cannot take as much.
    pub(super) fn priced(
        mut self,
        lens: Lens<'_>,
        fixed: Fixed,
        scratch: &mut Scratch,
    ) -> Option<Self> {
        self.price = 1.0;
        self.fixed = fixed;
        match fixed {
            Fixed::In(amount) => {
                self.amount = amount;
                for at in 0..self.len {
                    let rungs = lens.curve(*self.hops.get(at)?, scratch);
                    let z = ladder::z_for(rungs, self.amount)?;
                    self.amount = ladder::flow_at(rungs, z, &mut 0).bought;
                    *self.rates.get_mut(at)? = (z * z).recip();
                    self.price /= z * z;
                }
            }
            Fixed::Out(amount) => {
                self.amount = amount;
                for at in (0..self.len).rev() {
                    let rungs = lens.curve(*self.hops.get(at)?, scratch);
                    self.amount = ladder::sold_for(rungs, self.amount)?;
                    let z = ladder::z_for(rungs, self.amount)?;
                    *self.rates.get_mut(at)? = (z * z).recip();
                    self.price /= z * z;
                }
            }
        }
        (self.amount > 0.0 && self.amount.is_finite()).then_some(self)
    }

    /// The way with a part of the amount that does not move its price too far.
    pub(super) fn unexhausted(self, goal: &Goal<'_>, scratch: &mut Scratch) -> Self {
        let hops = self.hops.iter().take(self.len);
        let spot: f64 = hops.map(|sale| goal.lens.rate(*sale)).product();
        let mut path = self;
        for _ in 0..HALVINGS {
            if path.price >= spot * EXHAUSTED {
                break;
            }
            match path.priced(goal.lens, path.fixed.halved(), scratch) {
                Some(part) => path = part,
                None => break,
            }
        }
        path
    }

    /// How good it is, if a swap costs so much.
    fn worth(&self, fixed: Fixed, cost: f64) -> f64 {
        let hops = u32::try_from(self.len).unwrap_or(u32::MAX);
        let costs = cost * f64::from(hops);
        match fixed {
            Fixed::In(_) => self.amount - costs,
            Fixed::Out(_) => -self.amount - costs,
        }
    }
}

/// How often the amount is halved to find any way at all, or one that leaves
/// this much of the price.
const HALVINGS: usize = 24;
const EXHAUSTED: f64 = 0.7;

/// How often the sale is enlarged that is to buy a part of what is wanted, and by
/// how much at once.
const GROWTHS: usize = 8;
const ABOUT: f64 = 0.8;
const MAX_GROWTH: f64 = 4.0;

/// The best single way among those that begin well; where none takes all, that
/// for a smaller amount. The values must be those that follow from the bought
/// token alone.
pub(super) fn best(
    goal: &Goal<'_>,
    reach: &Reach,
    firsts: &mut Vec<(f64, TokenId)>,
    depth: &mut Depth,
    scratch: &mut Scratch,
) -> Option<Path> {
    let lens = goal.lens;
    let [sold, bought] = goal.ends;
    firsts.clear();
    if let Some(sale) = lens.graph.topology().sale(sold, bought) {
        firsts.push((lens.rate(sale), bought));
    }
    for (to, sale, value) in reach.around(lens, sold) {
        firsts.push((lens.rate(sale) * value, to));
    }
    firsts.retain(|(rate, _)| *rate > 0.0);
    firsts.sort_unstable_by(|(a, x), (b, y)| b.total_cmp(a).then(x.cmp(y)));
    let (spot, _) = *firsts.first()?;
    let mut fixed = goal.fixed;
    for _ in 0..HALVINGS {
        let found = best_for(goal, reach, fixed, firsts, scratch);
        if found.is_some_and(|path| path.price >= spot * EXHAUSTED) {
            return found;
        }
        // What begins well may end soon.
        let deep = deepest(goal, reach, fixed, spot, depth, scratch);
        let cost = goal.least_cost();
        let both = [found, deep].into_iter().flatten();
        let best = both.max_by(|a, b| a.worth(fixed, cost).total_cmp(&b.worth(fixed, cost)));
        if best.is_some() {
            return best;
        }
        fixed = fixed.halved();
    }
    None
}

/// The way that pays most for a whole amount, if there is one. For a purchase it
/// is that of the sale that buys about as much, where no unit is cheaper than
/// the first.
fn deepest(
    goal: &Goal<'_>,
    reach: &Reach,
    fixed: Fixed,
    spot: f64,
    depth: &mut Depth,
    scratch: &mut Scratch,
) -> Option<Path> {
    let (mut sold, target) = match fixed {
        Fixed::In(amount) => (amount, 0.0),
        Fixed::Out(amount) => (amount / spot, amount),
    };
    for _ in 0..GROWTHS {
        let path = depth.best(goal.lens, reach, goal.ends, sold, scratch)?;
        let sale = path.priced(goal.lens, Fixed::In(sold), scratch)?;
        if sale.amount >= target * ABOUT {
            return path.priced(goal.lens, fixed, scratch);
        }
        sold *= (target / sale.amount).min(MAX_GROWTH);
    }
    None
}

fn best_for(
    goal: &Goal<'_>,
    reach: &Reach,
    fixed: Fixed,
    firsts: &[(f64, TokenId)],
    scratch: &mut Scratch,
) -> Option<Path> {
    let cost = goal.least_cost();
    let mut best: Option<(f64, Path)> = None;
    let mut tried = 0;
    for (rate, first) in firsts.iter().take(LOOKED_AT) {
        // No later one can pay more: not even its first unit does.
        let most = match fixed {
            Fixed::In(amount) => amount * rate,
            Fixed::Out(amount) => -amount / rate,
        };
        if best.is_some_and(|(worth, _)| most - cost <= worth) {
            break;
        }
        let path = Path::follow(goal.lens, reach, goal.ends, *first);
        let Some(path) = path.and_then(|path| path.priced(goal.lens, fixed, scratch)) else {
            continue;
        };
        tried += 1;
        let worth = path.worth(fixed, cost);
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, path));
        }
        if tried == TRIED {
            break;
        }
    }
    best.map(|(_, path)| path)
}
