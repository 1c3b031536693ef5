//! Which tokens matter to an order: those through which something is to be
//! gained at the prices that the best single way ends with. With the whole amount
//! on one way, prices are farther apart than in any better division, so that few
//! tokens are missed.

use super::arena::{Arena, Hop, surplus};
use super::closure::Closure;
use super::division::Division;
use super::goal::Goal;
use super::prices::{MAX_NODES, Prices};
use super::ways::Way;
use crate::graph::{Lens, TokenId};

/// Rounds in which prices spread: a token may be three swaps away from the way on
/// either side.
const ROUNDS: usize = 3;

/// The arena of an order, and prices of its tokens to begin with.
pub(super) fn arena<'g>(
    lens: &Lens<'g>,
    goal: &Goal,
    ends: [TokenId; 2],
    ways: &[Way<'g>],
) -> (Arena<'g>, Prices) {
    let mut tokens = ends.to_vec();
    let mut take = |token: TokenId| {
        if !tokens.contains(&token) && tokens.len() < MAX_NODES {
            tokens.push(token);
        }
    };
    for hop in ways.iter().flat_map(|way| &way.hops) {
        take(hop.to);
    }
    let known = ways.first().map(|way| ending_prices(lens, goal, ends, way));
    let offers = Offers::new(lens, &known.unwrap_or_default());
    for (_, token) in gains(lens, goal, &offers) {
        take(token);
    }
    let price = |token: &TokenId| {
        let (inverse, bid) = (offers.inverse_asks.get(*token), offers.bids.get(*token));
        match (inverse > 0.0, bid > 0.0) {
            (true, true) => (bid / inverse).sqrt(),
            (true, false) => inverse.recip(),
            _ => bid,
        }
    };
    let prices: Vec<f64> = tokens.iter().map(price).collect();
    let wanted: Vec<_> = ways
        .iter()
        .flat_map(|way| &way.hops)
        .map(|hop| hop.pool.id)
        .collect();
    let arena = Arena::new(lens, goal, tokens, &prices, &wanted);
    (arena, Prices::new(&prices))
}

/// The arena of swaps from the one token to the other alone.
pub(super) fn direct_arena<'g>(
    lens: &Lens<'g>,
    goal: &Goal,
    ends: [TokenId; 2],
) -> (Arena<'g>, Prices) {
    let [sold, bought] = ends;
    let rate = lens
        .topology()
        .sale(sold, bought)
        .map_or(0.0, |sale| lens.rate(sale));
    let prices = [rate, 1.0];
    let arena = Arena::new(lens, goal, ends.to_vec(), &prices, &[]);
    (arena, Prices::new(&prices))
}

/// The prices of a way's tokens when the whole amount has gone it.
fn ending_prices(
    lens: &Lens<'_>,
    goal: &Goal,
    [sold, bought]: [TokenId; 2],
    way: &Way<'_>,
) -> Vec<(TokenId, f64)> {
    let mut tokens = vec![sold, bought];
    let between = way
        .hops
        .iter()
        .map(|hop| hop.to)
        .filter(|token| *token != bought);
    tokens.extend(between);
    let place = |token: TokenId| tokens.iter().position(|known| *known == token);
    let mut prices = vec![1.0; tokens.len()];
    let mut hops = Vec::new();
    let mut to = bought;
    // First prices, from the end on.
    for (at, hop) in way.hops.iter().enumerate().rev() {
        let from = at
            .checked_sub(1)
            .and_then(|at| way.hops.get(at))
            .map_or(sold, |hop| hop.to);
        let ends = [from, to].map(place);
        if let [Some(from), Some(to)] = ends {
            let next = prices.get(to).copied().unwrap_or(1.0);
            if let Some(price) = prices.get_mut(from) {
                *price = next * lens.rate(hop.sale);
            }
            hops.push(Hop::new([from, to], hop.pool, hop.sale, goal));
        }
        to = from;
    }
    let set: Vec<usize> = (0..hops.len()).collect();
    let arena = Arena { tokens, hops };
    let division = Division::new(&arena, goal, &set, &Prices::new(&prices));
    let price = |(at, token): (usize, &TokenId)| (*token, division.prices[at]);
    arena.tokens.iter().enumerate().map(price).collect()
}

/// What tokens can be bought and sold for.
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
}

/// Tokens that something is gained through, and about how much, the most first:
/// what the pools on either side keep at a price between bid and ask.
fn gains(lens: &Lens<'_>, goal: &Goal, offers: &Offers) -> Vec<(f64, TokenId)> {
    let mut gains = Vec::new();
    let both = offers.inverse_asks.all().iter().zip(offers.bids.all());
    for (token, (inverse, bid)) in (0..).zip(both) {
        if bid * inverse > 1.0 {
            let gain = gain(lens, goal, offers, token, (bid / inverse).sqrt());
            if gain > 0.0 {
                gains.push((gain, token));
            }
        }
    }
    gains.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.cmp(y)));
    gains
}

/// The best that a pool gains which buys a token, or which sells it, whichever is
/// less.
fn gain(lens: &Lens<'_>, goal: &Goal, offers: &Offers, token: TokenId, price: f64) -> f64 {
    let (mut into, mut out) = (0.0_f64, 0.0_f64);
    for link in lens.topology().neighbours(token) {
        let inverse = offers.inverse_asks.get(link.to);
        if lens.rate(link.sale.back()) * price * inverse > 1.0 {
            for pool in lens.pools(link.sale.back()) {
                let surplus = surplus(pool.rungs(link.sale.back().way), inverse.recip(), price);
                into = into.max(surplus - goal.costs.swap_at(pool.venue));
            }
        }
        let bid = offers.bids.get(link.to);
        if lens.rate(link.sale) * bid > price {
            for pool in lens.pools(link.sale) {
                let surplus = surplus(pool.rungs(link.sale.way), price, bid);
                out = out.max(surplus - goal.costs.swap_at(pool.venue));
            }
        }
    }
    into.min(out)
}
