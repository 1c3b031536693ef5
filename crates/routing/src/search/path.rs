//! Single ways through pairs: the first thing to beat.

use super::lens::{Lens, Scratch};
use super::newton::Fixed;
use super::reach::{Reach, way};
use crate::graph::{PairId, TokenId, Way};
use crate::ladder;

/// Swaps of a single way.
const MAX_HOPS: usize = 4;

/// First steps that are tried at full size.
const TRIED: usize = 8;

/// A way through pairs, with what it pays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    hops: [(PairId, Way); MAX_HOPS],
    /// The tokens behind each hop.
    tokens: [TokenId; MAX_HOPS],
    len: usize,
    /// What is bought with the whole sale, or sold for the whole purchase.
    pub(super) amount: f64,
    /// What the next unit sold would buy.
    pub(super) price: f64,
}

impl Path {
    const EMPTY: Self = Self {
        hops: [(0, 0); MAX_HOPS],
        tokens: [0; MAX_HOPS],
        len: 0,
        amount: 0.0,
        price: 0.0,
    };

    fn with(mut self, pair: PairId, from: TokenId, to: TokenId) -> Option<Self> {
        *self.hops.get_mut(self.len)? = (pair, way(from, to));
        *self.tokens.get_mut(self.len)? = to;
        self.len += 1;
        Some(self)
    }

    pub(super) fn hops(&self) -> &[(PairId, Way)] {
        self.hops.get(..self.len).unwrap_or_default()
    }

    /// The tokens that it passes, the last one included.
    pub(super) fn tokens(&self) -> &[TokenId] {
        self.tokens.get(..self.len).unwrap_or_default()
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
            path = path.with(topology.between(from, to)?, from, to)?;
            if to == bought {
                return Some(path);
            }
            let next = reach.next(lens, to)?;
            // Values of loops lead back.
            if next == sold || path.tokens().contains(&next) {
                return None;
            }
            (from, to) = (to, next);
        }
        None
    }

    /// Finds out what it pays; `None` if it cannot take as much.
    pub(super) fn priced(
        mut self,
        lens: Lens<'_>,
        fixed: Fixed,
        scratch: &mut Scratch,
    ) -> Option<Self> {
        self.price = 1.0;
        match fixed {
            Fixed::In(amount) => {
                self.amount = amount;
                for at in 0..self.len {
                    let (pair, way) = *self.hops.get(at)?;
                    let rungs = lens.curve(pair, way, scratch);
                    let z = ladder::z_for(rungs, self.amount)?;
                    self.amount = ladder::flow_at(rungs, z, &mut 0).bought;
                    self.price /= z * z;
                }
            }
            Fixed::Out(amount) => {
                self.amount = amount;
                for at in (0..self.len).rev() {
                    let (pair, way) = *self.hops.get(at)?;
                    let rungs = lens.curve(pair, way, scratch);
                    self.amount = ladder::sold_for(rungs, self.amount)?;
                    let z = ladder::z_for(rungs, self.amount)?;
                    self.price /= z * z;
                }
            }
        }
        (self.amount > 0.0 && self.amount.is_finite()).then_some(self)
    }

    /// Whether it pays more, or costs less, than another.
    pub(super) fn beats(&self, other: &Self, fixed: Fixed) -> bool {
        match fixed {
            Fixed::In(_) => self.amount > other.amount,
            Fixed::Out(_) => self.amount < other.amount,
        }
    }
}

/// The best single way among those that begin well. The values must be those
/// that follow from the bought token alone.
pub(super) fn best(
    lens: Lens<'_>,
    reach: &Reach,
    ends: [TokenId; 2],
    fixed: Fixed,
    firsts: &mut Vec<(f64, TokenId)>,
    scratch: &mut Scratch,
) -> Option<Path> {
    let [sold, bought] = ends;
    firsts.clear();
    if let Some(pair) = lens.graph.topology().between(sold, bought) {
        firsts.push((lens.rate(pair, way(sold, bought)), bought));
    }
    for (to, pair, value) in reach.around(lens, sold) {
        firsts.push((lens.rate(pair, way(sold, to)) * value, to));
    }
    firsts.retain(|(rate, _)| *rate > 0.0);
    firsts.sort_unstable_by(|(a, x), (b, y)| b.total_cmp(a).then(x.cmp(y)));
    let mut best: Option<Path> = None;
    let mut tried = 0;
    for (rate, first) in firsts.iter() {
        // No later one can pay more: not even its first unit does.
        let full = match (fixed, &best) {
            (Fixed::In(amount), Some(best)) => amount * rate <= best.amount,
            (Fixed::Out(amount), Some(best)) => amount / rate >= best.amount,
            (_, None) => false,
        };
        if full || (tried >= TRIED && best.is_some()) || tried >= 8 * TRIED {
            break;
        }
        tried += 1;
        let path = Path::follow(lens, reach, ends, *first);
        let Some(path) = path.and_then(|path| path.priced(lens, fixed, scratch)) else {
            continue;
        };
        if best.is_none_or(|best| path.beats(&best, fixed)) {
            best = Some(path);
        }
    }
    best
}
