//! What matters to an order: the tokens through which something is to be gained
//! at the prices that its best single paths end with, the amount divided over all
//! of them. These prices are farther apart than in any better division, so that
//! few tokens are missed.

use super::arena::{Arena, Hop, surplus};
use super::closure::Closure;
use super::division::Division;
use super::edges::{self, Edge};
use super::goal::Goal;
use super::paths::Path;
use super::prices::{BOUGHT, MAX_NODES, Prices, SOLD};
use crate::graph::{Lens, TokenId};

/// Rounds in which prices spread: a token may be three swaps away from the paths on
/// either side.
const ROUNDS: usize = 3;

/// Tokens of a neighbourhood beside those of the arena, and how much farther apart
/// prices may be for which they count: without a venue they are. With a fifth of the
/// tokens one order in a hundred was worse, with twice as many none was better.
const NEAR: usize = 256;
const WIDER: f64 = 1.05;

/// Where a search takes place, and where it begins.
#[derive(Debug)]
pub(super) struct Scope<'g> {
    pub(super) arena: Arena<'g>,
    /// Prices of the arena's tokens, and swaps, to begin with.
    pub(super) prices: Prices,
    pub(super) start: Vec<usize>,
    /// What tokens can be bought and sold for, where others matter too.
    offers: Option<Offers>,
}

impl<'g> Scope<'g> {
    /// All that matters, beginning with a division over paths.
    pub(super) fn around(
        lens: &Lens<'g>,
        goal: &Goal,
        ends: [TokenId; 2],
        paths: &[Path<'g>],
    ) -> Self {
        let mut begin = divided(lens, goal, ends, paths);
        if begin.1.bought <= 0.0 {
            // Too much for prices to settle: by the best path they do.
            begin = divided(lens, goal, ends, paths.get(..1).unwrap_or_default());
        }
        let (joined, division) = begin;
        let used = division.set();
        let used = used.iter().filter_map(|at| joined.hops.get(*at));
        let used: Vec<&Hop<'g>> = used.collect();
        let is_passed = |node: usize| used.iter().any(|hop| hop.ends().contains(&node));
        let nodes = joined.tokens.iter().enumerate();
        let known: Vec<(TokenId, f64)> = nodes
            .filter(|(node, _)| is_passed(*node))
            .map(|(node, token)| (*token, division.prices[node]))
            .collect();
        let offers = Offers::new(lens, &known);
        let mut tokens = joined.tokens.clone();
        for (_, token) in gains(lens, goal, &offers) {
            if tokens.len() < MAX_NODES && !tokens.contains(&token) {
                tokens.push(token);
            }
        }
        let prices: Vec<f64> = tokens.iter().map(|token| offers.price(*token)).collect();
        let wanted: Vec<_> = used.iter().map(|hop| hop.pool.id).collect();
        let arena = Arena::new(lens, goal, tokens, &prices, &wanted);
        let start = used.iter().filter_map(|hop| arena.find(hop.pool, hop.sale));
        Self {
            start: start.collect(),
            prices: Prices::new(&prices),
            arena,
            offers: Some(offers),
        }
    }

    /// Tokens that may matter without some of the pools.
    pub(super) fn near(&self, lens: &Lens<'g>, goal: &Goal) -> Vec<TokenId> {
        let mut near = self.arena.tokens.clone();
        if let Some(offers) = &self.offers {
            let wider = possible_gains(lens, goal, offers);
            near.extend(wider.iter().map(|(_, token)| *token).take(NEAR));
        }
        near
    }

    /// The swaps from the one token to the other alone, beginning with the deepest.
    pub(super) fn direct(lens: &Lens<'g>, goal: &Goal, ends: [TokenId; 2]) -> Self {
        let [sold, bought] = ends;
        let sale = lens.topology().sale(sold, bought);
        let prices = [sale.map_or(0.0, |sale| lens.rate(sale)), 1.0];
        let arena = Arena::new(lens, goal, ends.to_vec(), &prices, &[]);
        // At half the price, so that depth counts.
        let [sold, bought] = [prices[SOLD] / 2.0, prices[BOUGHT]];
        let kept = arena.hops.iter().map(|hop| hop.surplus(sold, bought));
        let deepest = kept.enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
        Self {
            start: deepest.map(|(at, _)| at).into_iter().collect(),
            prices: Prices::new(&prices),
            arena,
            offers: None,
        }
    }
}

/// The amount divided over some paths.
pub(super) fn divided<'g>(
    lens: &Lens<'g>,
    goal: &Goal,
    ends: [TokenId; 2],
    paths: &[Path<'g>],
) -> (Arena<'g>, Division) {
    let (arena, prices) = joined(lens, goal, ends, paths);
    let set: Vec<usize> = (0..arena.hops.len()).collect();
    let division = Division::new(&arena, goal, &set, &prices);
    (arena, division)
}

/// The tokens and swaps of some paths, as many as no flow can go round on, and the
/// prices of first units along them; of last ones along a single path, whose division
/// that is.
fn joined<'g>(
    lens: &Lens<'g>,
    goal: &Goal,
    ends: [TokenId; 2],
    paths: &[Path<'g>],
) -> (Arena<'g>, Prices) {
    let mut arena = Arena {
        tokens: ends.to_vec(),
        hops: Vec::new(),
    };
    let mut prices = Prices::new(&[0.0, 1.0]);
    for path in paths {
        let before = arena.hops.len();
        let first = || path.hops.iter().map(|hop| lens.rate(hop.sale)).collect();
        let last = Some(path).filter(|_| paths.len() == 1);
        let rates = last.and_then(|path| path.last_prices(goal));
        let rates: Vec<f64> = rates.unwrap_or_else(first);
        let mut to = BOUGHT;
        let givers = path.hops.iter().rev().skip(1).map(|hop| hop.to);
        let hops = path.hops.iter().zip(rates).rev();
        for ((hop, rate), token) in hops.zip(givers.chain([ends[SOLD]])) {
            let known = arena.tokens.iter().position(|known| *known == token);
            let from = known.unwrap_or(arena.tokens.len());
            if from == MAX_NODES {
                break;
            }
            if known.is_none() {
                arena.tokens.push(token);
            }
            prices[from] = prices[from].max(prices[to] * rate);
            if arena.find(hop.pool, hop.sale).is_none() {
                arena
                    .hops
                    .push(Hop::new([from, to], hop.pool, hop.sale, goal));
            }
            to = from;
        }
        let edges: Vec<Edge> = arena.hops.iter().map(Hop::ends).collect();
        if to != SOLD || edges::in_order(&edges).is_none() {
            arena.hops.truncate(before);
        }
    }
    (arena, prices)
}

/// What tokens can be bought and sold for.
#[derive(Debug)]
struct Offers {
    inverse_asks: Closure,
    bids: Closure,
}

impl Offers {
    fn new(lens: &Lens<'_>, known: &[(TokenId, f64)]) -> Self {
        Self {
            inverse_asks: Closure::inverse_asks(lens, known, ROUNDS),
            bids: Closure::bids(lens, known, ROUNDS),
        }
    }

    /// A price between bid and ask; 0 where there is neither.
    fn price(&self, token: TokenId) -> f64 {
        let (inverse, bid) = (self.inverse_asks.get(token), self.bids.get(token));
        match (inverse > 0.0, bid > 0.0) {
            (true, true) => (bid / inverse).sqrt(),
            (true, false) => inverse.recip(),
            _ => bid,
        }
    }
}

/// Tokens that something is gained through, and about how much, the most first:
/// what the pools on either side keep at a price between bid and ask.
fn gains(lens: &Lens<'_>, goal: &Goal, offers: &Offers) -> Vec<(f64, TokenId)> {
    ranked(offers, 1.0, |token, price| {
        gain(lens, goal, offers, token, price)
    })
}

/// The same at wider prices, by what fronts offer, which is quicker and never less.
fn possible_gains(lens: &Lens<'_>, goal: &Goal, offers: &Offers) -> Vec<(f64, TokenId)> {
    ranked(offers, WIDER, |token, price| {
        let (mut into, mut out) = (0.0_f64, 0.0_f64);
        for link in lens.neighbours(token) {
            let ask = (offers.inverse_asks.get(link.to) * WIDER).recip();
            into = into.max(lens.front(link.sale.back()).surplus(ask, price));
            out = out.max(
                lens.front(link.sale)
                    .surplus(price, offers.bids.get(link.to)),
            );
        }
        into.min(out) - goal.costs.cheapest()
    })
}

/// Tokens that gain at a price between bid and ask, the most first.
fn ranked(offers: &Offers, wider: f64, gain: impl Fn(TokenId, f64) -> f64) -> Vec<(f64, TokenId)> {
    let both = offers.inverse_asks.all().iter().zip(offers.bids.all());
    let offered = (0..)
        .zip(both)
        .filter(|(_, (inverse, bid))| *bid * *inverse * wider > 1.0);
    let gains = offered
        .map(|(token, (inverse, bid))| (gain(token, (bid / (inverse * wider)).sqrt()), token));
    let mut gains: Vec<_> = gains.filter(|(gain, _)| *gain > 0.0).collect();
    gains.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.cmp(y)));
    gains
}

/// The best that a pool gains which buys a token, or which sells it, whichever is
/// less.
fn gain(lens: &Lens<'_>, goal: &Goal, offers: &Offers, token: TokenId, price: f64) -> f64 {
    let cheapest = goal.costs.cheapest();
    let (mut into, mut out) = (0.0_f64, 0.0_f64);
    for link in lens.neighbours(token) {
        let ask = offers.inverse_asks.get(link.to).recip();
        if lens.front(link.sale.back()).surplus(ask, price) - cheapest > into {
            for pool in lens.pools(link.sale.back()) {
                let surplus = surplus(pool.rungs(link.sale.back().direction), ask, price);
                into = into.max(surplus - goal.costs.swap_at(pool.venue));
            }
        }
        let bid = offers.bids.get(link.to);
        if lens.front(link.sale).surplus(price, bid) - cheapest > out {
            for pool in lens.pools(link.sale) {
                let surplus = surplus(pool.rungs(link.sale.direction), price, bid);
                out = out.max(surplus - goal.costs.swap_at(pool.venue));
            }
        }
    }
    into.min(out)
}
