//! Which swaps are of no use without another.

use super::problem::{BOUGHT, SOLD};

/// How many swaps give each token, and how many sell it.
#[derive(Debug, Default)]
pub(super) struct Bonds {
    given: Vec<u16>,
    sold: Vec<u16>,
}

impl Bonds {
    /// Counts swaps between these places.
    pub(super) fn count(&mut self, ends: &[[usize; 2]]) {
        let places = ends.iter().flatten().max().map_or(0, |place| place + 1);
        for counts in [&mut self.given, &mut self.sold] {
            counts.clear();
            counts.resize(places, 0);
        }
        for ends in ends {
            self.put(ends);
        }
    }

    fn put(&mut self, [from, to]: &[usize; 2]) {
        if let (Some(sold), Some(given)) = (self.sold.get_mut(*from), self.given.get_mut(*to)) {
            *sold += 1;
            *given += 1;
        }
    }

    /// Whether a swap between these places is the only one that sells a token or
    /// gives one.
    fn needs(&self, [from, to]: &[usize; 2]) -> bool {
        (*from != SOLD && self.sold.get(*from) == Some(&1))
            || (*to != BOUGHT && self.given.get(*to) == Some(&1))
    }

    /// Adds a swap, by its number, and all that neither get nor give anything
    /// without it.
    pub(super) fn cut(&mut self, ends: &[[usize; 2]], seed: usize, cut: &mut Vec<usize>) {
        let begin = cut.len();
        cut.push(seed);
        if !ends.get(seed).is_some_and(|ends| self.needs(ends)) {
            return;
        }
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
            let unsold = lost(self.sold.get_mut(*from)) && *from != SOLD;
            let ungiven = lost(self.given.get_mut(*to)) && *to != BOUGHT;
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
        for swap in cut.get(begin..).unwrap_or_default() {
            if let Some(ends) = ends.get(*swap) {
                self.put(ends);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(ends: &[[usize; 2]], seed: usize) -> Vec<usize> {
        let (mut bonds, mut cut) = (Bonds::default(), Vec::new());
        bonds.count(ends);
        bonds.cut(ends, seed, &mut cut);
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
