//! The swaps of a quote as a tree: what follows a swap hangs below it.
//!
//! Execution is a list in which several swaps may give the same token before
//! others sell it. In the tree the swaps that sell a token hang below each swap
//! that gives it. Where that would make more than [`MAX_NODES`], they hang below
//! the first one alone, and the other ones end there.

use crate::{Hop, Quote};
use primitives::{Address, U256};
use routing::Share;

/// No tree is larger, except that each swap is in it once.
const MAX_NODES: usize = 256;

/// A swap and what follows it.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteNode<'a> {
    /// What people call the venue.
    pub venue: &'a str,
    /// The contract by which the exchange contract knows it.
    pub router: Address,
    /// The share of what is there of the sold token: at the top of what is
    /// sold, below of what the swap above gives. Those of siblings add to 1.
    pub percent: f64,
    /// The token that is sold.
    pub sell: Address,
    /// The token that is bought.
    pub buy: Address,
    /// The swaps that follow.
    pub routes: Vec<Self>,
}

/// The tree of a quote.
#[must_use]
pub fn tree(quote: &Quote) -> Vec<RouteNode<'_>> {
    let hops = quote.hops.as_slice();
    let once = nodes(hops) > MAX_NODES;
    let mut planting = Planting {
        percents: percents(hops),
        hops,
        written: once.then_some([false; TOKENS]),
    };
    planting.below(0, 0)
}

/// Places of tokens.
const TOKENS: usize = 1 << 8;

/// How many nodes the whole tree has.
fn nodes(hops: &[Hop]) -> usize {
    let mut selling = [0_usize; TOKENS];
    for Hop { leg, .. } in hops.iter().rev() {
        let below = selling
            .get(usize::from(leg.to))
            .copied()
            .unwrap_or_default();
        if let Some(sum) = selling.get_mut(usize::from(leg.from)) {
            *sum = sum.saturating_add(below).saturating_add(1);
        }
    }
    let [whole, ..] = selling;
    whole
}

/// The part of its token that each swap sells, where the contract counts the
/// part of what the swaps before it have left.
fn percents(hops: &[Hop]) -> Vec<f64> {
    let whole = U256::from(Share::WHOLE.units());
    let mut left = [whole; TOKENS];
    let percent = |hop: &Hop| {
        let left = left.get_mut(usize::from(hop.leg.from))?;
        let part = hop.leg.share.of(*left);
        *left -= part;
        Some(f64::from(part) / f64::from(whole))
    };
    hops.iter()
        .map(percent)
        .map(Option::unwrap_or_default)
        .collect()
}

struct Planting<'a> {
    hops: &'a [Hop],
    percents: Vec<f64>,
    /// The tokens whose sellers hang somewhere, if they may hang once only.
    written: Option<[bool; TOKENS]>,
}

impl<'a> Planting<'a> {
    /// The swaps from this one on that sell a token.
    fn below(&mut self, token: u8, from: usize) -> Vec<RouteNode<'a>> {
        if let Some(written) = &mut self.written
            && let Some(written) = written.get_mut(usize::from(token))
            && std::mem::replace(written, true)
        {
            return Vec::new();
        }
        let hops = self.hops;
        let later = hops.iter().enumerate().skip(from);
        let selling = later.filter(|(_, hop)| hop.leg.from == token);
        selling
            .map(|(place, hop)| RouteNode {
                venue: &hop.venue,
                router: hop.router,
                percent: self.percents.get(place).copied().unwrap_or_default(),
                sell: hop.sell,
                buy: hop.buy,
                routes: self.below(hop.leg.to, place + 1),
            })
            .collect()
    }
}
