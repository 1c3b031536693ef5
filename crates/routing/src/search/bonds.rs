//! Which swaps are of no use without another.

use super::problem::{BOUGHT, MAX_NODES, SOLD};

/// How many swaps give each token, and how many sell it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bonds {
    given: [u16; MAX_NODES],
    sold: [u16; MAX_NODES],
}

impl Bonds {
    /// Of swaps between these places.
    pub(super) fn new(ends: &[[usize; 2]]) -> Self {
        let mut bonds = Self {
            given: [0; MAX_NODES],
            sold: [0; MAX_NODES],
        };
        for [from, to] in ends {
            if let (Some(sold), Some(given)) = (bonds.sold.get_mut(*from), bonds.given.get_mut(*to))
            {
                *sold += 1;
                *given += 1;
            }
        }
        bonds
    }

    /// Whether a swap between these places is the only one that sells a token or
    /// gives one.
    fn needs(&self, [from, to]: &[usize; 2]) -> bool {
        (*from != SOLD && self.sold.get(*from) == Some(&1))
            || (*to != BOUGHT && self.given.get(*to) == Some(&1))
    }

    /// Adds a swap, by its number, and all that neither get nor give anything
    /// without it.
    pub(super) fn cut(&self, ends: &[[usize; 2]], seed: usize, cut: &mut Vec<usize>) {
        let begin = cut.len();
        cut.push(seed);
        if !ends.get(seed).is_some_and(|ends| self.needs(ends)) {
            return;
        }
        let mut left = *self;
        let mut at = begin;
        while let Some([from, to]) = cut.get(at).and_then(|swap| ends.get(*swap)) {
            at += 1;
            let lost = |count: Option<&mut u16>| {
                let count = count.map(|count| {
                    *count = count.saturating_sub(1);
                    *count
                });
                count == Some(0)
            };
            let unsold = lost(left.sold.get_mut(*from)) && *from != SOLD;
            let ungiven = lost(left.given.get_mut(*to)) && *to != BOUGHT;
            if !unsold && !ungiven {
                continue;
            }
            for (swap, [giver, seller]) in ends.iter().map(|[a, b]| [*b, *a]).enumerate() {
                let is_cut = (unsold && giver == *from) || (ungiven && seller == *to);
                let known = cut.get(begin..).unwrap_or_default();
                if is_cut && !known.contains(&swap) {
                    cut.push(swap);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(ends: &[[usize; 2]], seed: usize) -> Vec<usize> {
        let mut cut = Vec::new();
        Bonds::new(ends).cut(ends, seed, &mut cut);
        cut.sort_unstable();
        cut
    }

    #[test]
    fn a_swap_beside_another_goes_alone() {
        assert_eq!(cut(&[[0, 2], [0, 2], [2, 1]], 0), [0]);
        assert_eq!(cut(&[[0, 1], [0, 2], [2, 1]], 0), [0]);
    }

    #[test]
    fn a_chain_goes_as_a_whole() {
        let ends = [[0, 1], [0, 2], [2, 3], [3, 1], [3, 1]];
        assert_eq!(cut(&ends, 1), [1, 2, 3, 4]);
        assert_eq!(cut(&ends, 2), [1, 2, 3, 4]);
        assert_eq!(cut(&ends, 3), [3]);
    }

    #[test]
    fn what_is_left_keeps_its_ways() {
        // Two ways meet at 3; the one through 2 goes.
        let ends = [[0, 2], [2, 3], [0, 3], [3, 1]];
        assert_eq!(cut(&ends, 0), [0, 1]);
        assert_eq!(cut(&ends, 3), [0, 1, 2, 3]);
    }
}
